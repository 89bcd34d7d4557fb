/**
 * A watch in a pipe: one line on standard output for each thing that changed, dated in UTC by the service's own
 * clock; on standard error that answers stopped coming, and that they came again.
 */
import type { Shown } from '../../commands/shown.ts';
import { text } from '../../present/blocks.ts';
import { watchChanges } from '../../present/change-lines.ts';
import { renderHuman } from '../../present/render-human.ts';
import { isoSeconds } from '../printer.ts';
import { sayError } from '../saying.ts';
import type { BodyPorts, WatchBody } from './watch-body.ts';

/** A line in a pipe is never broken, however long. */
const UNBROKEN = 100_000;

export function lineBody({ terminal, quiet, context, quit, clear }: BodyPorts): WatchBody {
  const changes = watchChanges();
  let failingSince: number | undefined;

  const render = (shown: Shown): string => {
    const { now } = context();
    const at = text(isoSeconds(shown.servedAt?.getTime() ?? now));
    const { unicode, isTTY } = terminal.stdout;
    return renderHuman(
      changes
        .since(shown.changes())
        .map((each) => (each.kind === 'line' ? { ...each, cells: [at, ...each.cells] } : each)),
      { width: UNBROKEN, colour: 0, unicode: unicode || !isTTY, zone: 'UTC', now },
    );
  };

  return {
    async reading(shown) {
      clear();
      if (failingSince !== undefined && !quiet)
        terminal.writeNote(`Answers again at ${isoSeconds(context().now)}.`);
      failingSince = undefined;
      await terminal.writeResult(render(shown));
      if (terminal.abandoned) quit();
    },
    async failure(error) {
      if (failingSince === undefined && !quiet) {
        sayError(terminal, error, context());
        terminal.writeNote(`No reading at ${isoSeconds(context().now)}; it is read on.`);
      }
      failingSince ??= context().now;
    },
    tick: () => undefined,
    close: () => Promise.resolve(),
  };
}
