/** The life of a hedge and the bridge of a period, worked by hand. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import {
  type Cut,
  type CutSnapshot,
  type DealFacts,
  type DealReduction,
  dealOf,
  pnlBetween,
} from '../../src/domain/deal-pnl.ts';
import { bridgeOf, totalValue } from '../../src/domain/net-asset-value.ts';
import { netPnl, type PnlParts } from '../../src/domain/pnl-parts.ts';
import type { HedgeShare } from '../../src/domain/side-shares.ts';

const big = (digits: string | number): Big => new Big(digits);
const DAY = 86_400_000;
const DAY_1 = Date.parse('2026-11-02T12:00:00.000Z');
const shown = (parts: PnlParts | undefined) =>
  parts &&
  Object.fromEntries(
    Object.entries(parts).flatMap(([name, amount]) => (amount.eq(0) ? [] : [[name, amount.toFixed()]])),
  );

const share = (
  notional: number,
  figures: { mark: number; gross: string; carry: string; fee: string },
): HedgeShare => ({
  leg: { id: 'hdg_1', notional: big(notional), struck: big(1_502), heldMs: DAY },
  mark: big(figures.mark),
  gross: big(figures.gross),
  carry: big(figures.carry),
  closeFee: big(figures.fee),
});

/** 40 % off at a mark of 1,540: 4,000 × (1,540 − 1,502) / 1,540 = 98.701299. Carry −4, fee 2. */
const REDUCED: DealReduction = {
  kind: 'reduce',
  ms: DAY_1 + DAY,
  before: big(10_000),
  after: big(6_000),
  share: share(4_000, { mark: 1_540, gross: '98.701299', carry: '-4', fee: '2' }),
  actionId: 'a2',
  recordedAt: '2026-11-03T12:00:05.000Z',
};

/** 10,000 bought at a mid of 1,500, quoted 1,501.5, struck 1,502; margin 1,000 and fee 10. */
const facts = (more: Partial<DealFacts> = {}): DealFacts => ({
  hedgeId: 'hdg_1',
  dealId: 'PAY-1',
  market: 'USDTNGN',
  side: 'buy',
  operator: 'Ada',
  openedMs: DAY_1,
  recordedAt: '2026-11-02T12:00:05.000Z',
  changes: [
    {
      kind: 'open',
      ms: DAY_1,
      before: big(0),
      after: big(10_000),
      notional: big(10_000),
      mid: big(1_500),
      quoted: big('1501.5'),
      fee: big(10),
      margin: big(1_000),
      actionId: 'a1',
      recordedAt: '2026-11-02T12:00:05.000Z',
    },
    REDUCED,
  ],
  closedMs: undefined,
  closed: undefined,
  ...more,
});

/**
 * The rest settles at 1,560: 6,000 × 58 / 1,560 = 223.076923. Over its life gross 321.778222, carry −16, fees 12, net
 * 293.778222. The average exit is harmonic: 10,000 / (4,000 / 1,540 + 6,000 / 1,560) = 1,551.937984.
 */
const SETTLED = {
  closedMs: DAY_1 + 3 * DAY,
  closed: {
    net: big('293.778222'),
    parts: { gross: big('321.778222'), carry: big(-16), fees: big(12) },
    notional: big(10_000),
    entry: big(1_502),
    exit: big('1551.93798450'),
  },
};

const at = (ms: number, held?: Partial<CutSnapshot>): Cut => ({
  ms,
  snapshot: { recordedAt: new Date(ms).toISOString(), held: new Map(), shares: new Map(), ...held },
});
const holding = (notional: number, figures: Parameters<typeof share>[1]) => ({
  held: new Map([['hdg_1', big(notional)]]),
  shares: new Map([['hdg_1', share(notional, figures)]]),
});

