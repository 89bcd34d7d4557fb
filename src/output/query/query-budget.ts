/**
 * Limits the work of a query: its length and depth before it runs, then its steps and the size of its result. The
 * library has no limit, and no signal is handled while it computes.
 */
import { TreeInterpreter } from '@jmespath-community/jmespath';
import { once } from '../../domain/once.ts';
import { UsageError } from '../../errors.ts';

const LONGEST = 4_096;
const DEEPEST = 64;
/** About a second. */
const MOST_STEPS = 5_000_000;
/** Enough to pass on a whole document of any size. */
const STEPS_PER_VALUE = 5;
const CHARACTERS_PER_STEP = 8;

/** The steps left for the running query. Queries never overlap, so there is one count. */
let left = MOST_STEPS;

/** @throws Error when no steps are left. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new Error('it needs more steps than a query may take');
}

/** One value of a result or of a comparison. */
export const spendOnValue = (value: unknown): void =>
  spend(typeof value === 'string' ? STEPS_PER_VALUE + sizeOf(value) : STEPS_PER_VALUE);

/** Runs a query within its bounds. `values`: how many the document has. */
export function withinBudget<T>(values: number, run: () => T): T {
  limitLibrary();
  left = MOST_STEPS + 2 * STEPS_PER_VALUE * values;
  return run();
}

/** @throws UsageError for a query that is too long. */
export function checkLength(expression: string): void {
  if (expression.length > LONGEST)
    throw new UsageError(
      `The query is longer than ${LONGEST} characters.`,
      'Pick less, or read the whole document with another program: --json',
    );
}

/** @throws UsageError for a tree that is nested too deep. A chain, such as a.b.c or a | b | c, is not. */
export function checkDepth(tree: unknown): void {
  if (isNode(tree) && depthOf(tree) > DEEPEST)
    throw new UsageError(
      `The query is nested more than ${DEEPEST} deep.`,
      'Write it flatter: one | after another does not count.',
    );
}

function depthOf(tree: Node): number {
  let deepest = 0;
  for (const below = [{ part: tree, depth: 0 }]; below.length > 0; ) {
    const { part, depth } = below.pop() ?? { part: tree, depth: 0 };
    deepest = Math.max(deepest, depth + (part.type === 'Literal' ? nestingOf(part['value']) : 0));
    below.push(...partsOf(part).map((next) => ({ ...next, depth: depth + (next.isChain ? 0 : 1) })));
  }
  return deepest;
}

/** A chain is nested only on its left. */
function partsOf(node: Node): readonly { part: Node; isChain: boolean }[] {
  const isFlatten = node.type === 'Flatten';
  return Object.entries(node).flatMap(([name, value]) => {
    const isChain = name === 'left' || isFlatten || node.type === 'KeyValuePair';
    return (Array.isArray(value) ? value : [value]).filter(isNode).map((part) => ({ part, isChain }));
  });
}

function nestingOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(nestingOf));
}

interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}
interface Interpreter {
  visit: (this: Interpreter, node: Node, value: unknown) => unknown;
}
interface Runtime {
  callFunction: (this: Runtime, name: string, given: readonly unknown[]) => unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Patches the class, since the library makes a new interpreter for each `let`. */
const limitLibrary = once(() => {
  const interpreter: Interpreter = Object.getPrototypeOf(TreeInterpreter);
  const runtime: Runtime = Object.getPrototypeOf(TreeInterpreter.runtime);
  const { visit } = interpreter;
  const { callFunction } = runtime;
  interpreter.visit = function visitCounted(node, value) {
    spend(node.type === 'Slice' ? 1 + sizeOf(value) : 1);
    const { child } = node;
    if (node.type !== 'Flatten' || !isNode(child)) return visit.call(this, node, value);
    const list = this.visit(child, value);
    if (!Array.isArray(list)) return null;
    for (const each of list) spend(1 + (Array.isArray(each) ? each.length : 0));
    return list.flat();
  };
  runtime.callFunction = function callCounted(name, given) {
    spend(costOf(name, given));
    return callFunction.call(this, name, given);
  };
  return true;
});

/** The steps of a call, before it runs: the length of a text or a list; more for some functions. */
function costOf(name: string, given: readonly unknown[]): number {
  const read = given.reduce((sum: number, value) => sum + sizeOf(value), 1);
  const [first, second, third, fourth] = given;
  const length = typeof first === 'string' ? first.length : 0;
  switch (name) {
    case 'pad_left':
    case 'pad_right':
      return read + (typeof second === 'number' ? second / CHARACTERS_PER_STEP : 0);
    case 'replace': {
      const by = typeof third === 'string' ? third.length : 0;
      const times = typeof fourth === 'number' ? fourth : length + 1;
      const rounds = typeof fourth === 'number' ? fourth : 1;
      return read + rounds + (rounds * (length + times * by)) / CHARACTERS_PER_STEP;
    }
    case 'split':
    case 'reverse':
      return read + length;
    case 'trim':
    case 'trim_left':
    case 'trim_right':
      // The library searches for the end from every blank.
      return read + length ** 2 / CHARACTERS_PER_STEP;
    case 'join':
      return Array.isArray(second)
        ? read + second.reduce((sum: number, each) => sum + length + sizeOf(each), 0)
        : read;
    case 'operator Multiply':
    case 'operator Star':
      return read + sizeOf(first) * sizeOf(second);
    default:
      return read;
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / CHARACTERS_PER_STEP;
  if (typeof value === 'symbol') return (value.description ?? '').length / CHARACTERS_PER_STEP;
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
