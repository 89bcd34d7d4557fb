/**
 * Every JSON document that a test's command prints is compared with its schema, and the branches of the schema that it
 * takes are recorded: an alternative, null, or a field that may be absent.
 */
import { appendFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fieldsIn, isFields } from '../../src/domain/fields.ts';
import type { Effect, OwnCode, Retry } from '../../src/errors.ts';
import { documentSchemaOf, type JsonSchema } from '../../src/schema/catalogue.ts';
import { CODE_MEANINGS } from '../../src/schema/error-codes.ts';

/** A file of a run, given by vitest.config.ts; absent: nothing is recorded. */
const { HEDGE_BRANCHES: recordedIn } = process.env;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new Map<string, { schema: Part; validate: ValidateFunction } | undefined>();
const recorded = new Set<string>();

/** Standard output of a command. @throws Error for a document that its schema does not allow. */
export function checkDocuments(out: string): void {
  for (const line of out.split('\n')) {
    const { meta } = line.startsWith('{"data":') ? fieldsIn(line) : {};
    // A document of the service, or of a program after `--`, does not name a command of hedge.
    if (isFields(meta) && meta['command'] !== undefined) checkDocument(JSON.parse(line));
  }
}

export interface AnyDocument {
  data: unknown;
  error: { code: string; message?: string; effect: Effect; retry: Retry } | null;
  meta: { command: string };
}

export function checkDocument(document: AnyDocument): void {
  checkError(document.error);
  const { command } = document.meta;
  const known = validatorOf(command);
  if (known === undefined) {
    if (document.data !== null) throw new Error(`No schema of the document of ${command}.`);
    return;
  }
  if (!known.validate(document))
    throw new Error(
      `The document of ${command} is not as its schema says: ${ajv.errorsText(known.validate.errors)}\n${JSON.stringify(document).slice(0, 2_000)}`,
    );
  if (recordedIn === undefined) return;
  const taken = takenBy(known.schema, document).filter((branch) => !recorded.has(branch));
  if (taken.length === 0) return;
  for (const branch of taken) recorded.add(branch);
  appendFileSync(recordedIn, `${taken.join('\n')}\n`);
}

/** An earlier attempt with an unknown outcome makes any error one. @throws Error */
function checkError(error: AnyDocument['error']): void {
  if (error === null || !isMeant(error.code)) return;
  const { effects, retries } = CODE_MEANINGS[error.code];
  if (error.effect === 'unknown' || (effects.includes(error.effect) && retries.includes(error.retry))) return;
  throw new Error(
    `help --json does not say that ${error.code} has the effect ${error.effect} and the retry ${error.retry}.`,
  );
}

const isMeant = (code: string): code is OwnCode => Object.hasOwn(CODE_MEANINGS, code);

function validatorOf(command: string) {
  if (!validators.has(command)) {
    const schema = documentSchemaOf(command);
    validators.set(command, schema && { schema: whole(schema), validate: ajv.compile(schema) });
  }
  return validators.get(command);
}

/** A part of a schema that says which values fit. */
interface Part {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Part>>;
  required?: readonly string[];
  additionalProperties?: boolean | Part;
  items?: Part;
  anyOf?: readonly Part[];
  oneOf?: readonly Part[];
  $ref?: string;
  $defs?: Readonly<Record<string, Part>>;
}

/** With the parts that it refers to in their places. */
function whole(part: Part, defs: Part['$defs'] = part.$defs): Part {
  if (part.$ref !== undefined) return named(part.$ref, defs);
  const { properties, items, anyOf, oneOf } = part;
  const each = (parts: readonly Part[]): readonly Part[] => parts.map((one) => whole(one, defs));
  return {
    ...part,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, whole(field, defs)]),
      ),
    }),
    ...(items && { items: whole(items, defs) }),
    ...(anyOf && { anyOf: each(anyOf) }),
    ...(oneOf && { oneOf: each(oneOf) }),
  };
}

function named(ref: string, defs: Part['$defs']): Part {
  const part = defs?.[ref.replace('#/$defs/', '')];
  if (part === undefined) throw new Error(`${ref} is not in the schema`);
  return whole(part, defs);
}

const alternativesOf = ({ anyOf, oneOf, type }: Part): readonly Part[] =>
  anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((each) => ({ type: each })) : []);

/** The branches of a schema, each under the kind of object that has it: the same kind in two commands counts once. */
export function declaredBranches(schema: JsonSchema): readonly string[] {
  const found = new Set<string>();
  visit(whole(schema), 'document', { value: undefined, taken: (branch) => found.add(branch), every: true });
  return [...found];
}

/** The branches that a document takes. */
export const branchesOf = (schema: JsonSchema, document: unknown): readonly string[] =>
  takenBy(whole(schema), document);

function takenBy(schema: Part, value: unknown): readonly string[] {
  const found = new Set<string>();
  visit(schema, 'document', { value, taken: (branch) => found.add(branch), every: false });
  return [...found];
}

interface Visit {
  value: unknown;
  taken: (branch: string) => void;
  /** All branches, whatever the value. */
  every: boolean;
}

function visit(part: Part, place: string, { value, taken, every }: Visit): void {
  const alternatives = alternativesOf(part);
  if (alternatives.length > 0) {
    alternatives.forEach((each, at) => {
      if (!every && !fits(each, value)) return;
      taken(`${place} ${nameOf(each, at)}`);
      visit(each, `${place} ${nameOf(each, at)}`, { value, taken, every });
    });
    return;
  }
  if (part.items !== undefined) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    for (const item of every ? [undefined] : items)
      visit(part.items, `${place}[]`, { value: item, taken, every });
  }
  if (part.properties === undefined) return;
  const home = kindOf(part.properties);
  const fields = isRecord(value) ? value : {};
  for (const [name, each] of Object.entries(part.properties)) {
    const present = every || Object.hasOwn(fields, name);
    const optional = part.required?.includes(name) !== true;
    if (optional && present) taken(`${home}: ${name} present`);
    if (optional && (every || !present)) taken(`${home}: ${name} absent`);
    if (present) visit(each, `${home}: ${name}`, { value: fields[name], taken, every });
  }
}

const nameOf = ({ type, properties }: Part, at: number): string =>
  typeof type === 'string' && properties === undefined ? type : `alternative ${at.toString()}`;

/** Names an object: what it says of itself, or its first fields. One that another object extends is of the same kind. */
function kindOf(properties: Readonly<Record<string, Part>>): string {
  const own = Object.entries(properties).filter(([, { const: said }]) => typeof said === 'string');
  return own.length > 0
    ? own.map(([name, { const: said }]) => `${name}=${String(said)}`).join(',')
    : Object.keys(properties).slice(0, 3).join(',');
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether it has the form; patterns and limits are the validator's. */
function fits(part: Part, value: unknown): boolean {
  const alternatives = alternativesOf(part);
  if (alternatives.length > 0) return alternatives.some((each) => fits(each, value));
  if (part.const !== undefined) return part.const === value;
  if (part.enum !== undefined) return part.enum.includes(value);
  switch (part.type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value) && value.every((each) => fits(part.items ?? {}, each));
    case 'object':
      return isRecord(value) && fieldsFit(part, value);
    case undefined:
      return true;
    case 'integer':
    case 'number':
      return typeof value === 'number';
    default:
      return typeof value === part.type;
  }
}

function fieldsFit(
  { properties = {}, required = [], additionalProperties }: Part,
  value: Readonly<Record<string, unknown>>,
): boolean {
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, each]) =>
      properties[name] === undefined ? additionalProperties !== false : fits(properties[name], each),
    )
  );
}
