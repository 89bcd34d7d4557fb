/** `hedge snapshot` over a practice service. */
import { describe, expect, it } from 'vitest';
import { aBooksDesk, bigOf, dataOf } from '../support/books-desk.ts';

describe('hedge snapshot', () => {
  it('records the account in the chain of the journal, with each part of its value', async () => {
    const { hedge, account, hours } = await aBooksDesk();
    await hedge('open USDTNGN buy 10k --tenor 3 --yes');
    hours(1);
    const ran = await hedge('snapshot --note close --json');
    const { value, balance } = await account();
    const { derived, hedges, note } = dataOf(ran);
    expect([bigOf(derived.net_asset_value_usdc).toFixed(), bigOf(derived.balance_usdc).toFixed()]).toEqual([
      value,
      balance,
    ]);
    expect([hedges, note]).toMatchObject([
      [{ side: 'buy', notional_usd: 10_000, status: 'filled' }],
      'close',
    ]);
    const { out } = await hedge('snapshot');
    for (const field of ['balance_usdc', 'net_margin_usd', 'reserved_usdc']) expect(out).toContain(field);
    const records = (await hedge('journal export')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(JSON.parse(line).record).kind);
    expect(records.filter((kind) => kind === 'snapshot')).toHaveLength(2);
    expect(dataOf(await hedge('journal --json'))).toHaveLength(1);
    await hedge('audit verify');
  });

  it('says which amount is reserved for an order in flight', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --yes --no-wait');
    const { derived } = dataOf(await desk.hedge('snapshot --json'));
    expect(derived).toMatchObject({
      net_asset_value_usdc: 100_000,
      balance_usdc: 98_990,
      reserved_usdc: 1_010,
    });
  });
});
