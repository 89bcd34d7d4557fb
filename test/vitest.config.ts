import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import { MissingTools } from './missing-tools.ts';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    reporters: ['default', new MissingTools()],
    sequence: { sequencer: LongestFirst },
    // They end what hangs. A test that is slow on a busy machine does not.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
