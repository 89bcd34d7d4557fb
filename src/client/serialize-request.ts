/** Requests under the service's names (specification §4), and an action's exact bytes: a resend must be identical (§7). */

import { Big } from 'big.js';
import { type ActionName, type OptionalField, type RequiredField, rowOf } from '../domain/action-table.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import type { Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { readJson } from './json.ts';

export interface PreparedAction {
  action: ActionName;
  /** The JSON text of every send. */
  body: string;
}

/** The bytes of an action: the fields that its row names, in their order. */
export function serializeAction<Name extends ActionName>(
  action: Name,
  request: RequestOf<Name>,
): PreparedAction {
  const { body, optional } = rowOf(action);
  const given: Partial<RequestFields> = request;
  const fields = [...body, ...optional].flatMap((field) => {
    const value = given[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return {
    action,
    body: writeExactJson({
      ...Object.fromEntries(fields),
      ...(given.notional_usd === undefined ? {} : { notional_usd: exactNotional(given.notional_usd) }),
    }),
  };
}

/** The body's fields that a response must repeat if it has them. Not the notional: it may be that of the whole hedge. */
export function identifiedBy(body: string): Readonly<Record<string, string>> {
  const sent = readJson(body);
  const named = typeof sent === 'object' && sent !== null ? Object.entries(sent) : [];
  return Object.fromEntries(
    named.filter(
      (each): each is [string, string] => IDENTIFYING.includes(each[0]) && typeof each[1] === 'string',
    ),
  );
}

const IDENTIFYING: readonly string[] = ['market', 'side', 'client_reference'];

/** @throws UsageError when it is not plain digits above zero. */
export function exactNotional(notional: Notional): Big {
  const digits = typeof notional === 'string' ? notional : notional.toFixed();
  if (!/^\d{1,15}(\.\d{1,12})?$/.test(digits) || /^[0.]+$/.test(digits)) {
    throw new UsageError(
      `"${digits}" is not a valid notional.`,
      'Use an amount in USD above zero, such as 10000.',
    );
  }
  return new Big(digits);
}

/** Specification §4: any unique string; limited to what a header carries unchanged. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new UsageError(
    'The idempotency key is not valid.',
    'Use 1 to 255 visible ASCII characters without spaces.',
  );
}

/** USD: a big.js decimal or plain digits such as `10000.50`, sent digit for digit. */
export type Notional = Big | string;

interface RequestFields {
  market: string;
  side: Side;
  notional_usd: Notional;
  tenor_days: number;
  client_reference: string | undefined;
}
/** The request of each action, in the service's names. */
type Requests = {
  [Name in ActionName]: Pick<RequestFields, RequiredField<Name>> &
    Partial<Pick<RequestFields, OptionalField<Name>>>;
};
export type RequestOf<Name extends ActionName> = Requests[Name];

/** §4, POST /quotes. */
export type QuoteRequest = Pick<RequestFields, 'market' | 'side' | 'notional_usd' | 'tenor_days'>;

/** §4, GET /hedges; `limit` at most 500. */
export interface HedgesQuery {
  status?: string | undefined;
  client_reference?: string | undefined;
  limit?: number | undefined;
}
// ASSUMED: the name of the page-size parameter. History has none.
export const PAGE_SIZE_PARAMETER = 'limit';
