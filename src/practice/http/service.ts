/**
 * One request from its key to its answer: rate limit, weather, idempotency and the sitting of the book, each
 * in a transaction; waiting falls between two of them, never inside. Refuses to know sockets.
 */
import { bringTo } from '../book/progress.ts';
import type { Desk } from '../book/sitting.ts';
import { bookTime, keepInstant } from '../book/time.ts';
import type { Environment, PracticeClock, Weather, WeatherStrike } from '../door.ts';
import { holder } from '../ids.ts';
import { isBusy } from '../store/database.ts';
import type { WeatherKeeper } from '../weather/keeper.ts';
import {
  fallsOnAccepted,
  fallsOnAny,
  fallsOnReplay,
  orderWeather,
  skyOver,
  strikeOf,
} from '../weather/sky.ts';
import { type Answer, accepted, refused } from '../wire/envelope.ts';
import { Refusal } from '../wire/refusal.ts';
import { type Call, type Incoming, understand } from './calls.ts';
import { inFlight, type KeyedRequest, keepAnswer, keptAnswer, lease, release } from './idempotency.ts';
import { limited, takeToken } from './rate-limit.ts';

export interface Service extends Desk {
  clock: PracticeClock;
  weather: WeatherKeeper;
  keys: { live: string; test: string };
  /** Aborted when the service closes: whoever waits stops waiting. */
  closing: AbortSignal;
}

export interface Handled {
  answer: Answer;
  /** True: the connection is cut instead of answered. */
  lost: boolean;
  environment: Environment | null;
  strike?: WeatherStrike;
}

/** What the weather has decided for one request. */
interface Fate {
  sky: Weather;
  strike: WeatherStrike | undefined;
  /** The request has used up its turn of a weather that lasts for a number of requests. */
  counted: boolean;
}

interface Caller {
  environment: Environment;
  call: Call | Refusal;
  keyed: KeyedRequest | undefined;
}

type Admitted = { end: Handled } | { fate: Fate; holder: string };

export async function handle(service: Service, incoming: Incoming): Promise<Handled> {
  let environment: Environment | null = null;
  try {
    environment = authenticate(service.keys, incoming.authorization);
    const caller = callerOf(environment, incoming);
    const admitted = service.db.immediate(() => admit(service, caller));
    if ('end' in admitted) return admitted.end;
    const { fate } = admitted;
    await service.clock.sleep(fate.sky.latency_ms, service.closing);
    if (service.closing.aborted) return abandon(service, caller, admitted.holder);
    return service.db.immediate(() => settle(service, caller, fate, admitted.holder));
  } catch (error) {
    return { answer: refused(refusalOf(error)), lost: false, environment };
  }
}

