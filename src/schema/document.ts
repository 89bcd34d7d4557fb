/** One document of `--json`: `data`, or an error, and `meta`. */
import * as z from 'zod/mini';
import { unfinishedRollSchema } from './action-document.ts';
import {
  amount,
  effectOnPosition,
  flag,
  instant,
  knownEnvironment,
  list,
  maybe,
  named,
  object,
  orNull,
  retryAdvice,
  sentAccount,
  sentMarket,
  whole,
  words,
} from './document-fields.ts';
import { troubleSchema } from './journal-document.ts';

const errorDocumentSchema = named(
  'error',
  object({
    /** One of `hedge help --json`, or a code of the service. */
    code: words,
    message: words,
    effect: effectOnPosition,
    retry: retryAdvice,
    hint: maybe(words),
    details: maybe(z.unknown()),
    http_status: maybe(whole),
  }),
);
export type ErrorDocument = z.infer<typeof errorDocumentSchema>;

/** How much of a list came. */
const coverage = z.union([
  object({
    count: whole,
    from: orNull(words),
    to: orNull(words),
    maybe_truncated: flag,
    matching: maybe(whole),
    limit: maybe(whole),
    fitting: maybe(orNull(whole)),
    of: maybe(whole),
    by: maybe(words),
    since: maybe(orNull(instant)),
    until: maybe(orNull(instant)),
    zone: maybe(words),
    market: maybe(orNull(words)),
    side: maybe(orNull(words)),
    lacking: maybe(z.record(z.string(), whole)),
  }),
  /** Set for a grid of quotes. */
  object({ count: whole, asked: whole }),
]);

/** Fields of one command are absent from the others; what else the service sent with its data is kept. */
const metaSchema = named(
  'meta',
  z.looseObject({
    schema: z.literal(1),
    command: words,
    profile: orNull(words),
    environment: orNull(knownEnvironment),
    at: instant,
    covers: maybe(coverage),
    /** Set for a quote, for comparison. */
    account: maybe(orNull(sentAccount)),
    capacity: maybe(orNull(sentMarket.shape.available_capacity_usd)),
    /** When an earlier run of the same command has executed it. */
    original_at: maybe(instant),
    trouble: maybe(troubleSchema),
    unfinished_rolls: maybe(orNull(list(unfinishedRollSchema))),
    /** Opens of the last day that were filled in part, and whose rest was not opened. */
    partial_fills: maybe(
      list(
        object({
          action_id: words,
          deal_id: orNull(words),
          notional_usd: orNull(amount),
          filled_notional_usd: orNull(amount),
        }),
      ),
    ),
    /** Found by deal ID, to be looked up again after this instant. */
    provisional: maybe(
      list(object({ action_id: words, deal_id: orNull(words), provisional_until: orNull(instant) })),
    ),
  }),
);

/** `data` is null with an error, except for a condition that was not met. */
export const documentSchema = (data: z.ZodMiniType) =>
  object({ data: orNull(data), error: orNull(errorDocumentSchema), meta: metaSchema });
