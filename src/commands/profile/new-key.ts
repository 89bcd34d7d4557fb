/** The key of a profile: its options, the prompt, and where it is stored. */

import type { KeyOrigin } from '../../args/profile-options.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import type { CommandContext } from '../command-context.ts';

export const KEY_OPTIONS = [
  { flags: '--key-stdin', summary: 'read the key from standard input' },
  { flags: '--key-file <path>', summary: 'read the key from a file' },
  { flags: '--key-command <json>', summary: 'run this command for the key each time; store no key' },
  {
    flags: '--store <place>',
    summary: 'store the key in a file (plain text, only you can read it) or keychain',
    completes: { words: ['file', 'keychain'] },
  },
] as const;

export const ACCOUNT_OPTION = {
  flags: '--account <label>',
  summary: 'account label, the same on every machine: payroll',
} as const;

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
  { store, path }: { store: 'file' | 'keychain'; path: string },
): readonly string[] {
  if (kind === 'command') return [];
  return store === 'keychain'
    ? ['The key is stored only in the keychain of this machine.']
    : [`The key is stored in plain text in ${path}; only you can read it.`];
}
