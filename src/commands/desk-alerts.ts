/** What a watched screen shows of the desk above its own figures: a halt, and unknown outcomes of every machine. */
import { viewActiveHalt } from '../output/views/halt.ts';
import { viewTrouble, viewUnresolved } from '../output/views/journal.ts';
import { summarizeJournal } from '../readings/read-journal.ts';
import type { Block } from '../output/blocks.ts';
import type { CommandContext } from './command-context.ts';

/** The log is asked no more often. */
const EVERY_MS = 5_000;

/** Nothing without a desk. Called each second. */
export async function deskAlerts(context: CommandContext): Promise<() => readonly Block[]> {
  if (!(await context.hasDesk())) return () => [];
  const journal = await context.journal();
  const { selected } = await context.profileContext();
  let asked = context.clock.monotonic();
  return () => {
    const now = context.clock.monotonic();
    if (now - asked >= EVERY_MS) {
      asked = now;
      // What fails is the trouble of the next reading.
      journal.latest().catch(() => undefined);
    }
    const summary = summarizeJournal(journal, { nowMs: context.clock.now() });
    return [
      ...(summary.halt === undefined ? [] : viewActiveHalt(summary.halt)),
      ...viewUnresolved(summary.unresolved, 'unresolved', selected),
      ...viewTrouble(summary),
    ];
  };
}
