/** The schemas of the journal's records: one per step of an action, of the halt, of rolls, and snapshots. No record contains an API key. */
import * as z from 'zod/mini';
import { ACTION_NAMES, type RecordedField, requires } from '../domain/action-table.ts';
import { SIDES, TENORS } from '../domain/vocabulary.ts';

/** The format of a record. Those of formats 1 and 2 are imported (import/). */
export const SCHEMA = 3;

const text = z.string().check(z.minLength(1));
/** Exact digits, never a JavaScript number. */
const decimal = z.string().check(z.regex(/^-?\d+(\.\d+)?$/));
const notional = z.string().check(z.regex(/^\d{1,15}(\.\d{1,12})?$/), z.regex(/[1-9]/));
/** ISO 8601 UTC, milliseconds included. */
const instant = z.string().check(
  z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  z.refine((at) => !Number.isNaN(Date.parse(at))),
);
/** The ID of an action or a halt. */
const mintedId = z.string().check(z.regex(/^[0-9a-f]{16}$/));
/** Fields of the service under its names; figures as digits. */
const fields = z.record(z.string(), z.nullable(z.string()));

/** The writing process: while it runs, a send without a response is under way and not lost. */
const writer = z.object({
  pid: z.number(),
  hostname: z.string(),
  boot: z.nullable(z.string()),
  space: z.nullable(z.string()),
  started: z.nullable(z.string()),
});

/** First eight hexadecimal digits of the SHA-256 of an API key. */
const fingerprint = z.string().check(z.regex(/^[0-9a-f]{8}$/));

/** An account. */
export const identitySchema = z.discriminatedUnion('environment', [
  z.object({
    environment: z.enum(['live', 'sandbox']),
    /** `https://host[:port]/path`. */
    base_url: text,
    /** The operator's account label; null without one. */
    account: z.optional(z.nullable(text)),
    /** Fingerprint of the API key that was used. */
    key_fingerprint: fingerprint,
  }),
  z.object({
    environment: z.literal('practice'),
    /** `practice:<book id>`, with `/live` for the live account; a reset of practice makes a new id. */
    base_url: z.string().check(z.regex(/^practice:.+$/)),
    account: z.optional(z.null()),
    key_fingerprint: z.null(),
  }),
]);

/** Who ran the command that wrote a record. */
const operator = z.object({
  /** The person, from HEDGE_OPERATOR or the profile. */
  name: z.optional(text),
  /** User of the operating system: a name, or a number if it has none. */
  user: text,
  host: text,
});

const everyRecord = {
  schema: z.literal(SCHEMA),
  at: instant,
  /** Imports from formats 1 and 2 lack `version`. */
  operator: z.optional(operator),
  /** Version of hedge. */
  version: z.optional(text),
};
const base = { ...everyRecord, action_id: mintedId };
/** Written by a person, for a person. */
const note = z.optional(text);

/** ID of a roll, in its plan and in both of its legs. */
const chainId = z.string().check(z.regex(/^[0-9a-f]{8}$/));

/** Fields of the request that the record has under the same names. */
const ofRequest = {
  /** USD. */
  notional_usd: z.optional(notional),
  tenor_days: z.optional(z.literal(TENORS)),
} satisfies Readonly<Record<RecordedField, z.ZodMiniType>>;

const RECORDED_FIELDS = Object.keys(ofRequest).filter((name): name is RecordedField => name in ofRequest);

