/** The files of the program, as the tests of its structure and of its words read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface TextFile {
  /** Below the folder that was read, with slashes. */
  name: string;
  text: string;
}

/** The files below `folder` of the repository. */
export const filesOf = (folder: string): readonly TextFile[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      name: path.slice(join(ROOT, folder).length + 1).replaceAll(sep, '/'),
      text: readFileSync(path, 'utf8'),
    }));

export const sourceFiles = (): readonly TextFile[] =>
  filesOf('src').filter(({ name }) => name.endsWith('.ts'));

/** A file of the repository. */
export const fileOf = (name: string): TextFile => ({ name, text: readFileSync(join(ROOT, name), 'utf8') });
