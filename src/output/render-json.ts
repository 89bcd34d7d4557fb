/**
 * The document for programs: the service's own envelope, every number with the digits it came with.
 *
 * What a query picked, for a shell: a text or a figure as it is, a list one element a line, an object or a null as
 * JSON. Texts are made one harmless line each; their exact form is JSON's.
 */

import { Big } from 'big.js';
import { exactDigits, writeExactJson } from '../domain/exact-json.ts';
import {
  cutField,
  escapeJson,
  escapeJsonToAscii,
  forDocument,
  forScreen,
  sanitize,
} from '../domain/sanitize.ts';
import type { Effect, HedgeError, Retry } from '../errors.ts';
export interface JsonDocument {
  data: unknown;
  error: ErrorDocument | null;
  meta: Readonly<Record<string, unknown>>;
}

export interface ErrorDocument {
  code: string;
  message: string;
  effect: Effect;
  retry: Retry;
  hint?: string;
  details?: unknown;
  http_status?: number;
}

export interface JsonView {
  /** Indented for a person at a terminal; on one line for a pipe. */
  pretty: boolean;
  /** False: spelled in ASCII alone, for a terminal that shows no more. The value is the same. */
  unicode?: boolean | undefined;
}

/** One document and a line end. Nothing in it acts on a terminal it is printed to. */
export function renderJson({ data, error, meta }: JsonDocument, view: JsonView): string {
  return renderJsonValue({ data: data ?? null, error, meta }, view);
}

/** Any value on a line of its own. */
export const renderJsonLine = (value: unknown, { unicode }: Pick<JsonView, 'unicode'>): string =>
  renderJsonValue(value, { pretty: false, unicode });

/** Any value, and a line end. */
export function renderJsonValue(value: unknown, { pretty, unicode }: JsonView): string {
  const json = writeExactJson(value, pretty ? { indent: 2 } : {});
  return `${unicode === false ? escapeJsonToAscii(json) : escapeJson(json)}\n`;
}

/**
 * The error as a document's `error`: what happened and what it means for the book are its message, which has more of
 * the service's words than a person reads. No text in it is longer than 4 KB.
 */
export function errorDocument(error: HedgeError, hint = error.hint): ErrorDocument {
  const { said, details, httpStatus } = error;
  return {
    code: cutField(error.code),
    message: cutField(
      said === undefined ? error.message : error.message.replace(forScreen(said), () => said),
    ),
    effect: error.effect,
    retry: error.retry,
    ...(hint === undefined ? {} : { hint: cutField(hint) }),
    ...(details === undefined ? {} : { details: forDocument(details) }),
    ...(httpStatus === undefined ? {} : { http_status: httpStatus }),
  };
}

export function renderBare(value: unknown, view: { unicode: boolean }): string {
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
  return elements.map((element) => lineOf(element, view)).join('');
}

function lineOf(value: unknown, view: { unicode: boolean }): string {
  if (typeof value === 'string') return `${sanitize(value)}\n`;
  return value instanceof Big ? `${exactDigits(value)}\n` : renderJsonLine(value, view);
}
