/** `hedge halt` blocks opens and adds on this machine; `hedge unhalt` allows them again, after a confirmation. */

import { NOTE_OPTION, readNote } from '../args/note.ts';
import { optionGiven } from '../args/operands.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { type Sentence, StoppedError, UsageError } from '../errors.ts';
import { haltedInWords } from '../journal/describe.ts';
import type { Halt } from '../journal/halt.ts';
import { haltDocument, viewHaltChange } from '../output/views/halt.ts';
import { defineCommand } from './define.ts';

export const halt = defineCommand({
  name: 'halt',
  summary: 'Stop opens and adds from this machine, for every profile',
  description:
    'Applies to every terminal and script of this user until hedge unhalt. Reduce and close are still allowed. In-flight orders continue: see hedge check and hedge hedges. A halt is a record of the journal, with who, when and why: hedge journal halts.',
  operands: [{ name: 'REASON', summary: 'reason, shown when an action is stopped', variadic: true }],
  options: [NOTE_OPTION],
  examples: [{ line: 'hedge halt "venue down"', shows: 'every open and add stops, with who, when and why' }],
  checksOperands: true,
  read(raw) {
    const { operands } = raw;
    if (operands.length === 0) throw new UsageError('Missing: the reason.', 'hedge halt "venue down"');
    const why = operands.join(' ');
    checkIsReason(why);
    return { why, note: readNote(raw) };
  },
  async run(context, { why, note }) {
    const value = await context.tradingHalt.halt({ why, note });
    return { value, zone: (await context.profileContext()).zone };
  },
  document: haltDocument,
  view: viewHaltChange,
});

/** Words that ask for something else than a halt, and the command that does it. */
const OTHER_COMMANDS: readonly { words: RegExp; hint: Sentence }[] = [
  {
    words:
      /^(?:off|no|none|false|clear|lift|end|remove|release|resume|reset|cancel|undo|delete|disable|unhalt)$/,
    hint: say`To lift the halt: ${shell`hedge unhalt`}`,
  },
  {
    words: /^(?:status|state|show|list|get|info|check|\?)$/,
    hint: say`To see whether a halt is set: ${shell`hedge`}`,
  },
  { words: /^(?:on|set|true|enable)$/, hint: 'To halt, give the reason: hedge halt "venue down"' },
  { words: /^help$/, hint: say`See ${shell`hedge halt --help`}` },
];

/** @throws UsageError: a halt that was meant to be lifted would be set again. */
function checkIsReason(why: string): void {
  const other = OTHER_COMMANDS.find(({ words }) => words.test(why.trim().toLowerCase()));
  if (other !== undefined)
    throw new UsageError(`${quoted(why)} is not a reason for a halt. Nothing was changed.`, other.hint);
}

export const unhalt = defineCommand({
  name: 'unhalt',
  summary: 'Lift the halt',
  options: [{ flags: '-y, --yes', summary: 'skip the confirmation' }, NOTE_OPTION],
  examples: [
    { line: 'hedge unhalt', shows: 'show who halted and why, then ask' },
    { line: 'hedge unhalt --yes', shows: 'without confirmation' },
  ],
  read: (raw) => ({ yes: optionGiven(raw, 'yes'), note: readNote(raw) }),
  async run(context, { yes, note }) {
    const seen = (await context.journal()).read().halt;
    if (seen === undefined) return { value: { now: undefined, before: undefined } };
    if (!yes && !(await context.prompter.confirm(questionAbout(seen)))) throw stillHalted('declined');
    const { now } = await context.tradingHalt.unhalt({ halt: seen, note });
    return {
      value: { now, before: seen },
      finding: now === undefined ? undefined : stillHalted('halted'),
      zone: (await context.profileContext()).zone,
    };
  },
  document: haltDocument,
  view: viewHaltChange,
});

const questionAbout = (current: Halt) => ({
  message: `This machine is ${haltedInWords(current)} ${question(current.ids.length - 1)}`,
  otherwise: '--yes',
});

const question = (earlier: number): string =>
  earlier === 0
    ? 'Lift it and allow opens and adds?'
    : `Lift it, and ${earlier.toString()} set before it (hedge journal halts), and allow opens and adds?`;

const stillHalted = (code: 'declined' | 'halted'): StoppedError =>
  new StoppedError({
    code,
    what: code === 'declined' ? 'Canceled.' : 'Another halt was set in the meantime.',
    book: 'Still halted: opens and adds are blocked.',
    hint: code === 'declined' ? undefined : say`To see it, and lift it: ${shell`hedge unhalt`}`,
  });
