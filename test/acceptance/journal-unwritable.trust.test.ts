/** A journal that cannot be written: nothing is sent, and the file is named. Counted at the service. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEDGE, isExecutable, runProgram } from '../support/built.ts';
import { bookFor, EACH_ACTION, type EachAction, wordsOf } from '../support/each-action.ts';
import { aQuarterOf } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';
import { journalFile, makeNewerJournal, readRecords, writeJournal } from '../support/written-journal.ts';

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook();
});
afterAll(() => served.close());

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** `state` is the folder of the journal, `path` the journal itself. */
interface Place {
  home: string;
  state: string;
  path: string;
}

interface Spoiled {
  what: string;
  spoil(place: Place): void;
  possible?: boolean;
  /** `damaged_file` unless said. */
  code?: string;
}

const SPOILED: readonly Spoiled[] = [
  { what: 'is a folder', spoil: ({ path }) => mkdirSync(path) },
  { what: 'is a link', spoil: ({ path }) => symlinkSync('/dev/null', path) },
  { what: 'is a pipe', spoil: ({ path }) => void execFileSync('mkfifo', [path]) },
  { what: 'can be read by others', spoil: ({ path }) => writeFileSync(path, '', { mode: 0o644 }) },
  {
    what: "is another user's",
    spoil({ path }) {
      writeFileSync(path, '', { mode: 0o600 });
      chownSync(path, NOBODY, NOBODY);
    },
    possible: isRoot,
  },
  {
    what: "is in another user's folder",
    spoil: ({ state }) => chownSync(state, NOBODY, NOBODY),
    possible: isRoot,
  },
  { what: 'is in a folder that others can write into', spoil: ({ state }) => chmodSync(state, 0o777) },
  {
    what: 'is in a folder that is read-only',
    spoil: ({ state }) => chmodSync(state, 0o500),
    possible: !isRoot,
  },
  {
    what: 'is of a newer version',
    spoil({ home }) {
      writeJournal(home, []);
      makeNewerJournal(home);
    },
  },
  {
    what: 'is of an earlier version',
    spoil: ({ state }) => writeFileSync(join(state, 'journal.jsonl'), '{"schema":2}\n', { mode: 0o600 }),
    code: 'journal_earlier',
  },
];

async function placeFor(action: EachAction): Promise<Place> {
  await bookFor(served, action);
  const home = temporaryFolder();
  const state = join(home, 'state');
  mkdirSync(state, { mode: 0o700 });
  return { home, state, path: journalFile(home) };
}

const expectNothingSent = (document: unknown, state: string, code = 'damaged_file'): void => {
  expect(document).toMatchObject({ error: { code, effect: 'none' } });
  expect(JSON.stringify(document)).toContain(state);
  expect(served.changes()).toEqual([]);
};

describe.each(SPOILED.filter(({ possible }) => possible !== false))(
  'a journal that $what',
  ({ spoil, code }) => {
    it.each(EACH_ACTION)('lets no $name leave, exit 78', async (action) => {
      const place = await placeFor(action);
      spoil(place);
      const ran = await runHedge(wordsOf(action), { env: served.way(place.home) });
      expect(ran).toMatchObject({ code: 78 });
      expectNothingSent(JSON.parse(ran.out), place.state, code);
    });
  },
);

describe('a journal that is of another program', () => {
  it.each(EACH_ACTION)('lets $name leave only to close, and keeps it in pending.sqlite', async (action) => {
    const { home, path, state } = await placeFor(action);
    writeFileSync(path, 'not a record\n', { mode: 0o600 });
    const ran = await runHedge(wordsOf(action), { env: served.way(home) });
    if (action.name !== 'close') {
      expect(ran).toMatchObject({ code: 78 });
      expectNothingSent(JSON.parse(ran.out), state);
    } else {
      expect(ran).toMatchObject({ code: 0 });
      expect(served.acted(action.path)).toBe(1);
    }
    expect(readFileSync(path, 'utf8')).toBe('not a record\n');
    expect(existsSync(join(state, 'pending.sqlite'))).toBe(action.name === 'close');
  });
});

