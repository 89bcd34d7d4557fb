/**
 * What the questions are lent: somebody to ask, the service to read, and what this machine knows. Sends nothing.
 *
 * A question whose answers stand as the rows of a table. Knows no market and no tenor.
 *
 * What stops an open whatever else is answered: a halt, a journal that cannot be read, an action without a known
 * end on the side, a deal id that is used. Told before it is asked about, and not after five answers.
 */

import type { Big } from 'big.js';
import type { OpenDraft } from '../args/action-intent.ts';
import type { Side } from '../domain/vocabulary.ts';
import { type Block, line } from '../output/blocks.ts';
import type { Prompter } from '../terminal/prompter.ts';
import { guardContext } from '../trading/evaluate.ts';
import { stopFrom } from '../trading/guards/guard-plan.ts';
import { guardJournal, type JournalGuardTerms } from '../trading/guards/journal-guard.ts';
import type { TradingContext } from '../trading/trading-context.ts';

type Lent = 'api' | 'clock' | 'signal' | 'journal' | 'identity' | 'limits' | 'halted' | 'watch';

export interface WizardContext extends Pick<TradingContext, Lent> {
  prompter: Prompter;
  /** Blocks as plain lines that fit into a list of choices. */
  lines: (blocks: readonly Block[]) => readonly string[];
}

/** What `reading` comes to, with a word about it for as long as it takes. */
export async function whileReading<T>({ watch }: WizardContext, about: string, read: Promise<T>): Promise<T> {
  watch.start(about);
  try {
    return await read;
  } finally {
    watch.stop();
  }
}

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
  { prompter, lines }: WizardContext,
  question: { message: string; otherwise: string },
  { table, choices }: { table: Table; choices: readonly RowChoice<Value>[] },
): Promise<Value> {
  const [header, ...names] = lines([table]);
  // A terminal that is too narrow for any table gets the first column alone.
  const isTable = table.columns.every(
    ({ header: name, optional }) => (optional ?? false) !== false || header?.includes(name) === true,
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

/** Judges as much as is known of the draft. @throws HedgeError when dealing would end in it anyway. */
export function checkBeforeTrading(draft: OpenDraft, asking: WizardContext): void {
  const { market, side } = draft;
  const place = market === undefined || side === undefined ? NOWHERE : { market, side };
  const terms = journalTerms({ ...draft, ...place, notional: undefined }, asking);
  // Which actions may be overruled is known with the side alone.
  const despite = place === NOWHERE ? [] : terms.despite;
  const stop = stopFrom(guardJournal({ ...terms, despite }, asking.journal.read(), guardContext(asking)));
  if (stop !== undefined) throw stop;
}

/** No action of the journal is on it. */
const NOWHERE = { market: '', side: 'buy' } as const;

/** What the journal is asked about a draft: a double is for the end to find, when all of its terms are known. */
export const journalTerms = (
  {
    market,
    side,
    notional,
    tenor,
    dealId,
    ensure,
    options,
  }: Omit<OpenDraft, 'market' | 'side'> & { market: string; side: Side; notional: Big | undefined },
  { identity }: WizardContext,
): JournalGuardTerms => ({
  identity,
  action: 'open',
  market,
  side,
  notional,
  tenorDays: tenor,
  // With --ensure a deal id that is used is what was asked for.
  dealId: ensure ? undefined : dealId,
  despite: options.despite,
  allowDuplicate: true,
});
