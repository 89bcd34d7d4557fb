/** The journal of a day on disk: looked at, copied, put back and harmed, always by other processes or by SQLite itself. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  copyFolder,
  flipBit,
  journalText,
  removeJournal,
  rewriteJournal,
  settleJournal,
} from '../written-journal.ts';
import type { JournalFiles } from './day.ts';
import type { Harm } from './journal-harm.ts';

const DATABASE = 'journal.sqlite';
const LOG = `${DATABASE}-wal`;

/** `copy`: where a copy of the state folder is kept. */
export function journalFiles(home: string, copy: string): JournalFiles {
  const state = join(home, 'state');
  const remove = (name: string): void => rmSync(join(state, name), { force: true });
  let isHidden = false;

  function putBack(withLog: boolean): void {
    // Before the first copy there was none.
    for (const name of [DATABASE, `${DATABASE}-shm`, ...(withLog ? [LOG] : [])]) remove(name);
    for (const name of [DATABASE, ...(withLog ? [LOG] : [])])
      if (existsSync(join(copy, name))) copyFolder(join(copy, name), state);
  }

  function flip({ file, part, bit }: Extract<Harm, { how: 'flip' }>): void {
    // What is in the log would hide what is in the database.
    if (file === DATABASE) settleJournal(home);
    const path = join(state, file);
    if (existsSync(path)) flipBit(path, { part, bit });
  }

  return {
    read: () => (isHidden ? '' : journalText(home)),
    rewrite: (change) => rewriteJournal(home, change),
    hide: (hidden) => (isHidden = hidden),
    forget: () => removeJournal(home),
    keepCopy() {
      rmSync(copy, { recursive: true, force: true });
      if (existsSync(state)) copyFolder(state, copy);
    },
    moveLog() {
      if (!existsSync(join(state, DATABASE))) remove(LOG);
    },
    harm(it) {
      if (it.how === 'flip') flip(it);
      else if (it.how === 'older copy') putBack(it.withLog);
      else remove(it.how === 'lost witness' ? 'journal.head' : `${DATABASE}-shm`);
    },
  };
}
