/**
 * The lines to type that go on with an action, for whoever shows one: made of its state alone. Says what each
 * line does in half a sentence, and knows neither a screen nor the service.
 */
import { type Action, inFlight, isUnresolved } from './fold.ts';

export interface WayOn {
  command: string;
  does: string;
}

/** HEDGE_API_KEY with HEDGE_BASE_URL: no name that `--profile` takes. */
const ENVIRONMENT_PAIR = 'env';

/** Most useful first; empty where its end is known. `selected` is the profile that commands would use as it is. */
export function waysOn(action: Action, selected: string | undefined): readonly WayOn[] {
  const line = (words: string): string => `hedge ${profileOf(action, selected)}${words}`;
  const settle = [
    { as: 'done', does: 'your word: it was done' },
    { as: 'nothing', does: 'your word: it never was' },
  ].map(({ as, does }) => ({
    // A person's word needs no service, so no profile either.
    command: `hedge journal settle ${action.shortId} --as ${as} --because TEXT`,
    does,
  }));
  const look = { command: line(`check ${action.shortId}`), does: 'looks; sends nothing' };
  if (isUnresolved(action)) {
    const resume = {
      command: line(`resume ${action.shortId}`),
      does: 'looks, then asks before it sends again with the same key',
    };
    return [look, resume, ...settle];
  }
  if (inFlight(action) || action.underway)
    return [{ command: line(`wait ${action.shortId}`), does: 'waits for the end' }, look];
  return action.state === 'accepted' ? [look, ...settle] : [];
}

function profileOf({ intent }: Action, selected: string | undefined): string {
  const { profile } = intent;
  return profile === selected || profile === ENVIRONMENT_PAIR ? '' : `--profile ${profile} `;
}
