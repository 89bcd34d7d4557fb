import { describe, expect, it } from 'vitest';
import { viewAction } from '../../../src/output/views/action.ts';
import { rebuildPlan } from '../../../src/trading/action-parts.ts';
import { type ReportOutcome, reportOf } from '../../../src/trading/report.ts';
import { ACCEPTED, FILLED, SENDING, step } from '../../journal/records.ts';
import { big, hedge, intent, planOf, position, sideBook } from '../../trading/facts.ts';
import { entryOf } from '../reports.ts';
import { fullPlan, shown } from './shown.ts';

const dealt = [step(SENDING), step(ACCEPTED), step(FILLED)];

describe('the result of an open', () => {
  const plan = planOf('open USDTNGN buy 50k', { options: { dealId: 'PAY-8841' } });
  const entry = entryOf(dealt, { deal_id: 'PAY-8841', notional_usd: '50000' });
  const filled = hedge('hdg_1', 50_000);

  it('is FILLED: struck, against the quote, hedge and maturity', () => {
    const derived = { slippage_bps: big('0.9788'), slippage_usd: big('4.8938') };
    expect(shown(viewAction(reportOf('filled', { plan, entry, hedge: filled, derived })))).toEqual([
      'FILLED buy USDTNGN 50,000.00 USD',
      'Struck rate  1,532.71, 0.98 bps (4.8938 USD) worse than the last quote',
      'Hedge        hdg_1',
      'Deal ID      PAY-8841',
      'Matures      Mon 23 Nov 10:02 WAT, 3 days',
      'Order tx     0x9f31c2',
      'Fill tx      0x77aa01',
      'Action       7c1e',
    ]);
  });

  it.each([
    ['-2.5', '-12.5', '2.5 bps (12.50 USD) better than the last quote'],
    ['0', '0', '1,532.71, as last quoted'],
    ['2.5', '12.5', '2.5 bps (12.50 USD) worse than the last quote'],
    ['0.0049', '0.02', ', less than 0.01 bps worse than the last quote'],
    ['-0.0001', '-0.001', ', less than 0.01 bps better than the last quote'],
  ])('a slippage of %s bps is %s USD: %s', (bps, usd, says) => {
    const derived = { slippage_bps: big(bps), slippage_usd: big(usd) };
    expect(shown(viewAction(reportOf('filled', { plan, entry, hedge: filled, derived })))[1]).toContain(says);
  });

  it('without a plan, of an earlier run, says as much as is known', () => {
    const lines = shown(viewAction(reportOf('filled', { entry })));
    expect(lines[0]).toBe('FILLED buy USDTNGN 50,000.00 USD');
    expect(lines).toContain('Struck rate  —');
    expect(lines).toContain('Hedge        hdg_1');
  });

  it('shows what the service sends as well, and what the hedge became since', () => {
    const late = hedge('hdg_1', 50_000, { status: 'closed', venue_fee_usd: 1.5 });
    const lines = shown(viewAction(reportOf('filled', { plan, entry, hedge: late })));
    expect(lines).toContain('Hedge            hdg_1, now closed');
    expect(lines).toContain('Venue fee (USD)  1.50');
    expect(shown(viewAction(reportOf('closed', { plan, entry, hedge: late })))[0]).toMatch(
      /^NO LONGER OPEN buy USDTNGN/,
    );
  });

  it('is SUBMITTED with --no-wait, and names the command that waits', () => {
    const submitted = entryOf([step(SENDING), step(ACCEPTED)]);
    expect(shown(viewAction(reportOf('submitted', { plan, entry: submitted })))).toEqual([
      expect.stringMatching(/^SUBMITTED open buy USDTNGN 50,000\.00 USD;/),
      'Hedge    hdg_1',
      'Action   7c1e',
      'To wait  hedge wait 7c1e',
    ]);
  });

  it('is SUBMITTED by its name, so that a close is not read as a buy', () => {
    const submitted = entryOf([step(SENDING), step(ACCEPTED)], { action: 'close' });
    expect(shown(viewAction(reportOf('submitted', { entry: submitted })))[0]).toMatch(
      /^SUBMITTED close buy USDTNGN/,
    );
  });
});

describe('a hedge ID of any length', () => {
  it('is cut, also beside the command that waits', () => {
    const accepted = { ...ACCEPTED, hedge_id: `hdg_${'9'.repeat(5_000)}` };
    const submitted = entryOf([step(SENDING), step(accepted)]);
    const words = shown(viewAction(reportOf('submitted', { entry: submitted }))).join('');
    expect(words.replaceAll(/\s/g, '')).not.toMatch(/9{301}/);
  });
});

