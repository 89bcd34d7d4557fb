/** The journal of this user on this machine: each record names who ran the command, and the version of hedge. */
import { isOperatorName, readOperatorName } from '../config/operator-names.ts';
import type { Selection } from '../config/resolve.ts';
import { HedgeError, without } from '../errors.ts';
import type { JournalRecord, Operator } from '../journal/records.ts';
import { type Journal, openJournal } from '../journal/store/journal.ts';
import type { CommandRuntime } from './runtime-context.ts';

export type SelectProfile = () => Promise<Selection>;

/** @throws UsageError for HEDGE_OPERATOR. */
export async function openOwnJournal(parts: CommandRuntime, select: SelectProfile): Promise<Journal> {
  const { machine, version } = parts;
  const operator = await recordedOperator(parts, select);
  const journal = openJournal({ places: parts.places(), machine });
  const signed = (record: JournalRecord): JournalRecord => ({ ...record, operator, version });
  return {
    ...journal,
    append: ([first, ...more], guard) => journal.append([signed(first), ...more.map(signed)], guard),
  };
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
  const { host } = machine;
  return {
    ...(name === undefined ? {} : { name }),
    user: host.user(),
    host: host.self.hostname || 'unknown',
  };
}

/** A command that needs the profile reports its faults. */
async function nameInProfile(select: SelectProfile): Promise<string | undefined> {
  const selected = await select().catch(without(HedgeError));
  const name = selected === undefined || selected.kind === 'pair' ? undefined : selected.profile.operator;
  return name !== undefined && isOperatorName(name) ? name : undefined;
}
