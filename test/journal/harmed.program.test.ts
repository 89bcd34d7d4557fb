/**
 * A file of the journal that is not what hedge left: a link, a folder, a pipe, another user's, open to others, gone. What cannot be
 * known without it ends with 78 and its name, and nothing is sent; what can be made again is made again.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEDGE, runBuilt, runProgram } from '../support/built.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';
import { journalAt } from './journal-at.ts';
import { ACCEPTED, actionAt, anIntent, FILLED, idOf, SENDING } from './records.ts';

const MONTHS = ['2020-01', '2020-02', '2020-03', '2020-04', '2020-05'];
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let served: ServedBook;
let whole: string;

beforeAll(async () => {
  served = await servedBook(WITHOUT_LIMIT);
  whole = temporaryFolder(afterAll);
  await written(whole);
});
afterAll(() => served.close());

const opened = (home: string, ms: number) => journalAt(home, () => ms);
const folderOf = (home: string): string => join(home, 'state', 'journal');

/** Five months of one ended action each and the current one, of which the first is archived; the lookups are merged. */
async function written(home: string): Promise<void> {
  const now = Date.now();
  const times = [...MONTHS.map((month) => Date.parse(`${month}-10T12:00:00.000Z`)), now - 3_600_000];
  for (const [index, ms] of times.entries()) {
    const steps = [SENDING, { ...ACCEPTED, hedge_id: `hdg_${index.toString()}` }, FILLED];
    await opened(home, ms).append(actionAt(new Date(ms).toISOString(), `${index.toString()}aaa`, ...steps));
  }
  await opened(home, now).archive({ before: '2020-02', folder: join(home, 'archive'), operator: 'ada@desk' });
}

interface Harm {
  what: string;
  harm(path: string): void;
  possible?: boolean;
}

const HARMS: readonly Harm[] = [
  {
    what: 'a link to what it was',
    harm: (path) => (renameSync(path, `${path}.real`), symlinkSync(`${path}.real`, path)),
  },
  { what: 'a link to nothing', harm: (path) => (rmSync(path), symlinkSync('/nowhere/at/all', path)) },
  { what: 'a folder', harm: (path) => (rmSync(path), mkdirSync(path)) },
  { what: 'a pipe', harm: (path) => (rmSync(path), execFileSync('mkfifo', ['-m', '600', path])) },
  { what: "another user's", harm: (path) => chownSync(path, NOBODY, NOBODY), possible: isRoot },
  { what: 'open to others', harm: (path) => chmodSync(path, 0o644) },
  { what: 'unreadable', harm: (path) => chmodSync(path, 0), possible: !isRoot },
  { what: 'gone', harm: (path) => rmSync(path) },
];

const COMMANDS = {
  open: 'open USDTNGN buy 10000 --tenor 3 --yes --deal-id PAY-NEW --json',
  /** It has to read a record of the third segment. */
  openAgain: 'open USDTNGN buy 10000 --tenor 3 --yes --deal-id PAY-2aaa --json',
  journal: 'journal --json',
  check: 'check --json',
} as const;
type Command = keyof typeof COMMANDS;
const EVERY: readonly Command[] = ['open', 'openAgain', 'journal', 'check'];

const WRITERS: readonly Command[] = ['open', 'openAgain'];

interface Kind {
  file: string;
  /** Commands that end with 78 and name it. */
  stops: readonly Command[];
  /** The same without an index of the journal. */
  stopsWithoutIndex?: readonly Command[];
  /** When it is gone; each as above. */
  gone?: Pick<Kind, 'stops' | 'stopsWithoutIndex'>;
  /** Made again by the next command that has no index: what is there then is a file of this user. */
  again?: true;
}

const KINDS: readonly Kind[] = [
  {
    file: '0003-2020-03.jsonl',
    stops: ['openAgain', 'journal'],
    stopsWithoutIndex: EVERY,
    gone: { stops: ['openAgain', 'journal'] },
  },
  // Without both nothing tells that there was one: only a checkpoint does.
  { file: 'the active segment', stops: EVERY, gone: { stops: EVERY, stopsWithoutIndex: [] } },
  // Its segment is archived: nothing else that is here tells what it had.
  { file: '0001-2020-01.lookup', stops: [], stopsWithoutIndex: EVERY, gone: { stops: [] } },
  { file: '0003-2020-03.lookup', stops: [], again: true },
  { file: 'active.index', stops: [], again: true },
  { file: 'active.terms', stops: [], again: true },
  { file: 'lookups.all', stops: [], again: true },
  { file: 'archived.json', stops: ['journal'] },
  { file: '../journal.jsonl', stops: EVERY, gone: { stops: [] } },
  // A lock of an earlier process, and what tells others to wait for one.
  { file: '../journal.lock', stops: WRITERS, stopsWithoutIndex: WRITERS, gone: { stops: [] } },
  { file: 'rebuilding.json', stops: [] },
];

