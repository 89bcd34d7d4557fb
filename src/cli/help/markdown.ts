/**
 * The Markdown of a help topic as a page: headings, paragraphs, lists, numbered ones too, tables of two columns and fenced
 * code. A name in double braces is replaced by a list from the code.
 */
import { namesInBatch, namesOfLists, namesToWatch } from '../../commands/registry.ts';
import { ownField } from '../../domain/fields.ts';
import { OWN_CODES } from '../../errors.ts';
import { EXIT_CODES_BY_SEVERITY } from '../exit-codes.ts';
import { bullets, code, type Page, type Part, paragraph, rows, verbatim } from './page.ts';

/** The exit codes and their meanings, as help and the manual page list them. */
export const EXIT_CODE_ROWS: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'success; an action was filled, or accepted with --no-wait'],
  ['1', 'internal error'],
  ['2', 'invalid command line, or a confirmation is missing without a terminal; nothing was sent'],
  ['3', 'rejected by the service, with its own code; nothing was executed'],
  ['4', 'API key or base URL missing, wrong or in conflict'],
  [
    '5',
    'the service is unreachable, or failing to answer a reading; nothing was executed; also a rate limit that lasts. An action that was sent without a usable response, a 503 included, is 7',
  ],
  [
    '6',
    "unreadable response to a request that changes nothing; or what-if cannot confirm the payoff with the service's figures (payoff_unconfirmed)",
  ],
  [
    '7',
    'outcome unknown: an attempt, now or in an earlier run of the same action, had no response; or readings disagree; or several hedges have one deal ID: use hedge check or hedge resume. Also an open that was filled in part (partial_fill, effect done)',
  ],
  ['8', 'accepted; timed out waiting for the fill: use hedge wait. Of hedge roll run: not settled yet'],
  ['9', 'the order of an open failed or was not executed; nothing was opened'],
  [
    '10',
    'blocked locally by a pre-trade check (a price limit of open, add, deals or roll, too), by an unknown outcome on the side (unresolved) or by --expect-env, or you declined; nothing was sent',
  ],
  [
    '11',
    'a check failed or a condition was not met: a price limit of quote, a bucket of cover outside its band, doctor; reconcile found breaks; or the journal was changed (hedge audit)',
  ],
  [
    '74',
    'the result could not be written (full disk), or --query does not match it; a closed pipe is silent',
  ],
  ['78', 'a hedge data file is corrupt, not owned by you, or unwritable; nothing was sent'],
  [
    'signal',
    'Ctrl-C, TERM, HUP: the process ends by the signal, so a shell loop stops too; what was sent may be executed: hedge check',
  ],
];

const FROM_CODE: Readonly<Record<string, () => string | Promise<string>>> = {
  'exit-codes': () => EXIT_CODE_ROWS.map(([exitCode, meaning]) => `| ${exitCode} | ${meaning} |`).join('\n'),
  'worst-first': () => EXIT_CODES_BY_SEVERITY.join(', '),
  'error-codes': () => OWN_CODES.join(', '),
  'batch-commands': namesInBatch,
  'list-commands': namesOfLists,
  'watch-commands': namesToWatch,
};

/** The title of the topic (`# …`) is left out: a page is shown under its name. */
export async function topicPage(markdown: string): Promise<Page> {
  const parts = markdown.split(/\{\{([a-z-]+)\}\}/);
  const filled = await Promise.all(parts.map(async (each, at) => (at % 2 === 0 ? each : fromCode(each))));
  const sections: { title: string; parts: Part[] }[] = [{ title: '', parts: [] }];
  for (const block of blocksOf(filled.join(''))) {
    const heading = /^(#+) (.*)$/.exec(block[0] ?? '');
    if (heading === null) sections.at(-1)?.parts.push(partOf(block));
    else if (heading[1] !== '#') sections.push({ title: heading[2] ?? '', parts: [] });
  }
  return sections;
}

function fromCode(name: string): string | Promise<string> {
  const made = ownField(FROM_CODE, name);
  if (made === undefined) throw new Error(`{{${name}}} has no list in the code`);
  return made();
}

/** Blocks separated by blank lines; a fence is one block. */
function blocksOf(markdown: string): readonly (readonly string[])[] {
  const blocks: string[][] = [[]];
  let fenced = false;
  for (const line of markdown.split('\n')) {
    const isFence = line.startsWith('```');
    if (line === '' && !fenced) blocks.push([]);
    else if (isFence && !fenced) blocks.push([line]);
    else blocks.at(-1)?.push(line);
    if (isFence) fenced = !fenced;
  }
  return blocks.filter(({ length }) => length > 0);
}

function partOf(block: readonly string[]): Part {
  const [first = ''] = block;
  if (first === '```sh') return code(...block.slice(1, -1));
  if (first.startsWith('```')) return verbatim(...block.slice(1, -1));
  if (first.startsWith('|')) return tableOf(block);
  if (first.startsWith('- ')) return bullets(itemsOf(block, /^- /).map(plain));
  if (NUMBERED.test(first))
    return rows(itemsOf(block, NUMBERED).map((item, at) => [`${(at + 1).toString()}.`, plain(item)]));
  return paragraph(plain(block.join(' ')));
}

const NUMBERED = /^\d+\. /;

const itemsOf = (block: readonly string[], mark: RegExp): readonly string[] =>
  block.reduce<string[]>(
    (items, line) =>
      mark.test(line)
        ? [...items, line.replace(mark, '')]
        : [...items.slice(0, -1), `${items.at(-1) ?? ''} ${line.trim()}`],
    [],
  );

/** Without the header line, which only repeats the section's title. */
const tableOf = (block: readonly string[]): Part =>
  rows(
    block
      .slice(block[1]?.startsWith('|---') === true ? 2 : 0)
      .map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
      .map(([name = '', about = '']) => [plain(name.trim()), plain(about.trim())]),
  );

const plain = (markdown: string): string => markdown.replaceAll(/`|\*\*|\\(?=[|_*])/g, '');
