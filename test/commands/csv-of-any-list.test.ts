/** Every list of whatever a service may send, read back from its CSV by another program: it is what --json says. */
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactDigits, writeExactJson } from '../../src/domain/exact-json.ts';
import { anIntent, SENDING, step } from '../journal/records.ts';
import {
  aClosedHedge,
  aHedge,
  aMarket,
  anAccount,
  aPosition,
  aQuote,
  type Body,
  unspecified,
} from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { csvLines, differences } from '../support/csv.ts';
import { howMany } from '../support/goal.ts';
import { type Exchange, on, raw, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';
import { writeJournal } from '../support/written-journal.ts';

const ODD: readonly string[] = [
  '=1+1',
  '+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  "'=1",
  "''",
  '-',
  '\uff1d1',
  '',
  ' ',
  ' lead',
  'a,b',
  'say "hi"',
  '"',
  'two\nlines',
  'two\r\nlines',
  'a\rb',
  '\u001b[2J',
  '\u202eevil',
  '\u0000',
  '{"a":1}',
  '[1]',
  'null',
  'true',
  '1e5',
  '-5',
  '0012',
  '1,5',
  '2026-11-20T09:02:59Z',
  'PAY-8841',
];
const text = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary', maxLength: 12 }));
const figure = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 24 }))
  .map(([digits, places]) => new Big(`${digits.toString()}e-${places.toString()}`));
const value: fc.Arbitrary<unknown> = fc.oneof(
  text,
  figure,
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 2 }),
  fc.dictionary(text, figure, { maxKeys: 2, noNullPrototype: true }),
);
/** An answer without data cannot be read. */
const answer = value.filter((each) => each !== null);
const name = fc
  .oneof(
    fc.constantFrom(
      'a.b',
      '=x',
      'x y',
      'a\\b',
      'a\\.b',
      'hdg_1',
      'constructor',
      "'=x",
      'venue',
      'settled_at',
      ',',
    ),
    fc.string({ minLength: 1, maxLength: 6 }),
  )
  .filter((each) => !['__proto__', 'derived'].includes(each));
/** Fields that nobody told us about. */
const strange = fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });

/** A body with some of these of its fields as another service would have them, or not there at all. */
const varied = (body: Body, loose: readonly string[]): fc.Arbitrary<Body> =>
  fc
    .tuple(
      strange,
      fc.record(Object.fromEntries(loose.map((field) => [field, value])), { requiredKeys: [] }),
      fc.subarray([...loose]),
    )
    .map(([others, changed, gone]) => ({
      ...others,
      ...Object.fromEntries(Object.entries(body).filter(([field]) => !gone.includes(field))),
      ...Object.fromEntries(Object.entries(changed).filter(([field]) => !gone.includes(field))),
    }));

const guessedOf = (body: Body) => Object.keys(body);
const aFullPosition = aPosition(unspecified.position);
const aFullRecord = aClosedHedge(unspecified['closed hedge']);
const lists: Readonly<Record<string, fc.Arbitrary<Body>>> = {
  markets: fc
    .tuple(varied(aMarket(), []), text, figure)
    .map(([market, status, price]) => ({ ...market, status, price })),
  hedges: fc
    .tuple(varied(aHedge({ status: 'submitted' }), ['units_held']), fc.option(text), fc.option(figure), text)
    .map(([hedge, reference, rate, id]) => ({
      ...hedge,
      client_reference: reference,
      struck_rate: rate,
      id,
    })),
  positions: varied(aFullPosition, guessedOf(unspecified.position)),
  history: varied(aFullRecord, guessedOf(unspecified['closed hedge'])),
};
const LINES: Readonly<Record<string, { list: string; line: string; words: readonly string[] }>> = {
  markets: { list: 'markets', line: 'GET /markets', words: ['markets'] },
  hedges: { list: 'hedges', line: 'GET /hedges?limit=100', words: ['hedges'] },
  positions: { list: 'positions', line: 'GET /positions', words: ['positions'] },
  history: { list: 'history', line: 'GET /hedges/history', words: ['history'] },
  'history --chart': { list: 'history', line: 'GET /hedges/history', words: ['history', '--chart'] },
  'history --by day': { list: 'history', line: 'GET /hedges/history', words: ['history', '--by', 'day'] },
  'history --by side': { list: 'history', line: 'GET /hedges/history', words: ['history', '--by', 'side'] },
};

