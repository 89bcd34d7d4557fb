import { describe, expect, it } from 'vitest';
import type { Hedge } from '../../../src/client/schemas.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { replayRecords } from '../../../src/journal/replay.ts';
import {
  contradicting,
  type EarlierReading,
  unconfirmedHedges,
} from '../../../src/readings/unconfirmed-hedges.ts';
import { beforeReading } from '../../../src/trading/outcome/side-evidence.ts';
import {
  ACCEPTED,
  anIntent,
  at,
  DESK,
  FAILED,
  FILLED,
  idOf,
  NOON as NOON_MS,
  SENDING,
  step,
} from '../../journal/records.ts';
import type { Body } from '../../spec/bodies.ts';
import { hedge, NOON, position, sideBook } from '../facts.ts';

const PLACE = { identity: DESK, market: 'USDTNGN', side: 'buy' } as const;
/** Filled an hour before noon, and so many seconds later when said. */
const filled = (id: string, secondsAgo = 3_600, changes: Body = {}): Hedge =>
  hedge(id, 10_000, { status: 'filled', filled_at: at(-secondsAgo), opened_at: at(-secondsAgo), ...changes });
const closed = (id: string): Hedge => filled(id, 10, { status: 'closed' });

/** Those that are in doubt `seconds` after noon, by a reading of the positions that lacks the side unless it is there. */
function unconfirmed(
  hedges: readonly Hedge[],
  {
    records = [],
    seconds = 0,
    isThere = false,
    earlier,
  }: {
    records?: readonly JournalRecord[];
    seconds?: number;
    isThere?: boolean;
    earlier?: EarlierReading;
  } = {},
): readonly string[] {
  const actions = replayRecords(records, () => false);
  const positions = isThere ? [position()] : [];
  const now = sideBook({ hedges, positions, servedAt: new Date(NOON.getTime() + seconds * 1_000) });
  const known = { place: PLACE, actions, earlier, nowMs: NOON_MS + seconds * 1_000 };
  return unconfirmedHedges(now, known).map(({ id }) => id);
}

/** This machine's open of hdg_1, sent at noon and seen filled a second later. */
const OPENED = [anIntent(), step(SENDING, '7c1e', 0), step(ACCEPTED, '7c1e', 0), step(FILLED, '7c1e', 1)];
/** This machine's addition to hdg_0. */
const ADDED = [
  anIntent({ action: 'add', action_id: idOf('a001') }),
  step(SENDING, 'a001', 0),
  step(ACCEPTED, 'a001', 0),
  step({ kind: 'outcome', outcome: 'changed', facts: { hdg_0: '35000' } }, 'a001', 1),
];

describe('a reading that lacks the side', () => {
  it('is not believed for 60 s after a fill of this machine, whatever the list has of it', () => {
    expect(unconfirmed([], { records: OPENED, seconds: 5 })).toEqual(['hdg_1']);
    expect(unconfirmed([filled('hdg_1', 5)], { records: OPENED, seconds: 60 })).toEqual(['hdg_1']);
    expect(unconfirmed([], { records: OPENED, seconds: 61 })).toEqual([]);
  });

  it('is not believed for 60 s after an increase of this machine: of each hedge that it may have enlarged', () => {
    expect(unconfirmed([filled('hdg_0')], { records: ADDED, seconds: 60 })).toEqual(['hdg_0']);
    expect(unconfirmed([filled('hdg_0')], { records: ADDED, seconds: 61 })).toEqual([]);
  });

  it('is not believed for 60 s after an open was accepted whose fill was not seen', () => {
    const records = OPENED.slice(0, 3);
    expect(unconfirmed([], { records, seconds: 59 })).toEqual(['hdg_1']);
    expect(unconfirmed([], { records, seconds: 60 })).toEqual([]);
  });

  it('is believed at once where the list says that the hedge is closed, failed or past its maturity', () => {
    const past = filled('hdg_1', 5, { maturity_at: at(-1) });
    for (const list of [[closed('hdg_1')], [filled('hdg_1', 5, { status: 'failed' })], [past]])
      expect(unconfirmed(list, { records: OPENED, seconds: 5 })).toEqual([]);
  });

  it('is believed with an open that failed, and with what was traded on another side or account', () => {
    const failed = [...OPENED.slice(0, 3), step(FAILED, '7c1e', 1)];
    const other = [anIntent({ side: 'sell' }), ...OPENED.slice(1)];
    const elsewhere = [anIntent({ market: 'USDTXYZ' }), ...OPENED.slice(1)];
    for (const records of [failed, other, elsewhere])
      expect(unconfirmed([], { records, seconds: 5 })).toEqual([]);
  });

  it('is not believed while the list dates a fill less than 60 s back, by the clock of the service', () => {
    expect(unconfirmed([filled('hdg_C', 59), filled('hdg_D', 60)])).toEqual(['hdg_C']);
    expect(unconfirmed([filled('hdg_C', -5)])).toEqual(['hdg_C']);
    expect(unconfirmed([filled('hdg_C', -3_600)])).toEqual([]);
  });

  it('goes by the opening of a hedge whose fill has no time', () => {
    expect(unconfirmed([filled('hdg_C', 30, { filled_at: null })])).toEqual(['hdg_C']);
    expect(unconfirmed([filled('hdg_C', 90, { filled_at: null })])).toEqual([]);
  });

  it('names the latest first', () => {
    expect(unconfirmed([filled('hdg_C', 40), filled('hdg_D', 20)])).toEqual(['hdg_D', 'hdg_C']);
  });

  it('is not believed on a machine whose clock was set back since the fill', () => {
    expect(unconfirmed([], { records: OPENED, seconds: -600 })).toEqual(['hdg_1']);
  });
});

