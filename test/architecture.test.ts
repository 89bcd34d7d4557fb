import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const LONGEST_FILE = 500;

/** Lower floors know nothing of higher ones; folders on one floor do not know each other. */
const FLOORS: readonly (readonly string[])[] = [
  ['errors', 'help'],
  ['domain'],
  ['platform'],
  ['args', 'client', 'config', 'journal', 'cache', 'terminal'],
  ['readings'],
  ['trading', 'diagnostics'],
  ['output'],
  ['wizard'],
  ['commands'],
  ['cli'],
  ['startup'],
  ['main'],
];
/** What a folder may not import though it lies on a lower floor, and of which it may see the types. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = { output: ['client', 'readings', 'trading'] };
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  readings: ['terminal'],
  trading: ['terminal'],
  diagnostics: ['terminal'],
  output: ['client', 'readings', 'trading', 'terminal', 'config'],
};

const LIBRARY_OWNERS: Readonly<Record<string, readonly string[]>> = {
  commander: ['cli'],
  undici: ['client'],
  '@inquirer/prompts': ['terminal'],
  ora: ['terminal'],
  chalk: ['output', 'terminal'],
  'cli-table3': ['output'],
  conf: ['config'],
  'csv-stringify': ['output'],
  '@jmespath-community/jmespath': ['output'],
  'temporal-polyfill': ['domain'],
  zod: ['client', 'config', 'journal', 'cache', 'practice'],
  'lossless-json': ['client', 'domain'],
  '@photostructure/sqlite': ['practice'],
  '@peculiar/x509': ['practice'],
};

interface Import {
  from: string;
  room: string;
  target: string;
  typeOnly: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), 'utf8') }));

const roomOf = (file: string): string => (file.split('/')[0] ?? '').replace(/\.ts$/, '');
const floorOf = (room: string): number => FLOORS.findIndex((rooms) => rooms.includes(room));

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(\{[^}]*\}|[^'"\n;]*?)\s*(?:from\s+)?'([^']+)'|import\('([^']+)'\)/g;

const imports: readonly Import[] = files.flatMap(({ name, text }) =>
  [...text.matchAll(IMPORT)].map((match) => ({
    from: name,
    room: roomOf(name),
    target: match[3] ?? match[4] ?? '',
    typeOnly: match[1] !== undefined || everyNameIsAType(match[2]),
  })),
);

function everyNameIsAType(names: string | undefined): boolean {
  if (names === undefined || !names.startsWith('{')) return false;
  const listed = names
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return listed.length > 0 && listed.every((name) => name.startsWith('type '));
}

const inside = imports
  .filter(({ target }) => target.startsWith('.'))
  .map((found) => ({
    ...found,
    into: roomOf(relative(SRC, resolve(SRC, dirname(found.from), found.target))),
  }));

const withoutCommentsAndStrings = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");

describe('the house', () => {
  it('finds the files and the imports it judges', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(inside.length).toBeGreaterThan(100);
  });

  it('imports only downward, and not between rooms of one floor', () => {
    const upward = inside.filter(({ room, into, typeOnly }) => {
      if (room === into || room === 'practice' || into === 'practice') return false;
      if (typeOnly && TYPES_ONLY[room]?.includes(into) === true) return false;
      if (FORBIDDEN[room]?.includes(into) === true) return true;
      return floorOf(into) < 0 || floorOf(room) < 0 || floorOf(into) >= floorOf(room);
    });
    expect(upward.map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  it('has no files that import each other in a circle, types included', () => {
    const known = new Map(files.map(({ name }) => [name, new Set<string>()]));
    for (const { from, target } of inside)
      known.get(from)?.add(relative(SRC, resolve(SRC, dirname(from), target)));
    // In no circle is whoever imports nothing that is left, or is imported by nothing that is left.
    for (let before = -1; before !== known.size; ) {
      before = known.size;
      const used = new Set([...known.values()].flatMap((uses) => [...uses]));
      for (const [file, uses] of known)
        if (!used.has(file) || ![...uses].some((other) => known.has(other))) known.delete(file);
    }
    expect([...known.keys()]).toEqual([]);
  });

  it('keeps the practice service an island that only main.ts visits', () => {
    const bridges = inside.filter(
      ({ room, into }) =>
        (room === 'practice' && into !== 'practice') ||
        (into === 'practice' && room !== 'practice' && room !== 'main'),
    );
    expect(bridges.map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  it('gives each library one owner', () => {
    const strays = imports.filter(({ room, target }) => {
      const name = Object.keys(LIBRARY_OWNERS).find(
        (each) => target === each || target.startsWith(`${each}/`),
      );
      return name !== undefined && LIBRARY_OWNERS[name]?.includes(room) !== true;
    });
    expect(strays.map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  it('touches the process and the console in main, startup/ and terminal/ only', () => {
    const touching = files.filter(
      ({ name, text }) =>
        !['main', 'startup', 'terminal'].includes(roomOf(name)) &&
        /(?<![\w.'])(?:process\.\w|console\.)/.test(withoutCommentsAndStrings(text)),
    );
    expect(touching.map(({ name }) => name)).toEqual([]);
  });

  it('reads clocks and randomness in platform/ only', () => {
    const HIDDEN =
      /Date\.now\(|new Date\(\)|Math\.random\(|setTimeout\(|setInterval\(|performance\.now\(|hrtime/;
    const hiding = files.filter(
      ({ name, text }) => roomOf(name) !== 'platform' && HIDDEN.test(withoutCommentsAndStrings(text)),
    );
    expect(hiding.map(({ name }) => name)).toEqual([]);
  });

  it('has commands that only declare: no loop, no print, no catch, no exit', () => {
    const doing = files.filter(
      ({ name, text }) =>
        roomOf(name) === 'commands' &&
        /\b(?:for|while)\s*\(|\bcatch\b|\.writeResult|\.writeNote|exitCode/.test(
          withoutCommentsAndStrings(text),
        ),
    );
    expect(doing.map(({ name }) => name)).toEqual([]);
  });

  it(`keeps every file within ${LONGEST_FILE} lines, named for what it owns`, () => {
    const long = files.filter(({ text }) => text.split('\n').length > LONGEST_FILE + 1);
    expect(long.map(({ name }) => name)).toEqual([]);
    const vague = files.filter(({ name }) => /(?:utils?|helpers?|common|manager|misc)\.ts$/.test(name));
    expect(vague.map(({ name }) => name)).toEqual([]);
  });

  it('opens every file by saying what it owns', () => {
    expect(files.filter(({ text }) => !text.startsWith('/**')).map(({ name }) => name)).toEqual([]);
  });
});
