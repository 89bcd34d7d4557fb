/** Answers that say less than they seem to, played to the whole program by a scripted service. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { aHedge, aMarket, anAccount, aQuote } from '../spec/bodies.ts';
import { cliFor, wayTo } from '../support/cli-for.ts';
import { movingClock } from '../support/moving-clock.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type Answer, held, no, ok, on, reset, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';
import { holdJournal } from '../support/written-journal.ts';

const OPEN = 'open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes --json';
const UNDER_DEAL_ID = 'GET /hedges?client_reference=PAY-1&limit=500';

/** What an open on an empty book is decided on. */
const READINGS = [
  on('GET /positions', ok([])),
  on('GET /hedges?limit=500', ok([])),
  on('GET /markets', ok([aMarket()])),
  on('GET /account', ok(anAccount())),
  on('POST /quotes', ok(aQuote())),
  on(UNDER_DEAL_ID, ok([])),
];

const opened = (...answers: readonly Answer[]) => answers.map((answer) => on('POST /hedges', answer));

describe('an open that is stopped while it is sent', () => {
  it('while another process writes to the journal all the time, is not said not to have been sent', async () => {
    const never = new Promise<never>(() => undefined);
    const service = await scriptedService([...READINGS, ...opened(held(never, ok({})))]);
    const cli = testCli({ clock: movingClock(), env: wayTo(service, temporaryFolder()) });
    const stopping = new AbortController();
    const running = cli.run(OPEN, { signal: stopping.signal });
    await service.arrived(READINGS.length + 1);
    onTestFinished(holdJournal(cli.home));
    stopping.abort(new InterruptedError('SIGTERM', { what: 'Stopped by the system (TERM).' }));
    const ran = await running;
    expect(ran.err).not.toContain('Nothing was sent');
    expect(ran.err).toContain('hedge journal');
    expect(ran.document()).toMatchObject({ error: { code: 'interrupted', effect: 'unknown' } });
  });
});

describe('an open under a deal ID that may be used', () => {
  it('is not sent where the service tells neither: it does not filter, and what it lists may be a page', async () => {
    const page = Array.from({ length: 500 }, (_, index) =>
      aHedge({ id: `hdg_${index}`, client_reference: `THEIRS-${index}` }),
    );
    const service = await scriptedService([
      ...READINGS.filter(({ on: line }) => line !== UNDER_DEAL_ID),
      on(UNDER_DEAL_ID, ok(page)),
    ]);
    const ran = await cliFor(service).run(OPEN);
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'book_unclear', effect: 'none' } });
  });
});

describe('an open whose outcome is unknown', () => {
  it('is said under the environment that it is of, on a terminal and in a pipe, where nothing else is shown', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice faults --lost-before 100% --only open');
    expect((await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes')).code).toBe(7);
    const person = await cli.run('check PAY-1', { terminal: { isTTY: true } });
    expect([person.code, person.out]).toEqual([7, '']);
    expect(person.err.replaceAll(/\p{Cc}\[[\d;]*m/gu, '')).toMatch(
      /PRACTICE · this machine, no money .*\nUNKNOWN: /,
    );
    const piped = await cli.run('check PAY-1');
    expect(piped.err).toMatch(/^PRACTICE · .*\nUNKNOWN: /);
    // The environment line has practice time.
    expect(piped.err).toMatch(
      /may\s+still\s+arrive\s+until\s+\d\d:\d\d:\d\d\s+UTC\s+\(this\s+machine's\s+time\)\./,
    );
  });

  it('stops the next one also where the base URL is written in another way', async () => {
    const service = await scriptedService([
      ...READINGS,
      ...opened(reset, reset, reset),
      ...READINGS.filter(({ on: line }) => line !== UNDER_DEAL_ID),
    ]);
    const cli = cliFor(service);
    expect((await cli.run(OPEN)).code).toBe(7);
    const env = { HEDGE_BASE_URL: `${service.url}/` };
    const next = await cli.run('open USDTNGN buy 10k --tenor 3 --yes --json', { env });
    expect(next.code).toBe(10);
    expect(next.document()).toMatchObject({ error: { code: 'unresolved' } });
  });
});

describe('an open whose first answer was lost', () => {
  it('and that is then rate-limited may still be in progress: its outcome is unknown', async () => {
    const later = no(429, 'rate_limited', { headers: { 'retry-after': '60' } });
    const service = await scriptedService([...READINGS, ...opened(reset, later)]);
    const ran = await cliFor(service).run(OPEN);
    expect(ran.code).toBe(7);
    expect(ran.document()).toMatchObject({
      data: { outcome: 'unknown', effect: 'unknown' },
      error: { code: 'outcome_unknown', effect: 'unknown' },
    });
  });

  it('and that is then refused is unknown at once, without a look: the first may still arrive', async () => {
    const service = await scriptedService([...READINGS, ...opened(reset, no(400, 'exposure_exceeded'))]);
    const ran = await cliFor(service).run(OPEN);
    expect(ran.code).toBe(7);
    expect(ran.document()).toMatchObject({
      data: { outcome: 'unknown', effect: 'unknown' },
      error: { code: 'outcome_unknown', message: expect.stringContaining('Rejected now, but an earlier') },
    });
  });

  it('and that is not in a list that may be cut off is unknown also when it can arrive no more', async () => {
    const page = Array.from({ length: 500 }, (_, index) => aHedge({ id: `hdg_${index}` }));
    const service = await scriptedService([
      ...READINGS,
      ...opened(reset, no(400, 'exposure_exceeded')),
      on(UNDER_DEAL_ID, ok(page)),
    ]);
    const clock = movingClock();
    const cli = testCli({ clock, env: wayTo(service, temporaryFolder()) });
    expect((await cli.run(OPEN)).code).toBe(7);
    clock.pass(6 * 60_000);
    expect((await cli.run('check PAY-1 --json')).code).toBe(7);
  });
});
