/** Reads what `hedge reconcile` compares, and looks up hedges that the service did not list. */
import type { FinanceList, ReconcileIntent } from '../args/reconcile-options.ts';
import type { Hedge } from '../client/schemas.ts';
import { createsHedge } from '../domain/action-table.ts';
import { counted } from '../domain/exposure.ts';
import { say, shell } from '../domain/hint.ts';
import { exactInstant, instantOf, instantText } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import {
  ConditionError,
  type DamagedFileError,
  type HedgeError,
  OutcomeUnknownError,
  UsageError,
} from '../errors.ts';
import { isConfirmed } from '../journal/account-identity.ts';
import { operatorInWords, timeInWords } from '../journal/describe.ts';
import { type ChainedSnapshot, snapshotsOf } from '../journal/state.ts';
import type { JournalTrouble } from '../journal/trouble.ts';
import { type Break, breakKey, explainedAs } from './breaks.ts';
import { closedInstant } from './closed-record.ts';
import { spanOf } from './filter-records.ts';
import { countCompared, findBreaks, notCompared, type ReconcileSources } from './find-breaks.ts';
import { incompleteError } from './journal-trouble.ts';
import type { ReadContext } from './read-context.ts';
import { hedgeIfKnown, LONGEST_LIFE_MS, readNewestHedges, readUnderReference } from './read-position.ts';
import { type AccountReading, readWholeAccount, saveSnapshot } from './take-snapshot.ts';

export interface Explanation {
  note: string;
  /** ISO 8601 UTC. */
  at: string;
  by: string | undefined;
}

export interface FoundBreak extends Break {
  /** A person recorded why this difference is right. */
  explained: Explanation | undefined;
}

export interface ReconcileReading extends ReturnType<typeof countCompared> {
  intent: ReconcileIntent;
  breaks: readonly FoundBreak[];
  /** The service does not send enough of these. */
  notCompared: ReturnType<typeof notCompared>;
  /** The service's time. */
  fromMs: number;
  account: AccountReading;
  servedAt: Date;
  notSaved: DamagedFileError | undefined;
  trouble: JournalTrouble | undefined;
}

export async function readReconcile(
  context: ReadContext,
  intent: ReconcileIntent,
  { zone, profile, finance }: { zone: string; profile: string; finance: FinanceList | undefined },
): Promise<ReconcileReading> {
  const account = await readWholeAccount(context, { profile, note: intent.note });
  const { positionFacts } = account;
  const servedMs = positionFacts.servedAt.getTime();
  const { fromMs = servedMs } = await spanOf(
    { since: intent.since, until: undefined },
    { zone, nowMs: servedMs },
  );
  const nowMs = context.clock.now();
  const state = context.journal.read();
  const since = state.since(exactInstant(nowMs - (servedMs - fromMs) - LONGEST_LIFE_MS));
  const ofHedges = state.find({ hedgeIds: positionFacts.hedges.map(({ id }) => id) });
  const actions = [...ofHedges.filter(({ id }) => !since.some((each) => each.id === id)), ...since].filter(
    ({ intent: { identity } }) => isConfirmed(identity, context.identity),
  );
  const sources: ReconcileSources = {
    positionFacts,
    closed: account.closed,
    actions,
    finance: finance?.deals,
    tolerance: intent.tolerance,
    fromMs,
    nowMs,
    cut: {
      hedges: await mayLackHedges(context, positionFacts.hedges, fromMs - LONGEST_LIFE_MS),
      closed: account.record.may_be_cut.includes('closed') && !reachesBack(account, fromMs),
    },
    lookedUp: await lookUp(context, {
      listed: positionFacts.hedges,
      actions,
      finance: finance?.deals,
      fromMs,
    }),
  };
  checkWords(intent, sources);
  const found = findBreaks(sources).filter((each) => isMeant(each, intent.words));
  const explanations = explanationsOf(found, snapshotsOf(state, context.identity));
  const breaks = found.map((each): FoundBreak => ({ ...each, explained: explanations.get(each) }));
  const { note } = intent;
  const open = breaks.filter(isOpenBreak);
  if (note !== undefined && open.length === 0) throw nothingToExplain(intent);
  const explained = note === undefined ? {} : { explained: open.map(breakKey) };
  const notSaved = intent.saves
    ? await saveSnapshot(context, { ...account.record, ...explained })
    : undefined;
  const now =
    note === undefined || notSaved !== undefined ? undefined : { note, at: account.record.at, by: undefined };
  return {
    intent,
    breaks: breaks.map((each) => (isOpenBreak(each) ? { ...each, explained: now } : each)),
    ...countCompared(sources),
    notCompared: notCompared(sources),
    fromMs,
    account,
    servedAt: positionFacts.servedAt,
    notSaved,
    trouble: state.trouble,
  };
}

/** A person would take it for recorded. */
const nothingToExplain = ({ against, compares }: ReconcileIntent): UsageError =>
  new UsageError(
    'There is no break that this note would explain. It was not recorded.',
    against === undefined
      ? 'For a break with the list of finance, give the list too: --against FILE.'
      : say`To see its breaks: ${shell`hedge reconcile ${compares}`}`,
  );

/** @throws UsageError for an ID that is nowhere, of which "all agree" would say nothing. */
function checkWords(
  { words, against }: ReconcileIntent,
  { positionFacts, actions, finance, lookedUp, fromMs }: ReconcileSources,
): void {
  const hedges = [...positionFacts.hedges, ...[...lookedUp.values()].flatMap((found) => found ?? [])];
  const known = new Set([
    ...hedges.flatMap(({ id, client_reference: reference }) => [id, reference]),
    ...actions.flatMap(({ shortId, hedgeId, intent }) => [shortId, hedgeId, intent.deal_id]),
    ...(finance ?? []).map(({ dealId }) => dealId),
  ]);
  const unknown = words.find((word) => !known.has(word));
  if (unknown !== undefined)
    throw new UsageError(
      `There is no hedge, deal or action ${quoted(unknown)} since ${timeInWords(instantText(fromMs))}.`,
      `Give its ID, or an earlier --since${against === undefined ? '; for a deal of finance alone, its list with --against' : ''}.`,
    );
}

