/** Finds hedges by a word, filters a list by time span, market and side, and reports what the result covers and may lack. */

import { isFiltered, type ListFilter } from '../args/list-filter.ts';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { Hedge } from '../client/schemas.ts';
import type { LocalClock, Moment } from '../domain/calendar.ts';
import { ownField } from '../domain/fields.ts';
import { instantOf, instantText } from '../domain/instants.ts';
import { isSameName, type Side, SMALLEST_PAGE } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { timeInWords } from '../journal/describe.ts';

/** Coverage of a list, for `meta.covers`. */
export interface ListCoverage {
  count: number;
  from: string | null;
  to: string | null;
  /** The list may be incomplete: sums over it are unreliable. */
  maybe_truncated: boolean;
  /** How many match, if only the newest of them were asked for. */
  matching?: number;
  /** How many the service was asked for, if it takes a number. */
  limit?: number;
}

/** By its prefix (specification §2), so that the result depends on the word alone. */
export const isHedgeId = (word: string): boolean => word.startsWith('hdg_');

/**
 * An ID is read directly. Anything else is searched as a deal ID, then read as an ID, so that the error is the service's
 * own.
 */
export async function findHedges(api: HedgeApi, word: string): Promise<ApiResponse<readonly Hedge[]>> {
  if (!isHedgeId(word)) {
    const tagged = await api.hedges({ client_reference: word });
    if (tagged.data.length > 0) return { ...tagged, data: withoutCopies(tagged.data) };
  }
  const one = await api.hedge(word);
  return { ...one, data: [one.data] };
}

/** Without the copies of records that a service lists twice; two versions of one ID both stay. */
export function withoutCopies<Sent extends AnyRecord>(records: readonly Sent[]): readonly Sent[] {
  const ids = records.map((record) => ownField(record, 'id'));
  const named = ids.filter((id) => typeof id === 'string');
  if (new Set(named).size === named.length) return records;
  const seen = new Set<string>();
  return records.filter((record, at) => {
    const text = JSON.stringify(record);
    const isCopy = typeof ids[at] === 'string' && seen.has(text);
    seen.add(text);
    return !isCopy;
  });
}

const ROUND_PAGE = 10;

/** Whether a list of this length may be a page of the service's own size. */
export const looksLikePage = (count: number): boolean =>
  count > 0 && (count >= SMALLEST_PAGE || count % ROUND_PAGE === 0);

/** Coverage by a timestamp field. */
export function hedgeCoverage(
  records: readonly AnyRecord[],
  field: string,
  maybeTruncated: boolean,
): ListCoverage {
  const texts = records.map((record) => ownField(record, field)).filter((at) => typeof at === 'string');
  const instants = texts.filter((at) => instantOf(at) !== undefined);
  const sorted = instants.toSorted((one, other) => (instantOf(one) ?? 0) - (instantOf(other) ?? 0));
  return {
    count: records.length,
    from: sorted[0] ?? null,
    to: sorted.at(-1) ?? null,
    maybe_truncated: maybeTruncated,
  };
}

/** In milliseconds since the epoch; `untilMs` is excluded; undefined is open. */
export interface Span {
  fromMs: number | undefined;
  untilMs: number | undefined;
}

/** The coverage of a filtered list. */
export interface FilteredCoverage extends ListCoverage {
  /** How many were returned, before filtering. */
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
  /** Records left out because they lack a filtered field, by its name. */
  lacking: Readonly<Record<string, number>>;
}

export type AnyRecord = Readonly<Record<string, unknown>>;

/** Now is the service's time of the response: practice may be days ahead of this machine. */
export const localClockAt = ({ servedAt }: { servedAt: Date | undefined }, here: LocalClock): LocalClock => ({
  ...here,
  nowMs: servedAt?.getTime() ?? here.nowMs,
});

/** Whether it depends on the service's time. */
export const goesByNow = (moment: Moment | undefined): boolean =>
  moment?.kind === 'day_ago' || moment?.kind === 'ago';

/**
 * Before any request. A fixed day with a relative one has to wait for the service's clock.
 * @throws UsageError for an empty span.
 */
