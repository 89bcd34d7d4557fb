/** The journals of every desk of this machine: a halt holds for all of them, not only for the selected profile's. Loads nothing without a desk. */
import { readdirSync } from 'node:fs';
import type { DeskJournal } from '../desk/desk-journal.ts';
import type { Operator } from '../journal/records.ts';
import type { Journal } from '../journal/store/journal.ts';
import type { CommandRuntime, DeskRuntime } from './runtime-context.ts';

/** `deliver` is missing where its log is not followed any more. */
export type OwnDeskJournal = Journal & Partial<Pick<DeskJournal, 'deliver'>>;

export interface OwnDesk {
  name: string;
  /** Undefined during a join, which delivers a halt that this machine's own journal has by now. @throws DamagedFileError for its file. */
  open: () => OwnDeskJournal | undefined;
}

export async function ownDesks(parts: DeskRuntime, operator: Operator): Promise<readonly OwnDesk[]> {
  if (!hasDesk(parts)) return [];
  const { deskNamesIn, readMembership } = await import('../desk/membership.ts');
  const { openLeftJournal } = await import('../desk/left-journal.ts');
  const { followDesk } = await import('./follow-desk.ts');
  const { machine } = parts;
  const places = parts.places();
  return deskNamesIn(places.state).map((name) => ({
    name,
    open() {
      const member = readMembership(places.state, name, machine.host);
      if (member === undefined || member.state === 'joining') return undefined;
      return member.state === 'following'
        ? followDesk(member, parts, { operator })
        : openLeftJournal(name, { places, machine });
    },
  }));
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
