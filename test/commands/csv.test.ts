import { describe, expect, it } from 'vitest';
import { ACCEPTED, anIntent, FILLED, idOf, REFUSED, SENDING, step } from '../journal/records.ts';
import {
  aClosedHedge,
  aHedge,
  aMarket,
  anAccount,
  aPosition,
  aQuote,
  MARKETS_META,
  unspecified,
} from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { csvLines, differences, filled, readCsv, recordsOf } from '../support/csv.ts';
import { type Exchange, no, ok, on, raw, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';
import { writeJournal } from '../support/written-journal.ts';

const EXACT = '{"id":"hdg_2","market":"USDTNGN","side":"sell","notional_usd":10000.000000000000000001';
const aHedgeWithDigits = `${EXACT},"tenor_days":3,"status":"submitted","units":12345678901234567890}`;

const LISTS: readonly (readonly [string, readonly Exchange[]])[] = [
  ['markets', [on('GET /markets', ok([aMarket(), aMarket({ market: 'USDTKES', tier: 'b' })], MARKETS_META))]],
  ['price USDTNGN', [on('GET /prices?symbols=USDTNGN', ok({ market: 'USDTNGN', price: 1530.1 }))]],
  [
    'price USDTNGN USDTKES',
    [
      on('GET /prices?symbols=USDTNGN', ok({ market: 'USDTNGN', price: 1530.1 })),
      on('GET /prices?symbols=USDTKES', ok({ market: 'USDTKES', price: 129.5, at: '2026-11-20T09:00:00Z' })),
    ],
  ],
  [
    'quote USDTNGN buy 10000 --tenor 1,3',
    [
      on('POST /quotes', ok(aQuote({ tenor_days: 1 }))),
      on('POST /quotes', ok(aQuote({ note: '=1+1' }))),
      on('GET /account', ok(anAccount())),
    ],
  ],
  [
    'hedges',
    [
      on(
        'GET /hedges?limit=100',
        raw(200, `{"data":[${JSON.stringify(aHedge())},${aHedgeWithDigits}],"error":null,"meta":{}}`),
      ),
    ],
  ],
  ['hedges hdg_01JD8K', [on('GET /hedges/hdg_01JD8K', ok(aHedge({ client_reference: 'a,"b"\nc' })))]],
  [
    'history',
    [
      on(
        'GET /hedges/history',
        ok([
          aClosedHedge(unspecified['closed hedge']),
          aClosedHedge({ venue: { book: 7, route: ['x', 1] } }),
        ]),
      ),
    ],
  ],
  ['positions', [on('GET /positions', ok([aPosition(unspecified.position), aPosition()]))]],
];

describe('--csv', () => {
  it.each(LISTS)('%s: read back by another program, it is what --json says', async (words, script) => {
    const cli = cliFor(await scriptedService([...script, ...script]));
    const [csv, json] = [await cli.run(`${words} --csv`), await cli.run(`${words} --json`)];
    expect([csv.code, json.code]).toEqual([0, 0]);
    expect(differences(csv.out, json.out)).toEqual([]);
    expect(recordsOf(json.out).length).toBeGreaterThan(0);
  });

  it('of the journal: read back, it is what --json says', async () => {
    const cli = testCli();
    writeJournal(cli.home, [
      anIntent({ action_id: idOf('aaaa'), deal_id: '+PAY-1', quote: { price_impact_usd: '-6' } }),
      step(SENDING, 'aaaa', 1),
      step(ACCEPTED, 'aaaa', 2),
      step(FILLED, 'aaaa', 3),
      anIntent({ action_id: idOf('bbbb') }),
      step(SENDING, 'bbbb', 1),
      step(REFUSED, 'bbbb', 2),
    ]);
    for (const words of ['journal', 'journal aaaa']) {
      const [csv, json] = [await cli.run(`${words} --csv`), await cli.run(`${words} --json`)];
      expect(differences(csv.out, json.out)).toEqual([]);
      expect(readCsv(csv.out).at(-1)).toMatchObject({
        deal_id: "'+PAY-1",
        'quote.price_impact_usd': '-6',
        ended_as: '{"struck_rate":"1532.71"}',
      });
    }
  });

  it('of the journal has the same columns whatever became of which hedge', async () => {
    const sides = [{ hdg_1: '5000', hdg_2: '0' }, { hdg_3: '1' }, { status: 'filled' }];
    const headers = [];
    for (const facts of sides) {
      const cli = testCli();
      writeJournal(cli.home, [
        anIntent({ action: 'reduce', path: '/hedges/reduce', quote: { net_margin_usd: '1' } }),
        step(SENDING, '7c1e', 1),
        step({ kind: 'outcome', outcome: 'changed', facts }, '7c1e', 2),
      ]);
      for (const words of ['journal', 'journal 7c1e'])
        headers.push(csvLines((await cli.run(`${words} --csv`)).out)[0]);
    }
    headers.push(csvLines((await testCli().run('journal --csv')).out)[0]);
    expect(new Set(headers.map(String)).size).toBe(1);
  });

  it('of profiles has a column for each limit, kept or not, and no key', async () => {
    const cli = testCli();
    const bare = await cli.run('profile list --csv');
    const add = 'profile add desk --base-url https://partner.test/v2 --key-stdin --no-check';
    await cli.run(add, { stdin: 'hk_test_forTestsAlone0001' });
    await cli.run('profile limit desk --max-notional 100k --markets USDTNGN');
    const [csv, json] = [await cli.run('profile list --csv'), await cli.run('profile list --json')];
    expect(differences(csv.out, json.out)).toEqual([]);
    expect(csvLines(csv.out)[0]).toEqual(csvLines(bare.out)[0]);
    expect(filled(readCsv(csv.out))[2]).toMatchObject({
      name: 'desk',
      'limits.max_notional_usd': '100000',
      'limits.markets': '["USDTNGN"]',
    });
    expect(csv.out).not.toContain('forTestsAlone');
  });

  it.each<[string, unknown, Readonly<Record<string, string>>]>([
    ['an object', { market: 'USDTNGN', price: 1530.1 }, { market: 'USDTNGN', price: '1530.1' }],
    ['a list of one', [{ market: 'USDTNGN', price: 1530.1 }], { market: 'USDTNGN', price: '1530.1' }],
    ['a map', { USDTNGN: 1530.1 }, { sent: '{"USDTNGN":1530.1}' }],
    ['a bare number', 1530.1, { sent: '1530.1' }],
  ])('of a price that came as %s has market and price first, and the same columns', async (_s, sent, row) => {
    const cli = cliFor(await scriptedService([on('GET /prices?symbols=USDTNGN', ok(sent))]));
    const { out } = await cli.run('price usdtngn --csv');
    expect(csvLines(out)[0]).toEqual(['market', 'price', 'derived.market', 'derived.mid', 'sent']);
    expect(filled(readCsv(out))).toEqual([{ ...row, 'derived.market': 'USDTNGN', 'derived.mid': '1530.1' }]);
  });

  it('has the same columns in the same order whatever came', async () => {
    const script = [
      on('GET /hedges/history', ok([aClosedHedge(unspecified['closed hedge'])])),
      on('GET /hedges/history', ok([aClosedHedge({ extra: 1 })])),
      on('GET /hedges/history', ok([])),
    ];
    const cli = cliFor(await scriptedService(script));
    const names = [];
    for (const _ of script) names.push(csvLines((await cli.run('history --csv')).out)[0]);
    const [full, bare, empty] = names;
    expect(bare).toEqual([...(full ?? []), 'extra']);
    expect(empty).toEqual(full);
  });

  it('says on standard error what the list may lack, and nothing but the list on standard output', async () => {
    const cli = cliFor(await scriptedService([on('GET /hedges?limit=1', ok([aHedge()]))]));
    const ran = await cli.run('hedges --limit 1 --csv');
    expect(ran.out.split('\r\n')).toHaveLength(3);
    expect(ran.err).toBe('1 returned; the service may have more. Ask for more: --limit 500\n');
  });

  it.each([
    ['a refusal', 'positions --csv', [on('GET /positions', no(400, 'bad_day'))], 3],
    ['a wrong line', 'positions --csv --status x', [], 2],
  ])('writes nothing at all on %s', async (_what, words, script, code) => {
    const ran = await cliFor(await scriptedService(script)).run(words);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).not.toBe('');
  });

  it('writes the quote whose bound does not hold: it is what was asked about', async () => {
    const words = 'quote USDTNGN buy 10k -t 3 --max-cost-bps 1 --csv';
    const ran = await cliFor(await scriptedService(QUOTED())).run(words);
    expect(ran.code).toBe(11);
    expect(csvLines(ran.out)).toHaveLength(2);
    expect(ran.err).toContain('exceeds your limit of');
  });

  it.each(['profile show', 'practice status', 'open USDTNGN buy 1k -t 3'])(
    'is refused by %s, which shows no list',
    async (words) => {
      const ran = await cliFor(await scriptedService([])).run(`${words} --csv`);
      expect(ran).toMatchObject({ code: 2, out: '' });
      expect(ran.err).toContain('CSV needs one');
    },
  );
});

