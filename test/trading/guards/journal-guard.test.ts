import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hintText, shell } from '../../../src/domain/hint.ts';
import { DamagedFileError, UsageError } from '../../../src/errors.ts';
import { serviceIdentity } from '../../../src/journal/account-identity.ts';
import type { Halt } from '../../../src/journal/halt.ts';
import type { IntentRecord, JournalRecord } from '../../../src/journal/records.ts';
import type { JournalState } from '../../../src/journal/state.ts';
import { guardJournal, type JournalGuardTerms } from '../../../src/trading/guards/journal-guard.ts';
import type { Finding, TradingLimits } from '../../../src/trading/trading-context.ts';
import {
  ACCEPTED,
  at,
  DESK,
  DONE,
  FAILED,
  FILLED,
  idOf,
  NOON,
  NOT_SEEN,
  NOT_SENT,
  NOTHING,
  REFUSED,
  recordsOf,
  SENDING,
  type StepParts,
  stateFrom,
  theTerms,
  UNKNOWN,
} from '../../journal/records.ts';
import { hinting } from '../../support/hints.ts';
import { big, NO_LIMITS, sideBook } from '../facts.ts';

/** The steps to each state. */
const STEPS_TO: Readonly<Record<string, readonly StepParts[]>> = {
  prepared: [],
  sent: [SENDING],
  unknown: [SENDING, UNKNOWN],
  accepted: [SENDING, ACCEPTED],
  filled: [SENDING, ACCEPTED, FILLED],
  changed: [SENDING, ACCEPTED, { kind: 'outcome', outcome: 'changed', facts: {} }],
  failed: [SENDING, ACCEPTED, FAILED],
  refused: [SENDING, REFUSED],
  'not seen': [SENDING, ACCEPTED, NOT_SEEN],
  'not sent': [SENDING, NOT_SENT],
  'settled as done': [SENDING, UNKNOWN, DONE],
  'settled as nothing': [SENDING, UNKNOWN, NOTHING],
};

/** An action in a state, started 200 seconds before noon by default. */
const action = (id: string, state: string, parts: Partial<IntentRecord> = {}): readonly JournalRecord[] =>
  recordsOf(id, { at: at(-200), ...parts }, ...(STEPS_TO[state] ?? []));

const journal = (
  records: readonly (readonly JournalRecord[])[],
  changes?: Parameters<typeof stateFrom>[1],
): JournalState => stateFrom(records.flat(), changes);

interface Desk {
  nowMs?: number;
  limits?: Partial<TradingLimits>;
  /** A person at a terminal confirms. */
  attended?: boolean;
}

const guard = (asked: Partial<JournalGuardTerms>, state: JournalState, desk: Desk = {}): readonly Finding[] =>
  guardJournal(
    {
      ...theTerms(asked.action === undefined || asked.action === 'open' ? {} : { tenorDays: undefined }),
      despite: [],
      allowDuplicate: false,
      ...(asked.action === 'close' ? { notional: undefined } : {}),
      ...asked,
    },
    state,
    {
      nowMs: desk.nowMs ?? NOON,
      limits: { ...NO_LIMITS, ...desk.limits },
      attended: desk.attended ?? true,
    },
  );

const found = (...asked: Parameters<typeof guard>): readonly string[] =>
  guard(...asked).map(({ level, code }) => `${level} ${code}`);

type Name = JournalGuardTerms['action'];
const ACTIONS = ['open', 'add', 'reduce', 'close'] as const;

describe('the guards over the journal', () => {
  it.each(ACTIONS)('find nothing against %s on an empty one', (name) => {
    expect(guard({ action: name }, journal([]))).toEqual([]);
  });

  it.each(ACTIONS)('find nothing against %s on a side where all has ended long ago', (name) => {
    const ended = ['filled', 'failed', 'refused', 'not sent', 'settled as nothing', 'prepared'];
    const state = journal(
      ended.map((fate, index) => action(`aaa${index.toString()}`, fate, { at: at(-600) })),
    );
    expect(guard({ action: name }, state)).toEqual([]);
  });
});

