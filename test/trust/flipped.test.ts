/**
 * R13: bits of a file of ours that have turned over, anywhere. A clear word or nothing amiss; no stack, no hang, nothing
 * reset; a halt holds, no other entry of the journal is hidden, and nothing that was sent is called not sent.
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { array, assert, asyncProperty, constantFrom, double, integer, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow } from '../support/canary.ts';
import { entriesIn, recordsIn } from '../support/day/words.ts';
import { isDocument, told } from '../support/faults/fault-case.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { journalText, replaceJournal } from '../support/journal-files.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { realTime, type ServedBook } from '../support/served-book.ts';
import { quickClock, type Ran, testCli } from '../support/test-cli.ts';
import { wayIn, wholeHome } from '../support/whole-home.ts';

const ENDS = [0, 2, 3, 4, 5, 6, 10, 78];

let served: ServedBook;
let whole: string;
let folder: string;

/** Program and service are at the end of the journal however long the runs take: what was sent may still arrive. */
let journalEnd: number | undefined;
const now = (): number => journalEnd ?? Date.now();

beforeAll(async () => {
  folder = temporaryFolder(afterAll);
  whole = join(folder, 'whole');
  served = await wholeHome(whole, { ...realTime, now });
  rmSync(join(whole, 'state', 'practice'), { recursive: true, force: true });
  addSent();
  const times = [...journalText(whole).matchAll(/"at":"([^"]+)"/g)];
  journalEnd = Math.max(...times.map(([, at = '']) => Date.parse(at)));
});
afterAll(() => served.close());

/** A process died after it had sent this: the same deal under another key. */
const SENT = 'beef000000000000';

function addSent(): void {
  const text = journalText(whole);
  const lines = text.split('\n').filter((line) => /"kind":"(intent|sending)"/.test(line));
  const id = recordsIn(text)[0]?.action_id ?? '';
  const writer = /"writer":\{"pid":\d+/g;
  const sent = lines.map((line) =>
    line
      .replaceAll(id, SENT)
      .replaceAll('PAY-1', 'PAY-2')
      .replaceAll(/hedge-deal-\w+/g, 'another-key')
      .replaceAll(writer, '"writer":{"pid":4194303'),
  );
  replaceJournal(whole, `${text}${sent.join('\n')}\n`);
}

const NEWLINE = 10;

interface Flips {
  file: string;
  bits: readonly { at: number; bit: number }[];
}

type Program = (
  words: readonly string[],
  run: (words: readonly string[]) => Promise<Ran>,
  path: string,
) => Promise<Ran>;

async function wrongWith(
  { file, bits }: Flips,
  program: Program = (words, run) => run(words),
): Promise<readonly string[]> {
  const home = join(mkdtempSync(join(folder, 'flipped-')), 'home');
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(`${file}: ${what}`);
  };
  try {
    cpSync(whole, home, { recursive: true });
    if (!file.startsWith('state/halt')) rmSync(join(home, 'state', 'halt.json'));
    const path = join(home, file);
    const bytes = readFileSync(path);
    const before = Buffer.from(bytes);
    for (const { at, bit } of bits) {
      const index = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
      bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
    }
    writeFileSync(path, bytes, { mode: 0o600 });
    const cli = testCli({ home, clock: quickClock(now), env: wayIn(served, home) });
    const run = (words: readonly string[]): Promise<Ran> => program(words, (given) => cli.run(given), path);
    const sent = served.changes().length;
    const judged = async (line: string): Promise<Ran> => {
      const ran = await run(line.split(' '));
      must(isDocument(ran) && ENDS.includes(ran.code), `${line} ends so: ${told(ran)}`);
      must(!/\n\s+at .+:\d+/.test(ran.err), `a stack: ${ran.err}`);
      if (ran.code === 78) must(ran.out.includes(path), `not named: ${told(ran)}`);
      return ran;
    };

    if (file.startsWith('cache/')) {
      const { code } = await judged('price --json');
      must(code === 0, 'it was missed');
      return wrong;
    }
    if (file.startsWith('config/')) await judged('account --json');
    else if (file.includes('halt')) {
      const ran = await judged('open USDTNGN buy 10k --tenor 3 --yes --json');
      must([10, 78].includes(ran.code), `halted, and it went on: ${told(ran)}`);
    } else {
      const ran = await judged('journal --limit all --json');
      const entries = ran.code === 0 ? entriesIn(ran.out) : [];
      must(entries !== undefined, `no list: ${told(ran)}`);
      if (ran.code === 0) {
        for (const id of untouched(before, bytes))
          must(entries?.some((each) => each.action_id === id) === true, `${id} is hidden: ${told(ran)}`);
        // More than its end gone, the last line is as a crash leaves it.
        const isCut = bits.length > 1 && bytes.at(-1) !== NEWLINE;
        const [was] = (entries ?? []).filter((each) => each.action_id === SENT);
        must(isCut || was?.effect !== 'none', `what was sent is called not sent: ${told(ran)}`);
      }
      const waited = await run(['wait', SENT, '--json']);
      must(
        (bits.length > 1 && bytes.at(-1) !== NEWLINE) ||
          !waited.out.includes('"effect":"none"') ||
          waited.code === 2 ||
          waited.code === 78 ||
          waited.code === 3,
        `told as nothing: ${told(waited)}`,
      );
    }
    must(served.changes().length === sent, 'something was sent');
    must(readFileSync(path).equals(bytes), 'the file was changed');
    return wrong;
  } finally {
    rmSync(join(home, '..'), { recursive: true, force: true });
  }
}

