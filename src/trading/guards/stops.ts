/** Findings of the pre-trade checks in their order, and the one error that reports every stop (exit 10). Pure. */
import type { Big } from 'big.js';
import type { Quote } from '../../client/schemas.ts';
import { commandText, hintText, step } from '../../domain/hint.ts';
import {
  type ErrorParts,
  type Hint,
  hintLines,
  type OwnCode,
  type Retry,
  StoppedError,
} from '../../errors.ts';
import type { Finding } from '../trading-context.ts';

/** Stops before warnings; the order within each level stays. */
export function stopsFirst(findings: readonly (Finding | undefined)[]): readonly Finding[] {
  const found = findings.filter((each) => each !== undefined);
  return [...found.filter(({ level }) => level === 'stop'), ...found.filter(({ level }) => level === 'warn')];
}

/** Codes that a later attempt may not meet, or that need a check first; all others are `never`. */
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
/** Strictest first: of several stops, the strictest counts. */
const STRICTEST = ['never', 'after_check', 'later'] as const;

/** The stop with the smallest allowed size: what fits it fits all. */
export const tightestOf = (stops: readonly Finding[]): Finding | undefined =>
  stops
    .filter((stop): stop is Finding & { fits: Big } => stop.fits !== undefined)
    .toSorted((one, other) => one.fits.cmp(other.fits))[0];

/** The advice that lets the action through: that of each stop, or of those that nothing on the line can pass. */
function adviceFor(stops: readonly Finding[]): Hint | undefined {
  const tightest = tightestOf(stops);
  const needed = stops.filter((stop) => stop.fits === undefined || stop === tightest);
  const [only, ...more] = needed;
  if (more.length === 0) return only?.hint;
  const blocking = needed.filter(({ code, fits }) => fits?.eq(0) ?? NOT_OF_THE_LINE.includes(code));
  const advice = (
    blocking.length > 0
      ? needed.filter((stop) => blocking.includes(stop) || stop.code === 'unresolved')
      : needed
  ).flatMap(({ hint, override }) => [
    ...hintLines(hint),
    ...(override === undefined || blocking.length > 0
      ? []
      : [step(override.option, `or this option: ${override.risk}`)]),
  ]);
  const once = new Map(advice.map((each) => [hintText(each), each]));
  return [
    blocking.length > 0 ? 'No option lets it through now.' : 'Each reason needs its own step:',
    ...once.values(),
  ];
}

/** Stops that no size and no option can pass. A stop with `fits` zero is one too. */
const NOT_OF_THE_LINE: readonly OwnCode[] = [
  'read_only',
  'limit_exceeded',
  'market_not_found',
  'market_disabled',
];

/** The stop of an action whose price was read. */
export class PricedStopError extends StoppedError {
  readonly quote: Quote | undefined;
  constructor(parts: ErrorParts, quote: Quote | undefined) {
    super(parts);
    this.quote = quote;
  }
}

/** @throws StoppedError with all stops. */
export function checkNoStop(findings: readonly Finding[], quote?: Quote): void {
  const stop = stopFrom(findings, quote);
  if (stop !== undefined) throw stop;
}

/** All stops in one error, with the code of the first; undefined without a stop. */
export function stopFrom(findings: readonly Finding[], quote?: Quote): StoppedError | undefined {
  const stops = findings.filter(({ level }) => level === 'stop');
  const [first] = stops;
  if (first === undefined) return undefined;
  const retries = stops.map(({ code }) => RETRIES[code] ?? 'never');
  // The action that stops this one was sent.
  const nothing = stops.some(({ code }) => code === 'unresolved')
    ? 'Yours was not sent.'
    : 'Nothing was sent.';
  const { override } = first;
  const parts = {
    code: first.code,
    what: stops.map(({ message }) => message).join(' '),
    meaning:
      override === undefined || stops.length > 1
        ? nothing
        : `${nothing} With ${commandText(override.option)} ${override.risk}.`,
    hint: adviceFor(stops),
    retry: STRICTEST.find((retry) => retries.includes(retry)),
    details: {
      findings: stops.map(({ code, message, hint, details }) => ({
        code,
        message,
        ...(hint === undefined ? {} : { hint: hintText(hint) }),
        ...(details === undefined ? {} : { details }),
      })),
    },
  };
  return new PricedStopError(parts, quote);
}
