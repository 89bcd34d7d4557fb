/** One request from its API key to its response: rate limit, faults, idempotency, then the book. */
import { catchUp } from '../book/bring-to-now.ts';
import { processDueEvents } from '../book/execute-order.ts';
import { bookContext, bookTime, type OpenedBook, saveBookTime } from '../book/transaction-context.ts';
import {
  type PracticeClock,
  type PracticeEnvironment,
  PracticeStoreError,
} from '../domain/practice-types.ts';
import { newToken } from '../domain/random-ids.ts';
import {
  affectsAcceptedAction,
  affectsAnyRequest,
  affectsReplay,
  type FaultStore,
  type Faults,
  faultsFor,
  type InjectedFault,
  orderFaultsOf,
  selectFault,
  withoutResponseFaults,
} from '../faults.ts';
import { ApiError, errorResponse, type PracticeResponse, successResponse } from '../schemas/api-error.ts';
import { type Database, integerColumn, isBusy } from '../store/database.ts';
import type { RequestHead } from './http-messages.ts';
import {
  type KeyedRequest,
  keyInFlight,
  leaseKey,
  releaseKey,
  storedResponse,
  storeResponse,
} from './idempotency.ts';
import { endpointOf, type ParsedRequest, parseRequest, type RawRequest } from './parse-request.ts';

export interface ServiceContext extends OpenedBook {
  clock: PracticeClock;
  faults: FaultStore;
  keys: { live: string; test: string };
  /** False: no rate limit. */
  rateLimited: boolean;
  /** Aborted when the service closes. */
  closing: AbortSignal;
}

export interface HandledRequest {
  response: PracticeResponse;
  /** True: the connection is cut without a response. */
  lost: boolean;
  environment: PracticeEnvironment | null;
  fault?: InjectedFault;
  /** Of an internal error. */
  cause?: string;
}

interface FaultDecision {
  faults: Faults;
  fault: InjectedFault | undefined;
  /** Already counted toward `once`. */
  counted: boolean;
}

interface IdentifiedRequest {
  environment: PracticeEnvironment;
  parsed: ParsedRequest | ApiError;
  keyed: KeyedRequest | undefined;
}

type Admission = { end: HandledRequest } | { decision: FaultDecision; holder: string };

export async function handleRequest(service: ServiceContext, raw: RawRequest): Promise<HandledRequest> {
  let environment: PracticeEnvironment | null = null;
  try {
    environment = authenticate(service.keys, raw.authorization);
    const request = identify(environment, raw);
    catchUp(service, service.clock);
    const admitted = service.db.transaction(() => admit(service, request));
    if ('end' in admitted) return admitted.end;
    const { decision } = admitted;
    await service.clock.sleep(decision.faults.latency_ms, service.closing);
    if (service.closing.aborted) return abandon(service, request, admitted.holder);
    return service.db.transaction(() => executeRequest(service, request, decision, admitted.holder));
  } catch (error) {
    return { ...failedRequest(error), lost: false, environment };
  }
}

/** Whether the key, the method and the path are accepted: otherwise the body is not worth keeping. */
export function isExpected({ keys }: Pick<ServiceContext, 'keys'>, head: RequestHead): boolean {
  try {
    authenticate(keys, head.authorization);
    endpointOf(head);
    return true;
  } catch {
    return false;
  }
}

