import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { parseExactJson, writeExactJson } from '../../src/domain/exact-json.ts';
import { OutputError, UsageError } from '../../src/errors.ts';
import { readQuery } from '../../src/output/query/query.ts';

const BOOK = parseExactJson(`{
  "data": [
    {"id":"h1","side":"buy","notional_usd":10000.1,"net_pnl_usd":0.1,"price":1530.1234567890123456789},
    {"id":"h2","side":"sell","notional_usd":9000,"net_pnl_usd":0.2,"price":1530.1234567890123456788,"tags":["a","b"]},
    {"id":"h10","side":"buy","notional_usd":10000.10,"net_pnl_usd":-0.3,"price":1e3,"constructor":null}
  ],
  "error": null,
  "meta": { "covers": { "count": 3 }, "big": 12345678901234567890123 }
}`);

/** What the expression finds in the book, as JSON with every digit. */
const found = (expression: string): string => writeExactJson(readQuery(expression)(BOOK));

/** A list of 500 hedges: enough for whatever grows with it. */
const MANY = parseExactJson(
  JSON.stringify({
    data: Array.from({ length: 500 }, (_, at) => ({ id: `h${at}`, n: at, text: 'x '.repeat(200) })),
  }),
);

const A_BUSY_MACHINE_MS = 120_000;

describe('a query that would never end', () => {
  const piped = (count: number, part: string): string =>
    Array.from({ length: count }, () => part).join(' | ');

  it.each([
    ['doubles its result', piped(500, '[@,@]')],
    ['doubles a flat list', piped(300, '[@,@][]')],
    ['compares what was doubled', `${piped(40, '[@,@]')} | @ == @`],
    ['spells what was doubled', `${piped(40, '[@,@]')} | to_string(@)`],
    ['doubles a text', `'12345678' | ${piped(100, "join('',[@,@])")}`],
    ['pads a text', "pad_left('a', `1000000000`)"],
    ['replaces for ever', "replace('aaaa','a','b',`1000000000`)"],
    ['replaces each letter by all', `'aaaaaaaaaaaaaaaa' | ${piped(30, "replace(@,'a',@)")}`],
    ['multiplies without end', `\`12345\` | ${piped(200, '@*@')}`],
    ['reads the list for each of it, twice over', 'data[].{x: $.data[].{y: $.data[].id}}'],
    ['maps within a map within a map', 'map(&map(&map(&n, $.data), $.data), data)'],
    ['does so behind a name', 'let $d = data in $d[].{x: $d[].{y: $d[].id}}'],
  ])('is ended where it %s', (_, expression) => {
    expect(() => readQuery(expression, { limitMs: 50 })(MANY)).toThrow(OutputError);
  });

  it.each([
    ['the whole document', '@'],
    ['a list looked for in another', 'data[?contains($.data[].id, id)].id'],
    ['a list compared with itself', 'data[].{b: let $c = id in $.data[?id == $c].n}'],
    ['64 lists in each other', `${'['.repeat(64)}@${']'.repeat(64)}`],
    ['a long chain', piped(500, '@')],
  ])('is not one that asks for %s', (_, expression) => {
    expect(() => readQuery(expression, { limitMs: A_BUSY_MACHINE_MS })(MANY)).not.toThrow();
  });

  it.each([
    ['nested deeper than the library reads', '!'.repeat(4_000), 'not a JMESPath expression'],
    ['of a chain longer than the library reads', `data${'[]'.repeat(2_000)}`, 'nested too deep'],
    ['with a figure that is none', '`1e999999`', 'Invalid number'],
  ])('is refused before the command where it is %s', (_, expression, says) => {
    expect(() => readQuery(expression)).toThrow(UsageError);
    expect(() => readQuery(expression)).toThrow(says);
  });
});

