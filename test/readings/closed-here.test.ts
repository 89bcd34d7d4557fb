import { describe, expect, it } from 'vitest';
import type { Action } from '../../src/journal/replay.ts';
import { closedFromHere } from '../../src/readings/closed-here.ts';
import { at, DESK, idOf, NOON, recordsOf, SENDING, type StepParts, stateFrom } from '../journal/records.ts';

const accepted = (hedgeId?: string): StepParts => ({
  kind: 'accepted',
  by: 'answer',
  ...(hedgeId === undefined ? {} : { hedge_id: hedgeId }),
});
const opened = (id: string, hedgeId: string, seconds: number) =>
  recordsOf(id, { at: at(seconds), idempotency_key: id }, SENDING, accepted(hedgeId));
const closed = (id: string, hedgeId: string, seconds: number, ...end: readonly StepParts[]) =>
  recordsOf(
    id,
    {
      at: at(seconds),
      action: 'close',
      path: '/hedges/close',
      idempotency_key: id,
      before: {
        hedges: [{ hedge_id: hedgeId, notional_usd: '10000', status: 'filled' }],
        in_positions: true,
      },
    },
    SENDING,
    accepted(),
    ...end,
  );
const SEEN: StepParts = { kind: 'outcome', outcome: 'closed', facts: {} };
const SAID: StepParts = { kind: 'settled', as: 'done', because: 'the venue says so' };

/** `read`: the actions that were read, newest first. */
function closedIn(records: ReturnType<typeof recordsOf>, hedges: readonly string[], isSeen = false) {
  const state = stateFrom(records);
  const read: string[] = [];
  function* newest(...span: Parameters<typeof state.newest>): Generator<Action> {
    for (const action of state.newest(...span)) {
      read.push(action.id);
      yield action;
    }
  }
  const own = {
    journal: { read: () => ({ ...state, newest }) },
    clock: { now: () => NOON },
    identity: DESK,
  };
  const given = hedges.map((id) => ({ id, opened_at: undefined }));
  return { closed: [...closedFromHere(given, own, { isSeen })], read };
}

describe('hedges that this journal shows closed', () => {
  const DAY = [
    ...opened('aaaa', 'hdg_OLD', -900),
    ...opened('bbbb', 'hdg_A', -800),
    ...closed('cccc', 'hdg_A', -700, SEEN),
    ...opened('dddd', 'hdg_B', -600),
  ];

  it('are those that a close of this machine took, and no later ones', () => {
    expect(closedIn(DAY, ['hdg_A', 'hdg_B']).closed).toEqual(['hdg_A']);
  });

  it('are looked for no further back than each of them was opened', () => {
    expect(closedIn(DAY, ['hdg_A', 'hdg_B']).read).toEqual(['dddd', 'cccc', 'bbbb'].map(idOf));
    expect(closedIn(DAY, ['hdg_B']).read).toEqual([idOf('dddd')]);
    expect(closedIn(DAY, ['hdg_B', 'hdg_ELSEWHERE']).read).toHaveLength(4);
  });

  it('are not those that only a person recorded as closed, where the position has to show it', () => {
    const said = [...opened('bbbb', 'hdg_A', -800), ...closed('cccc', 'hdg_A', -700, SAID)];
    expect(closedIn(said, ['hdg_A']).closed).toEqual(['hdg_A']);
    expect(closedIn(said, ['hdg_A'], true).closed).toEqual([]);
  });
});
