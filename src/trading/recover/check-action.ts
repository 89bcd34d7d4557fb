/** `check`: looks up one open action, or all of the account, and records what it finds. Sends no action. */
import { ownField } from '../../domain/fields.ts';
import { quotedName } from '../../domain/quoted.ts';
import { type HedgeError, PartialFillError, worstError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { type Action, isUnfinished } from '../../journal/replay.ts';
import { type RollChain, unfinishedChains } from '../../journal/roll-chains.ts';
import type { JournalTrouble } from '../../journal/trouble.ts';
import { requireFound } from '../../readings/find-actions.ts';
import { incompleteFinding, noteTrouble } from '../../readings/journal-trouble.ts';
import { lackingTheirRest } from '../../readings/partial-fills.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { serviceTime } from '../../readings/read-rolls.ts';
import { lookUpAction } from '../follow/follow.ts';
import { readingFailure, reportWithoutLookup } from '../follow/lookups.ts';
import { hasProvisionExpired } from '../follow/record-outcome.ts';
import type { ActionReport } from '../report.ts';

export interface CheckedAction {
  /** Oldest first. */
  looked: readonly ActionReport[];
  /** The operand; undefined: all open actions. */
  asked: string | undefined;
  /** Opens found by their deal ID that a later check confirms; empty where an action was named. */
  toConfirm: readonly Action[];
  /** Opens of the last day that were filled in part, and whose rest was not opened; empty where an action was named. */
  inPart: readonly Action[];
  /** How many are open under other profiles. */
  elsewhere: number;
  /** Unfinished rolls of the account; empty where an action was named. */
  rolls: readonly RollChain[];
  /** The journal may lack actions. */
  trouble: JournalTrouble | undefined;
  /** The worst result; undefined if all went as requested, nothing lacks its rest, and the journal is complete. */
  finding: HedgeError | undefined;
  servedAt: Date | undefined;
}

/** A failed reading leaves each action unchanged. @throws UsageError if the operand matches none. */
export async function checkActions(word: string | undefined, context: ReadContext): Promise<CheckedAction> {
  const state = context.journal.read();
  // Asked once: a question is answered as of its moment, and the lookups below end actions.
  const { current } = state;
  const own = current.filter(({ intent }) => sameIdentity(intent.identity, context.identity));
  const here = own.filter(
    (action) => isUnfinished(action) || hasProvisionExpired(action, context.clock.now()),
  );
  const { trouble } = state;
  noteTrouble(trouble, (line) => context.progress.news(line));
  const meant = word === undefined ? here : [requireFound(state, word, context.identity)];
  const looked: ActionReport[] = [];
  let failure: HedgeError | undefined;
  for (const action of meant) {
    const report =
      failure === undefined
        ? await lookUpAction(action, context).catch((error: unknown) => {
            failure = readingFailure(error);
          })
        : undefined;
    // After a failed reading, the other actions are not looked up.
    looked.push(report ?? reportWithoutLookup(action, failure, context));
  }
  const missing = word === undefined ? incompleteFinding(trouble) : undefined;
  const inPart = word === undefined ? lackingTheirRest(context) : [];
  const findings = [worstOf(looked) ?? [], missing ?? [], restsMissing(inPart) ?? []];
  return {
    looked,
    asked: word,
    toConfirm: word === undefined ? own.filter((action) => isToConfirm(action, context)) : [],
    inPart,
    elsewhere: current.filter((action) => isUnfinished(action) && !own.includes(action)).length,
    rolls: word === undefined ? await rollsAfter(looked, context) : [],
    trouble,
    finding: worstError(findings.flat()),
    servedAt: looked.at(-1)?.servedAt,
  };
}

/** Maturity is judged by the service's time, read where no lookup has told it. */
async function rollsAfter(
  looked: readonly ActionReport[],
  context: ReadContext,
): Promise<readonly RollChain[]> {
  const { journal, identity, clock } = context;
  const chains = unfinishedChains(journal.read(), { nowMs: clock.now(), identity });
  if (chains.length === 0) return chains;
  const servedAt = looked.at(-1)?.servedAt ?? (await serviceTime(context));
  const times = { nowMs: clock.now(), servedMs: servedAt?.getTime() };
  return unfinishedChains(journal.read(), { ...times, identity });
}

const isToConfirm = (action: Action, { clock }: ReadContext): boolean =>
  action.state === 'done' &&
  action.provisionalUntil !== undefined &&
  !hasProvisionExpired(action, clock.now());

/** Also of earlier commands: a part of their size is not hedged. */
const restsMissing = (inPart: readonly Action[]): PartialFillError | undefined =>
  inPart.length === 0
    ? undefined
    : new PartialFillError({
        what: `Filled in part in the last day: ${inPart.map(({ intent, shortId }) => quotedName(intent.deal_id ?? shortId)).join(', ')}.`,
        meaning: MEANINGS['partial_fill'],
        hint: SHOWN_ABOVE,
        details: { actions: inPart.map(({ id }) => id) },
      });

function worstOf(reports: readonly ActionReport[]): HedgeError | undefined {
  const open = reports.filter(({ finding }) => finding !== undefined);
  const worst = worstError(open.flatMap(({ finding }) => finding ?? []));
  if (reports.length <= 1 || worst === undefined || !Object.hasOwn(MEANINGS, worst.code)) return worst;
  return worst.with({
    what: `Of ${reports.length.toString()} actions ${groupsIn(open).join(', ')}.`,
    meaning: ownField(MEANINGS, worst.code) ?? worst.meaning,
    hint: SHOWN_ABOVE,
    details: { actions: open.map(detailsOf) },
    httpStatus: undefined,
  });
}

const SHOWN_ABOVE = 'The next commands for each are shown above.';

/** The meaning for several actions, by the code of the worst; undefined: as for one. */
const MEANINGS: Readonly<Record<string, string | undefined>> = {
  outcome_unknown: 'Actions with an unknown outcome may have executed. Do not retype them.',
  partial_fill: 'What was filled is open; the rest is not.',
  order_failed: undefined,
  pending: 'Actions in flight continue at the service. Do not send them again.',
};

/** Grouped, worst first: `1 is unknown (7c1e)`, `2 are still in flight (48bd, 90ab)`. */
function groupsIn(reports: readonly ActionReport[]): readonly string[] {
  return Object.entries(GROUPS).flatMap(([group, [one, more]]) => {
    const ids = reports
      .filter((report) => groupOf(report) === group)
      .map(({ entry }) => entry?.shortId ?? '');
    return ids.length === 0
      ? []
      : [`${ids.length.toString()} ${ids.length === 1 ? one : more} (${ids.join(', ')})`];
  });
}

const GROUPS = {
  unknown: ['is unknown', 'are unknown'],
  partial: ['was filled in part', 'were filled in part'],
  failed: ['failed', 'failed'],
  in_flight: ['is still in flight', 'are still in flight'],
  nothing: ['was not done', 'were not done'],
} as const;

function groupOf({ outcome, finding }: ActionReport): keyof typeof GROUPS {
  if (finding instanceof PartialFillError) return 'partial';
  if (outcome === 'unknown' || outcome === 'failed') return outcome;
  return outcome === 'pending' || outcome === 'submitted' ? 'in_flight' : 'nothing';
}

const detailsOf = ({ entry, outcome, finding }: ActionReport) => ({
  action_id: entry?.id ?? null,
  outcome,
  code: finding?.code ?? null,
});