describe('a query', () => {
  it.each([
    ['data[0].price', '1530.1234567890123456789'],
    ['meta.big', '12345678901234567890123'],
    [
      'data[].{id: id, p: price}',
      '[{"id":"h1","p":1530.1234567890123456789},{"id":"h2","p":1530.1234567890123456788},{"id":"h10","p":1000}]',
    ],
    ['data[*].id', '["h1","h2","h10"]'],
    ['data[-1].id', '"h10"'],
    ['data[::2].id', '["h1","h10"]'],
    ['data[1].tags[]', '["a","b"]'],
    ['error', 'null'],
    ['error.code', 'null'],
    ['data[2].constructor', 'null'],
    ['data[0].nothing || error', 'null'],
    ['data[?id == `1`] | [0]', 'null'],
    ['data[?tags].id', '["h2"]'],
    [
      'data[?price > `100` && to_string(price) != \'1530.1234567890123456\' && side == `"buy"`].id',
      '["h1","h10"]',
    ],
    ['@ | meta.covers', '{"count":3}'],
    ['let $side = data[0].side in data[?side == $side].id', '["h1","h10"]'],
  ])('%s picks %s', (expression, picked) => {
    expect(found(expression)).toBe(picked);
  });

  it.each([
    ['sum(data[].net_pnl_usd)', '0'],
    ['sum(data[:2].net_pnl_usd)', '0.3'],
    ['data[0].net_pnl_usd + data[1].net_pnl_usd', '0.3'],
    ['data[0].price - data[1].price', '0.0000000000000000001'],
    ['data[0].net_pnl_usd * `3`', '0.3'],
    ['`10` / `4`', '2.5'],
    ['`1` / `3`', '0.333333333333'],
    ['`-7` // `2`', '-4'],
    ['`7` // `2`', '3'],
    ['`7` % `4`', '3'],
    ['-data[0].price', '-1530.1234567890123456789'],
    ['avg(data[:2].net_pnl_usd)', '0.15'],
    ['avg(`[]`)', 'null'],
    ['abs(data[2].net_pnl_usd)', '0.3'],
    ['ceil(`1.2`)', '2'],
    ['ceil(`-1.2`)', '-1'],
    ['floor(`1.8`)', '1'],
    ['floor(`-1.2`)', '-2'],
    ['max(data[].price)', '1530.1234567890123456789'],
    ['min(data[].price)', '1000'],
    ['max(data[].id)', '"h2"'],
    ['sort(data[].notional_usd)', '[9000,10000.1,10000.1]'],
    ['sort(data[].id)', '["h1","h10","h2"]'],
    ['sort_by(data, &price)[].id', '["h10","h2","h1"]'],
    ['max_by(data, &net_pnl_usd).id', '"h2"'],
    ['min_by(data, &net_pnl_usd).id', '"h10"'],
    ['length(data)', '3'],
    ["length('₦10')", '3'],
    ['to_number(`"0.1"`) + `0.2`', '0.3'],
    ["to_number('hdg_1')", 'null'],
    ['to_string(data[0].price)', '"1530.1234567890123456789"'],
    ["join(',', data[].to_string(net_pnl_usd))", '"0.1,0.2,-0.3"'],
    ['type(data[0].price)', '"number"'],
    ['type(data)', '"array"'],
    ["pad_left(data[0].id, `5`, '.')", '"...h1"'],
  ])('%s computes %s exactly', (expression, computed) => {
    expect(found(expression)).toBe(computed);
  });

  it.each([
    ['data[?notional_usd > `9000`].id', '["h1","h10"]'],
    ['data[?notional_usd >= `9000`].id', '["h1","h2","h10"]'],
    ['data[?net_pnl_usd < `0`].id', '["h10"]'],
    ['data[?net_pnl_usd <= `0.1`].id', '["h1","h10"]'],
    ['data[?notional_usd == `10000.10`].id', '["h1","h10"]'],
    ['data[?notional_usd != `9000.0`].id', '["h1","h10"]'],
    ['data[0].price == data[1].price', 'false'],
    ['data[0].price > data[1].price', 'true'],
    ["data[?side == 'buy' && net_pnl_usd > `0`].id", '["h1"]'],
    ['contains(data[].notional_usd, `10000.1`)', 'true'],
    ['length(data) == `3`', 'true'],
    ['data[0] == data[0]', 'true'],
    ['`{"a":1,"b":[2]}` == `{"b":[2.0],"a":1}`', 'true'],
    ['`{}` == `[]`', 'false'],
    ['data[0].id > `1`', 'null'],
  ])('%s is %s', (expression, holds) => {
    expect(found(expression)).toBe(holds);
  });

  it.each([
    ['nothing', 'the document has no field "nothing"'],
    ['data[0].nothing', 'data[0] has no field "nothing"'],
    ['data[0].nothing.below', 'data[0] has no field "nothing"'],
    ['data[0].pirce', 'data[0] has no field "pirce". Did you mean price?'],
    ['(data[0]).nothing', 'data[0] has no field "nothing"'],
    ['@.data[0].nothing', 'data[0] has no field "nothing"'],
    ['$.meta."no thing"', 'meta has no field "no thing"'],
    ['data[9].id', 'data has no element 9'],
    ['data[-4]', 'data has no element -4'],
    ['meta[0]', 'meta has no element 0'],
    ['data.id', 'data has no field "id"'],
    ['data[0].id.length', 'data[0].id has no field "length"'],
    ['data[0].constructor', 'data[0] has no field "constructor"'],
    ['data[0].__proto__', 'data[0] has no field "__proto__"'],
    ['data.length', 'data has no field "length"'],
    ['meta.toString', 'meta has no field "toString"'],
  ])('%s is a path to nothing: %s', (expression, said) => {
    expect(() => found(expression)).toThrow(OutputError);
    expect(() => found(expression)).toThrow(said);
  });

  it('sees nothing of an object that it did not make itself', () => {
    expect(found('{a: `1`}.constructor')).toBe('null');
  });

  it.each([
    ['.data[]', 'not a JMESPath expression'],
    ['data[', 'not a JMESPath expression'],
    ['', 'not a JMESPath expression'],
    ['total(data)', 'no such function'],
    ['data[?price == `1530.1234567890123456789`]', 'more digits'],
    ["data[?id != '`' && price == `1530.1234567890123456789`]", 'more digits'],
  ])('%j is refused before anything is asked', (expression, said) => {
    expect(() => readQuery(expression)).toThrow(UsageError);
    expect(() => readQuery(expression)).toThrow(said);
  });

  it.each([
    'sum(data)',
    'sum(data[].id)',
    'data[0].id + `1`',
    '`1` / `0`',
    '`1` % `0`',
    'sort_by(data, &tags)',
    "join(',', data[].price)",
    'upper(data[0].price)',
    'length(data[0].price)',
  ])('%s has no answer, and says that the command was done', (expression) => {
    expect(() => found(expression)).toThrow(OutputError);
    expect(() => found(expression)).toThrow('The command itself had run; only its output is missing.');
  });

  it('leaves the document as it was', () => {
    const document = { data: [{ price: new Big('1.5') }] };
    readQuery('sort_by(data, &price)')(document);
    expect(document.data[0]?.price).toBeInstanceOf(Big);
  });
});
