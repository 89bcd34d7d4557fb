/** The manual page, in the language of man, from the same registry and pages as help. Its one reader is the build. */
import { isGroup } from '../../commands/define.ts';
import { REGISTRY } from '../../commands/registry.ts';
import { commandPage, DESCRIPTION, EVERYWHERE, optionRows } from './command-help.ts';
import type { Page, Part, Section } from './page.ts';
import { HELP_TOPICS } from './topics.ts';

export async function manualPage(version: string): Promise<string> {
  const entries = await Promise.all(REGISTRY.map((line) => line.load()));
  const commands = entries.flatMap((entry) =>
    isGroup(entry) ? [...(entry.main === undefined ? [] : [entry.main]), ...entry.commands] : [entry],
  );
  const topics = await Promise.all(
    HELP_TOPICS.map(async (topic) => section(topic.name.replace('-', ' ')) + parts(await topic.load())),
  );
  return [
    `.TH HEDGE 1 "" ${word(`hedge ${version}`)} "User Commands"\n`,
    `${section('name')}hedge \\- prices and deals naira hedges, safely\n`,
    `${section('synopsis')}.B hedge\n.I COMMAND\n[operands] [options]\n`,
    `${section('description')}${paragraph(DESCRIPTION)}`,
    section('commands'),
    ...commands.map(
      (command) => `.SS ${word(`hedge ${command.name}`)}\n${parts(commandPage(command).filter(OF_ITS_OWN))}`,
    ),
    `${section('options of every command')}${part(optionRows(EVERYWHERE))}`,
    ...topics,
  ].join('');
}

/** What stands once for all commands is left out of each. */
const OF_ITS_OWN = ({ title }: Section): boolean => title !== 'Everywhere';

const section = (title: string): string => `.SH ${word(title.toUpperCase())}\n`;

const parts = (page: Page): string =>
  page
    .filter(({ parts: list }) => list.length > 0)
    .map(
      ({ title, parts: list }) => (title === '' ? '' : `.PP\n.B ${word(title)}\n`) + list.map(part).join(''),
    )
    .join('');

function part(said: Part): string {
  if (said.kind === 'text') return paragraph(said.text);
  if (said.kind === 'rows')
    return said.rows.map(([name, about]) => `.TP\n.B ${word(name)}\n${plain(about)}\n`).join('');
  return `.PP\n.nf\n.RS\n${said.lines.map((line) => `${plain(line)}\n`).join('')}.RE\n.fi\n`;
}

const paragraph = (said: string): string => `.PP\n${plain(said)}\n`;

/** A backslash begins a command of roff, so does a dot or a quote at the beginning of a line; a dash is a hyphen. */
const plain = (said: string): string =>
  said.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&');

const word = (said: string): string => `"${plain(said).replaceAll('"', '\\(dq')}"`;
