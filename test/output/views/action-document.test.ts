import { describe, expect, it } from 'vitest';
import { writeExactJson } from '../../../src/domain/exact-json.ts';
import { actionDocument } from '../../../src/output/views/action-document.ts';
import { type ReportOutcome, reportOf } from '../../../src/trading/report.ts';
import { ACCEPTED, at, FILLED, idOf, REFUSED, SENDING, step, UNKNOWN } from '../../journal/records.ts';
import { big, hedge, planOf, position } from '../../trading/facts.ts';
import { bodyOf, entryOf } from '../reports.ts';
import { fullPlan } from './shown.ts';

/** As it leaves the program. */
const document = (...args: Parameters<typeof actionDocument>): unknown =>
  JSON.parse(writeExactJson(actionDocument(...args)));

const FIELDS = [
  'action',
  'action_id',
  'outcome',
  'effect',
  'request',
  'receipt',
  'operator',
  'version',
  'note',
  'hedge',
  'position',
  'quote',
  'derived',
];
const RECEIPT = ['idempotency_key', 'client_reference', 'hedge_id', 'order_tx_hash', 'sent_at'];
const DERIVED = [
  'filled_notional_usd',
  'struck_rate',
  'slippage_bps',
  'slippage_usd',
  'net_pnl_usd',
  'gross_pnl_usd',
  'carry_usdc',
  'fees_usdc',
  'estimated_pnl_usd',
  'entry_price_before',
  'entry_price_after',
  'took_ms',
  'provisional_until',
  'hedges',
  'quoted',
  'planned',
  'warnings',
  'asked',
  'sized',
];

