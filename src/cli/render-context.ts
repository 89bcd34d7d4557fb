/** Per-invocation render context: command, profile, environment, time; and hints under the profile of the line. */
import { ACCOUNT_COMMANDS } from '../commands/registry.ts';
import { withProfileName } from '../config/profile-names.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { HedgeError } from '../errors.ts';
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
  /** With -v. */
  verbose?: boolean;
  /** The columns that were asked for; undefined: the command is no list. */
  list: ColumnChoice | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

const COMMAND = 'hedge ';
/** Commands of an account, and whole quotations: an ID in one may contain such words. */
const OF_AN_ACCOUNT = new RegExp(
  String.raw`(?<![A-Za-z0-9])'[^']*'|"(?:[^"\\]|\\.)*"|\b${COMMAND}(?=(?:${ACCOUNT_COMMANDS.join('|')})\b)`,
  'g',
);

/** Without the profile that the line named, a pasted command would use another account. */
export const withProfile = (text: string, named: string | undefined): string =>
  named === undefined
    ? text
    : text.replace(OF_AN_ACCOUNT, (found) => (found === COMMAND ? `hedge --profile ${named} ` : found));

/** `selected`: the profile in use, by whatever source. */
export const hintFor = (
  { hint }: Pick<HedgeError, 'hint'>,
  named: string | undefined,
  selected = named,
): string | undefined => withProfileName(hint === undefined ? undefined : withProfile(hint, named), selected);
