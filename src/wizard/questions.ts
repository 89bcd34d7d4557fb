/** The context of the wizard's questions, choices from a table, and the checks that stop an open before any question. */

import type { Big } from 'big.js';
import type { OpenDraft } from '../args/action-intent.ts';
import type { Side } from '../domain/vocabulary.ts';
import { type Block, line } from '../output/blocks.ts';
import type { Prompter } from '../terminal/prompter.ts';
import { guardContext } from '../trading/evaluate.ts';
import { stopFrom } from '../trading/guards/guard-plan.ts';
import { guardJournal, type JournalGuardTerms } from '../trading/guards/journal-guard.ts';
import type { TradingContext } from '../trading/trading-context.ts';

type Ports = 'api' | 'clock' | 'signal' | 'journal' | 'identity' | 'limits' | 'halted' | 'progress';

export interface WizardContext extends Pick<TradingContext, Ports> {
  prompter: Prompter;
  /** Renders blocks as plain lines for a list of choices. */
  lines: (blocks: readonly Block[]) => readonly string[];
}

/** Awaits a reading and shows `about` meanwhile. */
export async function whileReading<T>(
  { progress }: WizardContext,
  about: string,
  read: Promise<T>,
): Promise<T> {
  progress.start(about);
  try {
    return await read;
  } finally {
    progress.stop();
  }
}

type Table = Extract<Block, { kind: 'table' }>;

export interface RowChoice<Value> {
  value: Value;
  /** Shown under the list while this row is selected. */
  description?: string;
  /** Why it cannot be chosen, in a few words. */
  disabled?: string;
}

/** `choices` follow the rows of the table; at least one is enabled. */
export function chooseRow<Value>(
  { prompter, lines }: WizardContext,
  question: { message: string; otherwise: string },
  { table, choices }: { table: Table; choices: readonly RowChoice<Value>[] },
): Promise<Value> {
  const [header, ...names] = lines([table]);
  // A terminal too narrow for the table shows only the first column.
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

/** Checks the answered parts of the draft. @throws HedgeError that would stop the open anyway. */
export function checkBeforeTrading(draft: OpenDraft, context: WizardContext): void {
  const { market, side } = draft;
  const place = market === undefined || side === undefined ? NOWHERE : { market, side };
  const terms = journalTerms({ ...draft, ...place, notional: undefined }, context);
  // --despite can only be checked once the side is known.
  const despite = place === NOWHERE ? [] : terms.despite;
  const stop = stopFrom(guardJournal({ ...terms, despite }, context.journal.read(), guardContext(context)));
  if (stop !== undefined) throw stop;
}

/** A side without actions in the journal. */
const NOWHERE = { market: '', side: 'buy' } as const;

/** What the journal checks need to know of a draft. Duplicates are checked at the end, once all terms are known. */
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
  // With --ensure a used deal ID is fine.
  dealId: ensure ? undefined : dealId,
  despite: options.despite,
  allowDuplicate: true,
});
