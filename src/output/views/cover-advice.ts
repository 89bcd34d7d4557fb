/** The reason why a bucket stays outside its band, and the commands that bring too much cover down. */
import type { Big } from 'big.js';
import { roundHalfUp } from '../../domain/amounts.ts';
import type { BucketCoverage } from '../../domain/cover.ts';
import type { CoverConstraint } from '../../domain/cover-plan.ts';
import { grouped, usdInWords, wholeCents } from '../../domain/exposure.ts';
import { shell, step } from '../../domain/hint.ts';
import { unquoted } from '../../domain/quoted.ts';
import { SIDES, type Side } from '../../domain/vocabulary.ts';
import type { CoverReading } from '../../readings/read-cover.ts';
import { type Block, commandRows, line, messageLine, type View } from '../blocks.ts';
import { type BucketLine, bucketsOf, daysInWords, nairaInWords, totalsOf } from './cover-document.ts';

/** `Days 8–30 stay below the band, 1,200,000.00 NGN short of 30 %: headroom.`, and under all of them the headroom. */
export const constraintLines = (reading: CoverReading): View => [
  ...bucketLines(reading),
  sharedLines(reading),
];

const bucketLines = (reading: CoverReading): readonly Block[] =>
  bucketsOf(reading).flatMap(({ coverage, plan }) => {
    if (plan.constraint === undefined || plan.constraint === 'unclear') return [];
    const { bucket } = coverage;
    const one = bucket.fromDays === bucket.toDays;
    const days = daysInWords(bucket);
    const why = reasonOf(reading, { coverage, plan });
    if (plan.status === 'inside')
      return [
        messageLine(
          `${days}: inside, but short of the target of ${bucket.targetPct.toFixed()} %: ${why}.`,
          'dim',
        ),
      ];
    const by =
      plan.status === 'below' ? `, ${nairaInWords(plan.missing)} short of ${bucket.minPct.toFixed()} %` : '';
    return [
      messageLine(
        `${days} ${one ? 'stays' : 'stay'} ${plan.status.replace('_', ' ')} the band${by}: ${why}.`,
        'warn',
      ),
    ];
  });

/** `Headroom: 5,000.01 USD for all deals together; the deals below take 5,000.01 USD of it.` */
function shared(name: string, all: string, [has, takes, unit]: readonly [Big, Big, string]): Block {
  const taken = takes.eq(0) ? '' : `; the deals below take ${grouped(roundHalfUp(takes, 2))} ${unit} of it`;
  return messageLine(`${name}: ${grouped(wholeCents(has))} ${unit} for all ${all} together${taken}.`, 'dim');
}

/** One amount for all deals, which the bucket that it stops may have nothing left of. */
function sharedLines(reading: CoverReading): View {
  const { deals, room } = reading;
  const stops = (name: CoverConstraint, side?: Side): boolean =>
    bucketsOf(reading).some(
      ({ plan, coverage }) => plan.constraint === name && (side === undefined || coverage.side === side),
    );
  const { upfront_usdc: upfront, notional_usd: notional } = totalsOf(deals);
  return [
    stops('headroom') && shared('Headroom', 'deals', [room.headroom, notional, 'USD']),
    SIDES.map((side) => {
      const own = totalsOf(deals.filter((deal) => deal.side === side)).notional_usd;
      return stops('capacity', side) && shared('Capacity', `${side}s`, [room.capacity[side], own, 'USD']);
    }),
    stops('balance') && shared('Free balance', 'deals', [room.balance, upfront, 'USDC']),
  ];
}

function reasonOf(
  { input, market, rejected, reductions }: CoverReading,
  { coverage, plan }: Pick<BucketLine, 'coverage' | 'plan'>,
): string {
  const side = coverage.side ?? 'buy';
  const naira = nairaInWords(coverage.covered.abs());
  const [rejection] = coverage.dues.flatMap(({ date }) => rejected.get(date) ?? []);
  const reasons: Readonly<Record<CoverConstraint, string>> = {
    headroom: 'headroom',
    capacity: `capacity of the ${side} side`,
    balance: 'balance',
    tenor: 'tenor, no chain of 1, 3 and 7 days matures close enough to a due date',
    minimum: `minimum, no deal of at least ${usdInWords(input.policy.minNotional)} fits the band`,
    market: `market, ${unquoted(market.market)} is ${unquoted(market.status)}`,
    quote: `quote, ${rejection === undefined ? 'the service gave none' : `rejected: ${rejection.replace(/\.$/, '')}`}`,
    deals: 'deals, one plan has at most 40. Open these, then run it again',
    above_max: `the hedges cover ${naira}, ${nairaInWords(coverage.excess?.naira ?? coverage.covered)} too much. ${reduceInWords(coverage, reductions)}`,
    below_zero: `the ${side === 'buy' ? 'sell' : 'buy'}s cover ${naira} more than the ${side}s. ${reduceInWords(coverage, reductions)}`,
    unclear: 'the position is uncertain',
  };
  return reasons[plan.constraint ?? 'unclear'];
}

function reduceInWords({ bucket, toReduce }: BucketCoverage, reductions: CoverReading['reductions']): string {
  if (toReduce === undefined) return 'They have settled: nothing can be reduced';
  if (!reductions.some(({ brings }) => brings.includes(bucket)))
    return 'Too much of that has settled: no reduction brings it inside';
  return `Reduce the ${toReduce.side} side: ${unquoted(toReduce.id)} has most of it`;
}

/** `hedge reduce USDTNGN buy --ngn 15162500    takes 16.67 % of every buy; days 8–30 fall below the band` */
export function reductionBlocks({ reductions, market: { market }, deals }: CoverReading): View {
  if (reductions.length === 0) return [];
  const first = deals.length > 0 ? ' before you open the deals below' : '';
  return [
    line(`Reduce${first}, then run hedge cover again:`),
    commandRows(
      reductions.map(({ side, naira, percent, closesSide, below }) => {
        const command = closesSide
          ? shell`hedge close ${market} ${side}`
          : shell`hedge reduce ${market} ${side} --ngn ${naira.toFixed()}`;
        const takes = closesSide ? `closes every ${side}` : `takes ${percent.toFixed()} % of every ${side}`;
        const days = below.map((each) => daysInWords(each).toLowerCase()).join(', ');
        const falls =
          days === '' ? '' : `; ${days} ${/^day \d+$/.test(days) ? 'falls' : 'fall'} below the band`;
        return step(command, `${takes}${falls}`);
      }),
    ),
  ];
}
