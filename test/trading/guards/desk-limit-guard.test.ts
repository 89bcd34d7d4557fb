import { describe, expect, it } from 'vitest';
import type { Hedge, Position } from '../../../src/client/schemas.ts';
import type { IntentRecord, JournalRecord } from '../../../src/journal/records.ts';
import { type PositionFacts, sidePositionOf } from '../../../src/readings/side-position.ts';
import { deskLimitFindings, deskOpenedOn } from '../../../src/trading/guards/desk-limit-guard.ts';
import {
  ACCEPTED,
  aRoll,
  at,
  DESK,
  FILLED,
  NOON as NOW,
  recordsOf,
  SENDING,
  stateFrom,
  theTerms,
} from '../../journal/records.ts';
import { hedge, NOON, position, sideBook } from '../facts.ts';

const EARLIER = hedge('hdg_0', 5_000, { client_reference: 'PAY-0' });
const FIVE_OPEN = [position({ notional_usd: 5_000 })];

interface Read {
  hedges: readonly Hedge[];
  positions?: readonly Position[];
  mayBeCut?: boolean;
  records?: readonly JournalRecord[];
  /** As the rows of a deals file are read: without a list of the side. */
  isRow?: boolean;
}

/** What may be opened of 10,000 on USDTNGN buy; or the code of another stop. */
function fits({ hedges, positions = FIVE_OPEN, mayBeCut = false, records = [], isRow }: Read) {
  const positionFacts: PositionFacts = { positions, hedges, mayBeCut, servedAt: NOON };
  const state = stateFrom(records, { limits: { max_open_usd: '10000' } });
  const sidePosition =
    isRow === true ? sideBook({ positions, mayBeCut: true }) : sidePositionOf(theTerms(), positionFacts);
  const facts = { positionFacts, sidePosition, readAtMs: NOW };
  const [found] = deskLimitFindings({ ...theTerms(), facts }, state, { nowMs: NOW });
  return found?.fits?.toFixed() ?? found?.code;
}

/** 4,000 of PAY-1, as this journal has it. */
const PAY_1: Partial<IntentRecord> = {
  notional_usd: '4000',
  deal_id: 'PAY-1',
  client_reference: 'PAY-1',
  at: at(-20),
  before: { hedges: [], in_positions: true },
};
const UNDER_WAY = recordsOf('7c1e', PAY_1, SENDING, { ...ACCEPTED, hedge_id: 'hdg_2' });
const filledAt = (seconds: number) => ({ client_reference: 'PAY-1', filled_at: at(seconds) });
const listed = (id: string, status: string): Hedge => hedge(id, 4_000, { status, client_reference: 'PAY-1' });

describe("a desk's limit of what may be open counts a deal under way", () => {
  it.each<[string, readonly Hedge[]]>([
    ['that is not listed yet', []],
    ['that is listed', [listed('hdg_2', 'submitted')]],
    ['whose first try is listed as failed', [listed('hdg_1', 'failed')]],
    [
      'whose first try is listed as failed beside it',
      [listed('hdg_2', 'submitted'), listed('hdg_1', 'failed')],
    ],
  ])('%s, once', (_, hedges) => {
    expect(fits({ hedges: [...hedges, EARLIER], records: UNDER_WAY })).toBe('1000');
  });

  it('not at all once it is listed as failed', () => {
    expect(fits({ hedges: [listed('hdg_2', 'failed'), EARLIER], records: UNDER_WAY })).toBe('5000');
  });
});

