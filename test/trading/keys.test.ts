import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { practiceIdentity, serviceIdentity } from '../../src/journal/account-identity.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { createKey, dealKey, referenceOf } from '../../src/trading/deal-attempts.ts';
import { DESK } from '../journal/records.ts';

const PAY = { id: 'PAY-8841', attempt: 1 };
const deal = (parts: Partial<{ id: string; attempt: number }> = {}) => dealKey(DESK, { ...PAY, ...parts });

describe('the key of an action', () => {
  it('is created for each intent, and can be sent', () => {
    const keys = Array.from({ length: 1_000 }, () => createKey(systemRandom));
    expect(new Set(keys).size).toBe(1_000);
    for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
  });

  it('follows from the deal ID: two machines of a desk send it under one key', () => {
    expect(deal()).toBe(deal());
    expect(deal()).toMatch(/^hedge-deal-[0-9a-f]{32}$/);
  });

  it('is the same with another API key and by another host name of the service', () => {
    const another = serviceIdentity('live', { baseUrl: 'https://other.test/v2', keyFingerprint: 'ffffffff' });
    expect(dealKey(another, { id: 'PAY-8841', attempt: 1 })).toBe(deal());
  });

  it('stays what it is in every version: two versions of hedge open one deal ID once', () => {
    expect(deal()).toBe('hedge-deal-520c508cdee77420d34ad5d94179aae0');
    expect(
      dealKey({ ...DESK, environment: 'live', account: 'payroll', key_fingerprint: 'ffffffff' }, PAY),
    ).toBe('hedge-deal-e8651ff7b018d5dc88ef4a6f53dd8588');
    expect(dealKey(practiceIdentity('book-1'), PAY)).toBe('hedge-deal-224bb8963629465c9eda2838d0d17175');
  });

  it('is another one for another deal, attempt, account, environment and practice book', () => {
    const of = (environment: 'live' | 'sandbox', account?: string) =>
      dealKey(
        serviceIdentity(environment, { baseUrl: DESK.base_url, keyFingerprint: '1a2b3c4d', account }),
        PAY,
      );
    const books = ['book-1', 'book-2'].map((id) => dealKey(practiceIdentity(id), PAY));
    const keys = [
      deal(),
      deal({ id: 'PAY-8842' }),
      deal({ attempt: 2 }),
      of('sandbox'),
      of('live', 'payroll'),
      of('live', 'treasury'),
      ...books,
    ];
    expect(new Set(keys).size).toBe(keys.length);
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

describe('the reference of an open without a deal ID', () => {
  it('follows from the key, so that a resend has the same body', () => {
    expect(referenceOf('k-1')).toBe(referenceOf('k-1'));
    expect(referenceOf('k-1')).not.toBe(referenceOf('k-2'));
    expect(referenceOf('k-1')).toMatch(/^hedge-[0-9a-f]{16}$/);
  });
});