describe('a halt', () => {
  const halt: Halt = {
    ids: ['aa00000000000001'],
    who: 'ada@desk',
    at: at(),
    why: 'venue \u001b[2Jdown',
    earlier: [],
  };

  it.each(ACTIONS)('stops %s only when that makes the book larger', (name) => {
    const expected = name === 'open' || name === 'add' ? ['stop halted'] : [];
    expect(found({ action: name }, journal([], { halt }))).toEqual(expected);
  });

  it('says who, when and why', () => {
    const [read] = guard({}, journal([], { halt }));
    expect(read?.message).toContain('halted by ada@desk, 2026-11-20 12:00:00 UTC: "venue \\u{1b}[2Jdown"');
    expect(read?.details).toEqual({ who: halt.who, at: halt.at, why: halt.why });
  });
});

describe('an action without a usable answer', () => {
  it.each<[Name, readonly string[]]>([
    ['open', ['stop unresolved']],
    ['add', ['stop unresolved']],
    ['reduce', ['stop unresolved']],
    ['close', ['warn unresolved']],
  ])('before %s, when its sender is stopped or another process has its number', (name, expected) => {
    const state = journal([action('7c1e', 'sent')], { running: true });
    expect(found({ action: name }, state)).toEqual(expected);
  });

  it.each<[Name, string, readonly string[]]>([
    ['open', 'unknown', ['stop unresolved']],
    ['add', 'unknown', ['stop unresolved']],
    ['reduce', 'unknown', ['stop unresolved']],
    ['close', 'unknown', ['warn unresolved']],
    ['open', 'sent', ['stop unresolved']],
    ['close', 'sent', ['warn unresolved']],
    ['open', 'settled as done', []],
  ])('before %s, %s', (name, fate, expected) => {
    const state = journal([action('7c1e', fate)]);
    expect(found({ action: name }, state)).toEqual(expected);
  });

  it.each<[string, Partial<JournalGuardTerms>]>([
    ['market', { market: 'USDTKES' }],
    ['side', { side: 'sell' }],
    [
      'identity',
      {
        identity: serviceIdentity('live', {
          baseUrl: 'https://partner.test/v2',
          keyFingerprint: 'ffffffff',
          account: 'another',
        }),
      },
    ],
  ])('is no matter on another %s', (_what, asked) => {
    const labeled = {
      identity: { ...DESK, environment: 'live', account: 'one', key_fingerprint: '1a2b3c4d' },
    } as const;
    expect(guard(asked, journal([action('7c1e', 'unknown', labeled)]))).toEqual([]);
  });

  it.each<[string, Partial<IntentRecord>, string]>([
    ['a profile', {}, 'hedge profile set desk --key-stdin'],
    ['the environment', { profile: 'env' }, 'hedge check 7c1e'],
    [
      'a profile with a label',
      { identity: { ...DESK, environment: 'live', account: 'one', key_fingerprint: '1a2b3c4d' } },
      'hedge profile set NAME --account one',
    ],
  ])(
    'stops an open with another API key too, and says what confirms the account: of %s',
    (_what, parts, line) => {
      const identity = serviceIdentity('live', { baseUrl: DESK.base_url, keyFingerprint: 'ffffffff' });
      const [first] = guard({ identity }, journal([action('7c1e', 'unknown', parts)]));
      expect(first).toMatchObject({ level: 'stop', code: 'unresolved' });
      expect(first?.message).toContain('sent with another API key (1a2b3c4d)');
      expect(hintText(first?.hint).split('\n')[0]).toContain(line);
    },
  );

  it('is named with the ways out of it', () => {
    const [first] = guard({ action: 'add' }, journal([action('7c1e', 'unknown', { deal_id: 'PAY-8841' })]));
    expect(first?.message).toBe(
      'OPEN buy USDTNGN 10,000.00 USD ("PAY-8841"), action 7c1e, sent 3 min ago: outcome unknown.',
    );
    expect(hintText(first?.hint)).toMatch(/^hedge check 7c1e {4}look up/);
    expect(first?.override).toEqual({ option: shell`--despite 7c1e`, risk: 'both may execute' });
    expect(first?.details).toMatchObject({ actions: [{ action_id: idOf('7c1e'), state: 'unknown' }] });
  });

  it('does not keep another one from being settled: what is sent again is only reported', () => {
    const state = journal([action('7c1e', 'unknown'), action('90ab', 'unknown')]);
    expect(found({ except: idOf('90ab'), allowDuplicate: true }, state)).toEqual(['warn unresolved']);
  });
});

