/** The settings of the faults that a user injects: their schema, changes, and what they apply to. */
import * as z from 'zod';
import { fieldProblems } from '../domain/field-problems.ts';
import { DamagedRecordError, definedFields, hasProtoField, wrongField } from '../domain/practice-types.ts';
import { isInScope, REQUEST_SCOPES, type RequestFacts, requestMatch } from '../domain/request-match.ts';
import { isOfKind, perFault, RESPONSE_FAULT_NAMES, type ResponseFault } from './response-faults.ts';

const aShare = z.number().min(0).max(1);
const aDelay = z.number().int().min(0).max(600_000);

/** A share is 0 to 1 of the requests in scope. Those of the response faults add up to 1 at most. */
const effects = {
  delay_before_ms: aDelay.meta({ description: 'ms of wall time before the request is executed' }),
  delay_after_ms: aDelay.meta({ description: 'ms of wall time between the execution and the response' }),
  ...perFault((name) => aShare.meta({ description: `share of requests that get the fault ${name}` })),
  in_flight_seconds: z.number().min(0).max(86_400).meta({
    description: 'an action with a key is executed, and its key answers idempotency_in_flight for this long',
  }),
  slow_fills_seconds: z
    .number()
    .min(0)
    .max(43_200)
    .meta({ description: 'added to the time from submission to fill' }),
  failing_orders: aShare.meta({ description: 'share of orders that fail' }),
  partial_fills: aShare.meta({ description: 'share of opens that fill at 60 % of their notional' }),
  disabled_markets: z.array(z.string().min(1).max(32)).max(100),
};
const effectsSchema = z.strictObject(effects);

/** Faults that one request may get. */
export type FaultEffects = z.infer<typeof effectsSchema>;

const step = z
  .union([z.enum(['none', ...RESPONSE_FAULT_NAMES]), effectsSchema.partial()])
  .meta({ id: 'FaultStep' });

/** One step for each request that matches; it ends with its last step. */
const scriptSchema = z
  .strictObject({
    match: requestMatch
      .extend({
        nth: z
          .number()
          .int()
          .min(1)
          .max(1_000_000)
          .optional()
          .meta({ description: 'it begins with the nth request that matches' }),
      })
      .optional(),
    steps: z.array(step).min(1).max(1_000),
  })
  .meta({ id: 'FaultScript' });
export type FaultScript = z.infer<typeof scriptSchema>;

export const faultsSchema = z
  .strictObject({
    ...effects,
    only: z.enum(REQUEST_SCOPES),
    spare_replays: z
      .boolean()
      .meta({ description: 'a resend whose key has a stored response gets no fault' }),
    once: z.number().int().min(1).max(1_000_000).nullable().meta({
      description:
        'the faults end after this many requests, scripts apart; faults of orders and after execution count the actions that succeed, a disabled market the requests that name it, all others any request in scope',
    }),
    scripts: z
      .array(scriptSchema)
      .max(100)
      .meta({ description: 'the first that matches a request decides it' }),
  })
  .meta({ id: 'Faults' });
export type Faults = z.infer<typeof faultsSchema>;

const noEffects: FaultEffects = {
  delay_before_ms: 0,
  delay_after_ms: 0,
  ...perFault(() => 0),
  in_flight_seconds: 0,
  slow_fills_seconds: 0,
  failing_orders: 0,
  partial_fills: 0,
  disabled_markets: [],
};

export const noFaults: Faults = { ...noEffects, only: 'all', spare_replays: false, once: null, scripts: [] };

const sumOfShares = (faults: FaultEffects): number =>
  RESPONSE_FAULT_NAMES.reduce((sum, name) => sum + faults[name], 0);

/** Undefined fields change nothing. Throws `PracticeInputError`. */
export function applyFaultChange(
  faults: Faults,
  change: Partial<Faults>,
  markets: ReadonlySet<string>,
): Faults {
  const parsed = fieldProblems(
    faultsSchema,
    { ...faults, ...definedFields(change) },
    'is not a fault setting',
  );
  if ('problems' in parsed) {
    const [{ field, problem }] = parsed.problems;
    throw wrongField(field, problem);
  }
  const { data } = parsed;
  checkEffects('', data, markets);
  for (const [at, script] of data.scripts.entries())
    for (const [index, each] of script.steps.entries())
      checkEffects(`scripts.${at}.steps.${index}.`, effectsOf(each), markets);
  return data;
}

