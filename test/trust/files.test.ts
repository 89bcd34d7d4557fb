/**
 * S2: what the program keeps is of its user alone, whatever the umask; what others could have touched is refused,
 * mended or done without; no link leads it to a file of somebody else.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJournalFile } from '../../src/journal/store/schema.ts';
import { IN_SHELL, runProgram } from '../support/built.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import type { ServedBook } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';
import { wayIn, wholeHome, writeWholeHome } from '../support/whole-home.ts';
import { copyFolder } from '../support/written-journal.ts';

const GOAL = 'S2 files of this user alone';
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const OTHERS = 0o077;

let served: ServedBook;
let whole: string;
beforeAll(async () => {
  whole = temporaryFolder(afterAll);
  served = await wholeHome(whole);
});
afterAll(() => served.close());

/** Everything below the folder and the folder itself, by paths from it. */
const allBelow = (folder: string): readonly string[] => [
  '.',
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' }),
];

const openToOthers = (home: string): readonly string[] =>
  allBelow(home)
    .filter((path) => path !== '.' && (lstatSync(join(home, path)).mode & OTHERS) !== 0)
    .map((path) => `${path} has mode ${(lstatSync(join(home, path)).mode & 0o7777).toString(8)}`);

describe('under umask 000', () => {
  beforeEach(() => served.reset());

  it('every file is closed to others, and every folder', needs('bash'), async () => {
    const home = temporaryFolder();
    await writeWholeHome(served, home, (words, options = {}) =>
      runProgram('bash', ['--norc', '-c', `umask 000; exec ${IN_SHELL} "$@"`, 'hedge', ...words], options),
    );
    const paths = allBelow(home);
    expect(paths.length).toBeGreaterThan(15);
    expectHeld(GOAL, { runs: paths.length, wrong: openToOthers(home) });
  });

  it('none of them is open to others for a moment', needs('bash', 'strace'), async () => {
    const home = temporaryFolder();
    const log = join(temporaryFolder(), 'trace');
    const wrong: string[] = [];
    const made = new Set<string>();
    await writeWholeHome(served, home, async (words, options = {}) => {
      const script = `umask 000; exec strace -f -qq -o '${log}' -e trace=openat,mkdir,mkdirat,link,rename ${IN_SHELL} "$@"`;
      const ran = await runProgram('bash', ['--norc', '-c', script, 'hedge', ...words], options);
      for (const call of readFileSync(log, 'utf8').split('\n')) {
        // What was made under another name is put into its place as it is.
        const placed = /(?:link|rename)\(.*"([^"]*)"\) = 0$/.exec(call)?.[1];
        if (placed !== undefined) made.add(placed);
        const { path, mode } = madeBy(call, home) ?? {};
        if (path === undefined || mode === undefined || made.has(path)) continue;
        made.add(path);
        if ((mode & OTHERS) !== 0) wrong.push(`hedge ${words.join(' ')}: ${call}`);
      }
      return ran;
    });
    expect(made.size).toBeGreaterThan(15);
    expectHeld(GOAL, { runs: made.size, wrong });
  });

  it.each([
    ['openat(AT_FDCWD, "/home/x", O_WRONLY|O_CREAT|O_EXCL, 0644) = 18', 0o644],
    ['openat(AT_FDCWD, "/home/x", O_RDWR|O_CREAT, 0600) = 18', 0o600],
    ['mkdir("/home/x/y", 0755) = 0', 0o755],
    ['openat(AT_FDCWD, "/elsewhere", O_WRONLY|O_CREAT, 0644) = 18', undefined],
    ['openat(AT_FDCWD, "/home/x", O_RDONLY) = 18', undefined],
  ])('would show in %s', (call, mode) => {
    expect(madeBy(call, '/home')?.mode).toBe(mode);
  });
});

