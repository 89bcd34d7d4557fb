/** What may stand in a batch, and what is said of a line that may not. */
import { describe, expect, it } from 'vitest';
import { readBatchLines, wordsOfJson } from '../../../src/cli/batch/read-lines.ts';
import type { Command } from '../../../src/commands/define.ts';
import { loadCommands } from '../../../src/commands/registry.ts';
import { hintText } from '../../../src/domain/hint.ts';
import { UsageError } from '../../../src/errors.ts';

const TERMS = { name: undefined, yes: false, dryRun: false };

async function refusal(reading: Promise<unknown>): Promise<UsageError> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const saidOf = async (text: string): Promise<string> => {
  const { what, hint } = await refusal(readBatchLines(text, TERMS));
  return `${what}\n${hintText(hint)}`;
};

describe('a command', () => {
  it('runs in a batch unless it is one of these, and alone if it acts or settles', async () => {
    const commands = (await loadCommands()).filter(({ name }) => !name.includes(' '));
    const named = (kind: Command['inBatch']): readonly string[] =>
      commands.filter(({ inBatch }) => inBatch === kind).map(({ name }) => name);
    expect(named('action')).toEqual(['open', 'add', 'reduce', 'close']);
    expect(named('step')).toEqual(['check', 'resume', 'wait']);
    const outside = [
      'watch',
      'batch',
      'halt',
      'unhalt',
      'roll',
      'snapshot',
      'report',
      'reconcile',
      'export',
      'status',
      'desk',
      'doctor',
      'api',
      'schema',
      'mcp',
      'completion',
      'version',
    ];
    expect(named(undefined)).toEqual(outside);
  });

  it('of a group runs in no batch, but for the journal itself', async () => {
    const grouped = (await loadCommands()).filter(({ name }) => name.includes(' '));
    expect(grouped.filter(({ inBatch }) => inBatch !== undefined)).toEqual([]);
  });
});

describe('a JSON object', () => {
  it.each<[string, string]>([
    [
      '{"command":"open","market":"USDTNGN","side":"buy","notional_usd":"10000","tenor_days":3,"deal_id":"PAY-1","worst_price":"1535"}',
      'open --tenor=3 --deal-id=PAY-1 --worst-price=1535 -- USDTNGN buy 10000',
    ],
    [
      '{"command":"add","market":"USDTNGN","side":"buy","notional_usd":10000.50,"any_price":true,"wait":false,"yes":false}',
      'add --any-price --no-wait -- USDTNGN buy 10000.5',
    ],
    [
      '{"command":"open","market":"USDTNGN","side":"buy","notional_usd":12345678901.23,"tenor_days":7,"worst_price":1535.12345678}',
      'open --tenor=7 --worst-price=1535.12345678 -- USDTNGN buy 12345678901.23',
    ],
    ['{"command":"reduce","market":"USDTNGN","side":"sell","by":"50%"}', 'reduce --by=50% -- USDTNGN sell'],
    [
      '{"command":"quote","market":"USDTNGN","side":"buy","notional_usd":"10k","tenor_days":[1,3]}',
      'quote --tenor=1,3 -- USDTNGN buy 10k',
    ],
    ['{"command":"price","market":["USDTNGN","USDTKES"]}', 'price -- USDTNGN USDTKES'],
    ['{"command":"resume","action_id":"7c1e","resend":true}', 'resume --resend -- 7c1e'],
    ['{"command":"hedges","deal_id":"--json"}', 'hedges --deal-id=--json --'],
    ['{"command":"account"}', 'account --'],
  ])('%s is the line that says the same', async (json, words) => {
    expect((await wordsOfJson(json)).join(' ')).toBe(words);
  });

  it.each([
    ['{"market":"USDTNGN"}', '"command" is missing'],
    ['{"command":"batch","file":"x"}', 'does not name a batch command'],
    ['{"command":"profile"}', 'does not name a batch command'],
    ['{"command":"toString"}', 'does not name a batch command'],
    ['{"command":"account","market":"USDTNGN"}', 'no field "market"'],
    ['{"command":"account","profile":"desk"}', 'no field "profile"'],
    ['{"command":"open","idempotency-key":"k"}', 'no field "idempotency-key"'],
    ['{"command":"open","market":"USDTNGN","notional_usd":"10k"}', '"side" is missing'],
    ['{"command":"open","market":"USDTNGN","side":"buy","notional_usd":null}', '"notional_usd" is neither'],
    ['{"command":"open","market":["USDTNGN"],"side":"buy"}', '"market" is neither'],
    ['{"command":"open","any_price":"yes"}', '"any_price" is true or false'],
    ['{"command":"open","worst_price":true}', '"worst_price" is neither'],
    ['{"command":"open","deal_id":""}', '"deal_id" is neither'],
    ['{"command":"open","notional_usd":1e99}', 'not one JSON object'],
    ['{"command":"open","side":"buy","side":"sell"}', "Duplicate key 'side'"],
    ['{"command":"open"} {"command":"open"}', 'not one JSON object'],
    ['{"command":"open"', 'not one JSON object'],
  ])('%s is refused', async (json, says) => {
    expect((await refusal(wordsOfJson(json))).what).toContain(says);
  });
});

