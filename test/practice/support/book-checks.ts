/** Checks that hold for a practice book after any trading. */
import { expect } from 'vitest';
import { decimalOf } from '../../../src/practice/domain/scaled-decimals.ts';
import { DAY, type TestPractice } from './practice-service.ts';

/** Its key is also its client reference. */
export interface AcceptedOpen {
  as: 'live' | 'test';
  key: string;
  hedgeId: unknown;
}

const micro = (value: number): bigint => decimalOf(String(value), 6) ?? 0n;

async function everyPage(practice: TestPractice, path: string, as: 'live' | 'test') {
  const all: Record<string, never>[] = [];
  for (let before = ''; ; ) {
    const { body } = await practice.get(`${path}?limit=500${before}`, { as });
    all.push(...body.data);
    if (!body.meta.has_more) return all;
    before = `&before=${String(all.at(-1)?.['id'])}`;
  }
}

/** Settles everything; then the balance is the opening balance plus the P&L of the history, to the micro-USDC. */
export async function expectBalanced(
  practice: TestPractice,
  opening: bigint = 100_000_000_000n,
): Promise<void> {
  practice.clock.pass(60_000);
  for (const as of ['live', 'test'] as const) {
    const { books } = await practice.admin.status();
    const { balance_usdc, margin_in_use_usdc, reserved_usdc, house_usdc, orders_in_flight } = books[as];
    const sum = [balance_usdc, margin_in_use_usdc, reserved_usdc, house_usdc].reduce(
      (so, text) => so + (decimalOf(text, 6) ?? 0n),
      0n,
    );
    expect({ sum, orders_in_flight, reserved_usdc }).toEqual({
      sum: 0n,
      orders_in_flight: 0,
      reserved_usdc: '0',
    });
  }
  await practice.admin.advance(8 * DAY);
  for (const as of ['live', 'test'] as const) {
    const records = await everyPage(practice, '/hedges/history', as);
    const gained = records.reduce((so, record) => so + micro(Number(record['net_pnl_usd'])), 0n);
    const { data } = (await practice.get('/account', { as })).body;
    expect(data).toMatchObject({ margin_in_use_usdc: 0, reserved_usdc: 0, open_exposure_usd: 0 });
    expect(micro(data.balance_usdc)).toBe(opening + gained);
    const hedges = await everyPage(practice, '/hedges', as);
    for (const hedge of hedges) expect(hedge['status']).toBe('closed');
    expect(new Set(records.map(({ id }) => id))).toEqual(new Set(hedges.map(({ id }) => id)));
    expect(records).toHaveLength(hedges.length);
  }
}

/** Each accepted open is in the book once, under its reference. */
export async function expectOpensInBook(
  practice: TestPractice,
  accepted: readonly AcceptedOpen[],
): Promise<void> {
  for (const as of ['live', 'test'] as const) {
    const hedges = await everyPage(practice, '/hedges', as);
    const ids = new Map(hedges.map((hedge) => [String(hedge['client_reference']), String(hedge['id'])]));
    expect(ids.size).toBe(hedges.length);
    for (const { key, hedgeId } of accepted.filter((each) => each.as === as))
      expect(ids.get(key)).toBe(hedgeId);
  }
}
