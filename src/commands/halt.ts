/** `hedge halt` blocks opens and adds on this machine; `hedge unhalt` allows them again, after a confirmation. */

import { optionGiven } from '../args/operands.ts';
import { StoppedError, UsageError } from '../errors.ts';
import { haltedInWords } from '../journal/describe.ts';
import type { Halt } from '../journal/halt.ts';
import { haltDocument, viewHaltChange } from '../output/views/halt.ts';
import { defineCommand } from './define.ts';

export const halt = defineCommand({
  name: 'halt',
  summary: 'Stop opens and adds from this machine, for every profile',
  description:
    'Applies to every terminal and script of this user until hedge unhalt. Reduce and close are still allowed. In-flight orders continue: see hedge check and hedge hedges.',
  operands: [{ name: 'REASON', summary: 'reason, shown when an action is stopped', variadic: true }],
  examples: [{ line: 'hedge halt "venue down"', shows: 'every open and add stops, with who, when and why' }],
  checksOperands: true,
  read({ operands }) {
    if (operands.length === 0) throw new UsageError('Missing: the reason.', 'hedge halt "venue down"');
    return { why: operands.join(' ') };
  },
  async run(context, { why }) {
    const before = context.tradingHalt.halt(why);
    return { value: { now: context.tradingHalt.read(), before } };
  },
  document: haltDocument,
  view: viewHaltChange,
});

export const unhalt = defineCommand({
  name: 'unhalt',
  summary: 'Lift the halt',
  options: [{ flags: '-y, --yes', summary: 'skip the confirmation' }],
  examples: [
    { line: 'hedge unhalt', shows: 'show who halted and why, then ask' },
    { line: 'hedge unhalt --yes', shows: 'without confirmation' },
  ],
  read: (raw) => ({ yes: optionGiven(raw, 'yes') }),
  async run(context, { yes }) {
    const seen = context.tradingHalt.read();
    if (seen === undefined) return { value: { now: undefined, before: undefined } };
    if (!yes && !(await context.prompter.confirm(questionAbout(seen)))) throw stillHalted('declined');
    // Another halt may have been set in the meantime.
    if (!isSame(seen, context.tradingHalt.read())) throw stillHalted('halted');
    return { value: { now: undefined, before: context.tradingHalt.unhalt() } };
  },
  document: haltDocument,
  view: viewHaltChange,
});

const questionAbout = (current: Halt) => ({
  message: `This machine is ${haltedInWords(current)} Lift it and allow opens and adds?`,
  otherwise: '--yes',
});

const isSame = (seen: Halt, now: Halt | undefined): boolean =>
  now === undefined || 'unreadable' in seen || 'unreadable' in now
    ? now === undefined || ('unreadable' in seen && 'unreadable' in now)
    : seen.at === now.at && seen.why === now.why;

const stillHalted = (code: 'declined' | 'halted'): StoppedError =>
  new StoppedError({
    code,
    what: code === 'declined' ? 'Canceled.' : 'Another halt was set in the meantime.',
    book: 'Still halted: opens and adds are blocked.',
    hint: code === 'declined' ? undefined : 'See its reason: hedge unhalt',
  });
