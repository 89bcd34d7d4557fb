/** Faults that a user injects: their settings, where they are stored, and which of them a request gets. */

import * as z from 'zod';
import {
  DamagedRecordError,
  definedFields,
  ORDER_KINDS,
  type OrderKind,
  PracticeInputError,
} from './domain/practice-types.ts';
import { type Database, textColumn } from './store/database.ts';

/** Which requests get faults: all, reads, actions, or one action. */
export type FaultScope = 'all' | 'readings' | 'actions' | OrderKind;

/** The fault of one request, as the log names it. */
export type InjectedFault = '429' | '5xx_before' | '5xx_after' | 'lost_before' | 'lost_after' | 'in_flight';

/** A share is 0 to 1 of the requests in scope. The five response faults exclude one another and add up to 1 at most. */
export interface Faults {
  /** Wall time before the request is executed. */
  latency_ms: number;
  /** 429 `rate_limited`, not executed. */
  share_429: number;
  /** 503, not executed. */
  share_5xx_before: number;
  /** 503, executed; the response is stored under the key. */
  share_5xx_after: number;
  /** Connection cut, not executed. */
  share_lost_before: number;
  /** Connection cut, executed; the response is stored under the key. */
  share_lost_after: number;
  /**
   * An action with an idempotency key is executed, but its key answers 409 `idempotency_in_flight` for this long
   * (wall time), to the first request too. Then it gives the stored response.
   */
  in_flight_seconds: number;
  /** Added to the time from submission to fill (book time). */
  slow_fills_seconds: number;
  share_failing_orders: number;
  /** Share of opens that fill at 60 % of their notional. */
  share_partial_fills: number;
  /** Listed as `disabled`; quotes, opens and adds get 400 `market_disabled`. */
  disabled_markets: string[];
  only: FaultScope;
  /** True: a resend whose key has a stored response gets no fault. */
  spare_replays: boolean;
  /**
   * Faults are cleared after this many requests; null: never. A request counts if it is in scope and a fault can apply
   * to it: faults "after", of keys and of orders apply to actions that succeed, a disabled market to requests that
   * name it, all others to any request.
   */
  once: number | null;
}

const noResponseFaults = {
  latency_ms: 0,
  share_429: 0,
  share_5xx_before: 0,
  share_5xx_after: 0,
  share_lost_before: 0,
  share_lost_after: 0,
};

export const noFaults: Faults = {
  ...noResponseFaults,
  in_flight_seconds: 0,
  slow_fills_seconds: 0,
  share_failing_orders: 0,
  share_partial_fills: 0,
  disabled_markets: [],
  only: 'all',
  spare_replays: false,
  once: null,
};

const aShare = z.number().min(0).max(1);

/** All settings of the faults. */
export const faultsSchema = z.strictObject({
  latency_ms: z.number().int().min(0).max(600_000),
  share_429: aShare,
  share_5xx_before: aShare,
  share_5xx_after: aShare,
  share_lost_before: aShare,
  share_lost_after: aShare,
  in_flight_seconds: z.number().min(0).max(86_400),
  slow_fills_seconds: z.number().min(0).max(43_200),
  share_failing_orders: aShare,
  share_partial_fills: aShare,
  disabled_markets: z.array(z.string().min(1).max(32)).max(100),
  only: z.enum(['all', 'readings', 'actions', ...ORDER_KINDS]),
  spare_replays: z.boolean(),
  once: z.number().int().min(1).max(1_000_000).nullable(),
});

function sumOfShares(faults: Faults): number {
  const { share_429, share_5xx_before, share_5xx_after, share_lost_before, share_lost_after } = faults;
  return share_429 + share_5xx_before + share_5xx_after + share_lost_before + share_lost_after;
}

/** Undefined fields change nothing. Throws `PracticeInputError`. */
export function applyFaultChange(
  faults: Faults,
  change: Partial<Faults>,
  markets: ReadonlySet<string>,
): Faults {
  const parsed = faultsSchema.safeParse({ ...faults, ...definedFields(change) });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : (issue?.path.join('.') ?? '');
    throw new PracticeInputError(field, `${field}: ${issue?.message ?? 'is not a fault setting'}.`);
  }
  const unknown = parsed.data.disabled_markets.find((market) => !markets.has(market));
  if (unknown !== undefined) {
    throw new PracticeInputError(
      'disabled_markets',
      `disabled_markets: ${unknown} is not a market of the practice service.`,
    );
  }
  if (sumOfShares(parsed.data) > 1 + 1e-9) {
    throw new PracticeInputError(
      'share_429',
      'The shares of 429, 5xx and lost responses add up to more than 1.',
    );
  }
  return parsed.data;
}

const OF_ACTIONS = [
  'share_5xx_after',
  'share_lost_after',
  'in_flight_seconds',
  'slow_fills_seconds',
  'share_failing_orders',
] as const;

/** Throws `PracticeInputError` for a fault that no request can meet. */
export function rejectIdle(faults: Faults): Faults {
  const { only, once } = faults;
  const idle = OF_ACTIONS.find((field) => only === 'readings' && faults[field] > 0);
  if (idle !== undefined)
    throw new PracticeInputError(idle, `${idle}: it applies to actions, and faults are limited to readings.`);
  if (faults.share_partial_fills > 0 && !['all', 'actions', 'open'].includes(only))
    throw new PracticeInputError(
      'share_partial_fills',
      `share_partial_fills: it applies to opens, and faults are limited to ${only}.`,
    );
  const isSet =
    affectsAnyRequest(faults) || affectsAcceptedAction(faults, true) || faults.disabled_markets.length > 0;
  if (once !== null && !isSet) throw new PracticeInputError('once', 'once: no fault is set.');
  return faults;
}

