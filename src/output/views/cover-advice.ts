/** The reason why a bucket stays outside its band, and the commands that bring too much cover down. */
import type { BucketCoverage } from '../../domain/cover.ts';
import { usdcInWords, usdInWords } from '../../domain/exposure.ts';
import { shell, step } from '../../domain/hint.ts';
import { unquoted } from '../../domain/quoted.ts';
import type { CoverReading } from '../../readings/read-cover.ts';
import { line, messageLine, type View } from '../blocks.ts';
import {
  type BucketLine,
  bucketsOf,
  daysInWords,
  daysOf,
  nairaInWords,
  STATUS_WORDS,
} from './cover-document.ts';

/** `Days 8–30 stay below the band, 1,200,000.00 NGN short of 30 %: headroom, 425,000.00 USD in all.` */
export const constraintLines = (reading: CoverReading): View =>
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
        `${days} ${one ? 'stays' : 'stay'} ${STATUS_WORDS[plan.status]} the band${by}: ${why}.`,
        'warn',
      ),
    ];
  });

function reasonOf(
  { room, input, market, rejected, reductions }: CoverReading,
  { coverage, plan }: Pick<BucketLine, 'coverage' | 'plan'>,
): string {
  const side = coverage.side ?? 'buy';
  switch (plan.constraint) {
    case 'headroom':
      return `headroom, ${usdInWords(room.headroom)} in all`;
    case 'capacity':
      return `capacity, ${usdInWords(room.capacity[side])} on the ${side} side`;
    case 'balance':
      return `balance, ${usdcInWords(room.balance)} free`;
    case 'tenor':
      return 'tenor, no chain of 1, 3 and 7 days matures close enough to a due date';
    case 'minimum':
      return `minimum, no deal of at least ${usdInWords(input.policy.minNotional)} fits the band`;
    case 'market':
      return `market, ${unquoted(market.market)} is ${unquoted(market.status)}`;
    case 'quote': {
      const [first] = coverage.dues.flatMap(({ date }) => rejected.get(date) ?? []);
      return `quote, ${first === undefined ? 'the service gave none' : `rejected: ${first.replace(/\.$/, '')}`}`;
    }
    case 'deals':
      return 'deals, one plan has at most 40. Open these, then run it again';
    case 'above_max':
      return `the hedges cover ${nairaInWords(coverage.covered.abs())}, ${nairaInWords(coverage.excess?.naira ?? coverage.covered)} too much. ${reduceInWords(coverage, reductions)}`;
    case 'below_zero':
      return `the ${side === 'buy' ? 'sell' : 'buy'}s cover ${nairaInWords(coverage.covered.abs())} more than the ${side}s. ${reduceInWords(coverage, reductions)}`;
    case 'unclear':
    case undefined:
      return 'the position is uncertain';
    default:
      return plan.constraint satisfies never;
  }
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
    {
      kind: 'commands',
      rows: reductions.map(({ side, naira, percent, closesSide, below }) => {
        const command = closesSide
          ? shell`hedge close ${market} ${side}`
          : shell`hedge reduce ${market} ${side} --ngn ${naira.toFixed()}`;
        const takes = closesSide ? `closes every ${side}` : `takes ${percent.toFixed()} % of every ${side}`;
        const falls = below.length === 0 ? '' : `; days ${below.map(daysOf).join(', ')} fall below the band`;
        return step(command, `${takes}${falls}`);
      }),
    },
  ];
}
