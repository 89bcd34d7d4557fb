/** The command context of one line in a batch: progress goes to the bar; a preview is shown when it is confirmed. */
import type { CommandContext } from '../../commands/command-context.ts';
import { redactArgv } from '../../domain/redact.ts';
import type { Block } from '../../output/blocks.ts';
import type { ProgressReporter, ReadContext } from '../../readings/read-context.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import type { TradingContext } from '../../trading/trading-context.ts';
export interface LineTerms {
  /** The command lines of batch and line, for the journal. */
  argv: readonly string[];
  /** Standard input is the batch, so it cannot answer a question. */
  fromInput: boolean;
  /** `line 12: open USDTNGN buy 10k` */
  name: string;
  /** The progress bar. */
  bar: () => string;
}

export function lineContext(context: CommandContext, terms: LineTerms): CommandContext {
  const unseen: Block[] = [];
  const progress = barred(context.progress, terms.bar);
  const quietly = <Lent extends ReadContext | Omit<TradingContext, 'confirm'>>(lent: Lent): Lent => ({
    ...lent,
    progress: reporterOf(lent.progress, progress),
  });
  return {
    ...context,
    progress,
    async show(blocks) {
      unseen.splice(0, unseen.length, ...blocks);
    },
    prompter: showingFirst(context.prompter, async () => {
      progress.stop();
      context.note(terms.name);
      await context.show(unseen.splice(0, unseen.length));
    }),
    looking: async () => quietly(await context.looking()),
    async dealing() {
      const lent = await context.dealing();
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

const reporterOf = (reporter: ProgressReporter, progress: Progress): ProgressReporter => ({
  start: (text) => progress.start(text),
  update: (text) => progress.update(text),
  note: () => undefined,
  news: (line) => reporter.news(line),
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
