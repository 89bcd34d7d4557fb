/** `hedge profile add` */
import { resolve } from 'node:path';
import { LIMIT_OPTIONS, readProfileIntent } from '../../args/profile-options.ts';
import { parseBaseUrl } from '../../client/base-url.ts';
import { checkProfileName, readAccountLabel } from '../../config/profile-names.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { exactInstant } from '../../domain/instants.ts';
import { changedLimits, limitsInWords } from '../../domain/profile-limits.ts';
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import { serviceIdentity } from '../../journal/account-identity.ts';
import { viewProfileChange } from '../../output/views/profiles.ts';
import { knownKeys } from '../../trading/account-keys.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../define.ts';
import { ACCOUNT_OPTION, askForKey, KEY_OPTIONS, whereKept } from './new-key.ts';

export const profileAdd = defineCommand({
  name: 'profile add',
  summary: 'Store an API key and its base address as a profile',
  description:
    'The key is read from a hidden prompt, standard input, a file or a command, never from an argument. It is tried on the service before it is stored. The default profile does not change.',
  operands: [{ name: 'NAME', summary: 'letters, digits, - and _: desk, desk-live', completes: 'nothing' }],
  options: [
    { flags: '--base-url <address>', summary: 'https address of the service, ending in its version' },
    ...KEY_OPTIONS,
    ACCOUNT_OPTION,
    { flags: '--ca-file <path>', summary: 'more certificates to trust (PEM)' },
    { flags: '--time-zone <zone>', summary: 'time zone of screens (default UTC): Africa/Lagos' },
    ...LIMIT_OPTIONS,
    { flags: '--no-check', summary: 'store the key without trying it' },
  ],
  examples: [
    { line: 'hedge profile add desk --base-url https://partner.example/api/v2', shows: 'ask for the key' },
    {
      line: 'pass show hedge/test | hedge profile add desk --base-url https://partner.example/api/v2 --key-stdin',
      shows: 'from a password store',
    },
    {
      line: 'hedge profile add desk --base-url https://partner.example/api/v2 --store keychain',
      shows: 'store the key in the keychain, not in a file',
    },
  ],
  read(raw) {
    const intent = readProfileIntent(raw);
    checkProfileName(intent.name);
    const base = parseBaseUrl(intent.baseUrl);
    const account = intent.account === undefined ? undefined : readAccountLabel(intent.account, '--account');
    return {
      ...intent,
      account,
      base,
      caFile: intent.caFile === undefined ? undefined : resolve(intent.caFile),
    };
  },
  async run(context, { name, base, keyOrigin, store, account, caFile, timeZone, check, limits: asked }) {
    const key = await askForKey(context, keyOrigin);
    if (check) await (await context.candidateApi({ baseUrl: base.href, key, caFile })).account();
    const limits = changedLimits({}, asked);
    const profiles = await context.profiles();
    const profile = {
      base_url: base.href,
      ...(account === undefined ? {} : { account }),
      ...(caFile === undefined ? {} : { ca_file: caFile }),
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
      ...limits,
      added_at: exactInstant(context.clock.now()),
    };
    const kept = { ...profile, known_key: { environment: key.environment, fingerprint: key.fingerprint } };
    if (keyOrigin.kind === 'command')
      await profiles.add(name, { ...kept, api_key_command: [...keyOrigin.argv] });
    else if (store === 'keychain') await context.vault.add(name, { ...kept, api_key: key.reveal() });
    else await profiles.add(name, { ...profile, api_key: key.reveal() });
    const notes = [
      ...(base.warning === undefined ? [] : [base.warning]),
      ...(check ? [] : ['The key was not tried.']),
      ...whereKept(keyOrigin, { store, path: profiles.path }),
      ...(await unlabeledAtAddress(context, name, key)),
      `Limits: ${limitsInWords(limits)}. To set them: hedge profile limit ${name}`,
      `Use it with --profile ${name}, or make it the default: hedge profile use ${name}`,
    ];
    const done = `Added ${name}: ${key.environment} (${ENVIRONMENT_GLOSS[key.environment]}), key ${key.masked}.`;
    return { value: { name, environment: key.environment, done, notes, limits } };
  },
  view: viewProfileChange,
});

/** Warns at once: every action would be blocked. */
async function unlabeledAtAddress(
  context: CommandContext,
  name: string,
  key: ApiKey,
): Promise<readonly string[]> {
  const { profiles } = (await context.profiles()).read();
  const { base_url: address = '', account } = profiles.get(name) ?? {};
  const keyFingerprint = key.fingerprint;
  const identity = serviceIdentity(key.environment, { baseUrl: address, keyFingerprint, account });
  const others = knownKeys(identity, name, profiles).unclearWith.map((other) => other.name);
  return others.length === 0
    ? []
    : [
        `${others.join(', ')}: another key at the same address. Label both accounts before trading: hedge profile set ${name} --account LABEL`,
      ];
}
