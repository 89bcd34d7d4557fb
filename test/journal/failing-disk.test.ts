/**
 * A disk that is full or read-only from any change of a file on, or for that one change, while the journal begins, appends, migrates,
 * seals, and makes its index or its lookups again: what is appended is appended, or the error names a file; nothing else changes.
 */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError } from '../../src/errors.ts';
import { watchFiles } from '../support/day/file-points.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { chainOf } from './chain-of.ts';
import { journalAt } from './journal-at.ts';
import { ACCEPTED, actionAt, actionsIn, FILLED, idOf, SENDING } from './records.ts';

const NOW = '2026-11-20T12:00:00.000Z';
const MONTHS = ['2026-09', '2026-10', '2026-11'];

const stateOf = (home: string): string => join(home, 'state');
const folderOf = (home: string): string => join(home, 'state', 'journal');

const opened = (home: string, at: string) => journalAt(home, () => Date.parse(at));
const atOf = (month: string): string => `${month}-10T12:00:00.000Z`;

async function months(home: string, all: readonly string[]): Promise<void> {
  for (const [index, month] of all.entries())
    await opened(home, atOf(month)).append(
      actionAt(
        atOf(month),
        `${index.toString()}aaa`,
        ...(index < all.length - 1 ? [SENDING, ACCEPTED, FILLED] : [SENDING]),
      ),
    );
}

const withoutFiles = (home: string, end: RegExp): void => {
  for (const name of readdirSync(folderOf(home))) if (end.test(name)) rmSync(join(folderOf(home), name));
};

const WORK: readonly { what: string; prepare(home: string): Promise<void> | void }[] = [
  { what: 'begins', prepare: () => undefined },
  { what: 'appends', prepare: (home) => months(home, MONTHS) },
  { what: 'seals', prepare: (home) => months(home, MONTHS.slice(0, 2)) },
  {
    what: 'makes its index again',
    async prepare(home) {
      await months(home, MONTHS);
      withoutFiles(home, /^active/);
    },
  },
  {
    what: 'makes its lookups again',
    async prepare(home) {
      await months(home, MONTHS);
      withoutFiles(home, /lookup$|^active/);
    },
  },
  {
    what: 'migrates',
    prepare(home) {
      mkdirSync(stateOf(home), { mode: 0o700 });
      const records = actionAt(atOf('2026-09'), '0aaa', SENDING);
      const text = records.map((record) => `${JSON.stringify({ ...record, schema: 2 })}\n`).join('');
      writeFileSync(join(stateOf(home), 'journal.jsonl'), text, { mode: 0o600 });
    },
  },
];

interface Disk {
  /** The change that fails, from 1. */
  at: number;
  code: 'ENOSPC' | 'EROFS';
  forEver: boolean;
  /** Half of it is written. */
  half: boolean;
}

/** Appends an action; says which files changed, and how it ended. */
async function appended(home: string, disk?: Disk): Promise<{ changes: readonly string[]; error: unknown }> {
  const changes: string[] = [];
  watchFiles(home, ({ call, on, half }) => {
    changes.push(`${call} ${on}`);
    if (disk === undefined || changes.length < disk.at || (changes.length > disk.at && !disk.forEver)) return;
    if (disk.half) half?.();
    throw Object.assign(new Error(`${disk.code}: injected`), { code: disk.code, syscall: call });
  });
  try {
    await opened(home, NOW).append(actionAt(NOW, 'beef', SENDING));
    return { changes, error: undefined };
  } catch (error) {
    return { changes, error };
  } finally {
    watchFiles(undefined);
    // The process has ended.
    rmSync(join(stateOf(home), 'journal.lock'), { force: true });
  }
}

async function wrongWith({ what, prepare }: (typeof WORK)[number], disk: Disk): Promise<readonly string[]> {
  const home = temporaryFolder(() => undefined);
  const wrong: string[] = [];
  const must = (holds: boolean, says: string): void => {
    if (!holds) wrong.push(`while it ${what}, ${JSON.stringify(disk)}: ${says}`);
  };
  try {
    await prepare(home);
    const before = actionsIn(opened(home, NOW).read()).map(({ id }) => id);
    const { error } = await appended(home, disk);
    if (error !== undefined)
      must(
        error instanceof DamagedFileError && error.effect === 'none' && error.path.startsWith(home),
        `not told as it is: ${error instanceof Error ? error.message : ''}`,
      );
    const seen = actionsIn(opened(home, NOW).read()).map(({ id }) => id);
    const mine = seen.filter((id) => id === idOf('beef')).length;
    // What reached a disk that took nothing back may be there.
    must(mine === 1 || (mine === 0 && error !== undefined), `it has the action ${mine.toString()} times`);
    must(disk.forEver || error === undefined || mine === 0, 'it has what was said not to be appended');
    must(seen.filter((id) => id !== idOf('beef')).join() === before.join(), `other actions: ${seen.join()}`);
    const next = await opened(home, NOW).append(actionAt(NOW, 'cafe', SENDING));
    must(actionsIn(next).length === seen.length + 1, 'the next action is not appended');
    must(next.damage.length === 0 && next.orphans.length === 0, 'it has damage');
    must(chainOf(stateOf(home)).length === 0, `the chain: ${chainOf(stateOf(home)).join()}`);
    return wrong;
  } catch (error) {
    return [...wrong, `while it ${what}, ${JSON.stringify(disk)}: ${String(error)}`];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

describe('a journal on a disk that fails', () => {
  it.each(WORK)('while it $what appends, or names the file and changes nothing', async (work) => {
    const home = temporaryFolder();
    await work.prepare(home);
    const { changes, error } = await appended(home);
    expect([error, changes.length > 5]).toEqual([undefined, true]);
    const disks = changes.flatMap((on, index) =>
      (['ENOSPC', 'EROFS'] as const).flatMap((code) =>
        [false, true].flatMap((forEver) =>
          (on.startsWith('write') ? [false, true] : [false]).map(
            (half): Disk => ({ at: index + 1, code, forEver, half }),
          ),
        ),
      ),
    );
    const tried = spread(disks, 2);
    const wrong: string[] = [];
    for (const disk of tried) wrong.push(...(await wrongWith(work, disk)));
    expectHeld('R3 journal on a disk that fails at each change of a file', { runs: tried.length, wrong });
  });
});
