/**
 * Makes dist/program/ from src/: CommonJS, which starts sooner than ESM, in one file a command and few besides,
 * so that a start reads only what it runs. The licences of what went in stand beside it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { licencesOf } from './licences.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'program');
const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Commander asks for it at once and uses it for commands that are programs of their own: hedge has none. */
const withoutChildProcess = {
  name: 'commander-without-child-process',
  resolveId: (id, importer) =>
    id === 'node:child_process' && importer?.includes('node_modules/commander/')
      ? '\0no-child-process'
      : null,
  load: (id) => (id === '\0no-child-process' ? 'module.exports = {};' : null),
};

const bundle = await rolldown({
  cwd: ROOT,
  input: { hedge: 'src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // What has native parts of its own is installed beside the program.
  external: Object.keys(dependencies),
  plugins: [withoutChildProcess],
  transform: { define: { BUILD: JSON.stringify({ version, commit: commitOf(ROOT) }) } },
});
rmSync(PROGRAM, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: PROGRAM,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  sourcemap: true,
  sourcemapExcludeSources: true,
  minify: true,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: 'start', tags: ['$initial'], priority: 2 },
      {
        name: 'base',
        test: /\/src\/(domain\/(?!api-key)|intent)|\/(big\.js|lossless-json)\//,
        minShareCount: 2,
      },
    ],
  },
});
const used = new Set(output.flatMap((chunk) => chunk.moduleIds ?? []));
writeFileSync(join(PROGRAM, 'LICENSES.txt'), licencesOf(used));

/** The commit this was built from, `+` after it when there was more than that; null outside a clone. */
function commitOf(root) {
  const git = (...words) =>
    execFileSync('git', words, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    return null;
  }
}
