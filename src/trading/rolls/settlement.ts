/** Whether the first leg of a roll at maturity has settled, and at what size. Sends no action. */
import type { Big } from 'big.js';
import { decimalFrom, textFrom } from '../../client/json.ts';
import type { ClosedHedge, Hedge } from '../../client/schemas.ts';
import { takesWholeSide } from '../../domain/action-table.ts';
import { instantOf } from '../../domain/instants.ts';
import { quotedName } from '../../domain/quoted.ts';
import { PendingError, RefusedError, StoppedError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { timeInWords } from '../../journal/describe.ts';
import type { RollPlan } from '../../journal/records.ts';
import { maybeExecuted } from '../../journal/replay.ts';
import { chainNotional, type RollChain } from '../../journal/roll-chains.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { type BookFacts, sideBookOf } from '../../readings/side-book.ts';

/** A record may be dated a little before the hedge's maturity. */
const EARLY_MS = 60_000;

/**
 * USD that settled. `book`: read after the maturity.
 * @throws PendingError before it has settled; StoppedError `book_changed` when it was closed early.
 */
export async function settledSize(
  chain: RollChain,
  book: Pick<BookFacts, 'positions' | 'hedges' | 'mayBeCut' | 'servedAt'>,
  context: ReadContext,
): Promise<Big> {
  const { plan } = chain;
  const [hedge, record] = await Promise.all([readHedge(plan, context), readRecord(plan, context)]);
  const absent = sideBookOf(plan, book).inPositions === false;
  if (hedge?.status !== 'closed' && record === undefined && !absent) throw notSettled(plan);
  const closedAt = closedEarly(plan, record) ?? closedFromHere(plan, context);
  if (closedAt !== undefined) throw wasClosedEarly(plan, closedAt);
  return positive(hedge?.notional_usd) ?? positive(decimalFrom(record?.notional_usd)) ?? chainNotional(chain);
}

const positive = (size: Big | undefined): Big | undefined => (size?.gt(0) === true ? size : undefined);

/** Undefined when the service does not know it any more. */
async function readHedge(plan: RollPlan, { api, signal }: ReadContext): Promise<Hedge | undefined> {
  try {
    return (await api.hedge(plan.hedge_id, { signal })).data;
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'hedge_not_found') return undefined;
    throw error;
  }
}

/** The names of its fields are ASSUMED: without them it is not found. */
async function readRecord(plan: RollPlan, { api, signal }: ReadContext): Promise<ClosedHedge | undefined> {
  const { data } = await api.history({ signal });
  return data.find(({ id }) => textFrom(id) === plan.hedge_id);
}

function closedEarly(plan: RollPlan, record: ClosedHedge | undefined): string | undefined {
  const closedAt = textFrom(record?.closed_at);
  if (closedAt === undefined) return undefined;
  const atMs = instantOf(closedAt);
  const matures = Date.parse(plan.maturity_at ?? '');
  return textFrom(record?.reason) === 'close' || (atMs !== undefined && atMs < matures - EARLY_MS)
    ? closedAt
    : undefined;
}

/** A close of the whole side that saw the hedge, sent from this machine after the roll was planned. */
function closedFromHere(plan: RollPlan, { journal, identity }: ReadContext): string | undefined {
  for (const action of journal.read().newest({ from: plan.at })) {
    const { intent } = action;
    if (
      takesWholeSide(intent) &&
      maybeExecuted(action) &&
      intent.before.hedges.some(({ hedge_id: id }) => id === plan.hedge_id) &&
      sameIdentity(intent.identity, identity)
    )
      return intent.at;
  }
  return undefined;
}

const notSettled = ({ chain_id: id, hedge_id: hedge }: RollPlan): PendingError =>
  new PendingError({
    what: `Hedge ${quotedName(hedge)} has matured, but its settlement is not seen yet.`,
    book: `Roll ${id}: leg 2 was not opened.`,
    hint: `Run it again in a minute: hedge roll run ${id}`,
    details: { chain_id: id, hedge_id: hedge },
  });

const wasClosedEarly = ({ chain_id: id, hedge_id: hedge }: RollPlan, closedAt: string): StoppedError =>
  new StoppedError({
    code: 'book_changed',
    what: `Hedge ${quotedName(hedge)} was closed before its maturity, ${timeInWords(closedAt)}.`,
    book: `Roll ${id}: leg 2 was not opened.`,
    hint: `To give up the roll: hedge roll drop ${id} --note TEXT. To hedge again: hedge open`,
    details: { chain_id: id, hedge_id: hedge, closed_at: closedAt },
  });
