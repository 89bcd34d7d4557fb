/**
 * What becomes of each attempt of an action between a program and a practice service, one after the other: a test lets
 * one through, loses it, rejects it, or holds it on its way and lets it arrive later, when its sender has given up.
 */
import { type Front, type Passed, refusal } from './front.ts';

/**
 * `through`: it is answered. `held`: it stays on its way, and its sender is told of a time-out. `lost`: the same, and it
 * never arrives. `answer lost`: it arrives at once, and its sender is told of a time-out. `rejected`: before the service
 * sees it, by an exposure limit. `turned away`: by the key.
 */
export const ATTEMPTS = ['through', 'held', 'lost', 'answer lost', 'rejected', 'turned away'] as const;
export type AttemptPlan = (typeof ATTEMPTS)[number];

export interface HeldAttempts {
  /** For the attempts from now on, in order; those after the last go through. */
  plan(...attempts: readonly AttemptPlan[]): void;
  /** How many are on their way. */
  held(): number;
  /** The oldest that is held arrives: the status that the service answers with; undefined when none is held. */
  arrive(): Promise<number | undefined>;
  /** Those that are held for longer never arrive. */
  drop(longerThanMs: number): void;
}

const CHANGE = /^POST \/hedges(?:\/(?:add|reduce|close))?$/;
const TIMED_OUT = refusal(504, 'upstream_timeout');

/** `dated`: what is answered, with a Date of its own. */
export function holdAttempts(
  front: Front,
  now: () => number = Date.now,
  dated: (answer: Passed) => Passed = (answer) => answer,
): HeldAttempts {
  let planned: AttemptPlan[] = [];
  let held: { since: number; pass: () => Promise<Passed> }[] = [];
  front.meddle(async (line, pass) => {
    const attempt = CHANGE.test(line) ? (planned.shift() ?? 'through') : 'through';
    switch (attempt) {
      case 'through':
        return dated(await pass());
      case 'held':
        held.push({ since: now(), pass });
        return TIMED_OUT;
      case 'lost':
        return TIMED_OUT;
      case 'answer lost':
        await pass();
        return TIMED_OUT;
      case 'rejected':
        return refusal(400, 'exposure_exceeded');
      case 'turned away':
        return refusal(401, 'unauthorized');
      default:
        return attempt satisfies never;
    }
  });
  return {
    plan(...attempts) {
      planned = [...attempts];
    },
    held: () => held.length,
    arrive: async () => (await held.shift()?.pass())?.status,
    drop(longerThanMs) {
      held = held.filter(({ since }) => now() - since <= longerThanMs);
    },
  };
}
