import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { shell, step } from '../../../src/domain/hint.ts';
import { type Hint } from '../../../src/errors.ts';
import { viewPreview } from '../../../src/output/views/plan.ts';
import { guardPlan, NO_LIMITS } from '../../../src/trading/guards/guard-plan.ts';
import type { Plan } from '../../../src/trading/plan.ts';
import type { Preview } from '../../../src/trading/trading-context.ts';
import { hedge, planOf, position, sideBook } from '../../trading/facts.ts';
import { fullPlan, shown } from './shown.ts';

const preview = (plan: Plan, changes: Partial<Preview> = {}): Preview => ({
  plan,
  warnings: [],
  openedElsewhere: [],
  changed: undefined,
  ...changes,
});

const inOneLine = (blocks: Parameters<typeof shown>[0]): string =>
  shown(blocks).join(' ').replace(/\s+/g, ' ');

const BOUNDED = { dealId: 'PAY-8841', worstPrice: '1535', maxCostBps: '40' };

describe('the hedges in the preview of a close', () => {
  it('keep their deal IDs in a narrow window, and give up where they were opened if that is the same for all', () => {
    const sidePosition = sideBook({
      hedges: ['PAY-8841.r2', 'PAYOUT-2026-11-28-A'].map((reference, index) =>
        hedge(`hdg_01M8G78ANEE7TJB${index}`, 10_000, { client_reference: reference }),
      ),
      positions: [position({ notional_usd: 20_000 })],
    });
    const plan = planOf('close USDTNGN buy', { facts: { sidePosition } });
    const text = shown(viewPreview(preview(plan))).join('\n');
    expect(text).toMatch(/^HEDGE +USD +MATURES +DEAL ID$/m);
    expect(text).toContain('Hidden columns: ORIGIN.');
  });
});

describe('the preview of a reduce', () => {
  it.each([
    [
      'of several maturities says that one alone cannot be closed',
      ['2026-11-23T09:00:00Z', '2026-11-27T09:00:00Z'],
      true,
    ],
    ['of one maturity does not', ['2026-11-23T09:00:00Z', '2026-11-23T09:00:00Z'], false],
  ])('%s', (_, maturities, said) => {
    const sidePosition = sideBook({
      hedges: maturities.map((maturity_at, index) => hedge(`hdg_${index}`, 10_000, { maturity_at })),
      positions: [position({ notional_usd: 20_000 })],
    });
    const plan = planOf('reduce USDTNGN buy 5k', { facts: { sidePosition } });
    expect(inOneLine(viewPreview(preview(plan))).includes('one alone cannot be closed')).toBe(said);
  });
});

