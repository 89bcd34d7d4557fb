/** What stands at a path, looked at from outside: opens nothing, follows no link, judges nothing. */
import { lstatSync, type Stats } from 'node:fs';
import { whyNot } from './file-errors.ts';
import type { Host } from './host.ts';

export type FileFacts =
  | { path: string; is: 'absent' }
  | { path: string; is: 'hidden'; why: string }
  | {
      path: string;
      is: 'folder' | 'file' | 'other';
      /** `0600`; undefined where the system has no such thing. */
      mode: string | undefined;
      /** Of the user who runs this; true where the system cannot say. */
      ours: boolean;
      bytes: number;
    };

const PERMISSIONS = 0o777;

export function lookAt(path: string, { uid }: Pick<Host, 'uid'>): FileFacts {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return { path, is: 'hidden', why: whyNot(error) };
  }
  if (stats === undefined) return { path, is: 'absent' };
  return {
    path,
    is: stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other',
    mode: uid === undefined ? undefined : `0${(stats.mode & PERMISSIONS).toString(8).padStart(3, '0')}`,
    ours: uid === undefined || stats.uid === uid,
    bytes: stats.size,
  };
}