describe('--output', () => {
  it.each([
    ['json', '--json'],
    ['csv', '--csv'],
    ['table', ''],
    ['JSON', '--json'],
  ])('%s is the same as its short form', async (form, short) => {
    const each = on('GET /markets', ok([aMarket()], MARKETS_META));
    const cli = cliFor(await scriptedService([each, each, each]));
    const outs = [];
    for (const words of [`markets --output ${form}`, `--output=${form} markets`, `markets ${short}`])
      outs.push((await cli.run(words)).out.replace(/\d\d:\d\d:\d\d/g, ''));
    expect(new Set(outs).size).toBe(1);
  });

  it('jsonl writes each record on its own line', async () => {
    const sent = [aHedge(), aHedge({ id: 'hdg_2' })];
    const cli = cliFor(await scriptedService([on('GET /hedges?limit=100', ok(sent))]));
    const { out } = await cli.run('hedges --output jsonl');
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(sent);
  });

  it('jsonl writes what is no list as one line, and nothing on failure', async () => {
    const cli = cliFor(
      await scriptedService([on('GET /account', ok(anAccount())), on('GET /account', no(400, 'bad_day'))]),
    );
    expect(JSON.parse((await cli.run('account --output jsonl')).out)).toEqual(anAccount());
    expect(await cli.run('account --output jsonl')).toMatchObject({ code: 3, out: '' });
  });

  it.each([
    ['markets --json --csv', '--json and --csv both set'],
    ['markets --csv --output csv', '--csv and --output both set'],
    ['markets --output yaml', '"yaml" is not an output format'],
    ['markets --output', '--output needs a value'],
  ])('refuses %s', async (words, said) => {
    const ran = await cliFor(await scriptedService([])).run(words);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(said);
  });

  it('json is the form of a wrong line too', async () => {
    const ran = await cliFor(await scriptedService([])).run('hedges --output json --limit 0');
    expect(ran.code).toBe(2);
    expect(ran.document()).toMatchObject({ data: null, error: { code: 'usage' } });
  });
});

function QUOTED(): readonly Exchange[] {
  return [on('POST /quotes', ok(aQuote())), on('GET /account', ok(anAccount()))];
}
