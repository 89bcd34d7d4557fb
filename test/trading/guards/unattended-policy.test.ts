import { describe, expect, it } from 'vitest';
import type { RawInput } from '../../../src/args/option.ts';
import { hintText } from '../../../src/domain/hint.ts';
import type { Environment } from '../../../src/domain/vocabulary.ts';
import { UsageError } from '../../../src/errors.ts';
import { checkUnattended } from '../../../src/trading/guards/unattended-policy.ts';
import { intent } from '../facts.ts';

interface Case {
  line?: string;
  options?: RawInput['options'];
  environment?: Environment;
  profile?: string;
  expected?: Environment;
  attended?: boolean;
}

/** What the line is to have besides; nothing when it may go ahead. */
function additions({ line = 'open USDTNGN buy 10k', options = {}, ...desk }: Case): string {
  const { environment = 'live', profile = 'desk', attended = false } = desk;
  try {
    checkUnattended(intent(line, options), { environment, profile, expected: desk.expected, attended });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    expect(error.what).toMatch(/^Not a terminal/);
    return hintText(error.hint) || 'nothing';
  }
  return '';
}

const LINES = ['open USDTNGN buy 10k', 'add USDTNGN buy 10k', 'reduce USDTNGN buy 10k', 'close USDTNGN buy'];
const needs = (words: string): string => (words === '--yes' ? 'Pass --yes to confirm.' : `Pass: ${words}`);

describe('an action at a terminal', () => {
  it.each(LINES)('needs nothing on its line, with --yes or without: %s', (line) => {
    for (const yes of [true, false]) expect(additions({ line, options: { yes }, attended: true })).toBe('');
  });
});

describe('an action without a terminal', () => {
  it.each(LINES)('needs --yes where no money is real: %s', (line) => {
    for (const environment of ['sandbox', 'practice'] as const) {
      expect(additions({ line, environment })).toBe(needs('--yes'));
      expect(additions({ line, environment, options: { yes: true } })).toBe('');
    }
  });

  it.each(LINES)('needs nothing to be only rehearsed: %s', (line) => {
    expect(additions({ line, options: { dryRun: true } })).toBe('');
  });

  it.each<[string, Case, string]>([
    ['an open, everything at once', {}, '--yes --expect-env live --deal-id ID --worst-price PRICE'],
    [
      'an add, everything at once',
      { line: 'add USDTNGN buy 10k' },
      '--yes --expect-env live --idempotency-key KEY --worst-price PRICE',
    ],
    ['a reduction', { line: 'reduce USDTNGN buy 10k' }, '--yes --expect-env live'],
    ['a close', { line: 'close USDTNGN buy' }, '--yes --expect-env live'],
    [
      'an open, its promise and price',
      { options: { yes: true, dealId: 'PAY-1' } },
      '--expect-env live --worst-price PRICE',
    ],
    [
      'an open, its deal id',
      { options: { yes: true, worstPrice: '1535' }, expected: 'live' },
      '--deal-id ID',
    ],
    [
      'an open, its price',
      { options: { yes: true, idempotencyKey: 'k-1' }, expected: 'live' },
      '--worst-price PRICE',
    ],
  ])('needs, when money is real: %s', (_what, about, words) => {
    expect(additions(about)).toBe(needs(words));
  });

  it.each<[string, RawInput['options']]>([
    ['a deal id and a worst price', { dealId: 'PAY-1', worstPrice: '1535' }],
    ['a deal id and a highest cost', { dealId: 'PAY-1', maxCostBps: '-5' }],
    ['a key and any price', { idempotencyKey: 'k-1', anyPrice: true }],
  ])('goes ahead with real money on %s', (_what, options) => {
    expect(additions({ options: { ...options, yes: true }, expected: 'live' })).toBe('');
  });

  it('needs on practice-live what live needs, and practice as its environment', () => {
    const where = { environment: 'practice', profile: 'practice-live' } as const;
    expect(additions(where)).toBe(needs('--yes --expect-env practice --deal-id ID --worst-price PRICE'));
    const options = { yes: true, dealId: 'PAY-1', anyPrice: true };
    expect(additions({ ...where, options })).toBe(needs('--expect-env practice'));
    expect(additions({ ...where, options, expected: 'practice' })).toBe('');
  });

  it('is not promised live money by a promise of another environment', () => {
    const options = { yes: true, dealId: 'PAY-1', anyPrice: true };
    expect(additions({ options, expected: 'sandbox' })).toBe(needs('--expect-env live'));
  });
});
