/** Blocks as a terminal without colour would show them, and the facts that views are shown about. */

import type { View } from '../../../src/output/blocks.ts';
import { type HumanView, renderHuman } from '../../../src/output/render-human.ts';
import type { Plan } from '../../../src/trading/plan.ts';
import { hedge, planOf, position, sideBook } from '../../trading/facts.ts';

const NOW = Date.parse('2026-11-20T09:02:11Z');

export const shown = (blocks: View, view: Partial<HumanView> = {}): string[] =>
  renderHuman(blocks, { width: 80, colour: 0, unicode: true, zone: 'Africa/Lagos', now: NOW, ...view })
    .replace(/\n$/, '')
    .split('\n');

/** 30,000 and 10,000 bought, and 5,000 on its way; every figure of the position is there. */
export const fullBook = () =>
  sideBook({
    hedges: [
      hedge('hdg_B', 30_000, { maturity_at: '2026-11-23T09:02:59Z' }),
      hedge('hdg_A', 10_000, { maturity_at: '2026-11-27T09:02:59Z', client_reference: 'PAY-1' }),
      hedge('hdg_C', 5_000, { status: 'submitted' }),
    ],
    positions: [
      position({
        notional_usd: 40_000,
        close_fee_usdc: 20,
        net_pnl_usd: -31.5,
        accrued_carry_usdc: -12.5,
        net_margin_usd: 3_948.5,
      }),
    ],
  });

export const fullPlan = (line: string, options: Parameters<typeof planOf>[1] = {}): Plan =>
  planOf(line, { ...options, facts: { sidePosition: fullBook(), ...options.facts } });
