/**
 * R13: bits of a file of ours that have turned over, anywhere. A clear word or nothing amiss; no stack, no hang, nothing
 * reset; a halt holds, no other entry of the journal is hidden, and nothing that was sent is called not sent.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { array, assert, asyncProperty, constantFrom, double, integer, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOfAction, type JournalRecord } from '../../src/journal/records.ts';
import { runBuilt } from '../support/built.ts';
import { filesBelow } from '../support/canary.ts';
import { entriesIn, troubleIn } from '../support/day/words.ts';
import { isDocument, told } from '../support/faults/fault-case.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { realTime, type ServedBook } from '../support/served-book.ts';
import { quickClock, type Ran, testCli } from '../support/test-cli.ts';
import { wayIn, wholeHome } from '../support/whole-home.ts';
import {
  copyFolder,
  journalText,
  readRecords,
  removeJournal,
  writeJournal,
} from '../support/written-journal.ts';

const ENDS = [0, 2, 3, 4, 5, 6, 10, 78];

let served: ServedBook;
let whole: string;
let folder: string;
let actionIds: readonly string[];

/** Program and service are at the end of the journal however long the runs take: what was sent may still arrive. */
let journalEnd: number | undefined;
const now = (): number => journalEnd ?? Date.now();

beforeAll(async () => {
  folder = temporaryFolder(afterAll);
  whole = join(folder, 'whole');
  served = await wholeHome(whole, { ...realTime, now });
  rmSync(join(whole, 'state', 'practice'), { recursive: true, force: true });
  // What it has by now is in the database, and what is added is in its log.
  writeJournal(whole, sentAgain(readRecords(whole)));
  const records = readRecords(whole);
  journalEnd = Math.max(...records.map(({ at }) => Date.parse(at)));
  actionIds = [...new Set(records.flatMap((each) => (isOfAction(each) ? [each.action_id] : [])))];
  // Where nobody has it open: whoever closed it last would move its log into it.
  const copy = join(folder, 'copy');
  copyFolder(whole, copy);
  whole = copy;
});
afterAll(() => served.close());

/** A process died after it had sent this: the same deal under another key. */
const SENT = 'beef000000000000';

const sentAgain = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records.filter(isOfAction).flatMap((each): JournalRecord[] => {
    if (each.kind === 'intent')
      return [
        {
          ...each,
          action_id: SENT,
          deal_id: 'PAY-2',
          client_reference: 'PAY-2',
          idempotency_key: 'another-key',
          body: each.body.replace('PAY-1', 'PAY-2'),
        },
      ];
    return each.kind === 'sending'
      ? [{ ...each, action_id: SENT, writer: { ...each.writer, pid: 4_194_303 } }]
      : [];
  });

interface Flips {
  file: string;
  bits: readonly { at: number; bit: number }[];
}

type Program = (
  words: readonly string[],
  run: (words: readonly string[]) => Promise<Ran>,
  home: string,
) => Promise<Ran>;

/** How the program is run on a home. */
type Start = (home: string) => (words: readonly string[]) => Promise<Ran>;

const here: Start = (home) => {
  const cli = testCli({ home, clock: quickClock(now), env: wayIn(served, home) });
  return (words) => cli.run(words);
};

const OTHER_CLOCK = `--require=${fileURLToPath(new URL('../support/preload/other-clock.cjs', import.meta.url))}`;

const built: Start = (home) => async (words) => {
  const clock = { NODE_OPTIONS: OTHER_CLOCK, OTHER_CLOCK: JSON.stringify({ now: now(), times: 1 }) };
  const { code, out, err } = await runBuilt(words, {
    env: { ...wayIn(served, home), HEDGE_COMPILED_CODE: 'off', ...clock },
  });
  return { code: code ?? -1, out, err, document: (): unknown => JSON.parse(out) };
};

const DATABASE = 'state/journal.sqlite';
const LOG = `${DATABASE}-wal`;
const isOfJournal = (file: string): boolean => file.startsWith('state/journal.');

/** Looked at in a copy, for to look is to repair the log. */
function textOf(home: string): string {
  const copy = `${home}-copy`;
  copyFolder(home, copy);
  return journalText(copy);
}