/** On disk before the first byte of an action is sent. */
const intent = z
  .object({
    ...base,
    kind: z.literal('intent'),
    /** The shortest prefix of the ID, of four or more, that no earlier action has; set when it is appended. */
    short_id: z.optional(z.string().check(z.regex(/^[0-9a-f]{4,16}$/))),
    action: z.enum(ACTION_NAMES),
    identity: identitySchema,
    profile: text,
    market: text,
    side: z.enum(SIDES),
    ...ofRequest,
    idempotency_key: z.string().check(z.regex(/^[\x21-\x7e]{1,255}$/)),
    /** `deal_id`: derived from identity, deal id and attempt. */
    key_origin: z.enum(['minted', 'given', 'deal_id']),
    /** Sent with an open only. */
    client_reference: z.optional(text),
    /** Given by the operator. */
    deal_id: z.optional(text),
    /** Set for a leg of a roll. */
    chain_id: z.optional(chainId),
    note,
    /** The exact text of every send. */
    body: text,
    /** Below the base URL: `/hedges/add`. */
    path: text,
    /** The side before the action, hedge by hedge: later changes are compared with it. */
    before: z.object({
      hedges: z.array(
        z.object({
          hedge_id: text,
          notional_usd: z.nullable(decimal),
          status: z.nullable(z.string()),
          /** The reference that was sent: a deal ID, or a generated one. */
          client_reference: z.optional(text),
          struck_rate: z.optional(decimal),
          /** By the service's clock, as it was sent. */
          filled_at: z.optional(text),
        }),
      ),
      /** Whether the side was in the positions list; null when that was not read. */
      in_positions: z.nullable(z.boolean()),
      /** When that reading started, by this machine's clock. */
      read_at: z.optional(instant),
      /** When its response arrived, by this machine's clock and by its `Date` (not practice's clock). */
      answered_at: z.optional(instant),
      served_at: z.optional(instant),
      /** The service's time then: practice's, too, which may be days ahead of this machine. */
      service_at: z.optional(instant),
    }),
    /** How the size was given when not as a notional: `by 50%`, `to 5000`. */
    asked: z.optional(text),
    /** The operator's price limits, as digits: they hold for every resend too. */
    bounds: z.optional(z.object({ worst_price: z.optional(decimal), max_cost_bps: z.optional(decimal) })),
    /** The figures shown, as digits. */
    quote: z.optional(fields),
    /** The command line, without API keys (`redactArgv`). */
    sent_by: z.array(z.string()),
    writer,
  })
  .check(z.refine((it) => RECORDED_FIELDS.every((name) => requires(it, name) === (it[name] !== undefined))));

/** Written before each send, or before the first of a run of sends. `attempt` counts from 1. */
const sending = z.object({
  ...base,
  kind: z.literal('sending'),
  attempt: z.int().check(z.positive()),
  /** True when no earlier attempt was executed: no connection, 429. */
  nothing_done_before: z.optional(z.boolean()),
  /** Fingerprint of the API key of this send, which may differ from the intent's. */
  key_fingerprint: z.optional(fingerprint),
  /** Note of the command that sends it again. */
  note,
  writer,
});

const accepted = z.object({
  ...base,
  kind: z.literal('accepted'),
  hedge_id: z.optional(text),
  order_tx_hash: z.optional(text),
  /** `looking`: found in the list of hedges, not in a response. */
  by: z.enum(['answer', 'looking']),
  /** Found by deal ID while a send could still arrive: until then it may be a colleague's hedge. */
  provisional_until: z.optional(instant),
});

const refused = z.object({
  ...base,
  kind: z.literal('refused'),
  code: text,
  http_status: z.int(),
  /** A later reading shows that nothing was executed, also by an earlier unclear attempt. */
  looked: z.optional(z.boolean()),
});

/** A run of sends ended, at least one without a usable response. */
const unknown = z.object({
  ...base,
  kind: z.literal('unknown'),
  why: text,
  /** When the last of those ended: it may still arrive for some time. */
  unclear_at: z.optional(instant),
  /** How a later send was rejected. */
  rejected: z.optional(z.object({ code: text, http_status: z.int() })),
});

const outcome = z.object({
  ...base,
  kind: z.literal('outcome'),
  /**
   * `not_seen`: accepted, and the position did not change. `not_told`: accepted, and the position changed in another way.
   */
  outcome: z.enum(['filled', 'changed', 'closed', 'failed', 'not_seen', 'not_told']),
  hedge_id: z.optional(text),
  /** The reading. */
  facts: fields,
});

/** An outcome recorded manually. */
const settled = z.object({
  ...base,
  kind: z.literal('settled'),
  as: z.enum(['done', 'nothing']),
  because: text,
  note,
});

