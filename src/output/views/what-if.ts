/** P&L at assumed rates: per hedge and in total, the curve of a range, the rates at which margins are used up; and the document. */

import type { Big } from 'big.js';
import { roundHalfUp } from '../../domain/amounts.ts';
import { grouped } from '../../domain/exposure.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isNairaMarket, quoteCurrency } from '../../domain/vocabulary.ts';
import type { WhatIfScenario } from '../../readings/project-pnl.ts';
import type { ProjectedSide } from '../../readings/projected-side.ts';
import type { WhatIfReading } from '../../readings/read-what-if.ts';
import type { WhatIfDocument } from '../../schema/reading-document.ts';
import { type Block, dimLine, gap, line, phraseLine, type View, warnLine } from '../blocks.ts';
import { type Cell, missing, nameText, phrase, text, type Words } from '../cells.ts';
import { listOf } from '../list.ts';
import { pickOrNull, type RecordTable, withNulls } from '../record-table.ts';
import { positionList } from './positions.ts';
import { cents, dealIdCell, ofAmount, row, shortTime, signedCents, signedIn, usd } from './record-columns.ts';

const ASSUMED = 'assumed NDF payoff, not confirmed by the service';

const isRange = ({ intent }: WhatIfReading): boolean => intent.assumption.kind.endsWith('range');

export function viewWhatIf(reading: WhatIfReading): View {
  const { sides, scenarios, positions } = reading;
  if (sides.length === 0)
    return [
      positions.length === 0
        ? dimLine('No open hedges. Nothing to project.')
        : warnLine('The service shows a position, but no open hedge of it. Nothing to project.'),
      leftOut(reading),
    ];
  if (scenarios.length === 0)
    return [positionList.view(positions), sides.flatMap(checkLines), leftOut(reading)];
  return [
    headline(reading),
    gap,
    isRange(reading) ? viewRange(reading) : viewPoints(reading),
    gap,
    sides.map((side) => marginLine(side, reading)),
    sides.flatMap(checkLines),
    leftOut(reading),
    notes(reading),
  ];
}

/** `USDTNGN, mid 1,533.02 NGN per USDT. Every hedge closed now, without price impact.` */
function headline({ market, mid, intent }: WhatIfReading): Block {
  const name = market ?? '';
  const price =
    mid === undefined
      ? ', mid unknown.'
      : phrase`, mid ${rate(mid)} ${nameText(`${quoteCurrency(name)} per USDT.`)}`;
  const exit =
    intent.exit === 'now'
      ? 'Every hedge closed now at that rate, without price impact.'
      : 'Every hedge held to its maturity and settled at that rate.';
  return line(nameText(name, 'strong'), price, exit);
}

/** Rates to 4 decimals, half up. */
const rate = (amount: Big): Cell => ({ kind: 'rate', amount: roundHalfUp(amount, 4) });
const percent = (amount: Big): Cell => ({ kind: 'percent', amount: roundHalfUp(amount, 2), signed: true });

const PART = { align: 'right', optional: true, cell: ofAmount(signedCents) } as const;

type PointRecord = ReturnType<typeof pointsOf>[number];

const pointList = listOf<PointRecord, PointRecord>()(
  [
    'rate move_pct',
    { name: 'id', header: 'Hedge', optional: 'last' },
    { name: 'client_reference', header: 'Deal ID', cell: dealIdCell, optional: 'last' },
    'market',
    { name: 'side', header: 'Side' },
    { name: 'notional_usd', header: 'Notional USD', cell: ofAmount((size) => usd(cents(size))) },
    { name: 'struck_rate', header: 'Struck', align: 'right', cell: ofAmount(rate), optional: true },
    { name: 'maturity_at', header: 'Matures', cell: shortTime, optional: 'first' },
    { name: 'payoff_usd', header: 'Gross P&L USD', cell: ofAmount(signedCents) },
    { ...PART, name: 'carry_to_maturity_usdc', header: 'Carry to maturity', optional: 'first' },
  ],
  {
    screen: 'id client_reference side notional_usd struck_rate maturity_at carry_to_maturity_usdc payoff_usd',
    record: (hedge) => hedge,
  },
);

function viewPoints(reading: WhatIfReading): View {
  const { scenarios, intent, market } = reading;
  const ahead = intent.exit === 'maturity';
  return pointList.block(pointsOf(reading), {
    only: ({ name }) => ahead || !['maturity_at', 'carry_to_maturity_usdc'].includes(name),
    sections: scenarios.map((scenario) => ({
      rows: scenario.hedges.length,
      title: `${titleOf(scenario, market ?? '')}${usedUpInTitle(scenario)}`,
      totals: totalRows(scenario, ahead),
    })),
  });
}

