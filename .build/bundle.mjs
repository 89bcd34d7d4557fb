/**
 * Makes dist/program/ from src/: CommonJS, which Node 20 starts 6 to 10 ms sooner than ESM, split so that a command
 * loads only what it runs. The bundled libraries and their licenses are listed in the same folder.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { commandLineModel } from '../dist/cli/completion/model.js';
import { markdownAsText } from './help.mjs';
import { bundledLibraries, licenseTexts } from './licenses.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'program');
const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Bundled together with the rest, its libraries would cost every start 3 ms. */
const PRACTICE_SERVICE = './practice-service.cjs';
const withoutPractice = {
  name: 'practice-apart',
  resolveId: (id) => (id === '../practice/index.ts' ? { id: PRACTICE_SERVICE, external: true } : null),
};

/** The protocol's library and its schemas, for one command alone. */
const TOOL_SERVER = './mcp-server.cjs';
const withoutToolServer = {
  name: 'mcp-apart',
  resolveId: (id) => (id === '../mcp/tool-server.ts' ? { id: TOOL_SERVER, external: true } : null),
};

/** The server validates nothing that its client sends back, and the library's validator would be 300 kB of it. */
const withoutValidator = {
  name: 'no-validator',
  resolveId: (id) => (id === '@modelcontextprotocol/server/_shims' ? '\0no-validator' : null),
  load: (id) =>
    id === '\0no-validator'
      ? 'import process from "node:process"; export { process }; export class DefaultJsonSchemaValidator {}'
      : null,
};

/** No prompt opens an editor, and its character tables would be half a megabyte of the package. */
const withoutEditor = {
  name: 'no-editor',
  resolveId: (id) => (id === '@inquirer/editor' ? '\0no-editor' : null),
  load: (id) => (id === '\0no-editor' ? 'export default undefined;' : null),
};

/** Commander can run subcommands that are programs of their own. None is, and the module takes 1 ms of every start. */
const withoutChildPrograms = {
  name: 'no-child-programs',
  resolveId: (id, importer) =>
    id === 'node:child_process' && /[\\/]node_modules[\\/]commander[\\/]/.test(importer ?? '')
      ? '\0no-child-programs'
      : null,
  load: (id) => (id === '\0no-child-programs' ? 'export default undefined;' : null),
};

/** What every command loads is one file: 1 ms and 5,000 bytes less. */
const oneFile = { includeDependenciesRecursively: false, groups: [{ name: 'start', tags: ['$initial'] }] };

rmSync(PROGRAM, { recursive: true, force: true });
const program = await bundle({
  input: 'src/main/run-process.ts',
  plugins: [withoutPractice, withoutToolServer],
  codeSplitting: oneFile,
});
const practice = await bundle({
  input: { 'practice-service': 'src/practice/index.ts' },
  chunkFileNames: 'practice-[name].cjs',
});
const tools = await bundle({
  input: { 'mcp-server': 'src/mcp/tool-server.ts' },
  plugins: [withoutValidator],
  chunkFileNames: 'mcp-[name].cjs',
});
// Code that runs from the code cache cannot import(): each must be a require of a file here.
const known = new Set([...program, ...practice, ...tools].map(({ fileName }) => fileName));
const unknown = [...program, ...practice, ...tools]
  .flatMap(({ dynamicImports }) => dynamicImports)
  .find((id) => !known.has(id.replace('./', '')));
if (unknown !== undefined) throw new Error(`import(${unknown}) is not bundled`);

const sum = createHash('sha256');
for (const { fileName, code } of [...program, ...practice, ...tools]) sum.update(`${fileName}\0${code}\0`);
const build = { version, commit: commitOf(ROOT), id: sum.digest('hex').slice(0, 12) };
const start = await bundle({
  input: { start: 'src/main.ts' },
  transform: {
    define: { BUILD: JSON.stringify(build), COMMAND_LINE: JSON.stringify(await commandLineModel()) },
  },
  chunkFileNames: 'start-[name].cjs',
  codeSplitting: oneFile,
});

const libraries = bundledLibraries(
  [...program, ...practice, ...tools, ...start].flatMap(({ moduleIds }) => moduleIds),
);
writeFileSync(join(PROGRAM, 'LICENSES.txt'), licenseTexts(libraries));

/** Writes the chunks of one entry and gives them. */
async function bundle({ input, plugins = [], transform, ...output }) {
  const built = await rolldown({
    cwd: ROOT,
    platform: 'node',
    // Packages with native addons are installed next to the program.
    external: Object.keys(dependencies),
    input,
    plugins: [markdownAsText, withoutEditor, withoutChildPrograms, ...plugins],
    preserveEntrySignatures: 'allow-extension',
    ...(transform && { transform }),
  });
  const written = await built.write({
    dir: PROGRAM,
    format: 'cjs',
    sourcemap: true,
    sourcemapExcludeSources: true,
    minify: true,
    // ASCII text takes half the memory in V8.
    charset: 'ascii',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    ...output,
  });
  return written.output.filter(({ type }) => type === 'chunk');
}

/** The commit this was built from, `+` after it with uncommitted changes; null outside a clone. */
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
