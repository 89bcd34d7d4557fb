/** The closed lists of words that the book stores. */
import type { Environment, HedgeStatus, OrderKind, Side } from '../door.ts';

export const ENVIRONMENTS: readonly Environment[] = ['live', 'test'];
export const SIDES: readonly Side[] = ['buy', 'sell'];
export const STATUSES: readonly HedgeStatus[] = ['submitted', 'filled', 'failed', 'closed'];
export const ORDER_KINDS: readonly OrderKind[] = ['open', 'add', 'reduce', 'close'];
export const TENORS = [1, 3, 7] as const;
export const DAY_MS = 86_400_000;

export type CloseReason = 'maturity' | 'close';
export const CLOSE_REASONS: readonly CloseReason[] = ['maturity', 'close'];
