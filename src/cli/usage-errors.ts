/** Usage errors for command lines that commander rejects: the fault, and the word that was probably meant. */
import type { Command } from 'commander';
import { closestMatch, didYouMean } from '../domain/did-you-mean.ts';
import { ownField } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { unquoted } from '../domain/quoted.ts';
import { type CommandWords, UsageError } from '../errors.ts';
import { HELP_TOPICS } from './help/topics.ts';

/** Words of other programs and of a dealing room, and the command for each. */
const OTHER_COMMANDS: Readonly<Record<string, CommandWords>> = {
  balance: shell`hedge account`,
  blotter: shell`hedge journal`,
  book: shell`hedge positions`,
  buy: shell`hedge open MARKET buy NOTIONAL --tenor DAYS`,
  cancel: shell`hedge close MARKET SIDE`,
  halts: shell`hedge journal halts`,
  list: shell`hedge hedges`,
  login: shell`hedge profile add NAME`,
  ls: shell`hedge hedges`,
  orders: shell`hedge hedges`,
  pnl: shell`hedge report`,
  rates: shell`hedge price`,
  sell: shell`hedge open MARKET sell NOTIONAL --tenor DAYS`,
  today: shell`hedge`,
  trades: shell`hedge history`,
  undo: shell`hedge close MARKET SIDE`,
  unwind: shell`hedge close MARKET SIDE`,
};

/** Option names of other lists and programs. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  '--day': ['--since'],
  '--date': ['--day', '--since'],
  '--from': ['--since'],
  '--to': ['--until'],
  '--env': ['--environment'],
  '--limit': ['--worst-price'],
  '--open': ['--status'],
  '--week': ['--within'],
  '--status': ['--unresolved'],
  '--ref': ['--deal-id'],
  '--reference': ['--deal-id'],
  '--client-reference': ['--deal-id'],
  '--price-limit': ['--worst-price'],
  '--limit-price': ['--worst-price'],
};

/** Each does without a question or a check: a mistyped word never leads to one. */
const NEVER_MEANT: readonly string[] = [
  '--yes',
  '--resend',
  '--despite',
  '--allow-duplicate',
  '--allow-late-arrival',
  '--any-price',
  '--late',
  '--no-check',
];

/** A command line that commander rejected. */
interface Rejected {
  /** `hedge profile add` */
  name: string;
  /** Its part of the line is wrong. */
  command: Command;
  /** From `hedge` to it. */
  path: readonly Command[];
  argv: readonly string[];
}

/** The usage error for a commander code. */
export function usageError(code: string, { name, command, path, argv }: Rejected): UsageError {
  const see = `See ${name} --help.`;
  const { args, registeredArguments: expected, commands } = command;
  switch (code) {
    case 'commander.help': {
      const names = commands.map((each) => each.name()).join(', ');
      return new UsageError(`${name} needs a command: ${names}.`, see);
    }
    case 'commander.unknownCommand': {
      const word = args[0] ?? '';
      const names = commands.map((each) => each.name());
      const isRoot = path.length === 1;
      const other = isRoot ? ownField(OTHER_COMMANDS, word.toLowerCase()) : undefined;
      if (isRoot && HELP_TOPICS.some(({ name: topic }) => topic === word))
        return new UsageError(
          `Unknown command: ${unquoted(word)}.`,
          say`It is a help topic: ${shell`hedge help ${word}`}`,
        );
      return new UsageError(
        `Unknown command: ${unquoted(word)}.`,
        other === undefined ? `${didYouMean(word, names)}${see}` : say`Did you mean: ${other}. ${see}`,
      );
    }
    case 'commander.unknownOption': {
      // Behind the operands; a negative number is an operand.
      const word = args.find((each) => each.startsWith('-') && !(Number(each) < 0)) ?? '';
      // The value may be a secret.
      const [flag = ''] = word.split('=', 1);
      const flags = path.flatMap(({ options }) =>
        options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? []))),
      );
      const other = ownField(OTHER_NAMES, flag)?.find((each) => flags.includes(each));
      const near = other ?? closestMatch(flag, flags);
      const meant = near === undefined || NEVER_MEANT.includes(near) ? '' : `Did you mean ${near}? `;
      const size = /^-\d+[smhd]/.test(flag)
        ? 'A time is above zero. '
        : /^-[\d.]/.test(flag)
          ? 'A size is above zero. '
          : '';
      return new UsageError(`Unknown option: ${unquoted(flag)}.`, `${size}${meant}${see}`);
    }
    case 'commander.optionMissingArgument': {
      const valued = path.flatMap(({ options }) => options.filter(({ required }) => required));
      // It is the last one: global options are read before those of the command.
      const word = argv.findLast((each) => valued.some(({ long, short }) => [long, short].includes(each)));
      return new UsageError(`${unquoted(word ?? argv.at(-1) ?? '')} needs a value.`, see);
    }
    case 'commander.missingArgument': {
      const missing = expected.find(({ required }, at) => required && args[at] === undefined);
      return new UsageError(`Missing argument: ${missing?.name() ?? ''}.`, see);
    }
    case 'commander.excessArguments': {
      const most = expected.length === 0 ? 'no arguments' : `at most ${expected.length.toString()}`;
      return new UsageError(`Too many arguments: ${name} takes ${most}.`, see);
    }
    default:
      return new UsageError('This command line cannot be read.', see);
  }
}
