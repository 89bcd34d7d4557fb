/** Which names a profile can have, and which are taken by the program itself. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';

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