/** Actions of which no line was touched. */
function untouched(before: Buffer, after: Buffer): readonly string[] {
  const lines = after.toString('latin1').split('\n');
  const old = before
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
  const touched = new Set(
    old
      .filter((line) => !lines.includes(line))
      .flatMap((line) => recordsIn(line).map((each) => each.action_id)),
  );
  return [...new Set(recordsIn(before.toString()).map((each) => each.action_id))].filter(
    (id) => !touched.has(id),
  );
}

const filesOf = (): readonly string[] =>
  filesBelow(whole)
    .map((path) => relative(whole, path))
    .filter((file) =>
      /^(config\/profiles\.json|state\/(journal\.jsonl|halt\.json)|cache\/(?!tls))/.test(file),
    );

describe('a data file with flipped bits', () => {
  it('is named, or nothing is amiss, and says nothing that is not so', async () => {
    let runs = 0;
    const wrong: string[] = [];
    const files = filesOf();
    expect(files.length).toBeGreaterThan(3);
    const bits = array(
      record({ at: double({ min: 0, max: 1, noNaN: true }), bit: integer({ min: 0, max: 7 }) }),
      { minLength: 1, maxLength: 3 },
    );
    // The journal has the most to lose.
    const file = constantFrom(...files, 'state/journal.jsonl', 'state/journal.jsonl', 'state/journal.jsonl');
    await assert(
      asyncProperty(record({ file, bits }), async (flips) => {
        runs += 1;
        expect(await wrongWith(flips)).toEqual([]);
      }),
      { seed: 20_261_123, numRuns: howMany(60, 1_500) },
    ).catch((error: unknown) => wrong.push(String(error)));
    expectHeld('R13 files with bits turned over', { runs, wrong });
  });
});

describe('the judge of such a file', () => {
  const journal = 'state/journal.jsonl';
  const middle = [{ at: 0.3, bit: 7 }];

  it.each<[string, RegExp, Flips, Program]>([
    [
      'puts a new one in its place',
      /was changed/,
      { file: journal, bits: middle },
      (words, run, path) => run(words).finally(() => writeFileSync(path, '')),
    ],
    [
      'shows nothing of it',
      /is hidden/,
      { file: journal, bits: middle },
      async (words, run) => {
        const ran = await run(words);
        return words[0] === 'journal'
          ? { ...ran, out: JSON.stringify({ data: [], error: null, meta: {} }) }
          : ran;
      },
    ],
    [
      'calls not sent what was',
      /called not sent/,
      { file: journal, bits: [{ at: 0.1, bit: 7 }] },
      async (words, run) => {
        const ran = await run(words);
        return { ...ran, out: ran.out.replaceAll('"effect":"unknown"', '"effect":"none"') };
      },
    ],
    [
      'goes on over a halt',
      /it went on/,
      { file: 'state/halt.json', bits: middle },
      async (words, run) => ({ ...(await run(words)), code: 0 }),
    ],
    [
      'dies of it',
      /ends so/,
      { file: 'config/profiles.json', bits: middle },
      async (words, run) => ({ ...(await run(words)), code: 1 }),
    ],
  ])('finds a program that %s', async (_, says, flips, broken) => {
    expect((await wrongWith(flips, broken)).join('\n')).toMatch(says);
    expect(await wrongWith(flips)).toEqual([]);
  });
});
