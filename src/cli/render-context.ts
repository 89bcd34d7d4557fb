/** Per-invocation render context: command, profile, environment and time. */
import { ACCOUNT_COMMANDS } from '../commands/registry.ts';
import { ENVIRONMENT_PAIR } from '../config/profile-names.ts';
import type { CommandPlacing } from '../domain/hint.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { ColumnChoice } from '../output/layout.ts';

/** Known once a profile was selected. */
export interface ProfileIdentity {
  profile: string;
  environment: Environment;
  /** IANA zone for people; documents are always UTC. */
  zone: string;
}

export interface RenderContext {
  /** The command as typed, `profile add`; empty until it is known. */
  command: string;
  aside: string | undefined;
  identity: ProfileIdentity | undefined;
  /** The profile of `--profile`; next commands name it too. */
  named: string | undefined;
  /** The environment line is on standard error already. */
  headed: boolean;
  /** Set by -v. */
  verbose?: boolean;
  /** The columns that were asked for; undefined: the command is no list. */
  list: ColumnChoice | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Commands to copy, under the profile of the command line: without it they would use another account. `named`: the profile
 * of `--profile`. `selected`: the profile in use, by whatever source.
 */
export const placing =
  ({
    named,
    selected = named,
  }: {
    named: string | undefined;
    selected?: string | undefined;
  }): CommandPlacing =>
  (words) => {
    const [program, name = '', ...others] = words;
    // The command works in any shell if it has the name.
    if (words.join(' ') === 'hedge profile show' && selected !== undefined && selected !== ENVIRONMENT_PAIR)
      return [...words, selected];
    return program === 'hedge' && named !== undefined && ACCOUNT_COMMANDS.includes(name)
      ? [program, '--profile', named, name, ...others]
      : words;
  };

export const placingIn = ({ named, identity }: Pick<RenderContext, 'named' | 'identity'>): CommandPlacing =>
  placing({ named, selected: identity?.profile });
