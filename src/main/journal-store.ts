/** The store of the journal for its commands: what they ask, signed by who runs them. Loaded by no other command. */

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JournalStore } from '../commands/command-context.ts';
import { whoOf } from '../config/operator-names.ts';
import type { Membership } from '../desk/membership.ts';
import { fieldsIn } from '../domain/fields.ts';
import { HedgeError, nothingChanged, OutputError, type StoppedError } from '../errors.ts';
import { exportJournal } from '../journal/export.ts';
import { importJournal } from '../journal/import/import-journal.ts';
import { acceptLoss, findLoss } from '../journal/store/accept-loss.ts';
import { backupJournal, claimNewFile, notWritten } from '../journal/store/backup.ts';
import { earlierFiles } from '../journal/store/earlier-files.ts';
import type { Signature } from '../journal/store/new-records.ts';
import { repairJournal } from '../journal/store/repair.ts';
import type { ExportView } from '../output/views/journal-store.ts';
import { removeLeft, syncFolder } from '../platform/atomic-file.ts';
import { codeOf } from '../platform/file-errors.ts';
import type { Paths } from '../platform/paths.ts';
import { recordedOperator, type SelectProfile } from './own-journal.ts';
import type { CommandRuntime } from './runtime-context.ts';

/** `places`: of the journal. `follows`: the desk of the account, if it has one. */
export function openJournalStore(
  parts: CommandRuntime,
  { select, places, follows }: { select: SelectProfile; places: Paths; follows: Membership | undefined },
): JournalStore {
  const { machine, version, terminal } = parts;
  const { signal } = parts.signals;
  const { host } = machine;
  const files = { places, machine };
  const isCopy = follows?.state === 'following';
  const signature = async (): Promise<Signature> => {
    const operator = await recordedOperator(parts, select);
    return { who: whoOf(operator, host), operator, version };
  };

  /** Chunk by chunk, so that no export is ever whole in memory; false from `write`: nobody reads any more. */
  async function exported(
    since: string | undefined,
    write: (chunk: string) => Promise<boolean> | boolean,
  ): Promise<Pick<ExportView, 'records' | 'head'>> {
    let [records, last, chunk] = [0, '', ''];
    for (const line of exportJournal({ ...files, since })) {
      records += 1;
      last = line;
      chunk += `${line}\n`;
      if (chunk.length < CHUNK) continue;
      if (!(await write(chunk))) return { records, head: undefined };
      chunk = '';
      await nextTurn();
      signal.throwIfAborted();
    }
    await write(chunk);
    const { seq, hash } = fieldsIn(Buffer.from(last));
    return { records, head: typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : undefined };
  }

  async function toFile(path: string, since: string | undefined): Promise<ExportView> {
    claimNewFile(path);
    try {
      const fd = openSync(path, 'r+');
      try {
        const written = await exported(since, (chunk) => writeWhole(fd, chunk));
        fsyncSync(fd);
        syncFolder(dirname(path), host);
        return { path, ...written };
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      removeLeft(path);
      // The journal itself, or Ctrl-C, is not the fault of the file.
      throw error instanceof HedgeError || codeOf(error) === '' ? error : notWritten(path, error);
    }
  }

  return {
    earlier: () => earlierFiles(files.places.state, host),
    backup: (to) => orOutputError(() => backupJournal(to, files)),
    exportToOutput: (since) =>
      exported(since, async (chunk) => {
        await terminal.writeResult(chunk);
        return !terminal.abandoned;
      }),
    exportToFile: (to, since) => orOutputError(() => toFile(resolve(to), since)),
    import(given) {
      if (follows !== undefined) throw notOfDesk(follows.name);
      return importJournal({ ...files, files: given });
    },
    // The copy itself is built again from the log by the next command that reaches it.
    repair: async () => repairJournal({ ...files, signature: await signature(), pendingOnly: isCopy }),
    findLoss: () => findLoss(files),
    acceptLoss: async (loss, note) => acceptLoss(loss, { ...files, signature: await signature(), note }),
  };
}

const notOfDesk = (name: string): StoppedError =>
  nothingChanged({
    code: 'desk_joined',
    what: `The journal of this account is that of desk ${name}: nothing is imported into it.`,
    hint: 'Import before you join: the records of this machine are delivered then.',
  });

const CHUNK = 65_536;

/** A file that cannot be written is no result of standard output: it is shown as a finding. */
async function orOutputError<T>(work: () => T | Promise<T>): Promise<T | OutputError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OutputError) return error;
    throw error;
  }
}

/** A disk that becomes full writes a part without an error. */
function writeWhole(fd: number, chunk: string): boolean {
  const bytes = Buffer.from(chunk);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  return true;
}