/** `At 1,600.00, 4.37 % above the mid: a weaker naira` */
function titleOf({ rate: at, move_pct: move }: WhatIfScenario, market: string): string {
  const shown = grouped(roundHalfUp(at, 4));
  if (move === undefined) return `At ${shown}`;
  if (move.eq(0)) return `At ${shown}, the mid`;
  const size = roundHalfUp(move.abs(), 2).toFixed(2);
  return `At ${shown}, ${size} % ${move.gt(0) ? 'above' : 'below'} the mid: a ${move.gt(0) ? 'weaker' : 'stronger'} ${currencyName(market)}`;
}

const currencyName = (market: string): string =>
  isNairaMarket(market) ? 'naira' : spelledName(quoteCurrency(market));

/** Gross P&L, the parts that are included, and the net. A part that is not known is named, and then there is no net. */
function totalRows({ sides, total }: WhatIfScenario, ahead: boolean): readonly (readonly Cell[])[] {
  return [
    ...(sides.length < 2 ? [] : sides).map(({ side, payoff_usd: payoff }) =>
      row(`Gross P&L, ${side}`, signedIn('USD', cents(payoff))),
    ),
    row('Gross P&L', signedIn('USD', cents(total.payoff_usd))),
    row('Accrued carry', part(total.accrued_carry_usdc)),
    ahead
      ? row('Carry to maturity', part(total.carry_to_maturity_usdc), "at today's rate")
      : row('Fee to close', part(total.close_fee_usdc?.times(-1))),
    row(
      'Would realize',
      total.net_pnl_usd === undefined
        ? [missing, 'not known without these']
        : signedIn('USD', cents(total.net_pnl_usd)),
    ),
  ];
}

const part = (amount: Big | undefined): Words =>
  amount === undefined
    ? [missing, 'not included: not known from what the service sends']
    : signedIn('USDC', cents(amount));

const rangeRow = ({ rate: at, move_pct, total, usedUp }: WhatIfScenario) =>
  withNulls({ rate: at, move_pct, ...total, usedUp });

/** The rates of a range, with the P&L of all hedges at each. */
const rangeList = listOf<ReturnType<typeof rangeRow>>()(
  [
    { name: 'rate', header: 'Rate', cell: ofAmount(rate) },
    { name: 'move_pct', header: 'Move', align: 'right', optional: 'last', cell: ofAmount(percent) },
    { name: 'payoff_usd', header: 'Gross P&L USD', cell: ofAmount(signedCents) },
    { ...PART, name: 'accrued_carry_usdc', header: 'Accrued carry' },
    { ...PART, name: 'carry_to_maturity_usdc', header: 'Carry to maturity' },
    {
      ...PART,
      name: 'close_fee_usdc',
      header: 'Fee to close',
      cell: ofAmount((fee) => signedCents(fee.times(-1))),
    },
    { ...PART, name: 'net_pnl_usd', header: 'Would realize USD', optional: false },
    // Only on a screen.
    {
      name: 'used_up',
      header: 'Margin used up',
      parts: [],
      show: ({ usedUp }) => text(usedUp.join(', '), 'warn'),
    },
  ],
  { record: ({ usedUp: _usedUp, ...record }) => record },
);

function viewRange({ scenarios, intent }: WhatIfReading): View {
  const [first] = scenarios;
  const last = scenarios.at(-1);
  if (first === undefined || last === undefined) return [];
  const hasNet = scenarios.every(({ total }) => total.net_pnl_usd !== undefined);
  const left = intent.exit === 'maturity' ? 'close_fee_usdc' : 'carry_to_maturity_usdc';
  return [
    rangeList.block(scenarios.map(rangeRow), { only: ({ name }) => name !== left }),
    !hasNet && warnLine('Carry or fee is not included: not known from what the service sends.'),
    gap,
    dimLine(hasNet ? 'Would realize by rate, USD:' : 'Gross P&L by rate, USD:'),
    {
      kind: 'chart',
      height: 9,
      points: scenarios.map(({ total }, index) => ({
        x: index,
        y: (hasNet ? total.net_pnl_usd : undefined) ?? total.payoff_usd,
      })),
      label: (amount) => ({ kind: 'money', amount: cents(amount), signed: true }),
      ends: [rate(first.rate), rate(last.rate)],
      empty: 'No rates',
    },
  ];
}

/** `. MARGIN USED UP: buy` */
const usedUpInTitle = ({ usedUp }: WhatIfScenario): string =>
  usedUp.length === 0 ? '' : `. MARGIN USED UP: ${usedUp.join(', ')}`;

