/** Asks for the missing arguments of an open: market, side, notional, tenor, price limit, deal ID. Writes nothing. */
import type { OpenDraft, OpenIntent } from '../domain/action-intent.ts';
import { readOpenOnDesk } from '../readings/read-position.ts';
import { guardContext } from '../trading/evaluate.ts';
import { guardJournal } from '../trading/guards/journal-guard.ts';
import { stopFrom } from '../trading/guards/stops.ts';
import { roomOfLimits } from '../trading/size-action.ts';
import { askDealId } from './ask-deal-id.ts';
import { askMarket, askSide, namedMarket } from './ask-market.ts';
import { type AccountRoom, askNotional, sizeToQuote } from './ask-notional.ts';
import { askBounds } from './ask-price-limit.ts';
import { askTenor } from './ask-tenor.ts';
import { journalTerms, type WizardContext, whileReading } from './wizard-context.ts';

/** A size in naira, and the largest, have their notional at the quotes of now. @throws InterruptedError at Ctrl-C; StoppedError when no answer could lead to an open. */
export async function askOpen(draft: OpenDraft, context: WizardContext): Promise<OpenIntent> {
  checkBeforeTrading(draft, context);
  const { api, signal } = context;
  const [{ data: markets }, { data: account }] = await whileReading(
    context,
    'Reading markets and account',
    Promise.all([api.markets({ signal }), api.account({ signal })]),
  );
  const place = { market: draft.market ?? '', side: draft.side ?? 'buy' } as const;
  const open = await whileReading(context, 'Reading positions', readOpenOnDesk(place, context));
  const own = roomOfLimits(context, open);
  const listed =
    draft.market === undefined
      ? await askMarket(markets, own, context)
      : namedMarket(draft.market, markets, context);
  const sided = {
    ...draft,
    market: listed.market,
    side: draft.side ?? (await askSide(listed, own, context)),
  };
  checkBeforeTrading(sided, context);
  const sized = { ...sided, ...(await sizeOfDraft(sided, { account, own, open }, context)) };
  const priced = { ...sized, tenor: draft.tenor ?? (await askTenor(sized, context)) };
  const whole = { ...priced, bounds: await askBounds(priced, context) };
  return { ...whole, dealId: draft.dealId ?? (await askDealId(whole, context)) };
}

type Sided = OpenDraft & Pick<OpenIntent, 'market' | 'side'>;

function sizeOfDraft(
  draft: Sided,
  room: AccountRoom,
  context: WizardContext,
): Pick<OpenIntent, 'notional' | 'sizing'> | Promise<Pick<OpenIntent, 'notional' | 'sizing'>> {
  const { notional, sizing } = draft;
  if (notional !== undefined) return { notional };
  if (sizing === undefined) return askNotional(draft, room, context);
  return whileReading(context, 'Reading quotes', sizeToQuote({ ...draft, sizing }, context, room.open));
}

/** Checks the answered parts of the draft. @throws HedgeError that would stop the open anyway. */
function checkBeforeTrading(draft: OpenDraft, context: WizardContext): void {
  const { market, side } = draft;
  const place = market === undefined || side === undefined ? NOWHERE : { market, side };
  const terms = journalTerms({ ...draft, ...place, notional: undefined }, context);
  // --despite can only be checked once the side is known.
  const despite = place === NOWHERE ? [] : terms.despite;
  const stop = stopFrom(guardJournal({ ...terms, despite }, context.journal.read(), guardContext(context)));
  if (stop !== undefined) throw stop;
}

/** A side without actions in the journal. */
const NOWHERE = { market: '', side: 'buy' } as const;
