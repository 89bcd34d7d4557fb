/** Which requests a filter of the log, a verification or a script of faults applies to. */
import * as z from 'zod';
import { ORDER_KINDS, type OrderKind, type PracticeEnvironment } from './practice-types.ts';

/** A request that has arrived. */
export interface RequestFacts {
  method: string;
  /** Below the base path, without the query. */
  path: string;
  /** The query with its `?`; empty without one. */
  search: string;
  body: Buffer;
  /** The idempotency key. */
  key: string | undefined;
  environment: PracticeEnvironment | null;
  /** Undefined for a read and for an unknown path. */
  action: OrderKind | undefined;
}

/** All requests, reads, actions, or one action. */
export const REQUEST_SCOPES = ['all', 'readings', 'actions', ...ORDER_KINDS] as const;
export type RequestScope = (typeof REQUEST_SCOPES)[number];

export const requestMatch = z.strictObject({
  method: z
    .string()
    .regex(/^[A-Z]{1,16}$/, 'must be a method, such as POST')
    .optional(),
  path: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .meta({ description: 'below the base URL, without a query; /hedges/* is every path below /hedges' }),
  key: z.string().min(1).max(255).optional().meta({ description: 'the idempotency key' }),
  client_reference: z.string().min(1).max(255).optional(),
  environment: z.enum(['live', 'test']).optional(),
  only: z.enum(REQUEST_SCOPES).optional(),
});
export type RequestMatch = z.infer<typeof requestMatch>;

/** A field that is absent matches every request. */
export function matchesRequest(match: RequestMatch, facts: RequestFacts): boolean {
  return (
    (match.method ?? facts.method) === facts.method &&
    (match.path === undefined || matchesPath(match.path, facts.path)) &&
    (match.key ?? facts.key) === facts.key &&
    (match.environment ?? facts.environment) === facts.environment &&
    isInScope(match.only ?? 'all', facts.action) &&
    (match.client_reference === undefined || match.client_reference === clientReferenceOf(facts))
  );
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}

/** `action` is undefined for a read. */
export function isInScope(scope: RequestScope, action: OrderKind | undefined): boolean {
  if (scope === 'all') return true;
  if (scope === 'readings') return action === undefined;
  return scope === 'actions' ? action !== undefined : scope === action;
}

/** The reference in the body, or in the query. */
export function clientReferenceOf({
  body,
  search,
}: Pick<RequestFacts, 'body' | 'search'>): string | undefined {
  const sent = jsonIn(body);
  const fields = typeof sent === 'object' && sent !== null ? Object.entries(sent) : [];
  const [, field]: unknown[] = fields.find(([name]) => name === 'client_reference') ?? [];
  return typeof field === 'string'
    ? field
    : (new URLSearchParams(search).get('client_reference') ?? undefined);
}

/** The value of a JSON text; undefined for any other. */
export function jsonIn(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
