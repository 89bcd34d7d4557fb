/**
 * What stands on one line of the journal: one JSON object with a `schema`, for each step of an action's life.
 * Shapes only. No API key is among them, and what the service or an operator wrote is kept as it came.
 */
import * as z from 'zod/mini';
import { ACTION_NAMES, rowOf, takesWholeSide } from '../domain/action-table.ts';
import { SIDES, TENORS } from '../domain/vocabulary.ts';
/** The format that is written. Format 1 had no account label; its records are read as they are. */
export const SCHEMA = 2;
export const READ_SCHEMAS = [1, SCHEMA] as const;

const text = z.string().check(z.minLength(1));
/** Exact digits, never a number of JavaScript. */
const decimal = z.string().check(z.regex(/^-?\d+(\.\d+)?$/));
const notional = z.string().check(z.regex(/^\d{1,15}(\.\d{1,12})?$/), z.regex(/[1-9]/));
/** ISO 8601 UTC, milliseconds included. */
const instant = z.string().check(
  z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  z.refine((at) => !Number.isNaN(Date.parse(at))),
);
const actionId = z.string().check(z.regex(/^[0-9a-f]{16}$/));

/** Who wrote it: as long as that process lives, a send without an answer is under way and not lost. */
const writer = z.object({
  pid: z.number(),
  hostname: z.string(),
  boot: z.nullable(z.string()),
  space: z.nullable(z.string()),
  started: z.nullable(z.string()),
});

/** First eight hexadecimal digits of the SHA-256 of an API key. */
const fingerprint = z.string().check(z.regex(/^[0-9a-f]{8}$/));

const identity = z.discriminatedUnion('environment', [
  z.object({
    environment: z.enum(['live', 'sandbox']),
    /** `https://host[:port]/path`, as settings hold it. */
    base_url: text,
    /** The operator's label of the account; null where it had none, absent in format 1. */
    account: z.optional(z.nullable(text)),
    /** Of the API key that it was dealt with. */
    key_fingerprint: fingerprint,
  }),
  z.object({
    environment: z.literal('practice'),
    /** `practice:<book id>`; a reset of practice makes a new id. */
    base_url: z.string().check(z.regex(/^practice:.+$/)),
    account: z.optional(z.null()),
    key_fingerprint: z.null(),
  }),
]);

/** Earlier records have the carry and the maturity of a quote under the names of the quote, an add under both. */
function namedAsNow(quote: Readonly<Record<string, string | null>>): Record<string, string | null> {
  const { maturity, carry_total_usdc: carry, ...others } = quote;
  return {
    ...(maturity === undefined ? {} : { maturity_at: maturity }),
    ...(carry === undefined ? {} : { carry_usdc: carry }),
    ...others,
  };
}

const base = { schema: z.literal(READ_SCHEMAS), action_id: actionId, at: instant };

/** Written, and on disk, before the first byte of an action leaves. */
const intent = z
  .object({
    ...base,
    kind: z.literal('intent'),
    action: z.enum(ACTION_NAMES),
    identity,
    profile: text,
    market: text,
    side: z.enum(SIDES),
    /** USD; none for a close, which takes the whole side. */
    notional_usd: z.optional(notional),
    /** Of an open only. */
    tenor_days: z.optional(z.literal(TENORS)),
    idempotency_key: z.string().check(z.regex(/^[\x21-\x7e]{1,255}$/)),
    /** `deal_id`: derived from identity, deal id and attempt. */
    key_origin: z.enum(['minted', 'given', 'deal_id']),
    /** Sent with an open; the service shows none for the others. */
    client_reference: z.optional(text),
    /** The operator's own. */
    deal_id: z.optional(text),
    /** The exact text that is sent, every time. */
    body: text,
    /** Below the base address: `/hedges/add`. */
    path: text,
    /** The side as it was, hedge by hedge: what a later change is measured against. */
    before: z.object({
      hedges: z.array(
        z.object({ hedge_id: text, notional_usd: z.nullable(decimal), status: z.nullable(z.string()) }),
      ),
      /** Whether the side stood in the positions list; null when that was not read. */
      in_positions: z.nullable(z.boolean()),
      /** When that reading began, by this machine's clock. */
      read_at: z.optional(instant),
      /** When its answer came, by this machine's clock, and by the answer's `Date` (never practice's book time). */
      answered_at: z.optional(instant),
      served_at: z.optional(instant),
    }),
    /** How the size was said where it was not a notional: `by 50%`, `to 5000`. The same key asks the same. */
    asked: z.optional(text),
    /** The operator's bounds on the price, as digits: they hold for every later send too. */
    bounds: z.optional(z.object({ worst_price: z.optional(decimal), max_cost_bps: z.optional(decimal) })),
    /** Figures that were shown, as digits. */
    quote: z.optional(z.pipe(z.record(z.string(), z.nullable(z.string())), z.transform(namedAsNow))),
    /** The command line, without anything that looks like a key (`argvWithoutKeys`). */
    sent_by: z.array(z.string()),
    writer,
  })
  .check(
    z.refine((it) => takesWholeSide(it) === (it.notional_usd === undefined)),
    z.refine((it) => rowOf(it.action).needs.tenor === (it.tenor_days !== undefined)),
  );