describe('the preview of an open', () => {
  it('has the price and its bound, the cost in USDC and bps, what is reserved, the side before and after', () => {
    const plan = fullPlan('open USDTNGN buy 50k', { options: BOUNDED });
    expect(shown(viewPreview(preview(plan, { openedElsewhere: ['hdg_A'] })), { width: 120 })).toEqual([
      'OPEN buy USDTNGN 50,000.00 USD, 3 days, to Mon 23 Nov 10:02 WAT. Gains when the naira weakens.',
      'Price        1,530.918        mid 1,530.00, worst price 1,535.00 (pre-trade check, not a limit order)',
      'Break-even   1,534.7549       0.31 % above the mid',
      'Total cost     155.00   USDC  31 bps, limit 40 bps: impact 30.00, carry over 3 days 75.00, fee 50.00',
      'Upfront      5,050.00   USDC  of 41,320.00 free',
      'Buy side    40,000.00   USD   → 90,000.00 USD (10,000.00 USD not in the journal)',
      'Deal ID     PAY-8841',
      'Not included: hedge hdg_C, 5,000.00 USD, submitted, may still fill.',
    ]);
  });

  it.each(['open USDTNGN sell 50k', 'add USDTNGN sell 50k'])(
    'names what is open on the other side of the market: %s',
    (words) => {
      const hedges = [hedge('hdg_S', 5_000, { side: 'sell' })];
      const positions = [
        position({ side: 'sell', notional_usd: 5_000 }),
        position({ side: 'buy', notional_usd: 25_000 }),
      ];
      const sidePosition = sideBook({ hedges, positions }, 'sell');
      const plan = planOf(words, { facts: { sidePosition } });
      expect(shown(viewPreview(preview(plan)))).toContain('Also open: buy 25,000.00 USD.');
      const alone = planOf(words, {
        facts: { sidePosition: sideBook({ hedges, positions: positions.slice(0, 1) }, 'sell') },
      });
      expect(inOneLine(viewPreview(preview(alone)))).not.toContain('Also open');
    },
  );

  it('of an add that is sent again names both results, where the first attempt may have executed', () => {
    const plan = { ...fullPlan('add USDTNGN buy 4k'), totalBefore: new Big(36_000) };
    const text = inOneLine(viewPreview(preview(plan)));
    expect(text).toContain(
      'Buy side 40,000.00 USD now, was 36,000.00 before the first attempt. If that executed, it stays 40,000.00 USD; if not, it becomes 44,000.00 USD.',
    );
    expect(text).not.toContain('→');
  });

  it.each([
    [{}, 'no price limit; the final rate is'],
    [{ maxCostBps: '40' }, 'indicative; the final rate is set at'],
    [{ anyPrice: true }, 'no price limit; the final rate is'],
  ])('without a bound says what the price is worth: %j', (options, says) => {
    const lines = shown(viewPreview(preview(fullPlan('open USDTNGN sell 10k', { options }))));
    expect(lines.join('\n')).toContain(says);
    expect(lines.join('\n')).not.toContain('at worst');
  });

  it('says that a sell gains when the naira strengthens, and what its carry earns', () => {
    const text = inOneLine(viewPreview(preview(planOf('open USDTNGN sell 10k'))));
    expect(text).toContain('Gains when the naira strengthens.');
    expect(text).toContain(
      'Total cost 10.00 USDC 10 bps: impact 6.00, less carry earned over 3 days 6.00, fee 10.00',
    );
  });

  it('says that the balance is too little, and marks a maturity on a weekend', () => {
    const plan = planOf('open USDTNGN buy 500k');
    const quote = plan.facts.quote;
    if (quote === undefined) throw new Error('an open has a quote');
    const weekend = {
      ...plan,
      facts: { ...plan.facts, quote: { ...quote, maturity: '2026-11-22T09:02:11Z' } },
    };
    const text = inOneLine(viewPreview(preview(weekend)));
    expect(text).toContain('to Sun 22 Nov 10:02 WAT (!).');
    expect(text).toContain('50,500.00 USDC of 41,320.00 free (insufficient)');
  });

  it('has dashes where the side is unknown, and the reason', () => {
    const sidePosition = sideBook({ hedges: [hedge('hdg_A', 10_000)], mayBeCut: true });
    const text = inOneLine(viewPreview(preview(planOf('open USDTNGN buy 10k', { facts: { sidePosition } }))));
    expect(text).toContain('Buy side — → — (unknown: the list of hedges may be incomplete)');
  });
});

describe('the preview of an addition', () => {
  it('names the hedge that is increased and the maturity that stays', () => {
    const sidePosition = sideBook({ hedges: [hedge('hdg_B', 30_000)] });
    const lines = shown(viewPreview(preview(planOf('add USDTNGN buy 10k', { facts: { sidePosition } }))));
    expect(lines.slice(0, 2).join(' ').replace(/ +/g, ' ')).toBe(
      'ADD buy USDTNGN 10,000.00 USD to hedge hdg_B, maturity unchanged: Mon 23 Nov 10:02 WAT. Gains when the naira weakens.',
    );
    expect(lines.join('\n')).toMatch(/hdg_B +30,000\.00 +USD +→ 40,000\.00 USD/);
  });

  it('has the carry to that maturity in its cost, and names it next to the carry', () => {
    // A day and a half of the quote's three: of the 15 half, of the 6 that are earned half.
    const to = { maturity_at: '2026-11-22T00:00:00Z' };
    const added = (side: 'buy' | 'sell') => {
      const sidePosition = sideBook({ hedges: [hedge('hdg_B', 30_000, { side, ...to })] }, side);
      return inOneLine(viewPreview(preview(planOf(`add USDTNGN ${side} 10k`, { facts: { sidePosition } }))));
    };
    expect(added('buy')).toContain(
      'Total cost 23.50 USDC 23.5 bps: impact 6.00, carry to Sun 22 Nov 01:00 WAT (!) 7.50, fee 10.00',
    );
    expect(added('sell')).toContain(
      'Total cost 13.00 USDC 13 bps: impact 6.00, less carry earned to Sun 22 Nov 01:00 WAT (!) 3.00, fee 10.00',
    );
  });

  it('says that the service chooses where several are open', () => {
    const lines = shown(viewPreview(preview(fullPlan('add USDTNGN buy 10k'))));
    expect(lines.slice(0, 2).join(' ').replace(/ +/g, ' ')).toContain(
      'the service picks which hedge to increase',
    );
    expect(lines.join('\n')).not.toContain('hdg_B');
  });

  it('counts the dearest maturity where the service chooses, and says so', () => {
    const text = inOneLine(viewPreview(preview(fullPlan('add USDTNGN buy 10k'))));
    expect(text).toContain('carry to Fri 27 Nov 10:02 WAT (worst case)');
  });
});

