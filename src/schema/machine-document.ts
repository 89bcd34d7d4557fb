/** The documents of settings, of the practice service and of the program itself. */
import * as z from 'zod/mini';
import {
  day,
  digits,
  effectOnPosition,
  flag,
  instant,
  knownEnvironment,
  list,
  maybe,
  object,
  orNull,
  retryAdvice,
  whole,
  words,
} from './document-fields.ts';

const profileLimits = object({
  max_notional_usd: maybe(digits),
  max_daily_notional_usd: maybe(digits),
  read_only: maybe(flag),
  markets: maybe(list(words)),
});

const profileFields = {
  name: words,
  /** Absent where the key decides it, and was not read. */
  environment: maybe(knownEnvironment),
  base_url: orNull(words),
  /** The account label. */
  account: maybe(words),
  /** Masked, or its source. */
  key: words,
  ca_file: maybe(words),
  time_zone: maybe(words),
  /** The person who trades with it. */
  operator: maybe(words),
  limits: profileLimits,
  is_default: flag,
};
const profileSummary = object(profileFields);
export type ProfileSummary = z.infer<typeof profileSummary>;
export const profileListSchema = list(profileSummary);

/** USD; null where unknown or not limited. */
const usedToday = object({
  /** The UTC day. */
  date: day,
  /** Opens and adds of the day that executed or may have. */
  notional_usd: orNull(digits),
  /** Rest of the daily limit. */
  remaining_usd: orNull(digits),
  /** The largest open or add that the limits allow now. */
  fits_notional_usd: orNull(digits),
  /** Why the use is unknown. */
  unknown: orNull(z.enum(['key_not_recorded', 'journal_damaged', 'desk_trouble'])),
  desk: maybe(z.unknown()),
});
export type UsedToday = Omit<z.infer<typeof usedToday>, 'desk'>;

export const profileShowSchema = object({
  ...profileFields,
  used_today: maybe(usedToday),
  why: maybe(words),
  path: words,
});

export const profileChangeSchema = object({
  name: words,
  environment: maybe(knownEnvironment),
  done: words,
  notes: list(words),
  /** If the command sets them. */
  limits: maybe(profileLimits),
});
export type ProfileChange = z.infer<typeof profileChangeSchema>;

const practiceBook = object({
  balance_usdc: digits,
  margin_in_use_usdc: digits,
  reserved_usdc: digits,
  /** Balance of the house account: nothing appears or vanishes. */
  house_usdc: digits,
  open_exposure_usd: digits,
  available_exposure_usd: digits,
  unrealized_pnl_usd: digits,
  orders_in_flight: whole,
  hedges: z.record(z.string(), whole),
});
/** By their names; the practice service describes them in its own document. */
const byName = z.record(z.string(), z.unknown());
export const practiceFaultsSchema = byName;

export const practiceStatusSchema = object({
  book_id: words,
  book_time: instant,
  wall_time: instant,
  ahead_ms: whole,
  clock: z.enum(['wall', 'manual']),
  store: words,
  books: object({ live: practiceBook, test: practiceBook }),
  faults: byName,
  faults_in_words: list(words),
  /** Markets with prices that a program set over the control API. */
  price_paths: list(words),
  settings_version: whole,
  settings: byName,
});
/** Without what only the service can describe. */
export type PracticeState = Omit<z.infer<typeof practiceStatusSchema>, 'faults' | 'settings'>;

const advancedBook = object({
  /** The latest of them, if there were many. */
  events: list(
    object({
      at: instant,
      what: words,
      order: words,
      hedge_id: orNull(words),
      client_reference: orNull(words),
      market: words,
      side: words,
      notional_usd: digits,
      rate: orNull(digits),
      /** Positive: the account gained. */
      realized_pnl_usd: orNull(digits),
      credited_usdc: orNull(digits),
    }),
  ),
  event_count: whole,
  balance_usdc: digits,
});
export const practiceAdvanceSchema = object({
  from: instant,
  to: instant,
  advanced_ms: whole,
  environments: object({ live: advancedBook, test: advancedBook }),
});
export type PracticeAdvance = z.infer<typeof practiceAdvanceSchema>;

export const practiceSettingsSchema = object({ version: whole, settings: byName });
export type PracticeSettingsShown = Pick<z.infer<typeof practiceSettingsSchema>, 'version'> & {
  settings: object;
};

const keyPair = object({ live: words, test: words });
export const practiceServedSchema = object({
  base_url: words,
  ca_file: words,
  keys: keyPair,
  control: object({ base_url: words, key: words }),
  books: list(object({ name: words, base_url: words, keys: keyPair })),
  page_url: words,
});
export type ServedDocument = z.infer<typeof practiceServedSchema>;

const agentFields = {
  /** `https://host[:port]` */
  address: words,
  pid: whole,
  version: words,
  started_at: instant,
  ends_at: instant,
  /** Open and in use now; `leases` since its start. */
  connections: object({ open: whole, in_use: whole, leases: whole }),
};
const agentSchema = object(agentFields);
export type AgentDocument = z.infer<typeof agentSchema>;
export const agentStartSchema = object({ ...agentFields, was_running: flag });
export const agentStatusSchema = list(object({ ...agentFields, is_used: flag }));
export const agentStopSchema = list(agentSchema);

const verdict = z.enum(['pass', 'warn', 'fail']);
export const doctorDocumentSchema = object({
  verdict,
  checks: list(
    object({
      check: words,
      verdict,
      says: words,
      todo: orNull(words),
      /** Figures of the check, by their names. */
      facts: orNull(z.record(z.string(), z.unknown())),
    }),
  ),
});
export type DoctorDocument = z.infer<typeof doctorDocumentSchema>;

export const versionDocumentSchema = object({
  version: words,
  node: words,
  openssl: words,
  platform: words,
  commit: orNull(words),
  executable: flag,
});

export const completionDocumentSchema = object({ shell: z.enum(['bash', 'zsh', 'fish']), script: words });

const optionRecord = object({ flags: words, summary: words, repeats: flag });
/** The text of the page; and of commands and of the whole program the structure. */
export const helpDocumentSchema = object({
  text: words,
  commands: maybe(
    list(
      object({
        name: words,
        summary: words,
        description: orNull(words),
        usage: words,
        arguments: list(object({ name: words, summary: words, required: flag, repeats: flag })),
        options: list(optionRecord),
        examples: list(object({ line: words, shows: words })),
        lists: flag,
        columns: list(words),
        in_batch: orNull(words),
      }),
    ),
  ),
  topics: maybe(list(object({ name: words, summary: words }))),
  options: maybe(list(optionRecord)),
  exit_codes: maybe(list(object({ code: words, meaning: words }))),
  error_codes: maybe(
    list(object({ code: words, effects: list(effectOnPosition), retries: list(retryAdvice) })),
  ),
});
export type HelpDocument = z.infer<typeof helpDocumentSchema>;

/** The text to paste into the settings of a client. */
export const clientConfigSchema = object({
  client: z.enum(['claude', 'cursor', 'vscode']),
  config: z.record(z.string(), z.unknown()),
});

const jsonSchema = z.record(z.string(), z.unknown());
/** The schemas of each command: its input, and its document, or null if it has none of its own. */
export const schemaDocumentSchema = list(
  object({ command: words, input: orNull(jsonSchema), document: orNull(jsonSchema) }),
);
export type SchemaDocument = z.infer<typeof schemaDocumentSchema>;

/** The data of the response, as the service sent it; of an action its document. */
export const apiDocumentSchema = z.unknown();
