/** Shared by the questions of the wizard: its context, choices from a table, and the journal checks of a draft. */
import type { Big } from 'big.js';
import type { OpenDraft } from '../domain/action-intent.ts';
import { hintText } from '../domain/hint.ts';
import type { Side } from '../domain/vocabulary.ts';
import type { ErrorParts } from '../errors.ts';
import { type Block, line, type View } from '../output/blocks.ts';
import type { Prompter, Question } from '../terminal/prompter.ts';
import type { JournalGuardTerms } from '../trading/guards/journal-guard.ts';
import type { TradingContext } from '../trading/trading-context.ts';

type Ports = 'api' | 'clock' | 'signal' | 'journal' | 'identity' | 'limits' | 'attended' | 'progress';

export interface WizardContext extends Pick<TradingContext, Ports> {
  prompter: Prompter;
  /** One line that stays on the screen. */
  note: (text: string) => void;
  /** Renders blocks as plain lines for a list of choices. */
  lines: (blocks: View) => readonly string[];
}

export const whatAndHint = ({ what, hint }: Pick<ErrorParts, 'what' | 'hint'>): string =>
  `${what} ${hintText(hint)}`.trimEnd();

/** Awaits a reading and shows `progressText` meanwhile. */
export async function whileReading<T>(
  { progress }: WizardContext,
  progressText: string,
  read: Promise<T>,
): Promise<T> {
  progress.start(progressText);
  try {
    return await read;
  } finally {
    progress.stop();
  }
}

type Table = Extract<Block, { kind: 'table' }>;

interface RowChoice<Value> {
  value: Value;
  /** Shown under the list while this row is selected. */
  description?: string;
  /** Why it cannot be chosen, in a few words. */
  disabled?: string;
}

/** `choices` follow the rows of the table; at least one is enabled. */
export function chooseRow<Value>(
  { prompter, lines, note }: WizardContext,
  question: Question,
  { table, choices }: { table: Table; choices: readonly RowChoice<Value>[] },
): Promise<Value> {
  const [header, ...names] = lines([table]);
  // A terminal too narrow for the table shows only the first column.
  const isTable = table.columns.every(
    ({ header: name, optional }) => (optional ?? false) !== false || header?.includes(name) === true,
  );
  const [hidden] = /Hidden columns: [^.]*\./.exec(names.slice(choices.length).join(' ')) ?? [];
  if (isTable && hidden !== undefined) note(hidden.replaceAll(/ +/g, ' '));
  return prompter.select(
    question,
    choices.map((choice, at) => {
      const short = lines([line(...(table.rows[at] ?? []).slice(0, 1))]).join(' ');
      return { ...choice, short, name: (isTable ? names[at] : undefined) ?? short };
    }),
    isTable ? { header } : {},
  );
}

/** Terms of a draft for the journal checks. Duplicates are checked at the end, once all terms are known. */
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
  // A used deal ID is fine with --ensure.
  dealId: ensure ? undefined : dealId,
  despite: options.despite,
  allowDuplicate: true,
});
