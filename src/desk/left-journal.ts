/** The copy of a desk that this machine left: the journal of the account until the machine joins again. */
import { StoppedError } from '../errors.ts';
import { type Journal, openJournal } from '../journal/store/journal.ts';
import { newRecords } from '../journal/store/new-records.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import { deskFolder, placesOfDesk, readMembership } from './membership.ts';
import { keepPending } from './pending-file.ts';

class JoinedAgain extends Error {}

/** A record that a process makes after its machine joined again is kept pending: then the copy is the log's, and takes none of its own. */
export function openLeftJournal(
  name: string,
  { places, machine }: { places: Paths; machine: Machine },
): Journal {
  const { state } = places;
  const journal = openJournal({ places: placesOfDesk(places, name), machine });
  return {
    ...journal,
    async append(records, guard) {
      try {
        return await journal.append(records, (now) => {
          if (readMembership(state, name, machine.host)?.state !== 'left') throw new JoinedAgain();
          guard?.(now);
        });
      } catch (error) {
        if (!(error instanceof JoinedAgain)) throw error;
      }
      if (records.some(({ kind }) => kind === 'unhalt' || kind === 'desk_limit')) throw joinedMeanwhile(name);
      guard?.(journal.read());
      await keepPending(newRecords(records, undefined, machine.random), deskFolder(state, name), machine);
      return journal.read();
    },
  };
}

const joinedMeanwhile = (name: string): StoppedError =>
  new StoppedError({
    code: 'desk_joined',
    what: `This machine has joined desk ${name} again meanwhile.`,
    meaning: 'Nothing was changed.',
    hint: 'Run the same command again.',
  });
