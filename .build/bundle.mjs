/**
 * Makes dist/program/ from src/: CommonJS, which starts sooner than ESM, in one file a command and few besides,
 * so that a start reads only what it runs. The licences of what went in stand beside it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { commandLineModel } from '../dist/cli/completion/model.js';
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

/** What never changes is handed from file to file as it is: the bundler makes a getter of every name. */
const handedOver = {
  name: 'exports-as-they-are',
  renderChunk: (code) => ({
    code: code.replaceAll(GETTER, (getter, as, name) =>
      isConstant(name, code) ? `exports.${as} = ${name};` : getter,
    ),
    map: null,
  }),
};
const GETTER =
  /^Object\.defineProperty\(exports, "([\w$]+)", \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);$/gm;
const isConstant = (name, code) =>
  new RegExp(`^(const|class|(async )?function\\*?) ${name.replaceAll('$', '\\$')}(?![\\w$])`, 'm').test(code);

const common = {
  cwd: ROOT,
  platform: 'node',
  // What has native parts of its own is installed beside the program.
  external: Object.keys(dependencies),
  plugins: [withoutChildProcess, handedOver],
};
const written = {
  dir: PROGRAM,
  format: 'cjs',
  sourcemap: true,
  sourcemapExcludeSources: true,
  minify: true,
  // Text of ASCII alone takes half the memory in V8.
  charset: 'ascii',
  dynamicImportInCjs: false,
};

/** Shares nothing with the rest. In one bundle with it, all that it uses of a library would be read by every start. */
const PRACTICE = { source: 'src/practice/index.ts', file: './practice-service.cjs' };
const withoutPractice = {
  name: 'practice-apart',
  resolveId: (id) => (id === '../practice/index.ts' ? { id: PRACTICE.file, external: true } : null),
};

/** The files that begin, and their sources: every start reads the first, and one of the others at most. */
const BEGINNINGS = {
  start: 'main.ts',
  'start-complete': 'main/complete.ts',
  'start-launch': 'main/launch.ts',
};

/** What most commands read, in files of its own: one is read sooner than what it is made of. */
const TOGETHER = {
  views: ['blocks', 'field-labels', 'hint', 'format-time', 'views/cells', 'views/record-columns'].map(
    (name) => `output/${name}`,
  ),
  desk: [
    ...['base-url', 'unspecified-fields', 'json', 'serialize-request'].map((name) => `client/${name}`),
    ...['request-failure', 'deadline', 'proxy', 'classify-error'].map((name) => `client/transport/${name}`),
    ...['profile-names', 'resolve'].map((name) => `config/${name}`),
    'domain/api-key',
    'journal/account-identity',
    'platform/atomic-file',
    'platform/file-errors',
  ],
};
const together = Object.entries(TOGETHER).map(([name, files]) => {
  const paths = new Set(files.map((file) => join(ROOT, 'src', `${file}.ts`)));
  const gone = [...paths].find((path) => !existsSync(path));
  if (gone !== undefined) throw new Error(`${gone} is gone`);
  return { name, test: (id) => paths.has(id), minShareCount: 2 };
});

rmSync(PROGRAM, { recursive: true, force: true });
const program = await rolldown({
  ...common,
  plugins: [...common.plugins, withoutPractice],
  input: 'src/main/run-process.ts',
  preserveEntrySignatures: 'allow-extension',
});
const { output } = await program.write({
  ...written,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: 'start', tags: ['$initial'], priority: 2 },
      {
        name: 'base',
        test: /\/src\/(domain\/(?!api-key)|intent)|\/(big\.js|lossless-json)\//,
        minShareCount: 2,
      },
      ...together,
    ],
  },
});
const practice = await rolldown({ ...common, input: { 'practice-service': PRACTICE.source } });
const served = await practice.write({
  ...written,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'practice-[name].cjs',
});
const chunks = [...output, ...served.output].filter(({ type }) => type === 'chunk');
// Run from compiled code, a file has no way to import(): every one must have become a require of a file here.
const known = new Set(chunks.map(({ fileName }) => fileName));
const strange = chunks
  .flatMap((chunk) => chunk.dynamicImports)
  .find((id) => !known.has(id.replace('./', '')));
if (strange !== undefined) throw new Error(`import(${strange}) is not bundled`);

const files = createHash('sha256');
for (const { fileName, code } of chunks) files.update(`${fileName}\0${code}\0`);
const build = JSON.stringify({ version, commit: commitOf(ROOT), files: files.digest('hex').slice(0, 12) });
const commandLine = JSON.stringify(await commandLineModel());
// What begins shares no file: Node takes longer to find one than to read what is in it twice.
const began = await Promise.all(Object.entries(BEGINNINGS).map(beginning));

const used = [...chunks, ...began.flat()].flatMap((chunk) => chunk.moduleIds ?? []);
writeFileSync(join(PROGRAM, 'LICENSES.txt'), licencesOf(new Set(used)));

/** One of the files that begin, from its own file in src/; the others are where it asks for them. */
async function beginning([name, source]) {
  const others = {
    name: 'others-where-they-will-be',
    resolveId(id, importer) {
      const file = importer && Object.keys(BEGINNINGS).find((each) => id === `./${BEGINNINGS[each]}`);
      return file === undefined ? null : { id: `./${file}.cjs`, external: true };
    },
  };
  const bundle = await rolldown({
    ...common,
    plugins: [...common.plugins, others],
    input: `src/${source}`,
    transform: { define: { BUILD: build, COMMAND_LINE: commandLine } },
  });
  const made = await bundle.write({
    ...written,
    entryFileNames: `${name}.cjs`,
  });
  return made.output;
}

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
