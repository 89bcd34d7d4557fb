import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { fileOf, sourceFiles, type TextFile } from './support/source-files.ts';

const LONGEST_FILE = 500;
const SHORT_FILE = 40;
/** A short file with a single importer belongs into its importer. These have a reason to be apart. */
const MAY_BE_SHORT: readonly { allows: (file: TextFile) => boolean; why: string }[] = [
  {
    allows: ({ text }) => /defineCommand\(|: CommandGroup = /.test(text),
    why: 'one file a command or group',
  },
  { allows: ({ name }) => name.endsWith('.d.ts'), why: 'the compiler finds it by itself' },
  { allows: ({ name }) => name === 'main/time-of-day.ts', why: 'a quote does without it' },
];

/** Lower floors know nothing of higher ones; folders on one floor do not know each other. */
const FLOORS: readonly (readonly string[])[] = [
  ['errors', 'help'],
  ['domain'],
  ['platform'],
  ['args', 'client', 'config', 'journal', 'cache', 'terminal'],
  ['schema'],
  ['readings', 'desk', 'agent'],
  ['trading', 'diagnostics'],
  ['runs'],
  ['output'],
  ['wizard'],
  ['commands'],
  ['cli'],
  ['mcp'],
  ['startup'],
  ['main'],
];
/** What a folder may not import though it lies on a lower floor, and of which it may see the types. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = {
  readings: ['schema'],
  commands: ['schema'],
  output: ['client', 'desk', 'readings', 'schema', 'trading', 'runs'],
};
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  readings: ['schema', 'terminal'],
  trading: ['terminal'],
  runs: ['terminal'],
  diagnostics: ['terminal'],
  commands: ['schema'],
  output: ['client', 'desk', 'readings', 'schema', 'trading', 'runs', 'terminal', 'config'],
};

const LIBRARY_OWNERS: Readonly<Record<string, readonly string[]>> = {
  commander: ['cli'],
  undici: ['client'],
  '@inquirer/prompts': ['terminal'],
  ora: ['terminal'],
  chalk: ['output', 'terminal'],
  'cli-table3': ['output'],
  conf: ['config'],
  'csv-parse': ['args'],
  'csv-stringify': ['output'],
  '@jmespath-community/jmespath': ['output'],
  'ical-generator': ['output'],
  'write-excel-file': ['output'],
  'temporal-polyfill': ['domain'],
  zod: ['client', 'config', 'journal', 'desk', 'cache', 'practice', 'schema'],
  pg: ['desk'],
  '@modelcontextprotocol/server': ['mcp'],
  'lossless-json': ['client', 'domain'],
  '@photostructure/sqlite': ['journal', 'platform', 'practice'],
  '@peculiar/x509': ['practice'],
};

interface Import {
  from: string;
  room: string;
  target: string;
  typeOnly: boolean;
}

const files = sourceFiles();

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
  .map((found) => {
    const to = join(dirname(found.from), found.target);
    return { ...found, to, into: roomOf(to) };
  });

/** Every folder of src, '' for src itself. */
const folders = [
  ...new Set(
    files.flatMap(({ name }) => [...name.matchAll(/^|\//g)].map(({ index }) => name.slice(0, index))),
  ),
];

/** The file or folder, directly in `folder`, that `file` is or is in. */
function childOf(folder: string, file: string): string | undefined {
  if (folder === '') return file.split('/')[0];
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined;
}

/** The nodes of a graph that are on a cycle, or between two cycles. */
function onCycles(edges: readonly (readonly [string, string])[]): readonly string[] {
  let left = edges.filter(([from, to]) => from !== to);
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    const sources = new Set(left.map(([from]) => from));
    const targets = new Set(left.map(([, to]) => to));
    left = left.filter(([from, to]) => targets.has(from) && sources.has(to));
  }
  return [...new Set(left.flat())];
}

const importersOf = (name: string): number =>
  new Set(inside.filter(({ from, to }) => to === name && from !== name).map(({ from }) => from)).size;
const shortFiles = files.filter(
  ({ name, text }) => text.trimEnd().split('\n').length < SHORT_FILE && importersOf(name) <= 1,
);

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

  it('has no files that import each other in a cycle, types included', () => {
    expect(onCycles(inside.map(({ from, to }) => [from, to]))).toEqual([]);
  });

  it('has no cycle between the files and folders of any folder, types included', () => {
    const cycles = folders.map((folder) => {
      const edges = inside.flatMap(({ from, to }): [string, string][] => {
        const [source, target] = [childOf(folder, from), childOf(folder, to)];
        return source === undefined || target === undefined ? [] : [[source, target]];
      });
      return { folder, cycle: onCycles(edges) };
    });
    expect(cycles.filter(({ cycle }) => cycle.length > 0)).toEqual([]);
  });

  it('finds a cycle where there is one', () => {
    expect(
      onCycles([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'b'],
        ['c', 'd'],
      ]),
    ).toEqual(['b', 'c']);
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

  it(`has no file of under ${SHORT_FILE} lines for a single importer, without a reason`, () => {
    const toFold = shortFiles.filter((file) => !MAY_BE_SHORT.some(({ allows }) => allows(file)));
    expect(toFold.map(({ name }) => name)).toEqual([]);
    const unneeded = MAY_BE_SHORT.filter(({ allows }) => !shortFiles.some(allows));
    expect(unneeded.map(({ why }) => why)).toEqual([]);
  });

  it('opens every file by saying what it owns', () => {
    expect(files.filter(({ text }) => !text.startsWith('/**')).map(({ name }) => name)).toEqual([]);
  });

  it('is described in src/README.md by files that exist', () => {
    const known = new Set(files.map(({ name }) => name));
    const text = fileOf('src/README.md').text;
    const named = [...text.matchAll(/`((?!test\/)[a-z/-]+\.ts)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});