function authenticate(keys: ServiceContext['keys'], authorization: string | undefined): PracticeEnvironment {
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (key === keys.live) return 'live';
  if (key === keys.test) return 'test';
  throw new ApiError('unauthorized', 'Send an API key of this service: Authorization: Bearer <key>.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function identify(environment: PracticeEnvironment, raw: RawRequest): IdentifiedRequest {
  try {
    const parsed = parseRequest(raw);
    return {
      environment,
      parsed,
      keyed: parsed.keyed === undefined ? undefined : { environment, ...parsed.keyed },
    };
  } catch (error) {
    if (error instanceof ApiError) return { environment, parsed: error, keyed: undefined };
    throw error;
  }
}

/** First transaction: rate limit and faults, and without latency the execution. Waiting happens between transactions. */
function admit(service: ServiceContext, request: IdentifiedRequest): Admission {
  const wallNow = service.clock.now();
  const { rateLimit } = service.settings.current(service.db).terms;
  if (service.rateLimited) takeToken(service.db, request.environment, rateLimit, wallNow);
  const decision = decideFault(service, request, wallNow);
  if (decision.faults.latency_ms === 0) return { end: executeRequest(service, request, decision, undefined) };
  const name = newToken(service.random);
  const { parsed, keyed } = request;
  const willAct = !(parsed instanceof ApiError) && keyed !== undefined && !isBeforeExecution(decision.fault);
  // A key in use is reported after the wait; a free one is leased until then.
  if (willAct && isKeyFree(service, keyed, wallNow)) leaseKey(service.db, keyed, name, wallNow);
  return { decision, holder: name };
}

function decideFault(service: ServiceContext, request: IdentifiedRequest, wallNow: number): FaultDecision {
  const { parsed, keyed } = request;
  const action = parsed instanceof ApiError ? undefined : parsed.endpoint.action;
  const current = service.faults.current(service.db);
  const spared = current.spare_replays && keyed !== undefined && !isKeyFree(service, keyed, wallNow);
  const faults = faultsFor(spared ? withoutResponseFaults(current) : current, action);
  const counted = affectsAnyRequest(faults);
  if (counted) service.faults.countDown(service.db);
  return { faults, fault: selectFault(faults, () => service.random.fraction()), counted };
}

/** Second transaction, or the rest of the first: faults before execution, execution, faults after it. */
function executeRequest(
  service: ServiceContext,
  request: IdentifiedRequest,
  decision: FaultDecision,
  holder: string | undefined,
): HandledRequest {
  const { environment, parsed, keyed } = request;
  const { fault } = decision;
  if (isBeforeExecution(fault)) return faultBeforeExecution(environment, fault);
  if (parsed instanceof ApiError) return { response: errorResponse(parsed), lost: false, environment };
  try {
    const wallNow = service.clock.now();
    const stored = keyed === undefined ? undefined : storedResponse(service.db, keyed, wallNow, holder);
    if (stored !== undefined) {
      if (!decision.counted && affectsReplay(decision.faults)) service.faults.countDown(service.db);
      return faultAfterExecution(environment, stored, fault);
    }
    const response = runEndpoint(service, { environment, parsed, faults: decision.faults, wallNow });
    if (parsed.endpoint.action === undefined) return { response, lost: false, environment };
    if (!decision.counted && affectsAcceptedAction(decision.faults, keyed !== undefined))
      service.faults.countDown(service.db);
    if (keyed === undefined) return faultAfterExecution(environment, response, fault);
    const busyMs = decision.faults.in_flight_seconds * 1000;
    storeResponse(service.db, keyed, { response, wallNow, busyMs });
    if (busyMs === 0 || fault !== undefined) return faultAfterExecution(environment, response, fault);
    return { response: errorResponse(keyInFlight(busyMs)), lost: false, environment, fault: 'in_flight' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'market_disabled' && !decision.counted) countDisabled(service, parsed);
    if (keyed !== undefined && holder !== undefined) releaseKey(service.db, keyed, holder);
    return { response: errorResponse(error), lost: false, environment };
  }
}

function runEndpoint(
  service: ServiceContext,
  asked: { environment: PracticeEnvironment; parsed: ParsedRequest; faults: Faults; wallNow: number },
): PracticeResponse {
  const { environment, parsed, faults } = asked;
  const { now } = bookTime(service.db, asked.wallNow);
  const book = bookContext(service);
  processDueEvents(book, environment, now);
  saveBookTime(service.db, now);
  return successResponse(parsed.prepared.run({ ...book, environment, now, faults: orderFaultsOf(faults) }));
}

/** A request rejected by a disabled market counts if it is in scope. */
function countDisabled(service: ServiceContext, parsed: ParsedRequest): void {
  const reached = faultsFor(service.faults.current(service.db), parsed.endpoint.action);
  if (reached.once !== null) service.faults.countDown(service.db);
}

type Before = '429' | '5xx_before' | 'lost_before';

function isBeforeExecution(fault: InjectedFault | undefined): fault is Before {
  return fault === '429' || fault === '5xx_before' || fault === 'lost_before';
}

function faultBeforeExecution(environment: PracticeEnvironment, fault: Before): HandledRequest {
  if (fault === '429') return { response: errorResponse(rateLimited(1)), lost: false, environment, fault };
  const response = errorResponse(unavailable());
  if (fault === '5xx_before') return { response, lost: false, environment, fault };
  return { response: { ...response, status: 0 }, lost: true, environment, fault };
}

function faultAfterExecution(
  environment: PracticeEnvironment,
  response: PracticeResponse,
  fault: InjectedFault | undefined,
): HandledRequest {
  if (fault === '5xx_after')
    return { response: errorResponse(unavailable()), lost: false, environment, fault };
  if (fault === 'lost_after') return { response, lost: true, environment, fault };
  return { response, lost: false, environment };
}

function isKeyFree(service: ServiceContext, keyed: KeyedRequest, wallNow: number): boolean {
  try {
    return storedResponse(service.db, keyed, wallNow) === undefined;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The service closes while a request waits: frees its key and cuts the connection. */
function abandon(service: ServiceContext, request: IdentifiedRequest, name: string): HandledRequest {
  const { keyed, environment } = request;
  if (keyed !== undefined) service.db.transaction(() => releaseKey(service.db, keyed, name));
  return { response: { ...errorResponse(unavailable()), status: 0 }, lost: true, environment };
}

function unavailable(): ApiError {
  return new ApiError('service_unavailable', 'The service is temporarily unavailable. Try again.');
}

/** The response to any error, and the cause of an internal one for the log. */
export function failedRequest(error: unknown): Pick<HandledRequest, 'response' | 'cause'> {
  const failed = toApiError(error);
  const response = errorResponse(failed);
  return failed.code === 'internal_error' ? { response, cause: causeOf(error) } : { response };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isBusy(error)) {
    return new ApiError('service_unavailable', 'The book is busy. Try again.', {
      headers: { 'Retry-After': '1' },
    });
  }
  if (error instanceof PracticeStoreError) {
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

function rateLimited(seconds: number): ApiError {
  return new ApiError('rate_limited', 'Rate limit reached. Wait and try again.', {
    headers: { 'Retry-After': String(seconds) },
  });
}
