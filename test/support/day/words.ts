/** What the program prints and what its journal holds, as far as a day is judged by it. Read tolerantly, judged elsewhere. */
import * as z from 'zod/mini';

const actionSchema = z.object({
  action_id: z.nullable(z.string()),
  outcome: z.string(),
  effect: z.string(),
  receipt: z.object({ idempotency_key: z.nullable(z.string()), hedge_id: z.nullable(z.string()) }),
});
export type ToldAction = z.infer<typeof actionSchema>;

const errorSchema = z.nullable(z.object({ code: z.string(), effect: z.string(), message: z.string() }));

export interface Told {
  /** Actions that the document tells of. */
  actions: readonly ToldAction[];
  error: z.infer<typeof errorSchema>;
}

const documentSchema = z.object({ data: z.unknown(), error: errorSchema, meta: z.looseObject({}) });

/** Undefined where standard output is not the one document it must be. */
export function toldIn(out: string): Told | undefined {
  let read: unknown;
  try {
    read = JSON.parse(out);
  } catch {
    return undefined;
  }
  const document = documentSchema.safeParse(read);
  if (!document.success) return undefined;
  const { data, error } = document.data;
  const actions = (Array.isArray(data) ? data : [data]).flatMap(
    (each) => actionSchema.safeParse(each).data ?? [],
  );
  return { actions, error };
}

const entrySchema = z.object({
  action_id: z.string(),
  action: z.enum(['open', 'add', 'reduce', 'close']),
  state: z.string(),
  effect: z.string(),
  unresolved: z.boolean(),
  request: z.object({ side: z.enum(['buy', 'sell']) }),
  receipt: z.object({ idempotency_key: z.string(), hedge_id: z.nullable(z.string()) }),
});
/** Of `hedge journal --json`. */
export type Entry = z.infer<typeof entrySchema>;

const troubleSchema = z.object({ kind: z.enum(['damaged', 'rewound']), what: z.string() });
export type Trouble = z.infer<typeof troubleSchema>;

/** What `hedge journal --json` says of its files; undefined where nothing is wrong with them. */
export function troubleIn(out: string): Trouble | undefined {
  const read = z
    .object({ meta: z.object({ trouble: z.optional(troubleSchema) }) })
    .safeParse(JSON.parse(out));
  return read.data?.meta.trouble;
}

/** Newest first; undefined where it is not the list it must be. */
export function entriesIn(out: string): readonly Entry[] | undefined {
  try {
    const read = z.object({ data: z.array(entrySchema) }).safeParse(JSON.parse(out));
    return read.data?.data;
  } catch {
    return undefined;
  }
}

const recordSchema = z.object({
  kind: z.string(),
  at: z.optional(z.string()),
  action_id: z.string(),
  idempotency_key: z.optional(z.string()),
  body: z.optional(z.string()),
  before: z.optional(
    z.object({ hedges: z.array(z.object({ hedge_id: z.string(), notional_usd: z.nullable(z.string()) })) }),
  ),
});
export type KeptRecord = z.infer<typeof recordSchema>;

/** The records of actions in a journal's text, in order. */
export const recordsIn = (journal: string): readonly KeptRecord[] =>
  journal.split('\n').flatMap((line) => {
    try {
      return recordSchema.safeParse(JSON.parse(line)).data ?? [];
    } catch {
      return [];
    }
  });

/** Of which no line is among those seen before. */
export const recordsSince = (journal: string, seen: ReadonlySet<string>): readonly KeptRecord[] =>
  recordsIn(
    journal
      .split('\n')
      .filter((line) => !seen.has(line))
      .join('\n'),
  );

export const bodySchema = z.object({
  market: z.string(),
  side: z.enum(['buy', 'sell']),
  notional_usd: z.optional(z.number()),
  tenor_days: z.optional(z.number()),
  client_reference: z.optional(z.string()),
});
