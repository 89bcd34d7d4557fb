/**
 * `--query`: a JMESPath expression over a document, with exact numbers. The library parses the expression and walks the
 * document; numbers pass through it as symbols. Literal numbers, comparisons and sums become calls of exact functions
 * (exact-functions.ts). A path to a missing field is an error, because it is probably a typo; so is a projection over one.
 */

import { createContext, Script } from 'node:vm';
import {
  compile,
  getRegisteredFunctions,
  registerFunction,
  TreeInterpreter,
  TYPE_ANY,
  TYPE_EXPREF,
} from '@jmespath-community/jmespath';
import { closestMatch } from '../../domain/did-you-mean.ts';
import { someOf } from '../../domain/exposure.ts';
import { isFields } from '../../domain/fields.ts';
import { quoted, unquoted } from '../../domain/quoted.ts';
import { OutputError, UsageError } from '../../errors.ts';
import { EXACT_FUNCTIONS, unwrapExact, wrapExact } from './exact-functions.ts';

/** The exact functions have names that no query can spell. */
const operatorName = (operator: string): string => `operator ${operator}`;

/** Their positions and widths stay plain numbers: the library takes no others. */
const TAKE_PLAIN_NUMBERS = ['find_first', 'find_last', 'pad_left', 'pad_right', 'replace', 'split'];

interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}

function exactExpression(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(exactExpression);
  if (!isNode(tree)) return tree;
  switch (tree.type) {
    case 'Literal':
      return { ...tree, value: wrapExact(tree['value']) };
    case 'Comparator':
      return call(operatorName(String(tree['name'])), tree['left'], tree['right']);
    case 'Arithmetic':
      return call(operatorName(String(tree['operator'])), tree['left'], tree['right']);
    case 'Unary':
      return call(operatorName(`Unary${String(tree['operator'])}`), tree['operand']);
    case 'Function':
      return { ...tree, children: argumentsOf(tree) };
    default:
      return Object.fromEntries(Object.entries(tree).map(([part, inner]) => [part, exactExpression(inner)]));
  }
}

/** The names of the functions that a tree calls. */
function functionsIn(tree: unknown): readonly string[] {
  if (typeof tree !== 'object' || tree === null || (isNode(tree) && tree.type === 'Literal')) return [];
  const own = isNode(tree) && tree.type === 'Function' ? [String(tree['name'])] : [];
  return [...own, ...Object.values(tree).flatMap(functionsIn)];
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const call = (name: string, ...operands: readonly unknown[]): Node => ({
  type: 'Function',
  name,
  children: operands.map(exactExpression),
});

function argumentsOf({ name, children }: Node): readonly unknown[] {
  const given: readonly unknown[] = Array.isArray(children) ? children : [];
  const plain = TAKE_PLAIN_NUMBERS.includes(String(name));
  return given.map((child) =>
    plain && isNode(child) && child.type === 'Literal' ? child : exactExpression(child),
  );
}

/** The library's types know only floats, but it passes values on unread. */
interface Library {
  search(tree: unknown, value: unknown): unknown;
  visit(tree: unknown, value: unknown): unknown;
}
interface Functions {
  register(
    name: string,
    run: (given: readonly unknown[]) => unknown,
    takes: { types: number[] }[],
    options: { override: boolean },
  ): void;
}
const library: Library = TreeInterpreter;
const functions: Functions = { register: registerFunction };

for (const { name, takes, run } of EXACT_FUNCTIONS) {
  const expressionAt = takes.indexOf('expression');
  functions.register(
    name,
    (given) => run(given, (value) => library.visit(given[expressionAt], value)),
    takes.map((kind) => ({ types: [kind === 'value' ? TYPE_ANY : TYPE_EXPREF] })),
    { override: true },
  );
}

/** Evaluates an expression on a document. @throws OutputError for a missing path and a failed computation. */
export type Query = (document: unknown) => unknown;

/** More than any query of use takes, also on a busy machine. */
const LIMIT_MS = 2_000;

/** Throws UsageError for text that is not an expression. */
export function readQuery(expression: string, { limitMs = LIMIT_MS } = {}): Query {
  if (expression.match(QUOTED)?.some((part) => TOO_MANY_DIGITS.test(part)) === true)
    throw new UsageError(
      'The query holds a number of more digits than a query can compare exactly, 15.',
      "Compare with fewer digits, or as text: to_string(price) == '1530.1234567890123456'",
    );
  const { tree, starts, functionNames } = parsed(expression);
  const strange = functionNames.find((name) => !getRegisteredFunctions().includes(name));
  if (strange !== undefined)
    throw new UsageError(
      `The query asks for ${quoted(strange)}, and there is no such function.`,
      'JMESPath has its list: https://jmespath.site/main/#functions',
    );
  return (document) => {
    const value = wrapExact(document);
    for (const start of starts) {
      const missing = missingAt(start, value);
      if (missing !== undefined) throw queryMismatch(missing);
    }
    try {
      return interruptible(() => unwrapExact(library.search(tree, value)), limitMs);
    } catch (error) {
      throw queryMismatch(reasonOf(error), error);
    }
  };
}

/** Runs it until the limit, or Ctrl-C, of which nothing else in this process learns while it computes. */
function interruptible(run: () => unknown, limitMs: number): unknown {
  return new Script('run()').runInContext(createContext({ run }), { timeout: limitMs, breakOnSigint: true });
}

const queryMismatch = (reason: string, cause?: unknown): OutputError =>
  new OutputError({
    code: 'output_failed',
    what: `The query does not match the document: ${reason.replace(/(?<!\?)$/, '.')} The command itself had run; only its output is missing.`,
    cause,
  });

/** Texts, names and literals, from left to right: a text may have the marks of the others. */
const QUOTED = /'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"|`(?:[^`\\]|\\[^])*`/g;

/** The library reads a literal as a float. */
const TOO_MANY_DIGITS = /^`[^]*(?:\d\.?){16}/;

/** `starts`: the path that it starts with, or those of a function's arguments; none: nothing can be checked. */
function parsed(expression: string) {
  try {
    const compiled: unknown = compile(expression);
    const tree = exactExpression(compiled);
    return { tree, starts: pathStartsOf(compiled), functionNames: functionsIn(tree) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `The query is not a JMESPath expression: ${reasonOf(error)}.`,
      expression.includes('`')
        ? `Text is in single quotes: --query "data[?status == 'filled'].id"`
        : "It reads the whole document, without a leading dot: --query 'data[0].id', --query 'data[].notional_usd'",
    );
  }
}