describe('a list that lacks a hedge which an earlier reading had', () => {
  const earlier = { hedgeIds: ['hdg_A', 'hdg_B'], readAtMs: NOON_MS };

  it('is not believed for 60 s after that reading, whether or not the side is there', () => {
    for (const isThere of [true, false]) {
      expect(unconfirmed([filled('hdg_A')], { isThere, earlier, seconds: 59 })).toEqual(['hdg_B']);
      expect(unconfirmed([filled('hdg_A')], { isThere, earlier, seconds: 60 })).toEqual([]);
    }
  });

  it('takes those that held the side from the before-state of an action, at the time it was read', () => {
    const hedges = [
      { hedge_id: 'hdg_A', notional_usd: '1', status: 'filled' },
      { hedge_id: 'hdg_B', notional_usd: '1', status: 'submitted' },
      { hedge_id: 'hdg_C', notional_usd: null, status: null },
      { hedge_id: 'hdg_D', notional_usd: '1', status: 'failed' },
    ];
    const before = { hedges, in_positions: true, read_at: at(-3) };
    expect(beforeReading(anIntent({ action: 'close', before }))).toEqual({
      hedgeIds: ['hdg_A', 'hdg_C'],
      readAtMs: NOON_MS - 3_000,
      servedMs: Number.NaN,
    });
  });
});

describe('a list that has a hedge at a size from before a change of this machine', () => {
  const ADDED_TO_25 = [
    anIntent({ action: 'add', action_id: idOf('a001') }),
    step(ACCEPTED, 'a001', 0),
    step({ kind: 'outcome', outcome: 'changed', facts: { hdg_0: '35000' } }, 'a001', 1),
  ];
  const sized = (notional_usd: number): readonly Hedge[] => [filled('hdg_0', 3_600, { notional_usd })];

  it.each([
    ['is not believed for 60 s', 25_000, 60, ['hdg_0']],
    ['is believed afterwards', 25_000, 61, []],
    ['is believed where it has what became of it', 35_000, 5, []],
    ['is believed where it has a size that it never had here', 30_000, 5, []],
  ])('%s', (_, size, seconds, ids) => {
    expect(unconfirmed(sized(size), { records: ADDED_TO_25, isThere: true, seconds })).toEqual(ids);
  });

  it('goes by the last change alone', () => {
    const before = {
      hedges: [{ hedge_id: 'hdg_0', notional_usd: '35000', status: 'filled' }],
      in_positions: true,
    };
    const records = [
      ...ADDED_TO_25,
      anIntent({ action: 'reduce', action_id: idOf('b001'), before }),
      step(ACCEPTED, 'b001', 2),
      step({ kind: 'outcome', outcome: 'changed', facts: { hdg_0: '25000' } }, 'b001', 3),
    ];
    expect(unconfirmed(sized(25_000), { records, isThere: true, seconds: 5 })).toEqual([]);
    expect(unconfirmed(sized(35_000), { records, isThere: true, seconds: 5 })).toEqual(['hdg_0']);
  });
});

describe('positions that lack a side', () => {
  const without = (...hedges: readonly Hedge[]) =>
    contradicting(sideBook({ hedges, positions: [] })).map(({ id }) => id);

  it('are contradicted by each filled hedge that the list has on it, however old', () => {
    expect(without(filled('hdg_A'), closed('hdg_B'), filled('hdg_C', 90_000))).toEqual(['hdg_A', 'hdg_C']);
  });

  it.each([
    ['closed', closed('hdg_A')],
    ['past its maturity', filled('hdg_A', 3_600, { maturity_at: at(-1) })],
    ['still to fill', filled('hdg_A', 3_600, { status: 'submitted' })],
  ])('are not contradicted by a hedge that is %s', (_, each) => {
    expect(without(each)).toEqual([]);
  });

  it('are not contradicted where they have the side', () => {
    expect(contradicting(sideBook({ hedges: [filled('hdg_A')], positions: [position()] }))).toEqual([]);
  });
});