describe("a desk's limit counts a hedge that the list has and the positions do not have yet", () => {
  const onSell = { ...filledAt(-10), side: 'sell' };
  it.each<[string, Read]>([
    ['of this desk', { hedges: [hedge('hdg_2', 4_000, filledAt(-10))], records: UNDER_WAY }],
    ['of somebody else', { hedges: [hedge('hdg_2', 4_000, filledAt(-10))] }],
    ['on another side', { hedges: [hedge('hdg_2', 4_000, onSell)] }],
  ])('%s', (_, read) => {
    expect(fits({ ...read, positions: [] })).toBe('6000');
    expect(fits({ ...read, positions: [], isRow: true })).toBe('6000');
  });

  it.each<[string, Read]>([
    ['that filled longer ago than readings lag', { hedges: [hedge('hdg_2', 4_000, filledAt(-61))] }],
    ['that has matured', { hedges: [hedge('hdg_2', 4_000, { ...filledAt(-10), maturity_at: at(-1) })] }],
    [
      'that a close of the desk is known to have closed',
      {
        hedges: [hedge('hdg_2', 4_000, filledAt(-30))],
        records: recordsOf(
          'c105',
          {
            action: 'close',
            at: at(-10),
            before: {
              hedges: [{ hedge_id: 'hdg_2', notional_usd: '4000', status: 'filled' }],
              in_positions: true,
            },
          },
          SENDING,
          ACCEPTED,
          { kind: 'outcome', outcome: 'closed', facts: { hdg_2: '0' } },
        ),
      },
    ],
  ])('but not one %s', (_, read) => {
    expect(fits({ ...read, positions: [] })).toBeUndefined();
  });
});

describe("a desk's limit of what may be open counts an open that was filled in part", () => {
  const PART = { kind: 'outcome', outcome: 'filled', facts: { filled_notional_usd: '1000' } } as const;
  const filled = (seconds: number, size = 1_000): Read => ({
    hedges: [hedge('hdg_2', size, filledAt(seconds)), EARLIER],
    positions: [position({ notional_usd: 5_000 + size })],
    records: recordsOf(
      '7c1e',
      { ...PAY_1, at: at(seconds - 1) },
      SENDING,
      { ...ACCEPTED, hedge_id: 'hdg_2' },
      PART,
    ),
  });

  it('whole for a minute, as the rest may still fill', () => {
    expect(fits(filled(-2))).toBe('1000');
    expect(fits(filled(-2, 3_000))).toBe('1000');
  });

  it('as it is listed afterwards, or once the rest has filled', () => {
    expect(fits(filled(-61))).toBe('4000');
    expect(fits(filled(-2, 4_000))).toBe('1000');
  });
});

it("a desk's daily limit counts the service's day too where the clock of its database is wrong", () => {
  const state = stateFrom(recordsOf('7c1e', { ...PAY_1, notional_usd: '9000' }, SENDING, ACCEPTED, FILLED), {
    limits: { max_daily_notional_usd: '10000' },
  });
  const asked = (nowMs: number) => {
    const positionFacts: PositionFacts = { positions: [], hedges: [], mayBeCut: false, servedAt: NOON };
    const sidePosition = sidePositionOf(theTerms(), positionFacts);
    const facts = { positionFacts, sidePosition, readAtMs: nowMs, clocks: { wall: nowMs, service: NOW } };
    return deskLimitFindings({ ...theTerms(), facts }, state, { nowMs });
  };
  for (const days of [-1, 0, 1])
    expect(asked(NOW + days * 86_400_000)).toMatchObject([{ code: 'limit_exceeded' }]);
  expect(asked(NOW + 86_400_000)[0]?.message).toContain('2026-11-21 and 2026-11-20 (UTC)');
});

describe('a roll that was admitted before midnight', () => {
  const plan = aRoll({ at: at(-200) });
  const close = recordsOf(
    'c105',
    { action: 'close', chain_id: plan.chain_id, at: at(-190) },
    SENDING,
    ACCEPTED,
    {
      kind: 'outcome',
      outcome: 'closed',
      facts: { hdg_1: '0' },
    },
  );
  const countedOn = (day: string, records: readonly JournalRecord[]): string =>
    deskOpenedOn(stateFrom(records), { identity: DESK, days: [day], nowMs: NOW + 13 * 3_600_000 }).toFixed();

  it('keeps its part of the next day for leg 2, once leg 1 was sent', () => {
    expect(countedOn('2026-11-20', [plan])).toBe('10000');
    expect(countedOn('2026-11-21', [plan])).toBe('0');
    expect(countedOn('2026-11-21', [plan, ...close])).toBe('10000');
  });
});

