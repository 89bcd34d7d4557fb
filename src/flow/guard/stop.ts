/** What guards found, as the one error that ends an action before anything is sent (exit 10). Pure. */
import type { Big } from 'big.js';
import { type OwnCode, type Retry, StoppedError } from '../../errors.ts';
import type { Finding } from '../dealing.ts';

/** Stops before warnings, each kind in the order it was found. */
export const stopsFirst = (findings: readonly Finding[]): readonly Finding[] => [
  ...findings.filter(({ level }) => level === 'stop'),
  ...findings.filter(({ level }) => level === 'warn'),
];

/** Codes of what may have passed when the same line is tried again, and of what has to be looked at first. */
const RETRIES: Readonly<Partial<Record<OwnCode, Retry>>> = {
  exposure_exceeded: 'later',
  capacity_exceeded: 'later',
  insufficient_balance: 'later',
  market_disabled: 'later',
  no_reference: 'later',
  worse_price: 'later',
  cost_too_high: 'later',
  halted: 'later',
  in_flight: 'later',
  unresolved: 'after_check',
};
/** Of several, the one that asks most of the operator. */
const STRICTEST = ['never', 'after_check', 'later'] as const;

/** Of several sizes that are too large: what fits under this one fits under all of them. */
export const tightestOf = (stops: readonly Finding[]): Finding | undefined =>
  stops
    .filter((stop): stop is Finding & { fits: Big } => stop.fits !== undefined)
    .toSorted((one, other) => one.fits.cmp(other.fits))[0];

/** All stops in one error, under the code of the first; undefined when nothing stops. */
export function stopFrom(findings: readonly Finding[]): StoppedError | undefined {
  const stops = findings.filter(({ level }) => level === 'stop');
  const [first] = stops;
  if (first === undefined) return undefined;
  const retries = stops.map(({ code }) => RETRIES[code] ?? 'never');
  return new StoppedError({
    code: first.code,
    what: stops.map(({ says }) => says).join(' '),
    book: 'Nothing was sent.',
    hint: (first.fits === undefined ? first : tightestOf(stops))?.hint,
    retry: STRICTEST.find((retry) => retries.includes(retry)),
    details: {
      findings: stops.map(({ code, says, hint, details }) => ({
        code,
        message: says,
        ...(hint === undefined ? {} : { hint }),
        ...(details === undefined ? {} : { details }),
      })),
    },
  });
}
