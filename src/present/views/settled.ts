/** What is known of an action before a person settles it, the question, and what stands afterwards. */
import type { Action } from '../../journal/fold.ts';
import { type Block, type Cell, line, message, nameText, text } from '../blocks.ts';
import { becameCell, whereCell } from './journal.ts';

export const viewUnsettled = (action: Action): readonly Block[] => [
  line(whereCell(action), text('·'), ...namedCells(action), text('·'), becameCell(action)),
  line(text(action.attempts > 1 ? 'Sent first' : 'Sent'), {
    kind: 'time',
    at: action.sentAt ?? action.intent.at,
    style: 'second',
  }),
  ...(action.why === undefined ? [] : [line(message(`Last known: ${action.why.replace(/\.$/, '')}.`))]),
];

export const questionToSettle = (action: Action, as: 'done' | 'nothing'): string =>
  `Settle ${action.shortId} as ${as}: ${MEANS[as]}?`;

const MEANS = { done: 'it stands on the book', nothing: 'it never happened' };

export const viewSettled = (action: Action): readonly Block[] => [
  line(text(action.shortId, 'strong'), ...namedCells(action), text('·'), becameCell(action)),
  line(text(action.settledAs === 'nothing' ? FREED : COUNTED, 'dim')),
];

const FREED = 'It no longer stands in the way, and limits no longer count it.';
const COUNTED = 'It no longer stands in the way; limits count it as dealt.';

const namedCells = ({ intent, notional }: Action): readonly Cell[] => [
  nameText(`${intent.action} ${intent.market} ${intent.side}`),
  ...(notional === undefined ? [] : [{ kind: 'money', amount: notional, unit: 'USD' } as const]),
  ...(intent.deal_id === undefined ? [] : [nameText(`(${intent.deal_id})`)]),
];