interface Case extends Harm {
  kind: Kind;
  command: Command;
  hasIndex: boolean;
}

const activeName = (home: string): string =>
  readdirSync(folderOf(home))
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .at(-1) ?? '';

async function copied(home: string): Promise<void> {
  cpSync(whole, home, { recursive: true });
  // The index is of the files, not of what is in them.
  await opened(home, Date.now()).prepare();
}

async function wrongIn({ kind, command, hasIndex, what, harm }: Case): Promise<readonly string[]> {
  const home = temporaryFolder(() => undefined);
  try {
    await copied(home);
    const folder = folderOf(home);
    const path = join(folder, kind.file === 'the active segment' ? activeName(home) : kind.file);
    if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 });
    harm(path);
    if (!hasIndex) rmSync(join(folder, 'active.index'), { force: true, recursive: true });
    await served.reset();
    const ran = await runBuilt(COMMANDS[command].split(' '), { env: served.way(home) });
    const sent = served.changes().length;
    const told = `${kind.file} ${what}, ${hasIndex ? '' : 'no index, '}${command}: ${String(ran.code)}, ${sent.toString()} sent: ${ran.out.slice(0, 300)}${ran.err}`;
    const { stops, stopsWithoutIndex = stops } = (what === 'gone' ? kind.gone : undefined) ?? kind;
    if ((hasIndex ? stops : stopsWithoutIndex).includes(command)) {
      const { error } = JSON.parse(ran.out);
      const isNamed = String(error?.message).includes(namedFor(path));
      return ran.code === 78 && sent === 0 && isNamed && error.effect === 'none' ? [] : [told];
    }
    const isDone = ran.code === 0 && sent === (command.startsWith('open') ? 1 : 0);
    if (!isDone) return [told];
    if (kind.again !== true || hasIndex || command !== 'open') return [];
    const { mode, uid } = lstatSync(path);
    const isFile = lstatSync(path).isFile() && (mode & 0o777) === 0o600 && uid === process.getuid?.();
    return isFile ? [] : [`it was not made again: ${told}`];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The month of a segment that is gone may be unknown. */
const namedFor = (path: string): string =>
  path.replace(/^.*(archived\.json)$/, '$1').replace(/(\/\d{4})-[^/]*\.jsonl$/, '$1-');

describe('a file of the journal that is', () => {
  it.each(HARMS.filter(({ possible }) => possible !== false))(
    '$what stops what needs it, or is made again',
    async (harm) => {
      const cases = KINDS.flatMap((kind) =>
        EVERY.flatMap((command) => [true, false].map((hasIndex) => ({ ...harm, kind, command, hasIndex }))),
      );
      const wrong: string[] = [];
      const tried = spread(cases, 2);
      for (const each of tried) wrong.push(...(await wrongIn(each)));
      expectHeld('R13 a file of the journal that is not what it was', { runs: tried.length, wrong });
    },
  );
});

const MARKER = '{"schema":3,"kind":"segments","folder":"journal"}\n';
const OLD = `${JSON.stringify({ ...anIntent({ action_id: idOf('dead'), idempotency_key: 'k-old' }), schema: 2 })}\n`;

