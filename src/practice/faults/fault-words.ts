/** The faults that are set, in sentences. */
import type { RequestMatch, RequestScope } from '../domain/request-match.ts';
import { effectsOf, type FaultEffects, type FaultScript, type Faults } from './fault-settings.ts';
import { RESPONSE_FAULT_NAMES, RESPONSE_FAULTS } from './response-faults.ts';

const NOUNS: Readonly<Record<RequestScope, readonly [one: string, many: string]>> = {
  all: ['request', 'requests'],
  readings: ['reading', 'readings'],
  actions: ['action', 'actions'],
  open: ['open', 'opens'],
  add: ['add', 'adds'],
  reduce: ['reduction', 'reductions'],
  close: ['close', 'closes'],
};

/** Without faults there are none. */
export function describeFaults(faults: Faults): string[] {
  const { only, once, disabled_markets: disabled } = faults;
  const isOne = once === 1;
  const [one, many] = NOUNS[only];
  const which = once === null ? many : `the next ${isOne ? one : `${once} ${many}`}`;
  const sentences = partsOf(faults).map(({ share, does }) => {
    const agreed = agreeing(does, isOne);
    if (share === 1) return sentence(`${which} ${agreed}`);
    const percent = `${Math.round(share * 1e6) / 1e4} %`;
    return isOne
      ? sentence(`${which} ${agreed}, with a chance of ${percent}`)
      : sentence(`${percent} of ${which} ${agreeing(does, false)}`);
  });
  return [
    ...sentences,
    ...disabled.map((market) => `${market} is disabled: opens, adds and quotes are rejected (400).`),
    ...(faults.spare_replays ? ['A resend whose key has a response gets no fault.'] : []),
    ...faults.scripts.map(describeScript),
  ];
}

const always = (isSet: boolean, does: string) => (isSet ? [{ share: 1, does }] : []);
const some = (share: number, does: string) => (share > 0 ? [{ share, does }] : []);

/** The effects as verbs, the response faults first; the share of the requests. */
function partsOf(faults: FaultEffects): { share: number; does: string }[] {
  const { delay_before_ms: before, delay_after_ms: after } = faults;
  const { in_flight_seconds: busy, slow_fills_seconds: slow } = faults;
  return [
    ...RESPONSE_FAULT_NAMES.flatMap((name) => some(faults[name], RESPONSE_FAULTS[name].does)),
    ...always(before > 0, `wait{s} ${before} ms before {it} execute{s}`),
    ...always(after > 0, `execute{s}, and get{s} the response ${after} ms later`),
    ...always(busy > 0, `execute{s}, and the key is in progress for ${busy} s (409)`),
    ...always(slow > 0, `fill{s} ${slow} s later`),
    ...some(faults.failing_orders, '{is} accepted, and the order fails'),
    ...some(faults.partial_fills, 'fill{s} for 60 % of the notional'),
  ];
}

function describeScript({ match = {}, steps }: FaultScript): string {
  const { nth = 1, only = 'all' } = match;
  const later = nth === 1 ? '' : ` after ${nth - 1} more`;
  const each = steps.slice(0, MOST_STEPS).map((step) => {
    const effects = effectsOf(step);
    const parts = partsOf(effects).map(({ share, does }) =>
      share === 1 ? agreeing(does, true) : `${agreeing(does, true)} (${share * 100} %)`,
    );
    if (effects.disabled_markets.length > 0)
      parts.push(`finds ${effects.disabled_markets.join(', ')} disabled`);
    return parts.length === 0 ? 'gets no fault' : parts.join(' and ');
  });
  const more = steps.length > MOST_STEPS ? [`and ${steps.length - MOST_STEPS} more`] : [];
  return `The next ${NOUNS[only][1]}${conditionsOf(match)}${later}, in turn: ${[...each, ...more].join('; ')}.`;
}

const MOST_STEPS = 8;

function conditionsOf({ method, path, key, client_reference: reference, environment }: RequestMatch): string {
  const line = [method, path].filter((part) => part !== undefined).join(' ');
  return [
    ...(line === '' ? [] : [` ${line}`]),
    ...(key === undefined ? [] : [` with the key ${key}`]),
    ...(reference === undefined ? [] : [` with the reference ${reference}`]),
    ...(environment === undefined ? [] : [` of the ${environment} account`]),
  ].join('');
}

/** "fail{s} before {it} execute{s}": fails before it executes, fail before they execute. */
const agreeing = (does: string, isOne: boolean): string =>
  does
    .replaceAll('{s}', isOne ? 's' : '')
    .replaceAll('{it}', isOne ? 'it' : 'they')
    .replaceAll('{is}', isOne ? 'is' : 'are');

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
