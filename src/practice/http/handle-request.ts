/** One request from its API key to its response: rate limit, faults, idempotency, then the book. */
import { catchUp } from '../book/bring-to-now.ts';
import { processDueEvents } from '../book/execute-order.ts';
import { bookContext, bookTime, type OpenedBook, saveBookTime } from '../book/transaction-context.ts';
import { type PracticeEnvironment, PracticeStoreError } from '../domain/practice-types.ts';
import { newToken } from '../domain/random-ids.ts';
import { isInScope } from '../domain/request-match.ts';
import {
  affectsAcceptedAction,
  affectsAnyRequest,
  affectsReplay,
  type FaultEffects,
  isDelayed,
  selectFault,
  standingEffects,
  withoutResponseFaults,
} from '../faults/fault-settings.ts';
import type { FaultStore } from '../faults/fault-store.ts';
import { isOfKind, type ResponseFault } from '../faults/response-faults.ts';
import { ApiError, errorResponse, type PracticeResponse, successResponse } from '../schemas/api-error.ts';
import { type Database, integerColumn } from '../store/database.ts';
import { type FaultyResponse, faultyResponse, rateLimited, unavailable } from './faulty-response.ts';
import type { RequestHead } from './http-messages.ts';
import {
  endBusy,
  type KeyedRequest,
  keyInFlight,
  leaseKey,
  releaseKey,
  storedResponse,
  storeResponse,
} from './idempotency.ts';
import { bearerOf, endpointOf, type ParsedRequest, parseRequest, type RawRequest } from './parse-request.ts';
import type { ReceivedRequest, RequestFault } from './request-log.ts';

export interface ServiceContext extends OpenedBook {
  faults: FaultStore;
  keys: { live: string; test: string };
  /** False: no rate limit. */
  rateLimited: boolean;
  /** Aborted when the service closes. */
  closing: AbortSignal;
}

export interface HandledRequest extends FaultyResponse {
  /** Whether it changed the book. */
  executed?: boolean;
  fault?: RequestFault | undefined;
  /** Set for an internal error. */
  cause?: string;
}

interface FaultDecision {
  effects: FaultEffects;
  fault: ResponseFault | undefined;
  /** True for a step of a script: its fault applies to every request. */
  scripted: boolean;
  /** Already counted toward `once`. */
  counted: boolean;
}

interface IdentifiedRequest {
  environment: PracticeEnvironment;
  path: string;
  parsed: ParsedRequest | ApiError;
  keyed: KeyedRequest | undefined;
}

type Admission = { end: HandledRequest } | { decision: FaultDecision; holder: string };

/** `received` learns the account and the action. */
export async function handleRequest(
  service: ServiceContext,
  raw: RawRequest,
  received: ReceivedRequest,
): Promise<HandledRequest> {
  const { clock, closing, db } = service;
  try {
    received.environment = authenticate(service.keys, raw);
    const request = identify(received.environment, raw);
    if (!(request.parsed instanceof ApiError)) received.action = request.parsed.endpoint.action;
    catchUp(service);
    const admitted = db.transaction(() => admit(service, request, received));
    if ('end' in admitted) return admitted.end;
    const { decision, holder } = admitted;
    const { delay_before_ms: before, delay_after_ms: after } = decision.effects;
    await clock.sleep(before, closing);
    if (closing.aborted) return abandon(service, request, holder);
    const handled = db.transaction(() => executeRequest(service, request, decision, holder));
    if (after === 0) return handled;
    await clock.sleep(after, closing);
    const { keyed } = request;
    if (keyed !== undefined)
      db.transaction(() => endBusy(db, keyed, { holder, wallNow: clock.now(), busyMs: busyMsOf(decision) }));
    return closing.aborted ? { ...handled, delivery: 'lost' } : handled;
  } catch (error) {
    return failedRequest(error);
  }
}

/** Whether the key, the method and the path are accepted: otherwise the body is not worth keeping. */
export function isExpected({ keys }: Pick<ServiceContext, 'keys'>, head: RequestHead): boolean {
  try {
    authenticate(keys, head);
    endpointOf(head);
    return true;
  } catch {
    return false;
  }
}