/** Written before each send, or before the first of a run of sends. `attempt` counts from 1. */
const sending = z.object({
  ...base,
  kind: z.literal('sending'),
  attempt: z.int().check(z.positive()),
  /** True when every attempt before is known to have done nothing: no connection, 429. */
  nothing_done_before: z.optional(z.boolean()),
  /** Of the API key that this one was sent with: it may be another than that of the intent. */
  key_fingerprint: z.optional(fingerprint),
  writer,
});

const accepted = z.object({
  ...base,
  kind: z.literal('accepted'),
  hedge_id: z.optional(text),
  order_tx_hash: z.optional(text),
  /** `looking`: found on the book, not told by an answer. */
  by: z.enum(['answer', 'looking']),
  /** Found under a deal id while a send could still arrive: until then it may be a colleague's hedge. */
  provisional_until: z.optional(instant),
});

const refused = z.object({
  ...base,
  kind: z.literal('refused'),
  code: text,
  http_status: z.int(),
  /** The book was read afterwards and shows that nothing was done: settles an unclear attempt before it too. */
  looked: z.optional(z.boolean()),
});

/** A run of sends ended, and at least one of them got no usable answer. */
const unknown = z.object({
  ...base,
  kind: z.literal('unknown'),
  why: text,
  /** When the last of those ended: it may arrive for some time from then on. */
  unclear_at: z.optional(instant),
  /** The send after it was rejected with this. */
  rejected: z.optional(z.object({ code: text, http_status: z.int() })),
});

const outcome = z.object({
  ...base,
  kind: z.literal('outcome'),
  /**
   * `not_seen`: accepted, and no change of the book can be seen. `not_told`: accepted, and the book changed
   * otherwise than by exactly it.
   */
  outcome: z.enum(['filled', 'changed', 'closed', 'failed', 'not_seen', 'not_told']),
  hedge_id: z.optional(text),
  /** What was read, as the service named it; figures as digits. */
  facts: z.record(z.string(), z.nullable(z.string())),
});

/** A person's word for what became of it. */
const settled = z.object({
  ...base,
  kind: z.literal('settled'),
  as: z.enum(['done', 'nothing']),
  because: text,
});

/**
 * Nothing was done and the service keeps nothing of it: stopped before anything left, never connected, or
 * turned away by a rate limit. Does not undo an unclear send.
 */
const notSent = z.object({
  ...base,
  kind: z.literal('not_sent'),
  why: text,
  /** Of the service that turned it away: `rate_limited`. */
  code: z.optional(text),
});

export const recordSchema = z.discriminatedUnion('kind', [
  intent,
  sending,
  accepted,
  refused,
  unknown,
  outcome,
  settled,
  notSent,
]);

/** Whose book an action belongs to. */
export type RecordedIdentity = z.infer<typeof identity>;
export type JournalRecord = z.infer<typeof recordSchema>;
export type IntentRecord = z.infer<typeof intent>;
export type Writer = z.infer<typeof writer>;
export type OutcomeKind = z.infer<typeof outcome>['outcome'];
/** Those that are an end. */
export type EndKind = Exclude<OutcomeKind, 'not_seen' | 'not_told'>;
export const isEnd = (kind: OutcomeKind): kind is EndKind => kind !== 'not_seen' && kind !== 'not_told';

const ACTION_ID_BYTES = 8;

/** Sixteen hexadecimal digits; shown by a short beginning. */
export const mintActionId = (random: { bytes(count: number): Uint8Array }): string =>
  Buffer.from(random.bytes(ACTION_ID_BYTES)).toString('hex');