describe('an action in flight', () => {
  it.each<[Name, Name, readonly string[]]>([
    ['open', 'open', ['warn in_flight']],
    ['add', 'open', ['warn in_flight']],
    ['reduce', 'add', ['warn in_flight']],
    ['reduce', 'reduce', ['stop duplicate', 'warn in_flight']],
    ['open', 'reduce', ['warn in_flight']],
    ['open', 'close', ['stop in_flight']],
    ['add', 'close', ['stop in_flight']],
    ['reduce', 'close', ['stop in_flight']],
    ['close', 'open', ['stop in_flight']],
    ['close', 'add', ['stop in_flight']],
    ['close', 'reduce', ['stop in_flight']],
    ['close', 'close', ['warn in_flight']],
  ])('before %s, when it is %s: %j', (name, other, expected) => {
    const parts = { action: other };
    const asked = { action: name };
    expect(found(asked, journal([action('7c1e', 'accepted', parts)]))).toEqual(expected);
    for (const fate of ['sent', 'prepared'])
      expect(
        found(asked, journal([action('7c1e', fate, { ...parts, at: at(-60) })], { running: true })),
      ).toEqual(expected);
  });

  it.each<[Name, Name, string]>([
    ['open', 'close', 'stop unresolved'],
    ['add', 'add', 'stop unresolved'],
    ['reduce', 'add', 'stop unresolved'],
    ['close', 'add', 'warn unresolved'],
  ])('that was not seen in time may still execute: before %s, when it is %s: %s', (name, other, expected) => {
    const state = journal([action('7c1e', 'not seen', { action: other, at: at(-3_600) })]);
    expect(found({ action: name }, state)).toEqual([expected]);
    const [first] = guard({ action: name }, state);
    expect(first?.message).toContain('accepted, no change of the position seen');
    expect(found({ action: name, despite: ['7c1e'] }, state)).toEqual([]);
  });

  it('that closes the side stops what it may take however long it has been waited for', () => {
    const state = journal([action('7c1e', 'accepted', { action: 'close' })]);
    expect(found({ action: 'open' }, state, { nowMs: NOON + 3_600_000 })).toEqual(['stop in_flight']);
  });

  it('never prevents closing for longer than five minutes', () => {
    const state = journal([action('7c1e', 'accepted')]);
    const after = (seconds: number) =>
      found({ action: 'close' }, state, { nowMs: NOON + (seconds - 199) * 1_000 });
    expect(after(299)).toEqual(['stop in_flight']);
    expect(after(300)).toEqual(['warn in_flight']);
  });

  it('is waited for by the clock of the service too: that of this machine may have been set ahead', () => {
    const read = { answered_at: at(-201), served_at: at(-201) };
    const before = { hedges: [], in_positions: false, ...read };
    const state = journal([action('7c1e', 'accepted', { before })]);
    const after = (seconds: number) => {
      const clocks = { wall: NOON, service: NOON + (seconds - 199) * 1_000 };
      const facts = { sidePosition: sideBook(), readAtMs: NOON, clocks };
      return found({ action: 'close', facts }, state, { nowMs: NOON + 3_600_000 });
    };
    expect(after(299)).toEqual(['stop in_flight']);
    expect(after(301)).toEqual(['warn in_flight']);
  });

  it.each<Name>(['open', 'add'])(
    'that closes the side may take what an %s makes: it stops it, sent again too, and names what to wait for',
    (name) => {
      const state = journal([action('7c1e', 'accepted', { action: 'close' })]);
      const [first] = guard({ action: name }, state);
      expect(first?.message).toContain(`It may execute after this ${name} and close that too.`);
      expect(hintText(first?.hint)).toMatch(/^hedge wait 7c1e {4}.* --despite 7c1e$/);
      const again = journal([
        action('7c1e', 'accepted', { action: 'close' }),
        action('90ab', 'unknown', { action: name }),
      ]);
      const [resent] = guard({ action: name, except: idOf('90ab') }, again);
      expect(resent).toMatchObject({ level: 'stop', code: 'in_flight' });
      expect(hintText(resent?.hint)).not.toContain('--despite');
      expect(found({ action: name, despite: ['7c1e'] }, state)).toEqual([]);
    },
  );

  it.each<[Name, string, readonly string[]]>([
    ['open', '10000', ['stop in_flight']],
    ['open', '9900', ['stop in_flight']],
    ['open', '9800', ['warn in_flight']],
    ['add', '10000', ['stop in_flight']],
    ['close', '10000', ['stop in_flight']],
  ])('before %s, a reduction of 10,000 by %s: %j', (name, notional, expected) => {
    const before = {
      hedges: [{ hedge_id: 'hdg_1', notional_usd: '10000', status: 'filled' }],
      in_positions: true,
    };
    const parts = { action: 'reduce', notional_usd: notional, before } as const;
    expect(found({ action: name }, journal([action('7c1e', 'accepted', parts)]))).toEqual(expected);
  });

  it.each<[Name, readonly string[]]>([
    ['open', ['stop in_flight']],
    ['add', ['stop in_flight']],
    ['reduce', ['stop in_flight']],
    ['close', []],
  ])('that closes and was recorded as executed while it may arrive: before %s %j', (name, expected) => {
    const state = journal([action('7c1e', 'settled as done', { action: 'close' })]);
    expect(found({ action: name }, state)).toEqual(expected);
    expect(found({ action: name, despite: expected.length > 0 ? ['7c1e'] : [] }, state)).toEqual([]);
    const late = { nowMs: NOON + 6 * 60_000 };
    expect(found({ action: name }, state, late)).toEqual([]);
    if (expected.length > 0)
      expect(guard({ action: name }, state)[0]?.message).toContain(
        'was recorded as executed, and its request may still arrive until',
      );
  });

  it('that closes the side and one that the size is computed from are both said', () => {
    const state = journal([
      action('7c1e', 'accepted', { action: 'close' }),
      action('90ab', 'accepted', { action: 'add' }),
    ]);
    const [first] = guard({ action: 'add', measured: true }, state);
    expect(first?.message).toContain('close that too. The position is about to change');
  });

  it.each<[string, readonly Name[], readonly string[], string]>([
    ['an open', ['open'], ['This open comes on top of it.'], 'may also apply'],
    ['a reduction', ['reduce'], ['may also apply to this open'], 'on top of it'],
    ['both', ['add', 'reduce'], ['This open comes on top of it.', 'may also apply'], 'nothing of the kind'],
  ])('tells an open what %s means for it', (_, others, said, unsaid) => {
    const state = journal(
      others.map((other, nth) => action(`7c1${nth.toString()}`, 'accepted', { action: other })),
    );
    const [first] = guard({ action: 'open' }, state);
    for (const each of said) expect(first?.message).toContain(each);
    expect(first?.message).not.toContain(unsaid);
  });

  it('is told in full of one, and of the rest by their ids', () => {
    const ids = ['7c11', '7c12', '7c13', '7c14', '7c15'];
    const [first] = guard({ action: 'open' }, journal(ids.map((id) => action(id, 'accepted'))));
    expect(first?.message.match(/is in flight\./g)).toHaveLength(1);
    expect(first?.message).toContain(' Also: 7c12, 7c13, 7c14, 7c15. This open comes on top of it.');
    expect(hintText(first?.hint)).toBe('hedge check');
    expect(first?.details).toMatchObject({ actions: ids.map((id) => ({ action_id: idOf(id) })) });
  });

  it('tells a close what to wait for', () => {
    const [first] = guard({ action: 'close' }, journal([action('7c1e', 'accepted')]));
    expect(hintText(first?.hint)).toMatch(/^hedge wait 7c1e {4}.* --despite 7c1e$/);
  });
});

