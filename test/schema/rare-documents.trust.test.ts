/**
 * Documents of states that other tests look at on a screen alone: their branches are seen here, each compared with its schema.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { aClosedHedge, aHedge, anAccount, aQuote, QUOTE_META } from '../spec/bodies.ts';
import { aBooksDesk, aWeek, dataOf } from '../support/books-desk.ts';
import { cliFor, SANDBOX_KEY } from '../support/cli-for.ts';
import { databaseFront } from '../support/database-front.ts';
import { deskOfMachines } from '../support/desk-machines.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';
import { loopbackTls } from '../support/tls.ts';
import { damageJournal, journalFile, removeJournal, rewindJournal } from '../support/written-journal.ts';

const NOT_YET = {
  client_reference: null,
  order_tx_hash: null,
  fill_tx_hash: null,
  struck_rate: null,
  units: null,
  order_key: null,
  opened_at: null,
  filled_at: null,
  maturity_at: null,
};

/** Runs each line with `--json`, whose document is compared with its schema as every test's is. */
async function codesOf(
  run: (line: string) => Promise<{ code: number }>,
  lines: readonly string[],
): Promise<readonly number[]> {
  const codes: number[] = [];
  for (const line of lines) codes.push((await run(`${line} --json`)).code);
  return codes;
}

/** In place of the journal. */
function makeFolder(home: string): void {
  removeJournal(home);
  mkdirSync(journalFile(home));
}

const ALL_WELL = (lines: readonly string[]): readonly number[] => lines.map(() => 0);

