/** The journals of every desk of this machine: a halt holds for all of them, not only for the selected profile's. Loads nothing without a desk. */
import { readdirSync } from 'node:fs';
import type { DeskJournal } from '../desk/desk-journal.ts';
import type { Operator } from '../journal/records.ts';
import type { Journal } from '../journal/store/journal.ts';
import type { CommandRuntime, DeskRuntime } from './runtime-context.ts';

export interface OwnDeskJournal {
  name: string;
  /** `deliver` is missing where its log is not followed any more. */
  journal: Journal & Partial<Pick<DeskJournal, 'deliver'>>;
}

/** @throws DamagedFileError for one whose file cannot be read. */
export async function openDeskJournals(
  parts: DeskRuntime,
  operator: Operator,
): Promise<readonly OwnDeskJournal[]> {
  if (!hasDesk(parts)) return [];
  const { desksOf, placesOfDesk } = await import('../desk/membership.ts');
  const { followDesk } = await import('./follow-desk.ts');
  const { openJournal } = await import('../journal/store/journal.ts');
  const { machine } = parts;
  const places = parts.places();
  return desksOf(places.state, machine.host).flatMap((member): OwnDeskJournal[] => {
    const { name, state } = member;
    // A halt recorded during a join is delivered by the join.
    if (state === 'joining') return [];
    return state === 'following'
      ? [{ name, journal: followDesk(member, parts, operator) }]
      : [{ name, journal: openJournal({ places: placesOfDesk(places, name), machine }) }];
  });
}

/** Whether this machine has any desk. */
export function hasDesk(parts: CommandRuntime): boolean {
  try {
    return readdirSync(parts.places().state).some((name) => name.startsWith('desk-'));
  } catch {
    // A command that needs the folder says why it cannot be read.
    return false;
  }
}
