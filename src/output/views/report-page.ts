/** A report as a page with charts, to mail and to print. */

import { Big } from 'big.js';
import { exactInstant } from '../../domain/instants.ts';
import { totalValue } from '../../domain/net-asset-value.ts';
import { netPnl } from '../../domain/pnl-parts.ts';
import type { ReportReading } from '../../readings/read-report.ts';
import type { Cell } from '../cells.ts';
import { cellText } from '../format.ts';
import { htmlPage } from '../html-page.ts';
import { barChart, lineChart, type WaterfallStep, waterfallChart } from '../svg-charts.ts';
import { cents, minute, time } from './record-columns.ts';
import { viewReport } from './report.ts';
import { isOneSided, PART_NAMES, shownParts } from './report-document.ts';

export function reportPage(
  report: ReportReading,
  { profile, environment }: { profile: string; environment: string },
): string {
  const { zone, snapshots, days, to, servedAt } = report;
  const format = { zone, now: to.ms, unicode: true };
  const shown = (cell: Cell): string => cellText(cell, format);
  const day = (ms: number): string => shown(time(exactInstant(ms), 'date'));
  const label = (value: number): string =>
    shown({ kind: 'number', amount: new Big(value.toFixed(2)).round(Math.abs(value) < 100 ? 2 : 0) });
  const isRealized = isOneSided(report, report.total);
  const steps = waterfallSteps(report, { shown, isRealized });
  return htmlPage(
    {
      title: `P&L report, ${shown(minute(report.from.ms))} to ${shown(minute(to.ms))}, ${profile}${environment === 'live' || environment === profile ? '' : ` (${environment})`}${environment === 'live' ? '' : ': no real money'}`,
      about: `Read ${shown(minute(servedAt.getTime()))}. Days of ${zone}.`,
      charts: [
        steps.length > 1 &&
          waterfallChart(steps, {
            title: report.bridge
              ? 'From opening to closing, USDC'
              : `${isRealized ? 'Realized ' : ''}P&L in parts, USDC`,
            label,
          }),
        snapshots.length > 1 &&
          lineChart(
            snapshots.map(({ ms, value }) => ({ ms, value: totalValue(value) })),
            {
              title: 'Net asset value of each snapshot, USDC',
              label,
              ends: [day(snapshots[0]?.ms ?? 0), day(snapshots.at(-1)?.ms ?? 0)],
            },
          ),
        days.length > 1 &&
          barChart(
            days.map(({ name, realized, unrealized }) => ({
              name: name.slice('2026-'.length),
              values: [netPnl(realized), unrealized && netPnl(unrealized)],
            })),
            { title: 'By day, USDC', label, kinds: ['realized', 'unrealized, change'] },
          ),
      ],
      view: viewReport(report, undefined),
    },
    format,
  );
}

function waterfallSteps(
  { bridge, total }: ReportReading,
  { shown, isRealized }: { shown: (cell: Cell) => string; isRealized: boolean },
): readonly WaterfallStep[] {
  const change = (name: string, amount: Big): WaterfallStep => ({
    name,
    amount,
    shown: shown({ kind: 'money', amount: cents(amount), signed: true }),
  });
  const level = (name: string, amount: Big): WaterfallStep => ({
    name,
    amount,
    isLevel: true,
    shown: shown({ kind: 'money', amount: cents(amount) }),
  });
  const of = isRealized ? total.realized : total.parts;
  const parts = shownParts([of]).map((part) => change(PART_NAMES[part], of[part]));
  if (bridge === undefined) return parts;
  return [
    level('Opening', totalValue(bridge.opening)),
    ...parts,
    ...(bridge.unexplained.eq(0) ? [] : [change('Unexplained', bridge.unexplained)]),
    level('Closing', totalValue(bridge.closing)),
  ];
}
