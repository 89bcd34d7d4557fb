/** The documents of the journal, of halts and of a desk. */
import * as z from 'zod/mini';
import { ACTION_NAMES } from '../domain/action-table.ts';
import { actionRecordSchema, identitySchema } from '../journal/records.ts';
import { sentReceipt, sentRequest } from './action-document.ts';
import {
  amount,
  digits,
  effectOnPosition,
  flag,
  instant,
  list,
  maybe,
  named,
  object,
  orNull,
  ranBy,
  whole,
  words,
} from './document-fields.ts';

const recordedTexts = z.record(z.string(), orNull(z.string()));

/** Document of the journal: an action as it was sent, and its outcome as far as it is known. */
export const journalDocumentSchema = named(
  'journal_action',
  object({
    action: z.enum(ACTION_NAMES),
    action_id: words,
    short_id: words,
    /** In words: `filled`, `unknown`, `in flight`. */
    outcome: words,
    effect: effectOnPosition,
    state: words,
    unresolved: flag,
    in_flight: flag,
    settled_as: orNull(z.enum(['done', 'nothing'])),
    settlement: orNull(object({ operator: orNull(ranBy), at: instant, note: orNull(words) })),
    why: orNull(words),
    refusal: orNull(object({ code: words, http_status: whole })),
    identity: identitySchema,
    profile: words,
    operator: orNull(ranBy),
    /** Login at the desk. */
    login: maybe(words),
    version: orNull(words),
    note: orNull(words),
    deal_id: orNull(words),
    chain_id: orNull(words),
    hedge_ids: list(words),
    deal_ids: list(words),
    request: sentRequest,
    receipt: sentReceipt,
    attempts: whole,
    began_at: instant,
    changed_at: instant,
    filled_notional_usd: orNull(amount),
    closed_notional_usd: orNull(amount),
    struck_rate: orNull(amount),
    ended_as: orNull(recordedTexts),
    asked: orNull(words),
    bounds: orNull(object({ worst_price: maybe(digits), max_cost_bps: maybe(digits) })),
    quote: orNull(recordedTexts),
    before: z.unknown(),
    sent_by: list(words),
    /** Commands to run next. */
    next: list(words),
    /** Set for one action that was asked for: its records. */
    steps: maybe(list(actionRecordSchema)),
  }),
);
export type JournalDocument = z.infer<typeof journalDocumentSchema>;
export const journalListSchema = z.union([journalDocumentSchema, list(journalDocumentSchema)]);

const signedHalt = { who: words, at: words, why: words, note: orNull(words) };

/** `earlier`: halts in force that were set before it. */
export const activeHaltSchema = named('halt', object({ ...signedHalt, earlier: list(object(signedHalt)) }));
export type ActiveHaltDocument = z.infer<typeof activeHaltSchema>;

export const haltDocumentSchema = object({
  halted: flag,
  halt: orNull(activeHaltSchema),
  before: orNull(activeHaltSchema),
  desks: maybe(list(object({ name: words, delivered: flag }))),
});
export type HaltDocument = z.infer<typeof haltDocumentSchema>;

const haltRecordSchema = object({
  at: instant,
  event: z.enum(['halt', 'unhalt', 'unhalt_refused']),
  who: orNull(words),
  why: orNull(words),
  note: orNull(words),
  operator: orNull(ranBy),
  version: orNull(words),
  /** The login to the database of the desk. */
  login: orNull(words),
  lifted: orNull(object({ who: words, at: words, why: words })),
});
export type HaltRecordDocument = z.infer<typeof haltRecordSchema>;
export const haltRecordsSchema = list(haltRecordSchema);

/** The journal may lack records. */
export const troubleSchema = named(
  'journal_trouble',
  z.union([
    object({ kind: z.literal('unreadable'), path: words, what: words }),
    object({
      kind: z.enum(['damaged', 'rewound', 'desk']),
      path: words,
      what: words,
      code: maybe(words),
    }),
  ]),
);
export type TroubleDocument = z.infer<typeof troubleSchema>;

const followed = {
  reached: flag,
  as_of: orNull(instant),
  login: orNull(words),
  approver: flag,
  pending: whole,
};
export const deskSchema = object({ name: words, ...followed });

const deskLimits = object({
  max_notional_usd: orNull(digits),
  max_daily_notional_usd: orNull(digits),
  max_open_usd: orNull(digits),
});

export const deskInitSchema = object({
  name: words,
  url: words,
  owner: words,
  roles: object({ dealer: words, approver: words }),
  schema: object({ from: whole, to: whole }),
  identity: identitySchema,
});
export type DeskInitDocument = z.infer<typeof deskInitSchema>;

