/** `hedge help WORDS`: hedge itself, a command, a command of a group, a topic, or which topics there are. */
import { type Command, type CommandGroup, isGroup } from '../../commands/define.ts';
import { REGISTRY } from '../../commands/registry.ts';
import { didYouMean } from '../../domain/did-you-mean.ts';
import { quoted } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { entryHelp, rootHelp } from './command-help.ts';
import { type Page, renderPage, rows, text } from './page.ts';
import { HELP_TOPICS, TOPICS } from './topics.ts';
/** @throws UsageError for words that name nothing. */
export async function helpWith(words: readonly string[], width: number): Promise<string> {
  const [first, second, ...more] = words;
  if (first === undefined || first === 'help') return rootHelp(width);
  const topic = HELP_TOPICS.find(({ name }) => name === first);
  if (topic !== undefined && second === undefined) return renderPage(await topic.load(), width);
  if (first === TOPICS.name && second === undefined) return renderPage(LIST_OF_TOPICS, width);
  const entry = await REGISTRY.find(({ name }) => name === first)?.load();
  if (entry !== undefined && second === undefined) return entryHelp(entry, width);
  const command =
    entry !== undefined && isGroup(entry) && more.length === 0
      ? entry.commands.find(({ name }) => name === `${first} ${second ?? ''}`)
      : undefined;
  if (command !== undefined) return entryHelp(command, width);
  throw new UsageError(
    `There is no help with ${quoted(words.join(' '))}.`,
    `${meantBy(words, entry)}Commands: see hedge --help. Topics: ${HELP_TOPICS.map(({ name }) => name).join(', ')}.`,
  );
}

const LIST_OF_TOPICS: Page = [
  { title: 'Topics', parts: [rows(HELP_TOPICS.map(({ name, summary }) => [`help ${name}`, summary]))] },
  { title: '', parts: [text('And help COMMAND for one command; which there are: hedge --help')] },
];

/** A word that is right is not suggested in the place of more words. */
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
