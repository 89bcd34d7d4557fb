import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { Hedge } from '../../src/client/schemas.ts';
import type { OpenIntent } from '../../src/domain/action-intent.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { checkSameDeal, checkSameTerms, dealStatus, guardDealId } from '../../src/trading/deal-id.ts';
import {
  ACCEPTED,
  anIntent,
  DESK,
  FAILED,
  FILLED,
  idOf,
  REFUSED,
  SENDING,
  stateFrom,
  step,
  UNKNOWN,
} from '../journal/records.ts';
import { hedge, intent } from './facts.ts';

const DEAL = 'PAY-8841';
type Step = Parameters<typeof step>[0];

const attempt = (id: string, steps: readonly Step[]): readonly JournalRecord[] => [
  anIntent({ action_id: idOf(id), deal_id: DEAL, client_reference: DEAL, idempotency_key: id }),
  ...steps.map((each) => step(each, id)),
];

const known = (records: readonly JournalRecord[], underDealId: readonly Hedge[]) => {
  return { state: stateFrom(records), identity: DESK, underDealId };
};

const served = (id: string, status: string) => hedge(id, 10_000, { status, client_reference: DEAL });
const filled = attempt('7c1e', [SENDING, ACCEPTED, FILLED]);
const failed = attempt('7c1e', [SENDING, ACCEPTED, FAILED]);
const LOST = [SENDING, UNKNOWN] as const;
const LOOKED = { ...REFUSED, looked: true } as const;
const accepted = attempt('7c1e', [SENDING, ACCEPTED]);

describe('the outcome of a deal ID', () => {
  it.each<[string, readonly JournalRecord[], readonly Hedge[], string]>([
    ['nothing at all', [], [], 'unused'],
    ['refused once: not executed', attempt('7c1e', [SENDING, REFUSED]), [], 'unused'],
    ['sent from here', filled, [served('hdg_1', 'filled')], 'journaled'],
    ['sent from here without an answer', attempt('7c1e', [SENDING, UNKNOWN]), [], 'journaled'],
    ['opened by a colleague', [], [served('hdg_9', 'filled')], 'elsewhere'],
    ['in flight by a colleague', [], [served('hdg_9', 'submitted')], 'elsewhere'],
    ['failed here', failed, [served('hdg_1', 'failed')], 'failed'],
    ['failed elsewhere', [], [served('hdg_9', 'failed')], 'failed'],
    ['failed twice elsewhere', [], [served('hdg_9', 'failed'), served('hdg_8', 'failed')], 'failed'],
    ['refused after a lost answer, and not there', attempt('7c1e', [...LOST, LOOKED]), [], 'unused'],
    ['of no answer, and not there', attempt('7c1e', [...LOST, FAILED]), [], 'unused'],
    ['failed while nobody waited', accepted, [served('hdg_1', 'failed')], 'failed'],
    [
      'failed, then opened by a colleague',
      failed,
      [served('hdg_9', 'filled'), served('hdg_1', 'failed')],
      'elsewhere',
    ],
  ])('is read from the journal and the hedges: %s', (_what, records, hedges, status) => {
    expect(dealStatus(DEAL, known(records, hedges)).status).toBe(status);
  });

  it('stops a second deal under an id that only the service knows', () => {
    expect(guardDealId(DEAL, known([], [served('hdg_9', 'filled')]))).toMatchObject([
      { level: 'stop', code: 'deal_id_used', details: { hedge_id: 'hdg_9' } },
    ]);
    expect(guardDealId(DEAL, known([], [served('hdg_9', 'failed')]))).toEqual([]);
  });
});

function anOpen(...words: Parameters<typeof intent>): OpenIntent {
  const meant = intent(...words);
  if (meant.action !== 'open') throw new Error('not an open');
  return meant;
}

describe('--ensure', () => {
  const asked = anOpen('open USDTNGN buy 10000', { dealId: DEAL, ensure: true });
  const terms = { market: 'USDTNGN', side: 'buy', notional: new Big('10000.00'), tenorDays: 3 } as const;

  it('reports the same open as executed', () => {
    expect(() => checkSameTerms(asked, terms)).not.toThrow();
  });

  it.each([
    ['another size', { notional: new Big(10_001) }],
    ['the other side', { side: 'sell' as const }],
    ['another tenor', { tenorDays: 7 }],
    ['another market', { market: 'USDTGHS' }],
  ])('stops at %s under the same id', (_what, other) => {
    expect(() => checkSameTerms(asked, { ...terms, ...other })).toThrow(
      expect.objectContaining({ code: 'deal_id_used' }),
    );
  });

  it.each<[string, Partial<Record<string, string | number>>, readonly string[], string | undefined]>([
    ['of the same size', { notional_usd: 10_000 }, [], undefined],
    ['of another size now', { notional_usd: 6_000 }, [], 'partly filled or changed since'],
    ['of another size now, seen at this one', { notional_usd: 6_000 }, ['10000.00'], undefined],
    [
      'of another size now, seen at a third',
      { notional_usd: 6_000 },
      ['8000'],
      'partly filled or changed since',
    ],
    [
      'closed at another size',
      { notional_usd: 6_000, status: 'closed' },
      [],
      'partly filled or changed since',
    ],
    // Nothing is added to, or taken from, what has not filled.
    ['of another size and not filled', { notional_usd: 6_000, status: 'submitted' }, [], 'You asked for'],
    ['on the other side', { side: 'sell' }, ['10000'], 'You asked for'],
    ['of another tenor', { notional_usd: 6_000, tenor_days: 7 }, ['10000'], 'You asked for'],
  ])('held against a hedge that only the service knows, %s', (_what, changes, seen, message) => {
    const theirs = hedge('hdg_9', 10_000, { client_reference: DEAL, ...changes });
    const check = () =>
      checkSameDeal(
        asked,
        theirs,
        seen.map((size) => new Big(size)),
      );
    if (message === undefined) expect(check).not.toThrow();
    else
      expect(check).toThrow(
        expect.objectContaining({ code: 'deal_id_used', what: expect.stringContaining(message) }),
      );
  });
});