describe('a warning before a trade', () => {
  const warned = (hint: Hint): readonly string[] =>
    shown(
      viewPreview(
        preview(planOf('open USDTNGN buy 10k'), {
          warnings: [{ level: 'warn', code: 'in_flight', message: 'Two are in flight.', hint }],
        }),
      ),
    ).slice(-3);

  it('has its commands one a line', () => {
    expect(warned([step(shell`hedge wait b18e`), step(shell`hedge wait 0d50`)])).toEqual([
      'Warning: Two are in flight.',
      'hedge wait b18e',
      'hedge wait 0d50',
    ]);
    expect(warned(step(shell`hedge wait b18e`)).at(-1)).toBe('hedge wait b18e');
  });

  it('goes on with a sentence', () => {
    expect(warned('To see the market: hedge markets').at(-1)).toBe(
      'Warning: Two are in flight. To see the market: hedge markets',
    );
  });
});

describe('the preview of a reduction', () => {
  it('says what comes off, what is left hedge by hedge, and what comes back', () => {
    const plan = fullPlan('reduce USDTNGN buy', { options: { by: '50%' } });
    expect(shown(viewPreview(preview(plan)))).toEqual([
      'REDUCE buy USDTNGN by 20,000.00 USD of 40,000.00 USD (50 % of the side),',
      '  2 hedges in proportion.',
      'Buy side         40,000.00 USD   → 20,000.00 USD',
      'hdg_B            30,000.00 USD   → 15,000.00 USD (PAY-8841)',
      'hdg_A            10,000.00 USD   → 5,000.00 USD (PAY-1)',
      'P&L before fees     -15.75 USD   of this part: price and carry',
      'Fee to close         10.00 USDC  none at maturity',
      'Would realize       -25.75 USD   P&L before fees less fee to close',
      'Returns           1,974.25 USD   to balance',
      'The same part of each, whatever its maturity: one alone cannot be closed.',
      'Estimates: the fill sets the figures. USDC counts as USD.',
      'Not included: hedge hdg_C, 5,000.00 USD, submitted, may still fill.',
    ]);
  });

  it.each([
    ['39600', true],
    ['39599.99', false],
  ])('of %s out of 40,000 says beforehand whether it closes the side', (notional, closes) => {
    const plan = fullPlan(`reduce USDTNGN buy ${notional}`);
    const warnings = guardPlan(plan, { limits: NO_LIMITS });
    const text = shown(viewPreview(preview(plan, { warnings }))).join('\n');
    expect(text.includes('99 % or more of 40,000.00 USD: the service closes the whole')).toBe(closes);
    expect(/Buy side .*→ 0\.00 USD/.test(text)).toBe(closes);
  });

  it('lists every hedge with its maturity where one was opened elsewhere', () => {
    const plan = fullPlan('reduce USDTNGN buy 10k');
    const lines = shown(viewPreview(preview(plan, { openedElsewhere: ['hdg_A'] })));
    expect(lines).toContain('hdg_B  30,000.00  Mon 23 Nov 10:02 WAT  journal    PAY-8841');
    expect(lines).toContain('hdg_A  10,000.00  Fri 27 Nov 10:02 WAT  elsewhere  PAY-1');
  });
});