/** `Margin, buy: 1,000.00 USDC, used up at 1,378.41 (-9.09 %).` */
function marginLine(
  { side, margin_usdc: margin, margin_used_up_at: at, margin_used_up_move_pct: move }: ProjectedSide,
  { hedges, mid }: WhatIfReading,
): Block {
  const count = hedges.filter((hedge) => hedge.side === side).length;
  const name = text(`Margin, ${side}${count === 1 ? '' : ` (${count} hedges)`}:`);
  if (margin === undefined) return line(name, text('not known from what the service sends.', 'warn'));
  const amount = usd(cents(margin), 'USDC');
  if (margin.lte(0)) return line(name, amount, text(', used up.', 'warn'));
  if (at === undefined) return line(name, amount, ', used up at no rate.');
  const limit: Cell = { kind: 'rate', amount: roundHalfUp(at, 2), tone: 'strong' };
  if (mid !== undefined && (side === 'buy' ? mid.lte(at) : mid.gte(at)))
    return phraseLine`${name} ${amount}, ${text('ALREADY USED UP', 'warn')} ${side === 'buy' ? 'below' : 'above'} ${limit}; the mid is ${{ kind: 'rate', amount: roundHalfUp(mid, 2) }}.`;
  return phraseLine`${name} ${amount}, used up at ${limit} ${move !== undefined && ['(', percent(move), ')']}.`;
}

/** The service's figures next to ours. */
function checkLines({ side, payoff_check: check }: ProjectedSide): View {
  if (check.status === 'unclear') return warnLine(check.why);
  if (check.status === 'assumed') return warnLine(`Payoff, ${side}: ${ASSUMED} (${check.why}).`);
  const { mark_price: mark, gross_pnl_usd: gross, computed_usd: computed } = check;
  return check.status === 'confirmed'
    ? phraseLine`Payoff, ${side}: confirmed, the service has ${signedIn('USD', cents(gross))} at its mark ${rate(mark)}.`
    : phraseLine`Payoff, ${side}: the service has ${signedIn('USD', gross)} at its mark ${{ kind: 'rate', amount: mark }}; an NDF payoff is ${signedIn('USD', computed)}.`;
}

const leftOut = (reading: WhatIfReading): View =>
  leftOutNotes(reading).map((note) => line(nameText(note, 'warn')));

/** Shown on the screen, and with a query on standard error. */
export const leftOutNotes = ({ leftOut: left, mayBeCut }: WhatIfReading): readonly string[] => [
  ...left.map(({ id, why }) => `Not included: hedge ${id}: ${why}.`),
  ...(mayBeCut ? ['The service may have more hedges than it listed.'] : []),
];

function notes({ intent, scenarios }: WhatIfReading): View {
  const adds = scenarios.some(({ total }) => total.net_pnl_usd !== undefined);
  return [
    {
      kind: 'details',
      blocks: [
        dimLine(
          'Margin used up: by price alone, carry and fees left out; percent of the mid. The platform fee, paid at the open, is not in P&L.',
        ),
      ],
    },
    dimLine(
      [
        ...(intent.exit === 'maturity' ? ['A settlement is assumed to have no fee.'] : []),
        ...(adds ? ['USDC counts as USD.'] : []),
        'Rounded half up; full precision: --json',
      ].join(' '),
    ),
  ];
}

export const WHAT_IF_COLUMNS: readonly string[] = [...new Set([...pointList.columns, ...rangeList.columns])];

/** One record per rate and hedge; of a range one per rate. */
export const whatIfTable = (reading: WhatIfReading): RecordTable =>
  isRange(reading) ? rangeList.table(reading.scenarios.map(rangeRow)) : pointList.table(pointsOf(reading));

const pointsOf = ({ scenarios }: WhatIfReading) =>
  scenarios.flatMap(({ rate: at, move_pct: move, hedges }) =>
    hedges.map(({ sent, ...pnl }) => ({
      rate: at,
      move_pct: move ?? null,
      ...pickOrNull(sent, ['id', 'client_reference', 'market', 'side', 'notional_usd']),
      ...pickOrNull(sent, ['struck_rate', 'maturity_at']),
      ...withNulls(pnl),
    })),
  );

/** The response of the service, and under `derived` the projection. */
export const whatIfDocument = (reading: WhatIfReading): WhatIfDocument => ({
  hedges: reading.hedges,
  positions: reading.positions,
  derived: {
    market: reading.market ?? null,
    mid: reading.mid ?? null,
    at: reading.intent.exit,
    payoff: reading.sides.length === 0 ? null : PAYOFF_WORDS[reading.payoff],
    payoff_note: reading.payoff === 'assumed' && reading.sides.length > 0 ? ASSUMED : null,
    sides: reading.sides.map(
      ({ hedges: _hedges, accrued_carry_usdc: _carry, close_fee_usdc: _fee, ...side }) => withNulls(side),
    ),
    scenarios: reading.scenarios.map(({ hedges, sides, total, usedUp: _usedUp, ...at }) => ({
      ...withNulls({ ...at, ...total }),
      sides: sides.map(withNulls),
      hedges: hedges.map(({ sent, ...pnl }) => ({ id: sent.id, ...withNulls(pnl) })),
    })),
    left_out: reading.leftOut,
    maybe_truncated: reading.mayBeCut,
  },
});

const PAYOFF_WORDS = {
  confirmed: 'confirmed',
  assumed: 'assumed',
  differs: 'unconfirmed',
  unclear: 'unconfirmed',
} as const;
