import { join } from 'node:path';
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { ResumeIntent } from '../../../src/args/action-options.ts';
import { decimalFrom } from '../../../src/client/json.ts';
import { hintText } from '../../../src/domain/hint.ts';
import { InterruptedError, OutcomeUnknownError, StoppedError } from '../../../src/errors.ts';
import type { Action } from '../../../src/journal/replay.ts';
import { hostOf } from '../../../src/platform/host.ts';
import { executeAction } from '../../../src/trading/execute.ts';
import { resumeOpenAction } from '../../../src/trading/recover/resume-action.ts';
import type { TradingContext } from '../../../src/trading/trading-context.ts';
import { HALT, idOf, NOT_SENT, NOTHING, recordsOf, SENDING, step, UNKNOWN } from '../../journal/records.ts';
import { frontOf, servedAt } from '../../support/front.ts';
import { hinting } from '../../support/hints.ts';
import { temporaryFolder } from '../../support/own-folder.ts';
import { damageJournal, writeJournal } from '../../support/written-journal.ts';
import { intent } from '../facts.ts';
import { oneClock } from '../read-context.ts';
import { type DealingDesk, dealingDesk } from '../trading-context.ts';

const ASKED: ResumeIntent = {
  word: undefined,
  yes: false,
  resend: false,
  dryRun: false,
  wait: true,
  timeoutMs: 60_000,
};
const OPEN = 'open USDTNGN buy 10k';
const ON = { market: 'USDTNGN', side: 'buy' };

const resumed = (desk: DealingDesk, how: Partial<ResumeIntent> = {}, parts: Partial<TradingContext> = {}) =>
  resumeOpenAction({ ...ASKED, ...how }, desk.tradingContext(parts));

/** However it is resumed, it is stopped over what the position shows; what can be typed instead, of each. */
async function hintsOfStops(desk: DealingDesk, lost: Action, message: RegExp): Promise<readonly string[]> {
  const hints: string[] = [];
  for (const [how, parts] of [
    [{}, {}],
    [{ yes: true, resend: true }, { attended: false }],
    [{ dryRun: true }, { attended: false }],
  ] as const) {
    const report = await resumed(desk, { word: lost.shortId, ...how }, parts);
    expect(report).toMatchObject({
      outcome: 'unknown',
      finding: {
        code: 'book_changed',
        effect: 'unknown',
        retry: 'after_check',
        what: expect.stringMatching(message),
        hint: hinting(`hedge journal resolve ${lost.shortId} --as not-executed`),
      },
    });
    hints.push(hintText(report?.finding?.hint));
  }
  return hints;
}

/** 10,000 bought and filled, then the line with every answer lost. */
async function lostOver(
  when: 'before' | 'after',
  line: string,
): Promise<{ desk: DealingDesk; lost: Action }> {
  const desk = await dealingDesk();
  if (line !== OPEN) await desk.now(OPEN);
  return { desk, lost: await desk.lost(when, line) };
}

const now = (desk: DealingDesk): string => new Date(desk.practice.clock.now()).toISOString();

/** Requests that arrived under the key of this action. */
const sendsOf = (desk: DealingDesk, { intent: { idempotency_key: key } }: Action): number =>
  desk.keys().filter((each) => each === key).length;

async function openOn(desk: DealingDesk): Promise<string> {
  const { data } = await desk.readContext.api.positions();
  return decimalFrom(data[0]?.notional_usd)?.toFixed() ?? '0';
}

describe('resuming an action without a response', () => {
  it.each([
    [OPEN, 'filled', '10000'],
    ['add USDTNGN buy 2000', 'changed', '12000'],
    ['reduce USDTNGN buy 4000', 'changed', '6000'],
    ['close USDTNGN buy', 'closed', '0'],
  ])(
    '%s, which never arrived: shown, asked, sent again under its key, done once',
    async (line, outcome, open) => {
      const { desk, lost } = await lostOver('before', line);
      const before = sendsOf(desk, lost);
      const report = await resumed(desk);
      expect(report).toMatchObject({ outcome, effect: 'done', finding: undefined });
      expect(sendsOf(desk, lost)).toBe(before + 1);
      expect(await openOn(desk)).toBe(open);
      expect(desk.again(lost)).toMatchObject({ state: 'done', attempts: 2 });
      expect(desk.shown.at(-1)?.plan.totalBefore).toBeUndefined();
    },
  );

  it.each([
    ['add USDTNGN buy 2000', 'changed', '12000'],
    ['reduce USDTNGN buy 4000', 'changed', '6000'],
    ['close USDTNGN buy', 'closed', '0'],
  ])(
    '%s, which was done: the service answers the key with that, and nothing is done twice',
    async (line, outcome, open) => {
      const { desk, lost } = await lostOver('after', line);
      desk.practice.clock.pass(5_000);
      expect(await resumed(desk)).toMatchObject({ outcome, finding: undefined });
      expect(await openOn(desk)).toBe(open);
      expect(desk.again(lost).state).toBe('done');
      expect(desk.shown.at(-1)?.warnings[0]?.message).toContain('changed exactly as requested');
      expect(desk.shown.at(-1)?.plan.totalBefore?.toFixed()).toBe('10000');
    },
  );

  it.each([
    ['by', { by: '40%' }, 'in_flight'],
    ['to', { to: '12000' }, 'in_flight'],
    ['as a size in USD', undefined, undefined],
  ] as const)(
    'a reduction given %s, before a maturity: one whose size was computed is not sent again',
    async (_, size, code) => {
      const desk = await dealingDesk();
      await desk.now(OPEN, { tenor: '1' });
      desk.practice.clock.pass(23.5 * 3_600_000);
      await desk.now(OPEN, { tenor: '3' });
      desk.practice.clock.pass(1_000);
      const lost = await desk.lost('before', `reduce USDTNGN buy${size ? '' : ' 8000'}`, size);
      desk.practice.clock.pass(30 * 60_000 - 20_000);
      const before = sendsOf(desk, lost);
      const finding = (await resumed(desk, { word: lost.shortId, wait: false }))?.finding;
      expect(finding?.code).toBe(code);
      if (finding !== undefined)
        expect([finding.effect, hintText(finding.hint)]).toEqual([
          'unknown',
          expect.stringContaining('Try again after'),
        ]);
      expect(sendsOf(desk, lost) - before).toBe(code === undefined ? 1 : 0);
    },
  );

  it('an open that is filled at another quote than the recorded one has no slippage', async () => {
    const { desk, lost } = await lostOver('before', OPEN);
    const report = await resumed(desk);
    expect(report).toMatchObject({ outcome: 'filled', entry: { id: lost.id, attempts: 2 } });
    expect(report?.derived).toMatchObject({
      struck_rate: expect.anything(),
      filled_notional_usd: expect.anything(),
    });
    expect(report?.derived).not.toHaveProperty('slippage_bps');
    expect((await desk.now('open USDTNGN sell 1000')).derived).toHaveProperty('slippage_bps');
  });

  it('an open that is on the book is awaited, and not sent again', async () => {
    const { desk, lost } = await lostOver('after', OPEN);
    const before = sendsOf(desk, lost);
    expect(await resumed(desk)).toMatchObject({ outcome: 'filled', finding: undefined });
    expect(sendsOf(desk, lost)).toBe(before);
    expect(desk.shown.filter(({ warnings }) => warnings.some(({ code }) => code === 'unresolved'))).toEqual(
      [],
    );
  });

  it('an open that is on the book is reported as accepted with --no-wait', async () => {
    const { desk } = await lostOver('after', OPEN);
    expect(await resumed(desk, { wait: false })).toMatchObject({ outcome: 'submitted', finding: undefined });
  });
});