describe('the preview of a close', () => {
  it('lists each hedge, what comes back, and what holding to maturity would mean', () => {
    const plan = fullPlan('close USDTNGN buy');
    expect(shown(viewPreview(preview(plan, { openedElsewhere: ['hdg_A'] })))).toEqual([
      'CLOSE buy USDTNGN 40,000.00 USD: all 2 hedges on the side.',
      '',
      'HEDGE        USD  MATURES               ORIGIN     DEAL ID',
      'hdg_B  30,000.00  Mon 23 Nov 10:02 WAT  journal    PAY-8841',
      'hdg_A  10,000.00  Fri 27 Nov 10:02 WAT  elsewhere  PAY-1',
      '',
      'Buy side          40,000.00 USD   → 0.00 USD (10,000.00 USD not in the journal)',
      'P&L before fees      -31.50 USD   price and carry',
      'Carry so far     paid 12.50 USDC  part of P&L before fees',
      'Fee to close          20.00 USDC  none at maturity',
      'Would realize        -51.50 USD   P&L before fees less fee to close',
      'Returns            3,948.50 USD   to balance',
      'Estimates: the fill sets the figures. USDC counts as USD.',
      'Not included: hedge hdg_C, 5,000.00 USD, submitted, may still fill.',
      '',
      'If held to maturity:',
      'Carry         you pay another 77.541435 USDC, at the current 0.05 %/day',
      'Fee to close  none',
      'Matures       first Mon 23 Nov 10:02 WAT, last Fri 27 Nov 10:02 WAT',
    ]);
  });

  it('has dashes for every figure that the service did not send, and zero for none', () => {
    const sidePosition = sideBook({ hedges: [hedge('hdg_B', 30_000)], positions: [position()] });
    const plan = planOf('close USDTNGN buy', { facts: { sidePosition, market: undefined } });
    const text = shown(viewPreview(preview(plan))).join('\n');
    expect(text).toMatch(/Returns +1,012\.50 USD /);
    expect(text).toMatch(/P&L before fees +— /);
    expect(text).toMatch(/Fee to close +— +none at maturity/);
    expect(text).toMatch(/Carry so far +— +part of P&L before fees/);
    expect(text).toMatch(/Would realize +— /);
    expect(text).toMatch(/Carry +—\n/);
    expect(text).toContain('Matures       Mon 23 Nov 10:02 WAT');
  });
});

describe('any preview', () => {
  const LINES = [
    'open USDTNGN buy 50k',
    'add USDTNGN buy 10k',
    'reduce USDTNGN buy 10k',
    'close USDTNGN buy',
  ] as const;

  it.each(LINES)('%s: what changed since it was shown leads, warnings come last', (line) => {
    const warned = preview(fullPlan(line), {
      changed: 'the price is 12 bps worse',
      warnings: [{ level: 'warn', code: 'unusual_size', message: 'Six times the usual size.' }],
    });
    const lines = shown(viewPreview(warned));
    expect(lines[0]).toBe('CHANGED since it was shown: the price is 12 bps worse.');
    expect(lines.at(-1)).toBe('Warning: Six times the usual size.');
  });

  it.each(LINES.flatMap((line) => [60, 80, 120].map((width) => [line, width] as const)))(
    '%s: at %i columns it wraps and loses nothing',
    (line, width) => {
      const blocks = viewPreview(
        preview(fullPlan(line, { options: BOUNDED }), { openedElsewhere: ['hdg_A'] }),
      );
      const wide = shown(blocks, { width: 400 }).join(' ').split(/\s+/);
      const lines = shown(blocks, { width });
      expect(lines.join(' ').split(/\s+/).toSorted()).toEqual(wide.toSorted());
      for (const each of lines) expect(each.length).toBeLessThanOrEqual(width);
    },
  );

  it.each(LINES)('%s: says in letters all that it says in colour', (line) => {
    const blocks = viewPreview(preview(fullPlan(line), { changed: 'the book', openedElsewhere: ['hdg_B'] }));
    const painted = shown(blocks, { colour: 3 }).join('\n');
    expect(painted).toMatch(/\p{Cc}\[\d+m/u);
    expect(painted.replace(/\p{Cc}\[[\d;]*m/gu, '')).toBe(shown(blocks).join('\n'));
  });

  it('cannot be made to act by what the service or the operator wrote', () => {
    const sidePosition = sideBook({
      hedges: [hedge('hdg_\u001b[2J', 30_000, { client_reference: 'a\rLIVE' })],
    });
    const lines = shown(
      viewPreview(
        preview(planOf('close USDTNGN buy', { facts: { sidePosition } }), { openedElsewhere: ['x'] }),
      ),
    );
    for (const each of lines) expect(each).not.toMatch(/\p{Cc}/u);
  });
});