export const deskJoinedSchema = object({
  name: words,
  records: whole,
  actions: whole,
  unclear: whole,
  halts: whole,
  limits_of: list(words),
  login: words,
  proved_by: z.enum(['key', 'hedge', 'label', 'person']),
  approver: flag,
});
export type DeskJoinedDocument = z.infer<typeof deskJoinedSchema>;

export const deskStatusSchema = orNull(
  object({
    name: words,
    state: z.enum(['following', 'joining', 'left']),
    url: words,
    identity: identitySchema,
    ...followed,
    reached: orNull(flag),
    approver: orNull(flag),
    pending: orNull(whole),
    trouble: orNull(object({ code: words, what: words })),
    halt: orNull(activeHaltSchema),
    limits: deskLimits,
    clock_offset_ms: z.number(),
    machines: list(
      object({
        who: words,
        login: orNull(words),
        version: orNull(words),
        joined_at: instant,
        last_at: orNull(instant),
        left_at: orNull(instant),
      }),
    ),
    ignored: list(object({ at: instant, login: orNull(words), kind: words, limits: list(words) })),
    last_record: orNull(
      object({
        seq: whole,
        at: orNull(instant),
        kind: words,
        login: orNull(words),
        operator: orNull(object({ name: maybe(words), user: words, host: words })),
      }),
    ),
  }),
);
export type DeskStatusDocument = z.infer<typeof deskStatusSchema>;

export const deskLimitsSchema = object({
  desk: orNull(words),
  limits: deskLimits,
  before: deskLimits,
  delivered: flag,
});
export type DeskLimitsDocument = z.infer<typeof deskLimitsSchema>;

export const deskAdoptedSchema = orNull(
  object({ found: words, delivered: whole, records: whole, old_copy: orNull(words) }),
);
export type DeskAdoptedDocument = z.infer<typeof deskAdoptedSchema>;

export const deskLeftSchema = object({
  name: words,
  path: words,
  records: whole,
  rolls: list(words),
  known_to_the_desk: flag,
});
export type DeskLeftDocument = z.infer<typeof deskLeftSchema>;

const head = object({ seq: whole, hash: words });

export const backupDocumentSchema = orNull(object({ path: words, records: whole, head }));
export type BackupDocument = z.infer<typeof backupDocumentSchema>;
export const journalExportSchema = orNull(object({ path: words, records: whole, head: orNull(head) }));
export type JournalExportDocument = z.infer<typeof journalExportSchema>;

export const journalImportSchema = object({
  imported: flag,
  files: list(words),
  records: whole,
  actions: whole,
  unresolved: whole,
  unreadable_lines: whole,
  unreadable: list(z.unknown()),
  halts: whole,
  rewound: flag,
  renamed: list(words),
});
export type JournalImportDocument = z.infer<typeof journalImportSchema>;

export const journalRepairSchema = object({
  repaired: list(
    object({
      put_aside: words,
      found: words,
      result: words,
      records: whole,
      missing: orNull(list(object({ from: whole, to: whole }))),
      without_intent: list(words),
      maybe_sent: list(words),
    }),
  ),
  pending_taken: whole,
});
export type JournalRepairDocument = z.infer<typeof journalRepairSchema>;

export const acceptedLossSchema = object({
  accepted: flag,
  found: orNull(words),
  expected: orNull(head),
  head: orNull(head),
  without_intent: list(words),
});
export type AcceptedLossDocument = z.infer<typeof acceptedLossSchema>;

export const checkpointDocumentSchema = object({
  kind: z.literal('hedge_checkpoint'),
  schema: z.literal(2),
  seq: whole,
  hash: words,
  records: whole,
  at: words,
  operator: words,
});

export const auditDocumentSchema = object({
  verdict: z.enum(['unchanged', 'damaged', 'changed']),
  path: words,
  is_export: flag,
  checked: object({
    records: whole,
    first: whole,
    bytes: whole,
    from: orNull(instant),
    to: orNull(instant),
    duration_ms: z.number(),
  }),
  head: orNull(head),
  changes: list(object({ file: words, seq: orNull(whole), id: orNull(words), kind: words, found: words })),
  changes_found: whole,
  rewound: orNull(words),
  damage: list(words),
  pending: whole,
  losses: list(object({ seq: whole, at: instant, who: words })),
  log: maybe(object({ desk: words, compared: orNull(whole), trouble: orNull(words) })),
  own_journal: maybe(
    object({
      verdict: z.enum(['unchanged', 'damaged', 'changed']),
      path: words,
      records: whole,
      head: orNull(head),
      changes_found: whole,
      first_fault: orNull(words),
    }),
  ),
  checkpoint: orNull(
    z.extend(checkpointDocumentSchema, {
      result: z.enum(['continued', 'cut_off', 'rewritten', 'not_compared']),
      changed_before: flag,
    }),
  ),
});
export type AuditDocument = z.infer<typeof auditDocumentSchema>;
