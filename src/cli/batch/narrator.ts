/** What an operator sees of a batch on standard error: how far it is, what failed, and why it stopped. */
import type { Desk } from '../../commands/desk.ts';
import type { Shown } from '../../commands/shown.ts';
import type { HedgeError } from '../../errors.ts';
import type { BatchLine, LineEnd } from '../../flow/batch/run-batch.ts';
import { hintBlocks, hintFor } from '../../present/hint.ts';
import { barOf } from '../../terminal/bar.ts';

export interface Narrator {
  bar: () => string;
  tell: (end: LineEnd<BatchLine, Shown>) => Promise<void>;
}

/** A result older than this was hardly meant by whoever runs the batch now. */
const OLD_MS = 24 * 60 * 60 * 1_000;

/** `named`: the profile of `--profile`, which what to do next names too. */
export function narrate(
  lines: readonly BatchLine[],
  { note, liner, clock, named }: Pick<Desk, 'note' | 'liner' | 'clock'> & { named: string | undefined },
): Narrator {
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
