import { describe, expect, it } from 'vitest';
import { entryPrices, withRates } from '../../src/trading/report.ts';
import type { Body } from '../spec/bodies.ts';
import { big, hedge, position, sideBook } from './facts.ts';

const sideOf = (size: number, rate: number, stated: Body = { notional_usd: size, entry_price: rate }) =>
  sideBook({
    hedges: [hedge('hdg_B', size, { struck_rate: rate, client_reference: 'PAY-1' })],
    positions: [position(stated)],
  });
const CHANGES = [{ id: 'hdg_B', before: big('20000'), after: big('22500') }];
const before = sideOf(20_000, 1_525.5);
const after = sideOf(22_500, 1_524.25);

describe('the rates of a change', () => {
  it('are those of the hedge before and after, as the service sent them', () => {
    expect(withRates(CHANGES, { before, after })).toEqual([
      { ...CHANGES[0], reference: 'PAY-1', rateBefore: big('1525.5'), rateAfter: big('1524.25') },
    ]);
  });

  it('are left out where the hedge was read with another size', () => {
    const [change] = withRates(CHANGES, { before: sideOf(19_999, 1_500), after: sideOf(25_000, 1_500) });
    expect(change).toMatchObject({ rateBefore: undefined, rateAfter: undefined });
    expect(withRates(CHANGES, { before: undefined, after: undefined })).toMatchObject([
      { reference: undefined, rateBefore: undefined, rateAfter: undefined },
    ]);
  });
});

describe('the entry price of a side', () => {
  it('is that of its position before and after', () => {
    expect(entryPrices(CHANGES, { before, after })).toEqual({
      entry_price_before: big('1525.5'),
      entry_price_after: big('1524.25'),
    });
  });

  it.each([
    ['has trades of others', sideOf(30_000, 1_510)],
    ['lags behind its hedges', sideOf(22_500, 1_524, { notional_usd: 20_000, entry_price: 1_525.5 })],
    ['does not say its size', sideOf(22_500, 1_524, { entry_price: 1_524 })],
    ['does not say its price', sideOf(22_500, 1_524, { notional_usd: 22_500 })],
    ['was not read', undefined],
  ])('is left out where the position %s', (_, now) => {
    expect(entryPrices(CHANGES, { before: undefined, after: now })).toEqual({});
  });
});