async function wrongWith(
  { file, bits }: Flips,
  program: Program = (words, run) => run(words),
  start: Start = here,
): Promise<readonly string[]> {
  const home = join(mkdtempSync(join(folder, 'flipped-')), 'home');
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(`${file}: ${what}`);
  };
  try {
    cpSync(whole, home, { recursive: true });
    const path = join(home, file);
    const bytes = readFileSync(path);
    for (const { at, bit } of bits) {
      const index = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
      bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
    }
    writeFileSync(path, bytes, { mode: 0o600 });
    const { ino } = statSync(path);
    const readable = isOfJournal(file) ? textOf(home) : '';
    const way = start(home);
    const run = (words: readonly string[]): Promise<Ran> => program(words, way, home);
    const sent = served.changes().length;
    const judged = async (line: string): Promise<Ran> => {
      const ran = await run(line.split(' '));
      must(isDocument(ran) && ENDS.includes(ran.code), `${line} ends so: ${told(ran)}`);
      must(!/\n\s+at .+:\d+/.test(ran.err), `a stack: ${ran.err}`);
      const named = isOfJournal(file) ? join(home, 'state', 'journal.') : path;
      if (ran.code === 78) must(ran.out.includes(named), `not named: ${told(ran)}`);
      return ran;
    };

    if (file.startsWith('cache/')) {
      const { code } = await judged('price --json');
      must(code === 0, 'it was missed');
      return wrong;
    }
    if (file.startsWith('config/')) await judged('account --json');
    else {
      const ran = await judged('journal --limit all --json');
      const entries = ran.code === 0 ? entriesIn(ran.out) : [];
      must(entries !== undefined, `no list: ${told(ran)}`);
      if (ran.code === 0 && troubleIn(ran.out) === undefined)
        for (const id of actionIds)
          must(entries?.some((each) => each.action_id === id) === true, `${id} is hidden: ${told(ran)}`);
      const [was] = (entries ?? []).filter((each) => each.action_id === SENT);
      must(was?.effect !== 'none', `what was sent is called not sent: ${told(ran)}`);
      const waited = await run(['wait', SENT, '--timeout', '1', '--json']);
      must(
        !waited.out.includes('"effect":"none"') || [2, 3, 78].includes(waited.code),
        `told as nothing: ${told(waited)}`,
      );
      const opened = await judged('open USDTNGN buy 10k --tenor 3 --deal-id PAY-3 --yes --json');
      must([10, 78].includes(opened.code), `halted, and it went on: ${told(opened)}`);
      must(file === LOG || statSync(path).ino === ino, 'there is another file in its place');
      must(journalText(home).startsWith(readable), 'what could be read of it is not there any more');
    }
    must(served.changes().length === sent, 'something was sent');
    if (!isOfJournal(file)) must(readFileSync(path).equals(bytes), 'the file was changed');
    return wrong;
  } finally {
    rmSync(join(home, '..'), { recursive: true, force: true });
  }
}

const filesOf = (): readonly string[] =>
  filesBelow(whole)
    .map((path) => relative(whole, path))
    .filter((file) =>
      /^(config\/profiles\.json|state\/journal\.(sqlite(-wal)?|head)|cache\/(?!tls))/.test(file),
    );

describe('a data file with flipped bits', () => {
  it.each([
    { how: 'in this process', start: here, few: 60, many: 1_500 },
    { how: 'by the built program', start: built, few: 20, many: 300 },
  ])(
    'is named, or nothing is amiss, and says nothing that is not so, $how',
    async ({ how, start, few, many }) => {
      let runs = 0;
      const wrong: string[] = [];
      const files = filesOf();
      expect(files.length).toBeGreaterThan(3);
      const bits = array(
        record({ at: double({ min: 0, max: 1, noNaN: true }), bit: integer({ min: 0, max: 7 }) }),
        { minLength: 1, maxLength: 3 },
      );
      // The journal has the most to lose.
      const file = constantFrom(...files, DATABASE, DATABASE, DATABASE, LOG);
      await assert(
        asyncProperty(record({ file, bits }), async (flips) => {
          runs += 1;
          expect(await wrongWith(flips, undefined, start)).toEqual([]);
        }),
        { seed: 20_261_123, numRuns: howMany(few, many) },
      ).catch((error: unknown) => wrong.push(String(error)));
      expectHeld(`R13 files with bits turned over, ${how}`, { runs, wrong });
    },
  );
});

describe('the judge of such a file', () => {
  /** What `seq` is in the first page of the database: it is damaged. */
  const start = [{ at: 0.0005, bit: 7 }];
  const middle = [{ at: 0.3, bit: 7 }];
  const inList =
    (change: (out: string) => string): Program =>
    async (words, run) => {
      const ran = await run(words);
      return words[0] === 'journal' ? { ...ran, out: change(ran.out) } : ran;
    };

  it.each<[string, RegExp, Flips, Program]>([
    [
      'begins a new journal',
      /not there any more/,
      { file: DATABASE, bits: start },
      (words, run, home) => {
        removeJournal(home);
        return run(words);
      },
    ],
    [
      'shows nothing of it',
      /is hidden/,
      { file: LOG, bits: start },
      inList(() => JSON.stringify({ data: [], error: null, meta: {} })),
    ],
    [
      'calls not sent what was',
      /called not sent/,
      { file: 'state/journal.head', bits: middle },
      inList((out) => out.replaceAll('"effect":"unknown"', '"effect":"none"')),
    ],
    [
      'goes on over a halt',
      /it went on/,
      { file: DATABASE, bits: middle },
      async (words, run) => ({ ...(await run(words)), ...(words[0] === 'open' ? { code: 0 } : {}) }),
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
