/** `hedge journal`: the list, and a person's word for what it does not know. */
import type { CommandGroup } from '../define.ts';
import { journalList } from './list.ts';
import { journalSettle } from './resolve.ts';
export const journal: CommandGroup = {
  name: 'journal',
  summary: 'what was sent from this machine, and what became of it',
  main: journalList,
  commands: [journalSettle],
};