describe('the result of a change', () => {
  it('is CHANGED: the side and each hedge, before and after', () => {
    const plan = fullPlan('reduce USDTNGN buy 20k');
    const entry = entryOf([step(SENDING)], { action: 'reduce', notional_usd: '20000' });
    const hedges = [
      { id: 'hdg_B', before: big('30000'), after: big('15000'), reference: 'PAY-8841' },
      { id: 'hdg_A', before: big('10000'), after: big('5000') },
    ];
    expect(shown(viewAction(reportOf('changed', { plan, entry, hedges })))).toEqual([
      'REDUCED buy USDTNGN by 20,000.00 USD, 2 hedges in proportion',
      'Side             40,000.00 USD   → 20,000.00 USD',
      'hdg_B            30,000.00 USD   → 15,000.00 USD (PAY-8841)',
      'hdg_A            10,000.00 USD   → 5,000.00 USD',
      'P&L before fees     -15.75 USD   price and carry',
      'Fee to close         10.00 USDC',
      'Realized P&L        -25.75 USD   about: P&L before fees less fee to close',
      'Returned          1,974.25 USD   about; to balance',
      'Action           7c1e',
      'Estimates; the balance: hedge account. USDC counts as USD.',
    ]);
  });

  it('of an addition says added, and takes the side from the position where no hedge was read', () => {
    const plan = fullPlan('add USDTNGN buy 10k');
    const lines = shown(
      viewAction(reportOf('changed', { plan, position: position({ notional_usd: 50_000 }) })),
    );
    expect(lines).toEqual([
      'INCREASED buy USDTNGN by 10,000.00 USD',
      'Side          40,000.00  USD  → 50,000.00 USD',
      'Quoted price   1,530.918      the service reports no fill price',
    ]);
  });

  it('of an addition has the averages after it, as the service sends them, and those before', () => {
    const plan = fullPlan('add USDTNGN buy 10k');
    const hedges = [
      {
        id: 'hdg_B',
        before: big('30000'),
        after: big('40000'),
        rateBefore: big('1525.5'),
        rateAfter: big('1526.75'),
      },
      { id: 'hdg_A', before: big('10000'), after: big('10000'), rateBefore: big('1'), rateAfter: big('1') },
    ];
    const derived = { entry_price_before: big('1524.1'), entry_price_after: big('1525.2') };
    const words = (parts: object) =>
      shown(viewAction(reportOf('changed', { plan, hedges, ...parts }))).map((each) =>
        each.replace(/ +/g, ' '),
      );
    expect(words({ derived })).toEqual(
      expect.arrayContaining([
        'Entry price 1,525.20 side average, was 1,524.10',
        'Struck rate 1,526.75 of that hedge, was 1,525.50',
      ]),
    );
    const nothingRead = words({ hedges: [{ id: 'hdg_B', before: big('30000'), after: big('40000') }] });
    expect(nothingRead.join('\n')).not.toMatch(/Entry price|Struck rate|was/);
  });

  it('is CLOSED: position flat, what came back and what was realised', () => {
    const plan = fullPlan('close USDTNGN buy');
    const hedges = [{ id: 'hdg_B', before: big('40000'), after: big('0') }];
    const derived = {
      net_pnl_usd: big('-91.5'),
      gross_pnl_usd: big('-19'),
      carry_usdc: big('-12.5'),
      fees_usdc: big('60'),
    };
    expect(shown(viewAction(reportOf('closed', { plan, hedges, derived })))).toEqual([
      'CLOSED buy USDTNGN 40,000.00 USD: position flat.',
      'Side             40,000.00 USD   → 0.00 USD',
      'P&L before fees     -31.50 USD   price and carry',
      'Fee to close         20.00 USDC',
      'Realized P&L        -51.50 USD   about: P&L before fees less fee to close',
      'Net P&L             -91.50 USD   whole life: gross -19.00, carry paid 12.50, all',
      '                                 fees 60.00',
      'Returned          3,948.50 USD   about; to balance',
      'Estimates, except Net P&L; the balance: hedge account. USDC counts as USD.',
    ]);
    const bare = reportOf('closed', { plan, hedges, derived: { net_pnl_usd: big('-91.5') } });
    expect(shown(viewAction(bare))).toContain(
      'Net P&L             -91.50 USD   whole life, net of carry and all fees',
    );
  });

  it.each(['close USDTNGN buy', 'reduce USDTNGN buy 39,800'])(
    '%s that closed the side says the size that really left it',
    (line) => {
      const plan = fullPlan(line);
      const hedges = [{ id: 'hdg_B', before: big('40000.5'), after: big('0') }];
      expect(shown(viewAction(reportOf('closed', { plan, hedges })))[0]).toBe(
        'CLOSED buy USDTNGN 40,000.50 USD: position flat.',
      );
    },
  );

  it('is CLOSED also when it is reported after the side has gone: as the hedges were, and the journal keeps it', () => {
    const flat = sideBook({ hedges: [], positions: [] });
    const plan = rebuildPlan(intent('close USDTNGN buy'), {
      ...fullPlan('close USDTNGN buy').facts,
      sidePosition: flat,
    });
    const entry = entryOf([step(SENDING)], {
      action: 'close',
      notional_usd: undefined,
      tenor_days: undefined,
      quote: { net_margin_usd: '2300.25' },
    });
    const hedges = [{ id: 'hdg_B', before: big('23000'), after: big('0') }];
    expect(shown(viewAction(reportOf('closed', { plan, entry, hedges })))).toEqual([
      'CLOSED buy USDTNGN 23,000.00 USD: position flat.',
      'Side      23,000.00 USD  → 0.00 USD',
      'Returned   2,300.25 USD  about; to balance',
      'Action    7c1e',
      'Estimates; the balance: hedge account. USDC counts as USD.',
    ]);
    expect(shown(viewAction(reportOf('closed', { plan, entry })))[0]).toBe(
      'CLOSED buy USDTNGN: position flat.',
    );
  });

  it('is CLOSED, and not called flat where something was opened on the side since', () => {
    const hedges = [{ id: 'hdg_B', before: big('40000'), after: big('0') }];
    const report = reportOf('closed', { plan: fullPlan('close USDTNGN buy'), hedges, position: position() });
    expect(shown(viewAction(report))[0]).toMatch(/^CLOSED buy USDTNGN 40,000\.00 USD: new hedges are open/);
  });

  it('says what the side is now, where that is not what ours made of it', () => {
    const hedges = [{ id: 'hdg_B', before: big('37000'), after: big('33300') }];
    const changed = (stands: number) =>
      shown(
        viewAction(
          reportOf('changed', {
            plan: fullPlan('reduce USDTNGN buy 3700'),
            hedges,
            position: position({ notional_usd: stands }),
          }),
        ),
      ).find((each) => each.startsWith('Side now'));
    expect(changed(29_600)).toMatch(/^Side now +29,600\.00 +USD +includes other trades$/);
    expect(changed(33_300)).toBeUndefined();
  });

  it('is flat where there was nothing to close', () => {
    const entry = entryOf([], { action: 'close' });
    expect(shown(viewAction(reportOf('flat', { entry })))).toEqual([
      'FLAT buy USDTNGN: no open position; nothing was sent.',
    ]);
  });
});

