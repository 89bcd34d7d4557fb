/**
 * A query that is a plain path: names, dots and indices alone. Where it leads to nothing it is a typing error, and
 * must not be taken for a null that stands in the document. Pure.
 */
import { didYouMean } from '../../domain/closest.ts';
import { quoted, unquoted } from '../../domain/quoted.ts';

/** A name of an object's field, or an index of a list; a negative one counts from the end. */
export type PlainPath = readonly (string | number)[];

/** Undefined for any other expression: a filter or a function computes, and its null is an answer. */
export function plainPathOf(tree: unknown): PlainPath | undefined {
  if (typeof tree !== 'object' || tree === null || !('type' in tree)) return undefined;
  switch (tree.type) {
    case 'Current':
    case 'Root':
    case 'Identity':
      return [];
    case 'Field':
      return 'name' in tree && typeof tree.name === 'string' ? [tree.name] : undefined;
    case 'Index':
      return 'value' in tree && typeof tree.value === 'number' ? [tree.value] : undefined;
    case 'Subexpression':
    case 'IndexExpression': {
      const left = 'left' in tree ? plainPathOf(tree.left) : undefined;
      const right = 'right' in tree ? plainPathOf(tree.right) : undefined;
      return left && right && [...left, ...right];
    }
    default:
      return undefined;
  }
}

/** What is not there, as a sentence without its full stop; undefined where the path leads to a value or to a null. */
export function missingAt(path: PlainPath, document: unknown): string | undefined {
  let value = document;
  for (const [at, step] of path.entries()) {
    // Below a null is nothing to be mistyped: the same path finds a value in the next document.
    if (value === null) return undefined;
    const found = stepInto(value, step);
    if (found === undefined) return `${inWords(path.slice(0, at))} has ${lacking(step, value)}`;
    value = found;
  }
  return undefined;
}

function stepInto(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return typeof step === 'number' ? value.at(step) : undefined;
  if (typeof value !== 'object' || value === null || typeof step === 'number') return undefined;
  return Object.getOwnPropertyDescriptor(value, step)?.value;
}

function lacking(step: string | number, value: unknown): string {
  if (typeof step === 'number') return `no element ${step.toString()}`;
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const meant = Array.isArray(value) ? '' : didYouMean(step, names).trimEnd();
  return `no field ${quoted(step)}${meant === '' ? '' : `. ${meant}`}`;
}

/** `data[0].pricing`, as it would be typed. */
function inWords(path: PlainPath): string {
  const text = path
    .map((step) => (typeof step === 'number' ? `[${step.toString()}]` : `.${unquoted(step)}`))
    .join('');
  return text === '' ? 'the document' : text.replace(/^\./, '');
}
