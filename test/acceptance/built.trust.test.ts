/** What the built program is made of, and what a start of it reads. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TOPIC_TEXTS } from '../../src/cli/help/find-help.ts';
import { manualPages } from '../../src/cli/help/manual.ts';
import { isGroup } from '../../src/commands/define.ts';
import { REGISTRY } from '../../src/commands/registry.ts';
import { aMarket, anAcceptedOpen, anAccount, aQuote } from '../spec/bodies.ts';
import { isExecutable, runBuilt, runProgram } from '../support/built.ts';
import { SANDBOX_KEY, wayTo } from '../support/cli-for.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { needs } from '../support/tools.ts';

const { version: VERSION, man: LISTED }: { version: string; man: string[] } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);
const MANUAL = fileURLToPath(new URL('../../dist/man', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../dist/program', import.meta.url));

describe('the built program', () => {
  it('carries the licence of every package that is in it', () => {
    const licences = readFileSync(join(PROGRAM, 'LICENSES.txt'), 'utf8');
    const maps = readdirSync(PROGRAM).filter((name) => name.endsWith('.map'));
    const sources = maps.flatMap((name) => sourcesOf(join(PROGRAM, name)));
    const packages = sources.flatMap(
      (path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
    );
    expect(packages).toContain('undici');
    const missing = [...new Set(packages)].filter((name) => !licences.includes(`\n${name} `));
    expect(missing).toEqual([]);
  });

  // Node reads the maps of files alone.
  it.skipIf(isExecutable)('names lines of the source in the trace of a fault', async () => {
    const home = temporaryFolder();
    const fault = join(home, 'fault.cjs');
    writeFileSync(fault, "Date.prototype.toISOString = () => { throw new Error('broken on purpose'); };");
    const env = { HEDGE_HOME: home, NODE_OPTIONS: `--require ${fault}` };
    const ran = await runBuilt(['journal', '--json', '-v'], { env });
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/broken on purpose[\s\S]*src\/cli\/printer\.ts:\d+/);
  });

  it('shows the key nowhere, not even while debugging Node itself', async () => {
    const service = await scriptedService([on('GET /account', ok(anAccount()))]);
    const home = temporaryFolder();
    const env = { ...wayTo(service, home), HEDGE_HOME: home, NODE_DEBUG: '*' };
    const ran = await runBuilt(['account', '--json', '-v'], { env });
    expect(ran.code).toBe(0);
    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${SANDBOX_KEY}`);
    expect(ran.err).toMatch(/HTTP \d+/);
    expect(ran.out + ran.err).not.toContain(SANDBOX_KEY);
  });
});

/** The files of the program, Node's own modules and the packages that a start asks for, by name. */
async function askedFor(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const home = temporaryFolder();
  const list = join(home, 'loaded.json');
  const preload = fileURLToPath(new URL('../support/preload/loaded.cjs', import.meta.url));
  // What it takes to keep compiled code is paid by the first start alone.
  const alone = { HEDGE_HOME: home, HEDGE_COMPILED_CODE: 'off', ...env };
  const ran = await runBuilt(words, {
    env: { ...alone, LOADED_TO: list, NODE_OPTIONS: `--require ${preload}` },
  });
  expect(ran).toMatchObject({ code: 0 });
  return JSON.parse(readFileSync(list, 'utf8'));
}

/** What a start loads: packages, Node's own modules, and folders that most commands do without. */
async function loadedBy(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const loaded = await askedFor(words, env);
  const files = loaded.filter((name) => name.endsWith('.cjs'));
  const sources = files.flatMap((name) => sourcesOf(join(PROGRAM, `${name}.map`)));
  const rooms = sources.flatMap(
    (path) => /\/src\/(practice|wizard|trading|desk|journal\/store)(?:\/|\.ts)/.exec(path)?.[1] ?? [],
  );
  return {
    packages: [...new Set(sources.flatMap(packageOf))].toSorted(),
    ofNode: loaded.filter((name) => !name.endsWith('.cjs')).toSorted(),
    rooms: [...new Set(rooms)].toSorted(),
  };
}

/** The files that a start reads, how many bytes are in them, and those with a letter that takes two bytes in V8, as then all do. */
async function readBy(words: readonly string[], env: Readonly<Record<string, string>>) {
  const files = (await askedFor(words, env)).filter((name) => name.endsWith('.cjs'));
  const texts = files.map((name) => readFileSync(join(PROGRAM, name), 'utf8'));
  return {
    files: files.length,
    bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    wide: files.filter((_, index) => /[^\0-\u{ff}]/u.test(texts[index] ?? '')),
  };
}

