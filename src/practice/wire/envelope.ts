/** The envelope of every answer: `data`, `error`, `meta` (specification §1). */
import { encode, type Json } from './json.ts';
import type { Refusal } from './refusal.ts';

/** What an endpoint answers when it accepts. */
export interface Reply {
  status: number;
  data: Json;
  meta?: { readonly [name: string]: Json };
}

/** An answer ready to be sent or kept. */
export interface Answer {
  status: number;
  body: string;
  headers: Readonly<Record<string, string>>;
  /** Of a refusal. */
  code?: string;
  replayed?: boolean;
}

export function accepted(reply: Reply): Answer {
  return {
    status: reply.status,
    body: encode({ data: reply.data, error: null, meta: reply.meta ?? {} }),
    headers: {},
  };
}

export function refused(refusal: Refusal): Answer {
  const error = {
    code: refusal.code,
    message: refusal.message,
    ...(refusal.details === undefined ? {} : { details: refusal.details }),
  };
  return {
    status: refusal.status,
    body: encode({ data: null, error, meta: {} }),
    headers: refusal.headers,
    code: refusal.code,
  };
}
