/**
 * An action's exact bytes, before anything is sent: a resend must be byte-identical (specification §7), so the
 * body is text from here on. Nothing is sent from here and no key is known.
 *
 * What is asked of the service, in its own names (specification §4).
 */
import { Big } from 'big.js';
import { type ActionName, type OptionalField, type RequiredField, rowOf } from '../domain/action-table.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import type { Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { readJson } from './json.ts';
export interface PreparedAction {
  action: ActionName;
  /** The JSON text that is sent, every time. */
  body: string;
}

/** The bytes of an action: the fields that its row names, in their order. */
export function prepareAction<Name extends ActionName>(
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

/**
 * What of the body tells its action from another. Not the notional: where an answer has one, it may be the size of
 * the whole hedge.
 */
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

/** A notional as it goes out. @throws UsageError when it is not plain digits above zero. */
export function exactNotional(notional: Notional): Big {
  const digits = typeof notional === 'string' ? notional : notional.toFixed();
  if (!/^\d{1,15}(\.\d{1,12})?$/.test(digits) || /^[0.]+$/.test(digits)) {
    throw new UsageError(
      `A notional of "${digits}" cannot be sent.`,
      'Give an amount in USD above zero, such as 10000.',
    );
  }
  return new Big(digits);
}

/** Specification §4: any unique string; held to what a header carries without loss. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new UsageError(
    'The idempotency key cannot be sent.',
    'Use 1 to 255 visible ASCII characters without blanks.',
  );
}

/** A size in USD: a big.js decimal or plain digits such as `10000.50`; it goes out digit for digit. */
export type Notional = Big | string;

interface RequestFields {
  market: string;
  side: Side;
  notional_usd: Notional;
  tenor_days: number;
  client_reference: string | undefined;
}
/** What each action asks of the service, in its own names. */
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
// ASSUMED: the name of the page-size parameter. History has none: it is asked for whole.
export const PAGE_SIZE_PARAMETER = 'limit';
export const LARGEST_PAGE = 500;
