/** The basic types and fixed lists of the practice service, and its errors. */

export interface PracticeClock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface PracticeRandom {
  /** In [0, 1). */
  fraction(): number;
  bytes(count: number): Uint8Array;
  /** Only of a seeded source: begins the sequence of this label. */
  restart?(label: string): void;
}

export const ORDER_KINDS = ['open', 'add', 'reduce', 'close'] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];

export const PRACTICE_ENVIRONMENTS = ['live', 'test'] as const;
export type PracticeEnvironment = (typeof PRACTICE_ENVIRONMENTS)[number];

export const PRACTICE_SIDES = ['buy', 'sell'] as const;
export type PracticeSide = (typeof PRACTICE_SIDES)[number];

export const PRACTICE_HEDGE_STATUSES = ['submitted', 'filled', 'failed', 'closed'] as const;
export type PracticeHedgeStatus = (typeof PRACTICE_HEDGE_STATUSES)[number];

export const PRACTICE_TENORS = [1, 3, 7] as const;
export const TENOR_DAY_MS = 86_400_000;
/** The name of the book at `/practice/v2`. */
export const DEFAULT_BOOK = 'default';

/** One side of a market. */
export interface MarketSide {
  market: string;
  side: PracticeSide;
}

export const CLOSE_REASONS = ['maturity', 'close'] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** Whether any object in a JSON value has a field `__proto__`, which zod's records and loose objects pass over. */
export function hasProtoField(value: unknown): boolean {
  const left = [value];
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (typeof each !== 'object' || each === null) continue;
    if (Object.hasOwn(each, '__proto__')) return true;
    for (const inner of Object.values(each)) left.push(inner);
  }
  return false;
}

/**
 * `file`: it is damaged, foreign or of another version. `disk`: it may be whole, but cannot be read or written. `busy`:
 * another process has held it for too long.
 */
type StoreTrouble = 'file' | 'disk' | 'busy';

/** A file of the store cannot be used. It was not changed. */
export class PracticeStoreError extends Error {
  override readonly name = 'PracticeStoreError';
  readonly path: string;
  readonly trouble: StoreTrouble;

  constructor(path: string, message: string, options: ErrorOptions & { trouble?: StoreTrouble } = {}) {
    super(message, options);
    this.path = path;
    this.trouble = options.trouble ?? 'file';
  }
}

/** A record that no version of the service wrote; the message is the end of a sentence. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
}

/** Invalid input of the operator. Nothing was changed. */
export class PracticeInputError extends Error {
  override readonly name = 'PracticeInputError';
  /** `lost_after` */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** `problem` follows the name: `has more than 6 decimals`. */
export const wrongField = (field: string, problem: string): PracticeInputError =>
  new PracticeInputError(field, `${field}: ${problem}.`);

/** An undefined field must not override a default. */
export function definedFields<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name in value) {
    const field = value[name];
    if (isDefined(field)) defined[name] = field;
  }
  return defined;
}

function isDefined<V>(field: V): field is Exclude<V, undefined> {
  return field !== undefined;
}
