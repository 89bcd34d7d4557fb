/** Every question of the journal's state over a small desk, and that desk's journal. */
import type { JournalRecord } from '../../src/journal/records.ts';
import type { Action } from '../../src/journal/replay.ts';
import type { JournalState } from '../../src/journal/state.ts';
import {
  ACCEPTED,
  anIntent,
  aRoll,
  aSnapshot,
  at,
  BY_ADA,
  DESK,
  FAILED,
  FILLED,
  HALT,
  idOf,
  NOT_SENT,
  REFUSED,
  SENDING,
  type StepParts,
  step,
  UNKNOWN,
} from './records.ts';

export const DAY = '2026-11-20';
/** Of an open that was filled. */
export const USED = 'PAY-USED';
/** Sent, and its outcome is unknown. */
export const UNRESOLVED = idOf('dead');

type Append = readonly [JournalRecord, ...JournalRecord[]];

const HOUR = 3_600;

/** An action under a key and a deal ID of its own, its records some seconds apart. */
function action(
  id: string,
  seconds: number,
  parts: Parameters<typeof anIntent>[0],
  steps: readonly StepParts[],
): Append {
  const intent = { action_id: idOf(id), at: at(seconds), idempotency_key: `k-${id}`, deal_id: `PAY-${id}` };
  return [
    anIntent({ ...intent, ...BY_ADA, ...parts }),
    ...steps.map((each, index) => step(each, id, seconds + index + 1)),
  ];
}

const hedge = (number: number): StepParts => ({ ...ACCEPTED, hedge_id: `hdg_${number.toString()}` });

/**
 * What a desk has appended by noon: a used deal ID, hedges of a day that nearly reach the limit, an unresolved open, a roll
 * that is not finished, and a halt that was lifted; `isHalted`: and one that was not. Each is one append.
 */
export function deskRecords({
  isHalted,
  count = 24,
}: {
  isHalted: boolean;
  count?: number;
}): readonly Append[] {
  const lifted = { ...HALT, halt_id: 'aa00000000000002', at: at(-9 * HOUR), why: 'audit' };
  const ended = [FILLED, FAILED, FILLED, FILLED] as const;
  const actions = Array.from({ length: count }, (_, index) => {
    const id = (0xa000 + index * 7).toString(16);
    const seconds = -8 * HOUR + Math.floor((index * 8 * HOUR) / count);
    const outcome = ended[index % ended.length] ?? FILLED;
    const steps = index % 6 === 5 ? [SENDING, REFUSED] : [SENDING, hedge(index + 10), outcome];
    return action(id, seconds, { notional_usd: '50000', side: index % 3 === 0 ? 'sell' : 'buy' }, steps);
  });
  return [
    action('5ed0', -26 * HOUR, { deal_id: USED, notional_usd: '7000' }, [SENDING, hedge(1), FILLED]),
    [lifted],
    [{ schema: 3, kind: 'unhalt', at: at(-9 * HOUR + 60), halt_ids: [lifted.halt_id], ...BY_ADA }],
    [aRoll({ at: at(-8.5 * HOUR), hedge_id: 'hdg_1', first_deal_id: USED, ...BY_ADA })],
    ...actions,
    action('add0', -120, { action: 'add', notional_usd: '2500', deal_id: 'PAY-ADD' }, [SENDING, NOT_SENT]),
    action('dead', -60, { side: 'sell', notional_usd: '12000', deal_id: 'PAY-LOST' }, [SENDING, UNKNOWN]),
    ...(isHalted ? [[{ ...HALT, at: at(-30) }] as const] : []),
  ];
}

/** Readings of the account in the morning of that desk. */
export const SNAPSHOTS: readonly Append[] = [
  [aSnapshot({ at: at(-8.2 * HOUR), ...BY_ADA })],
  [aSnapshot({ at: at(-8.1 * HOUR), account: { balance_usdc: '99000.5' }, ...BY_ADA })],
];

const brief = ({ id, shortId, state, hedgeId, notional, outcome, intent }: Action): string =>
  [id, shortId, state, hedgeId, notional?.toFixed(), outcome?.kind, intent.deal_id, intent.at].join(' ');
const list = (actions: Iterable<Action>): readonly string[] => [...actions].map(brief);
const texts = (records: Iterable<JournalRecord>): readonly string[] =>
  [...records].map((each) => JSON.stringify(each));

/** By name; each answer is plain data. `deals`: deal IDs to ask for. */
export function questions(
  deals: readonly string[] = [USED, 'PAY-LOST', 'PAY-a000', 'PAY-NONE'],
): ReadonlyMap<string, (state: JournalState) => unknown> {
  const ids = [UNRESOLVED, idOf('5ed0'), idOf('a015')];
  return new Map<string, (state: JournalState) => unknown>([
    ['the halt', ({ halt }) => halt],
    ['the count', ({ count }) => count],
    ['what is current', ({ current }) => list(current)],
    ['unfinished rolls', ({ rolls }) => texts(rolls)],
    ['all, newest first', (state) => list(state.newest())],
    ['the first three', (state) => list(take(state.newest(), 3))],
    ['those of some hours', (state) => list(state.newest({ from: at(-5 * HOUR), until: at(-4 * HOUR) }))],
    ['those until a time', (state) => list(state.newest({ until: at(-7 * HOUR) }))],
    ['since a time', (state) => list(state.since(at(-HOUR)))],
    ['halts', (state) => texts(state.halts())],
    ['records of rolls', (state) => texts(state.rollRecords())],
    ['snapshots', (state) => texts([...state.snapshots()].map(({ record }) => record))],
    ['the last snapshot', (state) => [...take(state.snapshots({ until: at(-8 * HOUR) }), 1)][0]?.record.at],
    ['the total of the day', (state) => state.openedOn(DESK, DAY).toFixed()],
    ['the total without one', (state) => state.openedOn(DESK, DAY, idOf('a015')).toFixed()],
    ['the total of the day before', (state) => state.openedOn(DESK, '2026-11-19').toFixed()],
    ['the last notionals', (state) => state.lastNotionals(DESK, idOf('a015')).map((each) => each.toFixed())],
    ...deals.map(
      (id) => [`deal ID ${id}`, (state: JournalState) => list(state.find({ dealIds: [id] }))] as const,
    ),
    [
      'a deal ID that looks like one',
      (state) => list(state.find({ similarTo: ['pay\u2013lost', 'PAY-a000'] })),
    ],
    ['a key', (state) => list(state.find({ keys: ['k-a007'] }))],
    ['a hedge', (state) => list(state.find({ hedgeIds: ['hdg_10'] }))],
    ['a chain', (state) => list(state.find({ chainIds: ['3f9a1c2b'] }))],
    ['a prefix', (state) => list(state.find({ ids: ['a0'.padEnd(4, '0'), 'a01c'] }))],
    ...ids.map((id) => [`records of ${id}`, (state: JournalState) => texts(state.recordsOf(id))] as const),
    ...ids.map((id) => [`latest since ${id}`, (state: JournalState) => state.latestSince(id)] as const),
  ]);
}

function* take<T>(all: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const each of all) {
    if (left === 0) return;
    left -= 1;
    yield each;
  }
}
