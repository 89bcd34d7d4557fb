/** A page of help where a script asked for a document: the text as it would stand on a screen. */
import type { CommandResult } from '../../commands/command-result.ts';
import type { Output } from '../output-options.ts';
/** The forms that have a place for it; a table is the page itself, and it is no list for CSV. */
export const wantsDocument = ({ form, query }: Output): boolean =>
  form === 'json' || form === 'jsonl' || query !== undefined;

export const helpShown = (page: string): CommandResult => ({
  document: () => ({ text: page }),
  table: () => undefined,
  blocks: () => [],
  changes: () => [],
  meta: {},
  servedAt: undefined,
  finding: undefined,
  zone: undefined,
  command: undefined,
});
