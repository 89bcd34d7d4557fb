/** `hedge journal`: the list, and `hedge journal resolve`. */
import type { CommandGroup } from '../define.ts';
import { journalList } from './list.ts';
import { journalResolve } from './resolve.ts';
export const journal: CommandGroup = {
  name: 'journal',
  summary: 'Show what was sent from this machine, and the outcome',
  main: journalList,
  commands: [journalResolve],
};