/** Runs `hedge` where `mount` (of `$1`, the folder of the journal) holds for it alone. */
function underMount(mount: string, { home, state }: Pick<Place, 'home' | 'state'>, words: readonly string[]) {
  const shell = ['-rm', 'sh', '-c', `${mount} && shift && exec "$@"`, 'sh', state];
  return runProgram('unshare', [...shell, ...HEDGE, ...words], { env: served.way(home) });
}

describe.each([
  ['full', 'mount -t tmpfs -o size=4k,mode=700 tmpfs "$1" && head -c 4096 /dev/zero > "$1/full"'],
  ['read-only', 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"'],
])('a disk that is %s', needs('unshare'), (_, mount) => {
  it.each(aQuarterOf(EACH_ACTION))('lets no $name leave, exit 78', async (action) => {
    const place = await placeFor(action);
    const ran = await underMount(mount, place, wordsOf(action));
    expect(ran).toMatchObject({ code: 78 });
    expectNothingSent(JSON.parse(ran.out), place.state);
  });

  // Without it yet, the executable cannot keep its library there, and says that instead.
  const FOLDERS: readonly (readonly [string, boolean])[] = [
    ['with its folder', true],
    ['without it yet', false],
  ];
  it.each(FOLDERS.filter(([, there]) => there || !isExecutable))(
    'fails at the doctor, %s',
    async (_with, there) => {
      const home = temporaryFolder();
      const state = there ? join(home, 'state') : home;
      mkdirSync(state, { mode: 0o700, recursive: true });
      const ran = await underMount(mount, { home, state }, ['doctor', '--json']);
      expect(ran.code).toBe(11);
      expect(JSON.parse(ran.out).data.checks).toContainEqual(
        expect.objectContaining({
          check: 'journal',
          verdict: 'fail',
          says: expect.stringContaining(state),
          facts: { code: 'damaged_file' },
        }),
      );
    },
  );
});

/** Runs it under strace, which sees the writes and syncs of the database's log. */
async function onTheLog(words: readonly string[], home: string, inject: readonly string[] = []) {
  const log = join(temporaryFolder(), 'strace');
  const traced = ['-P', `${journalFile(home)}-wal`, '-e', 'trace=pwrite64,fsync,fdatasync', ...inject];
  const ran = await runProgram('strace', ['-f', '-qq', '-o', log, ...traced, ...HEDGE, ...words], {
    env: served.way(home),
  });
  return { ran, calls: readFileSync(log, 'utf8').split('\n') };
}

describe('a journal that can grow no more once it is sent', needs('strace'), () => {
  it.each(aQuarterOf(EACH_ACTION))(
    'goes on with $name, says that the rest is not written, and leaves it to be found',
    async (action) => {
      const words = wordsOf(action);
      const { calls } = await onTheLog(words, (await placeFor(action)).home);
      // All that was written before the action was sent: a new log syncs its beginning, and then each append.
      const [, sync] = calls.flatMap((call, index) => (/f(data)?sync\(/.test(call) ? index : []));
      const writes = calls.slice(0, sync).filter((call) => call.includes('pwrite64(')).length;
      expect(writes).toBeGreaterThan(0);
      const { home } = await placeFor(action);
      const env = served.way(home);
      const full = `inject=pwrite64:error=ENOSPC:when=${(writes + 1).toString()}+`;
      const { ran } = await onTheLog(words, home, ['-e', full]);
      expect([served.acted(action.path), await served.openOn('buy')]).toEqual([1, action.after]);
      const [intent, last, ...more] = readRecords(home);
      const id = intent?.kind === 'intent' ? intent.action_id : '';
      const shortId = intent?.kind === 'intent' ? (intent.short_id ?? '') : '';
      expect([last?.kind, more]).toEqual(['sending', []]);
      expect({ code: ran.code, ...JSON.parse(ran.out) }).toMatchObject({
        code: 0,
        data: { action_id: id, outcome: action.outcome, effect: 'done' },
        error: null,
      });
      expect(ran.err).toContain(`The outcome of action ${shortId} is not in the journal`);
      expect(ran.err).toContain(`hedge check ${shortId}`);
      // With room again it is found, and settled as the one that it was.
      await runHedge(['check', '--json'], { env });
      expect(await runHedge(['resume', '--yes', '--resend', '--json'], { env })).toMatchObject({ code: 0 });
      expect([served.acted(action.path), await served.openOn('buy')]).toEqual([1, action.after]);
    },
  );
});