/** What the call makes below the home, unless it exists, and its mode. */
function madeBy(call: string, home: string): { path: string; mode: number } | undefined {
  const [, path = '', mode = ''] = /(?:mkdir|O_CREAT)/.test(call)
    ? (/"([^"]*)".*, (0\d+)\) = \d/.exec(call) ?? [])
    : [];
  return path.startsWith(`${home}/`) ? { path, mode: Number.parseInt(mode, 8) } : undefined;
}

/** What writes the file or folder, whether it may be lost. */
interface Kind {
  path: RegExp;
  words: string;
  mayBeLost?: true;
}

/** Not awaited: several cases reduce the same side of one account at a time. */
const REDUCE = 'reduce USDTNGN buy 1 --yes --allow-duplicate --no-wait';

const KINDS: readonly Kind[] = [
  { path: /^config(\/profiles\.json)?$/, words: 'profile limit desk --max-notional 90k' },
  { path: /^state\/practice(\/.*sqlite)?$/, words: '--profile practice quote USDTNGN buy 10k' },
  { path: /^state$/, words: 'halt again' },
  { path: /^state\/(journal|pending)\./, words: REDUCE },
  { path: /^(config\/cache-secret|cache(\/.*)?)$/, words: 'markets', mayBeLost: true },
];

const fingerprint = (folder: string): string =>
  allBelow(folder)
    .map((path) => {
      const stats = lstatSync(join(folder, path));
      const content = stats.isFile() ? readFileSync(join(folder, path)) : stats.mode.toString(8);
      return `${path} ${createHash('sha256').update(content).digest('hex')}`;
    })
    .toSorted()
    .join('\n');

interface Harm {
  what: string;
  /** `victim`: a folder of somebody's own, for a copy of what stood at the path. */
  harm(path: string, victim: string): void;
  /** What it is that nobody may change. */
  isSafe?: (path: string) => boolean;
  mends?: true;
}

const isFolder = (path: string): boolean => statSync(path).isDirectory();

const HARMS: readonly Harm[] = [
  {
    what: 'a link to what is its user’s own',
    harm(path, victim) {
      renameSync(path, join(victim, 'theirs'));
      symlinkSync(join(victim, 'theirs'), path);
    },
  },
  {
    what: 'open for others to write into',
    mends: true,
    harm: (path) => chmodSync(path, isFolder(path) ? 0o777 : 0o666),
  },
  {
    what: 'open for others to read',
    harm: (path) => chmodSync(path, isFolder(path) ? 0o755 : 0o644),
    mends: true,
  },
  ...(isRoot
    ? [{ what: 'another user’s', harm: (path: string) => chownSync(path, NOBODY, NOBODY) } satisfies Harm]
    : []),
];

const isOurs = (path: string): boolean => {
  const stats = lstatSync(path);
  return stats.uid === process.getuid?.() && !stats.isSymbolicLink();
};

