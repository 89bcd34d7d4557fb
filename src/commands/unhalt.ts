/** `hedge unhalt`: opens and adds go on. Asked about, since it lets money move again. */

import { optionGiven } from '../args/operands.ts';
import { StoppedError } from '../errors.ts';
import { haltedInWords } from '../journal/describe.ts';
import type { Halt } from '../journal/halt.ts';
import { haltDocument, viewHaltChange } from '../output/views/halt.ts';
import { defineCommand } from './define.ts';
export const unhalt = defineCommand({
  name: 'unhalt',
  summary: 'Lift the halt',
  options: [{ flags: '-y, --yes', summary: 'skip the confirmation' }],
  examples: [
    { line: 'hedge unhalt', shows: 'show who halted and why, then ask' },
    { line: 'hedge unhalt --yes', shows: 'without confirmation' },
  ],
  read: (raw) => ({ yes: optionGiven(raw, 'yes') }),
  async run(desk, { yes }) {
    const seen = desk.brake.read();
    if (seen === undefined) return { value: { now: undefined, before: undefined } };
    if (!yes && !(await desk.prompter.confirm(questionAbout(seen)))) throw stillHalted('declined');
    // Somebody may have halted again, for another reason, while the question stood there.
    if (!isSame(seen, desk.brake.read())) throw stillHalted('halted');
    return { value: { now: undefined, before: desk.brake.unhalt() } };
  },
  document: haltDocument,
  view: viewHaltChange,
});

const questionAbout = (halt: Halt) => ({
  message: `This machine is ${haltedInWords(halt)} Lift it, so that opens and adds go out again?`,
  otherwise: '--yes',
});

const isSame = (seen: Halt, now: Halt | undefined): boolean =>
  now === undefined || 'unreadable' in seen || 'unreadable' in now
    ? now === undefined || ('unreadable' in seen && 'unreadable' in now)
    : seen.at === now.at && seen.why === now.why;

const stillHalted = (code: 'declined' | 'halted'): StoppedError =>
  new StoppedError({
    code,
    what: code === 'declined' ? 'Left as it was.' : 'It was halted again in the meantime.',
    book: 'Still halted: opens and adds are stopped.',
    hint: code === 'declined' ? undefined : 'See why, and lift that one when it may be: hedge unhalt',
  });
