/**
 * Brings the Markdown of src/help/ into the bundle. Run as a program, it writes the manual pages to dist/man/, and their
 * list into package.json: npm links no page that is not in it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TOPICS = join(ROOT, 'src', 'help');
const MANUAL = join(ROOT, 'dist', 'man');
const PACKAGE = join(ROOT, 'package.json');

/** `import text from './topic.md?raw'`, as Vite has it. */
export const markdownAsText = {
  name: 'markdown-as-text',
  resolveId: (id, importer) => (id.endsWith('.md?raw') ? resolve(dirname(importer), id) : null),
  load: (id) =>
    id.endsWith('.md?raw')
      ? {
          code: `export default ${JSON.stringify(readFileSync(id.replace('?raw', ''), 'utf8'))};`,
          moduleType: 'js',
        }
      : null,
};

async function writeManual() {
  const { manualPages } = await import('../dist/cli/help/manual.js');
  const declared = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  const files = readdirSync(TOPICS).filter((name) => name.endsWith('.md'));
  const topics = files.map((file) => [basename(file, '.md'), readFileSync(join(TOPICS, file), 'utf8')]);
  rmSync(MANUAL, { recursive: true, force: true });
  mkdirSync(MANUAL, { recursive: true });
  const pages = await manualPages(declared.version, Object.fromEntries(topics));
  for (const [file, text] of Object.entries(pages)) writeFileSync(join(MANUAL, file), text);
  const man = Object.keys(pages)
    .toSorted()
    .map((file) => `dist/man/${file}`);
  if (man.join() === declared.man.join()) return;
  writeFileSync(PACKAGE, `${JSON.stringify({ ...declared, man }, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeManual();
