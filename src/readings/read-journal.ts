/**
 * The journal as `hedge journal` and bare `hedge` show it: the actions that fit, newest first, and beside them
 * whatever of the file cannot be read, with what to do about it. No network; decides nothing about deals.
 */

import { type JournalFilter, TODAY } from '../args/journal-filter.ts';
import { exactInstant } from '../domain/instants.ts';
import { DamagedFileError } from '../errors.ts';
import type { JournalRecord } from '../journal/records.ts';
import { type Action, awaitsEnd, isUnresolved } from '../journal/replay.ts';
import type { Journal, JournalState } from '../journal/store.ts';
import { findActions } from './find-actions.ts';
/** What of the journal cannot be read: it hides none of the rest. */
export interface JournalDamage {
  path: string;
  lines: readonly { line: number; how: string }[];
  /** Actions whose beginning is on a line that cannot be read. */
  orphans: readonly string[];
}

export interface JournalReading {
  /** Newest first. */
  actions: readonly Action[];
  /** How many fit, those beyond the limit too. */
  fitting: number;
  /** Of one action: all its records, in order. */
  steps: readonly JournalRecord[] | undefined;
  /** Undefined when all could be read. */
  damage: JournalDamage | undefined;
}

export interface JournalQuery {
  word: string | undefined;
  filter: JournalFilter;
  /** Only what was dealt under this profile's name. */
  profile: string | undefined;
  nowMs: number;
}

/** @throws UsageError when a word means nothing here; DamagedFileError when nothing at all can be read. */
export function readJournal(journal: Journal, query: JournalQuery): JournalReading {
  const state = journal.read();
  const damage = damageOf(journal.path, state);
  if (query.word !== undefined) {
    const named = findActions(state.actions, query.word);
    const [only] = named.length === 1 ? named : [];
    const steps = only && state.records.filter((record) => record.action_id === only.id);
    return { actions: named.toReversed(), fitting: named.length, steps, damage };
  }
  const fitting = state.actions.filter((action) => fits(action, query));
  const newest = fitting.toReversed();
  return { actions: newest.slice(0, query.filter.limit), fitting: fitting.length, steps: undefined, damage };
}

/** What a page of the journal covers, for `meta.covers`. */
export const journalCoverage = ({ actions, fitting }: Pick<JournalReading, 'actions' | 'fitting'>) => ({
  count: actions.length,
  from: actions.at(-1)?.intent.at ?? null,
  to: actions[0]?.intent.at ?? null,
  maybe_truncated: actions.length < fitting,
  fitting,
});

function fits(action: Action, { filter, profile, nowMs }: JournalQuery): boolean {
  const { intent } = action;
  const day = filter.day === TODAY ? exactInstant(nowMs).slice(0, 'YYYY-MM-DD'.length) : filter.day;
  const open = (filter.unresolved && isUnresolved(action)) || (filter.inFlight && awaitsEnd(action));
  return (
    (open || !(filter.unresolved || filter.inFlight)) &&
    agrees(filter.action, intent.action) &&
    agrees(filter.market, intent.market) &&
    agrees(filter.side, intent.side) &&
    agrees(filter.dealId, intent.deal_id) &&
    agrees(filter.environment, intent.identity.environment) &&
    agrees(profile, intent.profile) &&
    (day === undefined || intent.at.startsWith(day))
  );
}

const agrees = (wanted: string | undefined, found: string | undefined): boolean =>
  wanted === undefined || wanted === found;

/** What bare `hedge` says of the journal; a file that cannot be read at all is said and breaks nothing. */
export interface JournalSummary {
  unresolved: readonly Action[];
  inFlight: readonly Action[];
  damage: JournalDamage | undefined;
  /** Nothing could be read, and why. */
  unreadable: DamagedFileError | undefined;
}

export function summarizeJournal(journal: Journal): JournalSummary {
  try {
    const state = journal.read();
    const newest = state.actions.toReversed();
    return {
      unresolved: newest.filter(isUnresolved),
      inFlight: newest.filter(awaitsEnd),
      damage: damageOf(journal.path, state),
      unreadable: undefined,
    };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return { unresolved: [], inFlight: [], damage: undefined, unreadable: error };
  }
}

export function damageOf(path: string, { damage, orphans }: JournalState): JournalDamage | undefined {
  if (damage.length === 0 && orphans.length === 0) return undefined;
  return { path, lines: damage, orphans };
}

/** What a look at all that is open ends in where lines are missing: none of it may be called settled. */
export function damageError({ path, lines, orphans }: JournalDamage): DamagedFileError {
  return new DamagedFileError(path, {
    what: `A part of ${path} cannot be read: an action that is unresolved or in flight may be hidden there.`,
    book: 'Nothing was changed.',
    hint: 'To see which lines, and how to mend them: hedge journal',
    details: { path, lines: lines.map(({ line }) => line), orphans },
  });
}

const MOST_LINES = 5;

/** The damage in whole sentences, one a line, the mend last. */
export function damageInWords({ path, lines, orphans }: JournalDamage): readonly string[] {
  const shown = lines
    .slice(0, MOST_LINES)
    .map(({ line, how }) => `Line ${line.toString()} of ${path} ${how}.`);
  const more = lines.length - shown.length;
  return [
    ...shown,
    ...(more === 0 ? [] : [`So do ${more.toString()} more of its lines.`]),
    ...(orphans.length === 0
      ? []
      : [`Of ${orphans.join(', ')} only later steps can be read: what was sent is on a damaged line.`]),
    'What those lines said is missing here: compare with hedge hedges and hedge positions, then put them back from a copy of the file, or take them out.',
  ];
}
