/** P&L at assumed rates: per hedge and in total, the curve of a range, the rates at which margins are used up; and the document. */

import type { Big } from 'big.js';
import { roundHalfUp } from '../../domain/amounts.ts';
import { grouped } from '../../domain/exposure.ts';
import { checkFigures, moveBetween } from '../../domain/payoff.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isNairaMarket, quoteCurrency, type Side } from '../../domain/vocabulary.ts';
import type { ProjectedPnl, WhatIfScenario } from '../../readings/project-pnl.ts';
import type { ProjectedSide } from '../../readings/projected-side.ts';
import type { WhatIfReading } from '../../readings/read-what-if.ts';
import type { WhatIfDocument } from '../../schema/reading-document.ts';
import { type Block, dimLine, gap, line, type View, warnLine } from '../blocks.ts';
import { type Cell, missing, nameText, text, type Words } from '../cells.ts';
import { listOf } from '../list.ts';
import { pickOrNull, type RecordTable } from '../record-table.ts';
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
  return line(
    nameText(name, 'strong'),
    mid === undefined ? ', mid unknown.' : [', mid', rate(mid), nameText(`${quoteCurrency(name)} per USDT.`)],
    intent.exit === 'now'
      ? 'Every hedge closed now at that rate, without price impact.'
      : 'Every hedge held to its maturity and settled at that rate.',
  );
}

/** Rates to 4 decimals, half up. */
const rate = (amount: Big): Cell => ({ kind: 'rate', amount: roundHalfUp(amount, 4) });
const percent = (amount: Big): Cell => ({ kind: 'percent', amount: roundHalfUp(amount, 2), signed: true });

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
    { name: 'payoff_usd', header: 'Price P&L USD', cell: ofAmount(signedCents) },
    {
      name: 'carry_to_maturity_usdc',
      header: 'Carry to maturity',
      align: 'right',
      cell: ofAmount(signedCents),
      optional: 'first',
    },
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
      title: `${titleOf(scenario, market ?? '')}${usedUpInTitle(scenario, reading)}`,
      totals: totalRows(scenario, ahead),
    })),
  });
}

/** `At 1,600.00, 4.37 % above the mid: a weaker naira` */
function titleOf({ rate: at, move }: WhatIfScenario, market: string): string {
  const shown = grouped(roundHalfUp(at, 4));
  if (move === undefined) return `At ${shown}`;
  if (move.eq(0)) return `At ${shown}, the mid`;
  const size = roundHalfUp(move.abs(), 2).toFixed(2);
  return `At ${shown}, ${size} % ${move.gt(0) ? 'above' : 'below'} the mid: a ${move.gt(0) ? 'weaker' : 'stronger'} ${currencyName(market)}`;
}

const currencyName = (market: string): string =>
  isNairaMarket(market) ? 'naira' : spelledName(quoteCurrency(market));

/** Price P&L, the parts that are included, and the net. A part that is not known is named, and then there is no net. */
function totalRows({ sides, total }: WhatIfScenario, ahead: boolean): readonly (readonly Cell[])[] {
  const perSide =
    sides.length < 2
      ? []
      : sides.map(({ side, payoff }) => row(`Price P&L, ${side}`, signedIn('USD', cents(payoff))));
  return [
    ...perSide,
    row('Price P&L', signedIn('USD', cents(total.payoff))),
    row('Accrued carry', part(total.accruedCarry)),
    ...(ahead
      ? [row('Carry to maturity', part(total.carryToMaturity), "at today's rate")]
      : [row('Fee to close', part(total.closeFee?.times(-1)))]),
    row('Net P&L', net(total)),
  ];
}

const part = (amount: Big | undefined): Words =>
  amount === undefined
    ? [missing, 'not included: not known from what the service sends']
    : signedIn('USDC', cents(amount));

const net = ({ net: amount }: ProjectedPnl): Words =>
  amount === undefined ? [missing, 'not known without these'] : signedIn('USD', cents(amount));

