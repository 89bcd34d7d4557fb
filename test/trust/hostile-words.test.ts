/**
 * R12, S5, S8: whatever stands in a word, a variable or a file of lines, the program ends with a code that is written
 * down, sends nothing it was not asked to, and says it in words that do nothing to a terminal.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltRun, runProgram } from '../support/built.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { effectsOfRun } from '../support/terminal-effects.ts';
import { testCli } from '../support/test-cli.ts';

let served: ServedBook;
let home: string;
beforeAll(async () => {
  served = await servedBook(WITHOUT_LIMIT);
  home = temporaryFolder(afterAll);
});
afterAll(() => served.close());

const ESC = '\u001b';
const NASTY: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype.polluted',
  'toString',
  '../../etc/passwd',
  '--',
  '-',
  '',
  ' ',
  'NaN',
  '1e5',
  '-5',
  '０１２',
  '10000'.repeat(2_000),
  `${ESC}]0;owned\u0007`,
  `${ESC}]52;c;b3duZWQ=\u0007`,
  `${ESC}]8;;https://evil.test\u0007x${ESC}]8;;\u0007`,
  `${ESC}[2J${ESC}[H`,
  '\u009b31m\u009d0;owned\u009c',
  'ok\r\nFILLED',
  '\u202e00.001 dellif\u2066',
  'a\u200bb\ufeffc',
  '\ud800',
  '$(touch owned)',
  '%s%n',
];
const WORD = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
);

/** What lines are made of, without what never ends by itself and without a yes. */
const PIECE = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...'markets price quote open add reduce close check resume wait batch halt unhalt hedges history positions'.split(
        ' ',
      ),
      ...'account journal resolve profile add list show use limit remove status faults doctor api completion help'.split(
        ' ',
      ),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...'USDTNGN buy sell 10k 50% 3 3d PAY-1 hdg_1 GET /account bash data filled 2026-11-01 -'.split(' '),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...'--tenor --by --to --deal-id --if-open --json --csv --output --query --profile --expect-env -q -v --help --no-wait'.split(
        ' ',
      ),
      ...'--timeout --idempotency-key --worst-price --max-cost-bps --any-price --despite --dry-run --ensure --limit --status'.split(
        ' ',
      ),
      ...'--since --until --market --side --chart --curve --as --reason --base-url --key-stdin --version -t --no-color'.split(
        ' ',
      ),
    ),
  },
  { weight: 2, arbitrary: WORD },
);

/** Where a word may stand. None of these asks for an action. */
const PLACES: readonly ((word: string) => {
  words: readonly string[];
  env?: Record<string, string>;
  stdin?: string;
})[] = [
  (word) => ({ words: [word] }),
  (word) => ({ words: ['help', word] }),
  (word) => ({ words: ['markets', word] }),
  (word) => ({ words: ['markets', '--profile', word] }),
  (word) => ({ words: ['quote', word, 'buy', '10k'] }),
  (word) => ({ words: ['quote', 'USDTNGN', word, '10k'] }),
  (word) => ({ words: ['quote', 'USDTNGN', 'buy', '--tenor', '3', '--', word] }),
  (word) => ({ words: ['open', 'USDTNGN', 'buy', '10k', '--tenor', '3', '--dry-run', '--deal-id', word] }),
  (word) => ({ words: ['hedges', '--deal-id', word] }),
  (word) => ({ words: ['hedges', '--', word] }),
  (word) => ({ words: ['journal', '--', word] }),
  (word) => ({
    words: ['profile', 'add', word, '--base-url', served.desk.service.url, '--key-stdin'],
    stdin: served.desk.service.keys.test,
  }),
  (word) => ({ words: ['profile', 'use', '--', word] }),
  (word) => ({ words: ['account', '--query', word] }),
  (word) => ({ words: ['api', 'GET', '--', word] }),
  (word) => ({ words: ['batch', '-'], stdin: `quote ${word} buy 10k --tenor 3\n` }),
  (word) => ({ words: ['batch', '-'], stdin: `${JSON.stringify({ command: 'hedges', [word]: word })}\n` }),
  (word) => ({ words: ['__complete', 'hedges', word] }),
  (word) => ({ words: ['__complete-line', `hedge close ${word} buy --despite ${word},`] }),
  (word) => ({ words: ['markets'], env: { HEDGE_PROFILE: word } }),
  (word) => ({ words: ['markets'], env: { HEDGE_EXPECT_ENV: word } }),
  (word) => ({ words: ['markets'], env: { HEDGE_CA_FILE: word } }),
  (word) => ({ words: ['markets'], env: { HEDGE_BASE_URL: word } }),
  (word) => ({ words: ['markets'], env: { HTTPS_PROXY: word, NO_PROXY: word } }),
  (word) => ({ words: ['markets'], env: { XDG_CONFIG_HOME: word, COLUMNS: word, TERM: word, LANG: word } }),
];