describe('a dry run', () => {
  it.each([
    [
      'open USDTNGN buy 50k',
      ['market        USDTNGN', 'side          buy', 'notional_usd  50000', 'tenor_days    3'],
    ],
    ['reduce USDTNGN buy 20k', ['market        USDTNGN', 'side          buy', 'notional_usd  20000']],
    ['close USDTNGN buy', ['market  USDTNGN', 'side    buy']],
  ])('of %s shows the plan and the body to the digit', (line, body) => {
    const lines = shown(viewAction(reportOf('planned', { plan: fullPlan(line) })));
    expect(lines[0]).toBe('DRY RUN: nothing was sent.');
    expect(lines).toContain('Would be sent:');
    expect(lines.slice(lines.indexOf('Would be sent:') + 1)).toEqual(body);
  });

  it('claims nothing of where hedges were opened', () => {
    const text = shown(viewAction(reportOf('planned', { plan: fullPlan('close USDTNGN buy') }))).join('\n');
    expect(text).not.toMatch(/DEALT|elsewhere|here/);
  });
});

describe('what did not go as asked', () => {
  it.each<ReportOutcome>(['failed', 'pending', 'unknown', 'refused', 'not_sent'])(
    '%s leaves standard output to the error',
    (outcome) => {
      const report = reportOf(outcome, { plan: fullPlan('add USDTNGN buy 10k'), entry: entryOf(dealt) });
      expect(viewAction(report)).toEqual([]);
    },
  );
});