async function mayLackHedges(
  context: ReadContext,
  listed: readonly Hedge[],
  fromMs: number,
): Promise<boolean> {
  const oldest = Math.min(...listed.map(({ opened_at: at }) => instantOf(at ?? '') ?? Infinity));
  if (oldest < fromMs) return false;
  const { mayBeCut, isSaidWhole } = await readNewestHedges(context);
  return mayBeCut && !isSaidWhole;
}

const reachesBack = ({ closed }: AccountReading, fromMs: number): boolean =>
  closed.some((record) => (closedInstant(record) ?? Infinity) < fromMs);

/** Each costs a request. */
const MOST_LOOKED_UP = 100;

/** Hedges of the journal by ID, and deals of finance by deal ID, that the list does not have. */
async function lookUp(
  context: ReadContext,
  {
    listed,
    actions,
    finance,
    fromMs,
  }: Pick<ReconcileSources, 'actions' | 'finance' | 'fromMs'> & { listed: readonly Hedge[] },
): Promise<ReconcileSources['lookedUp']> {
  const ids = new Set(listed.map(({ id }) => id));
  const references = new Set(listed.map(({ client_reference: reference }) => reference));
  const missing = new Set(
    actions.flatMap(({ intent, hedgeId }) =>
      createsHedge(intent) &&
      hedgeId !== undefined &&
      !ids.has(hedgeId) &&
      isSince(intent.before.service_at, fromMs)
        ? [hedgeId]
        : [],
    ),
  );
  const unknown = (finance ?? []).flatMap(({ dealId }) => (references.has(dealId) ? [] : [dealId]));
  const lookedUp = new Map<string, readonly Hedge[] | undefined>();
  for (const id of [...missing].slice(0, MOST_LOOKED_UP)) {
    const known = await hedgeIfKnown(id, context);
    lookedUp.set(id, known && [known.data]);
  }
  for (const dealId of unknown.slice(0, MOST_LOOKED_UP)) {
    const { hedges, mayBeCut } = await readUnderReference(context, dealId);
    if (hedges.length > 0 || !mayBeCut) lookedUp.set(dealId, hedges.length > 0 ? hedges : undefined);
  }
  return lookedUp;
}

const isSince = (at: string | undefined, fromMs: number): boolean =>
  at === undefined || Date.parse(at) >= fromMs;

const isMeant = ({ dealId, hedgeId, actionId }: Break, words: readonly string[]): boolean =>
  words.length === 0 || words.some((word) => word === dealId || word === hedgeId || word === actionId);

/** The latest note on each, however old. `snapshots`: newest first; no more of them are read than it takes. */
function explanationsOf(
  found: readonly Break[],
  snapshots: Iterable<ChainedSnapshot>,
): ReadonlyMap<Break, Explanation> {
  const explanations = new Map<Break, Explanation>();
  if (found.length === 0) return explanations;
  for (const { record } of snapshots) {
    const { explained: keys = [], note = '', at, operator } = record;
    for (const each of keys.length === 0 ? [] : found)
      if (!explanations.has(each) && explainedAs(each).some((key) => keys.includes(key)))
        explanations.set(each, { note, at, by: operator && operatorInWords(operator) });
    if (explanations.size === found.length) break;
  }
  return explanations;
}

/** A difference that nobody explained, and that time alone does not settle. */
export const isOpenBreak = (found: FoundBreak): boolean =>
  found.class !== 'timing' && found.isUnresolved === undefined && found.explained === undefined;

/** A list that may be cut has no ID, nor has a position. */
const isNamed = (found: readonly FoundBreak[]): boolean =>
  found.some(({ dealId, hedgeId, actionId }) => (dealId ?? hedgeId ?? actionId) !== undefined);

/** Undefined when all agree. */
export function reconcileFinding({
  breaks,
  notSaved,
  trouble,
  intent,
}: ReconcileReading): HedgeError | undefined {
  if (notSaved !== undefined) return notSaved;
  if (trouble !== undefined) return incompleteError(trouble);
  const unresolved = breaks.filter((each) => each.isUnresolved === true);
  const open = breaks.filter(isOpenBreak);
  const explained = breaks.filter((each) => each.explained !== undefined).length;
  const details = { breaks: open.length, unresolved: unresolved.length };
  const others = open.length === 0 ? '' : ` Also ${counted(open.length, 'break')}.`;
  if (unresolved.length > 0)
    return new OutcomeUnknownError({
      what: `${counted(unresolved.length, 'action')} with an unknown outcome.${others}`,
      meaning: 'Nothing was changed.',
      hint: say`To look them up: ${shell`hedge check`}`,
      effect: 'none',
      details,
    });
  if (open.length === 0) return undefined;
  return new ConditionError({
    code: 'breaks_found',
    what: `${counted(open.length + explained, 'break')}${explained === 0 ? '' : `, ${explained.toString()} of them explained,`} between the journal${intent.against === undefined ? ' and the service' : ", the service and finance's list"}.`,
    meaning: 'Nothing was changed.',
    hint: [
      isNamed(open)
        ? say`To record why one is right: ${shell`hedge reconcile ID ${intent.compares} --note TEXT`}`
        : say`To record why all of them are right: ${shell`hedge reconcile ${intent.compares} --note TEXT`}`,
      say`What each means: ${shell`hedge help books`}`,
    ],
    details,
  });
}
