/** The lives of hedges from the journal: what each action changed, also where two were under way at once. */
import { describe, expect, it } from 'vitest';
import { readDealLives } from '../../src/readings/deal-lives.ts';
import { ACCEPTED, at, DESK, recordsOf, SENDING, type StepParts, stateFrom } from '../journal/records.ts';

const HELD = {
  hedges: [{ hedge_id: 'hdg_1', notional_usd: '10000', status: 'filled' }],
  in_positions: true,
};
const changedTo = (size: string): StepParts => ({
  kind: 'outcome',
  outcome: 'changed',
  facts: { hdg_1: size },
});
const opened = recordsOf('0a0a', { at: at(-3_600) }, SENDING, ACCEPTED, {
  kind: 'outcome',
  outcome: 'filled',
  hedge_id: 'hdg_1',
  facts: { notional_usd: '10000', struck_rate: '1532.71' },
});

type Change = readonly [
  id: string,
  action: 'add' | 'reduce',
  notional: string,
  after: string,
  made?: { seconds: number; from: string },
];

/** Each was decided on the hedge at 10,000. */
function eventsOf(...changes: readonly Change[]) {
  const records = changes.flatMap(([id, action, notional, after, made], index) =>
    recordsOf(
      id,
      {
        action,
        notional_usd: notional,
        at: at(made?.seconds ?? -600 + index),
        before: {
          ...HELD,
          hedges: HELD.hedges.map((each) => ({ ...each, notional_usd: made?.from ?? '10000' })),
        },
        quote:
          action === 'add'
            ? { platform_fee_usdc: notional.replace('000', ''), required_margin_usdc: `${notional}0` }
            : {},
      },
      SENDING,
      { kind: 'accepted', by: 'answer' },
      changedTo(after),
    ),
  );
  const [life] = readDealLives({
    state: stateFrom([...opened, ...records]),
    identity: DESK,
    ids: new Set(['hdg_1']),
    closed: new Map(),
    hedges: new Map(),
  });
  return life?.events.slice(1).map(({ sizes, pnl, margin }) => ({
    sizes: `${sizes?.before.toFixed() ?? ''} -> ${sizes?.after.toFixed() ?? ''}`,
    fee: pnl?.fees_usdc.toFixed(),
    margin: margin?.toFixed(),
  }));
}

describe('two changes that were under way at once', () => {
  it('are each booked with their own part: two adds', () => {
    expect(eventsOf(['aaaa', 'add', '5000', '22000'], ['bbbb', 'add', '7000', '22000'])).toEqual([
      { sizes: '10000 -> 15000', fee: '-5', margin: '50000' },
      { sizes: '15000 -> 22000', fee: '-7', margin: '70000' },
    ]);
  });

  it('are each booked with their own part: one that was seen alone, and one with both', () => {
    expect(eventsOf(['aaaa', 'add', '5000', '15000'], ['bbbb', 'add', '7000', '22000'])).toEqual([
      { sizes: '10000 -> 15000', fee: '-5', margin: '50000' },
      { sizes: '15000 -> 22000', fee: '-7', margin: '70000' },
    ]);
  });

  it('are each booked with their own part: two reduces', () => {
    const sizes = eventsOf(['aaaa', 'reduce', '2000', '5000'], ['bbbb', 'reduce', '3000', '5000']);
    expect(sizes?.map((each) => each.sizes)).toEqual(['10000 -> 8000', '8000 -> 5000']);
  });
});

it('an add and a reduce that were under way at once are each booked with their own part', () => {
  const events = eventsOf(['aaaa', 'add', '5000', '12000'], ['bbbb', 'reduce', '3000', '12000']);
  expect(events?.map(({ sizes, fee }) => [sizes, fee])).toEqual([
    ['10000 -> 15000', '-5'],
    ['15000 -> 12000', undefined],
  ]);
});

it('a reduce that a machine of a desk delivers late is booked at its own time, before what the others did since', () => {
  const events = eventsOf(
    ['bbbb', 'reduce', '2000', '4000', { seconds: -300, from: '6000' }],
    ['aaaa', 'reduce', '4000', '6000', { seconds: -600, from: '10000' }],
  );
  expect(events?.map(({ sizes }) => sizes)).toEqual(['10000 -> 6000', '6000 -> 4000']);
});

it('a change alone is booked as it was seen', () => {
  expect(eventsOf(['aaaa', 'add', '5000', '15000'])).toEqual([
    { sizes: '10000 -> 15000', fee: '-5', margin: '50000' },
  ]);
});
