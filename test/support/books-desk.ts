/** A desk that closes its books, in front of a practice service, with one clock for both that moves when told. */
import { Big } from 'big.js';
import { expect } from 'vitest';
import { aDesk } from './deals-desk.ts';
import { TUESDAY } from './moving-clock.ts';
import { WITHOUT_LIMIT } from './served-book.ts';
import type { Ran } from './test-cli.ts';

const HOUR = 3_600_000;

export const bigOf = (amount: unknown): Big => new Big(String(amount));

/** In digits. */
export const sumOf = (amounts: readonly unknown[]): string =>
  amounts.reduce((all: Big, each) => all.plus(bigOf(each)), new Big(0)).toFixed();

/** Without the line breaks of a narrow screen. */
export const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The data of a document. */
export const dataOf = (ran: Ran) => Object(ran.document()).data;

/** `startMs`: a moment of a day whose end is far. */
export async function aBooksDesk(startMs = noonOf(TUESDAY)) {
  const desk = await aDesk({ ...WITHOUT_LIMIT, fill_seconds: { min: 1, max: 2 } }, startMs);
  /** Ends with 0, or with the code that is expected. */
  const hedge = async (line: string, code = 0): Promise<Ran> => {
    const ran = await desk.run(line);
    expect([line, ran.code, ran.code === code ? '' : ran.err]).toEqual([line, code, '']);
    return ran;
  };
  return {
    ...desk,
    hedge,
    /** `2026-11-20`, the day of its beginning. */
    day: new Date(startMs).toISOString().slice(0, 10),
    hours: (count: number): void => desk.clock.pass(count * HOUR),
    /** Figures of the service, now. */
    async account(): Promise<{ balance: string; margin: string; value: string }> {
      const { body: account } = await desk.served.desk.get('/account', { as: 'test' });
      const { body: positions } = await desk.served.desk.get('/positions', { as: 'test' });
      const lines: readonly { net_margin_usd: number }[] = positions.data;
      const { balance_usdc: balance, margin_in_use_usdc: margin } = account.data;
      const value = lines.reduce((sum, line) => sum.plus(line.net_margin_usd), new Big(balance));
      return {
        balance: new Big(balance).toFixed(),
        margin: new Big(margin).toFixed(),
        value: value.toFixed(),
      };
    },
  };
}

export const noonOf = (ms: number): number => Math.floor(ms / (24 * HOUR)) * 24 * HOUR + 12 * HOUR;

/** Two hedges opened, one of them rolled on by hand; a reduce; a maturity; a colleague's hedge; and one that is open. */
export async function aWeek() {
  const desk = await aBooksDesk();
  const { hedge, hours } = desk;
  await hedge('snapshot');
  await hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
  hours(1);
  await hedge('open USDTNGN sell 8k --tenor 1 --deal-id SAL-1 --yes');
  hours(20);
  await hedge('reduce USDTNGN buy --by 25% --yes');
  await hedge('snapshot --note evening');
  hours(60);
  await hedge('open USDTNGN buy 5k --tenor 7 --deal-id PAY-2 --yes');
  hours(1);
  return desk;
}

export const bridgeOf = (ran: Ran) => dataOf(ran).derived.bridge;
