/** A journal that cannot be written: nothing is sent, and the file is named. Counted at the service. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionsIn } from '../journal/records.ts';
import { HEDGE, runBuilt, runProgram } from '../support/built.ts';
import { bookFor, EACH_ACTION, type EachAction, wordsOf } from '../support/each-action.ts';
import { counted, journalAt } from '../support/kill-case.ts';
import { placeOf, runNumbered } from '../support/kill-points.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook();
});
afterAll(() => served.close());

const NOBODY = 65_534;
/** Bytes; less than any record takes, more than the clock's digits differ by. */
const ROOM = 40;
const isRoot = process.getuid?.() === 0;

/** `state` is the folder of the journal, `path` the journal itself. */
interface Place {
  state: string;
  path: string;
}

const SPOILED: readonly { what: string; spoil: (place: Place) => void; possible?: boolean }[] = [
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
    what: 'is of another version',
    spoil: ({ path }) => writeFileSync(path, '{"schema":99}\n', { mode: 0o600 }),
  },
];

async function placeFor(action: EachAction): Promise<Place & { home: string }> {
  await bookFor(served, action);
  const home = temporaryFolder();
  const state = join(home, 'state');
  mkdirSync(state, { mode: 0o700 });
  return { home, state, path: join(state, 'journal.jsonl') };
}

const expectNothingSent = (document: unknown, state: string): void => {
  expect(document).toMatchObject({ error: { code: 'damaged_file', effect: 'none' } });
  expect(JSON.stringify(document)).toContain(state);
  expect(served.changes()).toEqual([]);
};

describe.each(SPOILED.filter(({ possible }) => possible !== false))('a journal that $what', ({ spoil }) => {
  it.each(EACH_ACTION)('lets no $name leave, exit 78', async (action) => {
    const { home, ...place } = await placeFor(action);
    spoil(place);
    const ran = await runBuilt(wordsOf(action), { env: served.way(home) });
    expect(ran).toMatchObject({ code: 78 });
    expectNothingSent(JSON.parse(ran.out), place.state);
    expect(existsSync(join(place.state, 'journal.lock'))).toBe(false);
  });
});

/** Runs `hedge` where `mount` (of `$1`, the folder of the journal) holds for it alone. */
function underMount(
  mount: string,
  { home, state }: { home: string; state: string },
  words: readonly string[],
) {
  const shell = ['-rm', 'sh', '-c', `${mount} && shift && exec "$@"`, 'sh', state];
  return runProgram('unshare', [...shell, ...HEDGE, ...words], { env: served.way(home) });
}

describe.each([
  ['full', 'mount -t tmpfs -o size=4k,mode=700 tmpfs "$1" && head -c 4096 /dev/zero > "$1/full"'],
  ['read-only', 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"'],
])('a disk that is %s', needs('unshare'), (_, mount) => {
  it.each(EACH_ACTION)('lets no $name leave, exit 78', async (action) => {
    const place = await placeFor(action);
    const ran = await underMount(mount, place, wordsOf(action));
    expect(ran).toMatchObject({ code: 78 });
    expectNothingSent(JSON.parse(ran.out), place.state);
  });

  it.each([
    ['with its folder', true],
    ['without it yet', false],
  ])('fails at the doctor, %s', async (_with, there) => {
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
  });
});

describe('a journal that can grow no more once it is sent', needs('prlimit'), () => {
  it.each(EACH_ACTION)(
    'goes on with $name, says that the rest is not written, and leaves it to be found',
    async (action) => {
      const { home, path } = await placeFor(action);
      const env = served.way(home);
      const { points } = await counted(served, action);
      const send = points.find(({ call, on }) => call === 'send' && on === `POST ${action.path}`);
      const at = placeOf(send ?? expect.fail('it was not sent'));
      await bookFor(served, action);
      await runNumbered(wordsOf(action), { env, kill: { at, how: 'before', loses: 'nothing' } });
      const size = readFileSync(path).length;
      rmSync(path);
      await bookFor(served, action);
      const limited = [`--fsize=${size + ROOM}`, ...HEDGE, ...wordsOf(action)];
      const ran = await runProgram('prlimit', limited, { env });
      expect([served.acted(action.path), await served.openOn('buy')]).toEqual([1, action.after]);
      const [entry] = actionsIn(journalAt(home).read());
      expect({ code: ran.code, ...JSON.parse(ran.out) }).toMatchObject({
        code: 0,
        data: { action_id: entry?.id, outcome: action.outcome, effect: 'done' },
        error: null,
      });
      expect(entry?.state).toBe('sent');
      expect(ran.err).toContain(`The outcome of action ${entry?.shortId ?? ''} is not in the journal`);
      expect(ran.err).toContain(`hedge check ${entry?.shortId ?? ''}`);
      // With room again it is found, and settled as the one that it was.
      await runBuilt(['check', '--json'], { env });
      expect(await runBuilt(['resume', '--yes', '--resend', '--json'], { env })).toMatchObject({ code: 0 });
      expect([served.acted(action.path), await served.openOn('buy')]).toEqual([1, action.after]);
    },
  );
});
