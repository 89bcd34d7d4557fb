/** JSON documents, which keep every digit that the service sent; and the bare values that a query picks. */

import { Big } from 'big.js';
import { exactDigits, writeExactJson } from '../domain/exact-json.ts';
import { type CommandPlacing, hintText } from '../domain/hint.ts';
import {
  cutField,
  escapeJson,
  escapeJsonToAscii,
  forDocument,
  forScreen,
  sanitize,
} from '../domain/sanitize.ts';
import type { HedgeError } from '../errors.ts';
import type { ErrorDocument } from '../schema/document.ts';

export interface JsonDocument {
  data: unknown;
  error: ErrorDocument | null;
  meta: Readonly<Record<string, unknown>>;
}

export interface JsonView {
  /** Indented for a person at a terminal; on one line for a pipe. */
  pretty?: boolean;
  /** False: escaped to ASCII, for a terminal that shows no more. */
  unicode?: boolean | undefined;
}

/** A document or any other value, and a line end; safe to print to a terminal. */
export function renderJson(value: unknown, { pretty = false, unicode }: JsonView): string {
  const json = writeExactJson(value, pretty ? { indent: 2 } : {});
  return `${unicode === false ? escapeJsonToAscii(json) : escapeJson(json)}\n`;
}

/** A document's `error`. Its message has more of the service's words than the screen, on one line; no text is longer than 4 KB. */
export function errorDocument(error: HedgeError, place?: CommandPlacing): ErrorDocument {
  const { said, hint, details, httpStatus } = error;
  return {
    code: cutField(error.code),
    message: cutField(
      said === undefined ? error.message : error.message.replace(forScreen(said), () => sanitize(said)),
    ),
    effect: error.effect,
    retry: error.retry,
    ...(hint === undefined ? {} : { hint: cutField(hintText(hint, place)) }),
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
  return value instanceof Big ? `${exactDigits(value)}\n` : renderJson(value, view);
}
