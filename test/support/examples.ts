/** Every line that help and README tell an operator to type, from where they stand. */
import { readFileSync } from 'node:fs';
import type { Page } from '../../src/cli/help/page.ts';
import { HELP_TOPICS } from '../../src/cli/help/topics.ts';
import { isGroup } from '../../src/commands/define.ts';
import { REGISTRY } from '../../src/commands/registry.ts';

export interface Example {
  line: string;
  /** `quote --help`, `help json`, `README line 37`. */
  from: string;
}

/** None twice. */
export async function everyExample(): Promise<readonly Example[]> {
  const all = [...(await ofCommands()), ...(await ofTopics()), ...ofReadme()];
  return [...new Map(all.toReversed().map((each) => [each.line, each])).values()].toReversed();
}

async function ofCommands(): Promise<readonly Example[]> {
  const entries = await Promise.all(REGISTRY.map((entry) => entry.load()));
  const commands = entries.flatMap((entry) =>
    isGroup(entry) ? [...(entry.main === undefined ? [] : [entry.main]), ...entry.commands] : [entry],
  );
  return commands.flatMap(({ name, examples }) =>
    examples.map(({ line }) => ({ line, from: `${name} --help` })),
  );
}

async function ofTopics(): Promise<readonly Example[]> {
  const topics = await Promise.all(
    HELP_TOPICS.map(async (topic) => ({ from: `help ${topic.name}`, page: await topic.load() })),
  );
  return topics.flatMap(({ from, page }) => linesIn(page).map((line) => ({ line, from })));
}

const linesIn = (page: Page): readonly string[] =>
  page
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.kind === 'code' ? part.lines : []))
    .filter((line) => !line.startsWith('#') && /\bhedge /.test(line));

export const README = new URL('../../README.md', import.meta.url);

/** The batch that the README shows. */
export function payoutsOfReadme(): string {
  const [, lines] = /^\$ cat payouts\.txt\n([^`]*)^```$/m.exec(readFileSync(README, 'utf8')) ?? [];
  if (lines === undefined) throw new Error('the README shows no payouts.txt');
  return lines;
}

/** In a fence of sh the lines of hedge; in any other the lines after a `$`. A line that ends in \\ goes on. */
function ofReadme(): readonly Example[] {
  const found: Example[] = [];
  let fence: string | undefined;
  let begun: Example | undefined;
  for (const [at, text] of readFileSync(README, 'utf8').split('\n').entries()) {
    const opens = /^```(\w*)$/.exec(text)?.[1];
    if (opens !== undefined) {
      fence = fence === undefined ? opens : undefined;
      continue;
    }
    const typed = fence === 'sh' ? /^(?=hedge |\w[^#]*\| hedge )(.*)$/ : /^\$ (?=hedge )(.*)$/;
    const line = begun === undefined ? typed.exec(text)?.[1] : text.trim();
    if (fence === undefined || line === undefined) continue;
    const whole: Example = {
      line: begun === undefined ? line : `${begun.line} ${line}`,
      from: begun?.from ?? `README line ${at + 1}`,
    };
    begun = whole.line.endsWith('\\') ? { ...whole, line: whole.line.slice(0, -1).trimEnd() } : undefined;
    if (begun === undefined) found.push(whole);
  }
  return found;
}
