/** A hint as blocks of a screen. */
import { groupsOf, isCommand, say } from '../domain/hint.ts';
import { type CommandWords, type HedgeError, type Hint } from '../errors.ts';
import { type Block, hintLine, line } from './blocks.ts';
import { hintCell } from './cells.ts';

/** Sentences as lines; commands and descriptions as columns. */
export const hintBlocks = (hint: Hint | undefined): readonly Block[] =>
  groupsOf(hint).map((group) =>
    typeof group === 'string' || 'parts' in group ? line(hintCell(group)) : { kind: 'commands', rows: group },
  );

/** Below a list that is cut. */
export const andMore = (count: number, command: CommandWords, what = ''): Block =>
  hintLine(say`and ${count.toString()} more${what}: ${command}`);

/** The effect on the position, and the words above the command that follows. */
export function meaningOf({ meaning, hint: [first = ''] = [] }: HedgeError): string | undefined {
  const lead = isCommand(first) ? first.lead : undefined;
  return meaning === undefined || lead === undefined ? meaning : `${meaning} ${lead}`;
}