function authenticate(keys: ServiceContext['keys'], head: Pick<RawRequest, 'headers'>): PracticeEnvironment {
  const key = bearerOf(head);
  if (key === keys.live) return 'live';
  if (key === keys.test) return 'test';
  throw new ApiError('unauthorized', 'Send an API key of this service: Authorization: Bearer <key>.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function identify(environment: PracticeEnvironment, raw: RawRequest): IdentifiedRequest {
  const path = raw.target ?? raw.url;
  try {
    const parsed = parseRequest(raw);
    const keyed = parsed.keyed === undefined ? undefined : { environment, ...parsed.keyed };
    return { environment, path, parsed, keyed };
  } catch (error) {
    if (error instanceof ApiError) return { environment, path, parsed: error, keyed: undefined };
    throw error;
  }
}

/** First transaction: rate limit and faults, and without a delay the execution. Waiting happens between transactions. */
function admit(service: ServiceContext, request: IdentifiedRequest, received: ReceivedRequest): Admission {
  const { db } = service;
  const wallNow = service.clock.now();
  if (service.rateLimited)
    takeToken(db, request.environment, service.settings.current(db).terms.rateLimit, wallNow);
  const decision = decideFault(service, request, received);
  if (!isDelayed(decision.effects)) return { end: executeRequest(service, request, decision, undefined) };
  const holder = newToken(service.random);
  const { keyed } = request;
  if (keyed !== undefined && !isOfKind('before', decision.fault)) {
    const state = keyState(service, keyed, wallNow);
    // Nobody waits for an answer that is known.
    if (state === 'in flight') return { end: executeRequest(service, request, decision, undefined) };
    if (state === 'free') leaseKey(db, keyed, { holder, wallNow, busyMs: delayOf(decision) });
  }
  return { decision, holder };
}

const delayOf = ({ effects }: FaultDecision): number => effects.delay_before_ms + effects.delay_after_ms;

const busyMsOf = ({ effects }: FaultDecision): number => effects.in_flight_seconds * 1000;

function decideFault(
  service: ServiceContext,
  { keyed }: IdentifiedRequest,
  received: ReceivedRequest,
): FaultDecision {
  const { db, faults, clock } = service;
  const draw = (effects: FaultEffects) => selectFault(effects, () => service.random.fraction());
  const current = faults.current(db);
  const step = faults.takeStep(db, current, received);
  if (step !== undefined) return { effects: step, fault: draw(step), scripted: true, counted: true };
  const spared =
    current.spare_replays && keyed !== undefined && keyState(service, keyed, clock.now()) !== 'free';
  const effects = standingEffects(spared ? withoutResponseFaults(current) : current, received);
  const counted = affectsAnyRequest(effects);
  if (counted) faults.countDown(db);
  return { effects, fault: draw(effects), scripted: false, counted };
}

/** Second transaction, or the rest of the first: faults before execution, execution, faults after it. */
function executeRequest(
  service: ServiceContext,
  request: IdentifiedRequest,
  decision: FaultDecision,
  holder: string | undefined,
): HandledRequest {
  const { parsed, keyed } = request;
  const { fault, effects } = decision;
  if (isOfKind('before', fault)) return ended(request, decision, undefined);
  const countDown = (): void => {
    if (!decision.counted) service.faults.countDown(service.db);
  };
  try {
    if (parsed instanceof ApiError) throw parsed;
    const wallNow = service.clock.now();
    const stored = keyed === undefined ? undefined : storedResponse(service.db, keyed, wallNow, holder);
    if (stored !== undefined) {
      if (affectsReplay(effects)) countDown();
      return ended(request, decision, stored, 'accepted');
    }
    const response = runEndpoint(service, { environment: request.environment, parsed, effects, wallNow });
    if (parsed.endpoint.action === undefined) return ended(request, decision, response);
    if (affectsAcceptedAction(effects, keyed !== undefined)) countDown();
    const accepted: HandledRequest = { ...ended(request, decision, response, 'accepted'), executed: true };
    if (keyed === undefined) return accepted;
    const busyMs = busyMsOf(decision);
    // Until its response leaves, the key of a delayed action is in progress.
    const delayMs = effects.delay_after_ms === 0 ? 0 : delayOf(decision);
    storeResponse(service.db, keyed, { response, wallNow, busyMs, delayMs, holder });
    if (busyMs === 0 || fault !== undefined) return accepted;
    return { ...accepted, response: errorResponse(keyInFlight(busyMs)), fault: 'in_flight' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'market_disabled' && !decision.counted) countDisabled(service, request);
    if (keyed !== undefined && holder !== undefined) releaseKey(service.db, keyed, holder);
    return ended(request, decision, errorResponse(error));
  }
}

/** Adds the fault, if it applies: `after` faults apply to accepted actions, a step of a script to every request. */
function ended(
  { path }: IdentifiedRequest,
  { fault, scripted }: FaultDecision,
  response: PracticeResponse | undefined,
  accepted?: 'accepted',
): HandledRequest {
  const applies = scripted || accepted !== undefined || !isOfKind('after', fault);
  if (fault !== undefined && applies) return { ...faultyResponse(fault, { response, path }), fault };
  if (response === undefined) throw new Error('A request without a fault has no response.');
  return { response, delivery: 'whole' };
}

function runEndpoint(
  service: ServiceContext,
  asked: { environment: PracticeEnvironment; parsed: ParsedRequest; effects: FaultEffects; wallNow: number },
): PracticeResponse {
  const { environment, parsed, effects } = asked;
  const time = bookTime(service.db, asked.wallNow);
  const { now } = time;
  const book = bookContext(service);
  processDueEvents(book, environment, now);
  saveBookTime(service.db, time);
  const { endpoint, prepared } = parsed;
  const reply = prepared.run({ ...book, environment, now, faults: effects });
  return successResponse(endpoint.status, reply);
}

/** A request rejected by a disabled market counts if it is in scope. */
function countDisabled({ faults, db }: ServiceContext, { parsed }: IdentifiedRequest): void {
  const current = faults.current(db);
  const action = parsed instanceof ApiError ? undefined : parsed.endpoint.action;
  if (isInScope(current.only, action)) faults.countDown(db);
}

/** `in flight`: a request with this key is in progress. */
function keyState(
  { db }: ServiceContext,
  keyed: KeyedRequest,
  wallNow: number,
): 'free' | 'in flight' | 'used' {
  try {
    return storedResponse(db, keyed, wallNow) === undefined ? 'free' : 'used';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === 'idempotency_in_flight' ? 'in flight' : 'used';
  }
}

/** The service closes while a request waits: frees its key and cuts the connection. */
function abandon({ db }: ServiceContext, { keyed }: IdentifiedRequest, holder: string): HandledRequest {
  if (keyed !== undefined) db.transaction(() => releaseKey(db, keyed, holder));
  return { response: { ...errorResponse(unavailable()), status: 0 }, delivery: 'lost' };
}

/** The response to any error, and the cause of an internal one for the log. */
export function failedRequest(error: unknown): HandledRequest {
  const failed = toApiError(error);
  const whole = { response: errorResponse(failed), delivery: 'whole' } as const;
  return failed.code === 'internal_error' ? { ...whole, cause: causeOf(error) } : whole;
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof PracticeStoreError) {
    if (error.trouble === 'busy') {
      return new ApiError('service_unavailable', 'The book is busy. Try again.', {
        headers: { 'Retry-After': '1' },
      });
    }
    return new ApiError('internal_error', error.message.replace(`${error.path} `, ''));
  }
  return new ApiError('internal_error', 'Internal error of the practice service. Nothing was changed.');
}

