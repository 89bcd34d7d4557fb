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
const OWN_FAULTS = 'names of faults that the practice service itself lists';

/** Lookups that stay, each with its reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'args/option.ts: raw.options[name]': 'names of options that the program itself has',
  'output/list.ts: record[group]': 'names of fields that the program itself lists',
  'output/pick-columns.ts: block.rows[row]': 'numbers of rows',
  'wizard/wizard-context.ts: table.rows[at]': 'numbers of rows',
  'client/transport/agent-socket.ts: found[name]': 'names of fields that the program itself lists',
  'args/report-options.ts: raw.options[period]': 'names of options that the program itself has',
  'cli/help/manual.ts: MANUALS[volume]': 'volumes that the program itself has',
  'main/complete.ts: env[name]': OWN_VARIABLES,
  'platform/paths.ts: env[name]': OWN_VARIABLES,
  'config/resolve.ts: env[name]': OWN_VARIABLES,
  'terminal/color.ts: env[name]': OWN_VARIABLES,
  'terminal/streams.ts: env[name]': OWN_VARIABLES,
  'startup/executable.ts: PACKAGES[id]': 'names of packages that the program itself asks for',
  'startup/executable.ts: ADDONS[id]': 'names of packages that the program itself asks for',
  'domain/exact-json.ts: this[name]': 'names that JSON.stringify found in the object',
  'journal/store/derived-tables.ts: one[name]': 'names of columns of a row out of the database',
  'journal/store/derived-tables.ts: other[name]': 'names of columns of a row out of the database',
  'trading/outcome/append-record.ts: hedge[name]': 'names of fields that the program itself lists',
  'trading/outcome/append-record.ts: position[name]': 'names of fields that the program itself lists',
  'readings/take-snapshot.ts: sent[name]': 'names of fields that the program itself lists',
  'readings/filter-records.ts: lacking[unknown.name]': 'names of fields that the program itself lists',
  'practice/faults/fault-settings.ts: faults[name]': OWN_FAULTS,
  'practice/faults/fault-settings.ts: faults[field]': OWN_FAULTS,
  'practice/faults/fault-settings.ts: faults[fault]': OWN_FAULTS,
  'practice/faults/fault-words.ts: faults[name]': OWN_FAULTS,
  'practice/http/openapi.ts: paths[endpoint.path]': 'paths that the practice service itself lists',
  'practice/http/openapi.ts: ...paths[endpoint.path]': 'paths that the practice service itself lists',
  'practice/store/database.ts: row[column]': 'columns that the practice service itself made',
  'practice/store/database.ts: record[column]': 'columns that the practice service itself made',
  'output/query/exact-functions.ts: fields[name]': 'written into an object that inherits nothing',
};

describe('a lookup by a word', () => {
  it('is made in no plain object whose names are not asked for first', () => {
    const found = findLookups(files).map(({ file, code }) => `${file}: ${code}`);
    expect(found.filter((each) => !Object.hasOwn(ALLOWED, each))).toEqual([]);
    // The reasons are all in use, so the search finds what it looks for.
    expect(Object.keys(ALLOWED).filter((each) => !found.includes(each))).toEqual([]);
  });
});