export async function checkSpan(narrowing: ListFilter, here: LocalClock): Promise<void> {
  if (goesByNow(narrowing.since) === goesByNow(narrowing.until)) await spanOf(narrowing, here);
}

/** @throws UsageError for an empty span. */
export async function spanOf(
  { since, until }: Pick<ListFilter, 'since' | 'until'>,
  here: LocalClock,
): Promise<Span> {
  if (since === undefined && until === undefined) return { fromMs: undefined, untilMs: undefined };
  const { startOfMoment, endOfMoment } = await import('../domain/calendar.ts');
  const fromMs = since && startOfMoment(since, here);
  const untilMs = until && endOfMoment(until, here);
  if (fromMs !== undefined && untilMs !== undefined && fromMs >= untilMs)
    throw new UsageError(
      `The time span is empty: --since starts at ${timeInWords(instantText(fromMs))}, --until ends at ${timeInWords(instantText(untilMs))}.`,
      'Give the earlier time as --since. A day given as --until is included.',
    );
  return { fromMs, untilMs };
}

export interface RecordFilter<Found> {
  narrowing: ListFilter;
  /** The timestamp field. */
  field: string;
  /** The service may have more records. */
  mayBeCut: boolean;
  /** The requested page size, if any. */
  limit?: number | undefined;
  here: LocalClock;
  /** Leaves out the others. */
  keeps?: ((record: Found) => boolean) | undefined;
  /** Only so many, the newest. */
  most?: number | undefined;
}

interface Filtered<Found> {
  records: readonly Found[];
  covers: ListCoverage | FilteredCoverage;
}

/** Each record counts once, also where the service lists it twice. @throws UsageError as `spanOf` does. */
export async function filterRecords<Found extends AnyRecord>(
  list: readonly Found[],
  filter: RecordFilter<Found>,
): Promise<Filtered<Found>> {
  const { records: matching, covers } = await narrowed(withoutCopies(list), filter);
  const { field, keeps = () => true, most } = filter;
  const kept = matching.filter(keeps);
  const records = kept.slice(0, most);
  if (records.length === matching.length && most === undefined) return { records, covers };
  return {
    records,
    covers: {
      ...covers,
      ...hedgeCoverage(records, field, covers.maybe_truncated || records.length < kept.length),
      ...(most === undefined ? {} : { matching: kept.length }),
    },
  };
}

async function narrowed<Found extends AnyRecord>(
  records: readonly Found[],
  { narrowing, field, mayBeCut, limit, here }: RecordFilter<Found>,
): Promise<Filtered<Found>> {
  const asPage = limit === undefined ? {} : { limit };
  if (!isFiltered(narrowing))
    return { records, covers: { ...hedgeCoverage(records, field, mayBeCut), ...asPage } };
  const span = await spanOf(narrowing, here);
  const asked = askedOf(narrowing, span, field);
  const lacking: Record<string, number> = {};
  const fitting = records.filter((record) => {
    const verdicts = asked.map((each) => ({
      name: each.name,
      fits: each.holds(ownField(record, each.name)),
    }));
    const unknown = verdicts.find(({ fits }) => fits === undefined);
    // A record ruled out by one field is not missing because of another.
    if (unknown !== undefined && !verdicts.some(({ fits }) => fits === false))
      lacking[unknown.name] = (lacking[unknown.name] ?? 0) + 1;
    return verdicts.every(({ fits }) => fits === true);
  });
  return {
    records: fitting,
    covers: {
      ...hedgeCoverage(fitting, field, mayBeCut && !reachesBack(records, field, span)),
      ...asPage,
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
    typeof value === 'string' ? isSameName(value, wanted) : undefined;

interface Asked {
  name: string;
  /** Undefined when the field has no usable value. */
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
 * Whether a list that may be incomplete contains the whole span: it is newest first, and its last record is older.
 */
function reachesBack(records: readonly AnyRecord[], field: string, { fromMs }: Span): boolean {
  if (fromMs === undefined) return false;
  const instants = records.map((record) => instantIn(ownField(record, field)));
  const newestFirst = instants.every((at, index) => {
    const before = instants[index - 1];
    return at !== undefined && (index === 0 || (before !== undefined && before >= at));
  });
  return newestFirst && (instants.at(-1) ?? Infinity) < fromMs;
}
