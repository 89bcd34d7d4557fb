/** Compares the list of bundled libraries in dist/program/LICENSES.txt with package-lock.json. */
import { readFileSync } from 'node:fs';
import { listedLibraries } from './licenses.mjs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const locked = Object.entries(JSON.parse(read('package-lock.json')).packages).map(([path, entry]) => ({
  name: path.split('node_modules/').at(-1),
  ...entry,
}));
const libraries = listedLibraries(read('dist/program/LICENSES.txt'));
const wrong = libraries.filter(
  ({ name, version, license }) =>
    !locked.some((each) => each.name === name && each.version === version && each.license === license),
);
for (const { name, version, license } of wrong)
  process.stderr.write(
    `${name} ${version} (${license}) is bundled, and package-lock.json has another one.\n`,
  );
if (libraries.length === 0) process.stderr.write('LICENSES.txt lists no library.\n');
process.exitCode = wrong.length > 0 || libraries.length === 0 ? 1 : 0;
