/**
 * Every way in which a request and its answer can go wrong, each with what a client can know of an action from it.
 * Knows no socket: the fault proxy plays them.
 */

/**
 * `nothing`: not a byte left. `unclear`: it may have been done. `rate`: a clear no, for now. `refusal`, `key`: a
 * clear no. `answer`: what the service said.
 */
export type Tells = 'nothing' | 'unclear' | 'rate' | 'refusal' | 'key' | 'answer';

export type Play =
  /** The connection is not taken. */
  | { how: 'refused' }
  | { how: 'reset' }
  /** The answer as far as this part of it, then the end of the connection. */
  | { how: 'cut'; where: 'head' | 'body' }
  /** A byte now and then, without end. */
  | { how: 'drip' }
  | { how: 'black_hole' }
  | { how: 'envelope'; status: number; code: string; retryAfter?: string }
  | { how: 'page'; status: number; body: string }
  /** The service's answer, changed. */
  | { how: 'changed'; change: 'shape' | 'echo' };

export interface Fault {
  /** Whether the service gets the request before the trouble comes. */
  acts: boolean;
  tells: Tells;
  play: Play;
}

const HTML = '<!doctype html><title>502 Bad Gateway</title>';

const of = (acts: boolean, tells: Tells, play: Play): Fault => ({ acts, tells, play });
const says = (status: number, code: string, retryAfter?: string): Play => ({
  how: 'envelope',
  status,
  code,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

export const FAULTS = {
  refused: of(false, 'nothing', { how: 'refused' }),
  'reset before': of(false, 'unclear', { how: 'reset' }),
  'reset after': of(true, 'unclear', { how: 'reset' }),
  'head cut': of(true, 'unclear', { how: 'cut', where: 'head' }),
  'body cut': of(true, 'unclear', { how: 'cut', where: 'body' }),
  drip: of(true, 'unclear', { how: 'drip' }),
  'black hole before': of(false, 'unclear', { how: 'black_hole' }),
  'black hole after': of(true, 'unclear', { how: 'black_hole' }),
  'unwell before': of(false, 'unclear', says(503, 'unwell')),
  'unwell after': of(true, 'unclear', says(500, 'unwell')),
  'unwell, as a page': of(true, 'unclear', { how: 'page', status: 502, body: HTML }),
  'slow down': of(false, 'rate', says(429, 'rate_limited')),
  'slow down for 2 s': of(false, 'rate', says(429, 'rate_limited', '2')),
  'slow down for days': of(false, 'rate', says(429, 'rate_limited', '999999')),
  'in flight': of(false, 'unclear', says(409, 'idempotency_in_flight')),
  'in flight, and done': of(true, 'unclear', says(409, 'idempotency_in_flight')),
  'a page': of(true, 'unclear', { how: 'page', status: 200, body: HTML }),
  'half a document': of(true, 'unclear', { how: 'page', status: 200, body: '{"data":{"status":"sub' }),
  'no envelope': of(true, 'unclear', { how: 'page', status: 200, body: '{"status":"submitted"}' }),
  'another shape': of(true, 'unclear', { how: 'changed', change: 'shape' }),
  'another echo': of(true, 'unclear', { how: 'changed', change: 'echo' }),
  'a refusal': of(false, 'refusal', says(400, 'book_closed_for_audit')),
  'a key turned down': of(false, 'key', says(401, 'unauthorized')),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

// The keys of a literal, which a type cannot give back.
export const FAULT_NAMES = Object.keys(FAULTS).filter((name): name is FaultName => name in FAULTS);

export const PHASES = ['before', 'send', 'polls'] as const;
export type Phase = (typeof PHASES)[number];

/** What befalls the requests of a phase, in order; the last of it for ever where `forever` says so. */
export interface Plan {
  faults: Readonly<Record<Phase, readonly FaultName[]>>;
  forever: boolean;
}

export const planText = ({ faults, forever }: Plan): string =>
  PHASES.flatMap((phase) =>
    faults[phase].length === 0 ? [] : [`${phase}: ${faults[phase].join(', ')}`],
  ).join('; ') + (forever ? ', for ever' : '');

export const CALM: Plan = { faults: { before: [], send: [], polls: [] }, forever: false };