/** A TypeError inside the library means nothing to an operator. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deep, or makes too much';
  const code = isFields(error) ? error['code'] : undefined;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'it takes too long';
  if (code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') return 'it was stopped by Ctrl-C';
  return error instanceof Error && !(error instanceof TypeError)
    ? error.message.replace(/\.$/, '').replace(/^\[big\.js\] /, '')
    : 'a function does not accept this value';
}

/** A name of an object's field, or an index of a list; a negative one counts from the end. */
type PlainPath = readonly (string | number)[];

/** A path, and what a projection over its value needs: `each` is in one element at least, unless there is none. */
interface PathStart {
  path: PlainPath;
  /** It is the whole expression. */
  isPlain?: boolean;
  projects?: 'list' | 'object' | undefined;
  each?: PlainPath | undefined;
}

/** A function may be asked for a field that is missing, but sums nothing where every record lacks it. */
function pathStartsOf(tree: unknown): readonly PathStart[] {
  if (!isNode(tree) || tree.type !== 'Function') return [pathStartOf(tree) ?? []].flat();
  const given: readonly unknown[] = Array.isArray(tree['children']) ? tree['children'] : [];
  return given.filter((each) => pathStartOf(each)?.isPlain !== true).flatMap(pathStartsOf);
}

/**
 * The path that must lead somewhere: the whole expression, or what its first projection or selection is made of. Undefined
 * for any other expression: the null of a filter or a function is a result.
 */
function pathStartOf(tree: unknown): PathStart | undefined {
  if (!isNode(tree)) return undefined;
  const { type, name, value, left, right, child } = tree;
  switch (type) {
    case 'Current':
    case 'Root':
    case 'Identity':
      return { path: [], isPlain: true };
    case 'Field':
      return { path: [String(name)], isPlain: true };
    case 'Index':
      return { path: [Number(value)], isPlain: true };
    case 'Subexpression':
    case 'IndexExpression': {
      const start = pathStartOf(left);
      if (start?.isPlain !== true) return start;
      const more = pathStartOf(right);
      return { isPlain: false, ...more, path: [...start.path, ...(more?.path ?? [])] };
    }
    case 'Projection':
    case 'FilterProjection': {
      const start = projected(left, 'list');
      const inEach = pathStartOf(right);
      // That of an inner projection comes first.
      return start && { ...start, each: start.each ?? (inEach?.isPlain === true ? inEach.path : []) };
    }
    case 'Flatten':
      return projected(child, 'list');
    case 'ValueProjection':
      return projected(left, 'object');
    default:
      return undefined;
  }
}

