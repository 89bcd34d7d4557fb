/**
 * From an intent to a plan that may be sent: judged, shown, agreed to by the operator, and read again after
 * the answer, so that nobody deals on what was true a minute ago.
 */
import { Big } from 'big.js';
import { grouped } from '../../domain/exposure.ts';
import { worseByBps } from '../../domain/slippage.ts';
import { StoppedError } from '../../errors.ts';
import type { ActionIntent } from '../../intent/action-intent.ts';
import type { Dealing } from '../dealing.ts';
import type { Plan } from '../plan/plan.ts';
import { changedSince, priceOf } from './changed.ts';
import { type Considered, consider, nothingToDo, type Read, readAll } from './considered.ts';

/** @throws StoppedError: a guard's, or `declined`. A dry run, and a close of nothing, are asked about by nobody. */
export async function agree(intent: ActionIntent, read: Read, dealing: Dealing): Promise<Considered> {
  const { yes, dryRun } = intent.options;
  let shown = consider(intent, read, dealing);
  let changed: string | undefined;
  if (dryRun) return shown;
  while (!nothingToDo(shown.plan)) {
    const { plan, warnings, dealtElsewhere } = shown;
    dealing.watch.stop();
    if (!(await dealing.confirm({ plan, warnings, dealtElsewhere, changed }, { yes })))
      throw declined(intent);
    if (yes) return shown;
    dealing.watch.start('Reading the price and the book again');
    const fresh = consider(intent, await readAll(intent, dealing, plan.facts), dealing);
    changed = changedSince(plan, fresh.plan);
    if (changed === undefined) {
      sayReadAgain(plan, fresh.plan, dealing);
      return fresh;
    }
    shown = fresh;
  }
  return shown;
}

/** `re-quoted  1522.35, 0.4 bps worse`. */
function sayReadAgain(shown: Plan, fresh: Plan, { watch }: Dealing): void {
  const [before, now] = [priceOf(shown), priceOf(fresh)];
  if (before === undefined || now === undefined) {
    watch.note('read again the book is unchanged');
    return;
  }
  const bps = worseByBps(fresh.side, { shown: before, now });
  const moved = bps.eq(0)
    ? 'unchanged'
    : `${bps.abs().round(2, Big.roundUp).toFixed()} bps ${bps.gt(0) ? 'worse' : 'better'}`;
  watch.note(`re-quoted  ${grouped(now)}, ${moved}`);
}

const declined = ({ action }: ActionIntent): StoppedError =>
  new StoppedError({
    code: 'declined',
    what: `Declined: the ${action} was not agreed to.`,
    book: 'Nothing was sent.',
  });
