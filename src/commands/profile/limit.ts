/** `hedge profile limit` */

import { LIMIT_OPTIONS, readLimitIntent } from '../../args/profile-options.ts';
import { changedLimits, limitsIn, limitsInWords, loosens } from '../../domain/profile-limits.ts';
import { StoppedError } from '../../errors.ts';
import { viewProfileChange } from '../../output/views/profiles.ts';
import { defineCommand } from '../define.ts';
import { storedSummary } from './describe.ts';
export const profileLimit = defineCommand({
  name: 'profile limit',
  summary: 'Set the limits of a profile; none removes one',
  description:
    'An open or add beyond a limit is blocked on this machine. Reduce and close are still allowed, except with --read-only. Limits apply to the profile, not to HEDGE_API_KEY with HEDGE_BASE_URL. Practice has none. A live profile asks before it allows more.',
  operands: [{ name: 'NAME', summary: 'a profile' }],
  options: [
    ...LIMIT_OPTIONS,
    { flags: '--no-read-only', summary: 'allow trading again' },
    { flags: '-y, --yes', summary: 'skip the confirmation' },
  ],
  examples: [
    {
      line: 'hedge profile limit desk --max-notional 50k --max-daily-notional 200k',
      shows: 'at most 50,000 USD per action and 200,000 USD per UTC day',
    },
    { line: 'hedge profile limit desk --max-notional none', shows: 'remove one limit' },
    { line: 'hedge profile limit desk --no-read-only', shows: 'allow trading again' },
  ],
  read: readLimitIntent,
  async run(context, { name, change, yes }) {
    const profiles = await context.profiles();
    const profile = profiles.find(name);
    const { environment } =
      profile === undefined ? { environment: undefined } : storedSummary(name, profile, false);
    const before = profile === undefined ? {} : limitsIn(profile);
    const after = changedLimits(before, change);
    const asks = profile !== undefined && environment !== 'sandbox' && loosens(before, after) && !yes;
    const question = {
      message: `${name} is ${environment === undefined ? 'possibly LIVE' : 'LIVE: real money'}. Limits now: ${limitsInWords(before)}. New: ${limitsInWords(after)}. Allow more?`,
      otherwise: '--yes',
    };
    if (asks && !(await context.prompter.confirm(question)))
      throw new StoppedError({ code: 'declined', what: 'Canceled. The limits are unchanged.' });
    const limits = await profiles.limit(name, change);
    return {
      value: { name, environment, limits, done: `Limits of ${name}: ${limitsInWords(limits)}.`, notes: [] },
    };
  },
  view: viewProfileChange,
});
