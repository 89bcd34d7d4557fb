/**
 * What an operator sees of a batch on standard error: how far it is, what failed, and why it stopped.
 *
 * How far a run of many lines is, as text for a line of progress: plain characters, whatever the terminal.
 */
import type { CommandContext } from '../../commands/command-context.ts';
import type { CommandResult } from '../../commands/command-result.ts';
import type { HedgeError } from '../../errors.ts';
import { hintBlocks } from '../../output/hint.ts';
import type { BatchLine, LineEnd } from '../../trading/batch.ts';
import { hintFor } from '../render-context.ts';
export interface BatchProgress {
  bar: () => string;
  tell: (end: LineEnd<BatchLine, CommandResult>) => Promise<void>;
}

/** A result older than this was hardly meant by whoever runs the batch now. */
const OLD_MS = 24 * 60 * 60 * 1_000;

/** `named`: the profile of `--profile`, which what to do next names too. */
export function reportBatchProgress(
  lines: readonly BatchLine[],
  {
    note,
    liner,
    clock,
    named,
  }: Pick<CommandContext, 'note' | 'liner' | 'clock'> & { named: string | undefined },
): BatchProgress {
  const total = lines.length;
  let done = 0;
  let failed = 0;
  let notRun = 0;
  const dealtBefore: string[] = [];

  const sum = (): void => {
    const [first] = dealtBefore;
    if (first !== undefined)
      note(`${linesOf(dealtBefore.length)} dealt before, from ${first} on, and not again now. ${NAME_IT}`);
    if (notRun > 0) note(`${linesOf(notRun)} not run. ${AGAIN}`);
  };
  // What is in doubt has to be settled before anything else: how, is said at once.
  const waysOn = async (error: HedgeError): Promise<void> => {
    const hint = error.effect === 'unknown' ? hintFor(error, named) : undefined;
    if (hint === undefined) return;
    const laid = await liner();
    for (const way of laid(hintBlocks(hint))) note(`  ${way}`);
  };
  return {
    bar: () => barOf({ done, failed, total }),
    async tell({ line, result, error }) {
      done += 1;
      const name = `line ${line.number.toString()}`;
      const original = result?.meta['original_at'];
      if (typeof original === 'string') {
        dealtBefore.push(original);
        if (clock.now() - Date.parse(original) > OLD_MS)
          note(`${name}: this result is of ${original}, more than a day ago. Nothing was dealt now.`);
      }
      if (error?.code === 'not_run') {
        notRun += 1;
        if (notRun === 1) note(`${name}: ${error.what}`);
      } else if (error !== undefined) {
        failed += 1;
        note(`${name}: ${error.code}: ${error.what}`);
        await waysOn(error);
      }
      if (done === total) sum();
    },
  };
}

const NAME_IT = 'To deal the same anew, give the batch another --name.';
const AGAIN = 'Once that is settled, run the same batch again: what is done is not done twice.';

const linesOf = (count: number): string => (count === 1 ? '1 line was' : `${count.toString()} lines were`);

const CELLS = 20;

/** `[##########----------] 15/30, 1 failed`. `done` of `total`, which is above 0. */
export function barOf({ done, failed, total }: { done: number; failed: number; total: number }): string {
  const full = Math.floor((CELLS * done) / total);
  const counted = `${done.toString()}/${total.toString()}`;
  const bad = failed === 0 ? '' : `, ${failed.toString()} failed`;
  return `[${'#'.repeat(full)}${'-'.repeat(CELLS - full)}] ${counted}${bad}`;
}
