import { describe, expect, it } from 'vitest';
import { aHedge, aMarket, anAccount, aQuote, MARKETS_META } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { csvLines } from '../support/csv.ts';
import { no, ok, on, raw, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

const HEDGES = [
  aHedge({ notional_usd: 0.1 }),
  aHedge({ id: 'hdg_2', side: 'sell', notional_usd: 0.2, client_reference: 'a\u001b[2J\nb' }),
];

/** One reading of two hedges, as the words after `hedges` show it. */
async function hedges(...words: readonly string[]) {
  const cli = cliFor(await scriptedService([on('GET /hedges?limit=100', ok(HEDGES))]));
  return cli.run(['hedges', ...words]);
}

describe('--query', () => {
  it.each([
    ['data[0].id', 'hdg_01JD8K\n'],
    ['data[].id', 'hdg_01JD8K\nhdg_2\n'],
    ['sum(data[].notional_usd)', '0.3\n'],
    ['meta.covers.count', '2\n'],
    ["data[?side == 'sell'].notional_usd", '0.2\n'],
    ['error', 'null\n'],
    ['data[0].{id: id, tx: nothing}.tx', 'null\n'],
    ["data[?side == 'none'] | [0]", 'null\n'],
    ['data[0].[id, nothing]', 'hdg_01JD8K\nnull\n'],
    ['meta.covers.maybe_truncated', 'false\n'],
    ['data[].{id: id, n: notional_usd}', '{"id":"hdg_01JD8K","n":0.1}\n{"id":"hdg_2","n":0.2}\n'],
  ])('%s is printed bare, for a shell', async (expression, out) => {
    expect(await hedges('--query', expression)).toMatchObject({ code: 0, out, err: '' });
  });

  it('keeps a text that others sent on one harmless line', async () => {
    const { out } = await hedges('--query', 'data[].client_reference');
    expect(out.split('\n')).toHaveLength(3);
    expect(out).not.toContain('\u001b');
  });

  it('has every digit that was sent', async () => {
    const body = '{"data":{"market":"USDTNGN","price":1530.1234567890123456789},"error":null,"meta":{}}';
    const cli = cliFor(await scriptedService([on('GET /prices?symbols=USDTNGN', raw(200, body))]));
    expect((await cli.run('price USDTNGN --query data.price')).out).toBe('1530.1234567890123456789\n');
  });

  it('gives JSON, a record a line or CSV of what it picks', async () => {
    const picks = ['--query', 'data[].{id: id, n: notional_usd}'];
    expect((await hedges(...picks, '--json')).document()).toEqual([
      { id: 'hdg_01JD8K', n: 0.1 },
      { id: 'hdg_2', n: 0.2 },
    ]);
    expect((await hedges('--query', 'data[].id', '--output', 'jsonl')).out).toBe('"hdg_01JD8K"\n"hdg_2"\n');
    expect(csvLines((await hedges(...picks, '--csv')).out)).toEqual([
      ['id', 'n'],
      ['hdg_01JD8K', '0.1'],
      ['hdg_2', '0.2'],
    ]);
    expect((await hedges('--query', 'data[].id', '--csv')).out).toBe('value\r\nhdg_01JD8K\r\nhdg_2\r\n');
    expect((await hedges('--query', 'error', '--json')).out).toBe('null\n');
  });

  it('keeps the columns of the list for whole records of it, whichever it picks', async () => {
    const whole = csvLines((await hedges('--csv')).out);
    const sells = csvLines((await hedges('--query', "data[?side == 'sell']", '--csv')).out);
    expect(sells).toEqual([whole[0], whole[2]]);
    expect(csvLines((await hedges('--query', 'data[0]', '--csv')).out)).toEqual(whole.slice(0, 2));
    expect(await hedges('--query', "data[?side == 'none']", '--csv')).toMatchObject({ code: 0, out: '' });
  });

  it('picks from what is no list too', async () => {
    const cli = cliFor(await scriptedService([on('GET /account', ok(anAccount()))]));
    expect((await cli.run('account --query data.balance_usdc')).out).toBe('41320\n');
  });

  it('picks from the document of a deal', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const line = 'open USDTNGN buy 10k --tenor 3 --yes --query';
    const ran = await cli.run([...line.split(' '), 'data.[outcome, request.notional_usd, hedge.status]']);
    expect(ran).toMatchObject({ code: 0, out: 'filled\n10000\nfilled\n' });
  });

  const REFUSED = [on('GET /account', no(400, 'bad_day'))];
  const DEAR = [on('POST /quotes', ok(aQuote())), on('GET /account', ok(anAccount()))];
  it.each([
    ['a refusal', 'account --query error.code', REFUSED, 3],
    ['a refusal, as JSON', 'account --json --query error.code', REFUSED, 3],
    ['a wrong line', 'account --query data --status x', [], 2],
  ])('prints nothing on %s: the exit code tells', async (_what, words, script, code) => {
    const ran = await cliFor(await scriptedService(script)).run(words);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).not.toBe('');
  });

  it.each([
    ['bare', '', '31\n'],
    ['as JSON', ' --json', '31\n'],
    ['as CSV', ' --csv', 'value\r\n31\r\n'],
  ])('has the answer where a bound does not hold, %s: what was asked is known', async (_, form, out) => {
    const words = `quote USDTNGN buy 10k -t 3 --max-cost-bps 1 --query data.derived.cost_bps${form}`;
    const ran = await cliFor(await scriptedService(DEAR)).run(words);
    expect(ran).toMatchObject({ code: 11, out });
    expect(ran.err).toContain('bps exceeds your limit');
  });

  it('picks from an examination that found something to repair', async () => {
    const ran = await testCli().run(['doctor', '--query', "data.checks[?verdict == 'fail'].check"]);
    expect(ran).toMatchObject({ code: 11, out: expect.stringMatching(/^profile$/m) });
  });

  it.each([
    [['open', 'USDTNGN', 'buy', '1k', '-t', '3', '--yes', '--query', '.data'], 'not a JMESPath expression'],
    [
      ['hedges', '--query', 'data[?status==`filled`]'],
      "Text is in single quotes: --query \"data[?status == 'filled'].id",
    ],
    [['account', '--query', 'nope(data)'], 'no such function'],
    [['account', '--query', 'data', '--output', 'table'], 'does not work with --output table'],
    [['account', '--query', 'data', '--query', 'meta'], '--query is given twice'],
  ])('is refused before anything is asked or sent: %j', async (words, said) => {
    const ran = await cliFor(await scriptedService([])).run(words);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(said);
  });

  it('that has no answer ends 74, and says that the command was done', async () => {
    const cli = cliFor(await scriptedService([on('GET /markets', ok([aMarket()], MARKETS_META))]));
    const ran = await cli.run(['markets', '--query', 'sum(data[].market)']);
    expect(ran).toMatchObject({ code: 74, out: '' });
    expect(ran.err).toContain('sum() needs a number, not string');
  });

  it.each([
    ['bare', []],
    ['as JSON', ['--json']],
    ['a record a line', ['--output', 'jsonl']],
    ['as CSV', ['--csv']],
  ])('that is a path to a field that is not there ends 74 and prints nothing, %s', async (_, form) => {
    const ran = await hedges('--query', 'data[0].notional', ...form);
    expect(ran).toMatchObject({ code: 74, out: '' });
    expect(ran.err).toContain('data[0] has no field "notional"');
  });

  it.each([
    ['data.hedges[].id', 'data has no field "hedges"'],
    ['data.hedges[*].id', 'data has no field "hedges"'],
    ['data.hedges[0:2].id', 'data has no field "hedges"'],
    ["data.hedges[?side == 'buy'].id", 'data has no field "hedges"'],
    ['data.hedges.*.id', 'data has no field "hedges"'],
    ['data.hedges.{id: id}', 'data has no field "hedges"'],
    ['data[0].nope[].id', 'data[0] has no field "nope"'],
    ['data.hedges[].id', 'It is a list: data[].'],
    ['data[0].nope[].id', 'has no field "nope". It has id, '],
    ['meta[].id', 'meta is not a list. It has '],
    ['nope[].id', 'the document has no field "nope". It has data, error, meta. Lists: data[].'],
    ['data[0].id[].id', 'data[0].id is not a list'],
    ['data.*', 'data is not an object'],
    ['data[].notional', 'data[] has no field "notional". Did you mean notional_usd?'],
    ['data[*].notional', 'data[] has no field "notional"'],
    ["data[?side == 'buy'].notional", 'data[] has no field "notional"'],
    ['data[].notional.rate', 'data[] has no field "notional"'],
    ['sum(data[].notional)', 'data[] has no field "notional"'],
    ['meta.covers.nope[].id', 'meta.covers has no field "nope"'],
  ])('that projects over what is not there ends 74: %s', async (query, said) => {
    const ran = await hedges('--query', query);
    expect(ran).toMatchObject({ code: 74, out: '' });
    expect(ran.err).toContain(said);
  });

  it.each([
    ['data[].{id: id, n: nothing}', '{"id":"a","n":null}\n{"id":"b","n":null}\n'],
    ['data[].at', '1\n'],
    ['data[].[id][].nothing', ''],
    ['data[].derived.rate', ''],
    ['data[].reason', ''],
    ['not_null(data[0].nothing, data[0].id)', 'a\n'],
  ])(
    'that projects to a field is a result where one record has it, or may have it: %s',
    async (query, out) => {
      const records = [
        { id: 'a', derived: null },
        { id: 'b', at: 1, derived: {} },
      ];
      const cli = cliFor(
        await scriptedService([on('GET /hedges?limit=100', ok(records.map((each) => aHedge(each))))]),
      );
      expect(await cli.run(['hedges', '--query', query])).toMatchObject({ code: 0, out, err: '' });
    },
  );

  it.each(['data[].id', "data[?side == 'buy'].id", 'data[0:2].id', 'data[].id | [0]'])(
    'that projects over an empty list is a result: %s',
    async (query) => {
      const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
      expect(await cli.run(['positions', '--query', query, '--json'])).toMatchObject({ code: 0 });
    },
  );

  it('that finds nothing in a deal ends 74 and sends the script to the journal: the deal was done', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const line = 'open USDTNGN buy 10k --tenor 3 --yes --query data.hedge_id';
    const ran = await cli.run(line.split(' '));
    expect(ran).toMatchObject({ code: 74, out: '' });
    expect(ran.err).toContain('data has no field "hedge_id"');
    expect(ran.err).toContain('hedge journal');
    expect((await cli.run(['positions', '--query', 'data[0].notional_usd'])).out).toBe('10000\n');
  });

  it('hides no outcome of a deal: one that a guard stopped keeps its own code', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const line = 'open USDTNGN buy 10k --tenor 3 --yes --max-cost-bps 0.01 --query data.hedge_id';
    const ran = await cli.run(line.split(' '));
    expect(ran).toMatchObject({ code: 10, out: '' });
    expect(ran.err).not.toContain('The query');
  });
});
