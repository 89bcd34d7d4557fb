/** `hedge help WORDS`: hedge itself, a command, a command of a group, or a topic. */
import { isGroup } from '../../commands/define.ts';
import { REGISTRY } from '../../commands/registry.ts';
import { didYouMean } from '../../domain/closest.ts';
import { quoted } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { entryHelp, rootHelp } from './command-help.ts';
import { renderPage } from './page.ts';
import { HELP_TOPICS } from './topics.ts';

/** @throws UsageError for words that name nothing. */
export async function helpWith(words: readonly string[], width: number): Promise<string> {
  const [first, second, ...more] = words;
  if (first === undefined || first === 'help') return rootHelp(width);
  const topic = HELP_TOPICS.find(({ name }) => name === first);
  if (topic !== undefined && second === undefined) return renderPage(await topic.load(), width);
  const entry = await REGISTRY.find(({ name }) => name === first)?.load();
  if (entry !== undefined && second === undefined) return entryHelp(entry, width);
  const command =
    entry !== undefined && isGroup(entry) && more.length === 0
      ? entry.commands.find(({ name }) => name === `${first} ${second ?? ''}`)
      : undefined;
  if (command !== undefined) return entryHelp(command, width);
  throw new UsageError(
    `There is no help with ${quoted(words.join(' '))}.`,
    `${didYouMean(
      first,
      [...REGISTRY, ...HELP_TOPICS].map(({ name }) => name),
    )}Commands: see hedge --help. Topics: ${HELP_TOPICS.map(({ name }) => name).join(', ')}.`,
  );
}