/** At one moment of the service's clock, whichever form is asked for. */
const DATE = { date: 'Fri, 20 Nov 2026 09:02:11 GMT' };
const sending = (line: string, data: unknown): Exchange =>
  on(line, raw(200, `{"data":${writeExactJson(data)},"error":null,"meta":{}}`, DATE));

/** Both forms of one command over the same answers. */
async function bothForms(words: readonly string[], script: readonly Exchange[]) {
  const cli = cliFor(await scriptedService([...script, ...script]));
  const csv = await cli.run([...words, '--csv']);
  const json = await cli.run([...words, '--json']);
  expect([csv.code, json.code, csv.err]).toEqual([0, 0, expect.anything()]);
  return { csv: csv.out, json: json.out };
}

const RUNS = { numRuns: howMany(12, 200) };

describe('the CSV of a list', () => {
  it.each(Object.entries(LINES))(
    'of %s is what --json says, whatever came',
    async (_name, { list, line, words }) => {
      const records = fc.array(lists[list] ?? fc.constant({}), { maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(records, async (sent) => {
          const { csv, json } = await bothForms(words, [sending(line, sent)]);
          expect(differences(csv, json)).toEqual([]);
        }),
        RUNS,
      );
    },
  );

  it('of quotes and of prices is what --json says, whatever came', async () => {
    await fc.assert(
      fc.asyncProperty(strange, answer, text, async (others, sent, note) => {
        const quote = (tenor: number) => aQuote({ ...others, tenor_days: tenor, note });
        const quoted = await bothForms(
          ['quote', 'USDTNGN', 'buy', '10000', '--tenor', '1,3'],
          [
            sending('POST /quotes', quote(1)),
            sending('POST /quotes', quote(3)),
            sending('GET /account', anAccount()),
          ],
        );
        expect(differences(quoted.csv, quoted.json)).toEqual([]);
        for (const words of [
          ['price', 'USDTAAA', 'USDTBBB'],
          ['price', 'USDTAAA', 'USDTBBB', '--chart'],
        ]) {
          const priced = await bothForms(words, [
            sending('GET /prices?symbols=USDTAAA', sent),
            sending('GET /prices?symbols=USDTBBB', { ...others, market: 'USDTBBB', price: 1.5 }),
          ]);
          expect(differences(priced.csv, priced.json)).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  it('of the journal is what --json says, and its columns are always the same', async () => {
    const columns = csvLines((await testCli().run('journal --csv')).out)[0];
    const facts = fc.dictionary(fc.string({ minLength: 1 }), fc.option(fc.string()), {
      maxKeys: 3,
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(facts, text, fc.option(figure), async (ends, word, bound) => {
        const cli = testCli();
        const digits = bound === null ? undefined : exactDigits(bound);
        writeJournal(cli.home, [
          anIntent({
            ...(word === '' ? {} : { deal_id: word, client_reference: word }),
            ...(digits === undefined ? {} : { bounds: { max_cost_bps: digits } }),
            quote: { maturity_at: word, cost_usdc: digits ?? null },
            sent_by: ['open', word],
          }),
          step(SENDING, '7c1e', 1),
          step({ kind: 'outcome', outcome: 'changed', facts: ends }, '7c1e', 2),
        ]);
        const [csv, json] = [await cli.run('journal --csv'), await cli.run('journal --json')];
        expect(differences(csv.out, json.out)).toEqual([]);
        expect(csvLines(csv.out)[0]).toEqual(columns);
      }),
      RUNS,
    );
  });

  it.each([
    ['markets', lists['markets']],
    ['positions', lists['positions']],
  ])('of %s begins with the same columns whatever came', async (list, each) => {
    const { line, words } = LINES[list] ?? { line: '', words: [] };
    const [header = []] = csvLines((await bothForms(words, [sending(line, [])])).csv);
    await fc.assert(
      fc.asyncProperty(fc.array(each ?? fc.constant({}), { maxLength: 2 }), async (sent) => {
        const { csv } = await bothForms(words, [sending(line, sent)]);
        expect(csvLines(csv)[0]?.slice(0, header.length)).toEqual(header);
      }),
      RUNS,
    );
  });
});
