/**
 * Makes dist/executable/hedge of dist/program/: Node's own single executable, from a Node of the npm registry, with
 * the files of the program and their native parts in it. Usage: npm run package
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** The first even one that builds single executables by itself. */
const NODE = '26';
/** What has been built and tested so. */
const PLATFORMS = ['linux-x64'];

const FETCHED_WITHIN_MS = 300_000;
/** sysexits' word for what may work another time. */
const TRY_LATER = 75;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'program');
const OUTPUT = join(ROOT, 'dist', 'executable');
const platform = `${process.platform}-${process.arch}`;
const require = createRequire(import.meta.url);

if (!PLATFORMS.includes(platform)) {
  process.stderr.write(`An executable is made on ${PLATFORMS.join(' and ')} alone; this is ${platform}.\n`);
  process.exit(1);
}

const work = mkdtempSync(join(tmpdir(), 'hedge-package-'));
try {
  await make();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function make() {
  const node = fetchedNode();
  if (node === undefined) return;
  const main = join(work, 'executable.cjs');
  const bundle = await rolldown({ cwd: ROOT, input: 'src/startup/executable.ts', platform: 'node' });
  await bundle.write({ file: main, format: 'cjs', minify: true });

  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  const output = join(OUTPUT, 'hedge');
  const config = join(work, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      main,
      output,
      mainFormat: 'commonjs',
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      assets: { ...programFiles(), ...sqlite(), ...keychain() },
    }),
  );
  execFileSync(node, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  const told = execFileSync(output, ['--version', '--json'], { env: { HEDGE_HOME: work } });
  const { data } = JSON.parse(told.toString());
  process.stdout.write(`${output}: hedge ${data.version}, Node ${data.node}, ${data.platform}\n`);
}

/** Only the binary is wanted: nothing of the package is run to install it. */
function fetchedNode() {
  const name = `node-${platform}`;
  const wanted = `${name}@${NODE}`;
  const quietly = ['--no-save', '--ignore-scripts', '--no-audit', '--silent'];
  try {
    const how = { cwd: work, stdio: ['ignore', 'ignore', 'inherit'], timeout: FETCHED_WITHIN_MS };
    execFileSync('npm', ['install', ...quietly, '--prefix', work, wanted], how);
  } catch {
    process.stderr.write(`The npm registry does not give ${wanted} here: no executable was made.\n`);
    process.exitCode = TRY_LATER;
    return undefined;
  }
  return join(work, 'node_modules', name, 'bin', 'node');
}

function programFiles() {
  const names = readdirSync(PROGRAM).filter((name) => name.endsWith('.cjs'));
  return Object.fromEntries(names.map((name) => [name, join(PROGRAM, name)]));
}

/** Uses __dirname to find its native addon, which src/startup/executable.ts gives it. */
function sqlite() {
  const file = require.resolve('@photostructure/sqlite');
  const placed = join(work, 'sqlite.cjs');
  writeFileSync(placed, `const __dirname = '/';\n${readFileSync(file, 'utf8')}`);
  const fromIt = createRequire(file);
  return { 'sqlite.cjs': placed, 'sqlite.node': fromIt('node-gyp-build').path(join(file, '..', '..')) };
}

/** Left out where npm left its optional library out: keys are then kept otherwise. */
function keychain() {
  const speaker = { 'keychain.cjs': join(ROOT, 'bin', 'keychain.js') };
  try {
    const fromIt = createRequire(require.resolve('@napi-rs/keyring'));
    return { ...speaker, 'keyring.node': fromIt.resolve(`@napi-rs/keyring-${platform}-gnu`) };
  } catch {
    return speaker;
  }
}
