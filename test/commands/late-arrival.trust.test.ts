/** Attempts that are held on their way, played to the whole program before a practice service that works. */
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { recordSchema } from '../../src/journal/records.ts';
import { EACH_ACTION, wordsOf } from '../support/each-action.ts';
import { frontOf, type Pass, refusal, servedAt } from '../support/front.ts';
import { holdAttempts } from '../support/held-attempts.ts';
import { movingClock } from '../support/moving-clock.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { ON_A_TERMINAL, type Ran, testCli } from '../support/test-cli.ts';
import { journalText } from '../support/written-journal.ts';

const MINUTE = 60_000;
const WINDOW = 5 * MINUTE;
const OPEN = 'open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes --json';
const ENSURE = `${OPEN} --ensure`;

/**
 * A desk with the attempts of its actions in the hands of a test, and one clock for it and the service. `behind`: how far
 * the Date of a service that tells the time is behind that clock, in milliseconds.
 */
async function heldSetup(settings: Record<string, unknown> = {}, behind?: () => number) {
  const clock = movingClock();
  const served = await servedBook({ ...WITHOUT_LIMIT, ...settings }, clock);
  onTestFinished(() => served.close());
  const home = temporaryFolder();
  const front = await frontOf(served, home);
  const attempts = holdAttempts(front, undefined, (answer) =>
    behind === undefined ? answer : servedAt(clock.now() - behind(), answer),
  );
  const { run } = testCli({ home, clock, env: front.way(home) });
  return {
    run,
    clock,
    served,
    attempts,
    /** Every reading takes so long from now on. */
    slow: (ms: number) => front.watch((line) => line.startsWith('GET ') && clock.pass(ms)),
    /** Keys of the actions that reached the service. */
    keys: () => served.changes().map(({ idempotencyKey }) => idempotencyKey),
    records: () =>
      journalText(home)
        .trim()
        .split('\n')
        .map((line) => recordSchema.parse(JSON.parse(line))),
    /** A hedge of the same terms under the same deal id, dealt without this program. */
    colleague: () =>
      served.colleague('/hedges', {
        side: 'buy',
        notional_usd: 10_000,
        tenor_days: 3,
        client_reference: 'PAY-1',
      }),
  };
}

const utc = (ms: number): string => `${new Date(ms).toISOString().slice(11, 19)} UTC`;
const failureSchema = z.object({ error: z.object({ message: z.string() }) });
const messageOf = (ran: Ran): string => failureSchema.parse(ran.document()).error.message;
const foundSchema = z.object({ data: z.object({ derived: z.object({ provisional_until: z.string() }) }) });
const timesIn = z.object({
  error: z.object({ details: z.object({ may_arrive_until: z.string(), may_show_until: z.string() }) }),
});
const UNKNOWN = { data: { outcome: 'unknown', effect: 'unknown' }, error: { code: 'outcome_unknown' } };