const BEGINNING = ['node:fs', 'node:os', 'node:path', 'node:vm'];
const COMMANDER = ['node:events', 'node:process'];
const CONNECTION = ['node:crypto', 'node:http', 'node:net', 'node:stream', 'node:tls'];
const DATABASE = ['@photostructure/sqlite', 'fs', 'node-gyp-build', 'node:module', 'os', 'path'];

/** An action says whose money it moves, in a script too. */
const FOR_A_PERSON = [
  '@colors/colors',
  'ansi-regex',
  'chalk',
  'cli-table3',
  'emoji-regex',
  'is-fullwidth-code-point',
  'string-width',
  'strip-ansi',
];

/**
 * Whatever is added to these lists is paid for at every start: see that it is worth it. The executable loads the
 * same files, past the loader that is listened to.
 */
describe.skipIf(isExecutable)('a start loads no more than it needs', () => {
  it('to say the version', async () => {
    expect(await loadedBy(['--version'])).toEqual({ packages: [], ofNode: BEGINNING, rooms: [] });
  });

  it('to complete a name', async () => {
    const env = { HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice' };
    expect(await loadedBy(['__complete', 'check', 'hdg'], env)).toEqual({
      packages: [],
      ofNode: BEGINNING,
      rooms: [],
    });
  });

  it('to help', async () => {
    expect(await loadedBy(['--help'])).toEqual({
      packages: ['commander'],
      ofNode: [...BEGINNING, ...COMMANDER].toSorted(),
      rooms: [],
    });
  });

  it('to help with a command', async () => {
    expect(await loadedBy(['quote', '--help'])).toEqual({
      packages: ['big.js', 'commander', 'lossless-json'],
      ofNode: [...BEGINNING, ...COMMANDER].toSorted(),
      rooms: [],
    });
  });

  it.each(['variables', 'a stored profile'])('to quote with the key of %s', async (origin) => {
    const isStored = origin !== 'variables';
    const account = on('GET /account', ok(anAccount()));
    const service = await scriptedService([
      on('POST /quotes', ok(aQuote())),
      account,
      // A new profile is tried.
      ...(isStored ? [account] : []),
    ]);
    const home = { HEDGE_HOME: temporaryFolder() };
    const way = wayTo(service, home.HEDGE_HOME);
    const { HEDGE_API_KEY: key = '', HEDGE_BASE_URL: url = '', HEDGE_CA_FILE: ca = '' } = way;
    const add = ['profile', 'add', 'desk', '--base-url', url, '--ca-file', ca, '--key-stdin'];
    if (isStored) expect(await runBuilt(add, { env: home, stdin: key })).toMatchObject({ code: 0 });
    const env = { ...home, ...(isStored ? { HEDGE_PROFILE: 'desk' } : way) };
    expect(await loadedBy(['quote', 'USDTNGN', 'buy', '10000', '--tenor', '3', '--json'], env)).toEqual({
      packages: ['big.js', 'commander', 'lossless-json', 'zod'],
      ofNode: [...BEGINNING, ...COMMANDER, ...CONNECTION].toSorted(),
      rooms: [],
    });
  });

  it('to quote, in few files, with no more of a library than is used', async () => {
    const quoting = [on('POST /quotes', ok(aQuote())), on('GET /account', ok(anAccount()))];
    const env = wayTo(await scriptedService(quoting), temporaryFolder());
    const { files, bytes, wide } = await readBy(
      ['quote', 'USDTNGN', 'buy', '10000', '--tenor', '3', '--json'],
      env,
    );
    expect(wide).toEqual([]);
    expect(files).toBeLessThanOrEqual(50);
    // Connections of an agent, and the check whether there is one, are 4,000 of them; the declaration of lists is as much.
    expect(bytes).toBeLessThan(315_000);
  });

  it('to open', async () => {
    const answers = [
      on('POST /quotes', ok(aQuote())),
      on('GET /account', ok(anAccount())),
      on('GET /positions', ok([])),
      on('GET /hedges?limit=500', ok([])),
      on('GET /markets', ok([aMarket()])),
      on('POST /hedges', ok(anAcceptedOpen())),
    ];
    const env = wayTo(await scriptedService(answers), temporaryFolder());
    const words = 'open USDTNGN buy 10000 --tenor 3 --yes --no-wait --json'.split(' ');
    expect(await loadedBy(words, env)).toEqual({
      packages: ['big.js', 'commander', 'lossless-json', 'zod', ...FOR_A_PERSON].toSorted(),
      ofNode: [...BEGINNING, ...COMMANDER, ...CONNECTION, ...DATABASE, 'node:tty'].toSorted(),
      rooms: ['journal/store', 'trading'],
    });
    expect((await readBy(words, wayTo(await scriptedService(answers), temporaryFolder()))).wide).toEqual([]);
  });
});

describe('the manual', () => {
  it('has a page for every command and every topic, as the sources say', async () => {
    const pages = await manualPages(VERSION, TOPIC_TEXTS);
    expect(readdirSync(MANUAL).toSorted()).toEqual(Object.keys(pages).toSorted());
    expect(LISTED.toSorted()).toEqual(
      Object.keys(pages)
        .map((file) => `dist/man/${file}`)
        .toSorted(),
    );
    for (const [file, text] of Object.entries(pages))
      expect(readFileSync(join(MANUAL, file), 'utf8')).toBe(text);
    const entries = await Promise.all(REGISTRY.map((entry) => entry.load()));
    const commands = entries.flatMap((entry) => (isGroup(entry) ? [entry, ...entry.commands] : [entry]));
    for (const { name } of commands) {
      const page = `hedge-${name.replaceAll(' ', '-')}`;
      expect(pages[`${page}.1`]).toContain(`.SH "NAME"\n${page.replaceAll('-', '\\-')} `);
    }
    expect(pages['hedge.1']).toContain('.SH "EXIT STATUS"');
    expect(pages['hedge-profile.1']).toContain('hedge\\-profile\\-add(1)');
  });

  it('has only pages that man reads without a warning', needs('man'), async () => {
    const options = { env: { MANWIDTH: '80', MAN_KEEP_FORMATTING: '' } };
    const files = readdirSync(MANUAL).map((file) => join(MANUAL, file));
    const ran = await runProgram('man', ['--warnings', '--local-file', ...files], options);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toContain('hedge quote MARKET SIDE [NOTIONAL] [options]');
  });
});

describe('compiled code', () => {
  it('is kept by the first two starts, with no key in it, and may be damaged', async () => {
    const account = on('GET /account', ok(anAccount()));
    const service = await scriptedService([account, account, account, account]);
    const home = temporaryFolder();
    const env = { ...wayTo(service, home), HEDGE_HOME: home };
    const first = await runBuilt(['account', '--json'], { env });
    expect(await runBuilt(['account', '--json'], { env })).toMatchObject({ code: 0 });
    const code = join(home, 'cache', 'code');
    const [build = ''] = readdirSync(code);
    const [file = '', ...more] = readdirSync(join(code, build)).map((name) => join(code, build, name));
    expect([first.code, more]).toEqual([0, []]);
    const kept = readFileSync(file);
    expect(kept.includes(SANDBOX_KEY)).toBe(false);

    const third = await runBuilt(['account', '--json'], { env });
    expect(third.code).toBe(0);
    expect(readFileSync(file).equals(kept)).toBe(true);

    writeFileSync(
      file,
      kept.map((byte, at) => (at % 1000 === 999 ? byte ^ 1 : byte)),
    );
    const fourth = await runBuilt(['account', '--json'], { env });
    expect(fourth.code).toBe(0);
    expect(readFileSync(file).equals(kept)).toBe(false);
    expect([third.out, fourth.out].map(dataIn)).toEqual([dataIn(first.out), dataIn(first.out)]);
  });

  it('is not kept under HEDGE_COMPILED_CODE=off', async () => {
    const home = temporaryFolder();
    const ran = await runBuilt(['--help'], { env: { HEDGE_HOME: home, HEDGE_COMPILED_CODE: 'off' } });
    expect(ran.code).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });
});

const dataIn = (out: string): unknown => {
  const { data }: { data: unknown } = JSON.parse(out);
  return data;
};

const packageOf = (path: string): string[] => {
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return name === undefined ? [] : [name];
};

function sourcesOf(map: string): readonly string[] {
  if (!existsSync(map)) return [];
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(map, 'utf8'));
  return sources;
}