describe('--despite', () => {
  const state = journal([
    action('7c1e', 'unknown'),
    action('90ab', 'accepted'),
    action('7c1f', 'unknown', { side: 'sell' }),
    action('dddd', 'filled'),
  ]);

  it('overrules exactly the action it names', () => {
    expect(found({ action: 'add' }, state)).toEqual(['stop unresolved', 'warn in_flight']);
    expect(found({ action: 'add', despite: ['7c1e'] }, state)).toEqual(['warn in_flight']);
    expect(found({ action: 'close', despite: ['90ab'] }, state)).toEqual(['warn unresolved']);
    expect(found({ action: 'close', despite: [idOf('90ab'), '7c1e'] }, state)).toEqual([]);
    const two = journal([action('7c1e', 'unknown'), action('aaaa', 'unknown')]);
    expect(found({ action: 'add', despite: ['7c1e'] }, two)).toEqual(['stop unresolved']);
    expect(guard({ action: 'add', despite: ['7c1e'] }, two)[0]?.message).toContain('action aaaa');
  });

  it.each([
    ['beef', 'No action "beef"'],
    ['dddd', 'is filled, hedge "hdg_1"'],
    ['7c1f', 'is on USDTNGN sell'],
  ])('that names nothing in the way is refused: %s', (text, message) => {
    expect(() => guard({ despite: ['7c1e', text] }, state)).toThrow(UsageError);
    expect(() => guard({ despite: ['7c1e', text] }, state)).toThrow(message);
  });

  it('that may mean two actions is refused', () => {
    const ids = [idOf('7c1e'), '7c1eaab111111111', '7c1eaab222222222'];
    const twins = journal(ids.map((id) => action(id, 'unknown')));
    expect(() => guard({ despite: ['7c1eaab'] }, twins)).toThrow(
      '"7c1eaab" matches 7c1eaab111111111 and 7c1eaab222222222',
    );
    expect(() => guard({ despite: ['7c1eaab2'] }, twins)).not.toThrow();
  });
});

