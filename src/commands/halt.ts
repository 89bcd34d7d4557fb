/** `hedge halt` blocks opens and adds on this machine; `hedge unhalt` allows them again, after a confirmation. */

import { DEFAULT_TIMEOUT_MS } from '../args/action-options.ts';
import { readSeconds } from '../args/operands.ts';
import { optionGiven, readOption } from '../args/option.ts';
import { NOTE_OPTION, readNote, YES_OPTION } from '../args/shared-options.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { PendingError, type Sentence, StoppedError, UsageError } from '../errors.ts';
import { haltedInWords } from '../journal/describe.ts';
import type { Halt } from '../journal/halt.ts';
import { troubleError } from '../journal/trouble.ts';
import { type HaltChange, haltDocument, viewHaltChange } from '../output/views/halt.ts';
import { summarizeJournal } from '../readings/read-journal.ts';
import { askFirst } from './ask-first.ts';
import type { CommandOutcome, HaltDelivery } from './command-context.ts';
import { defineCommand } from './define.ts';

export const halt = defineCommand({
  name: 'halt',
  summary: 'Stop opens and adds of this machine, or of its desk',
  description:
    'Applies to every profile, terminal and script of this user, and with a desk to every machine, until hedge unhalt. Reduce and close are still allowed. In-flight orders continue: see hedge check and hedge hedges. A halt is a record of the journal, with who, when and why: hedge journal halts.',
  operands: [{ name: 'REASON', summary: 'reason, shown when an action is stopped', variadic: true }],
  options: [
    NOTE_OPTION,
    {
      flags: '--timeout <seconds>',
      summary: 'with a desk: seconds to try to reach its log (default 60); the halt holds here all the same',
    },
  ],
  examples: [{ line: 'hedge halt "venue down"', shows: 'every open and add stops, with who, when and why' }],
  checksOperands: true,
  read(raw) {
    const { operands } = raw;
    if (operands.length === 0) throw new UsageError('Missing: the reason.', 'hedge halt "venue down"');
    const why = operands.join(' ');
    checkIsReason(why);
    return {
      why,
      note: readNote(raw),
      timeoutMs: readOption(raw, 'timeout', readSeconds) ?? DEFAULT_TIMEOUT_MS,
    };
  },
  async run(context, words) {
    context.progress.start('Halting');
    const value = await context.tradingHalt.halt(words);
    return {
      value,
      finding: value.failed ?? undeliveredHalt(value.desks ?? []),
      zone: (await context.profileContext()).zone,
    };
  },
  document: haltDocument,
  view: viewHaltChange,
});

/** In force here, and not on the other machines. Undefined: every desk has it. */
function undeliveredHalt(desks: readonly HaltDelivery[]): PendingError | undefined {
  const missing = desks.filter(({ isDelivered }) => !isDelivered);
  const [first] = missing;
  if (first === undefined) return undefined;
  const names = missing.map(({ name }) => name).join(', ');
  return new PendingError({
    what: `HALTED ON THIS MACHINE ONLY: desk ${names} has not received the halt. ${first.trouble?.what ?? ''}`.trim(),
    meaning: 'Opens and adds are blocked here. Other machines of the desk may go on.',
    hint: say`Tell your colleagues. The next command here that reaches the log delivers it: ${shell`hedge desk status`}`,
    details: { desks: missing.map(({ name, trouble }) => ({ name, code: trouble?.code ?? null })) },
  });
}

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
  options: [YES_OPTION, NOTE_OPTION],
  examples: [
    { line: 'hedge unhalt', shows: 'show who halted and why, then ask' },
    { line: 'hedge unhalt --yes', shows: 'without confirmation' },
  ],
  read: (raw) => ({ yes: optionGiven(raw, 'yes'), note: readNote(raw) }),
  async run(context, { yes, note }): Promise<CommandOutcome<HaltChange>> {
    const journal = await context.journal();
    const { halt: seen, trouble: before, desk } = journal.read();
    if (seen === undefined && before !== undefined) throw troubleError(before, NONE_KNOWN);
    const zone = (await context.profileContext()).zone;
    if (seen === undefined) {
      const others = await context.tradingHalt.ofOtherProfiles();
      return { value: { now: undefined, before: undefined, others }, zone };
    }
    if (!yes)
      await askFirst(context, questionAbout(seen, desk && `Desk ${desk.name}`), {
        what: 'Canceled.',
        meaning: STILL_HALTED,
      });
    const { now, liftedOn } = await context.tradingHalt.unhalt({ halt: seen, note });
    const { trouble } = summarizeJournal(journal, { nowMs: context.clock.now() });
    const blocked =
      trouble && troubleError(trouble, 'Opens and adds stay blocked. Reduce and close still work.');
    return {
      value: { now, before: seen, liftedOn, isBlocked: blocked !== undefined },
      finding: now === undefined ? blocked : haltedAgain(),
      zone,
    };
  },
  document: haltDocument,
  view: viewHaltChange,
});

const questionAbout = (current: Halt, what = 'This machine'): string =>
  [
    `${what} is ${haltedInWords(current)}`,
    ...current.earlier.toReversed().map((each) => `Before that, ${haltedInWords(each)}`),
    `Lift ${current.earlier.length === 0 ? 'it' : `these ${current.ids.length.toString()} halts`} and allow opens and adds?`,
  ].join(' ');

const NONE_KNOWN =
  'No halt is known here; records of one may be missing. Nothing was lifted, and opens and adds stay blocked.';

const STILL_HALTED = 'Still halted: opens and adds are blocked.';

const haltedAgain = (): StoppedError =>
  new StoppedError({
    code: 'halted',
    what: 'Another halt was set in the meantime.',
    meaning: STILL_HALTED,
    hint: say`To see it, and lift it: ${shell`hedge unhalt`}`,
  });
