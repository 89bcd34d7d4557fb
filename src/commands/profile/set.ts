/** `hedge profile set` */

import { type KeyOrigin, readProfileChange } from '../../args/profile-options.ts';
import { parseBaseUrl } from '../../client/base-url.ts';
import {
  checkProfileName,
  checkTimeZone,
  isBuiltIn,
  readAccountLabel,
  readOperatorName,
  unknownProfile,
} from '../../config/profile-names.ts';
import type { StoredProfile } from '../../config/profiles.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { Action } from '../../journal/replay.ts';
import { viewProfileChange } from '../../output/views/profiles.ts';
import { checkNothingIsLost, earlierKeys, keyOf } from '../../trading/account-keys.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../define.ts';
import { changeBuiltIn, readBuiltInChange, removable } from './built-in.ts';
import { ACCOUNT_OPTION, askForKey, KEY_OPTIONS, whereKept } from './new-key.ts';

/** Removes the label. */
const NO_LABEL = 'none';

export const profileSet = defineCommand({
  name: 'profile set',
  summary: 'Change the API key, base address, account label, time zone or operator name of a profile',
  description:
    'A new key is recorded as a replacement: you confirm that it belongs to the same account as the keys before, so that actions sent with those can be checked and resumed. Add the key of another account as another profile. --store alone asks for the key. The account label must be the same on every machine: idempotency keys of deal IDs follow from it. Two accounts at one base address need two labels. The base address cannot be changed while an outcome at the old one is unknown.',
  operands: [{ name: 'NAME', summary: 'a profile' }],
  options: [
    ...KEY_OPTIONS,
    { ...ACCOUNT_OPTION, summary: `${ACCOUNT_OPTION.summary}; ${NO_LABEL} removes it` },
    { flags: '--base-url <address>', summary: 'https address of the service, ending in its version' },
    { flags: '--time-zone <zone>', summary: `time zone of screens: Africa/Lagos; ${NO_LABEL} for UTC` },
    {
      flags: '--operator <name>',
      summary: `name of the person who trades: "Ada O."; ${NO_LABEL} removes it`,
    },
    { flags: '--no-check', summary: 'do not try the key and address on the service' },
  ],
  examples: [
    {
      line: 'pass show hedge/test | hedge profile set desk --key-stdin',
      shows: 'replace the key of the same account',
    },
    { line: 'hedge profile set desk --account payroll', shows: 'label the account' },
    {
      line: 'hedge profile set practice --time-zone Africa/Lagos --operator "Ada O."',
      shows: 'the built-in profiles have these and limits, to practice with',
    },
  ],
  read(raw) {
    const [name = ''] = raw.operands;
    if (isBuiltIn(name)) return { builtIn: readBuiltInChange(name, raw) };
    const intent = readProfileChange(raw);
    const { baseUrl, account } = intent;
    checkProfileName(intent.name);
    return {
      ...intent,
      base: baseUrl === undefined ? undefined : parseBaseUrl(baseUrl),
      label:
        account === undefined || account.toLowerCase() === NO_LABEL
          ? undefined
          : readAccountLabel(account, '--account'),
      unlabel: account?.toLowerCase() === NO_LABEL,
      timeZone: removable(raw, 'timeZone', checkTimeZone),
      operator: removable(raw, 'operator', readOperatorName),
    };
  },
  async run(context, input) {
    if ('builtIn' in input) return changeBuiltIn(context, input.builtIn);
    const { name, base, label, unlabel, keyOrigin, store, check, timeZone, operator } = input;
    const profiles = await context.profiles();
    const stored = profiles.read().profiles;
    const before = stored.get(name);
    if (before === undefined) throw unknownProfile(name, [...stored.keys()]);
    const { actions } = (await context.journal()).read();
    const key = keyOrigin === undefined ? undefined : await askForKey(context, keyOrigin);
    if (key !== undefined) checkEnvironment(name, before, key);

    const changed: Change = (profile) => {
      const { account: _label, ...unlabeled } = profile;
      return {
        ...(unlabel ? unlabeled : profile),
        ...(label === undefined ? {} : { account: label }),
        ...(base === undefined ? {} : { base_url: base.href }),
        ...(timeZone === undefined ? {} : { time_zone: timeZone ?? undefined }),
        ...(operator === undefined ? {} : { operator: operator ?? undefined }),
        ...(key === undefined ? {} : replacing(name, profile, { key, actions })),
      };
    };
    checkNothingIsLost(name, { before, after: changed(before) }, { profiles: stored, actions });
    if (check && (key !== undefined || base !== undefined)) {
      const tried = key ?? (await context.keyFrom.profile(name, before));
      const baseUrl = base?.href ?? before.base_url;
      await (await context.candidateApi({ baseUrl, key: tried, caFile: before.ca_file })).account();
    }
    const place = store ?? (before.api_key_keychain === undefined ? 'file' : 'keychain');
    const given =
      key === undefined || keyOrigin === undefined ? undefined : { key, origin: keyOrigin, place };
    await keep(context, { name, changed, given });
    const left = given === undefined || (await isForgotten(context, before)) ? [] : [leftInKeychain(before)];

    const after = profiles.find(name) ?? before;
    const environment = key?.environment ?? keyOf(after)?.environment;
    return {
      value: {
        name,
        environment,
        done: `Changed ${name}${environment === undefined ? '' : `: ${environment} (${ENVIRONMENT_GLOSS[environment]})`}${key === undefined ? '' : `, key ${key.masked}`}.`,
        notes: [
          ...(base?.warning === undefined ? [] : [base.warning]),
          ...(given === undefined
            ? []
            : [...replaced(after), ...whereKept(given.origin, { store: place, path: profiles.path })]),
          ...left,
          ...(label === undefined ? [] : [`Account label: ${label}. Use the same label on every machine.`]),
        ],
      },
    };
  },
  view: viewProfileChange,
});

