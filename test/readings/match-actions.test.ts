/** The filter of `hedge journal`, one action at a time. */
import { describe, expect, it } from 'vitest';
import { readJournalIntent } from '../../src/args/journal-filter.ts';
import { UsageError } from '../../src/errors.ts';
import { matchesFilter } from '../../src/readings/match-actions.ts';
import {
  ACCEPTED,
  ADA,
  actionsOf,
  BO,
  DONE,
  FAILED,
  FILLED,
  NOT_SENT,
  REFUSED,
  recordsOf,
  SENDING,
  step,
  UNKNOWN,
} from '../journal/records.ts';

const CHANGED = { kind: 'outcome', outcome: 'changed', facts: { hdg_0: '20000' } } as const;
const PARTIAL = {
  kind: 'outcome',
  outcome: 'filled',
  facts: { struck_rate: '1532.71', filled_notional_usd: '4000' },
} as const;

const JOURNAL = [
  ...recordsOf('aaaa', { operator: ADA, deal_id: 'PAY-1' }, SENDING, ACCEPTED, FILLED),
  ...recordsOf(
    'bbbb',
    {
      operator: BO,
      action: 'reduce',
      before: {
        hedges: [
          { hedge_id: 'hdg_0', notional_usd: '25000', status: 'filled', client_reference: 'PAY-1' },
          { hedge_id: 'hdg_2', notional_usd: '1000', status: 'filled', client_reference: 'PAY-2' },
        ],
        in_positions: true,
      },
    },
    SENDING,
    { kind: 'accepted', by: 'answer' },
    CHANGED,
  ),
  ...recordsOf('cccc', { side: 'sell', market: 'USDTGHS' }, SENDING, REFUSED),
  ...recordsOf('dddd', { at: '2026-11-21T09:00:00.000Z' }, SENDING, UNKNOWN),
  ...recordsOf('eeee', {}, NOT_SENT),
  ...recordsOf('ffff', { operator: BO }, SENDING, UNKNOWN),
  { ...step(DONE, 'ffff', 9), operator: ADA },
  ...recordsOf('9999', {}, SENDING, ACCEPTED, FAILED),
  ...recordsOf('8888', {}, SENDING, ACCEPTED, PARTIAL),
];

/** Short IDs of the matching actions. */
const matching = (
  options: Readonly<Record<string, string>>,
  span: { fromMs?: number; untilMs?: number } = {},
): readonly string[] => {
  const { filter } = readJournalIntent({ operands: [], options });
  const query = { filter, profile: undefined, span: { fromMs: span.fromMs, untilMs: span.untilMs } };
  return actionsOf(JOURNAL)
    .filter((action) => matchesFilter(action, query))
    .map(({ shortId }) => shortId);
};

describe('the filter of the journal', () => {
  it.each<[string, readonly string[]]>([
    ['ada', ['aaaa', 'ffff']],
    ['Ada O.', ['aaaa', 'ffff']],
    ['ADA@desk', ['aaaa', 'ffff']],
    ['bo', ['bbbb', 'ffff']],
    ['desk', []],
    ['o', []],
  ])(
    'by operator %s finds what that person sent or decided, by name, word, user or user and host',
    (operator, ids) => {
      expect(matching({ operator })).toEqual(ids);
    },
  );

  it.each<[string, readonly string[]]>([
    ['filled', ['aaaa', '8888']],
    ['partial', ['8888']],
    ['changed', ['bbbb']],
    ['reduced', ['bbbb']],
    ['added', []],
    ['refused', ['cccc']],
    ['unknown', ['dddd']],
    ['not_sent', ['eeee']],
    ['NOT-SENT', ['eeee']],
    ['settled', ['ffff']],
    ['failed', ['9999']],
  ])('by outcome %s', (outcome, ids) => {
    expect(matching({ outcome })).toEqual(ids);
  });

  it('by deal ID finds the open and what changed its hedge, not what left that hedge alone', () => {
    expect(matching({ dealId: 'PAY-1' })).toEqual(['aaaa', 'bbbb']);
    expect(matching({ dealId: 'PAY-2' })).toEqual([]);
  });

  it('by market, side and time, and all of them together', () => {
    expect(matching({ market: 'usdtghs' })).toEqual(['cccc']);
    expect(matching({ side: 'sell' })).toEqual(['cccc']);
    expect(matching({}, { fromMs: Date.parse('2026-11-21T00:00:00Z') })).toEqual(['dddd']);
    expect(matching({ outcome: 'unknown' }, { untilMs: Date.parse('2026-11-21T00:00:00Z') })).toEqual([]);
    expect(matching({ market: 'USDTGHS', outcome: 'filled' })).toEqual([]);
  });

  it('names the outcomes when one is misspelled, and rejects an operator without a letter', () => {
    expect(() => matching({ outcome: 'done' })).toThrow(UsageError);
    expect(() => matching({ outcome: 'done' })).toThrow('"done" is not an outcome');
    expect(() => matching({ operator: ' ' })).toThrow('The operator is empty');
  });
});
