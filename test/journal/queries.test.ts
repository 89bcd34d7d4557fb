/** What the guards ask of the journal: who is meant, what a day opened, what would be dealt twice. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { redactArgv } from '../../src/domain/sanitize.ts';
import {
  identityText,
  isConfirmed,
  practiceIdentity,
  type Relation,
  recordedIdentity,
  relationOf,
  sameIdentity,
  serviceIdentity,
} from '../../src/journal/account-identity.ts';
import {
  type DealTerms,
  dealIdAttempt,
  duplicatesOf,
  findAction,
  findByDealId,
  findByKey,
  hedgesOpenedHere,
  inFlightOn,
  lastNotionals,
  openedOn,
  unresolvedOn,
  usedDealId,
} from '../../src/journal/queries.ts';
import type { IntentRecord, JournalRecord } from '../../src/journal/records.ts';
import { replayRecords } from '../../src/journal/replay.ts';
import {
  ACCEPTED,
  anIntent,
  at,
  DESK,
  DONE,
  FAILED,
  FILLED,
  idOf,
  NOON,
  NOT_SENT,
  NOTHING,
  REFUSED,
  SENDING,
  step,
  theTerms,
  UNKNOWN,
} from './records.ts';

type Parts = Parameters<typeof step>[0];
const SANDBOX = serviceIdentity('sandbox', { baseUrl: DESK.base_url, keyFingerprint: '1a2b3c4d' });

const fold = (records: readonly JournalRecord[], isRunning = false) =>
  replayRecords(records, () => isRunning).actions;
const dealt = (id: string, parts: Partial<IntentRecord>, ...steps: readonly Parts[]) => [
  anIntent({ action_id: idOf(id), ...parts }),
  ...steps.map((each) => step(each, id)),
];
const ids = (actions: readonly { shortId: string }[]) => actions.map(({ shortId }) => shortId);

describe('identities', () => {
  it.each([
    ['another environment', SANDBOX],
    [
      'another address',
      serviceIdentity('live', { baseUrl: 'https://x.test/v2', keyFingerprint: '1a2b3c4d' }),
    ],
    ['practice', practiceIdentity('b1')],
  ])('%s is another identity', (_what, other) => {
    expect(sameIdentity(DESK, other)).toBe(false);
    expect(identityText(DESK)).not.toBe(identityText(other));
    expect(sameIdentity(other, { ...other })).toBe(true);
  });

  const keyed = (
    keyFingerprint: string,
    account?: string,
    known: readonly (readonly [string, Relation])[] = [],
  ) => ({
    ...serviceIdentity('live', { baseUrl: DESK.base_url, keyFingerprint, account }),
    keys: new Map(known),
  });
  it.each<[string, ReturnType<typeof keyed>, ReturnType<typeof keyed>, Relation]>([
    ['one key', keyed('11111111'), keyed('11111111'), 'same'],
    ['one key under two labels', keyed('11111111', 'one'), keyed('11111111', 'two'), 'same'],
    ['two keys without labels', keyed('11111111'), keyed('22222222'), 'unclear'],
    ['two keys, of which one has a label', keyed('11111111'), keyed('22222222', 'one'), 'unclear'],
    ['two keys under one label', keyed('11111111', 'one'), keyed('22222222', 'one'), 'same'],
    ['two keys under two labels', keyed('11111111', 'one'), keyed('22222222', 'two'), 'other'],
    ['a key that was replaced', keyed('11111111'), keyed('22222222', 'one', [['11111111', 'same']]), 'same'],
    [
      "another profile's key, that profile labeled since",
      keyed('11111111'),
      keyed('22222222', 'one', [['11111111', 'other']]),
      'other',
    ],
  ])('of %s: what a record says of the present account', (_what, recorded, present, relation) => {
    expect(relationOf(recorded, present)).toBe(relation);
    expect(sameIdentity(recorded, present)).toBe(relation !== 'other');
    expect(isConfirmed(recorded, present)).toBe(relation === 'same');
  });

  it('of a record of format 1, which has no label, is matched by environment and address', () => {
    const recorded = anIntent().identity;
    expect(recorded).not.toHaveProperty('account', expect.anything());
    expect(sameIdentity(recorded, keyed('22222222', 'any'))).toBe(true);
  });

  it('is kept in a record without what is known of other keys', () => {
    expect(recordedIdentity(keyed('11111111', 'one', [['22222222', 'same']]))).toEqual({
      environment: 'live',
      base_url: DESK.base_url,
      account: 'one',
      key_fingerprint: '11111111',
    });
  });

  it('of two practice books are two', () => {
    expect(sameIdentity(practiceIdentity('b1'), practiceIdentity('b2'))).toBe(false);
    expect(identityText(practiceIdentity('b1'))).toBe('practice:b1');
  });
});

describe('an action that is named', () => {
  const actions = fold([
    anIntent({ action_id: idOf('7c1e') }),
    anIntent({ action_id: '7c1eaa1111111111' }),
    anIntent({ action_id: '7c1eaa2222222222' }),
  ]);
  it.each([
    ['7c1e', ['7c1e']],
    ['7C1E', ['7c1e']],
    ['7c1ea', ['7c1ea']],
    ['7c1eaa2', ['7c1eaa']],
    ['7c1eaa', ['7c1eaa']],
    ['7c1e0', ['7c1e']],
    [idOf('7c1e'), ['7c1e']],
    ['7c1', []],
    ['9999', []],
    ['PAY-1', []],
    ['', []],
    [`${idOf('7c1e')}0`, []],
  ])('%s is found by its beginning', (text, expected) => {
    const found = findAction(actions, text);
    expect(found.found === 'one' ? [found.action.shortId] : []).toEqual(expected);
  });

  it('is not guessed when two begin so', () => {
    const two = fold([
      anIntent({ action_id: '7c1e000011112222' }),
      ...[1, 2].map((n) => anIntent({ action_id: `aaaabbbb0000000${n.toString()}` })),
    ]);
    expect(findAction(two, 'aaaab')).toMatchObject({ found: 'one' });
    const found = findAction(two, 'aaaabb');
    expect(found.found === 'many' ? ids(found.actions) : found.found).toEqual(['aaaa', 'aaaab']);
  });

  it('by an idempotency key is the latest of its own identity', () => {
    const some = fold([
      ...dealt('aaaa', {}, NOT_SENT),
      ...dealt('bbbb', {}),
      ...dealt('cccc', { identity: SANDBOX }),
      ...dealt('dddd', { idempotency_key: 'k-2' }),
    ]);
    expect(findByKey(some, DESK, 'k-1')?.shortId).toBe('bbbb');
    expect(findByKey(some, SANDBOX, 'k-1')?.shortId).toBe('cccc');
    expect(findByKey(some, SANDBOX, 'k-2')).toBeUndefined();
  });
});

describe('a deal id', () => {
  const PAY = { deal_id: 'PAY-1' } as const;
  it.each<[string, readonly Parts[], boolean, number]>([
    ['accepted', [SENDING, ACCEPTED], true, 1],
    ['filled', [SENDING, ACCEPTED, FILLED], true, 1],
    ['unknown', [SENDING, UNKNOWN], true, 1],
    ['sent by a process that died', [SENDING], true, 1],
    ['only prepared by a process that died', [], false, 1],
    ['declined', [NOT_SENT], false, 1],
    ['settled as nothing', [SENDING, UNKNOWN, NOTHING], false, 1],
    ['settled as done', [SENDING, UNKNOWN, DONE], true, 1],
    ['refused', [SENDING, REFUSED], false, 2],
    ['failed', [SENDING, ACCEPTED, FAILED], false, 2],
    ['refused after an unclear attempt', [SENDING, UNKNOWN, REFUSED], true, 1],
  ])('of an open that was %s', (_what, steps, used, attempt) => {
    const actions = fold([...dealt('aaaa', PAY, ...steps), ...dealt('bbbb', { ...PAY, identity: SANDBOX })]);
    expect(usedDealId(actions, DESK, 'PAY-1') !== undefined).toBe(used);
    expect(dealIdAttempt(actions, DESK, 'PAY-1')).toBe(attempt);
    expect(ids(findByDealId(actions, DESK, 'PAY-1'))).toEqual(['aaaa']);
    expect(usedDealId(actions, DESK, 'PAY-2')).toBeUndefined();
  });

  it('is taken while another process is about to send it', () => {
    expect(usedDealId(fold(dealt('aaaa', PAY), true), DESK, 'PAY-1')?.shortId).toBe('aaaa');
  });
});

describe('totals', () => {
  const actions = fold([
    ...dealt('aaa1', { notional_usd: '0.1' }, SENDING, ACCEPTED),
    ...dealt('aaa2', { action: 'add', notional_usd: '0.2' }, SENDING, UNKNOWN),
    ...dealt('aaa3', { notional_usd: '1000' }, SENDING, REFUSED),
    ...dealt('aaa4', { notional_usd: '1000' }, SENDING, ACCEPTED, FAILED),
    ...dealt('aaa5', { action: 'reduce', notional_usd: '1000' }, SENDING, ACCEPTED),
    ...dealt('aaa6', { action: 'close' }, SENDING, ACCEPTED),
    ...dealt('aaa7', { notional_usd: '1000', identity: SANDBOX }, SENDING, ACCEPTED),
    ...dealt('aaa8', { notional_usd: '1000', at: '2026-11-19T23:59:59.999Z' }, SENDING, ACCEPTED),
    ...dealt('aaa9', { notional_usd: '5', at: '2026-11-20T23:59:59.999Z' }, SENDING, ACCEPTED, FILLED),
    ...dealt('aa10', { notional_usd: '1000', at: '2026-11-21T00:00:00.000Z' }, SENDING, ACCEPTED),
    ...dealt('aa11', { notional_usd: '1000' }, NOT_SENT),
  ]);
  it('of a UTC day add opens and adds that stand or may stand, exactly', () => {
    expect(openedOn(actions, DESK, '2026-11-20').toFixed()).toBe('5.3');
    expect(openedOn(actions, SANDBOX, '2026-11-20').toFixed()).toBe('1000');
    expect(openedOn([], DESK, '2026-11-20').toFixed()).toBe('0');
  });

  it('count what was filled in part as it was asked: the rest may still fill, and a limit must hold', () => {
    const facts = { notional_usd: '6000', filled_notional_usd: '6000' };
    const part = fold([anIntent(), step(SENDING), step(ACCEPTED), step({ ...FILLED, facts })]);
    expect(openedOn(part, DESK, '2026-11-20').toFixed()).toBe('10000');
  });

  it('count what another process is about to send', () => {
    expect(openedOn(fold([anIntent()], true), DESK, '2026-11-20').toFixed()).toBe('10000');
    expect(openedOn(fold([anIntent()], false), DESK, '2026-11-20').toFixed()).toBe('0');
  });

  it('of the last twenty come newest first', () => {
    expect(lastNotionals(actions, DESK).map((each) => each.toFixed())).toEqual([
      '1000',
      '5',
      '1000',
      '0.2',
      '0.1',
    ]);
    const many = fold(
      Array.from({ length: 25 }, (_, n) =>
        dealt((n + 4_096).toString(16), { notional_usd: (n + 1).toString() }, SENDING, ACCEPTED),
      ).flat(),
    );
    const last = lastNotionals(many, DESK).map((each) => each.toFixed());
    expect([last.length, last[0], last.at(-1)]).toEqual([20, '25', '6']);
  });
});

describe('a deal made twice', () => {
  it.each<[string, Partial<IntentRecord>, Partial<DealTerms>, readonly Parts[], boolean]>([
    ['the same terms', {}, {}, [SENDING, ACCEPTED], true],
    ['the same terms, unknown', {}, {}, [SENDING, UNKNOWN], true],
    ['the same terms, refused', {}, {}, [SENDING, REFUSED], false],
    ['the same terms, failed', {}, {}, [SENDING, ACCEPTED, FAILED], false],
    ['59.9 s ago', { at: at(-59.9) }, {}, [SENDING, ACCEPTED], true],
    ['60 s ago', { at: at(-60) }, {}, [SENDING, ACCEPTED], false],
    ['in the future of a clock set back', { at: at(3_600) }, {}, [SENDING, ACCEPTED], true],
    ['another side', {}, { side: 'sell' }, [SENDING, ACCEPTED], false],
    ['another market', {}, { market: 'USDTGHS' }, [SENDING, ACCEPTED], false],
    ['another notional', {}, { notional: new Big('10000.01') }, [SENDING, ACCEPTED], false],
    ['another tenor', {}, { tenorDays: 1 }, [SENDING, ACCEPTED], false],
    ['another identity', {}, { identity: SANDBOX }, [SENDING, ACCEPTED], false],
    ['another action', {}, { action: 'add', tenorDays: undefined }, [SENDING, ACCEPTED], false],
    ['another deal id', { deal_id: 'A' }, { dealId: 'B' }, [SENDING, ACCEPTED], false],
    ['the same deal id', { deal_id: 'A' }, { dealId: 'A' }, [SENDING, ACCEPTED], true],
    ['a deal id on one only', {}, { dealId: 'B' }, [SENDING, ACCEPTED], true],
    [
      'a close twice',
      { action: 'close' },
      { action: 'close', notional: undefined, tenorDays: undefined },
      [SENDING, ACCEPTED],
      true,
    ],
  ])('is told from another deal: %s', (_what, intent, terms, steps, isDuplicate) => {
    const actions = fold(dealt('aaaa', intent, ...steps));
    expect(duplicatesOf(actions, theTerms(terms), NOON).length).toBe(isDuplicate ? 1 : 0);
  });
});

describe('a side', () => {
  it('has what is unresolved and what is in flight on it, and nothing of another', () => {
    const steps: readonly (readonly [string, Partial<IntentRecord>, ...Parts[]])[] = [
      ['aaa1', {}, SENDING, UNKNOWN],
      ['aaa2', {}, SENDING],
      ['aaa3', { side: 'sell' }, SENDING, UNKNOWN],
      ['aaa4', { market: 'USDTGHS' }, SENDING, UNKNOWN],
      ['aaa5', { identity: SANDBOX }, SENDING, UNKNOWN],
      ['aaa6', {}, SENDING, ACCEPTED],
      ['aaa7', {}, SENDING, ACCEPTED, FILLED],
      ['aaa8', { side: 'sell' }, SENDING, ACCEPTED],
      ['aaa9', {}],
    ];
    const records = steps.flatMap(([id, intent, ...rest]) => dealt(id, intent, ...rest));
    expect(ids(unresolvedOn(fold(records), theTerms()))).toEqual(['aaa1', 'aaa2']);
    expect(ids(inFlightOn(fold(records), theTerms()))).toEqual(['aaa6']);
    expect(ids(unresolvedOn(fold(records, true), theTerms()))).toEqual(['aaa1']);
    expect(ids(inFlightOn(fold(records, true), theTerms()))).toEqual(['aaa2', 'aaa6', 'aaa9']);
    expect([...hedgesOpenedHere(fold(records), DESK)]).toEqual(['hdg_1']);
    expect([...hedgesOpenedHere(fold(records), SANDBOX)]).toEqual([]);
  });
});

describe('a command line in the journal', () => {
  it('holds no key, wherever in a word it stands', () => {
    const argv = ['open', 'hk_live_0123456789abcdef', '--deal-id=hk_test_0123456789abcdef', 'PAY-1'];
    expect(redactArgv(argv)).toEqual(['open', 'hk_live_…', '--deal-id=hk_test_…', 'PAY-1']);
  });
});
