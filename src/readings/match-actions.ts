/** Which actions of the journal a filter keeps: one at a time, so that a list can be streamed. Pure. */
import type { JournalFilter } from '../args/journal-filter.ts';
import { instantOf } from '../domain/instants.ts';
import { outcomeWords } from '../journal/describe.ts';
import type { Operator } from '../journal/records.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import { dealIdsOf } from '../journal/results.ts';
import type { Span } from './filter-records.ts';

export interface ActionFilter {
  filter: JournalFilter;
  /** Only actions under this profile name. */
  profile: string | undefined;
  span: Span;
}

/** Whether a list under this filter has the action. The limit is not considered. */
export function matchesFilter(action: Action, { filter, profile, span }: ActionFilter): boolean {
  const { intent } = action;
  const at = instantOf(intent.at) ?? 0;
  const open = (filter.unresolved && isUnresolved(action)) || (filter.inFlight && isAwaitingOutcome(action));
  return (
    (open || !(filter.unresolved || filter.inFlight)) &&
    agrees(filter.action, intent.action) &&
    agrees(filter.market, intent.market) &&
    agrees(filter.side, intent.side) &&
    agrees(filter.environment, intent.identity.environment) &&
    agrees(profile, intent.profile) &&
    at >= (span.fromMs ?? -Infinity) &&
    at < (span.untilMs ?? Infinity) &&
    isAmong(filter.outcome, () => outcomeWords(action)) &&
    isAmong(filter.dealId, () => dealIdsOf(action)) &&
    (filter.operator === undefined || isOperator(filter.operator, action.operators))
  );
}

const agrees = (wanted: string | undefined, found: string | undefined): boolean =>
  wanted === undefined || wanted === found;

const isAmong = (wanted: string | undefined, found: () => readonly string[]): boolean =>
  wanted === undefined || found().includes(wanted);

/** A name, a word of it, a user, or a user and host, in any case. */
function isOperator(wanted: string, operators: readonly Operator[]): boolean {
  const asked = wanted.toLowerCase();
  return operators.some(({ name = '', user, host }) =>
    [name, ...name.split(' '), user, `${user}@${host}`].some((each) => each.toLowerCase() === asked),
  );
}