function viewRange(reading: WhatIfReading): View {
  const { scenarios, intent } = reading;
  const [first] = scenarios;
  const last = scenarios.at(-1);
  if (first === undefined || last === undefined) return [];
  const hasNet = scenarios.every(({ total }) => total.net !== undefined);
  const drawn = ({ total }: WhatIfScenario): Big => (hasNet ? (total.net ?? total.payoff) : total.payoff);
  return [
    {
      kind: 'table',
      columns: [
        { header: 'RATE', field: 'rate', align: 'right' },
        { header: 'MOVE', field: 'move_pct', align: 'right', optional: 'last' },
        { header: 'PRICE P&L USD', field: 'payoff_usd', align: 'right' },
        { header: 'ACCRUED CARRY', field: 'accrued_carry_usdc', align: 'right', optional: true },
        intent.exit === 'maturity'
          ? { header: 'CARRY TO MATURITY', field: 'carry_to_maturity_usdc', align: 'right', optional: true }
          : { header: 'FEE TO CLOSE', field: 'close_fee_usdc', align: 'right', optional: true },
        { header: 'NET P&L USD', field: 'net_pnl_usd', align: 'right' },
        { header: 'MARGIN USED UP' },
      ],
      rows: scenarios.map(({ rate: at, move, total }): readonly Cell[] => [
        rate(at),
        move === undefined ? missing : percent(move),
        signedCents(total.payoff),
        signedCents(total.accruedCarry),
        signedCents(intent.exit === 'maturity' ? total.carryToMaturity : total.closeFee?.times(-1)),
        signedCents(total.net),
        text(usedUpAt(at, reading).join(', '), 'warn'),
      ]),
      records: scenarioRecords(reading),
    },
    !hasNet && warnLine('Carry or fee is not included: not known from what the service sends.'),
    gap,
    dimLine(hasNet ? 'Net P&L by rate, USD:' : 'Price P&L by rate, USD:'),
    {
      kind: 'chart',
      height: 9,
      points: scenarios.map((scenario, index) => ({ x: index, y: drawn(scenario) })),
      label: (amount) => ({ kind: 'money', amount: cents(amount), signed: true }),
      ends: [rate(first.rate), rate(last.rate)],
      empty: 'No rates',
    },
  ];
}

/** The sides whose margin the price loss at that rate uses up. */
const usedUpAt = (at: Big, { sides }: WhatIfReading): readonly Side[] =>
  sides
    .filter(
      ({ side, marginUsedUp }) =>
        marginUsedUp !== undefined && (side === 'buy' ? at.lte(marginUsedUp) : at.gte(marginUsedUp)),
    )
    .map(({ side }) => side);

/** `. (!) Margin used up: buy` */
function usedUpInTitle({ rate: at }: WhatIfScenario, reading: WhatIfReading): string {
  const sides = usedUpAt(at, reading);
  return sides.length === 0 ? '' : `. (!) Margin used up: ${sides.join(', ')}`;
}

/** `Margin, buy: 1,000.00 USDC, used up at 1,378.41 (-9.09 %).` */
function marginLine({ side, margin, marginUsedUp }: ProjectedSide, { mid, hedges }: WhatIfReading): Block {
  const count = hedges.filter((hedge) => hedge.side === side).length;
  const name = text(`Margin, ${side}${count === 1 ? '' : ` (${count} hedges)`}:`);
  if (margin === undefined) return line(name, text('not known from what the service sends.', 'warn'));
  const amount = usd(cents(margin), 'USDC');
  if (margin.lte(0)) return line(name, amount, text(', used up.', 'warn'));
  if (marginUsedUp === undefined) return line(name, amount, ', used up at no rate.');
  const move = mid?.gt(0) === true ? moveBetween(mid, marginUsedUp) : undefined;
  return line(
    name,
    amount,
    ', used up at',
    { kind: 'rate', amount: roundHalfUp(marginUsedUp, 2), tone: 'strong' },
    move !== undefined && ['(', percent(move), ')'],
    '.',
  );
}

