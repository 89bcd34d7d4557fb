/** Checks the folders above a path, links followed: a user who can rename an entry there can replace hedge's folders. */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { posix, resolve } from 'node:path';
import { say, shell } from '../domain/hint.ts';
import { type CommandWords, DamagedFileError } from '../errors.ts';
import { attempting } from './file-errors.ts';
import type { Host } from './host.ts';

export interface OpenParent {
  path: string;
  /** `refused`: any user can replace its content. `group`: members of its group can. */
  risk: 'refused' | 'group';
  /** The end of a sentence that starts with the path. */
  how: string;
  /** A command that fixes it, if there is one. */
  fix: CommandWords | undefined;
}

/** Results shared between paths, which have most parents in common. */
export type SeenEntries = Map<string, Stats | undefined>;

const ROOT = 0;
const OTHERS_WRITE = 0o022;
const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
const STICKY = 0o1000;
/** The limit of Linux. */
const MOST_LINKS = 40;

/** @throws DamagedFileError naming the first folder above `path` from which another user could replace it. */
export function checkParents(path: string, host: Pick<Host, 'uid'>, seen?: SeenEntries): void {
  const found = openParents(path, host, seen).find(({ risk }) => risk === 'refused');
  if (found === undefined) return;
  throw new DamagedFileError(found.path, {
    what: `${found.path} ${found.how}, so another user could replace ${path}.`,
    hint: say`Set HEDGE_HOME to a folder that only you can change.${found.fix === undefined ? '' : say` Or: ${found.fix}`}`,
  });
}

/** Every folder above `path`, links followed, from which another user could replace it. @throws DamagedFileError */
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

/**
 * Why an existing file decides nothing here: another user could change or replace it. Root could anyway. Undefined when none
 * could.
 */
export function whyForeign(
  path: string,
  stats: Pick<Stats, 'uid' | 'mode'>,
  { uid }: Pick<Host, 'uid'>,
): string | undefined {
  if (uid === undefined) return undefined;
  if (stats.uid !== uid && stats.uid !== ROOT) return 'it belongs to another user';
  if ((stats.mode & OTHERS_WRITE) !== 0) return 'other users can write it';
  const parent = openParents(resolve(path), { uid }).find(({ risk }) => risk === 'refused');
  return parent && `another user could replace it: ${parent.path} ${parent.how}`;
}

const namesIn = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

function look(path: string, seen: SeenEntries): Stats | undefined {
  if (seen.has(path)) return seen.get(path);
  const stats = attempting('inspect', path, () => lstatSync(path, { throwIfNoEntry: false }));
  seen.set(path, stats);
  return stats;
}

type How = (folder: string) => Omit<OpenParent, 'path'>;

/** How another user could replace the entry; undefined when none could. */
function replaceable(
  folder: Stats,
  entry: Stats | undefined,
  { owners, uid }: { owners: readonly (number | undefined)[]; uid: number },
): How | undefined {
  if (!owners.includes(folder.uid))
    return () => ({ risk: 'refused', how: 'belongs to another user', fix: undefined });
  const isSticky = (folder.mode & STICKY) !== 0;
  if ((folder.mode & ALL_WRITE) !== 0 && !isSticky)
    return (path) => ({
      risk: 'refused',
      how: 'can be written by every user',
      fix: shell`chmod o-w ${path}`,
    });
  // In a sticky folder such as /tmp only an entry's owner can replace it.
  if ((folder.mode & (ALL_WRITE | GROUP_WRITES)) !== 0 && isSticky)
    return entry === undefined || entry.uid === uid || entry.uid === ROOT
      ? undefined
      : () => ({
          risk: 'refused',
          how: 'is shared, and the folder below it belongs to another user',
          fix: undefined,
        });
  if ((folder.mode & GROUP_WRITES) === 0) return undefined;
  return (path) => ({
    risk: 'group',
    how: 'can be written by its group',
    fix: shell`chmod g-w ${path}`,
  });
}
