/** The fields and the key of a profile that `profile add` and `profile set` store. */

import type { KeyOrigin, KeyStore, ProfileIntent } from '../../args/profile-options.ts';
import type { BaseUrl } from '../../client/base-url.ts';
import { readOperatorName } from '../../config/operator-names.ts';
import { readAccountLabel } from '../../config/profile-names.ts';
import type { StoredProfile } from '../../config/profiles.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { changedLimits, limitsIn } from '../../domain/profile-limits.ts';
import type { CommandContext } from '../command-context.ts';

/** @throws UsageError */
export const checkedLabel = (account: ProfileIntent['account']): ProfileIntent['account'] =>
  typeof account === 'string' ? readAccountLabel(account, '--account') : account;

/** @throws UsageError */
export const checkedOperator = (operator: ProfileIntent['operator']): ProfileIntent['operator'] =>
  typeof operator === 'string' ? readOperatorName(operator, '--operator') : operator;

type ProfileFields = Pick<ProfileIntent, 'timeZone' | 'operator' | 'limits'> &
  Partial<Pick<ProfileIntent, 'account' | 'caFile'>> & { base?: BaseUrl | undefined };

/** A profile with the given fields; the others stay. */
export const withFields = <T extends Partial<StoredProfile>>(
  profile: T,
  { base, account, caFile, timeZone, operator, limits }: ProfileFields,
): T => ({
  ...profile,
  ...(base === undefined ? {} : { base_url: base.href }),
  ...(account === undefined ? {} : { account: account ?? undefined }),
  ...(caFile === undefined ? {} : { ca_file: caFile ?? undefined }),
  ...(timeZone === undefined ? {} : { time_zone: timeZone ?? undefined }),
  ...(operator === undefined ? {} : { operator: operator ?? undefined }),
  ...limitsIn(changedLimits(profile, limits)),
});

export function askForKey(context: CommandContext, origin: KeyOrigin): Promise<ApiKey> | ApiKey {
  switch (origin.kind) {
    case 'prompt':
      return promptFor(context);
    case 'standard input':
      return context.keyFrom.standardInput();
    case 'file':
      return context.keyFrom.file(origin.path);
    case 'command':
      return context.keyFrom.command(origin.argv);
    default:
      return origin satisfies never;
  }
}

async function promptFor(context: CommandContext): Promise<ApiKey> {
  const question = {
    message: 'API key',
    otherwise: '--key-stdin, --key-file FILE or --key-command',
  };
  return context.keyFrom.text(await context.prompter.hidden(question));
}

export function whereKept(
  { kind }: KeyOrigin,
  { store, path }: { store: KeyStore; path: string },
): readonly string[] {
  if (kind === 'command') return [];
  return store === 'keychain'
    ? ['The key is stored only in the keychain of this machine.']
    : [`The key is stored in plain text in ${path}; only you can read it.`];
}
