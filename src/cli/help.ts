/** How help is laid out: examples that can be pasted, and the options that every command takes. */
import type { HelpConfiguration } from 'commander';
import type { Command } from '../commands/define.ts';

export const styleHelp: HelpConfiguration = {
  showGlobalOptions: true,
  subcommandTerm: (command) =>
    [
      command.name(),
      ...command.registeredArguments.map((argument) => argumentTerm(argument.name(), argument.required)),
    ].join(' '),
};

/** The examples of a command as help shows them: the line, and under it what it shows. */
export function examplesOf(command: Pick<Command, 'examples'>): string {
  const lines = command.examples.map(({ line, shows }) => `  $ ${line}\n      ${shows}`);
  return `Examples:\n${lines.join('\n')}`;
}

const argumentTerm = (name: string, required: boolean): string => (required ? `<${name}>` : `[${name}]`);
