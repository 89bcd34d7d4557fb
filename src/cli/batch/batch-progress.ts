/** The progress of a batch on standard error: a bar, failures, and why it stopped. */
import type { CommandContext } from '../../commands/command-context.ts';
import type { CommandResult } from '../../commands/command-result.ts';
import type { HedgeError } from '../../errors.ts';
import { hintBlocks } from '../../output/blocks.ts';
import type { BatchLine, LineEnd } from '../../trading/batch.ts';
import { hintFor } from '../render-context.ts';
export interface BatchProgress {
  bar: () => string;
  report: (end: LineEnd<BatchLine, CommandResult>) => Promise<void>;
}

/** An older result is probably not the one that was wanted. */
const OLD_MS = 24 * 60 * 60 * 1_000;

/** `named`: the profile of `--profile`, which next commands name too. */
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
  const executedBefore: string[] = [];

  const sum = (): void => {
    const [first] = executedBefore;
    if (first !== undefined)
      note(
        `${linesOf(executedBefore.length)} executed before, from ${first} on, and not executed again. ${NAME_IT}`,
      );
    if (notRun > 0) note(`${linesOf(notRun)} not run. ${AGAIN}`);
  };
  // An unknown outcome comes first.
  const showNextSteps = async (error: HedgeError): Promise<void> => {
    const hint = error.effect === 'unknown' ? hintFor(error, named) : undefined;
    if (hint === undefined) return;
    const laid = await liner();
    for (const each of laid(hintBlocks(hint))) note(`  ${each}`);
  };
  return {
    bar: () => progressBar({ done, failed, total }),
    async report({ line, result, error }) {
      done += 1;
      const name = `line ${line.number.toString()}`;
      const original = result?.meta['original_at'];
      if (typeof original === 'string') {
        executedBefore.push(original);
        if (clock.now() - Date.parse(original) > OLD_MS)
          note(`${name}: result of ${original}, more than a day ago. Nothing was executed now.`);
      }
      if (error?.code === 'not_run') {
        notRun += 1;
        if (notRun === 1) note(`${name}: ${error.what}`);
      } else if (error !== undefined) {
        failed += 1;
        note(`${name}: ${error.code}: ${error.what}`);
        await showNextSteps(error);
      }
      if (done === total) sum();
    },
  };
}

const NAME_IT = 'To execute the same lines again, use another --name.';
const AGAIN = 'Resolve this first, then run the same batch again: no line is executed twice.';

const linesOf = (count: number): string => (count === 1 ? '1 line was' : `${count.toString()} lines were`);

const CELLS = 20;

/** `[##########----------] 15/30, 1 failed`. `total` is above 0. */
export function progressBar({
  done,
  failed,
  total,
}: {
  done: number;
  failed: number;
  total: number;
}): string {
  const full = Math.floor((CELLS * done) / total);
  const counted = `${done.toString()}/${total.toString()}`;
  const bad = failed === 0 ? '' : `, ${failed.toString()} failed`;
  return `[${'#'.repeat(full)}${'-'.repeat(CELLS - full)}] ${counted}${bad}`;
}
