/** Writes completions/: `npm run completions`, after a change of the scripts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { completionFiles } from '../dist/cli/completion/scripts.js';

const FOLDER = fileURLToPath(new URL('../completions/', import.meta.url));

mkdirSync(FOLDER, { recursive: true });
for (const { file, content } of completionFiles()) writeFileSync(FOLDER + file, content);
