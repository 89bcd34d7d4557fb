/** The first line of what became of an action: a word, the side, and the size that it is about. */
import type { Big } from 'big.js';
import { sum } from '../../domain/amounts.ts';
import type { ActionReport } from '../../flow/dealing.ts';
import { type Block, type Cell, line, nameText, text } from '../blocks.ts';
import { usd } from './cells.ts';

/** What the action is about, from whichever of the two is there. */
const aboutOf = ({ plan, entry }: ActionReport) => plan ?? entry?.intent;
export const actionOf = ({ plan, entry }: ActionReport) => plan?.action ?? entry?.intent.action;
export const subject = (report: ActionReport): string => {
  const about = aboutOf(report);
  return about === undefined ? 'the side' : `${about.side} ${about.market}`;
};

/** USD that were filled of an open, where that is less than was asked. */
export const partOf = ({ entry, derived: { filled_notional_usd: filled } }: ActionReport): Big | undefined =>
  filled !== undefined && entry?.notional?.gt(filled) === true ? filled : undefined;

function notionalOf(report: ActionReport): Big | undefined {
  const { plan, entry } = report;
  if (report.outcome === 'closed' && actionOf(report) !== 'open') return closedSize(report);
  if (plan !== undefined) return plan.action === 'close' ? plan.facts.book.total : plan.notional;
  return entry?.notional;
}

/** What really left the side, whatever was asked: it may have been about everything, or sent some time ago. */
function closedSize({ plan, hedges = [] }: ActionReport): Big | undefined {
  if (hedges.length > 0) return sum(hedges.map(({ before, after }) => before.minus(after)));
  const planned = plan?.facts.book.total;
  return planned?.gt(0) === true ? planned : undefined;
}

export function headline(report: ActionReport, word: string, ...rest: readonly Cell[]): Block {
  const notional = notionalOf(report);
  const part = partOf(report);
  return line(
    text(word, part === undefined ? 'good' : 'warn'),
    nameText(subject(report), 'strong'),
    ...(part === undefined ? [] : [usd(part, 'USD'), text('of')]),
    ...(notional === undefined ? [] : [usd(notional, 'USD')]),
    ...rest,
  );
}
