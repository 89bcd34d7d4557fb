/**
 * A watch in a pipe: one line on standard output for each thing that changed, dated in UTC by the service's own
 * clock; on standard error that answers stopped coming, and that they came again.
 */
import type { Shown } from '../../commands/shown.ts';
import { isoSeconds } from '../../domain/instants.ts';
import { text } from '../../present/blocks.ts';
import { watchChanges } from '../../present/change-lines.ts';
import { renderHuman } from '../../present/render-human.ts';
import { outageOn } from './outage.ts';
import type { BodyPorts, WatchBody } from './watch-body.ts';

/** A line in a pipe is never broken, however long; one on a terminal that cannot be painted on is. */
const UNBROKEN = 100_000;

export function lineBody(ports: BodyPorts): WatchBody {
  const { terminal, context, quit, clear } = ports;
  const changes = watchChanges();
  const outage = outageOn(ports);

  const render = (shown: Shown): string => {
    const { now } = context();
    const at = text(isoSeconds(shown.servedAt?.getTime() ?? now));
    const { unicode, isTTY, width } = terminal.stdout;
    return renderHuman(
      changes
        .since(shown.changes())
        .map((each) => (each.kind === 'line' ? { ...each, cells: [at, ...each.cells] } : each)),
      { width: isTTY ? width : UNBROKEN, colour: 0, unicode: unicode || !isTTY, zone: 'UTC', now },
    );
  };

  return {
    async reading(shown) {
      clear();
      outage.answered();
      await terminal.writeResult(render(shown));
      if (terminal.abandoned) quit();
    },
    failure: async (error) => outage.failed(error),
    tick: () => undefined,
    close: () => Promise.resolve(),
  };
}