/** The error and those below it: `PracticeStoreError: The practice book … is damaged; Error: …`. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}; ${causeOf(error.cause)}`;
}

/** A token bucket per key in wall time; the row holds when it is full again. Throws `rate_limited`. Inside a transaction. */
function takeToken(
  db: Database,
  environment: PracticeEnvironment,
  limit: { burst: number; perSecond: number },
  wallNow: number,
): void {
  const nowUs = Math.floor(wallNow * 1000);
  const tokenUs = Math.ceil(1_000_000 / limit.perSecond);
  const emptyUs = tokenUs * limit.burst;
  const row = db.get('SELECT wall_full_at_us FROM rate_buckets WHERE environment = ?', environment);
  const saved = row === undefined ? nowUs : integerColumn(row, 'wall_full_at_us');
  // More than an empty bucket means that the wall clock was set back: it must not block the caller.
  const fullAt = saved > nowUs + emptyUs ? nowUs : Math.max(saved, nowUs);
  const tooEarlyUs = fullAt + tokenUs - emptyUs - nowUs;
  if (tooEarlyUs > 0) throw rateLimited(Math.max(1, Math.ceil(tooEarlyUs / 1_000_000)));
  db.run(
    'INSERT OR REPLACE INTO rate_buckets (environment, wall_full_at_us) VALUES (?, ?)',
    environment,
    fullAt + tokenUs,
  );
}
