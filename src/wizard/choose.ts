/** A question whose answers stand as the rows of a table. Knows no market and no tenor. */
import { type Block, line } from '../present/blocks.ts';
import type { Asking } from './asking.ts';

type Table = Extract<Block, { kind: 'table' }>;

export interface RowChoice<Value> {
  value: Value;
  /** Shown under the list while this row is marked. */
  description?: string;
  /** Why it cannot be chosen, in a word or two. */
  disabled?: string;
}

/** `choices` are the table's rows, in their order; at least one of them can be chosen. */
export function chooseRow<Value>(
  { prompter, lines }: Asking,
  question: { message: string; otherwise: string },
  { table, choices }: { table: Table; choices: readonly RowChoice<Value>[] },
): Promise<Value> {
  const [header, ...names] = lines([table]);
  // A terminal that is too narrow for any table gets the first column alone.
  const isTable = table.columns.every(
    ({ header: name, optional }) => optional === true || header?.includes(name) === true,
  );
  return prompter.select(
    question,
    choices.map((choice, at) => {
      const short = lines([line(...(table.rows[at] ?? []).slice(0, 1))]).join(' ');
      return { ...choice, short, name: (isTable ? names[at] : undefined) ?? short };
    }),
    isTable ? { header } : {},
  );
}
