/** `hedge profile add`: a key and a base address under a name. */
import { resolve } from 'node:path';
import { parseBaseUrl } from '../../client/base-url.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { exactInstant } from '../../domain/instants.ts';
import { changedLimits, limitsInWords } from '../../domain/profile-limits.ts';
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import { LIMIT_OPTIONS } from '../../intent/limits-intent.ts';
import { type KeyOrigin, readProfileIntent } from '../../intent/profile-intent.ts';
import { viewProfileChange } from '../../present/views/profiles.ts';
import { checkProfileName } from '../../settings/profile-names.ts';
import { defineCommand } from '../define.ts';
import type { Desk } from '../desk.ts';

export const profileAdd = defineCommand({
  name: 'profile add',
  summary: 'keeps a key and its base address under a name',
  description:
    'The key is asked for without being shown, or comes from standard input, a file or a command; it is never an argument. It is tried on the service before anything is kept. The default profile stays what it was.',
  operands: [{ name: 'NAME', summary: 'letters, digits, - and _: desk, desk-live' }],
  options: [
    { flags: '--base-url <address>', summary: 'https address of the service, ending in its version' },
    { flags: '--key-stdin', summary: 'the key comes on standard input' },
    { flags: '--key-file <path>', summary: 'the key stands in a file, alone' },
    { flags: '--key-command <json>', summary: 'a program that prints the key, run each time, never stored' },
    {
      flags: '--store <place>',
      summary: 'where the key is kept: file (plain text, yours alone) or keychain',
    },
    { flags: '--ca-file <path>', summary: 'certificates to trust besides the usual ones (PEM)' },
    { flags: '--time-zone <zone>', summary: 'zone that times are shown in (UTC): Africa/Lagos' },
    ...LIMIT_OPTIONS,
    { flags: '--no-check', summary: 'keeps the key without trying it' },
  ],
  examples: [
    { line: 'hedge profile add desk --base-url https://partner.example/api/v2', shows: 'asks for the key' },
    {
      line: 'pass show hedge/test | hedge profile add desk --base-url https://partner.example/api/v2 --key-stdin',
      shows: 'the same from a password store',
    },
    {
      line: 'hedge profile add desk --base-url https://partner.example/api/v2 --store keychain',
      shows: 'the key goes into the keychain of this machine, not into a file',
    },
  ],
  read(raw) {
    const intent = readProfileIntent(raw);
    checkProfileName(intent.name);
    const base = parseBaseUrl(intent.baseUrl);
    return { ...intent, base, caFile: intent.caFile === undefined ? undefined : resolve(intent.caFile) };
  },
  async run(desk, { name, base, keyOrigin, store, caFile, timeZone, check, limits: asked }) {
    const key = await askFor(desk, keyOrigin);
    if (check) await (await desk.candidateApi({ baseUrl: base.href, key, caFile })).account();
    const limits = changedLimits({}, asked);
    const profiles = await desk.profiles();
    const profile = {
      base_url: base.href,
      ...(caFile === undefined ? {} : { ca_file: caFile }),
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
      ...limits,
      added_at: exactInstant(desk.clock.now()),
    };
    if (keyOrigin.kind === 'command')
      await profiles.add(name, { ...profile, api_key_command: [...keyOrigin.argv] });
    else if (store === 'keychain') await desk.vault.add(name, { ...profile, api_key: key.reveal() });
    else await profiles.add(name, { ...profile, api_key: key.reveal() });
    const notes = [
      ...(base.warning === undefined ? [] : [base.warning]),
      ...(check ? [] : ['The key was not tried.']),
      ...whereKept(keyOrigin, { store, path: profiles.path }),
      `Limits: ${limitsInWords(limits)}. To set them: hedge profile limit ${name}`,
      `Use it with --profile ${name}, or make it the default: hedge profile use ${name}`,
    ];
    const done = `Added ${name}: ${key.environment} (${ENVIRONMENT_GLOSS[key.environment]}), key ${key.masked}.`;
    return { value: { name, environment: key.environment, done, notes, limits } };
  },
  view: viewProfileChange,
});

function whereKept(
  { kind }: KeyOrigin,
  { store, path }: { store: 'file' | 'keychain'; path: string },
): readonly string[] {
  if (kind === 'command') return [];
  return store === 'keychain'
    ? ['The key is kept in the keychain of this machine, and nowhere else.']
    : [`The key is kept in plain text in ${path}, readable by you alone.`];
}

function askFor(desk: Desk, origin: KeyOrigin): Promise<ApiKey> | ApiKey {
  switch (origin.kind) {
    case 'prompt':
      return promptFor(desk);
    case 'standard input':
      return desk.keyFrom.standardInput();
    case 'file':
      return desk.keyFrom.file(origin.path);
    case 'command':
      return desk.keyFrom.command(origin.argv);
    default:
      return origin satisfies never;
  }
}

async function promptFor(desk: Desk): Promise<ApiKey> {
  const question = {
    message: 'API key',
    otherwise: '--key-stdin, --key-file FILE or --key-command',
  };
  return desk.keyFrom.text(await desk.prompter.hidden(question));
}