/**
 * Nothing was executed or stored by the service: stopped before sending, never connected, or rejected by a rate limit.
 * Does not resolve an unclear send.
 */
const notSent = z.object({
  ...base,
  kind: z.literal('not_sent'),
  why: text,
  /** The service's code: `rate_limited`. */
  code: z.optional(text),
});

/** Opens and adds are blocked until an `unhalt` names this halt. */
const halt = z.object({
  ...everyRecord,
  kind: z.literal('halt'),
  halt_id: mintedId,
  /** The name that the halt shows. */
  who: text,
  why: text,
  note,
});

/** These halts are lifted. */
const unhalt = z.object({
  ...everyRecord,
  kind: z.literal('unhalt'),
  halt_ids: z.array(mintedId),
  /** The last of them; absent for an imported one that could not be read. */
  lifted: z.optional(z.object({ who: text, at: text, why: text })),
  note,
});

/**
 * The plan of a roll, on disk before its first leg is sent. `now`: the hedge is closed and opened again. `maturity`: it is
 * opened again after it has settled. The deal ID of the second leg is fixed here, so that no run opens a third one.
 */
const roll = z.object({
  ...everyRecord,
  kind: z.literal('roll'),
  chain_id: chainId,
  when: z.enum(['now', 'maturity']),
  identity: identitySchema,
  profile: text,
  market: text,
  side: z.enum(SIDES),
  /** The deal ID of the first hedge in a row of rolls, or its hedge ID. */
  root: text,
  /** Hedge of the first leg. */
  hedge_id: text,
  /** Deal ID of the first leg; absent without one. */
  first_deal_id: z.optional(text),
  /** USD, when it was planned. */
  notional_usd: notional,
  /** Tenor of the second leg. */
  tenor_days: z.literal(TENORS),
  deal_id: text,
  /** The highest total cost of the second leg. */
  max_cost_bps: z.optional(decimal),
  /** Maturity of the first leg, in UTC; absent where the service does not say. */
  maturity_at: z.optional(instant),
  note,
});

/** The roll is finished, or given up. */
const rollEnd = z.object({
  ...everyRecord,
  kind: z.literal('roll_end'),
  chain_id: chainId,
  as: z.enum(['done', 'dropped']),
  note,
});

/** A person accepts that records after the last one here may be lost: the witness is replaced. */
const loss = z.object({
  ...everyRecord,
  kind: z.literal('loss'),
  /** Who accepted it. */
  who: text,
  /** The finding, as a sentence. */
  found: text,
  note: text,
});

/** The first record of a desk's log: the account that it is for. */
const desk = z.object({
  ...everyRecord,
  kind: z.literal('desk'),
  name: text,
  identity: identitySchema,
  who: text,
});

/** A machine follows the log. */
const deskJoin = z.object({
  ...everyRecord,
  kind: z.literal('desk_join'),
  who: text,
  profile: text,
  /** Fingerprint of the API key that it uses. */
  key_fingerprint: fingerprint,
  /**
   * `key`: it is that of the desk's first record. `hedge`: it reads a hedge of the log. `label`: the account label is the same.
   * `person`: somebody said so.
   */
  proved_by: z.enum(['key', 'hedge', 'label', 'person']),
});

/** A machine follows the log no more. */
const deskLeave = z.object({ ...everyRecord, kind: z.literal('desk_leave'), who: text, note });

/** Limits of the whole desk, in USD; null: none any more; absent: unchanged. */
const deskLimit = z.object({
  ...everyRecord,
  kind: z.literal('desk_limit'),
  who: text,
  max_notional_usd: z.optional(z.nullable(notional)),
  max_daily_notional_usd: z.optional(z.nullable(notional)),
  max_open_usd: z.optional(z.nullable(notional)),
  note,
});

/** A person delivers what a machine has beyond a log that was put back. */
const deskAdopt = z.object({
  ...everyRecord,
  kind: z.literal('desk_adopt'),
  who: text,
  found: text,
  note,
});

