/** Writes the manual page beside the program, from what was just built. */
import { readFileSync, writeFileSync } from 'node:fs';
import { manualPage } from '../dist/cli/help/manual.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
writeFileSync(new URL('../dist/program/hedge.1', import.meta.url), await manualPage(version));
