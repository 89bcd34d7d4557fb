/** A checkpoint: the head of the journal at one moment, kept on another machine to compare a later journal with. */
import { fsyncSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { fieldsIn } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { removeLeft, withOpened } from '../platform/atomic-file.ts';
import { failureReason } from '../platform/file-errors.ts';

const count = z.int().check(z.nonnegative());

const checkpointSchema = z.object({
  kind: z.literal('hedge_checkpoint'),
  schema: z.literal(2),
  /** Number of the last record. */
  seq: count,
  /** Hash of the last record, hexadecimal. */
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** How many records the journal had. */
  records: count,
  /** ISO 8601 UTC, by the clock of this machine. */
  at: z.string().check(z.minLength(1)),
  /** Who made it. */
  operator: z.string(),
});

export type Checkpoint = z.infer<typeof checkpointSchema>;

export const checkpointOf = (parts: Omit<Checkpoint, 'kind' | 'schema'>): Checkpoint => ({
  kind: 'hedge_checkpoint',
  schema: 2,
  ...parts,
});

/** Into a new file (0600) that the operator names. Returns why that failed; undefined when it is on disk. */
export function writeCheckpoint(path: string, checkpoint: Checkpoint): string | undefined {
  try {
    withOpened(path, 'wx', (fd) => {
      try {
        writeFileSync(fd, `${JSON.stringify(checkpoint, null, 2)}\n`);
        fsyncSync(fd);
      } catch (error) {
        removeLeft(path);
        throw error;
      }
    });
    return undefined;
  } catch (error) {
    return failureReason(error);
  }
}

/** Reads a file of `hedge audit checkpoint`, with or without `--json`. @throws UsageError naming `path`. */
export function parseCheckpoint(text: string, path: string): Checkpoint {
  const fields = fieldsIn(text);
  const { data = fields, meta } = fields;
  const read = checkpointSchema.safeParse(meta === undefined ? fields : data);
  if (read.success) return read.data;
  throw new UsageError(
    `${quoted(path)} is not a checkpoint of hedge.`,
    say`Use the output of ${shell`hedge audit checkpoint`}, unchanged.`,
  );
}