describe('the events of a hedge', () => {
  it('are the fee at the fill, the reduce on its own day, and the rest at the close', () => {
    const { events } = dealOf(facts(SETTLED));
    expect(events.map(({ kind, margin }) => [kind, margin?.toFixed()])).toEqual([
      ['open', '1000'],
      // 40 % of the margin.
      ['reduce', '-400'],
      ['close', '-600'],
    ]);
    const [open, reduce, close] = events.map(({ pnl }) => shown(pnl));
    expect(open).toEqual({ fees_usdc: '-10' });
    // 4,000 × 40 / 1,540 = 103.896104 less 4,000 × 1.5 / 1,540 = 3.896104 and 4,000 × 0.5 / 1,540 = 1.298701.
    expect(reduce).toEqual({
      market_usd: '103.896104',
      impact_usd: '-3.896104',
      slippage_usd: '-1.298701',
      carry_usdc: '-4',
      fees_usdc: '-2',
    });
    // Impact over its life is 10,000 × 1.5 / 1,551.937984 = 9.665335, of which the reduce had 3.896104; slippage 3.221778 less
    // 1.298701. The carry left is 12; all fees were paid before.
    expect(close).toEqual({
      market_usd: '230.769231',
      impact_usd: '-5.769231',
      slippage_usd: '-1.923077',
      carry_usdc: '-12',
    });
  });

  it('add up to the net P&L of its record', () => {
    const { events } = dealOf(facts(SETTLED));
    const net = events.reduce((sum, { pnl }) => sum.plus(pnl ? netPnl(pnl) : 0), big(0));
    expect(net.toFixed()).toBe('293.778222');
  });

  it('are not split where somebody else added to it', () => {
    const grown = { ...SETTLED, closed: { ...SETTLED.closed, notional: big(11_000) } };
    expect(shown(dealOf(facts(grown)).events.at(-1)?.pnl)).toMatchObject({ price_usd: '223.076923' });
  });

  it('have the net P&L of a record without parts as price', () => {
    const bare = { ...SETTLED, closed: { ...SETTLED.closed, parts: undefined } };
    const { events } = dealOf(facts(bare));
    const net = events.reduce((sum, { pnl }) => sum.plus(pnl ? netPnl(pnl) : 0), big(0));
    expect(net.toFixed()).toBe('293.778222');
  });

  it('of an old reduce without figures are in the close', () => {
    const [open] = facts().changes;
    const old = { ...SETTLED, changes: [...(open ? [open] : []), { ...REDUCED, share: undefined }] };
    const { events } = dealOf(facts(old));
    expect(events.map(({ pnl }) => pnl && netPnl(pnl).toFixed())).toEqual(['-10', undefined, '303.778222']);
  });
});

