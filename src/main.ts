/**
 * Where the built program begins: answers at once what scripts ask at every start, and loads the rest for
 * everything else.
 */
import type { Installed } from './main/launch.ts';
import type { Build } from './main/run-process.ts';
import { writeAllSync } from './terminal/sync-write.ts';

/** Written in by the build (.build/bundle.mjs). */
declare const BUILD: Build;

/** What completion scripts ask at every TAB: words that no help shows. */
const COMPLETE = '__complete';
const COMPLETE_LINE = '__complete-line';

/** Runs the process's own command line and gives the exit code, once everything has been written. */
export async function main(process: NodeJS.Process, installed: Installed): Promise<number> {
  const [word, ...more] = process.argv.slice(2);
  if (word === '--version' && more.length === 0 && writeAllSync(`${BUILD.version}\n`)) return 0;
  if (word === COMPLETE || word === COMPLETE_LINE) {
    const { complete } = await import('./main/complete.ts');
    complete(process, word === COMPLETE ? { words: more } : { line: more[0] ?? '' });
    return 0;
  }
  const { launch } = await import('./main/launch.ts');
  return launch(process, BUILD, installed);
}
