/** The last contact with the log, kept for commands that cannot reach it. It may be lost. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { fieldsIn } from '../domain/fields.ts';
import { readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';

const contactSchema = z.object({
  /** The copy had every record of the log at some time, by the database's clock, up to this one; unset before it had. */
  whole: z.optional(z.object({ asOf: z.string(), seq: z.number(), hash: z.string() })),
  /** The database's clock less this machine's, in milliseconds. */
  offsetMs: z.number(),
  login: z.string(),
  isApprover: z.boolean(),
  /** Counters of the log's table, when the whole copy was last compared with it. */
  changes: z.optional(z.string()),
});

export type Contact = z.infer<typeof contactSchema>;

export type ContactFile = ReturnType<typeof contactFile>;

const FILE = 'contact.json';
const MAX_BYTES = 4_096;

/** `folder`: of the desk. */
export function contactFile(folder: string, { host, random }: Machine) {
  const path = join(folder, FILE);
  return {
    read(): Contact | undefined {
      const fields = fieldsIn(readCacheFile(path, { host, maxBytes: MAX_BYTES }));
      return contactSchema.safeParse(fields).data;
    },
    write: (contact: Contact) =>
      writeCacheFile(path, JSON.stringify(contact), { host, random, within: folder }),
  };
}
