/** `hedge profile set`, and `hedge profile limit`, a part of it. */

import type { RawInput } from '../../args/option.ts';
import {
  changesMoreThanLimits,
  type KeyOrigin,
  type KeyStore,
  LIMIT_CHANGE_OPTIONS,
  PROFILE_CHANGE_OPTIONS,
  readProfileChange,
} from '../../args/profile-options.ts';
import { parseBaseUrl } from '../../client/base-url.ts';
import { isBuiltIn } from '../../config/profile-names.ts';
import type { StoredProfile } from '../../config/profiles.ts';
import { checkProfileName } from '../../config/profiles.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { say, shell } from '../../domain/hint.ts';
import { changedLimits, limitsIn, limitsInWords, loosens } from '../../domain/profile-limits.ts';
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { Action } from '../../journal/replay.ts';
import { unfinishedChains } from '../../journal/roll-chains.ts';
import { viewProfileChange } from '../../output/views/profiles.ts';
import { checkNothingIsLost, earlierKeys, tryKey } from '../../readings/key-change.ts';
import { identityOf, keyOf, sharedKeyNotes } from '../../readings/known-keys.ts';
import type { ProfileChange } from '../../schema/machine-document.ts';
import { askFirst } from '../ask-first.ts';
import type { CommandContext, CommandOutcome } from '../command-context.ts';
import { defineCommand } from '../define.ts';
import { changeBuiltIn, readBuiltInChange } from './built-in.ts';
import { storedProfile, storedSummary, usedNotes } from './describe.ts';
import { askForKey, checkedLabel, checkedOperator, whereKept, withFields } from './fields.ts';
import { leftBehind } from './left-behind.ts';

const CHANGED_PROFILE = {
  operands: [{ name: 'NAME', summary: 'a profile' }],
  read: readChange,
  run: changeProfile,
  view: viewProfileChange,
} as const;

export const profileSet = defineCommand({
  ...CHANGED_PROFILE,
  name: 'profile set',
  summary: 'Change a profile: key, base URL, account label, time zone, operator name, limits',
  description:
    'Takes every option of profile add and profile limit; the rest of the profile stays. The value none removes an account label, CA file, time zone, operator name or limit. The built-in profiles practice and practice-live can have a time zone, an operator name and limits. A new key is recorded as a replacement: you confirm that it belongs to the same account as the keys before, so that actions sent with those can be checked and resumed. Add the key of another account as another profile. The account label must be the same on every machine; two accounts at one base URL need two labels. The base URL cannot be changed while an outcome at the old one is unknown. A live profile and practice-live ask before their limits allow more.',
  options: PROFILE_CHANGE_OPTIONS,
  examples: [
    {
      line: 'pass show hedge/test | hedge profile set payouts --key-stdin',
      shows: 'replace the key of the same account',
    },
    { line: 'hedge profile set payouts --account payroll', shows: 'label the account' },
    {
      line: 'hedge profile set payouts --time-zone Africa/Lagos --max-notional 50k',
      shows: 'show Lagos times, and limit each open and add',
    },
    {
      line: 'hedge profile set practice --time-zone Africa/Lagos --operator "Ada O."',
      shows: 'the built-in profiles can have these, and limits',
    },
  ],
});

export const profileLimit = defineCommand({
  ...CHANGED_PROFILE,
  name: 'profile limit',
  summary: 'Set the limits of a profile; the value none removes one',
  description:
    'An open or add beyond a limit is blocked on this machine. Reduce and close are still allowed, except with --read-only. A command that is running, such as hedge deals run, keeps to a new limit from its next action on. Limits apply to the profile, not to HEDGE_API_KEY with HEDGE_BASE_URL. The built-in profiles can have limits too. A live profile and practice-live ask before they allow more. hedge profile show NAME shows how much is used today.',
  options: LIMIT_CHANGE_OPTIONS,
  examples: [
    {
      line: 'hedge profile limit payouts --max-notional 50k --max-daily-notional 200k',
      shows: 'at most 50,000 USD per trade and 200,000 USD per UTC day',
    },
    { line: 'hedge profile limit payouts --max-notional none', shows: 'remove one limit' },
    { line: 'hedge profile limit payouts --no-read-only', shows: 'allow trading again' },
  ],
});

function readChange(raw: RawInput) {
  const [name = ''] = raw.operands;
  if (isBuiltIn(name)) return { builtIn: readBuiltInChange(name, raw) };
  checkProfileName(name);
  const intent = readProfileChange(raw);
  const { baseUrl } = intent;
  return {
    ...intent,
    base: baseUrl === undefined ? undefined : parseBaseUrl(baseUrl),
    account: checkedLabel(intent.account),
    operator: checkedOperator(intent.operator),
    isMoreThanLimits: changesMoreThanLimits(intent),
  };
}

