import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAction } from '../../src/args/read-action.ts';
import type { TypedIntent } from '../../src/domain/action-intent.ts';
import { batchKeys } from '../../src/runs/batch.ts';

type Options = Readonly<Record<string, string | boolean>>;

const action = (name: TypedIntent['action'], operands: string, options: Options = {}): TypedIntent =>
  readAction(name, { operands: operands.split(' '), options: { wait: true, ...options } });
const open = (notional: string, options: Options = {}) =>
  action('open', `USDTNGN buy ${notional}`, { tenor: '3', ...options });

const keyOf = (intent: TypedIntent, name?: string) => batchKeys([intent], name)[0];

/** How many there are of each. */
function counted(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

describe('the key of a line', () => {
  it('can be sent, and is the same on every run', () => {
    expect(keyOf(open('10k'))).toMatch(/^hedge-batch-[0-9a-f]{32}$/);
    expect(keyOf(open('10k'))).toBe(keyOf(open('10,000.00')));
  });

  it.each<[string, Options]>([
    ['a bound on the price', { worstPrice: '1600' }],
    ['any price', { anyPrice: true }],
    ['no question', { yes: true }],
    ['no waiting', { wait: false }],
    ['more patience', { timeout: '600' }],
    ['a dry run', { dryRun: true }],
    ['what it is dealt in spite of', { despite: '7c1e' }],
    ['a key of its own', { idempotencyKey: 'k-1' }],
    ['a note', { note: 'invoice 8841' }],
  ])('does not change with how it is sent: %s', (_what, options) => {
    expect(keyOf(open('10k', options))).toBe(keyOf(open('10k')));
  });

  it('is another one for everything that the service is asked, and for another name', () => {
    const different = [
      open('10k'),
      open('20k'),
      open('10k', { tenor: '7' }),
      open('10k', { dealId: 'PAY-1' }),
      action('open', 'USDTNGN sell 10k', { tenor: '3' }),
      action('open', 'USDTKES buy 10k', { tenor: '3' }),
      action('add', 'USDTNGN buy 10k'),
      action('reduce', 'USDTNGN buy 10k'),
      action('reduce', 'USDTNGN buy', { to: '10k' }),
      action('reduce', 'USDTNGN buy', { by: '10%' }),
      action('close', 'USDTNGN buy'),
      action('close', 'USDTNGN sell'),
    ].map((intent) => keyOf(intent));
    const named = [keyOf(open('10k'), 'monday'), keyOf(open('10k'), 'tuesday')];
    expect(new Set([...different, ...named]).size).toBe(different.length + named.length);
  });

  it('is the very same as in every version before: a batch that is run again after an upgrade sends nothing twice', () => {
    const actions = [
      open('10k', { dealId: 'PAY-1' }),
      open('10k'),
      open('10,000.00'),
      action('add', 'USDTNGN sell 2500.5'),
      action('reduce', 'USDTNGN sell', { by: '50%' }),
      action('close', 'USDTNGN sell'),
    ];
    expect(batchKeys(actions, undefined)).toEqual([
      'hedge-batch-b6578f73be0906f2b51e5050a54ba2a7',
      'hedge-batch-f1e5c82a28015ecd1ba5b9c34ae7218a',
      'hedge-batch-8ed7c0592d97dfcd4d737364a082b67f',
      'hedge-batch-8fad7289ac363bd6e203fab92e40a03f',
      'hedge-batch-d841b676977187e6cff0306f1ca99b1d',
      'hedge-batch-1fbfb25b5c2aad6012c9cdb041556091',
    ]);
    expect(keyOf(open('10k', { dealId: 'PAY-1' }), 'morning')).toBe(
      'hedge-batch-922db186860b9273fc5d9e48689926c6',
    );
  });

  it('tells two lines that ask the same apart', () => {
    const keys = batchKeys([open('10k'), open('10k'), open('10k')], undefined);
    expect(new Set(keys).size).toBe(3);
  });
});

describe('a batch that was changed and is run again', () => {
  const lines = fc.array(fc.constantFrom('1k', '2k', '3k', '4k'), { maxLength: 12 });
  const keysOf = (notionals: readonly string[]) =>
    batchKeys(
      notionals.map((each) => open(each)),
      undefined,
    );

  it('sends of each request what is missing, and nothing twice, whatever the order of the lines', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const sent = new Set(keysOf(before));
        const fresh = keysOf(after).flatMap((key, at) => (sent.has(key) ? [] : [after[at] ?? '']));
        for (const [notional, count] of counted(after))
          expect(counted(fresh).get(notional) ?? 0).toBe(
            Math.max(0, count - (counted(before).get(notional) ?? 0)),
          );
      }),
    );
  });

  it('keeps the keys of all other lines when one is corrected or lines are appended', () => {
    const before = keysOf(['1k', '2k', '3k']);
    expect(keysOf(['1k', '4k', '3k'])).toEqual([before[0], expect.any(String), before[2]]);
    expect(keysOf(['1k', '2k', '3k', '4k']).slice(0, 3)).toEqual(before);
  });
});
