/** A word from outside may be `constructor` or `__proto__`: no plain object is asked for it but for what is its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findLookups } from './support/table-lookups.ts';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), 'utf8') }));

const OWN_VARIABLES = 'names of variables that the program itself has';

/** Lookups that stay, each with its reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'args/operands.ts: raw.options[name]': 'names of options that the program itself has',
  'main/complete.ts: env[name]': OWN_VARIABLES,
  'platform/paths.ts: env[name]': OWN_VARIABLES,
  'config/resolve.ts: env[name]': OWN_VARIABLES,
  'terminal/color.ts: env[name]': OWN_VARIABLES,
  'terminal/streams.ts: env[name]': OWN_VARIABLES,
  'startup/executable.ts: PACKAGES[id]': 'names of packages that the program itself asks for',
  'startup/executable.ts: ADDONS[id]': 'names of packages that the program itself asks for',
  'trading/outcome/append-record.ts: hedge[name]': 'names of fields that the program itself lists',
  'trading/outcome/append-record.ts: position[name]': 'names of fields that the program itself lists',
  'readings/filter-records.ts: lacking[untold.name]': 'names of fields that the program itself lists',
  'practice/http/openapi.ts: paths[endpoint.path]': 'paths that the practice service itself lists',
  'practice/http/openapi.ts: ...paths[endpoint.path]': 'paths that the practice service itself lists',
  'practice/store/database.ts: row[column]': 'columns that the practice service itself made',
  'output/query/exact-values.ts: fields[name]': 'written into an object that inherits nothing',
};

describe('a lookup by a word', () => {
  it('is made in no plain object whose names are not asked for first', () => {
    const found = findLookups(files).map(({ file, code }) => `${file}: ${code}`);
    expect(found.filter((each) => !Object.hasOwn(ALLOWED, each))).toEqual([]);
    expect(Object.keys(ALLOWED).filter((each) => !found.includes(each))).toEqual([]);
  });

  it.each([
    [
      'a constant',
      'const HINTS: Readonly<Record<string, string>> = {};\nconst hint = HINTS[code];',
      'HINTS[code]',
    ],
    [
      'a table with gaps',
      'const T: Partial<Record<string, Tone>> = {};\nT[word.toLowerCase()];',
      'T[word.toLowerCase()]',
    ],
    ['a parameter', 'const f = (record: { [name: string]: unknown }) => record[name];', 'record[name]'],
    [
      'a type of its own',
      'type Fields = Record<string, unknown>;\nfunction f(all: Fields) { all[word] = 1; }',
      'all[word]',
    ],
    ['a type of that type', 'type A = Record<string, 1>;\ntype B = A;\nlet b: B;\nb?.[word];', 'b[word]'],
    [
      'a field',
      'interface Raw { options: Readonly<Record<string, string>> }\nraw.options[name];',
      'raw.options[name]',
    ],
    [
      'a generic one',
      'function f<T extends Record<string, unknown>>(it: T) { return it[word]; }',
      'it[word]',
    ],
    [
      'the element of a list',
      'type R = Record<string, 1>;\nconst f = (records: readonly R[]) => records.map((record) => record[word]);',
      'record[word]',
    ],
    ['a word in a template', `const T: Record<string, 1> = {};\nT[\`\${a} \${b}\`];`, `T[\`\${a} \${b}\`]`],
  ])('is found in %s', (_, text, code) => {
    expect(findLookups([{ name: 'a.ts', text }])).toEqual([{ file: 'a.ts', code }]);
  });

  it('is found where the table comes from another file', () => {
    const there = { name: 'a.ts', text: 'export const WORDS: Record<string, string> = {};' };
    const here = { name: 'b.ts', text: "import { WORDS } from './a.ts';\nWORDS[word];" };
    expect(findLookups([there, here])).toEqual([{ file: 'b.ts', code: 'WORDS[word]' }]);
  });

  it.each([
    ['a literal', "const T: Record<string, 1> = {};\nT['a'];"],
    ['a list', 'const names: readonly string[] = [];\nnames[at];'],
    ['a union', "const T: Record<'a' | 'b', 1> = { a: 1, b: 1 };\nT[word];"],
    ['a check before it', 'const T: Record<string, 1> = {};\nif (Object.hasOwn(T, word)) T[word];'],
    ['a comment', 'const T: Record<string, 1> = {};\n// T[word]\n/* T[word] */'],
  ])('is not seen in %s', (_, text) => {
    expect(findLookups([{ name: 'a.ts', text }])).toEqual([]);
  });
});
