import { describe, expect, it } from 'vitest';
import { HEDGE_STATUSES, LARGEST_PAGE, SIDES, TENORS } from '../../src/domain/vocabulary.ts';
import { aMarket } from '../spec/bodies.ts';
import { FIELDS } from '../spec/fields.ts';
import { LIMITS, MARKETS_TODAY, HEDGE_STATUSES as SPECIFIED_STATUSES } from '../spec/rules.ts';

describe('the words of the desk', () => {
  it('are the fixed lists of the specification', () => {
    expect(HEDGE_STATUSES).toEqual(SPECIFIED_STATUSES);
    expect(TENORS).toEqual(LIMITS.tenorsInDays);
    expect(LARGEST_PAGE).toBe(LIMITS.largestPageOfHedges);
    expect(SIDES).toEqual(FIELDS.quote.find(({ path }) => path === 'side')?.oneOf);
    expect(MARKETS_TODAY).toContain(aMarket()['market']);
  });
});