describe('a double', () => {
  const recent = { at: at(-12) };

  it.each<[string, Partial<JournalGuardTerms>, Partial<IntentRecord>, string, readonly string[]]>([
    ['the same open', {}, {}, 'filled', ['stop duplicate']],
    [
      'recorded as not executed',
      { action: 'add' },
      { action: 'add' },
      'settled as nothing',
      ['stop duplicate'],
    ],
    [
      'recorded as not executed, and may still arrive',
      { action: 'add' },
      { action: 'add', at: at(-200) },
      'settled as nothing',
      ['stop duplicate'],
    ],
    [
      'recorded as not executed, and cannot arrive any more',
      { action: 'add' },
      { action: 'add', at: at(-370) },
      'settled as nothing',
      [],
    ],
    ['of another size', { notional: big('10000.01') }, {}, 'filled', []],
    ['of another tenor', { tenorDays: 7 }, {}, 'filled', []],
    ['allowed', { allowDuplicate: true }, {}, 'filled', []],
    ['under deal ids that differ', { dealId: 'PAY-2' }, { deal_id: 'PAY-1' }, 'filled', []],
    ['under a deal id, the one before without', { dealId: 'PAY-2' }, {}, 'filled', ['stop duplicate']],
    ['without a deal id, the one before under one', {}, { deal_id: 'PAY-1' }, 'filled', ['stop duplicate']],
    ['a minute ago', {}, { at: at(-60) }, 'filled', []],
    ['refused', {}, {}, 'refused', []],
    ['of its own entry', { except: idOf('7c1e') }, {}, 'filled', []],
    ['the same add', { action: 'add' }, { action: 'add' }, 'filled', ['stop duplicate']],
    ['the same reduction', { action: 'reduce' }, { action: 'reduce' }, 'filled', ['stop duplicate']],
    ['another close', { action: 'close' }, { action: 'close' }, 'filled', []],
    ['without an answer', {}, {}, 'unknown', ['stop unresolved']],
    ['without an answer, allowed', { allowDuplicate: true }, {}, 'unknown', ['stop unresolved']],
    ['without an answer, overruled', { despite: ['7c1e'] }, {}, 'unknown', []],
  ])('is stopped only where it may be a mistake: %s', (_what, asked, parts, fate, expected) => {
    expect(found(asked, journal([action('7c1e', fate, { ...recent, ...parts })]))).toEqual(expected);
  });

  it('is named with its age and how to mean it', () => {
    const [first] = guard({}, journal([action('7c1e', 'filled', recent)]));
    expect(first?.message).toBe('Same open entered in the last minute, 12 s ago (7c1e, filled).');
    expect(hintText(first?.hint)).toContain('--allow-duplicate');
  });

  it.each([
    ['add', 'added'],
    ['reduce', 'reduced'],
  ] as const)('says of the earlier %s that it was %s', (name, word) => {
    const earlier = journal([action('7c1e', 'changed', { ...recent, action: name })]);
    expect(guard({ action: name }, earlier)[0]?.message).toContain(`12 s ago (7c1e, ${word}).`);
  });

  it('is one line with a count, when there are several', () => {
    const three = ['7c1e', '7c1f', '7c20'].map((id, nth) => action(id, 'filled', { at: at(-40 + nth * 10) }));
    const [first] = guard({}, journal(three));
    expect(first?.message).toBe(
      'Same open entered 3 times in the last minute, last 20 s ago (7c20, filled).',
    );
    expect(hintText(first?.hint)).toBe(
      'To send it again: --allow-duplicate. A deal ID does not help: 7c1e, 7c1f, 7c20 have none.',
    );
  });

  const NO_ID = 'To send it again: --allow-duplicate. A deal ID does not help: 7c1e has none.';
  it.each<[string, Partial<JournalGuardTerms>, Partial<IntentRecord>, string]>([
    ['neither has one', {}, {}, NO_ID],
    ['only this one has one', { dealId: 'PAY-2' }, {}, NO_ID],
    [
      'only the one before has one',
      {},
      { deal_id: 'PAY-1' },
      'To send it again: --allow-duplicate, or its own --deal-id',
    ],
    ['it is an add', { action: 'add' }, { action: 'add' }, 'To send it again: --allow-duplicate'],
  ])('advises a deal id only where one would help: %s', (_what, asked, parts, hint) => {
    const [first] = guard(asked, journal([action('7c1e', 'filled', { ...recent, ...parts })]));
    expect(hintText(first?.hint)).toBe(hint);
    if (!hint.includes('--deal-id')) return;
    expect(
      found({ ...asked, dealId: 'PAY-2' }, journal([action('7c1e', 'filled', { ...recent, ...parts })])),
    ).toEqual([]);
  });
});