describe('what keeps it from being sent again', () => {
  const ADD = 'add USDTNGN buy 2000';
  const limited = (most: number): Partial<TradingContext> => ({
    limits: () => ({
      maxNotional: new Big(most),
      maxDailyNotional: undefined,
      readOnly: false,
      markets: undefined,
    }),
  });

  it.each<[string, string, Partial<ResumeIntent>, Partial<TradingContext>]>([
    ['declined', 'a no', {}, { confirm: async () => false }],
    ['limit_exceeded', 'a limit of the profile', { yes: true }, limited(1_000)],
  ])('%s: %s, and it is still unknown', async (code, _what, how, parts) => {
    const { desk, lost } = await lostOver('before', ADD);
    const sent = desk.keys().length;
    const report = await resumed(desk, how, parts);
    expect(report?.finding).toBeInstanceOf(StoppedError);
    expect(report).toMatchObject({
      outcome: 'unknown',
      finding: { code, effect: 'unknown', retry: 'after_check' },
    });
    expect(report?.finding?.meaning).toContain('still unknown');
    expect(desk.keys()).toHaveLength(sent);
    expect(desk.again(lost)).toEqual(lost);
  });

  it('a side that is flat by now: there is nothing to add to, and no line is named that could not work', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    await desk.colleague('/hedges/close', ON);
    desk.practice.clock.pass(5_000);
    const sent = desk.keys().length;
    const report = await resumed(desk, { yes: true, resend: true });
    expect(report).toMatchObject({
      outcome: 'unknown',
      finding: { code: 'no_open_hedge', effect: 'unknown', what: 'Nothing is open on USDTNGN buy.' },
    });
    expect(hintText(report?.finding?.hint).match(/^hedge .*TEXT/gm)).toEqual([
      `hedge journal resolve ${lost.shortId} --as not-executed --reason TEXT`,
      `hedge journal resolve ${lost.shortId} --as executed --reason TEXT`,
    ]);
    const typed = await desk.now(ADD, { idempotencyKey: lost.intent.idempotency_key, anyPrice: true });
    expect(typed).toMatchObject({ entry: { id: lost.id }, finding: { code: 'no_open_hedge' } });
    expect(desk.keys()).toHaveLength(sent);
  });

  it('a halt keeps an add, which is still unknown, and no close', async () => {
    const { desk: adding } = await lostOver('before', ADD);
    await adding.readContext.journal.append([{ ...HALT, at: now(adding) }]);
    const sent = adding.keys().length;
    expect(await resumed(adding, { yes: true })).toMatchObject({
      outcome: 'unknown',
      finding: { code: 'halted', effect: 'unknown' },
    });
    expect(adding.keys()).toHaveLength(sent);
    const { desk } = await lostOver('before', 'close USDTNGN buy');
    await desk.readContext.journal.append([{ ...HALT, at: now(desk) }]);
    expect(await resumed(desk)).toMatchObject({ outcome: 'closed' });
  });

  it('the bound on its price, though the line does not name it any more', async () => {
    const desk = await dealingDesk();
    const lost = await desk.lost('before', OPEN, { worstPrice: '1531' });
    const tight = { ...lost.intent, bounds: { worst_price: '1530.5' } };
    await desk.readContext.journal.append([
      { ...tight, action_id: 'beef000000000000', idempotency_key: 'k-2' },
    ]);
    await desk.readContext.journal.append([step({ kind: 'unknown', why: 'reset' }, 'beef', -10_790)]);
    const report = await resumed(desk, { word: 'beef', yes: true });
    expect(report).toMatchObject({ outcome: 'unknown', finding: { code: 'worse_price' } });
    expect(desk.keys()).not.toContain('k-2');
  });

  it('the age of its key: after an hour it might be done twice', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    desk.practice.clock.pass(61 * 60_000);
    const sent = desk.keys().length;
    const report = await resumed(desk, { yes: true });
    expect(report).toMatchObject({ outcome: 'unknown', finding: { code: 'key_expired', effect: 'unknown' } });
    expect(hintText(report?.finding?.hint)).toContain(`hedge journal resolve ${lost.shortId} --as executed`);
    expect(desk.keys()).toHaveLength(sent);
  });

  it('the age of its key by the time the person has answered', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const sent = desk.keys().length;
    const confirm = async () => {
      desk.practice.clock.pass(61 * 60_000);
      return true;
    };
    const report = await resumed(desk, {}, { confirm });
    expect(report).toMatchObject({ outcome: 'unknown', finding: { code: 'key_expired', effect: 'unknown' } });
    expect(desk.keys()).toHaveLength(sent);
    expect(desk.again(lost)).toEqual(lost);
  });

  it('an age that is unknown, since the clock was set back', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const sent = desk.keys().length;
    const { clock } = desk.readContext;
    const setBack = { ...clock, now: () => clock.now() - 3 * 60 * 60_000 };
    const report = await resumed(desk, { yes: true }, { clock: setBack });
    expect(report).toMatchObject({ outcome: 'unknown', finding: { code: 'key_expired', effect: 'unknown' } });
    expect(desk.keys()).toHaveLength(sent);
    expect(desk.again(lost)).toEqual(lost);
  });

  it('a running process that is sending it again already', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const sent = desk.keys().length;
    const writer = hostOf(process).self;
    const report = await resumed(
      desk,
      {},
      {
        async confirm() {
          const { journal, clock } = desk.readContext;
          const at = new Date(clock.now()).toISOString();
          await journal.append([{ ...step({ ...SENDING, attempt: 2 }, lost.id, 1, writer), at }]);
          return true;
        },
      },
    );
    expect(report).toMatchObject({ outcome: 'pending', finding: { code: 'pending' } });
    expect(desk.keys()).toHaveLength(sent);
  });

  it('the deal ID that a colleague has used since, where the request was never sent', async () => {
    const { desk, lost } = await lostOver('before', OPEN);
    const never = {
      ...lost.intent,
      action_id: 'beef000000000000',
      idempotency_key: 'k-2',
      deal_id: 'PAY-9',
      client_reference: 'PAY-9',
    };
    await desk.readContext.journal.append([step(NOTHING, lost.id), never, step(NOT_SENT, 'beef')]);
    desk.practice.clock.pass(7 * 60_000);
    await desk.colleague('/hedges', {
      ...ON,
      notional_usd: 10_000,
      tenor_days: 3,
      client_reference: 'PAY-9',
    });
    const report = await resumed(desk, { word: 'beef', yes: true });
    expect(report).toMatchObject({ outcome: 'not_sent', finding: { code: 'deal_id_used', effect: 'none' } });
    expect(desk.keys()).not.toContain('k-2');
  });

  it.each([{ tenor_days: 7 }, { notional_usd: 12_000 }])(
    'a hedge with %j that a colleague opens under its deal ID while the operator is asked',
    async (terms) => {
      const desk = await dealingDesk();
      const lost = await desk.lost('before', OPEN, { dealId: 'PAY-9' });
      const before = sendsOf(desk, lost);
      const body = { ...ON, notional_usd: 10_000, tenor_days: 3, client_reference: 'PAY-9', ...terms };
      const confirm = async () => {
        await desk.colleague('/hedges', body);
        desk.practice.clock.pass(5_000);
        return true;
      };
      const report = await resumed(desk, {}, { confirm });
      expect(report).toMatchObject({
        outcome: 'unknown',
        finding: { code: 'deal_id_used', effect: 'unknown', what: expect.stringContaining('hdg_') },
      });
      expect(sendsOf(desk, lost)).toBe(before);
    },
  );

  it('a hedge exactly as requested under its deal ID that is listed while the operator is asked: it is looked up', async () => {
    const desk = await dealingDesk();
    const lost = await desk.lost('before', OPEN, { dealId: 'PAY-9' });
    const before = sendsOf(desk, lost);
    const confirm = async () => {
      const body = { ...ON, notional_usd: 10_000, tenor_days: 3, client_reference: 'PAY-9' };
      await desk.colleague('/hedges', body);
      desk.practice.clock.pass(5_000);
      return true;
    };
    const report = await resumed(desk, {}, { confirm });
    expect(report).toMatchObject({ outcome: 'filled', entry: { provisionalUntil: expect.any(String) } });
    expect(sendsOf(desk, lost)).toBe(before);
  });

  it('the age of one that never left: it is to be sent as a new action', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const never = { ...lost.intent, action_id: 'beef000000000000', idempotency_key: 'k-2' };
    await desk.readContext.journal.append([never, step(NOT_SENT, 'beef')]);
    desk.practice.clock.pass(61 * 60_000);
    const report = await resumed(desk, { word: 'beef', yes: true });
    expect(report).toMatchObject({ outcome: 'not_sent', finding: { code: 'key_expired', effect: 'none' } });
    expect(desk.keys()).not.toContain('k-2');
  });

  it('a clock that was set back: what is old may look young', async () => {
    const { desk, lost } = await lostOver('before', OPEN);
    desk.practice.clock.pass(62 * 60_000);
    await desk.readContext.journal.append([
      { ...lost.intent, action_id: 'beef000000000000', idempotency_key: 'k-2', side: 'sell', at: now(desk) },
    ]);
    desk.practice.clock.pass(-10 * 60_000);
    const report = await resumed(desk, { word: lost.shortId, yes: true });
    expect(report).toMatchObject({ outcome: 'unknown', finding: { code: 'key_expired', effect: 'unknown' } });
    expect(report?.finding?.what).toMatch(/an unclear time: the clock/);
    expect(sendsOf(desk, lost)).toBe(3);
  });

  describe('by a service whose clock tells the time', () => {
    /** Milliseconds by which the clocks are off the true time. */
    async function clocks(): Promise<{ desk: DealingDesk; off: { here: number; there: number } }> {
      const off = { here: 0, there: 0 };
      const desk = await dealingDesk(undefined, {
        clockOf: (practice) => ({ ...oneClock(practice), now: () => practice.clock.now() + off.here }),
        async wayTo(practice) {
          const way = (): never => expect.fail('no program is led there');
          const front = await frontOf({ desk: practice, way }, temporaryFolder());
          front.meddle(async (_, pass) => servedAt(practice.clock.now() + off.there, await pass()));
          return front;
        },
      });
      await desk.now(OPEN);
      return { desk, off };
    }
    const MINUTE = 60_000;

    it.each([
      ['set back by ten minutes', 65, -10],
      ['set back by as much as passed', 65, -65],
      ['set forward by ten minutes, though the key may live', 20, 10],
    ])('the age of its key, where the clock here was %s', async (_, passed, set) => {
      const { desk, off } = await clocks();
      const lost = await desk.lost('before', ADD);
      expect(lost.intent.before).toMatchObject({
        answered_at: expect.any(String),
        served_at: expect.any(String),
      });
      desk.practice.clock.pass(passed * MINUTE);
      off.here = set * MINUTE;
      const sent = desk.keys().length;
      const report = await resumed(desk, { yes: true, resend: true });
      expect(report).toMatchObject({
        outcome: 'unknown',
        finding: { code: 'key_expired', effect: 'unknown' },
      });
      expect(report?.finding?.what).toMatch(/sent at an unclear time: the clock/);
      expect(desk.keys()).toHaveLength(sent);
      expect(desk.again(lost)).toEqual(lost);
    });

    it('nothing, where that clock is two days off all the time and no hour has passed', async () => {
      const { desk, off } = await clocks();
      off.there = 2 * 24 * 60 * MINUTE;
      const lost = await desk.lost('before', ADD);
      desk.practice.clock.pass(50 * MINUTE);
      expect(await resumed(desk, { yes: true })).toMatchObject({
        outcome: 'changed',
        entry: { id: lost.id },
      });
      expect(await openOn(desk)).toBe('12000');
    });

    it('the end of its hour, which comes while the rate limit is waited for', async () => {
      const { desk } = await clocks();
      const lost = await desk.lost('before', ADD);
      desk.practice.clock.pass(60 * MINUTE - 5_000);
      const { clock } = desk.readContext;
      const sent = desk.keys().length;
      await desk.practice.service.admin.setFaults({ rate_limited: 1, only: 'actions' });
      const report = await resumed(desk, { yes: true }, { clock });
      expect(report).toMatchObject({ outcome: 'unknown', entry: { id: lost.id } });
      expect(report?.finding?.what).toContain('It was not resent');
      expect(desk.keys().length - sent).toBeLessThan(8);
    });
  });

  it('no terminal, where the request was never sent and nobody has agreed to send it again', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const never = { ...lost.intent, action_id: 'beef000000000000', idempotency_key: 'k-2' };
    await desk.readContext.journal.append([step(NOTHING, lost.id), never, step(NOT_SENT, 'beef')]);
    desk.practice.clock.pass(7 * 60_000);
    const script = { attended: false };
    const report = await resumed(desk, { word: 'beef', yes: true }, script);
    expect(report).toMatchObject({ outcome: 'not_sent', finding: { code: 'not_sent', effect: 'none' } });
    expect(hintText(report?.finding?.hint)).toContain('--yes --resend');
    const live = { ...script, environment: 'live', expected: 'live' } as const;
    expect(await resumed(desk, { word: 'beef', yes: true, resend: true }, live)).toMatchObject({
      outcome: 'not_sent',
      finding: { hint: hinting('to confirm the price') },
    });
    expect(desk.keys()).not.toContain('k-2');
    expect(await resumed(desk, { word: 'beef', yes: true, resend: true }, script)).toMatchObject({
      outcome: 'changed',
    });
    expect(desk.keys()).toContain('k-2');
  });

  it('what another process made of it while the person was asked', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const sent = desk.keys().length;
    const report = await resumed(
      desk,
      {},
      {
        async confirm() {
          await desk.readContext.journal.append([step(NOTHING, lost.id)]);
          return true;
        },
      },
    );
    expect(report).toMatchObject({ outcome: 'not_sent', finding: { code: 'settled' } });
    expect(desk.keys()).toHaveLength(sent);
  });

  it('no terminal: it looks, and leaves the sending to --resend', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const sent = desk.keys().length;
    const unattended = { attended: false };
    for (const how of [{}, { yes: true }]) {
      const report = await resumed(desk, how, unattended);
      expect(report?.finding).toBeInstanceOf(OutcomeUnknownError);
      const hint = hintText(report?.finding?.hint);
      expect(hint).toContain(`hedge resume ${lost.shortId} --yes --resend`);
      expect(hint.split('hedge resume')).toHaveLength(2);
    }
    expect(desk.keys()).toHaveLength(sent);
    await expect(resumed(desk, { resend: true }, unattended)).rejects.toMatchObject({ code: 'usage' });
    expect(await resumed(desk, { yes: true, resend: true }, unattended)).toMatchObject({
      outcome: 'changed',
    });
  });

  it('with real money and no terminal: a promise of the environment, and a bound on the price', async () => {
    const { desk } = await lostOver('before', ADD);
    const live: Partial<TradingContext> = { attended: false, environment: 'live' };
    const how = { yes: true, resend: true };
    await expect(resumed(desk, how, live)).rejects.toMatchObject({
      code: 'usage',
      hint: ['Pass: --expect-env live'],
    });
    const sent = desk.keys().length;
    const report = await resumed(desk, how, { ...live, expected: 'live' });
    expect(report).toMatchObject({ outcome: 'unknown' });
    expect(hintText(report?.finding?.hint)).toContain('Resume it at a terminal');
    expect(desk.keys()).toHaveLength(sent);
  });

  it('with real money and no terminal: all of what is missing, said at once', async () => {
    const live: Partial<TradingContext> = { attended: false, environment: 'live' };
    const unbound = await lostOver('before', ADD);
    expect(hintText((await resumed(unbound.desk, {}, live))?.finding?.hint)).toContain(
      'Resume it at a terminal',
    );
    const smaller = await lostOver('before', 'reduce USDTNGN buy 1k');
    for (const context of [live, { ...live, expected: 'live' as const }])
      expect(hintText((await resumed(smaller.desk, {}, context))?.finding?.hint)).toMatch(
        /^Not a terminal\.\nhedge resume \w+ --yes --resend --expect-env live +send it again$/m,
      );
  });

  it('a book that is not clear, where --yes leaves nobody to look at it', async () => {
    const { desk } = await lostOver('before', ADD);
    await desk.colleague('/hedges/add', { ...ON, notional_usd: 500 });
    desk.practice.clock.pass(5_000);
    const sent = desk.keys().length;
    const left = await resumed(desk, { yes: true });
    expect(hintText(left?.finding?.hint)).toContain('Leave out --yes to confirm, or add --resend');
    expect(desk.keys()).toHaveLength(sent);
    // What a colleague did meanwhile is on the side too, so that ours is not called seen.
    expect(await resumed(desk)).toMatchObject({
      outcome: 'unknown',
      entry: { outcome: { kind: 'not_told' } },
    });
    expect(desk.shown.at(-1)?.warnings[0]?.message).toContain('10,000.00 USD -> 10,500.00 USD');
  });

  it('--dry-run shows the plan, asks nobody and sends nothing', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const sent = desk.keys().length;
    const report = await resumed(desk, { dryRun: true }, { attended: false, confirm: async () => false });
    expect(report).toMatchObject({ outcome: 'planned', plan: { action: 'add' } });
    expect(desk.keys()).toHaveLength(sent);
    expect(desk.again(lost)).toEqual(lost);
  });
});

