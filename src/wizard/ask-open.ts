/**
 * The parts of an open that were not said, asked one by one; what comes out is the very intent that the whole
 * line would have made. Reads the service and writes nothing, so that a Ctrl-C at any question leaves nothing.
 */
import type { OpenDraft, OpenIntent } from '../intent/action-intent.ts';
import { askDealId } from './ask-deal-id.ts';
import { askMarket, namedMarket } from './ask-market.ts';
import { askNotional } from './ask-notional.ts';
import { askSide } from './ask-side.ts';
import { askTenor } from './ask-tenor.ts';
import { type Asking, reading } from './asking.ts';
import { checkDesk } from './check-desk.ts';

/** @throws InterruptedError at Ctrl-C; StoppedError where no answer could lead to a deal. */
export async function askOpen(draft: OpenDraft, asking: Asking): Promise<OpenIntent> {
  checkDesk(draft, asking);
  const { api, signal } = asking;
  const [{ data: markets }, { data: account }] = await reading(
    asking,
    'Reading markets and account',
    Promise.all([api.markets({ signal }), api.account({ signal })]),
  );
  const line =
    draft.market === undefined
      ? await askMarket(markets, asking)
      : namedMarket(draft.market, markets, asking);
  const sided = { ...draft, market: line.market, side: draft.side ?? (await askSide(line, asking)) };
  checkDesk(sided, asking);
  const sized = { ...sided, notional: draft.notional ?? (await askNotional(sided, account, asking)) };
  const whole = { ...sized, tenor: draft.tenor ?? (await askTenor(sized, asking)) };
  return { ...whole, dealId: draft.dealId ?? (await askDealId(whole, asking)) };
}