async function wrongIn(path: string, kind: Kind, { what, harm, mends }: Harm): Promise<string[]> {
  const folder = temporaryFolder(() => undefined);
  const [home, victim] = [join(folder, 'home'), join(folder, 'victim')];
  try {
    cpSync(whole, home, { recursive: true });
    mkdirSync(victim, { mode: 0o700 });
    const at = join(home, path);
    harm(at, victim);
    const before = fingerprint(victim);
    const harmed = lstatSync(at).isDirectory() ? undefined : fingerprintOf(at);
    const ran = await runHedge(kind.words.split(' '), { env: wayIn(served, home) });
    const told = `${path}, ${what}: hedge ${kind.words} ended with ${String(ran.code)}: ${ran.err}`;
    const wrong: string[] = [];
    if (fingerprint(victim) !== before) wrong.push(`somebody else’s was changed: ${told}`);
    const isMended = (lstatSync(at).mode & OTHERS) === 0 && isOurs(at) && mends === true;
    const isDoneWithout = kind.mayBeLost === true && ran.code === 0;
    const isRefused = ran.code === 78 && ran.err.replaceAll(/\s/g, '').includes(at);
    if (!isRefused && !isDoneWithout && !(ran.code === 0 && isMended))
      wrong.push(`neither refused nor mended: ${told}`);
    if (isRefused && harmed !== undefined && fingerprintOf(at) !== harmed)
      wrong.push(`refused and changed: ${told}`);
    return wrong;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const fingerprintOf = (path: string): string => {
  const stats = lstatSync(path);
  return `${stats.mode.toString(8)} ${stats.uid.toString()} ${stats.isFile() ? readFileSync(path, 'latin1') : ''}`;
};

describe('the data files', () => {
  beforeAll(async () => {
    await served.reset();
    await served.opened('buy', 50_000);
  });

  it.each(HARMS)('is refused, repaired or done without where it is $what', async (harm) => {
    const cases = allBelow(whole)
      .filter((path) => path !== '.')
      .flatMap((path) =>
        KINDS.filter((kind) => kind.path.test(path))
          .slice(0, 1)
          .map((kind) => ({ path, kind })),
      );
    const tried = spread(cases, 1);
    const found = await inLanes([1, 2, 3, 4], tried, (_, { path, kind }) => wrongIn(path, kind, harm));
    expectHeld(GOAL, { runs: tried.length, wrong: found.flat() });
  });
});

const FILES = [
  'journal.sqlite',
  'journal.sqlite-wal',
  'journal.sqlite-shm',
  'journal.head',
  'pending.sqlite',
];

const ODD: readonly Harm[] = [
  ...HARMS,
  { what: 'a link to nothing', harm: (path) => (rmSync(path), symlinkSync('/nowhere/at/all', path)) },
  { what: 'a folder', harm: (path) => (rmSync(path), mkdirSync(path, { mode: 0o700 })) },
  { what: 'a pipe', harm: (path) => (rmSync(path), execFileSync('mkfifo', ['-m', '600', path])) },
];

/** One that is not as it must be stops every action before it is sent. Without its witness the journal stops opens alone. */
describe('the files of the journal', () => {
  let full: string;
  beforeAll(async () => {
    await served.reset();
    await served.opened('buy', 50_000);
    full = join(temporaryFolder(afterAll), 'home');
    cpSync(whole, full, { recursive: true });
    const { code } = await runHedge(['unhalt', '--yes'], { env: wayIn(served, full) });
    if (code !== 0) throw new Error('the halt was not lifted');
    createJournalFile(join(full, 'state', 'pending.sqlite'), testMachine());
    const names = readdirSync(join(full, 'state'));
    if (!FILES.every((each) => names.includes(each))) throw new Error('a file is not there');
  });

  it.each(ODD)('lets no action leave where one of them is $what', async ({ what, harm }) => {
    const lines = [REDUCE, 'open USDTNGN buy 1 --tenor 3 --yes --any-price', 'close USDTNGN buy --yes'];
    const cases = spread(
      FILES.flatMap((file) =>
        lines
          .filter((line) => file !== 'journal.head' || line.startsWith('open'))
          .map((line) => ({ file, line })),
      ),
      1,
    );
    const found = await inLanes([1, 2, 3], cases, async (_, { file, line }) => {
      const folder = temporaryFolder(() => undefined);
      try {
        const [home, victim] = [join(folder, 'home'), join(folder, 'victim')];
        copyFolder(full, home);
        mkdirSync(victim, { mode: 0o700 });
        const at = join(home, 'state', file);
        harm(at, victim);
        const [before, sent] = [fingerprint(victim), served.changes().length];
        const ran = await runHedge(line.split(' '), { env: wayIn(served, home) });
        const named = file === 'journal.head' ? file : at;
        const isNamed = ran.code === 78 && ran.err.replaceAll(/\s/g, '').includes(named);
        const wrong = `${file}, ${what}: hedge ${line} ended with ${String(ran.code)}: ${ran.err}`;
        if (fingerprint(victim) !== before) return [`somebody else’s was changed: ${wrong}`];
        return isNamed && served.changes().length === sent ? [] : [wrong];
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
    expectHeld(GOAL, { runs: cases.length, wrong: found.flat() });
  });
});
