/** How help is laid out: examples that can be pasted, and the options that every command takes. */
import type { Command as Commander, HelpConfiguration, Option } from 'commander';
import type { Command } from '../commands/define.ts';

export const styleHelp: HelpConfiguration = {
  showGlobalOptions: true,
  // Commander would list a group's own options too, which its commands do not take.
  visibleGlobalOptions: (command) => (command.parent === null ? [] : [...optionsOfProgram(command)]),
  subcommandTerm: (command) =>
    [
      command.name(),
      ...command.registeredArguments.map((argument) => argumentTerm(argument.name(), argument.required)),
    ].join(' '),
};

const optionsOfProgram = (command: Commander): readonly Option[] =>
  command.parent === null ? command.options : optionsOfProgram(command.parent);

/** The examples of a command as help shows them: the line, and under it what it shows. */
export function examplesOf(command: Pick<Command, 'examples'>): string {
  const lines = command.examples.map(({ line, shows }) => `  $ ${line}\n      ${shows}`);
  return `Examples:\n${lines.join('\n')}`;
}

const argumentTerm = (name: string, required: boolean): string => (required ? `<${name}>` : `[${name}]`);
