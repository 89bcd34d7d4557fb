/** Actions that may still change the figures above them. */
import { say, shell } from '../../domain/hint.ts';
import type { PendingActions } from '../../readings/pending-actions.ts';
import { line, type View } from '../blocks.ts';
import { hintCell, text } from '../cells.ts';
import { viewUnfinishedRolls } from './unfinished-rolls.ts';

/** `1 unresolved, 2 in flight: these figures may change. To look them up: hedge check`, and rolls to finish. */
export function pendingLine(pending: PendingActions | undefined): View {
  if (pending === undefined) return [];
  const { unresolved, inFlight, rolls } = pending;
  const counts = [
    ...(unresolved === 0 ? [] : [`${unresolved} unresolved`]),
    ...(inFlight === 0 ? [] : [`${inFlight} in flight`]),
  ];
  return [
    counts.length > 0 &&
      line(
        text(`${counts.join(', ')}:`, unresolved === 0 ? 'warn' : 'bad'),
        hintCell(say`these figures may change. To look them up: ${shell`hedge check`}`),
      ),
    viewUnfinishedRolls(rolls),
  ];
}
