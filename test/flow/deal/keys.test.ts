import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dealKey, mintKey, referenceOf } from '../../../src/flow/deal/keys.ts';
import { practiceIdentity } from '../../../src/journal/identity.ts';
import { systemRandom } from '../../../src/platform/random.ts';
import { DESK } from '../../journal/records.ts';

const deal = (parts: Partial<{ id: string; attempt: number }> = {}) =>
  dealKey(DESK, { id: 'PAY-8841', attempt: 1, ...parts });

describe('the key of an action', () => {
  it('is minted anew for each intent, and can be sent', () => {
    const keys = Array.from({ length: 1_000 }, () => mintKey(systemRandom));
    expect(new Set(keys).size).toBe(1_000);
    for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
  });

  it('follows from the deal id: two machines of a desk deal it under one key', () => {
    expect(deal()).toBe(deal());
    expect(deal()).toMatch(/^hedge-deal-[0-9a-f]{32}$/);
  });

  it('is another one for another deal, another attempt and another book', () => {
    const others = [deal({ id: 'PAY-8842' }), deal({ attempt: 2 })];
    const elsewhere = dealKey(practiceIdentity('book-1'), { id: 'PAY-8841', attempt: 1 });
    expect(new Set([deal(), elsewhere, ...others]).size).toBe(4);
  });

  it('never runs parts together: no two deals share a key', () => {
    const parts = fc.record({ id: fc.string({ minLength: 1 }), attempt: fc.integer({ min: 1, max: 99 }) });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = one.id === other.id && one.attempt === other.attempt;
        expect(deal(one) === deal(other)).toBe(same);
      }),
    );
  });
});

describe('the reference of an open without a deal id', () => {
  it('follows from the key, so that a resend has the same body', () => {
    expect(referenceOf('k-1')).toBe(referenceOf('k-1'));
    expect(referenceOf('k-1')).not.toBe(referenceOf('k-2'));
    expect(referenceOf('k-1')).toMatch(/^hedge-[0-9a-f]{16}$/);
  });
});