function projected(over: unknown, projects: 'list' | 'object'): PathStart | undefined {
  const start = pathStartOf(over);
  return start?.isPlain === true ? { path: start.path, projects } : start;
}

/** The missing part, as a sentence without its full stop; undefined if the path leads to a value or a null. */
function missingAt({ path, projects, each = [] }: PathStart, document: unknown): string | undefined {
  const { value, at, lacks } = follow(path, document);
  if (lacks !== undefined) return `${inWords(path.slice(0, at))} has ${lacks}`;
  if (value === null || projects === undefined) return undefined;
  if (!isA(projects, value))
    return `${inWords(path)} is not ${projects === 'list' ? 'a list' : 'an object'}${offered(value, path)}`;
  const elements: readonly unknown[] = Array.isArray(value) ? value.flat() : [];
  const ends = elements.map((element) => follow(each, element));
  // A record may leave out a field, so a missing one is a typo only next to a similar one.
  const typo = ends.find((end) => end.isTypo);
  if (typo === undefined || ends.some((end) => end.lacks === undefined)) return undefined;
  const inEach = each.slice(0, typo.at);
  return `${inWords(path)}[]${inEach.length === 0 ? '' : `.${inWords(inEach)}`} has ${typo.lacks ?? ''}`;
}

/** The end of a path. `lacks`: the missing part, at step `at`; `isTypo`: a similar field is there. */
interface PathEnd {
  value: unknown;
  at: number;
  lacks?: string;
  isTypo?: boolean;
}

function follow(path: PlainPath, from: unknown): PathEnd {
  let value = from;
  for (const [at, step] of path.entries()) {
    // Below a null the path may be right: the next document may have a value there.
    if (value === null) break;
    const found = stepInto(value, step);
    if (found === undefined) {
      const meant = similarTo(step, value);
      const suggestion =
        meant === undefined ? offered(value, path.slice(0, at)) : `. Did you mean ${unquoted(meant)}?`;
      return { value, at, lacks: `${lacking(step)}${suggestion}`, isTypo: meant !== undefined };
    }
    value = found;
  }
  return { value, at: path.length };
}

/** `. It has hedges, derived. Lists: data.hedges[], data.derived.days[]`; nothing of a text or a number. */
function offered(value: unknown, path: PlainPath): string {
  if (Array.isArray(value)) return `. It is a list: ${inWords(path)}[]`;
  if (!isFields(value)) return '';
  const lists = listsIn(value, path).toSorted((one, other) => one.length - other.length);
  const named = lists.length === 0 ? '' : `. Lists: ${someOf(lists.map((each) => `${inWords(each)}[]`))}`;
  return `. It has ${someOf(Object.keys(value).map(unquoted), 10)}${named}`;
}

const listsIn = (value: Readonly<Record<string, unknown>>, path: PlainPath): readonly PlainPath[] =>
  Object.entries(value).flatMap(([name, inner]) =>
    Array.isArray(inner) ? [[...path, name]] : isFields(inner) ? listsIn(inner, [...path, name]) : [],
  );

const isA = (kind: 'list' | 'object', value: unknown): boolean =>
  Array.isArray(value) ? kind === 'list' : kind === 'object' && typeof value === 'object';

function stepInto(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return typeof step === 'number' ? value.at(step) : undefined;
  if (typeof value !== 'object' || value === null || typeof step === 'number') return undefined;
  return Object.getOwnPropertyDescriptor(value, step)?.value;
}

const lacking = (step: string | number): string =>
  typeof step === 'number' ? `no element ${step}` : `no field ${quoted(step)}`;

/** `notional_usd` for `notional` or `notional_ust`. */
function similarTo(step: string | number, value: unknown): string | undefined {
  if (typeof step === 'number' || typeof value !== 'object' || value === null || Array.isArray(value))
    return undefined;
  const names = Object.keys(value);
  return closestMatch(step, names) ?? names.find((name) => name.startsWith(`${step}_`));
}

/** `data[0].pricing` */
function inWords(path: PlainPath): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${unquoted(step)}`)).join('');
  return text === '' ? 'the document' : text.replace(/^\./, '');
}
