/** Valid and reserved profile names and account labels, and the errors that several settings files share. */

import { didYouMean } from '../domain/did-you-mean.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/sanitize.ts';
import { PRACTICE_LIVE } from '../domain/vocabulary.ts';
import { CredentialError, type Hint, UsageError } from '../errors.ts';

/** The built-in profile: the practice service of this machine. */
export const PRACTICE = 'practice';
/** The name in output of HEDGE_API_KEY with HEDGE_BASE_URL. */
export const ENVIRONMENT_PAIR = 'env';

/** The profiles of the practice service: no key, base URL or account label. */
export const BUILT_IN = [PRACTICE, PRACTICE_LIVE] as const;
export type BuiltInName = (typeof BUILT_IN)[number];

export const isBuiltIn = (name: string): name is BuiltInName => BUILT_IN.some((each) => each === name);

export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const RESERVED: readonly string[] = [...BUILT_IN, ENVIRONMENT_PAIR];

/** In any case: a profile `Practice` would be confused with `practice`. */
export const isReserved = (name: string): boolean => RESERVED.includes(name.toLowerCase());

/** Whether a stored profile can have this name. */
export const isProfileName = (name: string): boolean => PROFILE_NAME.test(name) && !isReserved(name);

const LABEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * An account label in lower case, so that two machines cannot differ by a capital. `from`: the option or variable.
 * @throws UsageError
 */
export function readAccountLabel(text: string, from: string): string {
  if (LABEL.test(text) && !containsKey(text)) return text.toLowerCase();
  throw new UsageError(
    containsKey(text)
      ? `The account label looks like an API key (${from}).`
      : `${quoted(text)} is not an account label (${from}).`,
    'A label has 1 to 64 letters, digits, ., - and _, and starts with a letter or a digit: payroll, ng-treasury',
  );
}

const NOTHING_CHANGED = 'Nothing was changed.';

/** `from`: what named the profile: `HEDGE_PROFILE is`. */
export function unknownProfile(name: string, known: readonly string[], from?: string): CredentialError {
  const names = [...known.toSorted(), ...BUILT_IN];
  return new CredentialError({
    code: 'unknown_profile',
    what:
      from === undefined
        ? `There is no profile ${quoted(name)}.`
        : `${from} ${quoted(name)}, but there is no such profile.`,
    meaning: NOTHING_CHANGED,
    hint:
      name === ENVIRONMENT_PAIR
        ? 'HEDGE_API_KEY with HEDGE_BASE_URL needs no profile: remove --profile and HEDGE_PROFILE.'
        : say`${didYouMean(name, names)}Profiles: ${names.join(', ')}. To add one: ${shell`hedge profile add NAME`}`,
    details: { known: names },
  });
}

/** For an API key or key source that cannot be used. Its parameters never contain the key. */
export const unusableKey = (what: string, hint: Hint, cause?: unknown): CredentialError =>
  new CredentialError({ code: 'credential_unusable', what, meaning: NOTHING_CHANGED, hint, cause });
