/** `hedge help WORDS`: finds the page of a command or topic; and a help page as a JSON document. */

import type { CommandResult } from '../../commands/command-context.ts';
import { type Command, type CommandGroup, isGroup } from '../../commands/define.ts';
import { loadEntry, REGISTRY } from '../../commands/registry.ts';
import { didYouMean } from '../../domain/did-you-mean.ts';
import { quoted } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import assistants from '../../help/assistants.md?raw';
import audit from '../../help/audit.md?raw';
import batch from '../../help/batch.md?raw';
import books from '../../help/books.md?raw';
import csv from '../../help/csv.md?raw';
import desk from '../../help/desk.md?raw';
import doctor from '../../help/doctor.md?raw';
import environment from '../../help/environment.md?raw';
import exitCodes from '../../help/exit-codes.md?raw';
import json from '../../help/json.md?raw';
import keys from '../../help/keys.md?raw';
import lists from '../../help/lists.md?raw';
import mockServer from '../../help/mock-server.md?raw';
import outcomes from '../../help/outcomes.md?raw';
import practice from '../../help/practice.md?raw';
import query from '../../help/query.md?raw';
import recovery from '../../help/recovery.md?raw';
import roll from '../../help/roll.md?raw';
import scripting from '../../help/scripting.md?raw';
import trading from '../../help/trading.md?raw';
import treasury from '../../help/treasury.md?raw';
import watch from '../../help/watch.md?raw';
import type { HelpDocument } from '../../schema/machine-document.ts';
import type { Output } from '../global-options.ts';
import { commandHelp, rootHelp } from './command-help.ts';
import { topicPage } from './markdown.ts';
import { type Page, paragraph, renderPage, rows } from './page.ts';
import { HELP_TOPICS, TOPICS, type TopicName } from './topics.ts';

export const TOPIC_TEXTS: Readonly<Record<TopicName, string>> = {
  trading,
  treasury,
  books,
  roll,
  recovery,
  outcomes,
  desk,
  practice,
  'mock-server': mockServer,
  audit,
  keys,
  environment,
  doctor,
  lists,
  watch,
  json,
  csv,
  query,
  scripting,
  assistants,
  batch,
  'exit-codes': exitCodes,
};

/** @throws UsageError for unknown words. */
export async function findHelp(words: readonly string[], width: number): Promise<string> {
  const [first, second, ...more] = words;
  if (first === undefined || first === 'help') return rootHelp(width);
  const topic = HELP_TOPICS.find(({ name }) => name === first);
  if (topic !== undefined && second === undefined)
    return renderPage(await topicPage(TOPIC_TEXTS[topic.name]), width);
  if (first === TOPICS.name && second === undefined) return renderPage(LIST_OF_TOPICS, width);
  const entry = await loadEntry(first);
  if (entry !== undefined && second === undefined) return commandHelp(entry, width);
  const command =
    entry !== undefined && isGroup(entry) && more.length === 0
      ? entry.commands.find(({ name }) => name === `${first} ${second ?? ''}`)
      : undefined;
  if (command !== undefined) return commandHelp(command, width);
  throw new UsageError(
    `No help found for ${quoted(words.join(' '))}.`,
    `${meantBy(words, entry)}Commands: see hedge --help. Topics: ${HELP_TOPICS.map(({ name }) => name).join(', ')}.`,
  );
}

const LIST_OF_TOPICS: Page = [
  { title: 'Topics', parts: [rows(HELP_TOPICS.map(({ name, summary }) => [`help ${name}`, summary]))] },
  { title: '', parts: [paragraph('For one command: hedge help COMMAND. All commands: hedge --help')] },
];

/** Suggests the closest command or topic. */
function meantBy(words: readonly string[], entry: Command | CommandGroup | undefined): string {
  const known = [...REGISTRY, ...HELP_TOPICS, TOPICS].map(({ name }) => name);
  const [first = ''] = words;
  if (!known.includes(first)) return didYouMean(first, known);
  if (entry === undefined || !isGroup(entry)) return `Did you mean: hedge help ${first}. `;
  return didYouMean(
    words.join(' '),
    entry.commands.map(({ name }) => name),
  );
}

/** JSON and queries get the page as text; a table is the page itself. */
export const wantsDocument = (output: Output): boolean =>
  output.form === 'json' || output.form === 'jsonl' || output.query !== undefined;

export const helpShown = (document: HelpDocument): CommandResult => ({
  document: () => document,
  table: () => undefined,
  brief: () => undefined,
  blocks: () => [],
  changes: () => [],
  meta: {},
  command: 'help',
});
