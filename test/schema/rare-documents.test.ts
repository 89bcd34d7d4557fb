/**
 * Documents of states that other tests look at on a screen alone: their branches are seen here, each compared with its schema.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aClosedHedge, aHedge, anAccount, aQuote, QUOTE_META } from '../spec/bodies.ts';
import { aBooksDesk, aWeek, dataOf } from '../support/books-desk.ts';
import { cliFor, SANDBOX_KEY } from '../support/cli-for.ts';
import { deskOfMachines } from '../support/desk-machines.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';
import { loopbackTls } from '../support/tls.ts';
import { damageJournal, rewindJournal } from '../support/written-journal.ts';

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

describe('a document is as its schema says', () => {
  it('of a week in the books', async () => {
    const { hedge } = await aWeek();
    for (const by of ['deal', 'prefix', 'side', 'operator', 'market', 'day'])
      await hedge(`report --since 7d --by ${by} --json`);
    for (const period of ['--since 7d', '--since 7d --until today', '--day', '--month'])
      await hedge(`report ${period} --json`);
    await hedge('export --format csv --json');
    await hedge('export --format hledger --since 2d --until today --json');
    for (const by of ['day', 'week', 'month', 'market', 'side']) await hedge(`history --by ${by} --json`);
    await hedge('reconcile --json');
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
    for (const _each of script) expect((await cli.run(`${words} --json`)).code).toBe(0);
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
    const words = ['day', 'week', 'month', 'market', 'side'].map((by) => `history --by ${by} --json`);
    const cli = cliFor(await scriptedService(words.map(() => on('GET /hedges/history', ok(sent)))));
    for (const each of words) expect((await cli.run(each)).code).toBe(0);
  });

  it('of a desk, and of its journal', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await ada.ok('desk status --json');
    await ada.ok('desk limit --max-notional 100k --max-daily-notional 1m --max-open 5m --json');
    const dayo = await desk.joined('dayo', { role: 'approver' });
    await dayo.ok('desk limit --max-open none --json');
    await ada.ok('open USDTNGN buy 1k --tenor 3 --deal-id PAY-1 --yes --json');
    await ada.ok(['halt', 'venue down', '--json'], { env: { HEDGE_OPERATOR: 'Ada O.' } });
    for (const words of [
      '--json',
      'status --json',
      'journal --json',
      'profile show --json',
      'journal halts --json',
      'desk status --json',
      'audit verify --json',
    ])
      await ada.ok(words);
    await dayo.ok('unhalt --yes --json');
    const bisi = await desk.machine('bisi');
    await bisi.ok(['desk', 'join', bisi.url, '--ca-file', desk.caFile, '--json']);
    await bisi.ok('desk leave --yes --json');
    await bisi.run('desk status --json');
    await bisi.run('desk limit --json');
    const chi = await desk.machine('chi');
    await chi.run('desk status --json');
  });

  it('of a machine that has nothing yet, and of one with a profile of each kind', async () => {
    const cli = testCli();
    for (const words of [
      'schema --json',
      'schema batch --json',
      'audit verify --json',
      'journal halts --json',
      'history --json',
      `journal export ${join(cli.home, 'out.jsonl')} --json`,
      'desk status --json',
      'audit checkpoint --json',
    ])
      await cli.run(words);
    const [ca, key] = [join(cli.home, 'ca.pem'), join(cli.home, 'key')];
    writeFileSync(key, SANDBOX_KEY, { mode: 0o600 });
    writeFileSync(ca, (await loopbackTls()).ca);
    await cli.run([
      ...[
        'profile',
        'add',
        'bank',
        '--base-url',
        'https://bank.test/partner/v2',
        '--key-command',
        JSON.stringify(['cat', key]),
      ],
      ...['--ca-file', ca, '--no-check', '--json'],
    ]);
    for (const words of [
      'profile list --json',
      'profile show bank --json',
      'profile use bank --json',
      'status --json',
      '--json',
    ])
      await cli.run(words);
  });

  it('of a roll, and of what its journal says of each leg', async () => {
    const { hedge } = await aBooksDesk();
    await hedge('open USDTNGN buy 20k --tenor 3 --yes --note first --json');
    await hedge('add USDTNGN buy 1k --yes --json --note more');
    await hedge('roll USDTNGN buy --tenor 3 --at now --yes --json');
    await hedge('close USDTNGN buy --yes --json --note last');
    const sent: readonly { action_id: string }[] = dataOf(await hedge('journal --json'));
    for (const { action_id: id } of sent) await hedge(`journal ${id} --json`);
    await hedge('report --since 7d --json');
    await hedge('roll show --json');
    await hedge('practice advance 5d --json');
  });

  it('of a journal that may lack records', async () => {
    const service = await scriptedService([]);
    for (const harm of [damageJournal, rewindJournal]) {
      const cli = cliFor(service);
      await cli.run(['halt', 'venue down', '--json']);
      await cli.run('unhalt --yes --json');
      harm(cli.home);
      for (const words of ['--json', 'status --json', 'journal --json', 'audit verify --json'])
        await cli.run(words);
    }
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
