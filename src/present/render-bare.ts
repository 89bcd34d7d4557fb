/**
 * What a query picked, for a shell: a text or a figure as it is, a list one element a line, an object or a null as
 * JSON. Texts are made one harmless line each; their exact form is JSON's.
 */
import { Big } from 'big.js';
import { clean } from '../domain/clean.ts';
import { exactDigits } from '../domain/exact-json.ts';
import { renderJsonLine } from './render-json.ts';

export function renderBare(value: unknown, view: { unicode: boolean }): string {
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
  return elements.map((element) => lineOf(element, view)).join('');
}

function lineOf(value: unknown, view: { unicode: boolean }): string {
  if (typeof value === 'string') return `${clean(value)}\n`;
  return value instanceof Big ? `${exactDigits(value)}\n` : renderJsonLine(value, view);
}
