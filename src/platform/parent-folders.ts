/**
 * The folders above a path. Whoever may rename an entry of one of them can put another folder in the place of ours, and
 * what was kept there is forgotten without a word. Follows every link as the system does.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { shellWord } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { cannot } from './file-errors.ts';
import type { Host } from './host.ts';
export interface OpenParent {
  path: string;
  /** `refused`: any other user can replace what is below. `group`: the members of its group can. */
  risk: 'refused' | 'group';
  /** The end of a sentence that begins with the path. */
  how: string;
  /** A command that mends it, where there is one. */
  mend: string | undefined;
}

/** What was looked at already: several paths of one start share most of their parents. */
export type SeenEntries = Map<string, Stats | undefined>;

const ROOT = 0;
const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
const STICKY = 0o1000;
/** Linux follows as many. */
const MOST_LINKS = 40;

/** @throws DamagedFileError naming the first folder above `path` from which another user could replace it. */
export function checkParents(path: string, host: Pick<Host, 'uid'>, seen?: SeenEntries): void {
  const found = openParents(path, host, seen).find(({ risk }) => risk === 'refused');
  if (found === undefined) return;
  const mend = found.mend === undefined ? '' : `Or close it: ${found.mend}`;
  throw new DamagedFileError(found.path, {
    what: `${found.path} ${found.how}, so another user could replace ${path}.`,
    book: 'Nothing was sent; nothing in there was read.',
    hint: `Move your hedge folder to a place that only you can change, and set HEDGE_HOME to it. ${mend}`.trim(),
  });
}

/**
 * Every folder above `path`, as it is written and as its links lead, from which another user could replace it. What is
 * absent is replaced by nobody. None where there are no user ids. @throws DamagedFileError where nothing can be seen.
 */
export function openParents(
  path: string,
  { uid }: Pick<Host, 'uid'>,
  seen: SeenEntries = new Map(),
): readonly OpenParent[] {
  if (uid === undefined) return [];
  const owners = [ROOT, uid, look('/', seen)?.uid];
  const found = new Map<string, OpenParent>();
  const left = namesIn(path);
  let folder = '/';
  for (let links = 0; left.length > 0; ) {
    const name = left.shift() ?? '';
    if (name === '..') {
      folder = posix.dirname(folder);
      continue;
    }
    const next = posix.join(folder, name);
    const above = look(folder, seen);
    const entry = look(next, seen);
    const how = above && replaceable(above, entry, { owners, uid });
    if (how !== undefined) found.set(folder, { path: folder, ...how(folder) });
    if (entry?.isSymbolicLink() === true && links++ < MOST_LINKS) {
      const target = readlinkSync(next);
      if (target.startsWith('/')) folder = '/';
      left.unshift(...namesIn(target));
    } else if (entry?.isDirectory() === true) folder = next;
    else break;
  }
  return [...found.values()];
}

const namesIn = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

function look(path: string, seen: SeenEntries): Stats | undefined {
  if (seen.has(path)) return seen.get(path);
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    seen.set(path, stats);
    return stats;
  } catch (error) {
    throw cannot('look at', path, error);
  }
}

type How = (folder: string) => Omit<OpenParent, 'path'>;

/** Who but this user and root could put another entry in the place of this one; undefined: nobody. */
function replaceable(
  folder: Stats,
  entry: Stats | undefined,
  { owners, uid }: { owners: readonly (number | undefined)[]; uid: number },
): How | undefined {
  if (!owners.includes(folder.uid))
    return () => ({ risk: 'refused', how: 'belongs to another user', mend: undefined });
  const isSticky = (folder.mode & STICKY) !== 0;
  if ((folder.mode & ALL_WRITE) !== 0 && !isSticky)
    return (path) => ({
      risk: 'refused',
      how: 'can be written by every user',
      mend: `chmod o-w ${shellWord(path)}`,
    });
  // In a folder such as /tmp an entry can be replaced by its owner alone.
  if ((folder.mode & (ALL_WRITE | GROUP_WRITES)) !== 0 && isSticky)
    return entry === undefined || entry.uid === uid || entry.uid === ROOT
      ? undefined
      : () => ({
          risk: 'refused',
          how: 'is shared, and what is below belongs to another user',
          mend: undefined,
        });
  if ((folder.mode & GROUP_WRITES) === 0) return undefined;
  return (path) => ({
    risk: 'group',
    how: 'can be written by its group',
    mend: `chmod g-w ${shellWord(path)}`,
  });
}
