/**
 * Between the legs: leg 2 is not opened on top of a hedge that replaces it, and that of a roll at once gets the size that was
 * closed.
 */
import type { Big } from 'big.js';
import { createsHedge } from '../../domain/action-table.ts';
import { isSameSize, usdInWords } from '../../domain/exposure.ts';
import { commandText, shell, step } from '../../domain/hint.ts';
import { quotedName } from '../../domain/quoted.ts';
import { coveredDate } from '../../domain/vocabulary.ts';
import { HedgeError, without } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import type { RollPlan } from '../../journal/records.ts';
import type { Action } from '../../journal/replay.ts';
import { chainNotional, closedSize, type RollChain, rootOf } from '../../journal/roll-chains.ts';
import { hedgeIfKnown } from '../../readings/read-position.ts';
import type { SidePosition } from '../../readings/side-position.ts';
import type { Finding, TradingContext } from '../../trading/trading-context.ts';
import { dealIdFrom } from './plan-roll.ts';
import { dropStep, SideNotFlatError } from './roll-result.ts';

/**
 * USD of leg 2: what was closed, and no more than was confirmed. Another order may have changed leg 1 before its close
 * landed: a note says so.
 */
export async function sizeToOpen(chain: RollChain, context: TradingContext): Promise<Big> {
  // One that may be on its way is continued as it was sent.
  if (chain.state === 'opening') return chainNotional(chain);
  const { plan } = chain;
  const confirmed = closedSize(chain) ?? chainNotional(chain);
  // Its failure must not leave the side flat.
  const read = await hedgeIfKnown(plan.hedge_id, context).catch(without(HedgeError));
  const closed = read?.data.status === 'closed' ? read.data.notional_usd : undefined;
  if (closed?.gt(0) !== true || isSameSize(closed, confirmed)) return confirmed;
  const news = `leg 1      closed at ${usdInWords(closed)}, not ${usdInWords(confirmed)}: another order had changed it`;
  if (closed.lt(confirmed)) {
    context.progress.news(`${news}. Leg 2 has what was closed.`);
    return closed;
  }
  const more = shell`hedge add ${plan.market} ${plan.side} ${closed.minus(confirmed).toFixed()}`;
  context.progress.news(`${news}. Leg 2 has what was confirmed; for the rest: ${commandText(more)}`);
  return confirmed;
}

/** @throws StoppedError where a person recorded the close as executed, and its hedge is open. */
export function checkLegOneClosed({ plan, close }: RollChain, { open }: SidePosition): void {
  const isOpen = open.some(({ id }) => id === plan.hedge_id);
  if (plan.when !== 'now' || close?.recordedAs !== 'done' || !isOpen) return;
  throw new SideNotFlatError({
    code: 'book_changed',
    what: `Hedge ${quotedName(plan.hedge_id)} is open, although action ${close.shortId}, its close, was recorded manually as executed.`,
    meaning: `Leg 2 of roll ${plan.chain_id} was not sent: both would be open.`,
    hint: step(
      shell`hedge journal resolve ${close.shortId} --as not-executed --reason TEXT`,
      'if it did not execute; then run the roll again',
    ),
    retry: 'after_check',
    details: { chain_id: plan.chain_id, hedge_id: plan.hedge_id, action_id: close.id },
  });
}

/**
 * The hedge was alone on its side. Another one there may have been opened in place of leg 2, by hand or elsewhere.
 * @throws StoppedError
 */
export function checkFlat({ plan }: RollChain, { open, coming }: SidePosition): void {
  const others = [...open, ...coming].filter(({ id }) => id !== plan.hedge_id);
  if (plan.when !== 'now' || others.length === 0) return;
  throw onTop(
    plan,
    others,
    `${plan.market} ${plan.side} is not flat between the legs of roll ${plan.chain_id}: ${namesOf(others)} was opened there.`,
  );
}

/**
 * A hedge of the size of leg 2 that was opened from here after leg 1 had settled may be there in its place.
 * @throws StoppedError where nobody is asked.
 */
export function checkNotReplaced(
  { plan }: RollChain,
  { size, side, asks }: { size: Big; side: SidePosition; asks: boolean },
  { journal }: Pick<TradingContext, 'journal'>,
): readonly Finding[] {
  const alike = [...side.open, ...side.coming].filter(
    ({ notional }) => notional !== undefined && isSameSize(notional, size),
  );
  if (plan.when === 'now' || alike.length === 0) return [];
  const opened = journal.read().find({ hedgeIds: alike.map(({ id }) => id) });
  const instead = alike.filter(({ id, filledAt }) =>
    opened.some(
      (action) =>
        createsHedge(action.intent) &&
        action.hedgeId === id &&
        sameIdentity(action.intent.identity, plan.identity) &&
        Date.parse(filledAt ?? action.intent.at) >= Date.parse(plan.maturity_at ?? '') &&
        !hasOtherPurpose(action, plan),
    ),
  );
  if (instead.length === 0) return [];
  const what = `${namesOf(instead)} was opened on ${plan.market} ${plan.side} after leg 1 of roll ${plan.chain_id} had settled.`;
  if (!asks) throw onTop(plan, instead, what);
  const message = `${what} Leg 2 would come on top.`;
  return [{ level: 'warn', code: 'book_changed', message, hint: dropStep(plan, 'if that replaces leg 2') }];
}

/** It is a leg of another roll, or was opened for a due date. */
function hasOtherPurpose(
  { intent: { chain_id: chain, deal_id: dealId = '' } }: Action,
  plan: RollPlan,
): boolean {
  const { root, leg } = rootOf(dealId);
  return chain !== undefined || coveredDate(dealId) !== undefined || (leg > 1 && root !== plan.root);
}

type NamedHedge = Pick<SidePosition['coming'][number], 'id' | 'notional' | 'reference'>;

const namesOf = (hedges: readonly NamedHedge[]): string =>
  hedges
    .map(({ id, notional, reference }) => {
      const size = notional === undefined ? '' : `${usdInWords(notional)} `;
      return `${size}(${quotedName(dealIdFrom(reference) ?? id)})`;
    })
    .join(', ');

const onTop = (plan: RollPlan, others: readonly NamedHedge[], what: string): SideNotFlatError =>
  new SideNotFlatError({
    code: 'book_changed',
    what,
    meaning: 'Leg 2 was not sent: it would come on top.',
    hint: [
      dropStep(plan, 'if that replaces leg 2'),
      step(shell`hedge roll run ${plan.chain_id} --allow-duplicate`, 'open leg 2 as well'),
    ],
    retry: 'after_check',
    details: { chain_id: plan.chain_id, hedge_ids: others.map(({ id }) => id) },
  });