function authenticate(keys: Service['keys'], authorization: string | undefined): Environment {
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (key === keys.live) return 'live';
  if (key === keys.test) return 'test';
  throw new Refusal('unauthorized', 'A key of this service is needed: Authorization: Bearer <key>.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function callerOf(environment: Environment, incoming: Incoming): Caller {
  try {
    const call = understand(incoming);
    return {
      environment,
      call,
      keyed: call.keyed === undefined ? undefined : { environment, ...call.keyed },
    };
  } catch (error) {
    if (error instanceof Refusal) return { environment, call: error, keyed: undefined };
    throw error;
  }
}

/** First transaction: rate limit and weather; without a wait, everything else too. */
function admit(service: Service, caller: Caller): Admitted {
  const wallNow = service.clock.now();
  takeToken(service.db, caller.environment, service.terms.rateLimit, wallNow);
  const fate = fateOf(service, caller, wallNow);
  if (fate.sky.latency_ms === 0) return { end: settle(service, caller, fate, undefined) };
  const name = holder(service.random);
  const { call, keyed } = caller;
  const willAct = !(call instanceof Refusal) && keyed !== undefined && !struckBefore(fate.strike);
  // A key that is taken is answered for after the wait; only a free one is held meanwhile.
  if (willAct && keyFree(service, keyed, wallNow)) lease(service.db, keyed, name, wallNow);
  return { fate, holder: name };
}

function fateOf(service: Service, caller: Caller, wallNow: number): Fate {
  const { call, keyed } = caller;
  const action = call instanceof Refusal ? undefined : call.endpoint.action;
  const current = service.weather.current(service.db);
  const spared = current.spare_replays && keyed !== undefined && !keyFree(service, keyed, wallNow);
  const sky = skyOver(spared ? { ...current, ...untroubled } : current, action);
  const counted = fallsOnAny(sky);
  if (counted) service.weather.countDown(service.db);
  return { sky, strike: strikeOf(sky, () => service.random.fraction()), counted };
}

/** A resend that is spared meets no trouble of answers or latency. */
const untroubled = {
  latency_ms: 0,
  share_429: 0,
  share_5xx_before: 0,
  share_5xx_after: 0,
  share_lost_before: 0,
  share_lost_after: 0,
};

/** Second transaction, or the rest of the first: strikes before the book, then the book, then strikes after it. */
function settle(service: Service, caller: Caller, fate: Fate, holderName: string | undefined): Handled {
  const { environment, call, keyed } = caller;
  const { strike } = fate;
  if (struckBefore(strike)) return beforeTheBook(environment, strike);
  if (call instanceof Refusal) return { answer: refused(call), lost: false, environment };
  try {
    const wallNow = service.clock.now();
    const kept = keyed === undefined ? undefined : keptAnswer(service.db, keyed, wallNow, holderName);
    if (kept !== undefined) {
      if (!fate.counted && fallsOnReplay(fate.sky)) service.weather.countDown(service.db);
      return afterTheBook(environment, kept, strike);
    }
    const answer = act(service, { environment, call, sky: fate.sky, wallNow });
    if (call.endpoint.action === undefined) return { answer, lost: false, environment };
    if (!fate.counted && fallsOnAccepted(fate.sky, keyed !== undefined))
      service.weather.countDown(service.db);
    if (keyed === undefined) return afterTheBook(environment, answer, strike);
    const busyMs = fate.sky.in_flight_seconds * 1000;
    keepAnswer(service.db, keyed, { answer, wallNow, busyMs });
    if (busyMs === 0 || strike !== undefined) return afterTheBook(environment, answer, strike);
    return { answer: refused(inFlight(busyMs)), lost: false, environment, strike: 'in_flight' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'market_disabled' && !fate.counted) countDisabled(service, call);
    if (keyed !== undefined && holderName !== undefined) release(service.db, keyed, holderName);
    return { answer: refused(error), lost: false, environment };
  }
}

function act(
  service: Service,
  asked: { environment: Environment; call: Call; sky: Weather; wallNow: number },
): Answer {
  const { environment, call, sky } = asked;
  const { now } = bookTime(service.db, asked.wallNow);
  bringTo(service, environment, now);
  keepInstant(service.db, now);
  return accepted(
    call.work.run({
      db: service.db,
      terms: service.terms,
      random: service.random,
      environment,
      now,
      weather: orderWeather(sky),
    }),
  );
}

/** A request that a disabled market turned away has had its weather, when the weather reaches such requests. */
function countDisabled(service: Service, call: Call): void {
  const reached = skyOver(service.weather.current(service.db), call.endpoint.action);
  if (reached.once !== null) service.weather.countDown(service.db);
}

type Before = '429' | '5xx_before' | 'lost_before';

function struckBefore(strike: WeatherStrike | undefined): strike is Before {
  return strike === '429' || strike === '5xx_before' || strike === 'lost_before';
}

function beforeTheBook(environment: Environment, strike: Before): Handled {
  if (strike === '429') return { answer: refused(limited(1)), lost: false, environment, strike };
  const answer = refused(unavailable());
  if (strike === '5xx_before') return { answer, lost: false, environment, strike };
  return { answer: { ...answer, status: 0 }, lost: true, environment, strike };
}

function afterTheBook(environment: Environment, answer: Answer, strike: WeatherStrike | undefined): Handled {
  if (strike === '5xx_after') return { answer: refused(unavailable()), lost: false, environment, strike };
  if (strike === 'lost_after') return { answer, lost: true, environment, strike };
  return { answer, lost: false, environment };
}

function keyFree(service: Service, keyed: KeyedRequest, wallNow: number): boolean {
  try {
    return keptAnswer(service.db, keyed, wallNow) === undefined;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** The service closes while a request waits: its key is free again and the connection is cut. */
function abandon(service: Service, caller: Caller, name: string): Handled {
  const { keyed, environment } = caller;
  if (keyed !== undefined) service.db.immediate(() => release(service.db, keyed, name));
  return { answer: { ...refused(unavailable()), status: 0 }, lost: true, environment };
}

function unavailable(): Refusal {
  return new Refusal('service_unavailable', 'The service is unavailable for the moment; try again.');
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (isBusy(error)) {
    return new Refusal('service_unavailable', 'The book is busy; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }
  return new Refusal('internal_error', 'The practice service failed on this request; nothing was changed.');
}
