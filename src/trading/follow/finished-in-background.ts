/** Reports and records opens that finished while no command waited for them. Reads nothing itself. */
import type { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import { createsHedge } from '../../domain/action-table.ts';
import { grouped, usdInWords } from '../../domain/exposure.ts';
import { unquoted } from '../../domain/quoted.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { type Action, inFlight } from '../../journal/replay.ts';
import { filledInPart } from '../../readings/partial-fills.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { hedgesUnderDealId } from '../outcome/change-evidence.ts';
import { actionsSince, evidenceById, readActions } from '../outcome/observe.ts';
import { type ActionEnd, endFrom, recordOutcome } from './record-outcome.ts';

type BackgroundContext = Pick<
  ReadContext,
  'journal' | 'clock' | 'progress' | 'identity' | 'timeOfDay' | 'isUnseen'
>;

/** The actions that have finished, oldest first. Never throws. */
export async function finishedInBackground(
  hedges: readonly Hedge[],
  context: BackgroundContext,
): Promise<readonly Action[]> {
  // Recorded, it would never be news again.
  if (context.isUnseen === true) return [];
  const waiting = readActions(context.journal, ({ current }) => current).filter(
    (action) =>
      createsHedge(action.intent) &&
      inFlight(action) &&
      !action.awaited &&
      action.provisionalUntil === undefined &&
      sameIdentity(action.intent.identity, context.identity),
  );
  const ended: Action[] = [];
  for (const action of waiting) {
    const hedge = hedges.find(({ id }) => id === action.hedgeId);
    if (hedge === undefined) continue;
    const evidence = evidenceById(action, hedge);
    const end = endFrom(action, { evidence, hedge, servedAt: undefined });
    if (end === undefined) continue;
    const part = filledInPart(action, hedge, () => actionsSince(action, context.journal));
    context.progress.news(inWords(action, { ...end, hedge, part }, context.timeOfDay));
    const several = hedgesUnderDealId(action.intent.deal_id ?? '', hedges, hedge.id);
    if (several !== undefined && end.outcome !== 'failed')
      context.progress.news(`${several.what} ${several.meaning ?? ''}`);
    ended.push(await recordOutcome(action, { ...end, hedge }, context));
  }
  return ended;
}

/** `FAILED 10:50 PAY-8843: nothing opened`, with the time when it was sent. */
function inWords(
  action: Action,
  { outcome, hedge, part }: ActionEnd & { hedge: Hedge; part: Big | undefined },
  timeOfDay: BackgroundContext['timeOfDay'],
): string {
  const { intent, shortId, sentAt } = action;
  const minute = timeOfDay(Date.parse(sentAt ?? intent.at)).replace(/(\d\d:\d\d):\d\d/, '$1');
  const name = intent.deal_id === undefined ? `action ${shortId}` : unquoted(intent.deal_id);
  const word = part === undefined ? outcome.toUpperCase() : 'PARTIAL FILL';
  return `${word} ${minute} ${name}: ${outcome === 'failed' ? 'nothing opened' : `${partInWords(action, part)}${hedgeInWords(outcome, hedge)}`}`;
}

/** `6,000.00 USD of 10,000.00 USD, `; empty for a full fill. */
const partInWords = ({ notional }: Action, part: Big | undefined): string =>
  part === undefined || notional === undefined ? '' : `${usdInWords(part)} of ${usdInWords(notional)}, `;

function hedgeInWords(outcome: ActionEnd['outcome'], { id, struck_rate: rate }: Hedge): string {
  const struck = rate ? `, struck ${grouped(rate)}` : '';
  return `${unquoted(id)}${struck}${outcome === 'filled' ? '' : ', closed since'}`;
}
