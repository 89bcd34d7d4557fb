/**
 * The desk as it is lent to one line of a batch: the same book and journal, and a quieter voice. What goes on is
 * for the bar alone; what would be shown before a deal is shown when it is asked about.
 */
import type { Desk } from '../../commands/desk.ts';
import { argvWithoutKeys } from '../../domain/without-keys.ts';
import type { Dealing } from '../../flow/dealing.ts';
import type { Looking, Watch } from '../../flow/looking.ts';
import type { Block } from '../../present/blocks.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Prompter } from '../../terminal/prompter.ts';

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

export function deskOfLine(desk: Desk, terms: LineTerms): Desk {
  const unseen: Block[] = [];
  const progress = barred(desk.progress, terms.bar);
  const quietly = <Lent extends Looking | Omit<Dealing, 'confirm'>>(lent: Lent): Lent => ({
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
        argv: argvWithoutKeys(terms.argv),
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

const watchOf = (watch: Watch, progress: Progress): Watch => ({
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