describe('what becomes of it when it is sent again', () => {
  it('asks again when the book changed while the person was asked', async () => {
    const { desk } = await lostOver('before', 'reduce USDTNGN buy 4000');
    let asked = 0;
    const changes: (string | undefined)[] = [];
    const report = await resumed(
      desk,
      {},
      {
        async confirm({ changed }) {
          asked += 1;
          changes.push(changed);
          if (asked === 1) {
            await desk.colleague('/hedges/add', { ...ON, notional_usd: 500 });
            desk.practice.clock.pass(5_000);
          }
          return true;
        },
      },
    );
    expect(changes).toEqual([undefined, 'USDTNGN buy changed from 10,000.00 USD to 10,500.00 USD']);
    expect(report).toMatchObject({ outcome: 'unknown', entry: { outcome: { kind: 'not_told' } } });
  });

  it.each([
    ['add USDTNGN buy 5000', 0],
    ['add USDTNGN buy 5000', 60_000],
    ['reduce USDTNGN buy 5000', 0],
  ])(
    "%s, accepted amid a colleague's change, stops the next one after a resume too",
    async (line, laterMs) => {
      const desk = await dealingDesk();
      await desk.now(OPEN);
      const { entry } = await desk.now(line, { wait: false });
      await desk.colleague('/hedges/add', { ...ON, notional_usd: 2_000 });
      desk.practice.clock.pass(5_000 + laterMs);
      const first = await resumed(desk);
      expect(first).toMatchObject({ outcome: 'unknown', entry: { outcome: { kind: 'not_told' } } });
      for (const again of [1, 2]) {
        const report = await resumed(desk, { yes: true, resend: true });
        expect([again, report?.outcome, report?.entry?.state]).toEqual([again, 'unknown', 'unknown']);
        expect(sendsOf(desk, first?.entry ?? expect.fail('no action'))).toBe(1 + again);
        await expect(desk.now('add USDTNGN buy 3000', { dryRun: true })).rejects.toMatchObject({
          code: 'unresolved',
          what: expect.stringContaining(entry?.shortId ?? '-'),
        });
      }
      expect(await resumed(desk, { wait: false, yes: true, resend: true })).toMatchObject({
        outcome: 'submitted',
        entry: { state: 'accepted', outcome: undefined },
      });
    },
  );

  it('a refusal says nothing of the sending before it, where looking cannot', async () => {
    const { desk, lost } = await lostOver('before', 'close USDTNGN buy');
    await desk.colleague('/hedges/close', ON);
    desk.practice.clock.pass(5_000);
    const report = await resumed(desk, { yes: true });
    expect(report).toMatchObject({ outcome: 'unknown', finding: { code: 'outcome_unknown' } });
    expect(desk.again(lost)).toMatchObject({ state: 'unknown', refusal: { code: 'no_open_hedge' } });
  });

  it('a refusal of an open says nothing of the send before it, until that can arrive no more', async () => {
    const { desk, lost } = await lostOver('before', OPEN);
    const taken = await resumed(
      desk,
      { yes: true },
      {
        async confirm() {
          await desk.practice.service.admin.setFaults({ disabled_markets: ['USDTNGN'] });
          return true;
        },
      },
    );
    expect(taken).toMatchObject({ outcome: 'unknown', effect: 'unknown' });
    expect(taken?.finding?.what).toContain('Rejected now, but an earlier attempt may still arrive until');
    expect(desk.again(lost)).toMatchObject({ state: 'unknown', refusal: { code: 'market_disabled' } });
    desk.practice.clock.pass(5 * 60_000);
    expect(await resumed(desk, { word: lost.shortId })).toMatchObject({
      outcome: 'refused',
      effect: 'none',
      finding: { code: 'market_disabled' },
    });
    expect(desk.again(lost)).toMatchObject({ state: 'refused', unclear: false });
  });

  it('lost once more, it is as unknown as before', async () => {
    const { desk, lost } = await lostOver('before', 'add USDTNGN buy 2000');
    await desk.practice.service.admin.setFaults({ lost_before: 1, only: 'actions' });
    expect(await resumed(desk)).toMatchObject({ outcome: 'unknown', finding: { code: 'outcome_unknown' } });
    expect(desk.again(lost)).toMatchObject({ state: 'unknown', attempts: 2 });
  });

  it('that cannot be looked at is as unknown as before, and not a matter of an unwell service alone', async () => {
    const { desk, lost } = await lostOver('before', OPEN);
    await desk.practice.service.admin.setFaults({ fail_before: 1, only: 'readings' });
    const report = await resumed(desk);
    expect(report).toMatchObject({
      outcome: 'unknown',
      entry: { id: lost.id },
      finding: { code: 'outcome_unknown', effect: 'unknown' },
    });
    expect(report?.finding?.what).toContain('lookup failed');
  });

  it.each([
    ['a no', async () => false],
    [
      'Ctrl-C',
      () => Promise.reject(new InterruptedError('SIGINT', { what: 'Stopped.', meaning: 'Nothing.' })),
    ],
  ])(
    'answered with %s it says that nothing was sent now, and that it is still unknown',
    async (_, confirm) => {
      const { desk, lost } = await lostOver('before', OPEN);
      const asked: (string | undefined)[] = [];
      const report = await resumed(
        desk,
        {},
        {
          confirm: (preview) => {
            asked.push(preview.again);
            return confirm();
          },
        },
      );
      expect(asked).toEqual(['sent']);
      expect(report?.finding?.meaning).toMatch(
        new RegExp(`^Nothing was sent now\\. .* action ${lost.shortId} is still unknown`),
      );
      expect(report?.finding?.effect).toBe('unknown');
    },
  );

  it('stopped by Ctrl-C while it looks, it is said to be unknown still', async () => {
    const { desk } = await lostOver('before', OPEN);
    const sent = desk.keys().length;
    desk.stop(new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' }));
    expect(await resumed(desk)).toMatchObject({
      outcome: 'unknown',
      finding: { code: 'interrupted', effect: 'unknown' },
    });
    expect(desk.keys()).toHaveLength(sent);
  });

  it('over a journal that cannot be read whole it is not sent again, and as unknown as before', async () => {
    const { desk, lost } = await lostOver('before', OPEN);
    const home = join(desk.readContext.journal.path, '../..');
    writeJournal(home, recordsOf('beef', { at: now(desk) }, SENDING, UNKNOWN));
    damageJournal(home, (record) => record.includes(idOf('beef')));
    const sent = desk.keys().length;
    expect(await resumed(desk)).toMatchObject({
      outcome: 'unknown',
      entry: { id: lost.id },
      finding: { code: 'damaged_file', effect: 'unknown', meaning: expect.stringContaining('still unknown') },
    });
    expect(desk.keys()).toHaveLength(sent);
  });

  it('the same line under its key goes on with it as resume would', async () => {
    const desk = await dealingDesk();
    const line = { idempotencyKey: 'k-77', yes: true };
    const lost = await desk.lost('before', OPEN, line);
    const report = await executeAction(intent(OPEN, line), desk.tradingContext({ attended: false }));
    expect(report).toMatchObject({ outcome: 'filled', entry: { id: lost.id, attempts: 2 } });
    expect(desk.readContext.journal.read().count).toBe(1);
  });
});

describe('a close that is to be sent again', () => {
  const CLOSE = 'close USDTNGN buy';
  const opened = { ...ON, notional_usd: 4_000, tenor_days: 3, client_reference: 'W-1' };

  /** The close never arrived; `since` happened, and all of it has landed. */
  async function lostBefore(since: (desk: DealingDesk) => Promise<unknown>) {
    const { desk, lost } = await lostOver('before', CLOSE);
    await since(desk);
    desk.practice.clock.pass(5_000);
    return { desk, lost, open: await openOn(desk), sent: desk.keys().length };
  }
  const closedByUs = (desk: DealingDesk) => desk.now(CLOSE);
  const closedByThem = async (desk: DealingDesk) => {
    await desk.colleague('/hedges/close', ON);
    desk.practice.clock.pass(5_000);
  };

  it.each<[string, (desk: DealingDesk) => Promise<unknown>, RegExp]>([
    [
      'another close of ours took what it was for, and a new hedge stands there',
      async (desk) => {
        await closedByUs(desk);
        const [unknown] = desk.readContext.journal.read().current.filter(({ state }) => state === 'unknown');
        await desk.now('open USDTNGN buy 4000', { dealId: 'W-1', despite: unknown?.shortId });
      },
      /USDTNGN buy has changed since action \w+: hdg_\w+ "W-1" 4,000\.00 USD\./,
    ],
    [
      'a colleague closed the hedge it was for and opened another',
      async (desk) => {
        await closedByThem(desk);
        await desk.colleague('/hedges', opened);
      },
      /hdg_\w+ "W-1" 4,000\.00 USD\./,
    ],
    [
      'what it was for stands, and another hedge beside it',
      (desk) => desk.colleague('/hedges', opened),
      /hdg_\w+ "W-1" 4,000\.00 USD\./,
    ],
    [
      'what it was for has grown',
      (desk) => desk.colleague('/hedges/add', { ...ON, notional_usd: 500 }),
      /10,500\.00 USD \(10,000\.00 USD then\)/,
    ],
    [
      'another close of ours took what it was for, and nothing stands there',
      closedByUs,
      /Nothing is left for action \w+ to close: action \w+ of this machine closed USDTNGN buy afterwards\./,
    ],
  ])('is not: %s', async (_, since, message) => {
    const { desk, lost, open, sent } = await lostBefore(since);
    for (const hint of await hintsOfStops(desk, lost, message))
      expect(hint.includes(`hedge ${CLOSE} `)).toBe(open !== '0');
    expect(desk.keys()).toHaveLength(sent);
    expect(await openOn(desk)).toBe(open);
    expect(desk.again(lost)).toEqual(lost);
  });

  it('is not either when the same line comes under its key', async () => {
    const desk = await dealingDesk();
    await desk.now(OPEN);
    await desk.lost('before', CLOSE, { idempotencyKey: 'k-9', yes: true });
    await desk.now(CLOSE);
    await desk.colleague('/hedges', opened);
    desk.practice.clock.pass(5_000);
    const sent = desk.keys().length;
    expect(await desk.now(CLOSE, { idempotencyKey: 'k-9' })).toMatchObject({
      outcome: 'unknown',
      finding: { code: 'book_changed' },
    });
    expect(desk.keys()).toHaveLength(sent);
  });

  it('is, where what it was for is smaller now', async () => {
    const { desk } = await lostBefore((at) => at.colleague('/hedges/reduce', { ...ON, notional_usd: 4_000 }));
    expect(await resumed(desk)).toMatchObject({ outcome: 'closed', finding: undefined });
    expect(await openOn(desk)).toBe('0');
  });

  it('asks again about what was opened while the person was asked, and is not sent then', async () => {
    const { desk, lost } = await lostOver('before', CLOSE);
    const sent = desk.keys().length;
    const confirm = async () => {
      await desk.colleague('/hedges', opened);
      return true;
    };
    expect(await resumed(desk, {}, { confirm })).toMatchObject({ finding: { code: 'book_changed' } });
    expect(desk.keys()).toHaveLength(sent);
    expect(desk.again(lost)).toEqual(lost);
  });
});

describe('an addition or a reduction that is to be sent again', () => {
  const ADD = 'add USDTNGN buy 2000';
  const REDUCE = 'reduce USDTNGN buy 4000';
  const another = { ...ON, notional_usd: 20_000, tenor_days: 7, client_reference: 'W-1' };
  const lands = (desk: DealingDesk): void => desk.practice.clock.pass(5_000);
  const open = async (desk: DealingDesk, body: object): Promise<void> => {
    await desk.colleague('/hedges', body);
    lands(desk);
  };
  const close = async (desk: DealingDesk): Promise<void> => {
    await desk.colleague('/hedges/close', ON);
    lands(desk);
  };
  const reopened = async (desk: DealingDesk): Promise<void> => {
    await close(desk);
    await open(desk, another);
  };

  /** The line never arrived; then `since` happened. */
  async function lostBefore(line: string, since: (desk: DealingDesk) => Promise<unknown>) {
    const { desk, lost } = await lostOver('before', line);
    await since(desk);
    lands(desk);
    return { desk, lost, sent: desk.keys().length, stood: await openOn(desk) };
  }

  const LEFT = /^Action \w+ was meant for hdg_\w+ 10,000\.00 USD, no longer open\./;
  const SINCE = /^USDTNGN buy has changed since action \w+: hdg_\w+ "W-1" 20,000\.00 USD\./;
  it.each<[string, string, (desk: DealingDesk) => Promise<unknown>, RegExp]>([
    ['the hedge it was meant for was closed, and another opened', ADD, reopened, LEFT],
    ['the hedge it was meant for was closed, and another opened', REDUCE, reopened, LEFT],
    [
      'another hedge stands beside it, and the service grows the newest',
      ADD,
      (desk) => open(desk, another),
      SINCE,
    ],
    [
      'another hedge stands beside it, and would be reduced too',
      REDUCE,
      (desk) => open(desk, another),
      SINCE,
    ],
    [
      'another hedge may fill beside it at any moment',
      ADD,
      (desk) => desk.colleague('/hedges', another),
      SINCE,
    ],
    [
      'another open of ours stands beside it',
      ADD,
      async (desk) => {
        const [unknown] = desk.readContext.journal.read().current.filter(({ state }) => state === 'unknown');
        await desk.now('open USDTNGN buy 20k', { dealId: 'W-1', despite: unknown?.shortId, tenor: '7' });
      },
      SINCE,
    ],
    [
      'the side was reduced so far that it would be closed',
      REDUCE,
      (desk) => desk.colleague('/hedges/reduce', { ...ON, notional_usd: 6_000 }),
      /^Action \w+ was meant to leave 6,000\.00 USD on USDTNGN buy, but only 4,000\.00 USD is open\. Sent again, it would close the side\./,
    ],
  ])('is not: %s (%s)', async (_, line, since, message) => {
    const { desk, lost, sent, stood } = await lostBefore(line, since);
    await hintsOfStops(desk, lost, message);
    expect(desk.keys()).toHaveLength(sent);
    expect(await openOn(desk)).toBe(stood);
    expect(desk.again(lost)).toEqual(lost);
  });

  it.each([ADD, REDUCE])(
    'is not: what it was meant for matured, and another hedge is open there (%s)',
    async (line) => {
      const desk = await dealingDesk();
      await desk.now(OPEN, { tenor: '1' });
      desk.practice.clock.pass(24 * 3_600_000 - 60_000);
      const lost = await desk.lost('before', line);
      desk.practice.clock.pass(60_000);
      await open(desk, another);
      const sent = desk.keys().length;
      const report = await resumed(desk, { yes: true, resend: true });
      expect(report).toMatchObject({
        outcome: 'unknown',
        finding: { code: 'book_changed', what: expect.stringMatching(LEFT) },
      });
      expect(desk.keys()).toHaveLength(sent);
      expect(desk.again(lost).state).toBe('unknown');
    },
  );

  it('is not: one of two hedges that it may have been meant for was closed', async () => {
    const desk = await dealingDesk();
    const { data } = await desk.readContext.api.hedges();
    expect(data).toEqual([]);
    await desk.now('open USDTNGN buy 5k', { tenor: '1' });
    desk.practice.clock.pass(24 * 3_600_000 - 300_000);
    await desk.now(OPEN);
    const lost = await desk.lost('before', ADD);
    desk.practice.clock.pass(300_000);
    const sent = desk.keys().length;
    const report = await resumed(desk, { yes: true, resend: true });
    expect(report).toMatchObject({
      finding: {
        code: 'book_changed',
        what: expect.stringMatching(/hdg_\w+ 5,000\.00 USD, no longer open/),
      },
    });
    expect(desk.keys()).toHaveLength(sent);
    expect(desk.again(lost)).toEqual(lost);
  });

  it('is not: a hedge that was still coming then has filled, and would be increased', async () => {
    const desk = await dealingDesk();
    await desk.now(OPEN);
    await desk.colleague('/hedges', another);
    const lost = await desk.lost('before', ADD);
    expect(lost.intent.before.hedges).toHaveLength(2);
    lands(desk);
    const sent = desk.keys().length;
    const report = await resumed(desk, { yes: true, resend: true });
    expect(report).toMatchObject({ finding: { code: 'book_changed', what: expect.stringMatching(SINCE) } });
    expect(desk.keys()).toHaveLength(sent);
  });

  it('is not: nor when the same line comes under its key', async () => {
    const desk = await dealingDesk();
    await desk.now(OPEN);
    await desk.lost('before', ADD, { idempotencyKey: 'k-9' });
    await reopened(desk);
    const sent = desk.keys().length;
    expect(await desk.now(ADD, { idempotencyKey: 'k-9' })).toMatchObject({
      outcome: 'unknown',
      finding: { code: 'book_changed' },
    });
    expect(desk.keys()).toHaveLength(sent);
  });

  it.each([
    ['a colleague added to the hedge it was meant for', ADD, '/hedges/add', '12500'],
    ['a colleague reduced it', ADD, '/hedges/reduce', '11500'],
    ['a colleague added to the hedge it was meant for', REDUCE, '/hedges/add', '6500'],
    ['a colleague reduced it a little', REDUCE, '/hedges/reduce', '5500'],
  ])('is, where %s (%s): it applies where it was meant to', async (_, line, path, stands) => {
    const { desk, lost } = await lostBefore(line, (at) => at.colleague(path, { ...ON, notional_usd: 500 }));
    await resumed(desk, { yes: true, resend: true });
    lands(desk);
    expect(await openOn(desk)).toBe(stands);
    expect(sendsOf(desk, lost)).toBe(4);
  });

  it('asks again about what was opened while the person was asked, and is not sent then', async () => {
    const { desk, lost } = await lostOver('before', ADD);
    const sent = desk.keys().length;
    const confirm = async () => {
      await reopened(desk);
      return true;
    };
    expect(await resumed(desk, {}, { confirm })).toMatchObject({ finding: { code: 'book_changed' } });
    expect(desk.keys()).toHaveLength(sent);
    expect(desk.again(lost)).toEqual(lost);
  });
});

describe('which action is resumed', () => {
  it('none where none is open', async () => {
    const desk = await dealingDesk();
    await desk.now(OPEN);
    expect(await resumed(desk)).toBeUndefined();
  });

  it('the one that is accepted is awaited, the one that ended is reported', async () => {
    const desk = await dealingDesk();
    const coming = await desk.deal(OPEN);
    expect(await resumed(desk)).toMatchObject({ outcome: 'filled', entry: { id: coming.id } });
    expect(await resumed(desk, { word: coming.shortId })).toMatchObject({ outcome: 'filled' });
  });

  it('of several that are open one has to be named', async () => {
    const { desk, lost } = await lostOver('before', OPEN);
    await desk.readContext.journal.append([
      { ...lost.intent, action_id: 'beef000000000000', idempotency_key: 'k-2' },
      step({ kind: 'unknown', why: 'reset' }, 'beef'),
    ]);
    await expect(resumed(desk)).rejects.toMatchObject({
      code: 'usage',
      what: `2 actions are open: ${lost.shortId}, beef.`,
    });
  });
});