describe('a deal ID', () => {
  it.each<[string, readonly string[]]>([
    ['filled', ['stop deal_id_used']],
    ['accepted', ['stop deal_id_used']],
    ['unknown', ['stop deal_id_used']],
    ['not seen', ['stop deal_id_used']],
    ['failed', []],
    ['refused', []],
    ['not sent', []],
    ['settled as nothing', []],
  ])('of an open that is %s: %j', (fate, expected) => {
    const state = journal([action('7c1e', fate, { deal_id: 'PAY-1', key_origin: 'deal_id' })]);
    expect(found({ dealId: 'PAY-1' }, state)).toEqual(expected);
    expect(found({ dealId: 'PAY-1', side: 'sell', market: 'USDTKES' }, state)).toEqual(expected);
    expect(found({ dealId: 'PAY-1', except: idOf('7c1e') }, state)).toEqual([]);
  });

  it('names the action, its hedge and what is known of it', () => {
    const state = journal([action('7c1e', 'filled', { deal_id: 'PAY-1' })]);
    expect(guard({ dealId: 'PAY-1' }, state)).toMatchObject([
      {
        message: expect.stringMatching(/^Deal ID "PAY-1" is used .*action 7c1e, filled, hedge "hdg_1"\.$/),
        details: { actions: [{ action_id: idOf('7c1e'), hedge_id: 'hdg_1', state: 'done' }] },
      },
    ]);
    const lost = journal([action('7c1e', 'unknown', { deal_id: 'PAY-1' })]);
    expect(hintText(guard({ dealId: 'PAY-1' }, lost)[0]?.hint)).toContain('hedge check 7c1e');
  });
});

