/**
 * What standard error is told of readings that fail: that they do, once, with the error's own words, and when
 * answers come again. Knows neither what is read nor where the readings go.
 */
import { isoSeconds } from '../../domain/instants.ts';
import type { HedgeError } from '../../errors.ts';
import { sayError } from '../saying.ts';
import type { BodyPorts } from './watch-body.ts';

export interface Outage {
  /** A reading failed; it is read on. */
  failed(error: HedgeError): void;
  /** One came. */
  answered(): void;
}

export function outageOn({
  terminal,
  quiet,
  context,
}: Pick<BodyPorts, 'terminal' | 'quiet' | 'context'>): Outage {
  let failing = false;
  const note = (said: (at: string) => string): void => {
    if (!quiet) terminal.writeNote(said(isoSeconds(context().now)));
  };
  return {
    failed(error) {
      if (failing) return;
      failing = true;
      sayError(terminal, error, context());
      note((at) => `No reading at ${at}; it is read on.`);
    },
    answered() {
      if (failing) note((at) => `Answers again at ${at}.`);
      failing = false;
    },
  };
}