async function changeProfile(
  context: CommandContext,
  input: ReturnType<typeof readChange>,
): Promise<CommandOutcome<ProfileChange>> {
  if ('builtIn' in input) return changeBuiltIn(context, input.builtIn);
  const { name, keyOrigin, store, check, yes, isMoreThanLimits, ...fields } = input;
  const { base, account, caFile, timeZone, limits } = fields;
  const profiles = await context.profiles();
  const stored = profiles.read().profiles;
  const before = storedProfile({ profiles: stored }, name);
  if (!yes) await confirmLimits(context, name, { before, after: withFields(before, fields) });
  const key = keyOrigin === undefined ? undefined : await askForKey(context, keyOrigin);
  if (key !== undefined) checkEnvironment(name, before, key);

  // Limits can be set whatever the state of the journal.
  const isOfAccount = [key, base, account].some((each) => each !== undefined);
  const journal = isOfAccount ? (await context.journal()).read() : undefined;
  const actions = journal?.current ?? [];
  const changed: Change = (profile) => ({
    ...withFields(profile, fields),
    ...(key === undefined ? {} : replacing(name, profile, { key, actions })),
  });
  const candidate = changed(before);
  checkNothingIsLost(name, { before, after: candidate }, { profiles: stored, actions });
  const nowMs = context.clock.now();
  const rolls = journal === undefined ? [] : unfinishedChains(journal, { nowMs });
  const lost = leftBehind(
    { before: stored, after: new Map([...stored, [name, candidate]]) },
    { rolls, unresolved: [], inFlight: [] },
  );
  if (check && [key, base, caFile].some((each) => each !== undefined)) {
    const { base_url: baseUrl, ca_file: trusted } = candidate;
    const tried = key ?? (await context.keyFrom.profile(name, before));
    await tryKey(
      () => context.candidateApi({ baseUrl, key: tried, caFile: trusted }),
      `Profile ${name} was NOT changed.`,
    );
  }
  const place = store ?? (before.api_key_keychain === undefined ? 'file' : 'keychain');
  const given = key === undefined || keyOrigin === undefined ? undefined : { key, origin: keyOrigin, place };
  await keep(context, { name, changed, given });
  const left = given === undefined || (await isForgotten(context, before)) ? [] : [leftInKeychain(before)];

  const after = profiles.read().profiles.get(name) ?? before;
  const own = keyOf(after);
  const environment = key?.environment ?? own?.environment;
  const limitsAfter = changedLimits(after, {});
  const limitsLine = `Limits of ${name}: ${limitsInWords(limitsAfter)}.`;
  const placed = environment === undefined ? '' : `: ${environment} (${ENVIRONMENT_GLOSS[environment]})`;
  const withKey = key === undefined ? '' : `, key ${key.masked}`;
  const shared =
    own === undefined || (key ?? base) === undefined
      ? []
      : sharedKeyNotes(identityOf(after, own), name, profiles.read().profiles);
  return {
    value: {
      name,
      environment,
      done: isMoreThanLimits ? `Changed ${name}${placed}${withKey}.` : limitsLine,
      notes: [
        base?.warning ?? [],
        given === undefined
          ? []
          : [...replaced(after), ...whereKept(given.origin, { store: place, path: profiles.path })],
        left,
        lost,
        shared,
        typeof account === 'string' ? `Account label: ${account}. Use the same label on every machine.` : [],
        timeZone === undefined ? [] : `Time zone of screens: ${after.time_zone ?? 'UTC'}.`,
        isMoreThanLimits && Object.keys(limits).length > 0 ? limitsLine : [],
        usedNotes(name, limits),
      ].flat(),
      limits: limitsAfter,
    },
  };
}

/** Asks before a profile that may be live allows more. @throws StoppedError */
async function confirmLimits(
  context: CommandContext,
  name: string,
  { before, after }: { before: StoredProfile; after: StoredProfile },
): Promise<void> {
  const { environment } = storedSummary(name, before, false);
  if (environment === 'sandbox' || !loosens(limitsIn(before), limitsIn(after))) return;
  await askFirst(
    context,
    `${name} is ${environment === undefined ? 'possibly LIVE' : 'LIVE: real money'}. Limits now: ${limitsInWords(before)}. New: ${limitsInWords(after)}. Allow more?`,
    { what: `Canceled. Profile ${name} is unchanged.` },
  );
}

type Change = (profile: StoredProfile) => StoredProfile;

interface Given {
  key: ApiKey;
  origin: KeyOrigin;
  place: KeyStore;
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
    say`Add it as another profile: ${shell`hedge profile add NAME --base-url ${profile.base_url}`}`,
  );
}

const replaced = ({ replaced_keys: keys = [] }: StoredProfile): readonly string[] =>
  keys.length === 0
    ? []
    : [
        `It replaces ${keys.join(', ')} of the same account. Actions sent with ${keys.length === 1 ? 'that key' : 'those keys'} can be checked and resumed.`,
      ];