describe('the daily limit', () => {
  const limits = { maxDailyNotional: big('50000') };

  it.each<[string, readonly (readonly JournalRecord[])[], string]>([
    ['nothing yet', [], '50000'],
    ['what is filled', [action('aaaa', 'filled')], '40000'],
    ['what may stand', [action('aaaa', 'unknown', { side: 'sell' })], '40000'],
    ['what is in flight', [action('aaaa', 'accepted')], '40000'],
    ['adds', [action('aaaa', 'filled', { action: 'add' })], '40000'],
    ['no reductions', [action('aaaa', 'filled', { action: 'reduce' })], '50000'],
    ['nothing that failed', [action('aaaa', 'failed'), action('bbbb', 'refused')], '50000'],
    ['nothing of yesterday', [action('aaaa', 'filled', { at: '2026-11-19T23:59:59.999Z' })], '50000'],
    ['its own entry once', [action('7c1e', 'unknown')], '50000'],
  ])('counts %s', (_what, records, left) => {
    const ask = (notional: string) =>
      guard(
        {
          notional: big(notional),
          allowDuplicate: true,
          except: idOf('7c1e'),
        },
        journal(records),
        { limits },
      ).filter(({ code }) => code === 'limit_exceeded');
    expect(ask(left)).toEqual([]);
    expect(ask(big(left).plus('0.01').toFixed())).toMatchObject([
      { level: 'stop', details: { fits_notional_usd: big(left), max_daily_notional_usd: big('50000') } },
    ]);
  });

  it.each(ACTIONS)('is asked of %s only when that makes the book larger', (name) => {
    const expected = name === 'open' || name === 'add' ? ['stop limit_exceeded'] : [];
    const state = journal([action('aaaa', 'filled', { notional_usd: '50000' })]);
    expect(found({ action: name }, state, { limits })).toEqual(expected);
  });

  it('starts again at midnight UTC', () => {
    const state = journal([action('aaaa', 'filled', { notional_usd: '50000' })]);
    const midnight = Date.parse('2026-11-21T00:00:00.000Z');
    expect(found({}, state, { limits, nowMs: midnight - 1 })).toEqual(['stop limit_exceeded']);
    expect(found({}, state, { limits, nowMs: midnight })).toEqual([]);
  });

  it("counts the service's day too where this machine's clock is wrong", () => {
    const state = journal([action('aaaa', 'filled', { notional_usd: '45000' })]);
    const service = NOON;
    const asked = (nowMs: number) =>
      guard(
        { facts: { sidePosition: sideBook({}), readAtMs: nowMs, clocks: { wall: nowMs, service } } },
        state,
        {
          limits,
          nowMs,
        },
      );
    for (const days of [-1, 1])
      expect(asked(service + days * 86_400_000)).toMatchObject([{ code: 'limit_exceeded' }]);
    expect(asked(service + 86_400_000)[0]?.message).toContain(
      '2026-11-21 and 2026-11-20 (UTC) would total 55,000',
    );
  });

  it('counts an open that was made while the clock was a day wrong on the day on which the service had it', () => {
    const made = (days: number) =>
      action('aaaa', 'filled', {
        notional_usd: '45000',
        at: at(days * 86_400 - 200),
        before: { hedges: [], in_positions: false, service_at: at(-200) },
      });
    for (const days of [-1, 1])
      expect(found({}, journal([made(days)]), { limits })).toEqual(['stop limit_exceeded']);
    const tomorrow = { limits, nowMs: NOON + 86_400_000 };
    expect(found({}, journal([made(0)]), tomorrow)).toEqual([]);
    expect(found({}, journal([made(1)]), tomorrow)).toEqual(['stop limit_exceeded']);
  });

  it('says what the day comes to and what is left', () => {
    const state = journal([action('aaaa', 'filled', { notional_usd: '45000.001' })]);
    const [first] = guard({}, state, { limits });
    expect(first?.message).toMatch(
      /2026-11-20 \(UTC\) would total 55,000\.001 USD, above .* daily limit of 50,000\.00 USD\.$/,
    );
    expect(hintText(first?.hint)).toBe('Largest size that fits: 4,999.99 USD.');
  });

  it('is never exceeded by trades that each passed', () => {
    const size = fc.integer({ min: 1, max: 3_000_000 }).map((cents) => big((cents / 100).toString()));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 20 }), (sizes) => {
        const dealt: (readonly JournalRecord[])[] = [];
        let total = big('0');
        for (const notional of sizes) {
          const asked = { notional, allowDuplicate: true };
          if (found(asked, journal(dealt), { limits }).includes('stop limit_exceeded')) continue;
          const id = (0xaaaa + dealt.length).toString(16);
          dealt.push(action(id, 'filled', { notional_usd: notional.toFixed() }));
          total = total.plus(notional);
        }
        expect(total.lte('50000')).toBe(true);
      }),
    );
  });
});

