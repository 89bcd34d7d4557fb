/**
 * A parsed query made exact: its literal figures become carried ones, and each comparison and each sum a call of
 * a function of ours. Knows the tree that the library parses to; evaluates nothing.
 */
import { wrapExact } from './exact-values.ts';
/** Functions of ours have names that no query can spell. */
export const operatorName = (operator: string): string => `operator ${operator}`;

/** Their positions and widths stay plain numbers: the library takes no others. */
const TAKE_PLAIN_NUMBERS = ['find_first', 'find_last', 'pad_left', 'pad_right', 'replace', 'split'];

interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}

export function exactExpression(tree: unknown): unknown {
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
export function functionsIn(tree: unknown): readonly string[] {
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
