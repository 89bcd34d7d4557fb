import { describe, expect, it } from 'vitest';
import type { Action } from '../../src/journal/replay.ts';
import { closedFromHere, openFromHere } from '../../src/readings/closed-here.ts';
import {
  at,
  DESK,
  idOf,
  NOON,
  recordsOf,
  SENDING,
  type StepParts,
  stateFrom,
  step,
} from '../journal/records.ts';

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

/** An addition decided on a reading of the side with these hedges. */
const addedTo = (id: string, hedgeIds: readonly string[], seconds: number) =>
  recordsOf(id, {
    at: at(seconds),
    action: 'add',
    path: '/hedges/add',
    idempotency_key: id,
    before: {
      hedges: hedgeIds.map((hedge_id) => ({ hedge_id, notional_usd: '10000', status: 'filled' })),
      in_positions: true,
      read_at: at(seconds),
    },
  });

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

  const CLOSED = [...opened('bbbb', 'hdg_A', -800), ...closed('cccc', 'hdg_A', -700, SEEN)];
  it.each([
    ['with which alone a later action found the side open', ['hdg_A'], -600, []],
    ['beside another one on a side that a later action found open', ['hdg_A', 'hdg_B'], -600, ['hdg_A']],
    ['that an action saw while readings may lag', ['hdg_A'], -690, ['hdg_A']],
  ])('are, of one %s: %j', (_, held, seconds, ids) => {
    expect(closedIn([...CLOSED, ...addedTo('dddd', held, seconds)], ['hdg_A']).closed).toEqual(ids);
  });
});

describe('the hedge that this journal shows open', () => {
  const PLACE = { identity: DESK, market: 'USDTNGN', side: 'buy' } as const;
  const openIn = (records: ReturnType<typeof recordsOf>, nowMs = NOON) =>
    openFromHere(PLACE, {
      journal: { read: () => stateFrom(records) },
      clock: { now: () => nowMs },
      identity: DESK,
    });
  const FILLED: StepParts = { kind: 'outcome', outcome: 'filled', facts: {} };
  const filled = [...opened('aaaa', 'hdg_A', -3_600), step(FILLED, 'aaaa', -3_590)];

  it('is the newest that was seen filled, until it matures', () => {
    expect(openIn([])).toBeUndefined();
    expect(openIn(opened('aaaa', 'hdg_A', -3_600))).toBeUndefined();
    expect(openIn(filled)).toBe('hdg_A');
    expect(openIn([...filled, ...opened('bbbb', 'hdg_B', -30)])).toBe('hdg_A');
    expect(openIn(filled, NOON + 3 * 86_400_000)).toBeUndefined();
  });

  it('is none once the side was seen closed, and is while that is not known', () => {
    expect(openIn([...filled, ...closed('cccc', 'hdg_A', -700, SEEN)])).toBeUndefined();
    expect(openIn([...filled, ...closed('cccc', 'hdg_A', -700)])).toBe('hdg_A');
  });
});
