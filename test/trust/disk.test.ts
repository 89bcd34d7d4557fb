/**
 * R13: whatever became of a file of ours, the program says which and how to mend it, or does without where it may be
 * lost: nothing is reset in silence, nothing hangs, no stack is shown.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow } from '../support/canary.ts';
import { expectHeld, howMany, SOAKING } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import type { ServedBook } from '../support/served-book.ts';
import { wayIn, wholeHome } from '../support/whole-home.ts';

let served: ServedBook;
let whole: string;

beforeAll(async () => {
  whole = temporaryFolder(afterAll);
  served = await wholeHome(whole);
});
afterAll(() => served.close());

/** What reads the file, whether it may be lost, and how that ends where it may not even be done without. */
interface Kind {
  file: RegExp;
  words: string;
  mayBeLost: boolean;
  ends?: readonly number[];
  /** What it is called where that is not its path. */
  named?: string;
}

const KINDS: readonly Kind[] = [
  { file: /^config\/profiles\.json$/, words: 'account', mayBeLost: false, ends: [78] },
  // Where what is unresolved can still be told for certain, it is.
  { file: /^state\/journal\.sqlite$/, words: 'journal --unresolved', mayBeLost: false, ends: [0, 78] },
  {
    file: /^state\/journal\.head$/,
    words: 'journal --unresolved',
    mayBeLost: false,
    ends: [0, 78],
    named: 'journal.head',
  },
  { file: /^state\/practice\/.*sqlite$/, words: '--profile practice account', mayBeLost: false },
  // Made again, and what it sealed in the cache.
  { file: /^config\/cache-secret$/, words: 'price', mayBeLost: true },
  { file: /^cache\//, words: 'price', mayBeLost: true },
];

type Harm = readonly [name: string, harm: (path: string) => void];

const HARMS: readonly Harm[] = [
  ['emptied', (path) => writeFileSync(path, '')],
  ['a folder', (path) => (rmSync(path), mkdirSync(path))],
  ['a pipe', (path) => (rmSync(path), execFileSync('mkfifo', ['-m', '600', path]))],
  [
    'a link to another file',
    (path) => (cpSync(path, `${path}.real`), rmSync(path), symlinkSync(`${path}.real`, path)),
  ],
  ['a link to nothing', (path) => (rmSync(path), symlinkSync('/nowhere/at/all', path))],
  ['open to others', (path) => chmodSync(path, 0o666)],
  ['noise', (path) => writeFileSync(path, Buffer.from([0, 255, 27, 93, 48, 59, 120, 7, 10, 123]))],
  [
    'of another version',
    (path) =>
      writeFileSync(
        path,
        readFileSync(path, 'latin1').replace(/("(?:version|schema|format)":\s*)\d+/g, '$199'),
      ),
  ],
  [
    'polluting',
    (path) => writeFileSync(path, '{"__proto__":{"profiles":1,"version":1},"constructor":{"prototype":1}}\n'),
  ],
];

const cutAt = (part: number): Harm => [
  `cut at ${(part * 100).toFixed(1)} %`,
  (path) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.max(1, Math.floor(bytes.length * part))));
  },
];
const CUTS = Array.from({ length: howMany(2, 40) }, (_, index) => cutAt((index + 0.7) / howMany(2, 40)));

/** What the file is now, to tell whether it was changed. */
function stateOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'gone';
  return stats.isFile() ? readFileSync(path, 'latin1') : `mode ${stats.mode.toString(8)}`;
}

const ENDS = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 74, 78];

describe('a data file that is', () => {
  it.each([...HARMS.map((harm) => [harm[0], [harm]] as const), ['cut', CUTS] as const])(
    '%s is named with its repair, or done without, and left as it is',
    async (_name, harms) => {
      const cases = filesBelow(whole)
        .map((path) => relative(whole, path))
        .flatMap((file) => {
          const kind = KINDS.find((each) => each.file.test(file));
          if (kind === undefined) throw new Error(`nobody says what ${file} is`);
          return harms.map((harm) => ({ file, kind, harm }));
        })
        .filter(({ kind }, index) => SOAKING || !kind.mayBeLost || index % 3 === 0);
      const found = await inLanes(SOAKING ? [1, 2, 3, 4] : [1, 2, 3], cases, async (_lane, one) =>
        wrongIn(one),
      );
      expectHeld('R13 hostile files', { runs: cases.length, wrong: found.flat() });
    },
  );
});

async function wrongIn(one: { file: string; kind: Kind; harm: Harm }): Promise<string[]> {
  const { file, kind, harm } = one;
  const folder = temporaryFolder(() => undefined);
  try {
    const home = join(folder, 'home');
    cpSync(whole, home, { recursive: true });
    const path = join(home, file);
    harm[1](path);
    const before = stateOf(path);
    const words = kind.words.split(' ');
    const ran = await Promise.race([
      runHedge(words, { env: wayIn(served, home) }),
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 300_000).unref()),
    ]);
    const what = `${file}, ${harm[0]}`;
    if (ran === undefined) return [`${what}: hangs`];
    const said = `${ran.code}: ${ran.err}${ran.out.slice(0, 300)}`;
    const wrong: string[] = [];
    if (ran.code === null || !(kind.ends ?? ENDS).includes(ran.code)) wrong.push(`${what} ends with ${said}`);
    if (/\n\s+at .+:\d+/.test(ran.err) || ran.err.includes('\u001b')) wrong.push(`${what} says ${said}`);
    if (kind.mayBeLost && (ran.code === 0 || kind.ends === undefined)) {
      if (ran.code !== 0) wrong.push(`${what} was missed: ${said}`);
    } else {
      // Settings are imported once, and renamed.
      const imported = kind.ends === undefined && ran.code === 0 ? stateOf(`${path}.imported`) : 'gone';
      const after = imported === 'gone' ? stateOf(path) : imported;
      if (after !== before && !path.endsWith('sqlite')) wrong.push(`${what} was changed: ${said}`);
      // The path may be broken over lines.
      const isNamed = ran.err.replaceAll(/\s/g, '').includes(kind.named ?? path);
      if (ran.code !== 0 && ran.code !== 10 && !isNamed) wrong.push(`${what} is not named: ${said}`);
    }
    return wrong;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the judge of all that', () => {
  const lost: Kind = { file: /x/, words: 'account', mayBeLost: true };
  const kept: Kind = { file: /x/, words: 'account', mayBeLost: false };
  it.each<[string, string, Kind, Harm]>([
    ['is missed', 'config/profiles.json', lost, ['emptied', (path) => writeFileSync(path, '')]],
    [
      'is done without in silence',
      'state/journal.head',
      { ...kept, ends: [78] },
      ['gone', (path) => rmSync(path)],
    ],
    [
      'is named by nobody',
      'cache/x',
      kept,
      ['beside it', (path) => rmSync(join(path, '../../config'), { recursive: true })],
    ],
  ])('finds a file that %s', async (_what, file, kind, harm) => {
    expect(await wrongIn({ file, kind, harm })).toHaveLength(1);
  });
});