describe('the line that names the folder of the segments', () => {
  const marked = async (text: string | undefined): Promise<{ home: string; path: string }> => {
    const home = temporaryFolder();
    await copied(home);
    await served.reset();
    const path = join(home, 'state', 'journal.jsonl');
    if (text === undefined) rmSync(path);
    else writeFileSync(path, text, { mode: 0o600 });
    return { home, path };
  };
  const run = (home: string, words: string) => runBuilt(words.split(' '), { env: served.way(home) });
  const textIn = (path: string): string => readFileSync(path, 'utf8');

  it.each([
    ['is gone', undefined],
    ['is empty', ''],
    ['was cut by a power cut', MARKER.slice(0, 20)],
    ['lacks its newline', MARKER.trimEnd()],
    ['has an empty line after it', `${MARKER}\n \r\n`],
    ['was written again by an editor', '{ "schema": 3, "kind": "segments", "folder": "journal" }\r\n'],
  ])('that %s hides no segment and begins no new journal', async (_what, text) => {
    const { home, path } = await marked(text);
    const shown = await run(home, COMMANDS.journal);
    expect(shown.code).toBe(0);
    expect(JSON.parse(shown.out).data).toHaveLength(6);
    const sent = await run(home, COMMANDS.open);
    expect([sent.code, served.changes().length]).toEqual([0, 1]);
    expect(JSON.parse((await run(home, COMMANDS.journal)).out).data).toHaveLength(7);
    // An earlier version rejects it.
    expect(textIn(path)).toMatch(/^\{ ?"schema": ?3,/);
    expect((await run(home, 'audit verify --json')).code).toBe(0);
  });

  it.each([
    ['has a record of another hedge after it', MARKER + OLD, 'other lines'],
    ['has a word of a person after it', `${MARKER}hello\n`, 'other lines'],
    ['has a long line after it', `${MARKER}${' '.repeat(5_000)}x\n`, 'other lines'],
    ['was replaced by the journal of an earlier time', OLD, 'two journals'],
    ['was replaced by noise', 'hello\n', 'two journals'],
    ['names another folder', MARKER.replace('"journal"', '"elsewhere"'), 'two journals'],
  ])('that %s stops every command with its own error', async (_what, text, words) => {
    const { home, path } = await marked(text);
    for (const command of EVERY) {
      const ran = await run(home, COMMANDS[command]);
      const { error } = JSON.parse(ran.out);
      expect([ran.code, error.effect, served.changes()]).toEqual([78, 'none', []]);
      expect(error.message).toContain(path);
      expect(error.message).toContain(words);
      expect(error.hint).toMatch(/move/i);
    }
    expect(textIn(path)).toBe(text);
    const audited = await run(home, 'audit verify --json');
    expect([audited.code, JSON.parse(audited.out).data.changes[0].segment]).toEqual([11, 'journal.jsonl']);
    // What the error says to do.
    renameSync(path, join(home, 'journal.jsonl'));
    expect((await run(home, COMMANDS.open)).code).toBe(0);
    expect(textIn(path)).toBe(MARKER);
    expect(JSON.parse((await run(home, COMMANDS.journal)).out).data).toHaveLength(7);
  });

  it('that a later version wrote is left to that version', async () => {
    const { home, path } = await marked(MARKER.replace('3', '4'));
    for (const command of EVERY) {
      const ran = await run(home, COMMANDS[command]);
      expect([ran.code, served.changes()]).toEqual([78, []]);
      expect(JSON.parse(ran.out).error.message).toContain(`Line 1 of ${path} was written by another version`);
    }
  });

  it.each([
    [true, 0],
    [false, 78],
  ])(
    'that was replaced by a copy of segment 0 (which is there: %s) ends with %d and hides nothing',
    async (isThere, code) => {
      const home = temporaryFolder();
      const path = join(home, 'state', 'journal.jsonl');
      mkdirSync(join(home, 'state'), { mode: 0o700 });
      writeFileSync(path, OLD, { mode: 0o600 });
      await served.reset();
      expect((await run(home, COMMANDS.open)).code).toBe(0);
      writeFileSync(path, OLD, { mode: 0o600 });
      if (!isThere) rmSync(join(folderOf(home), '0000.jsonl'));
      const shown = await run(home, COMMANDS.journal);
      expect([shown.code, JSON.parse(shown.out).data?.length]).toEqual([code, isThere ? 2 : undefined]);
      expect((await run(home, COMMANDS.openAgain)).code).toBe(code);
      // The only copy of segment 0 is not written over.
      expect(textIn(path)).toBe(isThere ? MARKER : OLD);
    },
  );
});

describe.each([
  [
    'full',
    'cp -a "$1" "$1.copy" && mount -t tmpfs -o size=256k,mode=700 tmpfs "$1" && cp -a "$1.copy/." "$1" && (head -c 300000 /dev/zero > "$1/rest" 2> /dev/null || true)',
  ],
  ['read-only', 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"'],
])('a disk of segments that is %s', needs('unshare'), (_what, mount) => {
  const under = (home: string, words: string) => {
    const shell = ['-rm', 'sh', '-c', `${mount} && shift && exec "$@"`, 'sh', join(home, 'state')];
    return runProgram('unshare', [...shell, ...HEDGE, ...words.split(' ')], { env: served.way(home) });
  };

  it.each([
    ['appends', (): void => undefined],
    ['seals', (home: string) => rmSync(join(folderOf(home), activeName(home)))],
    ['makes its index again', (home: string) => rmSync(join(folderOf(home), 'active.terms'))],
    ['makes a lookup again', (home: string) => rmSync(join(folderOf(home), '0003-2020-03.lookup'))],
  ])('lets nothing leave where it %s, names a file of it, and is read', async (what, prepare) => {
    const home = temporaryFolder();
    await copied(home);
    prepare(home);
    if (what !== 'appends') rmSync(join(folderOf(home), 'active.index'));
    await served.reset();
    const files = readdirSync(folderOf(home));
    const ran = await under(home, COMMANDS.open);
    const { error } = JSON.parse(ran.out);
    expect([ran.code, error.code, error.effect, served.changes()]).toEqual([78, 'damaged_file', 'none', []]);
    expect(error.message).toContain(join(home, 'state'));
    expect((await under(home, COMMANDS.journal)).code).toBe(0);
    expect(readdirSync(folderOf(home))).toEqual(files);
    expect((await runBuilt(COMMANDS.open.split(' '), { env: served.way(home) })).code).toBe(0);
  });
});
