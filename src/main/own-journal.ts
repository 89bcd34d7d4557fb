/** The journal of the selected account: each record names who ran the command, and the version of hedge. */

import { isOperatorName, readOperatorName } from '../config/operator-names.ts';
import type { Selection } from '../config/resolve.ts';
import type { FoundDesk } from '../desk/desk-of-account.ts';
import type { Membership } from '../desk/membership.ts';
import { enlarges } from '../domain/action-table.ts';
import { HedgeError, without } from '../errors.ts';
import type { LogComparison } from '../journal/audit-report.ts';
import type { JournalRecord, Operator } from '../journal/records.ts';
import { type Journal, openJournal } from '../journal/store/journal.ts';
import { userAt } from '../platform/host.ts';
import { deskChanged, deskLookup, type LookForDesk, stillJoining } from './account-desk.ts';
import type { CommandRuntime, DeskRuntime } from './runtime-context.ts';

export type SelectProfile = () => Promise<Selection>;

export interface OwnJournal extends Journal {
  /** The desk of the account; undefined without one. */
  desk: FoundDesk | undefined;
  /** Pulls the new records before any other reading; set if the log of a desk is followed. */
  begin?(): Promise<void>;
  /** Compares the whole copy with the log; set likewise. */
  compareWithLog?(): Promise<LogComparison>;
  /** Whether the database's time is known, from this command or an earlier one; set likewise. */
  isTimed?(): boolean;
}

/** @throws UsageError for HEDGE_OPERATOR. */
export async function openOwnJournal(parts: DeskRuntime, select: SelectProfile): Promise<OwnJournal> {
  const { version } = parts;
  const operator = await recordedOperator(parts, select);
  const look = await lookIfSelected(parts, select);
  const desk = look();
  const journal = await journalOf(desk?.member, parts, { operator, look });
  const signed = (record: JournalRecord): JournalRecord => ({ ...record, operator, version });
  const appending =
    (of: Pick<Journal, 'append'>): Journal['append'] =>
    ([first, ...more], guard) =>
      of.append([signed(first), ...more.map(signed)], (state) => {
        if ([first, ...more].some(isBegun)) checkDesk(desk, look);
        guard?.(state);
      });
  return {
    ...journal,
    desk,
    append: appending(journal),
    ...(journal.admitting && {
      admitting(plan) {
        const admitted = journal.admitting?.(plan) ?? journal;
        return { ...admitted, append: appending(admitted) };
      },
    }),
  };
}

/** An open, an add or a roll must not go past a desk that this machine has joined since it was decided. */
const isBegun = (record: JournalRecord): boolean =>
  record.kind === 'roll' || (record.kind === 'intent' && enlarges(record));

/** In the transaction of the append. @throws StoppedError */
function checkDesk(desk: FoundDesk | undefined, look: LookForDesk): void {
  const now = look();
  if (now?.member.name !== desk?.member.name || now?.member.state !== desk?.member.state) throw deskChanged();
  if (now?.member.state === 'joining')
    throw stillJoining(now.member.name, 'Nothing was sent. Reduce and close still work.');
}

/** Without a profile there is no account; a command that needs it reports its faults. */
async function lookIfSelected(parts: CommandRuntime, select: SelectProfile): Promise<LookForDesk> {
  const selected = await select().catch((error: unknown) => {
    if (error instanceof HedgeError) return undefined;
    throw error;
  });
  return selected === undefined ? () => undefined : deskLookup(parts, selected);
}

async function journalOf(
  member: Membership | undefined,
  parts: DeskRuntime,
  { operator, look }: { operator: Operator; look: LookForDesk },
): Promise<Journal & Pick<OwnJournal, 'begin' | 'isTimed' | 'compareWithLog'>> {
  const { machine } = parts;
  const places = parts.places();
  const own = (): Journal => openJournal({ places, machine });
  const taking = (): string | undefined => look()?.member.name;
  if (member?.state === 'following') {
    const { followDesk } = await import('./follow-desk.ts');
    return followDesk(member, parts, { operator, taking });
  }
  if (member?.state === 'left') {
    const { openLeftJournal } = await import('../desk/left-journal.ts');
    const { withOwnSnapshots } = await import('../desk/own-snapshots.ts');
    return withOwnSnapshots(openLeftJournal(member.name, { places, machine, taking }), own());
  }
  return own();
}

/** The name from HEDGE_OPERATOR, else from the profile if one is selected. @throws UsageError for HEDGE_OPERATOR. */
export async function recordedOperator(
  { settings, machine }: CommandRuntime,
  select: SelectProfile,
): Promise<Operator> {
  const name =
    settings.operator === undefined
      ? await nameInProfile(select)
      : readOperatorName(settings.operator, 'HEDGE_OPERATOR');
  return { ...(name === undefined ? {} : { name }), ...userAt(machine.host) };
}

/** A command that needs the profile reports its faults. */
async function nameInProfile(select: SelectProfile): Promise<string | undefined> {
  const selected = await select().catch(without(HedgeError));
  const name = selected === undefined || selected.kind === 'pair' ? undefined : selected.profile.operator;
  return name !== undefined && isOperatorName(name) ? name : undefined;
}
