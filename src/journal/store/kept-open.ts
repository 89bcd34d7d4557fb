/** A database of the journal, opened once and kept open; opened again when another file took its place. */
import { lstatSync } from 'node:fs';
import { fileError } from '../../platform/file-errors.ts';
import type { Host, Machine } from '../../platform/host.ts';
import { JournalDamage, type JournalDatabase } from './journal-database.ts';
import { createJournalFile, openJournalFile } from './schema.ts';

export class KeptOpen {
  readonly #path: string;
  readonly #host: Host;
  #opened: { db: JournalDatabase; inode: number } | undefined;

  constructor(path: string, host: Host) {
    this.#path = path;
    this.#host = host;
  }

  /** The file that is there now; undefined when there is none. @throws DamagedFileError */
  database(): JournalDatabase | undefined {
    const inode = inodeOf(this.#path);
    if (this.#opened !== undefined && this.#opened.inode === inode) return this.#opened.db;
    // The one before stays open: a state that was read may still ask it.
    const db = openJournalFile(this.#path, this.#host);
    this.#opened = db === undefined || inode === undefined ? undefined : { db, inode };
    return db;
  }

  /** The file that is there now, or a new one. The folder must exist. @throws DamagedFileError */
  made(machine: Machine): JournalDatabase {
    const known = this.database();
    if (known !== undefined) return known;
    createJournalFile(this.#path, machine);
    const db = this.database();
    if (db === undefined) throw new JournalDamage(this.#path, 'it is gone');
    return db;
  }

  close(): void {
    this.#opened?.db.close();
    this.#opened = undefined;
  }
}

export function inodeOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.ino;
  } catch (error) {
    throw fileError('inspect', path, error);
  }
}
