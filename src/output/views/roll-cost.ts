/** The cost of a roll: one roll in full with the cost of both legs, and the cost on the receipt. */
import { COST_PARTS, type CostParts, type CostSum, rollingCost } from '../../domain/roll-cost.ts';
import { recordedRollingCost } from '../../journal/recorded-costs.ts';
import { CHAIN_WORDS, chainNotional, isFinished, type RollChain } from '../../journal/roll-chains.ts';
import type { LegCost, RollCost } from '../../readings/read-rolls.ts';
import { dimLine, gap, line, type Pair, pair, tableOf, type View } from '../blocks.ts';
import { type Cell, nameText, type Parts, phrase, text } from '../cells.ts';
import { bps, bpsFigure, days, known, signedIn, usd } from './record-columns.ts';
import { CHAIN_TONES, viewNext } from './unfinished-rolls.ts';

const PART_NAMES: Readonly<Record<keyof CostParts, string>> = {
  impact_cost_usd: 'Impact',
  slippage_usd: 'Slippage',
  carry_usdc: 'Carry',
  platform_fee_usdc: 'Fees before close',
  close_fee_usdc: 'Fee to close',
};

export function viewOneRoll(chain: RollChain, { legs, total }: RollCost): View {
  const { plan, state } = chain;
  const [first, second] = legs;
  const alone = first && second && rollingCost(first, second, second.notional_usd);
  return [
    line(
      nameText(`ROLL ${plan.chain_id}`, 'strong'),
      text(CHAIN_WORDS[state], CHAIN_TONES[state]),
      nameText(`${plan.side} ${plan.market}`),
      usd(chainNotional(chain), 'USD'),
      `, ${plan.when === 'now' ? 'closed and opened again' : 'at maturity'}, ${days(plan.tenor_days.toString())}`,
    ),
    gap,
    tableOf(LEG_ROWS, [
      { header: 'USDC', show: ({ name }) => text(name) },
      ...legs.map((leg) => ({
        header: `LEG ${leg.leg}`,
        align: 'right' as const,
        show: ({ cell }: LegRow) => cell(leg),
      })),
    ]),
    line(
      text('Cost of both hedges since their open:', 'strong'),
      { kind: 'money', amount: total.cost_usdc, unit: 'USDC', tone: 'strong' },
      alone === undefined
        ? phrase`, ${bps(total.cost_bps)}; leg 2 is not open.`
        : phrase`, ${bps(total.cost_bps)}; of rolling alone: ${usd(alone.cost_usdc, 'USDC')}, ${bps(alone.cost_bps)}.`,
    ),
    dimLine('Positive is paid. USDC counts as USD. Realized P&L is net of carry and fees.'),
    total.missing.length > 0 && line(text('Not known, and not in the sum:', 'warn'), missingInWords(total)),
    !isFinished(chain) && [gap, viewNext(chain)],
  ];
}

interface LegRow {
  name: string;
  cell: (leg: LegCost) => Cell;
}

const LEG_ROWS: readonly LegRow[] = [
  { name: 'Hedge', cell: ({ hedge_id: id }) => known(id, nameText) },
  { name: 'Notional USD', cell: ({ notional_usd: notional }) => usd(notional) },
  ...COST_PARTS.map((part) => ({ name: PART_NAMES[part], cell: (leg: LegCost) => known(leg[part], usd) })),
  { name: 'Cost', cell: ({ cost_usdc: cost }) => usd(cost) },
  { name: 'Cost in bps', cell: ({ cost_bps: cost }) => bpsFigure(cost) },
  { name: 'Realized P&L', cell: ({ net_pnl_usd: pnl }) => signedIn('USD', pnl) },
];

/** The cost of rolling, without that of leg 1 since its open. */
export function costPairs(chain: RollChain): Parts<Pair> {
  const cost = recordedRollingCost(chain);
  if (cost === undefined) return [];
  const parts = `${chain.plan.when === 'now' ? 'fee to close leg 1, and ' : ''}leg 2 with carry over ${days(chain.plan.tenor_days.toString())}`;
  const without = cost.missing.length > 0 && text(`; without ${missingInWords(cost)}`, 'warn');
  return pair('Cost', phrase`${usd(cost.cost_usdc, 'USDC')}, ${bps(cost.cost_bps)}: ${parts} ${without}`);
}

const missingInWords = ({ missing: absent }: CostSum): string =>
  absent.map((part) => PART_NAMES[part].toLowerCase()).join(', ');
