import { describe, expect, it } from 'vitest';
import type { Hedge } from '../../../src/client/schemas.ts';
import { beforeState } from '../../../src/trading/journal-entry.ts';
import { openEvidence } from '../../../src/trading/outcome/change-evidence.ts';
import { anIntent } from '../../journal/records.ts';
import type { Body } from '../../spec/bodies.ts';
import { hedge, sideBook } from '../facts.ts';

const OPEN = anIntent({ client_reference: 'PAY-8841', before: { hedges: [], in_positions: null } });
const found = (notional: number, changes: Body = {}): Hedge => hedge('hdg_1', notional, changes);

describe('an open of 10,000 under its reference', () => {
  it.each<[string, readonly Hedge[], string, string | undefined]>([
    ['is there', [found(10_000)], 'exact', undefined],
    ['is there, and on its way', [found(10_000, { status: 'submitted' })], 'exact', undefined],
    ['is there, and failed', [found(10_000, { status: 'failed' })], 'exact', undefined],
    ['is there, a trace larger', [found(10_000.0000003, { status: 'submitted' })], 'exact', undefined],
    ['is there, a trace smaller', [found(9_999.996)], 'exact', undefined],
    ['is there, a cent larger', [found(10_000.01)], 'other', expect.stringContaining('(size)')],
    [
      'cannot be larger where this machine added nothing',
      [found(15_000)],
      'other',
      'hdg_1 is buy USDTNGN 15,000.00 USD, 3 d, filled, reference PAY-8841: not exactly as requested (size)',
    ],
    [
      'was cut and closed since',
      [found(4_000, { status: 'closed' })],
      'exact',
      'hdg_1 is 4,000.00 USD, requested 10,000.00 USD',
    ],
    [
      'cannot have another size before it is filled',
      [found(15_000, { status: 'submitted' })],
      'other',
      'hdg_1 is buy USDTNGN 15,000.00 USD, 3 d, submitted, reference PAY-8841: not exactly as requested (size)',
    ],
    [
      'has another side',
      [found(10_000, { side: 'sell' })],
      'other',
      'hdg_1 is sell USDTNGN 10,000.00 USD, 3 d, filled, reference PAY-8841: not exactly as requested (side)',
    ],
    [
      'has another market',
      [found(10_000, { market: 'USDTKES' })],
      'other',
      expect.stringContaining('USDTKES'),
    ],
    ['has another tenor', [found(10_000, { tenor_days: 7 })], 'other', expect.stringContaining('7 d')],
    [
      'is there twice',
      [found(10_000), hedge('hdg_2', 10_000)],
      'other',
      '2 hedges carry the reference PAY-8841: hdg_1, hdg_2',
    ],
  ])('%s', (_, hedges, kind, message) => {
    expect(openEvidence(OPEN, hedges)).toMatchObject({ kind, ...(message === undefined ? {} : { message }) });
  });

  it.each<[string, readonly Hedge[]]>([
    ['nothing carries it', []],
    [
      'others carry theirs',
      [found(10_000, { client_reference: 'PAY-1' }), found(10_000, { client_reference: null })],
    ],
  ])('is not there where %s', (_, hedges) => {
    expect(openEvidence(OPEN, hedges)).toEqual({ kind: 'none' });
  });

  it('is not the one that failed under the same deal ID before', () => {
    const failed = found(10_000, { status: 'failed' });
    const before = beforeState({
      sidePosition: sideBook({ hedges: [failed] }),
      underDealId: [failed],
      readAtMs: 0,
    });
    const again = { ...OPEN, before };
    expect(openEvidence(again, [failed])).toEqual({ kind: 'none', failed: failed.id });
    expect(openEvidence(again, [hedge('hdg_2', 10_000), failed])).toMatchObject({
      kind: 'exact',
      hedge: { id: 'hdg_2' },
    });
  });

  it('may have grown by what this machine added', () => {
    expect(openEvidence(OPEN, [found(15_000)], { mayHaveGrown: true })).toMatchObject({
      kind: 'exact',
      message: 'hdg_1 is 15,000.00 USD, requested 10,000.00 USD',
    });
  });

  it('that was sent without one cannot be found', () => {
    const { client_reference: _, ...without } = OPEN;
    expect(openEvidence(without, [found(10_000, { client_reference: null })]).kind).toBe('unclear');
  });
});

describe('the side before an action', () => {
  it('has no more than 255 characters of a reference of another system', () => {
    const hedges = [hedge('hdg_1', 1, { client_reference: 'x'.repeat(1_000) })];
    const { hedges: before } = beforeState({ sidePosition: sideBook({ hedges }), readAtMs: 0 });
    expect(before).toMatchObject([{ client_reference: 'x'.repeat(255) }]);
  });

  it('is what holds it, or may come to, each with the reference under which it was opened', () => {
    const hedges = [
      hedge('hdg_4', 4, { status: 'submitted' }),
      hedge('hdg_3', 3.5),
      hedge('hdg_2', 2, { status: 'closed' }),
      hedge('hdg_1', 1, { status: 'failed' }),
    ];
    expect(beforeState({ sidePosition: sideBook({ hedges }), readAtMs: Date.UTC(2026, 10, 20) })).toEqual({
      hedges: [
        {
          hedge_id: 'hdg_3',
          notional_usd: '3.5',
          status: 'filled',
          client_reference: 'PAY-8841',
          struck_rate: '1532.71',
          filled_at: '2026-11-20T09:03:03Z',
        },
        {
          hedge_id: 'hdg_4',
          notional_usd: '4',
          status: 'submitted',
          client_reference: 'PAY-8841',
          filled_at: '2026-11-20T09:02:59Z',
        },
      ],
      in_positions: true,
      service_at: '2026-11-20T12:00:00.000Z',
      read_at: '2026-11-20T00:00:00.000Z',
    });
  });
});