export function encodeFaults(faults: Faults): string {
  return JSON.stringify(faults);
}

export function decodeFaults(text: string): Faults {
  try {
    // An older store lacks the newer settings.
    return faultsSchema.parse({ ...noFaults, ...JSON.parse(text) });
  } catch (cause) {
    throw new DamagedRecordError('unreadable faults', { cause });
  }
}

/** The faults that apply to a request; `action` is undefined for a read. A disabled market is disabled for all. */
export function faultsFor(faults: Faults, action: OrderKind | undefined): Faults {
  return inScope(faults, action) ? faults : { ...noFaults, disabled_markets: faults.disabled_markets };
}

/** For a resend with `spare_replays`. */
export function withoutResponseFaults(faults: Faults): Faults {
  return { ...faults, ...noResponseFaults };
}

function inScope(faults: Faults, action: OrderKind | undefined): boolean {
  switch (faults.only) {
    case 'all':
      return true;
    case 'readings':
      return action === undefined;
    case 'actions':
      return action !== undefined;
    case 'open':
    case 'add':
    case 'reduce':
    case 'close':
      return action === faults.only;
    default:
      return faults.only satisfies never;
  }
}

/** Faults that can apply to any request. */
export function affectsAnyRequest(faults: Faults): boolean {
  return (
    faults.latency_ms > 0 ||
    faults.share_429 > 0 ||
    faults.share_5xx_before > 0 ||
    faults.share_lost_before > 0
  );
}

/** Faults that only apply to an action that succeeds. */
export function affectsAcceptedAction(faults: Faults, keyed: boolean): boolean {
  const onOrders =
    faults.slow_fills_seconds > 0 || faults.share_failing_orders > 0 || faults.share_partial_fills > 0;
  return onOrders || affectsReplay(faults) || (keyed && faults.in_flight_seconds > 0);
}

/** Faults that also apply to a stored response. */
export function affectsReplay(faults: Faults): boolean {
  return faults.share_5xx_after > 0 || faults.share_lost_after > 0;
}

/** At most one per request; `fraction` draws from [0, 1). */
export function selectFault(faults: Faults, fraction: () => number): InjectedFault | undefined {
  if (sumOfShares(faults) === 0) return undefined;
  let left = fraction();
  const shares: [InjectedFault, number][] = [
    ['429', faults.share_429],
    ['5xx_before', faults.share_5xx_before],
    ['lost_before', faults.share_lost_before],
    ['5xx_after', faults.share_5xx_after],
    ['lost_after', faults.share_lost_after],
  ];
  for (const [fault, probability] of shares) {
    if (left < probability) return fault;
    left -= probability;
  }
  return undefined;
}

/** The faults of orders and markets. */
export interface OrderFaults {
  slowFillsMs: number;
  shareFailing: number;
  sharePartial: number;
  disabled: ReadonlySet<string>;
}

export function orderFaultsOf(faults: Faults): OrderFaults {
  return {
    slowFillsMs: Math.round(faults.slow_fills_seconds * 1000),
    shareFailing: faults.share_failing_orders,
    sharePartial: faults.share_partial_fills,
    disabled: new Set(faults.disabled_markets),
  };
}

export interface FaultStore {
  /** The stored faults, overridden by this service's own. */
  current(db: Database): Faults;
  /** Uses up one request of `once`. Inside a transaction. */
  countDown(db: Database): void;
  /** Changes the stored faults; this service's own do not override what was changed. */
  set(db: Database, change: Partial<Faults>): Faults;
  /** This service's own too. */
  clear(db: Database): Faults;
}

/** `marketsOf`: those of the settings in force. */
export function makeFaultStore(
  marketsOf: (db: Database) => ReadonlySet<string>,
  initial?: Partial<Faults>,
): FaultStore {
  let own: Partial<Faults> = initial ?? {};
  let last = { text: encodeFaults(noFaults), faults: noFaults };

  const stored = (db: Database): Faults => {
    // The column has its old name, so that existing stores open.
    const row = db.get('SELECT weather FROM service');
    if (row === undefined) throw new DamagedRecordError('no faults');
    const text = textColumn(row, 'weather');
    if (text !== last.text) last = { text, faults: decodeFaults(text) };
    return last.faults;
  };
  return {
    current: (db) => applyFaultChange(stored(db), own, marketsOf(db)),
    countDown(db) {
      if (typeof own.once === 'number') {
        own = own.once > 1 ? { ...own, once: own.once - 1 } : {};
        return;
      }
      const faults = stored(db);
      if (faults.once === null) return;
      store(db, faults.once > 1 ? { ...faults, once: faults.once - 1 } : noFaults);
    },
    set(db, change) {
      const kept = withoutFields(own, Object.keys(definedFields(change)));
      const faults = db.transaction(() => {
        const markets = marketsOf(db);
        const changed = rejectIdle(applyFaultChange(stored(db), change, markets));
        applyFaultChange(changed, kept, markets);
        return store(db, changed);
      });
      own = kept;
      return faults;
    },
    clear(db) {
      own = {};
      return db.transaction(() => store(db, noFaults));
    },
  };
}

function withoutFields(faults: Partial<Faults>, names: readonly string[]): Partial<Faults> {
  return Object.fromEntries(Object.entries(faults).filter(([name]) => !names.includes(name)));
}

function store(db: Database, faults: Faults): Faults {
  db.run('UPDATE service SET weather = ?', encodeFaults(faults));
  return faults;
}
