/** The last contact with the log, kept for commands that cannot reach it. It may be lost. */
import { join } from 'node:path';
import { fieldsIn } from '../domain/fields.ts';
import { readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';

export interface Contact {
  /** The copy had every record then, by the database's time. ISO 8601 UTC. */
  asOf: string;
  /** The database's clock less this machine's, in milliseconds. */
  offsetMs: number;
  login: string;
  isApprover: boolean;
  /** Counters of the log's table, when the whole copy was last compared with it. */
  changes: string | undefined;
}

export interface ContactFile {
  read(): Contact | undefined;
  write(contact: Contact): void;
}

const FILE = 'contact.json';
const MAX_BYTES = 4_096;

/** `folder`: of the desk. */
export function contactFile(folder: string, { host, random }: Machine): ContactFile {
  const path = join(folder, FILE);
  return {
    read() {
      const { asOf, offsetMs, login, isApprover, changes } = fieldsIn(
        readCacheFile(path, { host, maxBytes: MAX_BYTES }),
      );
      const isKnown =
        typeof asOf === 'string' &&
        typeof login === 'string' &&
        typeof offsetMs === 'number' &&
        Number.isFinite(offsetMs);
      return isKnown
        ? {
            asOf,
            offsetMs,
            login,
            isApprover: isApprover === true,
            changes: typeof changes === 'string' ? changes : undefined,
          }
        : undefined;
    },
    write: (contact) => writeCacheFile(path, JSON.stringify(contact), { host, random, within: folder }),
  };
}
