import { existsSync } from 'node:fs';

/** Tests of the built program would wait for it until their limit. */
export function setup(): void {
  if (!existsSync(new URL('../dist/program/start.cjs', import.meta.url)))
    throw new Error('These tests start the built program: run `npm run build` first.');
}
