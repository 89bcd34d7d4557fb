/** Books over services that send little, or name their fields otherwise. */
import { describe, expect, it } from 'vitest';
import { aBooksDesk, bigOf, bridgeOf, flat, sumOf } from '../support/books-desk.ts';
import { readCsv } from '../support/csv.ts';
import { SPARSE_SERVICES } from '../support/sparse-services.ts';
import { ON_A_TERMINAL } from '../support/test-cli.ts';

describe.each(SPARSE_SERVICES)('a service %s', (_, rewrite) => {
  it('has books with the figures that it sends, which say what they cannot tell', async () => {
    const desk = await aBooksDesk();
    desk.front.meddle(async (line, pass) => rewrite(line, await pass()));
    const { hedge, hours } = desk;
    await hedge('snapshot');
    await hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
    hours(1);
    await hedge('open USDTNGN sell 8k --tenor 1 --deal-id SAL-1 --yes');
    hours(5);
    await hedge('reduce USDTNGN buy 5k --yes');
    await hedge('snapshot');
    hours(30);
    const ran = await hedge(`report --since ${desk.day} --json`);
    const bridge = bridgeOf(ran);
    const { value, balance } = await desk.account();
    expect(bigOf(bridge.closing.net_asset_value_usdc).toFixed()).toBe(value);
    expect(
      sumOf([
        bridge.opening.net_asset_value_usdc,
        bridge.realized_usd,
        bridge.unrealized_usd,
        bridge.unexplained_usd,
      ]),
    ).toBe(value);
    const { out } = await desk.run(`report --since ${desk.day}`, ON_A_TERMINAL);
    expect(flat(out)).toContain('Some parts of the P&L are not known');
    expect(out).not.toMatch(/undefined|NaN/);
    const agreed = flat((await hedge('reconcile')).out);
    expect(agreed).toMatch(
      /All agree\. Not compared, because the service does not send them: the sizes of positions/,
    );
    const csv = readCsv((await hedge('export --format csv')).out);
    const booked = csv
      .filter((row) => row['account'] === 'Assets:Hedge:Balance')
      .map((row) => row['amount_usdc']);
    expect(sumOf(booked)).toBe(balance);
  });
});
