/** The refusals that several files of the settings share, each worded once. */
import { didYouMean } from '../domain/closest.ts';
import { quoted } from '../domain/quoted.ts';
import { CredentialError } from '../errors.ts';
import { ENVIRONMENT_PAIR, PRACTICE } from './profile-names.ts';

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
