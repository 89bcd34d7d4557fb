import { describe, expect, it } from 'vitest';
import type { Hedge } from '../../../src/client/schemas.ts';
import type { IntentRecord } from '../../../src/journal/records.ts';
import { deskLimitFindings } from '../../../src/trading/guards/desk-limit-guard.ts';
import { ACCEPTED, at, NOON as NOW, recordsOf, SENDING, stateFrom, theTerms } from '../../journal/records.ts';
import { hedge, NOON, position, sideBook } from '../facts.ts';

/** 4,000 of PAY-1 under way, as this journal has it. */
const PAY_1: Partial<IntentRecord> = {
  notional_usd: '4000',
  deal_id: 'PAY-1',
  client_reference: 'PAY-1',
  at: at(-20),
  before: { hedges: [], in_positions: true },
};

/** What may be opened, of 10,000, with 5,000 filled and these hedges in the list. */
function fits(hedges: readonly Hedge[]): string | undefined {
  const positions = [position({ notional_usd: 5_000 })];
  const all = [...hedges, hedge('hdg_0', 5_000, { client_reference: 'PAY-0' })];
  const positionFacts = { positions, hedges: all, mayBeCut: false, servedAt: NOON };
  const state = stateFrom(recordsOf('7c1e', PAY_1, SENDING, { ...ACCEPTED, hedge_id: 'hdg_2' }), {
    limits: { max_open_usd: '10000' },
  });
  const facts = { positionFacts, sidePosition: sideBook(positionFacts), readAtMs: NOW };
  const [found] = deskLimitFindings({ ...theTerms(), facts }, state, { nowMs: NOW });
  return found?.fits?.toFixed();
}

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
    expect(fits(hedges)).toBe('1000');
  });

  it('not at all once it is listed as failed', () => {
    expect(fits([listed('hdg_2', 'failed')])).toBe('5000');
  });
});
