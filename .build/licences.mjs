/** The licences of the packages whose code went into a bundle, one text. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `modules` are the paths of what was bundled. A package without a licence of its own stops the build. */
export function licencesOf(modules) {
  const folders = new Set([...modules].flatMap((path) => packageOf(path)));
  const packages = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { title: `${name} ${version} (${license})`, text: licenceIn(folder) ?? license };
  });
  const stranger = packages.find(({ text }) => text === undefined);
  if (stranger !== undefined) throw new Error(`${stranger.title} has no licence`);
  const unique = new Map(packages.map(({ title, text }) => [title, text.trim()]));
  const parts = [...unique]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, text]) => `${title}\n\n${text}\n`);
  return [`hedge contains code of these packages:\n`, ...parts].join(`\n${'-'.repeat(78)}\n\n`);
}

/** The folder of the package a module belongs to; none for a module of ours. */
function packageOf(path) {
  if (!path.includes('/node_modules/')) return [];
  let folder = dirname(path);
  while (!(existsSync(join(folder, 'package.json')) && isNamed(folder))) folder = dirname(folder);
  return [folder];
}

/** Some packages keep a nameless package.json in their folders of ESM and CommonJS. */
const isNamed = (folder) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version !== undefined;

function licenceIn(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.|$)/i.test(name));
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8');
}