describe('a line of a batch', () => {
  it('is a command line with or without hedge, an object, a comment or nothing', async () => {
    const text = [
      '\u{feff}# quotes',
      'hedge quote USDTNGN buy 10k -t 3',
      '',
      '   ',
      '  {"command":"account"}  ',
      "hedges 'PAY 1' # one",
    ].join('\r\n');
    const lines = await readBatchLines(text, TERMS);
    expect(lines.map(({ number, kind, command }) => [number, kind, command.name])).toEqual([
      [2, 'reading', 'quote'],
      [5, 'reading', 'account'],
      [6, 'reading', 'hedges'],
    ]);
  });

  it.each([
    ['--profile live account', 'the same for every line'],
    ['account --profile live', 'the same for every line'],
    ['account --expect-env live', 'the same for every line'],
    ['account --query data', 'the same for every line'],
    ['account --output csv', 'the same for every line'],
    ['account --json', 'the same for every line'],
    ['account -q', 'the same for every line'],
    ['account --verbose', 'the same for every line'],
    ['account --no-color', 'the same for every line'],
    ['positions --wide', 'the same for every line'],
    ['positions --columns side', 'the same for every line'],
    ['batch other.txt', 'hedge batch does not run in a batch'],
    ['practice serve', 'hedge practice serve does not run in a batch'],
    ['profile use live', 'hedge profile use does not run in a batch'],
    ['halt "venue down"', 'hedge halt does not run in a batch'],
    ['unhalt', 'hedge unhalt does not run in a batch'],
    ['journal resolve 7c1e --as executed --reason x', 'hedge journal resolve does not run in a batch'],
    ['hedge', 'hedge does not run in a batch'],
    ['account --help', 'Help does not run in a batch'],
    ['--version', 'hedge --version does not run in a batch'],
    ['acount', 'account'],
    ['open USDTNGN buy', 'Missing: NOTIONAL, --tenor DAYS'],
    ['open USDTNGN buy 1mm -t 3', 'Write 1m'],
    ['resume 7c1e --wat', '--wat'],
  ])('%j is refused, and says why', async (line, says) => {
    expect(await saidOf(`account\n${line}`)).toMatch(/1 line is invalid.*nothing was sent/);
    expect(await saidOf(`account\n${line}`)).toContain('line 2: ');
    expect(await saidOf(`account\n${line}`)).toContain(says);
  });

  it('is named by its number with every other wrong one', async () => {
    const error = await refusal(
      readBatchLines('acount\naccount\nopen $X\n{"command":"account","x":1}', TERMS),
    );
    expect(error.what).toMatch(/^3 lines are invalid\..*nothing was sent\.$/);
    expect(error.details).toMatchObject({ lines: [{ line: 1 }, { line: 3 }, { line: 4 }] });
  });

  it('is one of 10,000 at most, and no longer than 64 KB', async () => {
    await expect(readBatchLines('account\n'.repeat(10_000), TERMS)).resolves.toHaveLength(10_000);
    await expect(readBatchLines('\n'.repeat(60_000), TERMS)).rejects.toThrow(
      'has 60000 lines, more than 10000',
    );
    const longest = `account #${'x'.repeat(65_536 - 9)}`;
    await expect(readBatchLines(longest, TERMS)).resolves.toHaveLength(1);
    expect(await saidOf(`account\n${longest}x`)).toContain('line 2: The line is longer than 65536 bytes.');
    expect(await saidOf(`account #${'ж'.repeat(40_000)}`)).toContain('line 1: The line is longer');
  });

  it('is listed among the first 50 that are wrong, and of the others only the number is reported', async () => {
    const error = await refusal(readBatchLines('acount\n'.repeat(9_000), TERMS));
    expect(error.what).toMatch(/^9000 lines are invalid\..*nothing was sent\.$/);
    expect(error.hint).toHaveLength(51);
    expect(hintText(error.hint)).toMatch(/\nline 50: .*\nand 8950 more invalid lines\.$/);
    expect(error.details).toMatchObject({ others: 8950 });
    expect(error.details).toHaveProperty('lines.length', 50);
  });

  it('lets a signal end the reading, however many lines are still to be read', async () => {
    const stop = new AbortController();
    const afterTurns = (count: number): void =>
      void setImmediate(count === 0 ? end : () => afterTurns(count - 1));
    const end = (): void => stop.abort(new Error('stopped'));
    afterTurns(20);
    await expect(readBatchLines('acount\n'.repeat(10_000), TERMS, stop.signal)).rejects.toThrow('stopped');
  });

  it('is sent under a name that no other line has', async () => {
    const open = 'open USDTNGN buy 10k -t 3';
    expect(await saidOf(`${open} --deal-id PAY-1\n${open} --deal-id PAY-1`)).toContain(
      'line 2: "PAY-1" is already used on line 1.',
    );
    expect(await saidOf(`${open} --idempotency-key k\nclose USDTNGN buy --idempotency-key k`)).toContain(
      'line 2: "k" is already used on line 1.',
    );
    await expect(
      readBatchLines(`${open} --deal-id PAY-1\nhedges --deal-id PAY-1`, TERMS),
    ).resolves.toHaveLength(2);
  });
});

