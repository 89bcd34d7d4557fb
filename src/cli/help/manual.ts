/** Manual pages, from the command registry and the help topics. Used only by the build. */
import { type Command, type CommandGroup, isGroup } from '../../commands/define.ts';
import { REGISTRY } from '../../commands/registry.ts';
import { COMMON_OPTIONS, commandPage, DESCRIPTION, optionRows } from './command-help.ts';
import { EXIT_CODE_ROWS, topicPage } from './markdown.ts';
import { type Page, type Part, rows } from './page.ts';
import { HELP_TOPICS, type TopicName } from './topics.ts';

/** File names and their text: hedge.1, hedge-practice-serve.1 for each command, hedge-recovery.7 for each topic. */
export async function manualPages(
  version: string,
  topics: Readonly<Record<TopicName, string>>,
): Promise<Readonly<Record<string, string>>> {
  const entries = await Promise.all(REGISTRY.map((line) => line.load()));
  const pages = [
    ['hedge.1', mainPage()],
    ...entries.flatMap((entry) => [
      [`${pageName(entry)}.1`, isGroup(entry) ? groupSections(entry) : alone(entry)] as const,
      ...(isGroup(entry) ? entry.commands : []).map(
        (command) =>
          [`${pageName(command)}.1`, commandSections(command) + seeAlso(`${pageName(entry)} (1)`)] as const,
      ),
    ]),
    ...(await Promise.all(
      HELP_TOPICS.map(
        async ({ name, summary }) =>
          [
            `hedge-${name}.7`,
            nameSection(`hedge-${name}`, lowered(summary)) +
              topicParts(await topicPage(topics[name])) +
              seeAlso('hedge (1)'),
          ] as const,
      ),
    )),
  ] as const;
  return Object.fromEntries(pages.map(([file, body]) => [file, header(file, version) + body]));
}

const MANUALS: Readonly<Record<string, string>> = { 1: 'User Commands', 7: 'Miscellaneous' };

function header(file: string, version: string): string {
  const [name = '', volume = ''] = file.split('.');
  return `.TH ${word(name.toUpperCase())} ${volume} "" ${word(`hedge ${version}`)} ${word(MANUALS[volume] ?? '')}\n`;
}

const mainPage = (): string =>
  [
    nameSection('hedge', lowered(DESCRIPTION)),
    `${section('synopsis')}.B hedge\n.I COMMAND\n[arguments] [options]\n`,
    `${section('description')}${paragraph(`${DESCRIPTION}.`)}`,
    paragraph(
      'Each command has its own page: man hedge-open, man hedge-practice-serve. Topics are in volume 7: man hedge-recovery.',
    ),
    section('commands'),
    part(rows(REGISTRY.map(({ name, summary }) => [`hedge-${name}(1)`, summary]))),
    section('topics'),
    part(rows(HELP_TOPICS.map(({ name, summary }) => [`hedge-${name}(7)`, summary]))),
    `${section('options of every command')}${part(optionRows(COMMON_OPTIONS))}`,
    section('exit status'),
    part(rows(EXIT_CODE_ROWS)),
  ].join('');

/** `hedge-practice-serve` */
const pageName = ({ name }: { name: string }): string => `hedge-${name.replaceAll(' ', '-')}`;

const alone = (command: Command): string => commandSections(command) + seeAlso('hedge (1)');

/** Its commands have pages of their own. */
function groupSections(group: CommandGroup): string {
  const { summary, main, commands } = group;
  const own =
    main === undefined
      ? nameSection(pageName(group), lowered(summary)) + section('description') + paragraph(summary)
      : commandSections(main);
  const listed = commands.map((command) => [`${pageName(command)}(1)`, command.summary] as const);
  return own + section('commands') + part(rows(listed)) + seeAlso('hedge (1)');
}

function commandSections(command: Command): string {
  const [, usage, ...others] = commandPage(command).filter(isOwn);
  return [
    nameSection(pageName(command), lowered(command.summary)),
    section('synopsis') + (usage?.parts ?? []).map(part).join(''),
    ...others
      .filter(({ parts }) => parts.length > 0)
      .map(({ title, parts }) => section(title) + parts.map(part).join('')),
  ].join('');
}

/** The options of every command are on the page of hedge. */
const isOwn = ({ title }: Page[number]): boolean => title !== 'Options of every command';

const nameSection = (name: string, summary: string): string =>
  `${section('name')}${plain(name)} \\- ${plain(summary.split('. ')[0] ?? '')}\n`;

/** The first letter in lower case, for manual pages; CSV and P&L stay. */
const lowered = (summary: string): string =>
  summary.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

const seeAlso = (...pages: readonly string[]): string =>
  section('see also') + pages.map((page) => `.BR ${page}\n`).join('');

const section = (title: string): string => `.SH ${word(title.toUpperCase())}\n`;

const topicParts = (page: Page): string =>
  page
    .filter(({ parts }) => parts.length > 0)
    .map(({ title, parts }) => section(title === '' ? 'description' : title) + parts.map(part).join(''))
    .join('');

function part(piece: Part): string {
  if (piece.kind === 'text') return paragraph(piece.text);
  if (piece.kind === 'rows')
    return piece.rows.map(([name, about]) => `.TP\n.B ${word(name)}\n${plain(about)}\n`).join('');
  if (piece.kind === 'list') return piece.items.map((item) => `.IP \\(bu 2\n${plain(item)}\n`).join('');
  return `.PP\n.nf\n.RS\n${piece.lines.map((line) => `${plain(line)}\n`).join('')}.RE\n.fi\n`;
}

const paragraph = (piece: string): string => `.PP\n${plain(piece)}\n`;

/** Escapes what roff reads as a command: backslashes, dots and quotes that begin a line, and dashes. */
const plain = (piece: string): string =>
  piece.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&');

const word = (piece: string): string => `"${plain(piece).replaceAll('"', '\\(dq')}"`;