describe('a period', () => {
  // Before: closing all of it at 1,530 would bring 10,000 × 28 / 1,530 = 183.006536, carry −5, fee 5.
  const opening = at(
    DAY_1 + DAY / 2,
    holding(10_000, { mark: 1_530, gross: '183.006536', carry: '-5', fee: '5' }),
  );
  // After the reduce: 6,000 × 48 / 1,550 = 185.806452, carry −9, fee 3.
  const closing = at(
    DAY_1 + 2 * DAY,
    holding(6_000, { mark: 1_550, gross: '185.806452', carry: '-9', fee: '3' }),
  );

  it('has what was realized in it and the change of what was not', () => {
    const found = pnlBetween(dealOf(facts()), opening, closing);
    // 98.701299 − 4 − 2.
    expect(found && netPnl(found.realized).toFixed()).toBe('92.701299');
    // (185.806452 − 9 − 3) − (183.006536 − 5 − 5).
    expect(found?.unrealized && netPnl(found.unrealized).toFixed()).toBe('0.799916');
  });

  it('is split by the quotes of until then, and the same again after a later add', () => {
    // 100,000 bought at 1,500; at 1,515 the half is taken off, and 50,000 are added at 1,520. Each struck as quoted, at the mid.
    const entry = { fee: big(0), margin: big(0), actionId: 'a', recordedAt: '2026-11-02T12:00:05.000Z' };
    const priced = (rate: number) => ({ mid: big(rate), quoted: big(rate) });
    const sized = (notional: number, struck: number, mark: number) => {
      const gross = big(notional)
        .times(mark - struck)
        .div(mark)
        .round(6);
      const of = share(notional, { mark, gross: gross.toFixed(), carry: '0', fee: '0' });
      return { ...of, leg: { ...of.leg, struck: big(struck) } };
    };
    const [reducedMs, addedMs] = [DAY_1 + 2 * DAY, DAY_1 + 3 * DAY];
    const open = {
      ...entry,
      ...priced(1_500),
      kind: 'open',
      ms: DAY_1,
      before: big(0),
      after: big(100_000),
      notional: big(100_000),
    } as const;
    const reduce = {
      ...REDUCED,
      ms: reducedMs,
      before: big(100_000),
      after: big(50_000),
      share: sized(50_000, 1_500, 1_515),
      recordedAt: '2026-11-04T12:00:05.000Z',
    };
    const add = {
      ...entry,
      ...priced(1_520),
      kind: 'add',
      ms: addedMs,
      before: big(50_000),
      after: big(100_000),
      notional: big(50_000),
      recordedAt: '2026-11-05T12:00:05.000Z',
    } as const;
    const holds = (ms: number, of: HedgeShare): Cut =>
      at(ms, { held: new Map([['hdg_1', of.leg.notional]]), shares: new Map([['hdg_1', of]]) });
    const none = at(DAY_1 - DAY);
    const early = holds(DAY_1 + DAY, sized(100_000, 1_500, 1_515));
    const late = holds(DAY_1 + 4 * DAY, sized(100_000, 1_510, 1_525));
    const known = dealOf(facts({ changes: [open, reduce] }));
    const grown = dealOf(facts({ changes: [open, reduce, add] }));
    const before = pnlBetween(grown, none, early);
    expect(shown(before?.unrealized)).toEqual({ market_usd: '990.09901' });
    expect(before?.unrealized).toEqual(pnlBetween(known, none, early)?.unrealized);
    const whole = pnlBetween(grown, none, late);
    // 50,000 × 15 / 1,515 with the reduce; then an average of (1,500 + 1,520) / 2: 100,000 × 15 / 1,525.
    expect(shown(whole?.realized)).toEqual({ market_usd: '495.049505' });
    expect(shown(whole?.unrealized)).toEqual({ market_usd: '983.606557' });
  });

  it('leaves out a hedge that did nothing in it', () => {
    const after = at(DAY_1 + 9 * DAY);
    expect(pnlBetween(dealOf(facts(SETTLED)), after, at(DAY_1 + 10 * DAY))).toBeUndefined();
    expect(pnlBetween(dealOf(facts()), at(DAY_1 - 2 * DAY), at(DAY_1 - DAY))).toBeUndefined();
  });

  it('without a reading at its beginning knows what was realized only', () => {
    const found = pnlBetween(dealOf(facts()), { ms: opening.ms, snapshot: undefined }, closing);
    expect(found && netPnl(found.realized).toFixed()).toBe('92.701299');
    expect(found?.unrealized).toBeUndefined();
  });

  it('is known in full once the record of the close is in it, also where a part before was not known', () => {
    const [open] = facts().changes;
    const old = { changes: [...(open ? [open] : []), { ...REDUCED, share: undefined }] };
    const before = at(DAY_1 - DAY);
    expect(pnlBetween(dealOf(facts(old)), before, closing)).toMatchObject({ isPartial: true });
    const whole = pnlBetween(dealOf(facts({ ...SETTLED, ...old })), before, at(DAY_1 + 4 * DAY));
    expect([whole?.isPartial, whole && netPnl(whole.realized).toFixed()]).toEqual([false, '293.778222']);
  });

  it('counts an order that was sent before a reading and filled after it to the time after', () => {
    const during = at(
      REDUCED.ms + 1_000,
      holding(10_000, { mark: 1_540, gross: '246.75', carry: '-6', fee: '5' }),
    );
    const kinds = (from: Cut, to: Cut) =>
      pnlBetween(dealOf(facts()), from, to)?.events.map(({ kind }) => kind);
    expect([kinds(opening, during), kinds(during, closing)]).toEqual([[], ['reduce']]);
    const filled = at(
      REDUCED.ms + 1_000,
      holding(6_000, { mark: 1_540, gross: '148.05', carry: '-6', fee: '3' }),
    );
    expect([kinds(opening, filled), kinds(filled, closing)]).toEqual([['reduce'], []]);
  });

  it('counts an order whose outcome was recorded to the time before, whatever a colleague did to its hedge since', () => {
    const changed = at(
      REDUCED.ms + 60_000,
      holding(7_000, { mark: 1_540, gross: '172.72', carry: '-6', fee: '3' }),
    );
    const kinds = (from: Cut, to: Cut) =>
      pnlBetween(dealOf(facts()), from, to)?.events.map(({ kind }) => kind);
    expect([kinds(opening, changed), kinds(changed, closing)]).toEqual([['reduce'], []]);
  });

  it('counts an order that was sent again later to the time after a reading that has the hedge as it was', () => {
    const unchanged = at(
      REDUCED.ms + 30 * 60_000,
      holding(10_000, { mark: 1_540, gross: '246.75', carry: '-6', fee: '5' }),
    );
    const recordedAt = new Date(REDUCED.ms + 50 * 60_000).toISOString();
    const [open] = facts().changes;
    const resumed = dealOf(facts({ changes: [...(open ? [open] : []), { ...REDUCED, recordedAt }] }));
    const kinds = (from: Cut, to: Cut) => pnlBetween(resumed, from, to)?.events.map(({ kind }) => kind);
    expect([kinds(opening, unchanged), kinds(unchanged, closing)]).toEqual([[], ['reduce']]);
  });

  it('that ends between the maturity of a hedge and its late settlement has its fee once, and no figure of it', () => {
    const deal = dealOf(facts({ ...SETTLED, closedMs: SETTLED.closedMs + 60_000 }));
    const between = at(SETTLED.closedMs + 20_000);
    const before = pnlBetween(deal, at(DAY_1 - DAY), between);
    const after = pnlBetween(deal, between, at(SETTLED.closedMs + DAY));
    expect(before?.events.map(({ kind }) => kind)).toEqual(['open', 'reduce']);
    expect(after?.events.map(({ kind }) => kind)).toEqual(['close']);
    expect([before?.unrealized, after?.unrealized]).toEqual([undefined, undefined]);
    // Before its open there is nothing of it.
    expect(pnlBetween(deal, at(DAY_1 - DAY), closing)?.unrealized).toBeDefined();
  });

  it('is bridged from value to value, with the rest unexplained', () => {
    // 98,990 free, and the side returns 1,000 + 183.006536 − 5 − 5 = 1,173.006536: 100,163.006536.
    const before = { balance_usdc: big(98_990), net_margin_usd: big('1173.006536'), reserved_usdc: big(0) };
    // The reduce paid 400 + 92.701299; it filled 0.25 better; a deposit of 500. 600 + 185.806452 − 9 − 3 = 773.806452.
    const after = {
      balance_usdc: big('99982.951299'),
      net_margin_usd: big('773.806452'),
      reserved_usdc: undefined,
    };
    const found = pnlBetween(dealOf(facts()), opening, closing);
    const bridge = bridgeOf(before, after, found === undefined ? [] : [found]);
    expect([totalValue(bridge.opening).toFixed(), totalValue(bridge.closing).toFixed()]).toEqual([
      '100163.006536',
      '100756.757751',
    ]);
    expect(bridge.unexplained.toFixed()).toBe('500.25');
  });
});