describe('what the batch says for all its lines', () => {
  const optionsOf = async (line: string, terms: Partial<typeof TERMS>) =>
    (await readBatchLines(line, { ...TERMS, ...terms }))[0]?.raw.options;

  it.each([
    ['open USDTNGN buy 10k -t 3', { yes: true }, { yes: true }],
    ['close USDTNGN buy', { dryRun: true }, { dryRun: true }],
    ['resume 7c1e', { yes: true, dryRun: true }, { yes: true, dryRun: true }],
    ['account', { yes: true, dryRun: true }, {}],
  ])('%s is rejected with %j', async (line, terms, options) => {
    expect(await optionsOf(line, terms)).toMatchObject(options);
  });

  it('leaves a line alone that takes neither', async () => {
    expect(await optionsOf('account', { yes: true, dryRun: true })).toEqual({});
  });

  it('gives a key to each action without a name of its own, and takes a deal ID for its name', async () => {
    const lines = await readBatchLines(
      [
        'add USDTNGN buy 1k',
        'add USDTNGN buy 1k --idempotency-key k-1',
        'open USDTNGN buy 1k -t 3 --deal-id PAY-1',
        'open USDTNGN buy 1k -t 3 --deal-id PAY-2 --idempotency-key k-2',
      ].join('\n'),
      TERMS,
    );
    expect(lines.map(({ raw: { options } }) => [options['idempotencyKey'], options['ensure']])).toEqual([
      [expect.stringMatching(/^hedge-batch-/), undefined],
      ['k-1', undefined],
      [undefined, true],
      ['k-2', undefined],
    ]);
  });
});