describe('of two figures for a side the larger one counts', () => {
  it.each<[string, Read, string]>([
    ['the list has a fill', { hedges: [hedge('hdg_2', 4_000, filledAt(-1)), EARLIER] }, '1000'],
    [
      'the positions have a fill',
      { hedges: [EARLIER], positions: [position({ notional_usd: 9_000 })] },
      '1000',
    ],
    ['the list has none of it', { hedges: [], positions: [position({ notional_usd: 9_000 })] }, '1000'],
    ['the list may be incomplete', { hedges: [], mayBeCut: true }, '5000'],
    [
      'each of two sides has the larger one elsewhere',
      {
        hedges: [hedge('hdg_2', 4_000, filledAt(-1))],
        positions: [position({ notional_usd: 1_000 }), position({ side: 'sell', notional_usd: 5_000 })],
      },
      '1000',
    ],
    [
      'a side is not named',
      { hedges: [EARLIER], positions: [position({ side: 'long', notional_usd: 5_000 })] },
      '5000',
    ],
  ])('where %s', (_, read, left) => {
    expect(fits(read)).toBe(left);
    expect(fits({ ...read, isRow: true })).toBe(left);
  });

  it.each<[string, Read]>([
    ['of a list that may be incomplete', { hedges: [EARLIER], positions: [position()], mayBeCut: true }],
    ['of a side without a hedge in the list', { hedges: [], positions: [position()] }],
    ['of a hedge with an unknown status', { hedges: [hedge('hdg_2', 1_000, { status: 'odd' }), EARLIER] }],
  ])('and nothing is opened where the size is not known: %s', (_, read) => {
    expect(fits(read)).toBe('book_unclear');
    expect(fits({ ...read, isRow: true })).toBe('book_unclear');
  });
});

describe('an add that has just ended counts once', () => {
  const add = (id: string, seconds: number, from: string, to: string) =>
    recordsOf(
      id,
      {
        action: 'add',
        notional_usd: '1000',
        at: at(seconds),
        before: {
          hedges: [{ hedge_id: 'hdg_0', notional_usd: from, status: 'filled' }],
          in_positions: true,
        },
      },
      SENDING,
      ACCEPTED,
      { kind: 'outcome', outcome: 'changed', facts: { hdg_0: to } },
    );
  const two = [...add('add1', -30, '4000', '5000'), ...add('add2', -20, '5000', '6000')];
  const sized = (size: number): Read => ({
    hedges: [hedge('hdg_0', size)],
    positions: [position({ notional_usd: size })],
  });

  it.each<[string, Read, readonly JournalRecord[], string]>([
    ['the reading has it', sized(5_000), add('add1', -30, '4000', '5000'), '5000'],
    ['the reading is from before it', sized(4_000), add('add1', -30, '4000', '5000'), '5000'],
    ['the reading has both of two', sized(6_000), two, '4000'],
    ['the reading has the first of two', sized(5_000), two, '4000'],
    [
      'its outcome is not known yet',
      sized(5_000),
      recordsOf('add3', { action: 'add', notional_usd: '1000', at: at(-3) }, SENDING, ACCEPTED),
      '4000',
    ],
  ])('where %s', (_, read, records, left) => {
    expect(fits({ ...read, records })).toBe(left);
  });

  it('an open counts no more once a close of the desk has closed it and no list shows it', () => {
    const before = {
      hedges: [{ hedge_id: 'hdg_2', notional_usd: '4000', status: 'filled' }],
      in_positions: true,
    };
    const records = [
      ...recordsOf('7c1e', PAY_1, SENDING, { ...ACCEPTED, hedge_id: 'hdg_2' }, FILLED),
      ...recordsOf('c105', { action: 'close', at: at(-10), before }, SENDING, ACCEPTED, {
        kind: 'outcome',
        outcome: 'closed',
        facts: { hdg_2: '0' },
      }),
    ];
    expect(fits({ hedges: [], positions: [], records })).toBeUndefined();
  });
});
