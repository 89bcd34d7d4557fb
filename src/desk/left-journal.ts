/** The copy of a desk that this machine left: the journal of the account until the machine joins again, or joins another desk. */
import { StoppedError } from '../errors.ts';
import type { JournalRecord } from '../journal/records.ts';
import { type Journal, openJournal } from '../journal/store/journal.ts';
import { newRecords } from '../journal/store/new-records.ts';
import { databaseFile } from '../journal/store/schema.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import { deskFolder, placesOfDesk, readMembership } from './membership.ts';
import { keepPending } from './pending-file.ts';

class JoinedAgain extends Error {}

/**
 * A record that a process makes after its machine joined again is kept pending: then the copy is a log's, and takes none of its own.
 * `taking`: the name of the desk that the account has now, asked once the one that was left is gone.
 */
export function openLeftJournal(
  name: string,
  { places, machine, taking }: { places: Paths; machine: Machine; taking?: () => string | undefined },
): Journal {
  const { state } = places;
  const isLeft = (): boolean => readMembership(state, name, machine.host)?.state === 'left';
  const opened = new Map<string, Journal>();
  const journalOf = (desk: string): Journal => {
    const journal =
      opened.get(desk) ?? openJournal({ places: placesOfDesk(places, desk), machine, leftDesk: desk });
    opened.set(desk, journal);
    return journal;
  };
  /** Whose copy has the account's records. */
  const deskNow = (): string =>
    readMembership(state, name, machine.host) === undefined ? (taking?.() ?? name) : name;
  const read: Journal['read'] = () => journalOf(deskNow()).read();
  return {
    path: databaseFile(deskFolder(state, name)),
    read,
    latest: async () => read(),
    async append(records, guard) {
      try {
        if (!isLeft()) throw new JoinedAgain();
        return await journalOf(name).append(records, (now) => {
          if (!isLeft()) throw new JoinedAgain();
          guard?.(now);
        });
      } catch (error) {
        if (!(error instanceof JoinedAgain)) throw error;
      }
      const now = deskNow();
      const stopped = now === name ? DECIDED_ALONE : [...DECIDED_ALONE, ...SENT_AFTER];
      if (records.some(({ kind }) => stopped.includes(kind))) throw joinedMeanwhile(now);
      guard?.(read());
      await keepPending(newRecords(records, undefined, machine.random), deskFolder(state, now), machine);
      return read();
    },
    close() {
      for (const journal of opened.values()) journal.close();
    },
  };
}

/** Not in the file of pending records: it may relax what other machines see. */
const DECIDED_ALONE: readonly JournalRecord['kind'][] = ['unhalt', 'desk_limit'];

/** Something would be sent that was decided on another copy. */
const SENT_AFTER: readonly JournalRecord['kind'][] = ['intent', 'sending'];

const joinedMeanwhile = (name: string): StoppedError =>
  new StoppedError({
    code: 'desk_joined',
    what: `This machine has joined desk ${name} meanwhile.`,
    meaning: 'Nothing was sent or changed.',
    hint: 'Run the same command again.',
  });