/** The account at one moment, read by `snapshot`, `report`, `reconcile` or `export`. No desk's log has it. */
const snapshot = z.object({
  ...everyRecord,
  kind: z.literal('snapshot'),
  identity: identitySchema,
  profile: text,
  /** The service's time of the reading. */
  service_at: instant,
  account: fields,
  positions: z.array(fields),
  /** Hedges that were open, or may still fill. */
  hedges: z.array(fields),
  /** Closed hedges that no earlier snapshot of the account has. */
  closed: z.array(fields),
  /** By market. */
  mids: z.record(z.string(), decimal),
  /** `hedges`, `closed`: the service may have had more. */
  may_be_cut: z.array(z.enum(['hedges', 'closed'])),
  /** Its amounts moved while they were read, as an order was being filled: they may not add up to one value. */
  unsteady: z.optional(z.literal(true)),
  /** Breaks that a person explained. */
  explained: z.optional(z.array(text)),
  note,
});

/** A line of an earlier file that is no record that this version reads: kept for its chain. */
const importedLine = z.object({
  ...everyRecord,
  kind: z.literal('imported_line'),
  /** End of a sentence: `is not valid JSON`. */
  how: text,
});

const ofAction = [intent, sending, accepted, refused, unknown, outcome, settled, notSent] as const;
/** A step of an action. */
export const actionRecordSchema = z.discriminatedUnion('kind', ofAction);

export const recordSchema = z.discriminatedUnion('kind', [
  ...ofAction,
  halt,
  unhalt,
  roll,
  rollEnd,
  loss,
  desk,
  deskJoin,
  deskLeave,
  deskLimit,
  deskAdopt,
  snapshot,
  importedLine,
]);

export type RecordedIdentity = z.infer<typeof identitySchema>;
export type JournalRecord = z.infer<typeof recordSchema>;
export type HaltSet = z.infer<typeof halt>;
export type HaltRecord = HaltSet | z.infer<typeof unhalt>;
export type DeskFounding = z.infer<typeof desk>;
export type DeskJoin = z.infer<typeof deskJoin>;
export type DeskLimitRecord = z.infer<typeof deskLimit>;
export type SnapshotRecord = z.infer<typeof snapshot>;
export type RollPlan = z.infer<typeof roll> & {
  /** The desk that this machine has left, whose roll it is: its machines run it. Not recorded. */
  leftDesk?: string | undefined;
};
export type RollEnd = z.infer<typeof rollEnd>;
export type RollRecord = RollPlan | RollEnd;
export type ActionRecord = z.infer<typeof actionRecordSchema>;
export type Operator = z.infer<typeof operator>;
export type IntentRecord = z.infer<typeof intent>;
export type Writer = z.infer<typeof writer>;
export type OutcomeKind = z.infer<typeof outcome>['outcome'];
/** Final outcomes. */
export type EndKind = Exclude<OutcomeKind, 'not_seen' | 'not_told'>;

export const isOfAction = (record: JournalRecord): record is ActionRecord => 'action_id' in record;

export const isOfHalt = (record: JournalRecord): record is HaltRecord =>
  record.kind === 'halt' || record.kind === 'unhalt';
export const isOfRoll = (record: JournalRecord): record is RollRecord =>
  'chain_id' in record && !isOfAction(record);

/** In the facts of `not_told`: the hedge that the response to an open named, and that is another's. */
export const NOT_OURS = 'not_ours';

export const isEnd = (kind: OutcomeKind): kind is EndKind => kind !== 'not_seen' && kind !== 'not_told';

/** Length of the ID of an action, a halt or a record. */
const ID_BYTES = 8;
const CHAIN_ID_BYTES = 4;

/** Eight hexadecimal digits. */
export const mintChainId = (random: { bytes(count: number): Uint8Array }): string =>
  Buffer.from(random.bytes(CHAIN_ID_BYTES)).toString('hex');

/** The ID of an action, a halt or a record: sixteen hexadecimal digits. An action's is shown as a short prefix. */
export const mintId = (random: { bytes(count: number): Uint8Array }): string =>
  Buffer.from(random.bytes(ID_BYTES)).toString('hex');
