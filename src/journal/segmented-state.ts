/** The journal at one moment, over its segments: each query reads the few records that it needs. */
import { Big } from 'big.js';
import { enlarges } from '../domain/action-table.ts';
import { exactInstant } from '../domain/instants.ts';
import { once } from '../domain/once.ts';
import { type AccountIdentity, sameIdentity } from './account-identity.ts';
import type { JournalFiles, SegmentTimes } from './journal-files.ts';
import { readLine, readLineAgain } from './lines.ts';
import type { Loaded } from './load-journal.ts';
import { linesBack, linesFrom } from './own-files.ts';
import { LAST_DEALS, openedOn } from './queries.ts';
import {
  type ActionRecord,
  type HaltRecord,
  type IntentRecord,
  isOfAction,
  isOfHalt,
  isOfRoll,
  type JournalRecord,
  type RollRecord,
} from './records.ts';
import { type Action, actionNow, type IsRunning, isEnded, maybeExecuted } from './replay.ts';
import { lastPlace, trackedFrom } from './replay-lines.ts';
import type { Segment } from './segments.ts';
import { DAYS_KEPT, isBefore, type OpenAction, type Place } from './snapshot.ts';
import { type ActionTerms, CURRENT_MS, type JournalSpan, type JournalState, withTerms } from './state.ts';
import {
  HALT,
  KIND,
  ROLL,
  type TermKind,
  type Terms,
  termOfId,
  termOfText,
  type WantedTerm,
} from './terms.ts';

/** An action, and where its records are. */
type Placed = OpenAction & { action: Action };

