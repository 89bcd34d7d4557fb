/** Tests that need a program of the machine: skipped in sight where it is missing, failing where all must run. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const folders = (process.env['PATH'] ?? '').split(delimiter);

/** Whether to skip for want of `tool`: never under CI, where its absence must be seen. */
export const isMissing = (tool: string): boolean =>
  process.env['CI'] === undefined && !folders.some((folder) => existsSync(join(folder, tool)));
