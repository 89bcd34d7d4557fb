/** Advice on a data file that this user may not use: its owner, or the command that permits it. */
import { lstatSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { shell, step } from '../domain/hint.ts';
import { type Hint, unless } from '../errors.ts';

/** Advice on the first part of the path that `uid` may not use; undefined if there is none. Default: this user. */
export function permissionAdvice(path: string, uid = userInfo().uid): Hint | undefined {
  // Windows has no owners.
  if (uid < 0) return undefined;
  const folders = foldersAbove(path).filter((folder) => statsOf(folder) !== undefined);
  const needs: readonly (readonly [path: string, bits: number])[] = [
    ...folders.map((folder) => [folder, SEARCH] as const),
    [path, READ_WRITE],
    ...folders.slice(-1).map((folder) => [folder, WRITE_IN] as const),
  ];
  for (const [part, bits] of needs) {
    const stats = statsOf(part);
    if (stats === undefined) continue;
    const asked = stats.isDirectory() ? bits | SEARCH : bits & READ_WRITE;
    if (stats.uid === uid) {
      if ((stats.mode & asked) === asked) continue;
      const word = stats.isDirectory() ? 'u+rwx' : 'u+rw';
      return [
        'Set HEDGE_HOME to another folder, or permit yourself to use it:',
        step(shell`chmod ${word} ${part}`),
      ];
    }
    if ((stats.mode & (asked >> OTHERS_SHIFT)) === asked >> OTHERS_SHIFT) continue;
    return `${part} belongs to another user (ID ${stats.uid.toString()}). Run hedge as that user, or set HEDGE_HOME to another folder.`;
  }
  return undefined;
}

/** Bits of the owner; those of all others are six places lower. */
const SEARCH = 0o100;
const WRITE_IN = 0o300;
const READ_WRITE = 0o600;
const OTHERS_SHIFT = 6;

/** The topmost first. */
function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}

const statsOf = (path: string): Stats | undefined =>
  unless(Error, () => lstatSync(path, { throwIfNoEntry: false }));