describe('an unusual size', () => {
  const last = (...sizes: readonly string[]) =>
    journal(
      sizes.map((notional, index) =>
        action((0xaaaa + index).toString(16), 'filled', { notional_usd: notional }),
      ),
    );

  it.each<[string, string, readonly string[], readonly string[]]>([
    ['far above', '50000.01', ['1', '9000', '10000', '11000', '12000'], ['warn unusual_size']],
    ['five times', '50000', ['1', '9000', '10000', '11000', '12000'], []],
    ['of four deals', '90000', ['9000', '10000', '11000', '12000'], []],
  ])('is warned of where it is far above the usual: %s, %s after %j', (_what, notional, sizes, expected) => {
    expect(found({ notional: big(notional) }, last(...sizes))).toEqual(expected);
    expect(found({ notional: big(notional), action: 'add' }, last(...sizes))).toEqual(expected);
    expect(found({ notional: big(notional), action: 'reduce' }, last(...sizes))).toEqual([]);
  });

  it('says the middle it was measured by', () => {
    const [first] = guard({ notional: big('83000') }, last('10000', '10000', '10000', '10000', '10000'));
    expect(first?.message).toBe(
      '83,000.00 USD is 8.3 times the median of your last 5 trades, 10,000.00 USD.',
    );
  });
});

describe('a journal that may lack records', () => {
  const path = '/desk/journal.sqlite';
  const damaged = {
    kind: 'damaged',
    path,
    what: `${path} is damaged: a page is not what was written.`,
  } as const;
  const rewound = { kind: 'rewound', path, what: `${path} lacks record 7.` } as const;

  it.each(ACTIONS)('lets %s pass only when that makes the position smaller', (name) => {
    for (const [trouble, code] of [
      [damaged, 'damaged_file'],
      [rewound, 'journal_rewound'],
    ] as const) {
      const asked = () => found({ action: name }, journal([], { trouble }));
      if (name === 'open' || name === 'add') expect(asked).toThrow(expect.objectContaining({ code }));
      else expect(asked()).toEqual([`warn ${code}`]);
    }
  });

  it('is named, with what to do', () => {
    expect(() => guard({}, journal([], { trouble: damaged }))).toThrow(
      expect.objectContaining({
        message: `${damaged.what} Nothing was sent. Close still works; a reduce needs a person at a terminal.`,
        hint: hinting('hedge journal repair'),
      }),
    );
    expect(guard({ action: 'close' }, journal([], { trouble: rewound }))).toMatchObject([
      {
        message: expect.stringContaining(rewound.what),
        hint: hinting('hedge journal accept-loss --note TEXT'),
      },
    ]);
  });

  it('that is damaged needs a person for a reduce, and not for a close', () => {
    const state = journal([], { trouble: damaged });
    const script = { attended: false };
    expect(() => guard({ action: 'reduce' }, state, script)).toThrow(DamagedFileError);
    expect(() => guard({ action: 'reduce' }, state, script)).toThrow(/a reduce needs a person at a terminal/);
    expect(found({ action: 'close' }, state, script)).toEqual(['warn damaged_file']);
    expect(found({ action: 'reduce' }, journal([], { trouble: rewound }), script)).toEqual([
      'warn journal_rewound',
    ]);
  });

  it('is noticed when a question finds it', () => {
    let asked = false;
    const clean = journal([]);
    const late: JournalState = {
      ...clean,
      find(terms) {
        asked = true;
        return clean.find(terms);
      },
      get trouble() {
        return asked ? damaged : undefined;
      },
    };
    expect(() => guard({ dealId: 'PAY-1' }, late)).toThrow(DamagedFileError);
    asked = false;
    expect(found({ action: 'close', dealId: 'PAY-1' }, late)).toEqual(['warn damaged_file']);
  });

  it('shows its warning behind the stops', () => {
    const state = journal([action('7c1e', 'unknown', { action: 'close', side: 'buy' })], {
      trouble: damaged,
    });
    expect(found({ action: 'reduce' }, state).map((each) => each.split(' ')[0])).toEqual(['stop', 'warn']);
  });
});
