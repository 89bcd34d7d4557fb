/** Tests that need a program of the machine: skipped in sight where it is missing, failing where all must run. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { it } from 'vitest';

const folders = (process.env['PATH'] ?? '').split(delimiter);
const isInstalled = (tool: string): boolean => folders.some((folder) => existsSync(join(folder, tool)));

/** `it`, for a test that runs `tool`. */
export const itWith = (tool: string): typeof it.skip | typeof it =>
  isInstalled(tool) || process.env['CI'] !== undefined ? it : it.skip;
