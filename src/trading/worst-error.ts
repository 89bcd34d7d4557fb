/** The error and the effect that a command over several actions ends with. Pure. */
import { type Effect, ERROR_KINDS, type HedgeError, kindOf } from '../errors.ts';

/** An unknown effect is the worst. */
const rankOf = (error: HedgeError): number =>
  error.effect === 'unknown' ? -1 : ERROR_KINDS.indexOf(kindOf(error));

export const bySeverity = (one: HedgeError, other: HedgeError): number => rankOf(one) - rankOf(other);

/** The first of the worst kind. */
export const worstError = (errors: readonly HedgeError[]): HedgeError | undefined =>
  errors.toSorted(bySeverity)[0];

const EFFECTS_BY_SEVERITY: readonly Effect[] = ['unknown', 'pending', 'done', 'none'];

/** The worst of the actions of one command; `none` without any. */
export const worstEffect = (effects: readonly Effect[]): Effect =>
  EFFECTS_BY_SEVERITY.find((each) => effects.includes(each)) ?? 'none';
