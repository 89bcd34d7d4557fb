/**
 * `check`: looks at what nobody knows the end of, one action or all that are open on a book, and writes down
 * what it finds. Sends nothing that changes anything.
 */
import { quotedName } from '../../domain/quoted.ts';
import {
  HedgeError,
  OrderFailedError,
  OutcomeUnknownError,
  PartialFillError,
  PendingError,
  RefusedError,
  StoppedError,
  UsageError,
} from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../../journal/replay.ts';
import { findActionOfAccount } from '../../readings/find-actions.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { damageError, damageInWords, damageOf } from '../../readings/read-journal.ts';
import { isReadingFailure, lookupFailed, type ObservedAction, observeAction } from '../observe-action.ts';
import { hasProvisionExpired } from '../outcome/found-hedge.ts';
import type { ActionReport } from '../trading-context.ts';
export interface CheckedAction {
  /** Oldest first. */
  looked: readonly ObservedAction[];
  /** The word that named one action; undefined: all that are open. */
  asked: string | undefined;
  /** How many are open under other books of this machine. */
  elsewhere: number;
  /** The worst of what was found; undefined when all of it ended as asked, and no line of the journal is missing. */
  finding: HedgeError | undefined;
  servedAt: Date | undefined;
}

/**
 * A reading that fails leaves each action as it was: named, with the lines that go on.
 * @throws UsageError when the word means none.
 */
export async function checkAction(word: string | undefined, looking: ReadContext): Promise<CheckedAction> {
  const state = looking.journal.read();
  const damage = damageOf(looking.journal.path, state);
  if (damage !== undefined) damageInWords(damage).forEach((each) => looking.watch.news(each));
  const { actions } = state;
  const open = actions.filter(
    (action) =>
      isUnresolved(action) || isAwaitingOutcome(action) || hasProvisionExpired(action, looking.clock.now()),
  );
  const here = open.filter(({ intent }) => sameIdentity(intent.identity, looking.identity));
  const meant = word === undefined ? here : [requireFound(actions, word, looking)];
  const looked: ObservedAction[] = [];
  let failure: HedgeError | undefined;
  for (const action of meant) {
    const seen = failure === undefined ? await lookUnlessUnwell(action, looking) : failure;
    failure = seen instanceof HedgeError ? seen : undefined;
    looked.push(seen instanceof HedgeError ? unseen(action, seen, looking) : seen);
  }
  const missing = damage === undefined || word !== undefined ? undefined : damageError(damage);
  return {
    looked,
    asked: word,
    elsewhere: open.length - here.length,
    finding: worstOf(looked.map(({ report }) => report)) ?? missing,
    servedAt: looked.at(-1)?.report.servedAt,
  };
}

async function lookUnlessUnwell(action: Action, looking: ReadContext): Promise<ObservedAction | HedgeError> {
  try {
    return await observeAction(action, looking);
  } catch (error) {
    if (isReadingFailure(error)) return error;
    throw error;
  }
}

/** What failed for one is not tried again for the next. */
function unseen(action: Action, failure: HedgeError, { clock }: ReadContext): ObservedAction {
  const report = lookupFailed(action, failure, clock.now());
  if (report === undefined) throw failure;
  return { report, evidence: undefined };
}

/** @throws UsageError */
export function requireFound(actions: readonly Action[], word: string, { identity }: ReadContext): Action {
  const action = findActionOfAccount(actions, word, identity);
  if (action !== undefined) return action;
  throw new UsageError(
    `No action ${quotedName(word)} of this account is in the journal of this machine.`,
    'To see those that are: hedge journal. A hedge that was dealt elsewhere: hedge hedges, hedge wait.',
  );
}

/** Worst first: what nobody knows outweighs what was done in part or failed, and that what is still to come. */
const WORST_FIRST = [
  OutcomeUnknownError,
  PartialFillError,
  OrderFailedError,
  PendingError,
  StoppedError,
  RefusedError,
] as const;

function worstOf(reports: readonly ActionReport[]): HedgeError | undefined {
  const open = reports.filter(({ finding }) => finding !== undefined);
  const findings = open.flatMap(({ finding }) => finding ?? []);
  const Worst = WORST_FIRST.find((kind) => findings.some((finding) => finding instanceof kind));
  const worst = Worst === undefined ? findings[0] : findings.find((finding) => finding instanceof Worst);
  if (reports.length <= 1 || worst === undefined) return worst;
  const parts = {
    what: `Of ${reports.length.toString()} actions ${groupsOf(open).join(', ')}.`,
    book: worst.book,
    hint: 'Each is named above with the lines that go on.',
    details: { actions: open.map(detailsOf) },
  };
  if (worst instanceof OutcomeUnknownError) return new OutcomeUnknownError({ ...parts, book: DO_NOT });
  if (worst instanceof PartialFillError) return new PartialFillError(parts);
  if (worst instanceof OrderFailedError) return new OrderFailedError(parts);
  return worst instanceof PendingError ? new PendingError({ ...parts, book: THEY_COME }) : worst;
}

const DO_NOT = 'What is unknown may have been done or not. Do not deal it again.';

const THEY_COME = 'What is in flight comes to its end without us. Do not deal it again.';

/** By what they are, worst first: `1 is unknown (7c1e)`, `2 are still in flight (48bd, 90ab)`. */
function groupsOf(reports: readonly ActionReport[]): readonly string[] {
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
  failed: ['did not land', 'did not land'],
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