/** The service's figures next to ours. */
function checkLines({ side, check }: ProjectedSide): View {
  if (check.status === 'unclear') return warnLine(check.why);
  if (check.status === 'assumed') return warnLine(`Payoff, ${side}: ${ASSUMED} (${check.why}).`);
  const { mark, gross, computed } = check;
  if (check.status === 'confirmed')
    return line(
      `Payoff, ${side}: confirmed, the service has`,
      signedIn('USD', cents(gross)),
      'at its mark',
      rate(mark),
      '.',
    );
  return line(
    `Payoff, ${side}: the service has`,
    signedIn('USD', gross),
    'at its mark',
    { kind: 'rate', amount: mark },
    '; an NDF payoff is',
    signedIn('USD', computed),
    '.',
  );
}

function leftOut({ leftOut: left, mayBeCut }: WhatIfReading): View {
  return [
    left.map(({ id, why }) => line(nameText(`Not included: hedge ${id}, ${why}.`, 'warn'))),
    mayBeCut && warnLine('The service may have more hedges than it listed.'),
  ];
}

function notes({ intent, scenarios }: WhatIfReading): View {
  const adds = scenarios.some(({ total }) => total.net !== undefined);
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

const RANGE_COLUMNS =
  'rate move_pct payoff_usd accrued_carry_usdc carry_to_maturity_usdc close_fee_usdc net_pnl_usd'.split(' ');

export const WHAT_IF_COLUMNS: readonly string[] = [...new Set([...pointList.columns, ...RANGE_COLUMNS])];

/** One record per rate and hedge; of a range one per rate. */
export const whatIfTable = (reading: WhatIfReading): RecordTable =>
  isRange(reading)
    ? { columns: RANGE_COLUMNS, records: scenarioRecords(reading) }
    : pointList.table(pointsOf(reading));

const pointsOf = ({ scenarios }: WhatIfReading) =>
  scenarios.flatMap(({ rate: at, move, hedges }) =>
    hedges.map(({ hedge: { sent }, payoff, carryToMaturity }) => ({
      rate: at,
      move_pct: move ?? null,
      ...pickOrNull(sent, ['id', 'client_reference', 'market', 'side', 'notional_usd']),
      ...pickOrNull(sent, ['struck_rate', 'maturity_at']),
      payoff_usd: payoff,
      carry_to_maturity_usdc: carryToMaturity ?? null,
    })),
  );

const scenarioRecords = ({ scenarios }: WhatIfReading): readonly unknown[] =>
  scenarios.map(({ rate: at, move, total }) => ({ rate: at, move_pct: move ?? null, ...pnlRecord(total) }));

const pnlRecord = ({ payoff, accruedCarry, carryToMaturity, closeFee, net: amount }: ProjectedPnl) => ({
  payoff_usd: payoff,
  accrued_carry_usdc: accruedCarry ?? null,
  carry_to_maturity_usdc: carryToMaturity ?? null,
  close_fee_usdc: closeFee ?? null,
  net_pnl_usd: amount ?? null,
});

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
    sides: reading.sides.map((each) => sideRecord(each, reading.mid)),
    scenarios: reading.scenarios.map((scenario) => ({
      rate: scenario.rate,
      move_pct: scenario.move ?? null,
      ...pnlRecord(scenario.total),
      sides: scenario.sides.map(({ side, ...pnl }: ProjectedPnl & { side: Side }) => ({
        side,
        ...pnlRecord(pnl),
      })),
      hedges: scenario.hedges.map(({ hedge, payoff, carryToMaturity }) => ({
        id: hedge.sent.id,
        payoff_usd: payoff,
        carry_to_maturity_usdc: carryToMaturity ?? null,
      })),
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

const sideRecord = ({ side, check, margin, marginUsedUp }: ProjectedSide, mid: Big | undefined) => ({
  side,
  payoff_check: checkFigures(check),
  margin_usdc: margin ?? null,
  margin_used_up_at: marginUsedUp ?? null,
  margin_used_up_move_pct:
    marginUsedUp === undefined || mid?.gt(0) !== true ? null : moveBetween(mid, marginUsedUp),
});
