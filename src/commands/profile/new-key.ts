/** The options that give a profile its key, the asking for it, and where it is kept. */

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

export function askForKey(desk: CommandContext, origin: KeyOrigin): Promise<ApiKey> | ApiKey {
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

async function promptFor(desk: CommandContext): Promise<ApiKey> {
  const question = {
    message: 'API key',
    otherwise: '--key-stdin, --key-file FILE or --key-command',
  };
  return desk.keyFrom.text(await desk.prompter.hidden(question));
}

export function whereKept(
  { kind }: KeyOrigin,
  { store, path }: { store: 'file' | 'keychain'; path: string },
): readonly string[] {
  if (kind === 'command') return [];
  return store === 'keychain'
    ? ['The key is kept in the keychain of this machine, and nowhere else.']
    : [`The key is kept in plain text in ${path}, readable by you alone.`];
}
