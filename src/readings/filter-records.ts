/**
 * Picks from a list what lies in a span of time, on a market, on a side: the specification shows no such query.
 * Says of the result what it covers, and what may be missing from it. Asks nobody.
 */

import { isFiltered, type ListFilter } from '../args/list-filter.ts';
import type { LocalClock, Moment } from '../domain/calendar.ts';
import { ownField } from '../domain/fields.ts';
import { instantOf, instantText } from '../domain/instants.ts';
import type { Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { hedgeCoverage, type ListCoverage } from './find-hedges.ts';
/** From the one, before the other, in milliseconds since the epoch; open where undefined. */
export interface Span {
  fromMs: number | undefined;
  untilMs: number | undefined;
}

/** What a narrowed list covers besides: what was asked of which field, of how many, and what could not be told. */
export interface FilteredCoverage extends ListCoverage {
  /** How many came, those left out too. */
  of: number;
  /** The field that `since` and `until` are about. */
  by: string;
  /** ISO 8601 UTC; `until` is the first instant that is not covered. */
  since: string | null;
  until: string | null;
  /** IANA zone of the days that were asked for. */
  zone: string;
  market: string | null;
  side: Side | null;
  /** Records left out because they lack a field that was asked about, by its name. */
  lacking: Readonly<Record<string, number>>;
}

export type SomeRecord = Readonly<Record<string, unknown>>;

/** Now is when the service answered, by its own clock: practice may be days ahead of this machine. */
export const localClockAt = ({ servedAt }: { servedAt: Date | undefined }, here: LocalClock): LocalClock => ({
  ...here,
  nowMs: servedAt?.getTime() ?? here.nowMs,
});

const goesByNow = (moment: Moment | undefined): boolean =>
  moment?.kind === 'day_ago' || moment?.kind === 'ago';

/**
 * Before anything is asked: throws UsageError where nothing can lie between the two, whatever time it is at the
 * service. A day beside a `today` has to wait for what its clock says.
 */
export async function checkSpan(narrowing: ListFilter, here: LocalClock): Promise<void> {
  if (goesByNow(narrowing.since) === goesByNow(narrowing.until)) await spanOf(narrowing, here);
}

/** Throws UsageError where nothing can lie between the two. */
async function spanOf({ since, until }: ListFilter, here: LocalClock): Promise<Span> {
  if (since === undefined && until === undefined) return { fromMs: undefined, untilMs: undefined };
  const { startOfMoment, endOfMoment } = await import('../domain/calendar.ts');
  const fromMs = since && startOfMoment(since, here);
  const untilMs = until && endOfMoment(until, here);
  if (fromMs !== undefined && untilMs !== undefined && fromMs >= untilMs)
    throw new UsageError(
      `Nothing lies between --since and --until: the one begins at ${instantText(fromMs)}, the other ends at ${instantText(untilMs)}.`,
      'The earlier of the two goes to --since; a day given to --until is meant whole.',
    );
  return { fromMs, untilMs };
}

export interface RecordFilter {
  narrowing: ListFilter;
  /** The field that tells when. */
  field: string;
  /** The page size that was asked of the service, where one was. */
  limit?: number | undefined;
  here: LocalClock;
}

/** Throws UsageError as `spanOf` does. */
export async function filterRecords<Found extends SomeRecord>(
  records: readonly Found[],
  { narrowing, field, limit, here }: RecordFilter,
): Promise<{ records: readonly Found[]; covers: ListCoverage | FilteredCoverage }> {
  const came = hedgeCoverage(records, field, limit);
  if (!isFiltered(narrowing)) return { records, covers: came };
  const span = await spanOf(narrowing, here);
  const asked = askedOf(narrowing, span, field);
  const lacking: Record<string, number> = {};
  const fitting = records.filter((record) => {
    const verdicts = asked.map((each) => ({
      name: each.name,
      fits: each.holds(ownField(record, each.name)),
    }));
    const untold = verdicts.find(({ fits }) => fits === undefined);
    // What one field rules out is no loss, whatever another does not tell.
    if (untold !== undefined && !verdicts.some(({ fits }) => fits === false))
      lacking[untold.name] = (lacking[untold.name] ?? 0) + 1;
    return verdicts.every(({ fits }) => fits === true);
  });
  return {
    records: fitting,
    covers: {
      ...hedgeCoverage(fitting, field),
      maybe_truncated: came.maybe_truncated && !reachesBack(records, field, span),
      of: records.length,
      by: field,
      since: span.fromMs === undefined ? null : instantText(span.fromMs),
      until: span.untilMs === undefined ? null : instantText(span.untilMs),
      zone: here.zone,
      market: narrowing.market ?? null,
      side: narrowing.side ?? null,
      lacking,
    },
  };
}

const is =
  (wanted: string) =>
  (value: unknown): boolean | undefined =>
    typeof value === 'string' ? value === wanted : undefined;

interface Asked {
  name: string;
  /** Undefined when the field holds nothing that could tell. */
  holds(value: unknown): boolean | undefined;
}

function askedOf({ market, side }: ListFilter, { fromMs, untilMs }: Span, field: string): readonly Asked[] {
  const inSpan = (value: unknown): boolean | undefined => {
    const at = instantIn(value);
    return at === undefined ? undefined : at >= (fromMs ?? -Infinity) && at < (untilMs ?? Infinity);
  };
  return [
    ...(fromMs === undefined && untilMs === undefined ? [] : [{ name: field, holds: inSpan }]),
    ...(market === undefined ? [] : [{ name: 'market', holds: is(market) }]),
    ...(side === undefined ? [] : [{ name: 'side', holds: is(side) }]),
  ];
}

const instantIn = (value: unknown): number | undefined =>
  typeof value === 'string' ? instantOf(value) : undefined;

/**
 * Whether a list that may be one page of more still holds all of the span: it is newest first, as specified,
 * and its last record is older than the span.
 */
function reachesBack(records: readonly SomeRecord[], field: string, { fromMs }: Span): boolean {
  if (fromMs === undefined) return false;
  const instants = records.map((record) => instantIn(ownField(record, field)));
  const newestFirst = instants.every((at, index) => {
    const before = instants[index - 1];
    return at !== undefined && (index === 0 || (before !== undefined && before >= at));
  });
  return newestFirst && (instants.at(-1) ?? Infinity) < fromMs;
}
