/** Words for input that does not match a schema: the field, and what it must be. The input is never repeated: it may be a key. */
import type * as z from 'zod';

export interface FieldProblem {
  readonly [name: string]: string;
  readonly field: string;
  readonly problem: string;
}

const MOST = 8;
const LONGEST_FIELD = 64;

/** `unknown`: the problem of a field that the schema does not have. */
export function fieldProblems<T>(
  schema: z.ZodType<T>,
  value: unknown,
  unknown: string,
): { data: T } | { problems: readonly [FieldProblem, ...FieldProblem[]] } {
  const parsed = schema.safeParse(value, { error: inWords });
  if (parsed.success) return { data: parsed.data };
  const [first = { field: '', problem: 'is not valid' }, ...others] = parsed.error.issues
    .slice(0, MOST)
    .map((issue) => problemOf(issue, unknown));
  return { problems: [first, ...others] };
}

function problemOf(
  issue: z.core.$ZodIssue,
  unknown: string,
  above: readonly PropertyKey[] = [],
): FieldProblem {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const [meant] = branchMeant(issue.errors);
    if (meant !== undefined) return problemOf(meant, unknown, path);
  }
  const isUnknown = issue.code === 'unrecognized_keys';
  const field = (isUnknown ? [...path, issue.keys[0] ?? ''] : path).join('.').slice(0, LONGEST_FIELD);
  return { field, problem: isUnknown ? unknown : issue.message };
}

/** The alternative that the input has the type of; otherwise one that lists its words. */
function branchMeant(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  const ofWords = branches.filter((branch) => rejectsAll(branch, 'invalid_value'));
  const ofTypes = branches.filter((branch) => rejectsAll(branch, 'invalid_type'));
  return branches.find((each) => !ofWords.includes(each) && !ofTypes.includes(each)) ?? ofWords[0] ?? [];
}

const rejectsAll = ([first]: readonly z.core.$ZodIssue[], code: string): boolean =>
  first?.code === code && first.path.length === 0;

const KINDS = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['int', 'a whole number'],
  ['number', 'a number'],
  ['string', 'text'],
]);
const UNITS = new Map([
  ['array', ' entries'],
  ['string', ' characters'],
]);

/** Undefined: the message of the schema or of zod. */
const inWords: z.core.$ZodErrorMap = (issue) => {
  const { code, input } = issue;
  if (code === 'invalid_union') return 'has the wrong type';
  if ((code === 'invalid_type' || code === 'invalid_value') && input === undefined) return 'is missing';
  if (code === 'invalid_type') return `must be ${KINDS.get(issue.expected) ?? 'an object'}`;
  if (code === 'invalid_value')
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  if (code !== 'too_big' && code !== 'too_small') return undefined;
  const unit = UNITS.get(issue.origin) ?? '';
  if (code === 'too_big') return `must be at most ${String(issue.maximum)}${unit}`;
  if (unit !== '' && issue.minimum === 1) return 'must not be empty';
  return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${String(issue.minimum)}${unit}`;
};