describe('an open that is rejected after an attempt without a response', () => {
  it('is unknown at once, and says until when the earlier attempt may arrive', async () => {
    const { run, clock, attempts, records, served } = await heldSetup();
    attempts.plan('held', 'rejected');
    const ran = await run(OPEN);
    const [unclearAt = ''] = records().flatMap((each) => (each.kind === 'unknown' ? [each.unclear_at] : []));
    const until = Date.parse(unclearAt) + WINDOW;
    expect(until - WINDOW).toBeLessThan(clock.now());
    expect(ran.code).toBe(7);
    expect(ran.document()).toMatchObject({
      ...UNKNOWN,
      error: { effect: 'unknown', details: { may_arrive_until: new Date(until).toISOString() } },
    });
    expect(messageOf(ran)).toContain(
      `may still arrive until ${utc(until)}. The rejection: exposure_exceeded.`,
    );
    await attempts.arrive();
    expect(served.acted('/hedges')).toBe(1);
    expect((await run('check --json')).document()).toMatchObject({
      data: [{ outcome: 'filled', effect: 'done' }],
    });
  });

  it('blocks the side for what adds to it or takes from it, not for a close, until the five minutes are over', async () => {
    const { run, attempts, served, clock } = await heldSetup();
    await served.opened('buy', 3_000);
    attempts.plan('held', 'rejected');
    expect((await run(OPEN)).code).toBe(7);
    for (const line of [
      'open USDTNGN buy 2k --tenor 3 --deal-id PAY-2',
      'add USDTNGN buy 1k',
      'reduce USDTNGN buy 1k',
    ]) {
      const blocked = await run(`${line} --yes --json`);
      expect([line, blocked.code]).toEqual([line, 10]);
      expect(blocked.document()).toMatchObject({ error: { code: 'unresolved', effect: 'none' } });
    }
    expect((await run('close USDTNGN buy --yes --json')).code).toBe(0);
    clock.pass(WINDOW);
    expect((await run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes --json')).code).toBe(0);
  });

  it('is looked at by check inside the five minutes, which sends nothing and says until when', async () => {
    const { run, attempts, keys, clock } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    clock.pass(4 * MINUTE);
    const before = keys().length;
    const looked = await run('check PAY-1 --json');
    expect(looked.code).toBe(7);
    expect(looked.document()).toMatchObject({
      error: {
        message: expect.stringMatching(/An earlier attempt may still arrive until \d\d:\d\d:\d\d UTC\./),
      },
    });
    expect(keys()).toHaveLength(before);
  });

  it.each([
    ['the same --ensure line', ENSURE],
    ['resume', 'resume PAY-1 --yes --resend --json'],
  ])('is sent again under the same key by %s inside the five minutes', async (_what, line) => {
    const { run, attempts, keys, served, clock } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    clock.pass(MINUTE);
    const again = await run(line);
    expect([again.code, again.document()]).toMatchObject([0, { data: { outcome: 'filled' } }]);
    expect(await attempts.arrive()).toBe(201);
    expect(new Set(keys()).size).toBe(1);
    expect(served.acted('/hedges')).toBe(1);
    expect(await served.openOn('buy')).toBe(10_000);
  });

  it('with --ensure advises the same command, which settles it, and blocks the other opens of the side', async () => {
    const { run, attempts, keys } = await heldSetup();
    attempts.plan('lost', 'lost', 'lost');
    const ran = await run(ENSURE);
    expect([ran.code, ran.document()]).toMatchObject([7, { ...UNKNOWN, error: { retry: 'same_key' } }]);
    expect(messageOf(ran)).toContain('run the same command again: the same deal ID has the same key');
    expect(messageOf(ran)).not.toContain('Do not send it again');
    const other = await run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --ensure --yes --json');
    expect(other.document()).toMatchObject({
      error: {
        code: 'unresolved',
        retry: 'after_check',
        hint: expect.stringMatching(/^hedge check \w{4} /) as unknown,
      },
    });
    expect((await run(ENSURE)).code).toBe(0);
    expect(new Set(keys()).size).toBe(1);
  });

  it.each(['add USDTNGN buy 1k', 'reduce USDTNGN buy 1k', 'close USDTNGN buy'])(
    '%s with a key of its own advises the same line, which settles it, and says until when it may show',
    async (words) => {
      const { run, attempts, keys, served } = await heldSetup();
      await served.opened('buy', 10_000);
      const line = `${words} --idempotency-key K-1 --yes --json`;
      attempts.plan('lost', 'lost', 'lost');
      const ran = await run(line);
      expect([ran.code, ran.document()]).toMatchObject([7, { ...UNKNOWN, error: { retry: 'same_key' } }]);
      expect(messageOf(ran)).toContain('run the same command again: the same key executes once');
      expect(messageOf(ran)).not.toMatch(/Do not (?:send|retype)/);
      const looked = await run('check --json');
      const { may_arrive_until: arrives, may_show_until: shows } = timesIn.parse(looked.document()).error
        .details;
      expect(Date.parse(shows) - Date.parse(arrives)).toBe(MINUTE);
      expect(messageOf(looked)).toContain(`until ${utc(Date.parse(shows))}`);
      expect((await run(line)).code).toBe(0);
      expect(new Set(keys()).size).toBe(1);
    },
  );

  it('is not said to have been rejected for a later rejection, nor is its time made longer by one', async () => {
    const { run, attempts, clock } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    clock.pass(4 * MINUTE);
    attempts.plan('rejected');
    const again = await run('resume PAY-1 --yes --resend --json');
    expect([again.code, again.document()]).toMatchObject([7, UNKNOWN]);
    expect(messageOf(again)).toContain('Rejected now, but an earlier attempt may still arrive until');
    clock.pass(MINUTE);
    expect((await run('check PAY-1 --json')).code).toBe(3);
  });

  it('has five minutes more from a later send without a response', async () => {
    const { run, attempts, clock, served } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    clock.pass(4 * MINUTE);
    attempts.plan('held', 'rejected');
    expect((await run('resume PAY-1 --yes --resend --json')).code).toBe(7);
    clock.pass(4 * MINUTE);
    expect((await run('check PAY-1 --json')).code).toBe(7);
    await attempts.arrive();
    await attempts.arrive();
    expect((await run('check PAY-1 --json')).code).toBe(0);
    expect(served.acted('/hedges')).toBe(1);
  });
});

describe('an open of which nothing arrived within five minutes', () => {
  it.each([
    ['was rejected last', ['held', 'rejected'], 3, 'exposure_exceeded', 'refused'],
    ['had no answer at all', ['lost', 'lost', 'lost'], 9, 'order_failed', 'failed'],
    ['had its key turned away last', ['held', 'turned away'], 9, 'order_failed', 'failed'],
  ] as const)('and %s is not executed, as check finds', async (_what, plan, code, error, outcome) => {
    const { run, attempts, clock } = await heldSetup();
    attempts.plan(...plan);
    expect((await run(OPEN)).code).toBe(7);
    clock.pass(WINDOW - MINUTE);
    expect((await run('check PAY-1 --json')).code).toBe(7);
    clock.pass(MINUTE);
    for (const line of ['check PAY-1 --json', 'resume PAY-1 --yes --resend --json', 'wait PAY-1 --json']) {
      const settled = await run(line);
      expect([line, settled.code, settled.document()]).toMatchObject([
        line,
        code,
        { data: { outcome, effect: 'none' }, error: { code: error, effect: 'none' } },
      ]);
    }
    expect((await run('journal PAY-1 --json')).document()).toMatchObject({
      data: { unresolved: false, effect: 'none' },
    });
  });

  it.each([
    ['shortly before', -500],
    ['later', 2 * MINUTE],
  ])(
    'is found not executed by a wait that begins %s, however slow the service is',
    async (_when, afterMs) => {
      const { run, attempts, clock, slow } = await heldSetup();
      attempts.plan('lost', 'lost', 'lost');
      await run(OPEN);
      clock.pass(WINDOW + afterMs);
      slow(3_000);
      const waited = await run('wait PAY-1 --json');
      expect(/waiting +until/.test(waited.err)).toBe(afterMs < 0);
      expect([waited.code, waited.document()]).toMatchObject([
        9,
        { data: { outcome: 'failed', effect: 'none' } },
      ]);
    },
  );

  it.each([
    ['rejected last', ['held', 'rejected']],
    ['without any answer', ['lost', 'lost', 'lost']],
  ] as const)(
    '%s, is sent again by the next line under the same key within the hour',
    async (_what, plan) => {
      const { run, attempts, clock, keys, served } = await heldSetup();
      attempts.plan(...plan);
      await run(OPEN);
      clock.pass(WINDOW);
      const again = await run(ENSURE);
      expect([again.code, again.document()]).toMatchObject([0, { data: { outcome: 'filled' } }]);
      // The first attempt arrives after all, later than it is assumed to.
      await attempts.arrive();
      expect(new Set(keys()).size).toBe(1);
      expect(served.acted('/hedges')).toBe(1);
      expect(await served.openOn('buy')).toBe(10_000);
    },
  );

  it('is sent again under the same key too once the hour of its key is over', async () => {
    const { run, attempts, clock, records } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    clock.pass(61 * MINUTE);
    expect((await run(OPEN)).code).toBe(0);
    const keys = records().flatMap((each) => (each.kind === 'intent' ? [each.idempotency_key] : []));
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('under a key of the operator is sent again by the same line', async () => {
    const { run, attempts, clock, keys, served } = await heldSetup();
    const line = 'open USDTNGN buy 10k --tenor 3 --idempotency-key once-1 --yes --json';
    attempts.plan('held', 'rejected');
    expect((await run(line)).code).toBe(7);
    clock.pass(WINDOW);
    expect((await run(line)).code).toBe(0);
    await attempts.arrive();
    expect(new Set(keys())).toEqual(new Set(['once-1']));
    expect(served.acted('/hedges')).toBe(1);
  });

  it('is still unknown where the clock was set back since', async () => {
    const { run, attempts, clock } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    clock.pass(10 * MINUTE);
    attempts.plan('rejected', 'rejected');
    await run('open USDTNGN sell 1k --tenor 3 --deal-id PAY-9 --yes --json');
    clock.pass(-3 * MINUTE);
    expect((await run('check PAY-1 --json')).code).toBe(7);
    clock.pass(3 * MINUTE);
    expect((await run('check PAY-1 --json')).code).toBe(3);
  });
});

describe('an open that is rejected after an attempt without a response, by a service whose Date tells the time', () => {
  it('is still unknown where the clock of this machine was set forward since', async () => {
    let setForward = 0;
    const { run, attempts, clock } = await heldSetup({}, () => setForward);
    attempts.plan('held', 'rejected');
    await run(OPEN);
    setForward = 10 * MINUTE;
    clock.pass(setForward);
    expect((await run('check PAY-1 --json')).code).toBe(7);
    const other = await run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes --json');
    expect(other.document()).toMatchObject({ error: { code: 'unresolved' } });
    setForward = 0;
    expect((await run('check PAY-1 --json')).code).toBe(3);
  });
});

describe('waiting for an open that may still arrive', () => {
  it('lasts until it cannot any more, and ends in what a look finds then', async () => {
    const { run, attempts, clock } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    const began = clock.now();
    const waited = await run('wait PAY-1 --timeout 600 --json');
    expect(waited.code).toBe(3);
    expect(clock.now() - began).toBeGreaterThan(WINDOW - MINUTE);
    expect(clock.now() - began).toBeLessThan(WINDOW + MINUTE);
  });

  it('ends with the fill when it arrives', async () => {
    const { run, attempts, served } = await heldSetup({ fill_seconds: { min: 5, max: 5 } });
    attempts.plan('held', 'rejected');
    await run(OPEN);
    const waiting = run('wait PAY-1 --timeout 600 --json');
    await attempts.arrive();
    expect([(await waiting).code, (await waiting).document()]).toMatchObject([
      0,
      { data: { outcome: 'filled', effect: 'done' } },
    ]);
    expect(served.acted('/hedges')).toBe(1);
  });

  it('lasts no longer than --timeout', async () => {
    const { run, attempts, clock } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    const began = clock.now();
    expect((await run('wait PAY-1 --timeout 30 --json')).code).toBe(7);
    expect(clock.now() - began).toBeLessThan(MINUTE);
  });
});

describe.each(EACH_ACTION.filter(({ name }) => name !== 'open'))('$name of an open side', (action) => {
  const onTheSide = async (settings: Record<string, unknown> = {}) => {
    const desk = await heldSetup(settings);
    await desk.served.opened('buy', action.before);
    return desk;
  };

  it('rejected after an attempt that never arrived is rejected once the five minutes are over', async () => {
    const { run, attempts, clock, served } = await onTheSide();
    attempts.plan('lost', 'rejected');
    const ran = await run(wordsOf(action));
    expect([ran.code, ran.document()]).toMatchObject([7, UNKNOWN]);
    clock.pass(WINDOW - MINUTE);
    expect((await run('check --json')).code).toBe(7);
    clock.pass(MINUTE);
    const late = await run('check --json');
    expect(late.code).toBe(7);
    expect(messageOf(late)).toMatch(/may take until \d\d:\d\d:\d\d UTC to show/);
    clock.pass(MINUTE);
    const looked = await run('check --json');
    expect([looked.code, looked.document()]).toMatchObject([
      3,
      { data: [{ outcome: 'refused', effect: 'none' }] },
    ]);
    expect(await served.openOn('buy')).toBe(action.before);
    expect((await run(wordsOf(action))).code).toBe(0);
  });

  it('rejected after an attempt that arrived within the five minutes is not called rejected', async () => {
    const { run, attempts, clock, served } = await onTheSide();
    attempts.plan('held', 'rejected');
    expect((await run(wordsOf(action))).code).toBe(7);
    clock.pass(WINDOW - MINUTE);
    await attempts.arrive();
    clock.pass(2 * MINUTE);
    expect((await run('check --json')).code).toBe(7);
    expect(await served.openOn('buy')).toBe(action.after);
  });

  it('that arrives at the last moment is not called rejected before it has executed', async () => {
    const { run, attempts, clock } = await onTheSide({ fill_seconds: { min: 4, max: 4 } });
    attempts.plan('held', 'rejected');
    expect((await run(wordsOf(action))).code).toBe(7);
    clock.pass(WINDOW - 1_000);
    await attempts.arrive();
    clock.pass(1_000);
    expect((await run('check --json')).code).toBe(7);
    clock.pass(MINUTE);
    expect((await run('check --json')).code).toBe(7);
  });

  it('without any answer stays unknown after the five minutes: its absence alone tells nothing', async () => {
    const { run, attempts, clock } = await onTheSide();
    attempts.plan('lost', 'lost', 'lost');
    expect((await run(wordsOf(action))).code).toBe(7);
    clock.pass(2 * WINDOW);
    expect((await run('check --json')).code).toBe(7);
  });

  it('is settled by the next command that needs the side', async () => {
    const { run, attempts, clock } = await onTheSide();
    attempts.plan('lost', 'rejected');
    await run(wordsOf(action));
    clock.pass(WINDOW + MINUTE);
    const next = await run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes --json');
    expect(next.code).toBe(0);
    expect(next.err).toMatch(/checked {4}REJECTED: /);
  });
});

describe('a hedge that is found under its deal ID while an attempt may still arrive', () => {
  it('is reported as filled, provisionally, and as final by the next command after that', async () => {
    const { run, attempts, clock, colleague } = await heldSetup();
    attempts.plan('lost', 'rejected');
    await run(OPEN);
    await colleague();
    clock.pass(MINUTE);
    const found = await run('check PAY-1 --json');
    expect(found.code).toBe(0);
    expect(found.document()).toMatchObject({ data: { outcome: 'filled', effect: 'done' } });
    const { provisional_until: until } = foundSchema.parse(found.document()).data.derived;
    expect(Date.parse(until) - clock.now()).toBeGreaterThan(3 * MINUTE);
    const shown = await run('wait PAY-1', ON_A_TERMINAL);
    expect([shown.code, shown.out]).toEqual([
      0,
      expect.stringMatching(
        /To confirm +after .*: hedge check \w{4}\. Until then your\s+lost request may still arrive, as a second hedge/,
      ),
    ]);
    const bare = await run('check', ON_A_TERMINAL);
    expect(bare.out).toMatch(
      /No unknown outcomes .*\s+PAY-1 was found by its deal ID\. To confirm after .*:\s+hedge\s+check \w{4}\. Until then/s,
    );
    expect((await run('check --json')).document()).toMatchObject({
      data: [],
      meta: { provisional: [{ deal_id: 'PAY-1', provisional_until: until }] },
    });
    clock.pass(WINDOW);
    const confirmed = await run('check', ON_A_TERMINAL);
    expect(confirmed.out).toMatch(/Confirmed +the only hedge with its deal ID/);
    expect((await run('check', ON_A_TERMINAL)).out).toContain('No unknown outcomes');
    expect((await run('check PAY-1 --json')).document()).toMatchObject({
      data: { outcome: 'filled', derived: { provisional_until: null } },
    });
  });

  it.each([
    'check PAY-1 --json',
    'check --json',
    'resume PAY-1 --yes --resend --json',
    'wait PAY-1 --json',
    ENSURE,
    'hedges PAY-1 --json',
  ])('and turns out to be one of two is unknown, both named, by: %s', async (line) => {
    const { run, attempts, clock, colleague, served } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    await colleague();
    clock.pass(MINUTE);
    expect((await run('check PAY-1 --json')).code).toBe(0);
    await attempts.arrive();
    clock.pass(WINDOW);
    const { body } = await served.desk.get('/hedges', { as: 'test' });
    const ids: readonly string[] = body.data.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(2);
    const sent = served.changes().length;
    const told = await run(line);
    expect([line, told.code]).toEqual([line, 7]);
    for (const id of ids) expect(told.out).toContain(id);
    expect(told.out).not.toContain('hedge resume');
    expect(told.err).toMatch(/2\s+hedges\s+carry\s+the\s+reference\s+PAY-1/);
    expect(served.changes()).toHaveLength(sent);
    expect((await run('journal PAY-1 --json')).document()).toMatchObject({
      data: { outcome: 'unknown', unresolved: true },
    });
    const next = await run('open USDTNGN buy 1k --tenor 3 --deal-id PAY-2 --yes --json');
    expect(next.document()).toMatchObject({ error: { code: 'unresolved' } });
  });

  it('is named by the next deal, which it blocks', async () => {
    const { run, attempts, clock, colleague } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    await colleague();
    await run('check PAY-1 --json');
    await attempts.arrive();
    clock.pass(WINDOW);
    const next = await run('open USDTNGN buy 1k --tenor 3 --deal-id PAY-2 --yes --json');
    expect(next.document()).toMatchObject({ error: { code: 'unresolved' } });
    expect(next.err).toContain('2 hedges carry the reference PAY-1');
  });

  it('and has failed is not read as the failure of this one before nothing can arrive any more', async () => {
    const { run, attempts, clock, colleague, served } = await heldSetup();
    attempts.plan('held', 'rejected');
    await run(OPEN);
    await served.desk.service.admin.setFaults({ failing_orders: 1 });
    await colleague();
    await served.desk.service.admin.clearFaults();
    clock.pass(MINUTE);
    const looked = await run('check PAY-1 --json');
    expect([looked.code, looked.document()]).toMatchObject([7, { error: { effect: 'unknown' } }]);
    await attempts.arrive();
    clock.pass(MINUTE);
    expect((await run('check PAY-1 --json')).code).toBe(7);
  });

  it('is final at once where its reference was made of its key, or a response named its ID', async () => {
    const { run, attempts, clock } = await heldSetup();
    attempts.plan('answer lost', 'rejected');
    await run('open USDTNGN buy 10k --tenor 3 --yes --json');
    clock.pass(MINUTE);
    expect((await run('check --json')).document()).toMatchObject({
      data: [{ outcome: 'filled', derived: { provisional_until: null } }],
    });
    attempts.plan('answer lost', 'through');
    const told = await run('open USDTNGN sell 10k --tenor 3 --deal-id PAY-2 --yes --json');
    expect(told.document()).toMatchObject({
      data: { outcome: 'filled', derived: { provisional_until: null } },
    });
  });
});

describe('an open that arrives while it is looked up and checked to be sent again', () => {
  /** It fills 20 s after it arrived, between the lookup of the next command and the readings of its checks. */
  async function arriving(line: string) {
    const lookup = line.startsWith('resume') ? 2 : 3;
    const clock = movingClock();
    const served = await servedBook({ ...WITHOUT_LIMIT, fill_seconds: { min: 20, max: 20 } }, clock);
    onTestFinished(() => served.close());
    const home = temporaryFolder();
    const front = await frontOf(served, home);
    const { run } = testCli({ home, clock, env: front.way(home) });
    let held: Pass | undefined;
    front.meddle(async (request, pass) => {
      if (request !== 'POST /hedges') return pass();
      if (held !== undefined) return refusal(400, 'exposure_exceeded');
      held = pass;
      return refusal(504, 'upstream_timeout');
    });
    expect((await run(OPEN)).code).toBe(7);
    let [lookups, sent] = [0, 0];
    front.meddle(async (request, pass) => {
      if (request.startsWith('GET /hedges?client_reference=') && (lookups += 1) === lookup) await held?.();
      if (request === 'POST /hedges') sent += 1;
      return pass();
    });
    const ran = await run(line);
    return { ran, sent, acted: served.acted('/hedges') };
  }

  const AGAIN = ['resume PAY-1 --yes --resend --json', ENSURE];

  it.each(AGAIN)('is awaited by %s, and not sent again', async (line) => {
    const { ran, sent, acted } = await arriving(line);
    expect([ran.code, sent, acted]).toEqual([0, 0, 1]);
    expect(ran.document()).toMatchObject({ data: { outcome: 'filled', effect: 'done' } });
  });

  it.each(AGAIN)('is awaited by %s for the timeout only, and not at all with --no-wait', async (line) => {
    const late = await arriving(`${line} --timeout 5`);
    expect([late.ran.code, late.sent, late.acted]).toEqual([8, 0, 1]);
    const { ran, sent, acted } = await arriving(`${line} --no-wait`);
    expect([ran.code, sent, acted]).toEqual([0, 0, 1]);
    expect(ran.document()).toMatchObject({ data: { outcome: 'submitted', effect: 'pending' } });
  });
});
