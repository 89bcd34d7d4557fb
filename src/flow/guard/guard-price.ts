/**
 * Whether the price is what the operator wanted: the bounds that were given, judged on the quote. A better
 * price never stops a deal; a bound that is far from the mid was hardly meant, and a deal whose price nobody
 * can tell is not sent. The service has no limit price: what is found here holds for this moment.
 */
import type { Big } from 'big.js';
import type { Quote } from '../../client/schemas.ts';
import { divide } from '../../domain/amounts.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { type BoundFinding, judgePrice } from '../../domain/price-bounds.ts';
import { quotedName } from '../../domain/quoted.ts';
import type { Finding } from '../dealing.ts';
import type { AddPlan, OpenPlan } from '../plan/plan.ts';

/** A worst price further from the mid than this, on either side, is a slip of the finger. */
const FARTHEST_PCT = 5;

const CHECKED_HERE = 'The service has no limit price, so this was checked here and now.';

export function priceFindings(plan: OpenPlan | AddPlan): readonly Finding[] {
  const { intent, facts } = plan;
  const quote = ownQuote(plan);
  const mid = typeof quote === 'string' ? facts.market?.price : quote.pricing.market_price;
  const far = implausible(intent.bounds.worstPrice, mid);
  if (typeof quote === 'string') return [...far, noReference(quote, intent.anyPrice)];
  const misses = judgePrice(quote, intent.bounds, plan.figures).filter(
    ({ bound }) => bound !== 'worst_price' || far.length === 0,
  );
  return [...far, ...misses.map((miss) => missed(miss, quote))];
}

function implausible(worst: Big | undefined, mid: Big | undefined): readonly Finding[] {
  if (worst === undefined || mid === undefined || mid.lte(0)) return [];
  const off = worst.minus(mid);
  if (off.abs().times(100).lte(mid.times(FARTHEST_PCT))) return [];
  const percent = divide(off.abs().times(100), mid, 2);
  return [
    {
      level: 'stop',
      code: 'implausible_price',
      says: `--worst-price ${worst.toFixed()} is ${percent.toFixed()} % ${off.gt(0) ? 'above' : 'below'} the mid of ${mid.toFixed()}: taken for a slip of the finger.`,
      hint: `The mid is ${mid.toFixed()}: say a worst price within ${FARTHEST_PCT.toString()} % of it, or --any-price.`,
      details: { worst_price: worst, market_price: mid },
    },
  ];
}

function missed({ bound, limit, actual, says }: BoundFinding, quote: Quote): Finding {
  const sentence = `${says.charAt(0).toUpperCase()}${says.slice(1)}. ${CHECKED_HERE}`;
  if (bound === 'worst_price') {
    return {
      level: 'stop',
      code: 'worse_price',
      says: sentence,
      hint: 'Deal when the price is better, or say a worse --worst-price.',
      details: {
        worst_price: limit,
        execution_price: actual,
        market_price: quote.pricing.market_price,
      },
    };
  }
  return {
    level: 'stop',
    code: 'cost_too_high',
    says: sentence,
    hint: 'Deal when it costs less, or less at a time, or say a higher --max-cost-bps.',
    details: { max_cost_bps: limit, cost_bps: actual },
  };
}

/** The quote for exactly what is to be dealt; or why there is none, as half a sentence. */
function ownQuote({ intent, facts, figures }: OpenPlan | AddPlan): Quote | string {
  const { quote } = facts;
  if (quote === undefined) return 'no quote could be had for it';
  const { market, side, notional_usd: notional, tenor_days: tenor } = quote;
  if (market !== intent.market || side !== intent.side)
    return `the quote is for ${quotedName(market)} ${side}`;
  if (!notional.eq(intent.notional)) return `the quote is for ${usdInWords(notional)}`;
  if (intent.action === 'open' && !tenor.eq(intent.tenor)) return `the quote is for ${tenor.toFixed()} days`;
  if (figures === undefined) return 'when the hedge that grows matures was not sent';
  return quote;
}

const noReference = (why: string, anyPrice: boolean): Finding => ({
  level: anyPrice ? 'warn' : 'stop',
  code: 'no_reference',
  says: `What this would cost cannot be told: ${why}.`,
  hint: anyPrice ? undefined : 'To deal without knowing the price: --any-price',
});
