/**
 * Which names a profile can have, and which are taken by the program itself.
 *
 * The refusals that several files of the settings share, each worded once.
 */

import { didYouMean } from '../domain/did-you-mean.ts';
import { quoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/redact.ts';
import { CredentialError, UsageError } from '../errors.ts';
/** The built-in profile: the practice service of this machine. */
export const PRACTICE = 'practice';
/** What output calls HEDGE_API_KEY with HEDGE_BASE_URL. */
export const ENVIRONMENT_PAIR = 'env';

const SHAPE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const RESERVED: readonly string[] = [PRACTICE, ENVIRONMENT_PAIR];

/** In any case: `Practice` beside `practice` would only ever be a mistake. */
export const isReserved = (name: string): boolean => RESERVED.includes(name.toLowerCase());

/** Whether a stored profile can have this name. */
export const isProfileName = (name: string): boolean => SHAPE.test(name) && !isReserved(name);

const LABEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * An account label as it is kept and compared: in small letters, so that two machines cannot differ by a capital.
 * `from` says where it was given. @throws UsageError
 */
export function readAccountLabel(text: string, from: string): string {
  if (LABEL.test(text) && !containsKey(text)) return text.toLowerCase();
  throw new UsageError(
    containsKey(text)
      ? `The account label looks like an API key (${from}).`
      : `${quoted(text)} is not an account label (${from}).`,
    'A label has 1 to 64 letters, digits, ., - and _, and begins with a letter or a digit: payroll, ng-treasury',
  );
}

/** The name, or UsageError. */
export function checkProfileName(name: string): string {
  if (isReserved(name)) {
    throw new UsageError(
      `${quoted(name)} is a name of hedge's own.`,
      `${PRACTICE} is built in, and ${ENVIRONMENT_PAIR} stands for HEDGE_API_KEY with HEDGE_BASE_URL. Choose another name.`,
    );
  }
  if (!SHAPE.test(name)) {
    throw new UsageError(
      `${quoted(name)} cannot be the name of a profile.`,
      'A name has 1 to 32 letters, digits, - and _, and begins with a letter or a digit: desk, desk-live',
    );
  }
  return name;
}

const NOTHING_CHANGED = 'Nothing was changed.';

/** A name that no profile has. `from` says where it was named: `HEDGE_PROFILE names`. */
export function unknownProfile(name: string, known: readonly string[], from?: string): CredentialError {
  const names = [...known.toSorted(), PRACTICE];
  return new CredentialError({
    code: 'unknown_profile',
    what:
      from === undefined
        ? `There is no profile ${quoted(name)}.`
        : `${from} ${quoted(name)}, and there is no such profile.`,
    book: NOTHING_CHANGED,
    hint:
      name === ENVIRONMENT_PAIR
        ? 'HEDGE_API_KEY with HEDGE_BASE_URL is used by itself: leave --profile and HEDGE_PROFILE out.'
        : `${didYouMean(name, names)}The profiles are: ${names.join(', ')}. To make one: hedge profile add NAME`,
    details: { known: names },
  });
}

/** A key, or its source, that cannot be used. The text of the key is never part of it. */
export const unusable = (what: string, hint: string, cause?: unknown): CredentialError =>
  new CredentialError({ code: 'credential_unusable', what, book: NOTHING_CHANGED, hint, cause });