const ENDS = [0, 2, 3, 4, 5, 6, 10, 11, 78];
/** Of a word that is a path to no field. */
const QUERY_MISMATCH = /The query does not match the document/;
const endsAsWritten = ({ code, err }: BuiltRun): boolean =>
  code !== null && (ENDS.includes(code) || (code === 74 && QUERY_MISMATCH.test(err)));

async function wrongIn(
  what: string,
  ran: BuiltRun,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  // Node itself dies of some names of a language, before a line of the program runs.
  if (
    ran.signal === 'SIGSEGV' &&
    (await runProgram(process.execPath, ['-e', '0'], { env })).signal === 'SIGSEGV'
  )
    return [];
  const told = `${what} (${ran.code}): ${JSON.stringify(ran.err.slice(0, 300))}`;
  const effects = await effectsOfRun(ran.err + ran.out);
  return [
    ...(endsAsWritten(ran) ? [] : [`${told} ends so`]),
    ...(/\n\s+at .+:\d+/.test(ran.err) ? [`${told} shows a stack`] : []),
    ...(effects.length > 0 ? [`${told} does ${effects.join(', ')}`] : []),
  ];
}

describe('any word', () => {
  it('in any place ends as is written down, sends no action, and does nothing to a terminal', async () => {
    const seed = 20_261_121;
    const each = howMany(3, 35);
    const cases = PLACES.flatMap((place, index) =>
      fc.sample(WORD, { seed: seed + index, numRuns: each }).map((word) => ({ place, word })),
    );
    const found = await inLanes([1, 2, 3, 4], cases, async (_lane, { place, word }) => {
      const { words, env = {}, stdin = '' } = place(word);
      if ([...words, ...Object.values(env)].some((text) => text.includes('\0'))) return [];
      const ran = await runHedge(words, { env: { ...served.way(home), ...env, HEDGE_HOME: home }, stdin });
      return wrongIn(JSON.stringify({ words, env, stdin }).slice(0, 300), ran, env);
    });
    expectHeld('R12 hostile words in every place', { runs: cases.length, wrong: found.flat() });
    expect(served.changes()).toEqual([]);
  });

  it('among any others in any order does neither', async () => {
    const lines = fc.sample(fc.array(PIECE, { minLength: 1, maxLength: 9 }), {
      seed: 20_261_121,
      numRuns: howMany(300, 4_000),
    });
    const wrong: string[] = [];
    let cli = testCli({ env: served.way(home) });
    for (const [number, words] of lines.entries()) {
      const { code, out, err } = await cli.run(words, { env: { HEDGE_HOME: cli.home }, stdin: '' });
      wrong.push(...(await wrongIn(JSON.stringify(words).slice(0, 300), { code, out, err, signal: null })));
      // A profile that was removed, or a halt, hides much.
      if (number % 20 === 19) cli = testCli({ env: served.way(home) });
    }
    expectHeld('R12 hostile lines', { runs: lines.length, wrong });
    expect(served.changes()).toEqual([]);
  });

  it.each([
    ['a bug', { code: 1 }],
    ['a stack', { err: 'x\n    at read (/a/b.js:1:2)\n' }],
    ['a title', { out: `${ESC}]0;owned\u0007` }],
    ['a death', { code: null }],
  ])('is known by %s', async (_, broken) => {
    const fine: BuiltRun = { code: 0, signal: null, out: 'x\n', err: '' };
    expect(await wrongIn('it', fine)).toEqual([]);
    expect(await wrongIn('it', { ...fine, ...broken })).toHaveLength(1);
  });

  it.each(NASTY.filter((text) => text.includes(ESC) || text.includes('\u009b')))(
    'that would act is seen to act when it is let through: %j',
    async (text) => {
      expect(await effectsOfRun(text)).not.toEqual([]);
    },
  );
});
