/**
 * The desk as it is lent to one line of a batch: the same book and journal, and a quieter voice. What goes on is
 * for the bar alone; what would be shown before a deal is shown when it is asked about.
 */
import type { CommandContext } from '../../commands/command-context.ts';
import { redactArgv } from '../../domain/redact.ts';
import type { Block } from '../../output/blocks.ts';
import type { ProgressReporter, ReadContext } from '../../readings/read-context.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import type { TradingContext } from '../../trading/trading-context.ts';
export interface LineTerms {
  /** The words of the batch and of the line, for the journal. */
  argv: readonly string[];
  /** Standard input is the batch itself: nobody can answer on it. */
  fromInput: boolean;
  /** The line, as it is named where it asks: `line 12: open USDTNGN buy 10k`. */
  name: string;
  /** What stands before everything that is waited for. */
  bar: () => string;
}

export function lineContext(desk: CommandContext, terms: LineTerms): CommandContext {
  const unseen: Block[] = [];
  const progress = barred(desk.progress, terms.bar);
  const quietly = <Lent extends ReadContext | Omit<TradingContext, 'confirm'>>(lent: Lent): Lent => ({
    ...lent,
    watch: watchOf(lent.watch, progress),
  });
  return {
    ...desk,
    progress,
    async show(blocks) {
      unseen.splice(0, unseen.length, ...blocks);
    },
    prompter: showingFirst(desk.prompter, async () => {
      progress.stop();
      desk.note(terms.name);
      await desk.show(unseen.splice(0, unseen.length));
    }),
    looking: async () => quietly(await desk.looking()),
    async dealing() {
      const lent = await desk.dealing();
      return {
        ...quietly(lent),
        argv: redactArgv(terms.argv),
        attended: lent.attended && !terms.fromInput,
      };
    },
  };
}

const barred = (progress: Progress, bar: () => string): Progress => ({
  ...progress,
  start: (text) => progress.start(`${bar()}  ${text}`),
  update: (text) => progress.start(`${bar()}  ${text}`),
});

const watchOf = (watch: ProgressReporter, progress: Progress): ProgressReporter => ({
  start: (text) => progress.start(text),
  update: (text) => progress.update(text),
  note: () => undefined,
  news: (line) => watch.news(line),
  stop: () => undefined,
});

function showingFirst(prompter: Prompter, show: () => Promise<void>): Prompter {
  const shown =
    <Words extends readonly unknown[], Answer>(ask: (...words: Words) => Promise<Answer>) =>
    async (...words: Words): Promise<Answer> => {
      await show();
      return ask(...words);
    };
  return {
    ...prompter,
    confirm: shown((question) => prompter.confirm(question)),
    typed: shown((question, wanted, fits) => prompter.typed(question, wanted, fits)),
  };
}
