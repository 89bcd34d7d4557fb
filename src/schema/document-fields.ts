/** The fields that documents are made of, and the service's own records. Amounts are exact, positive as their names say. */
import { Big } from 'big.js';
import * as z from 'zod/mini';
import {
  accountSchema,
  closedHedgeSchema,
  hedgeSchema,
  marketSchema,
  positionSchema,
  quoteSchema,
} from '../client/schemas.ts';
import { SIDES } from '../domain/vocabulary.ts';

/** An exact decimal: a JSON number with every digit. */
export const amount = z
  .custom<Big>((value) => value instanceof Big, 'is not an amount')
  .register(z.globalRegistry, { type: 'number' });
/** A count, or a number of days or milliseconds. */
export const whole = z.int().register(z.globalRegistry, { minimum: undefined, maximum: undefined });
export const words = z.string();
export const flag = z.boolean();
/** ISO 8601 with a zone. */
export const instant = z.string().check(z.regex(/^(\d{4}|[+-]\d{6})-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/i));
/** A calendar date. */
export const day = z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/));
/** A decimal as text, exactly as it is stored. */
export const digits = z.string().check(z.regex(/^-?\d+(\.\d+)?$/));
export const dealSide = z.enum(SIDES);
export const knownEnvironment = z.enum(['live', 'sandbox', 'practice']);

/** Null: there is no value. */
export const orNull = z.nullable;
export const maybe = z.optional;
export const object = z.strictObject;
/** Part of the documents of several commands: in a schema it is under `$defs` by this name. */
export function named<Schema extends z.ZodMiniType>(id: string, schema: Schema): Schema {
  z.globalRegistry.add(schema, { id });
  return schema;
}

export const list = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item));

export const effectOnPosition = z.enum(['none', 'pending', 'unknown', 'done']);
export const retryAdvice = z.enum(['never', 'later', 'same_key', 'after_check']);

/** Fields of the service under its names, as they were recorded: figures exact, the rest as text. */
export const recordedFields = z.record(z.string(), z.unknown());

export const sentMarket = named('market', marketSchema());
export const sentQuote = named('quote', quoteSchema());
export const sentHedge = named('hedge', hedgeSchema());
export const sentPosition = named('position', positionSchema());
export const sentAccount = named('account', accountSchema());
export const sentClosedHedge = named('closed_hedge', closedHedgeSchema());

/** Who ran a command. */
export const ranBy = named('operator', object({ name: orNull(words), user: words, host: words }));

/** Hedges that a document does not count: `why` is half a sentence. */
export const leftOut = list(object({ id: words, why: words }));
