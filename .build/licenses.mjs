/** The libraries whose code is in dist/program/, and LICENSES.txt: their list, one a line, and the license texts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const HEADING = 'hedge contains code of these libraries:';
const RULE = '-'.repeat(78);

/** `modules` are the paths of all bundled files. A library without a license stops the build. */
export function bundledLibraries(modules) {
  const folders = new Set([...modules].flatMap((path) => packageFolder(path)));
  const libraries = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (license === undefined) throw new Error(`${name} ${version} names no license`);
    libraries.set(lineOf({ name, version, license }), {
      name,
      version,
      license,
      text: (licenseIn(folder) ?? license).trim(),
    });
  }
  return [...libraries.values()].toSorted((a, b) => (lineOf(a) < lineOf(b) ? -1 : 1));
}

export function licenseTexts(libraries) {
  const list = `${HEADING}\n\n${libraries.map(lineOf).join('\n')}\n`;
  const texts = libraries.map((library) => `${lineOf(library)}\n\n${library.text}\n`);
  return [list, ...texts].join(`\n${RULE}\n\n`);
}

/** The list at the head of a LICENSES.txt, as name, version and license. */
export function listedLibraries(licenses) {
  const [list = ''] = licenses.split(RULE);
  if (!list.startsWith(HEADING)) throw new Error('LICENSES.txt has no list of libraries');
  return [...list.matchAll(/^(\S+) (\S+) \((.+)\)$/gm)].map(([, name, version, license]) => ({
    name,
    version,
    license,
  }));
}

const lineOf = ({ name, version, license }) => `${name} ${version} (${license})`;

/** The folder of the package that a file belongs to; none for a file of src/. */
function packageFolder(path) {
  if (!path.includes('/node_modules/')) return [];
  let folder = dirname(path);
  while (!(existsSync(join(folder, 'package.json')) && hasVersion(folder))) folder = dirname(folder);
  return [folder];
}

/** Some packages keep a nameless package.json in their folders of ESM and CommonJS. */
const hasVersion = (folder) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version !== undefined;

function licenseIn(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.|$)/i.test(name));
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8');
}