describe('the document of an action', () => {
  it('of a filled open has all there is, the service’s own fields as they came', () => {
    const plan = planOf('open USDTNGN buy 10k', { options: { dealId: 'PAY-8841' } });
    const entry = entryOf([step(SENDING), step(ACCEPTED, '7c1e', 2), step(FILLED, '7c1e', 4)], {
      body: bodyOf(plan),
      client_reference: 'PAY-8841',
    });
    const filled = hedge('hdg_1', 10_000, { venue_ref: { desk: 7 } });
    const derived = {
      filled_notional_usd: big('10000'),
      struck_rate: big('1521.5'),
      slippage_bps: big('11.7053'),
      slippage_usd: big('11.7053'),
      took_ms: 4_000,
    };
    expect(document(reportOf('filled', { plan, entry, hedge: filled, derived }))).toEqual({
      action: 'open',
      action_id: idOf('7c1e'),
      outcome: 'filled',
      effect: 'done',
      request: {
        market: 'USDTNGN',
        side: 'buy',
        notional_usd: 10000,
        tenor_days: 3,
        client_reference: 'PAY-8841',
      },
      receipt: {
        idempotency_key: 'k-1',
        client_reference: 'PAY-8841',
        hedge_id: 'hdg_1',
        order_tx_hash: '0x9f',
        sent_at: at(1),
      },
      operator: null,
      version: null,
      note: null,
      hedge: JSON.parse(writeExactJson(filled)),
      position: null,
      quote: JSON.parse(writeExactJson(plan.facts.quote)),
      derived: {
        filled_notional_usd: 10000,
        struck_rate: 1521.5,
        slippage_bps: 11.7053,
        slippage_usd: 11.7053,
        net_pnl_usd: null,
        gross_pnl_usd: null,
        carry_usdc: null,
        fees_usdc: null,
        estimated_pnl_usd: null,
        entry_price_before: null,
        entry_price_after: null,
        took_ms: 4000,
        provisional_until: null,
        hedges: null,
        quoted: {
          all_in_rate: 1534.75488722,
          move_to_break_even_pct: 0.310777,
          impact_cost_usd: 6,
          cost_usdc: 31,
          cost_bps: 31,
          notional_quote: 15309180,
        },
        planned: {
          side_before_usd: 40000,
          side_after_usd: 50000,
          opened_elsewhere: null,
          hedges: [
            {
              hedge_id: 'hdg_B',
              before_usd: 30000,
              after_usd: 30000,
              client_reference: 'PAY-8841',
              struck_rate_before: 1532.71,
              struck_rate_after: null,
            },
            {
              hedge_id: 'hdg_A',
              before_usd: 10000,
              after_usd: 10000,
              client_reference: 'PAY-8841',
              struck_rate_before: 1532.71,
              struck_rate_after: null,
            },
          ],
          closes_side: false,
          comes_back: null,
          carry_to_maturity_usdc: null,
        },
        warnings: [],
        asked: null,
        sized: null,
      },
    });
  });

  it.each<ReportOutcome>([
    'filled',
    'changed',
    'closed',
    'failed',
    'pending',
    'submitted',
    'unknown',
    'refused',
    'not_sent',
    'planned',
    'flat',
  ])('%s has every field, with or without a plan', (outcome) => {
    const entry = entryOf([step(SENDING), step(UNKNOWN), step(REFUSED)]);
    for (const report of [
      reportOf(outcome, { entry }),
      reportOf(outcome, { plan: fullPlan('reduce USDTNGN buy 10k') }),
      reportOf(outcome, { entry, plan: fullPlan('close USDTNGN buy') }),
    ]) {
      const made = actionDocument(report);
      expect(Object.keys(made)).toEqual(FIELDS);
      expect(Object.keys(made.receipt)).toEqual(RECEIPT);
      expect(Object.keys(made.derived)).toEqual(DERIVED);
      expect(writeExactJson(made)).not.toContain('undefined');
    }
  });

  it('of a dry run has the body that would be sent and an empty receipt', () => {
    const plan = fullPlan('reduce USDTNGN buy', { options: { by: '50%' } });
    const warnings = [{ level: 'warn', code: 'unusual_size', message: 'Large.' } as const];
    expect(document(reportOf('planned', { plan, warnings }))).toMatchObject({
      action: 'reduce',
      action_id: null,
      outcome: 'planned',
      effect: 'none',
      request: { market: 'USDTNGN', side: 'buy', notional_usd: 20000 },
      receipt: {
        idempotency_key: null,
        client_reference: null,
        hedge_id: null,
        order_tx_hash: null,
        sent_at: null,
      },
      derived: {
        hedges: null,
        planned: {
          side_before_usd: 40000,
          side_after_usd: 20000,
          closes_side: false,
          comes_back: {
            net_margin_usd: 1974.25,
            close_fee_usdc: 10,
            net_pnl_usd: -15.75,
            realized_pnl_usd: -25.75,
          },
        },
        estimated_pnl_usd: -25.75,
        warnings: ['unusual_size'],
      },
    });
  });

  it('of a change has what was seen of each hedge, apart from what was planned', () => {
    const plan = fullPlan('add USDTNGN buy 10k');
    const hedges = [{ id: 'hdg_B', before: big('30000'), after: big('40000') }];
    const line = position({ notional_usd: 50_000, desk_note: 'x' });
    expect(document(reportOf('changed', { plan, hedges, position: line }))).toMatchObject({
      position: JSON.parse(writeExactJson(line)),
      derived: { hedges: [{ hedge_id: 'hdg_B', before_usd: 30000, after_usd: 40000 }] },
    });
    expect(document(reportOf('unknown', { plan }))).toMatchObject({
      derived: { hedges: null, planned: { side_after_usd: 50000 } },
    });
  });

  it('of an earlier run has the body of its entry to the digit, and of half a quote no figures', () => {
    const body =
      '{"market":"USDTNGN","side":"buy","notional_usd":100000000000000.123456789012,"tenor_days":3}';
    const made = actionDocument(reportOf('unknown', { entry: entryOf([step(SENDING)], { body }) }));
    expect(writeExactJson(made.request)).toBe(body);
    expect(made.derived['quoted']).toBeNull();
  });

  it('of nothing to close has no request', () => {
    const plan = planOf('close USDTNGN buy', { options: { ifOpen: true } });
    if (plan.action !== 'close') throw new Error('a close');
    expect(document(reportOf('flat', { plan: { ...plan, nothingToDo: true } }))).toMatchObject({
      action: 'close',
      outcome: 'flat',
      request: null,
    });
  });
});