type Change = (profile: StoredProfile) => StoredProfile;

interface Given {
  key: ApiKey;
  origin: KeyOrigin;
  place: 'file' | 'keychain';
}

/** Writes the change, and the new key where it is stored. */
async function keep(
  context: CommandContext,
  { name, changed, given }: { name: string; changed: Change; given: Given | undefined },
): Promise<void> {
  const profiles = await context.profiles();
  if (given === undefined) return profiles.change(name, changed);
  const { key, origin, place } = given;
  if (origin.kind === 'command')
    return profiles.change(name, (profile) => ({
      ...keyless(changed(profile)),
      api_key_command: [...origin.argv],
    }));
  return place === 'keychain'
    ? context.vault.replace(name, key.reveal(), (profile, entry) => ({
        ...keyless(changed(profile)),
        api_key_keychain: entry,
      }))
    : profiles.change(name, (profile) => ({ ...keyless(changed(profile)), api_key: key.reveal() }));
}

/** Removes the previous key from the keychain. */
const isForgotten = (context: CommandContext, before: StoredProfile): Promise<boolean> =>
  context.vault.forget(before).then(
    () => true,
    () => false,
  );

const leftInKeychain = ({ api_key_keychain: entry = '' }: StoredProfile): string =>
  `The previous key is still in the keychain of this machine, as hedge ${entry}.`;

/** The fields of a replaced key, without where it is stored. */
const replacing = (
  name: string,
  profile: StoredProfile,
  { key, actions }: { key: ApiKey; actions: readonly Action[] },
): Partial<StoredProfile> => ({
  known_key: { environment: key.environment, fingerprint: key.fingerprint },
  replaced_keys: [...earlierKeys(name, profile, { key, actions })],
});

function keyless(profile: StoredProfile): StoredProfile {
  const { api_key: _key, api_key_command: _command, api_key_keychain: _entry, ...rest } = profile;
  return rest;
}

/** @throws UsageError: a key of another environment belongs to another account. */
function checkEnvironment(name: string, profile: StoredProfile, key: ApiKey): void {
  const before = keyOf(profile)?.environment;
  if (before === undefined || before === key.environment) return;
  throw new UsageError(
    `That API key is for ${key.environment}, and profile ${name} is for ${before}.`,
    `Add it as another profile: hedge profile add NAME --base-url ${profile.base_url}`,
  );
}

const replaced = ({ replaced_keys: keys = [] }: StoredProfile): readonly string[] =>
  keys.length === 0
    ? []
    : [
        `It replaces ${keys.join(', ')} of the same account. Actions sent with ${keys.length === 1 ? 'that key' : 'those keys'} can be checked and resumed.`,
      ];
