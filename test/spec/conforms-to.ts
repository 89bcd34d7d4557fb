/**
 * Says where a value departs from the specification's tables. It reads fields.ts only, knows nothing of the
 * schemas or types of either side, and takes a number as JSON.parse or as big.js reads it.
 */
import { Big } from 'big.js';
import { FIELDS, type Field, type FieldType, type Resource, type When } from './fields.ts';

/**
 * Departures of `value` from a resource, in words that name the path; empty when it conforms.
 * Fields the document does not name are no departure.
 */
export function conformsTo(resource: Resource, value: unknown): string[] {
  if (!isObject(value)) return [`${resource} is not an object`];
  const fields: readonly Field[] = FIELDS[resource];
  return fields.flatMap((field) => departure(field, valueAt(value, field.path), value));
}

function departure(field: Field, value: unknown, whole: Record<string, unknown>): string[] {
  if (value === undefined || value === null) {
    return PROMISED[field.when](whole['status']) ? [`${field.path} is missing`] : [];
  }
  if (!HAS_TYPE[field.type](value)) return [`${field.path} is not a ${field.type}`];
  if (field.oneOf !== undefined && !field.oneOf.some((allowed) => String(allowed) === plain(value))) {
    return [`${field.path} is ${plain(value)}, not one of ${field.oneOf.join(', ')}`];
  }
  if (field.prefix !== undefined && !plain(value).startsWith(field.prefix)) {
    return [`${field.path} does not start with ${field.prefix}`];
  }
  return [];
}

/** §3: a failed order was submitted and never filled; a closed hedge was filled before. */
const PROMISED: Readonly<Record<When, (status: unknown) => boolean>> = {
  always: () => true,
  optional: () => false,
  'from submitted': (status) => status !== 'submitting',
  'once filled': (status) => status === 'filled' || status === 'closed',
};

const HAS_TYPE: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string' && value !== '',
  number: (value) => isNumber(value),
  integer: (value) => isNumber(value) && /^-?\d+$/.test(plain(value)),
  timestamp: (value) => isUtcTimestamp(value),
  object: (value) => isObject(value),
  'array of string': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

function isUtcTimestamp(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|\+00:00)$/;
  return shape.test(value) && !Number.isNaN(Date.parse(value));
}

const isNumber = (value: unknown): value is number | Big =>
  value instanceof Big || (typeof value === 'number' && Number.isFinite(value));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Big);

const plain = (value: unknown): string =>
  value instanceof Big ? value.toFixed() : typeof value === 'string' ? value : JSON.stringify(value);

function valueAt(value: Record<string, unknown>, path: string): unknown {
  let at: unknown = value;
  for (const name of path.split('.')) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}