function checkEffects(at: string, faults: FaultEffects, markets: ReadonlySet<string>): void {
  const unknown = faults.disabled_markets.find((market) => !markets.has(market));
  if (unknown !== undefined) {
    throw wrongField(`${at}disabled_markets`, `${unknown} is not a market of the practice service`);
  }
  if (sumOfShares(faults) <= 1 + 1e-9) return;
  throw wrongField(
    `${at}${RESPONSE_FAULT_NAMES.find((name) => faults[name] > 0) ?? ''}`,
    'the shares of the response faults add up to more than 1, with those that were set before',
  );
}

/** Effects of one step of a script. */
export function effectsOf(written: FaultScript['steps'][number]): FaultEffects {
  if (typeof written !== 'string') return { ...noEffects, ...definedFields(written) };
  return written === 'none' ? noEffects : { ...noEffects, [written]: 1 };
}

const AFTER_ACTIONS = RESPONSE_FAULT_NAMES.filter((name) => isOfKind('after', name));
const OF_ACTIONS = [...AFTER_ACTIONS, 'in_flight_seconds', 'slow_fills_seconds', 'failing_orders'] as const;

/** Throws `PracticeInputError` for a fault that no request can meet. */
export function rejectIdle(faults: Faults): Faults {
  const { only, once } = faults;
  const idle = OF_ACTIONS.find((field) => only === 'readings' && faults[field] > 0);
  if (idle !== undefined) throw wrongField(idle, 'it applies to actions, and faults are limited to readings');
  if (faults.partial_fills > 0 && !['all', 'actions', 'open'].includes(only))
    throw wrongField('partial_fills', `it applies to opens, and faults are limited to ${only}`);
  const isSet =
    affectsAnyRequest(faults) || affectsAcceptedAction(faults, true) || faults.disabled_markets.length > 0;
  if (once !== null && !isSet) throw wrongField('once', 'no fault is set');
  return faults;
}

/** Throws `DamagedRecordError`. */
export function readStoredFaults(value: unknown): Faults {
  const fields = typeof value === 'object' && value !== null && !hasProtoField(value) ? value : { value };
  const parsed = faultsSchema.safeParse({ ...noFaults, ...fields });
  if (parsed.success) return parsed.data;
  throw new DamagedRecordError('unreadable faults', { cause: parsed.error });
}

/** The effects on a request; a disabled market is disabled for all. */
export function standingEffects(faults: Faults, { action }: Pick<RequestFacts, 'action'>): FaultEffects {
  return isInScope(faults.only, action)
    ? faults
    : { ...noEffects, disabled_markets: faults.disabled_markets };
}

/** For a resend with `spare_replays`. */
export function withoutResponseFaults(faults: Faults): Faults {
  return { ...faults, delay_before_ms: 0, delay_after_ms: 0, ...perFault(() => 0) };
}

const ON_ANY_REQUEST = RESPONSE_FAULT_NAMES.filter((name) => !isOfKind('after', name));

/** Faults that can apply to any request. */
export function affectsAnyRequest(faults: FaultEffects): boolean {
  return isDelayed(faults) || ON_ANY_REQUEST.some((name) => faults[name] > 0);
}

export const isDelayed = ({ delay_before_ms, delay_after_ms }: FaultEffects): boolean =>
  delay_before_ms > 0 || delay_after_ms > 0;

/** Faults that only apply to an action that succeeds. */
export function affectsAcceptedAction(faults: FaultEffects, keyed: boolean): boolean {
  const onOrders = faults.slow_fills_seconds > 0 || faults.failing_orders > 0 || faults.partial_fills > 0;
  return onOrders || affectsReplay(faults) || (keyed && faults.in_flight_seconds > 0);
}

/** Faults that also apply to a stored response. */
export function affectsReplay(faults: FaultEffects): boolean {
  return AFTER_ACTIONS.some((name) => faults[name] > 0);
}

/** At most one per request; `fraction` draws from [0, 1). */
export function selectFault(faults: FaultEffects, fraction: () => number): ResponseFault | undefined {
  if (sumOfShares(faults) === 0) return undefined;
  let left = fraction();
  for (const fault of RESPONSE_FAULT_NAMES) {
    if (left < faults[fault]) return fault;
    left -= faults[fault];
  }
  return undefined;
}