export function segmentedState(
  loaded: Loaded,
  files: JournalFiles,
  { isRunning, nowMs }: { isRunning: IsRunning; nowMs: number },
): JournalState {
  const { layout, seen } = loaded;
  const segments = layout.segments;
  const active = segments.at(-1);
  const termsOf = (segment: Segment): Terms =>
    segment === active || layout.kind === 'single' ? loaded.terms() : files.termsOf(segment, layout);

  const timesOf = (segment: Segment): SegmentTimes =>
    segment === active || layout.kind === 'single' ? seen : files.timesOf(segment, layout);

  const placed = (open: OpenAction, isOpen: boolean): Placed => {
    open.tracked ??= trackedFrom(files.records(open.places, layout), open.shortId);
    const { hidden } = seen;
    const last = lastPlace(open);
    const isHidden =
      hidden !== undefined && isBefore(last, hidden) && (isOpen || last.segment === hidden.segment);
    return { ...open, action: actionNow(open.tracked, isRunning, { hidden: isHidden }) };
  };
  /** Where a line is damaged, the index knows it by its number alone. */
  const recordOf = seen.damage.length === 0 ? readLineAgain : readLine;

  const opened = new Map<string, Placed>();
  const openOf = (id: string): Placed | undefined => {
    const open = seen.open.get(id);
    if (open === undefined) return undefined;
    const known = opened.get(id) ?? placed(open, true);
    opened.set(id, known);
    return known;
  };
  const allOpen = (): readonly Placed[] => [...seen.open.keys()].flatMap((id) => openOf(id) ?? []);

  const byId = (id: string): Placed | undefined => {
    const known = openOf(id);
    if (known !== undefined) return known;
    const found = files.placesOf(id, layout, loaded.terms());
    return found && placed({ id, latest: '', ...found }, false);
  };

  const recentFrom = exactInstant(nowMs - CURRENT_MS);
  const isCurrent = ({ action, latest }: Placed): boolean => !isEnded(action) || latest >= recentFrom;
  /** Also what was left out before a clock was set back. */
  const current = once(() => {
    const pending = allOpen().filter(isCurrent);
    return seen.sweptTo >= recentFrom ? withRecordsSince(recentFrom, pending) : pending;
  });

  function idsWith({
    ids = [],
    keys = [],
    dealIds = [],
    chainIds = [],
    hedgeIds = [],
    hedgesFrom,
  }: ActionTerms): ReadonlySet<string> {
    const found = new Set<string>();
    const anywhere = [
      ...termsIn(KIND.key, keys),
      ...termsIn(KIND.deal, dealIds),
      ...termsIn(KIND.chain, chainIds),
    ];
    const ofHedges = termsIn(KIND.hedge, hedgeIds);
    const prefixes = ids.map((each) => each.toLowerCase()).filter((each) => PREFIX.test(each));
    for (const prefix of prefixes) if (prefix.length === ID_DIGITS) found.add(prefix);
    const beginnings = prefixes.filter(({ length }) => length < ID_DIGITS);
    if (beginnings.length + anywhere.length + ofHedges.length === 0) return found;
    const own = loaded.terms();
    for (const beginning of beginnings)
      for (const id of files.terms.idsFrom(beginning, layout, own)) found.add(id);
    // A segment ended when the next one was begun.
    const later = segments.filter(
      (_segment, index) =>
        hedgesFrom === undefined || (segments[index + 1]?.month ?? hedgesFrom) >= hedgesFrom.slice(0, MONTH),
    );
    const isLater = new Set(later.map(({ number }) => number));
    const entries = files.terms
      .find([...anywhere, ...ofHedges], { layout, own, ...(anywhere.length === 0 ? { among: later } : {}) })
      .filter(({ kind, segment }) => kind !== KIND.hedge || isLater.has(segment));
    for (const { action_id: id } of files.records(entries, layout)) found.add(id);
    return found;
  }

  /** Where records with this time or a later one may begin. */
  function startOf(atMs: number): Place | undefined {
    for (const segment of segments) {
      const times = timesOf(segment);
      if (times.latestMs < atMs) continue;
      const mark = times.marks.find(({ latestMs }) => latestMs >= atMs);
      return { segment: segment.number, offset: mark?.offset ?? 0 };
    }
    return undefined;
  }

  function* recordsFrom(start: Place): Generator<{ record: JournalRecord; place: Place }> {
    for (const segment of segments) {
      if (segment.number < start.segment) continue;
      const file = files.open(segment, layout);
      try {
        const to = segment === active ? seen.bytes : Infinity;
        for (const { bytes, offset } of linesFrom(
          file,
          segment.number === start.segment ? start.offset : 0,
          to,
        )) {
          const record = recordOf(bytes, { path: file.path, line: 0, chained: segment.number > 0 });
          if (typeof record === 'object') yield { record, place: { segment: segment.number, offset } };
        }
      } finally {
        file.close();
      }
    }
  }

  const shortIdOf = (intent: IntentRecord, segment: Segment): string => {
    if (intent.short_id !== undefined) return intent.short_id;
    const wanted = [{ term: termOfId(intent.action_id), kinds: [KIND.intent] }];
    const [entry] = termsOf(segment).find(wanted);
    return intent.action_id.slice(0, entry?.short ?? ID_DIGITS);
  };

  function withRecordsSince(at: string, others: readonly Placed[]): readonly Placed[] {
    const found = new Map(others.map((each) => [each.id, each]));
    const start = startOf(Date.parse(at));
    if (start === undefined) return [...found.values()];
    const stretch = new Map<string, { records: ActionRecord[]; places: Place[] }>();
    for (const { record, place } of recordsFrom(start)) {
      if (!isOfAction(record)) continue;
      const known = stretch.get(record.action_id);
      if (known === undefined) stretch.set(record.action_id, { records: [record], places: [place] });
      else {
        known.records.push(record);
        known.places.push(place);
      }
    }
    for (const [id, { records, places }] of stretch) {
      if (found.has(id) || !records.some((record) => record.at >= at)) continue;
      const [first] = records;
      const segment = segments.find(({ number }) => number === places[0]?.segment);
      if (seen.open.has(id) || first?.kind !== 'intent' || segment === undefined) {
        const whole = byId(id);
        if (whole !== undefined) found.set(id, whole);
        continue;
      }
      const shortId = shortIdOf(first, segment);
      found.set(
        id,
        placed({ id, shortId, places, latest: '', tracked: trackedFrom(records, shortId) }, false),
      );
    }
    return [...found.values()];
  }

  function* newest({ from = '', until }: JournalSpan = {}): Generator<Action> {
    const later = new Map<string, { records: ActionRecord[]; places: Place[] }>();
    // An action begun before a clock was set back may have later records in any later segment.
    const first = segments.findIndex(
      (segment) => from === '' || timesOf(segment).latestMs >= Date.parse(from),
    );
    for (const segment of first === -1 ? [] : segments.slice(first).toReversed()) {
      const isLast = segment === active;
      if (isLast && loaded.mark === undefined) continue;
      const file = files.open(segment, layout);
      try {
        for (const { bytes, offset } of linesBack(file, isLast ? seen.bytes : file.mark().bytes)) {
          const record = recordOf(bytes, { path: file.path, line: 0, chained: segment.number > 0 });
          if (typeof record !== 'object' || !isOfAction(record)) continue;
          const id = record.action_id;
          const known = later.get(id) ?? { records: [], places: [] };
          known.records.push(record);
          known.places.push({ segment: segment.number, offset });
          if (record.kind !== 'intent') {
            later.set(id, known);
            continue;
          }
          later.delete(id);
          if (record.at < from || (until !== undefined && record.at >= until)) continue;
          const isOpen = openOf(id);
          if (isOpen !== undefined) {
            yield isOpen.action;
            continue;
          }
          const shortId = shortIdOf(record, segment);
          const tracked = trackedFrom(known.records.toReversed(), shortId);
          const places = known.places.toReversed();
          yield placed({ id, shortId, places, latest: '', tracked }, false).action;
        }
      } finally {
        file.close();
      }
    }
  }

  function* halts(span?: JournalSpan): Generator<HaltRecord> {
    for (const record of recordsUnder({ term: HALT, kinds: [KIND.halt] }, span))
      if (isOfHalt(record)) yield record;
  }

  function* rollRecords(span?: JournalSpan): Generator<RollRecord> {
    for (const record of recordsUnder({ term: ROLL, kinds: [KIND.roll] }, span))
      if (isOfRoll(record)) yield record;
  }

  /** Newest first. */
  function* recordsUnder(term: WantedTerm, { from = '', until }: JournalSpan = {}): Generator<JournalRecord> {
    const wanted = [term];
    const merged = files.terms.merged(layout);
    const covered = segments.filter((segment) => merged?.covers(segment.number));
    const inCovered = once(() => files.terms.find(wanted, { layout, own: loaded.terms(), among: covered }));
    for (const segment of segments.toReversed()) {
      const places = merged?.covers(segment.number)
        ? inCovered().filter((each) => each.segment === segment.number)
        : termsOf(segment)
            .find(wanted)
            .map(({ offset }) => ({ segment: segment.number, offset }));
      for (const record of files.anyRecords(places, layout).toReversed())
        if (record.at >= from && (until === undefined || record.at < until)) yield record;
    }
  }

  function summed(identity: AccountIdentity, day: string, except: string | undefined): Big {
    let sum = new Big(0);
    for (const [recorded, days] of seen.sums) {
      if (!isSame(recorded, identity)) continue;
      // Sums of earlier days are not kept.
      if (days.size >= DAYS_KEPT && day < ([...days.keys()].toSorted()[0] ?? ''))
        return readSum(identity, day, except);
      sum = sum.plus(days.get(day) ?? '0');
    }
    for (const each of allOpen())
      if (each.id !== except && each.action.intent.at.startsWith(day) && counted(each, identity))
        sum = sum.plus(each.action.notional ?? 0);
    if (except === undefined || seen.open.has(except)) return sum;
    const ended = byId(except);
    const isIn = ended?.action.intent.at.startsWith(day) === true && counted(ended, identity);
    return isIn ? sum.minus(ended.action.notional ?? 0) : sum;
  }

  function readSum(identity: AccountIdentity, day: string, except: string | undefined): Big {
    const actions: Action[] = [];
    for (const action of newest({ from: `${day}T00:00:00.000Z` }))
      if (action.intent.at.startsWith(day) && action.id !== except) actions.push(action);
    return openedOn(actions, identity, day);
  }

  function lastOf(identity: AccountIdentity, except: string | undefined): readonly Big[] {
    const ended = [...seen.last].flatMap(([recorded, all]) => (isSame(recorded, identity) ? all : []));
    const pending = allOpen()
      .filter((each) => counted(each, identity))
      .map(({ id, action, places: [place] }) => ({
        id,
        usd: action.notional ?? new Big(0),
        place: place ?? { segment: 0, offset: 0 },
      }));
    return [...ended, ...pending]
      .filter(({ id }) => id !== except)
      .toSorted((one, other) => (isBefore(one.place, other.place) ? 1 : -1))
      .slice(0, LAST_DEALS)
      .map(({ usd }) => new Big(usd));
  }

  function latestSince(id: string): string | undefined {
    const places = seen.open.get(id)?.places ?? files.placesOf(id, layout, loaded.terms())?.places;
    const first = places?.[0];
    if (first === undefined) return undefined;
    let latestMs = 0;
    for (const segment of segments) {
      if (segment.number < first.segment) continue;
      const times = timesOf(segment);
      if (segment.number > first.segment) {
        latestMs = Math.max(latestMs, times.latestMs);
        continue;
      }
      const { marks } = times;
      const next = marks.find(({ offset }) => offset > first.offset);
      for (const mark of marks) if (mark.offset > first.offset) latestMs = Math.max(latestMs, mark.latestMs);
      for (const { record, place } of recordsFrom(first)) {
        if (place.segment > first.segment || (next !== undefined && place.offset >= next.offset)) break;
        latestMs = Math.max(latestMs, Date.parse(record.at));
      }
    }
    return exactInstant(latestMs);
  }

  const damage = seen.damage.map(({ segment: number, line, how }) => {
    const segment = segments.find((each) => each.number === number);
    const path = segment === undefined || segment === active ? loaded.path : segment.path;
    return path === loaded.path ? { line, how } : { line, how, path };
  });
  return {
    path: loaded.path,
    damage,
    orphans: seen.orphans.map(({ id }) => id),
    cutTail: loaded.tail === 'cut',
    bytes: loaded.mark?.bytes ?? 0,
    count: seen.actions,
    get current() {
      return inOrder(current());
    },
    find(terms) {
      const found = [...idsWith(terms)].flatMap((id) => byId(id) ?? []);
      return withTerms(inOrder(found), terms);
    },
    since: (at) => inOrder(withRecordsSince(at, current())),
    openedOn: summed,
    lastNotionals: lastOf,
    recordsOf(id) {
      const places = seen.open.get(id)?.places ?? files.placesOf(id, layout, loaded.terms())?.places;
      return places === undefined ? [] : files.records(places, layout);
    },
    latestSince,
    newest,
    halts,
    rolls: [...seen.rolls.values()],
    rollRecords,
  };
}

/** USD of it counts for the limits. */
const counted = ({ action }: Placed, identity: AccountIdentity): boolean =>
  enlarges(action.intent) &&
  action.notional !== undefined &&
  maybeExecuted(action) &&
  sameIdentity(action.intent.identity, identity);

const ID_DIGITS = 16;
const MONTH = 'YYYY-MM'.length;

const termsIn = (kind: TermKind, texts: readonly string[]) =>
  texts.map((text) => ({ kinds: [kind], term: termOfText(kind, text) }));
const PREFIX = /^[0-9a-f]{4,16}$/;

/** Of their intents. */
const inOrder = (all: readonly Placed[]): readonly Action[] =>
  all
    .toSorted((one, other) => (isBefore(firstPlace(one), firstPlace(other)) ? -1 : 1))
    .map(({ action }) => action);

const firstPlace = ({ places }: OpenAction): Place => places[0] ?? { segment: 0, offset: 0 };

function isSame(recorded: string, identity: AccountIdentity): boolean {
  const one: AccountIdentity = JSON.parse(recorded);
  return sameIdentity(one, identity);
}