describe('a document is as its schema says', () => {
  it('of a week in the books', async () => {
    const { hedge } = await aWeek();
    const lines = [
      ...['deal', 'prefix', 'side', 'operator', 'market', 'day'].map((by) => `report --since 7d --by ${by}`),
      ...['--since 7d --until today', '--day', '--month'].map((period) => `report ${period}`),
      'export --format csv',
      'export --format hledger --since 2d --until today',
      ...['day', 'week', 'month', 'market', 'side'].map((by) => `history --by ${by}`),
      'reconcile',
    ];
    expect(await codesOf(hedge, lines)).toEqual(ALL_WELL(lines));
  });

  it.each([
    ['nothing more than a list needs', aHedge({ status: 'submitting', ...NOT_YET }), 'hedges'],
    [
      'a fill without its figures',
      { ...aHedge(), ...NOT_YET, opened_at: '2026-11-20T09:02:59Z', maturity_at: '2026-11-23T09:02:59Z' },
      'hedges',
    ],
  ])('of a hedge with %s', async (_what, sent, words) => {
    const { units: _none, ...least } = sent;
    const script = [sent, least].map((each) => on('GET /hedges?limit=100', ok([each])));
    const cli = cliFor(await scriptedService(script));
    expect(
      await codesOf(
        cli.run,
        script.map(() => words),
      ),
    ).toEqual([0, 0]);
  });

  it('of closed hedges that lack what they may lack', async () => {
    const sent = [
      aClosedHedge(),
      aClosedHedge({ market: null, side: null, closed_at: null, notional_usd: null, net_pnl_usd: 1 }),
      aClosedHedge({
        market: 'USDTNGN',
        side: 'buy',
        closed_at: '2026-11-20T09:02:59Z',
        notional_usd: 5,
        net_pnl_usd: 2,
      }),
    ];
    const words = ['day', 'week', 'month', 'market', 'side'].map((by) => `history --by ${by}`);
    const cli = cliFor(await scriptedService(words.map(() => on('GET /hedges/history', ok(sent)))));
    expect(await codesOf(cli.run, words)).toEqual(ALL_WELL(words));
  });

  it('of a desk, and of its journal', async () => {
    const desk = await deskOfMachines();
    const [ada, dayo] = [await desk.joined('ada'), await desk.joined('dayo', { role: 'approver' })];
    const before = ['desk status', 'desk limit --max-notional 100k --max-daily-notional 1m --max-open 5m'];
    expect(await codesOf(ada.run, before)).toEqual([0, 0]);
    expect(await codesOf(dayo.run, ['desk limit --max-open none'])).toEqual([0]);
    expect(await codesOf(ada.run, ['open USDTNGN buy 1k --tenor 3 --deal-id PAY-1 --yes'])).toEqual([0]);
    await ada.ok(['halt', 'venue down', '--json'], { env: { HEDGE_OPERATOR: 'Ada O.' } });
    const halted = ['', 'status', 'journal', 'profile show', 'journal halts', 'desk status', 'audit verify'];
    expect(await codesOf(ada.run, halted)).toEqual(ALL_WELL(halted));
    expect(await codesOf(dayo.run, ['unhalt --yes', 'desk leave --yes', 'desk status'])).toEqual([0, 0, 0]);
  });

  it('of a desk whose log is not reached, and of an account without a desk', async () => {
    const desk = await deskOfMachines();
    const front = await databaseFront(desk.log.server.port);
    const ada = await desk.joined('ada', { port: front.port });
    front.be('refused');
    const away = ['', 'desk status', 'journal', 'hedges', 'audit verify', 'desk limit --max-notional 1k'];
    expect(await codesOf(ada.run, away)).toEqual([0, 10, 0, 0, 10, 0]);
    const alone = await desk.machine('bisi');
    expect(await codesOf(alone.run, ['desk status', 'desk limit', 'desk adopt'])).toEqual([0, 0, 10]);
  });

  it('of a dashboard, halted, and with a journal that is damaged or unreadable', async () => {
    const { front, hedge, home, run } = await aBooksDesk();
    await hedge('open USDTNGN buy 1k --tenor 3 --deal-id PAY-1 --yes');
    await run(['halt', 'venue down']);
    let [looks, stopping] = [0, new AbortController()];
    front.watch((line) => {
      looks += line.startsWith('GET /positions') ? 1 : 0;
      if (looks > 4) stopping.abort(new InterruptedError('SIGINT', { what: 'Stopped.' }));
    });
    for (const harm of [() => undefined, damageJournal, makeFolder]) {
      harm(home);
      [looks, stopping] = [0, new AbortController()];
      const { out } = await run('watch --json', { signal: stopping.signal });
      expect(out).toContain('"command":"watch"');
    }
  });

  it('of a machine that has nothing yet, and of one with a profile whose key a command reads', async () => {
    const cli = testCli();
    const [ca, key] = [join(cli.home, 'ca.pem'), join(cli.home, 'key')];
    writeFileSync(key, SANDBOX_KEY, { mode: 0o600 });
    writeFileSync(ca, (await loopbackTls()).ca);
    const empty = ['schema', 'schema batch', 'audit verify', 'journal halts', `journal export ${key}.jsonl`];
    expect(await codesOf(cli.run, empty)).toEqual(ALL_WELL(empty));
    const bank = [
      'profile',
      'add',
      'bank',
      '--base-url',
      'https://bank.test/partner/v2',
      '--no-check',
      '--json',
    ];
    const read = ['--key-command', JSON.stringify(['cat', key]), '--ca-file', ca];
    expect((await cli.run([...bank, ...read])).code).toBe(0);
    const lines = [
      'profile list',
      'profile show bank',
      'status',
      '--profile bank status',
      '',
      'profile limit bank --max-notional 50k',
      'profile remove bank --yes',
    ];
    expect(await codesOf(cli.run, lines)).toEqual(ALL_WELL(lines));
  });

  it('of what differs from the service: late and unknown', async () => {
    const desk = await aBooksDesk();
    const { hedge, run, served } = desk;
    await hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
    await hedge('open USDTNGN buy 3k --tenor 3 --deal-id PAY-2 --yes --no-wait');
    expect(await codesOf(run, ['reconcile', 'snapshot'])).toEqual([0, 0]);
    await served.desk.service.admin.setFaults({ lost_after: 1, only: 'open' });
    await hedge('open USDTNGN sell 4k --tenor 3 --deal-id PAY-3 --yes', 7);
    await served.desk.service.admin.setFaults({});
    desk.hours(1);
    expect(await codesOf(run, ['snapshot', 'reconcile'])).toEqual([0, 7]);
    await hedge('check');
    await hedge('snapshot');
    expect(await codesOf(run, ['export --format csv', 'export --format csv --since 12h'])).toEqual([0, 0]);
  });

  it('of a largest size, which is not computed again when it is looked up', async () => {
    const { hedge, run } = await aBooksDesk();
    await hedge('open USDTNGN buy --max --tenor 3 --yes --no-wait --deal-id PAY-1');
    expect(await codesOf(run, ['wait PAY-1', 'check PAY-1', 'journal'])).toEqual([0, 0, 0]);
  });

  it('of exposures with the dates of a spreadsheet', async () => {
    const { clock, home, run } = await aBooksDesk();
    const [exposures, policy] = [join(home, 'exposures.csv'), join(home, 'policy.json')];
    const [year, month, day] = new Date(clock.now() + 2 * 86_400_000).toISOString().slice(0, 10).split('-');
    const row = `INV-1,${day}/${month}/${year},"25,000,000.00",receive,firm`;
    writeFileSync(exposures, `id,due,ngn,direction,certainty\n${row}\n`);
    const bucket = { from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 };
    writeFileSync(
      policy,
      JSON.stringify({ buckets: [bucket], before_days: 1, after_days: 1, forecast_weight_pct: 50 }),
    );
    const line = ['cover', exposures, '--policy', policy, '--dates', 'dmy', '--json'];
    expect((await run(line)).document()).toMatchObject({ data: { derived: { date_order: 'day_first' } } });
  });

  it('of practice time in which orders fail', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const lines = [
      'practice faults --failing-orders 100%',
      'open USDTNGN buy 1k --tenor 3 --yes --no-wait',
      'practice advance 1h',
    ];
    expect(await codesOf(cli.run, lines)).toEqual(ALL_WELL(lines));
  });

  it('of a roll, and of what its journal says of each leg', async () => {
    const { hedge } = await aBooksDesk();
    const lines = [
      'open USDTNGN buy 20k --tenor 3 --yes --note first',
      'add USDTNGN buy 1k --yes --note more',
      'roll USDTNGN buy --tenor 3 --at now --yes',
      'close USDTNGN buy --yes --note last',
    ];
    expect(await codesOf(hedge, lines)).toEqual(ALL_WELL(lines));
    const sent: readonly { action_id: string }[] = dataOf(await hedge('journal --json'));
    const after = [...sent.map(({ action_id: id }) => `journal ${id}`), 'report --since 7d', 'roll show'];
    expect(await codesOf(hedge, after)).toEqual(ALL_WELL(after));
  });

  it.each([
    ['is damaged', damageJournal],
    ['was put back', (home: string) => rewindJournal(home)],
    ['is a folder', makeFolder],
  ])('of a journal that %s', async (_how, harm) => {
    const cli = cliFor(await scriptedService([]));
    await cli.run(['halt', 'venue down']);
    await cli.run('unhalt --yes');
    harm(cli.home);
    expect(await codesOf(cli.run, ['', 'status'])).toEqual([0, 0]);
    expect(await codesOf(cli.run, ['audit verify'])).not.toEqual([0]);
  });

  it('of a quote whose costs are more than it hedges', async () => {
    const sent = aQuote();
    const cli = cliFor(
      await scriptedService([
        on('GET /account', ok(anAccount())),
        on(
          'POST /quotes',
          ok({ ...sent, carry: { ...Object(sent['carry']), total_usdc: 20_000 } }, QUOTE_META),
        ),
      ]),
    );
    expect((await cli.run('quote USDTNGN buy 10k --tenor 3 --json')).code).toBe(0);
  });
});
