/**
 * The keychain of the platform: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. It is
 * asked in a process of its own, which is ended when it has not answered in time; nothing is ever kept elsewhere
 * instead. Knows no profile.
 */
import { clean } from '../domain/clean.ts';
import { CredentialError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';

/** Each throws CredentialError when the keychain cannot be used, or does not answer within 3 s. */
export interface Keychain {
  /** Undefined when nothing is kept under that name. */
  read(entry: string): Promise<string | undefined>;
  keep(entry: string, secret: string): Promise<void>;
  /** False: there was nothing to forget. */
  forget(entry: string): Promise<boolean>;
}

export interface KeychainParts {
  /** The program that speaks to it: Node and bin/keychain.js. */
  speaker: readonly [string, ...string[]];
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

const LIMIT_MS = 3_000;
const MAX_BYTES = 65_536;

interface Said {
  secret?: unknown;
  forgotten?: unknown;
  kept?: unknown;
  error?: unknown;
}

export function platformKeychain({ speaker, ...limits }: KeychainParts): Keychain {
  const ask = async (words: readonly string[], stdin?: string): Promise<Said> => {
    // Most keys are kept elsewhere, and what starts a program is slow to load.
    const { runCommand } = await import('../platform/run-command.ts');
    const result = await runCommand([...speaker, ...words], {
      ...limits,
      timeoutMs: LIMIT_MS,
      maxBytes: MAX_BYTES,
      stdin,
    });
    if (result.outcome === 'interrupted') throw unavailable('it was interrupted');
    if (result.outcome === 'timed_out')
      throw unavailable(
        `no answer within ${(LIMIT_MS / 1_000).toString()} s; it may be locked, and asking for its password`,
      );
    const said = result.outcome === 'ended' ? saidIn(result.stdout) : undefined;
    if (said === undefined) throw unavailable('what asks it ended without a word');
    if (said.error !== undefined)
      throw unavailable(typeof said.error === 'string' ? clean(said.error) : 'no reason');
    return said;
  };
  return {
    async read(entry) {
      const { secret } = await ask(['read', entry]);
      return typeof secret === 'string' ? secret : undefined;
    },
    async keep(entry, secret) {
      const { kept } = await ask(['keep', entry], secret);
      if (kept !== true) throw unavailable('it did not say that it kept the key');
    },
    async forget(entry) {
      const { forgotten } = await ask(['forget', entry]);
      return forgotten === true;
    },
  };
}

function saidIn(text: string): Said | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const unavailable = (why: string): CredentialError =>
  new CredentialError({
    code: 'credential_unusable',
    what: `The keychain of this machine cannot be used: ${why.replace(/[.\s]+$/, '')}.`,
    book: 'Nothing was changed, and no key was kept anywhere else.',
    hint: 'Unlock it, or keep the key otherwise: --store file, --key-command with a password store, or HEDGE_API_KEY.',
  });
