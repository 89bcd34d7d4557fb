/** `hedge profile add` */
import { PROFILE_OPTIONS, readNewProfile } from '../../args/profile-options.ts';
import { parseBaseUrl } from '../../client/base-url.ts';
import { checkProfileName } from '../../config/profiles.ts';
import { exactInstant } from '../../domain/instants.ts';
import { changedLimits, limitsInWords } from '../../domain/profile-limits.ts';
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import { viewProfileChange } from '../../output/views/profiles.ts';
import { tryKey } from '../../readings/key-change.ts';
import { identityOf, keysOfProfile, sharedKeyNotes } from '../../readings/known-keys.ts';
import { defineCommand } from '../define.ts';
import { askForKey, checkedLabel, checkedOperator, whereKept, withFields } from './fields.ts';

export const profileAdd = defineCommand({
  name: 'profile add',
  summary: 'Store an API key and its base URL as a profile',
  description:
    'The key is read from a hidden prompt, standard input, a file or a command, never from an argument. It is tried on the service before it is stored. The default profile does not change.',
  operands: [{ name: 'NAME', summary: 'letters, digits, - and _: desk, desk-live', completes: 'nothing' }],
  options: PROFILE_OPTIONS,
  examples: [
    { line: 'hedge profile add payouts --base-url https://partner.example/api/v2', shows: 'ask for the key' },
    {
      line: 'pass show hedge/test | hedge profile add payouts --base-url https://partner.example/api/v2 --key-stdin',
      shows: 'from a password store',
    },
    {
      line: 'hedge profile add payouts --base-url https://partner.example/api/v2 --store keychain',
      shows: 'store the key in the keychain, not in a file',
    },
  ],
  read(raw) {
    const intent = readNewProfile(raw);
    checkProfileName(intent.name);
    return {
      ...intent,
      account: checkedLabel(intent.account),
      operator: checkedOperator(intent.operator),
      base: parseBaseUrl(intent.baseUrl),
    };
  },
  async run(context, { name, keyOrigin, store = 'file', check, ...fields }) {
    const { base, caFile } = fields;
    const key = await askForKey(context, keyOrigin);
    const candidate = { baseUrl: base.href, key, caFile: caFile ?? undefined };
    if (check) await tryKey(() => context.candidateApi(candidate), 'The profile was NOT stored.');
    const profiles = await context.profiles();
    const profile = withFields({ base_url: base.href, added_at: exactInstant(context.clock.now()) }, fields);
    const kept = { ...profile, known_key: { environment: key.environment, fingerprint: key.fingerprint } };
    if (keyOrigin.kind === 'command')
      await profiles.add(name, { ...kept, api_key_command: [...keyOrigin.argv] });
    else if (store === 'keychain') await context.vault.add(name, { ...kept, api_key: key.reveal() });
    else await profiles.add(name, { ...profile, api_key: key.reveal() });
    const limits = changedLimits({}, fields.limits);
    const stored = profiles.read().profiles;
    const added = stored.get(name);
    const others = added === undefined ? [] : (keysOfProfile(name, added, stored)?.unclearWith ?? []);
    const notes = [
      ...(base.warning === undefined ? [] : [base.warning]),
      ...(check ? [] : ['The key was not tried.']),
      ...whereKept(keyOrigin, { store, path: profiles.path }),
      // Every action would be blocked.
      ...(others.length === 0
        ? []
        : [
            `${others.map((other) => other.name).join(', ')}: another key at the same base URL. Label both accounts before trading: hedge profile set ${name} --account LABEL`,
          ]),
      ...(added === undefined ? [] : sharedKeyNotes(identityOf(added, key), name, stored)),
      `Limits: ${limitsInWords(limits)}. To set them: hedge profile limit ${name}`,
      `Use it with --profile ${name}, or make it the default: hedge profile use ${name}`,
    ];
    const done = `Added ${name}: ${key.environment} (${ENVIRONMENT_GLOSS[key.environment]}), key ${key.masked}.`;
    return { value: { name, environment: key.environment, done, notes, limits } };
  },
  view: viewProfileChange,
});
