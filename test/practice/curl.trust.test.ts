/** The endpoints and errors of the specification with curl, the CA file and an API key. */
import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/tools.ts';
import { DAY, flatAt, startPractice, type TestPractice } from './support/practice-service.ts';

interface Seen {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  retryAfter: string;
}

function curl(
  practice: TestPractice,
  args: string[],
  trust: string[] = ['--cacert', practice.service.caFile],
): Promise<Seen> {
  const format = '\n%{http_code} %header{retry-after}';
  return new Promise((resolve, reject) => {
    execFile(
      'curl',
      ['--silent', '--show-error', ...trust, '--write-out', format, ...args],
      (error, stdout, stderr) => {
        if (error !== null) {
          reject(new Error(`${stderr.trim()} (exit ${String(error.code)})`));
          return;
        }
        const cut = stdout.lastIndexOf('\n');
        const [status = '', retryAfter = ''] = stdout.slice(cut + 1).split(' ');
        resolve({ status: Number(status), body: JSON.parse(stdout.slice(0, cut)), retryAfter });
      },
    );
  });
}

describe('the specification with curl', needs('curl'), () => {
  const get = (practice: TestPractice, path: string) =>
    curl(practice, [
      '--header',
      `Authorization: Bearer ${practice.service.keys.test}`,
      `${practice.service.url}${path}`,
    ]);
  const post = (practice: TestPractice, path: string, body: unknown, key?: string) => {
    practice.clock.pass(1_000);
    return curl(practice, [
      '--header',
      `Authorization: Bearer ${practice.service.keys.test}`,
      '--header',
      'Content-Type: application/json',
      ...(key === undefined ? [] : ['--header', `Idempotency-Key: ${key}`]),
      '--data',
      JSON.stringify(body),
      `${practice.service.url}${path}`,
    ]);
  };
  const BUY = { market: 'USDTNGN', side: 'buy' };
  const OPEN = { ...BUY, notional_usd: 10_000, tenor_days: 3, client_reference: 'PAY-8841' };

  it('curl: opens, adds, reduces and settles, with the result in balance and history', async () => {
    const practice = await startPractice({
      settings: flatAt(1500, { rate_limit: { burst: 20, per_second: 10 } }),
    });
    const markets = await get(practice, '/markets');
    expect(markets.body.meta.allowed_markets).toEqual(['USDTNGN']);
    expect((await get(practice, '/prices?symbols=USDTNGN')).body.data).toEqual([
      { market: 'USDTNGN', price: 1500 },
    ]);
    const { client_reference: reference, ...asked } = OPEN;
    expect((await post(practice, '/quotes', asked)).body.data.pricing.execution_price).toBe(1500.9);

    const opened = await post(practice, '/hedges', OPEN, 'open-1');
    expect(opened.body.data.status).toBe('submitted');
    const id = opened.body.data.hedge_id;
    expect((await get(practice, `/hedges/${id}`)).body.data.status).toBe('submitted');
    practice.clock.pass(2_000);
    const filled = (await get(practice, `/hedges/${id}`)).body.data;
    expect(filled).toMatchObject({ status: 'filled', struck_rate: 1500.9, client_reference: reference });
    expect(
      (await get(practice, `/hedges?client_reference=${reference}&status=filled&limit=1`)).body.data,
    ).toEqual([filled]);

    expect(
      (await post(practice, '/hedges/add', { ...BUY, notional_usd: 5_000 }, 'add-1')).body.data.status,
    ).toBe('submitted');
    practice.clock.pass(2_000);
    expect((await get(practice, `/hedges/${id}`)).body.data.notional_usd).toBe(15_000);
    await post(practice, '/hedges/reduce', { ...BUY, notional_usd: 5_000 }, 'reduce-1');
    practice.clock.pass(2_000);
    const [line] = (await get(practice, '/positions')).body.data;
    expect(line).toMatchObject({ notional_usd: 10_000, margin_usdc: 1_000 });

    const before = (await get(practice, '/account')).body.data;
    await practice.admin.advance(3 * DAY);
    expect((await get(practice, '/positions')).body.data).toEqual([]);
    const after = (await get(practice, '/account')).body.data;
    const [record] = (await get(practice, '/hedges/history')).body.data;
    expect(record).toMatchObject({
      id,
      reason: 'maturity',
      notional_usd: 15_000,
      client_reference: reference,
    });
    expect(after.balance_usdc).toBeCloseTo(100_000 + record.net_pnl_usd, 6);
    expect(after.balance_usdc).toBeGreaterThan(before.balance_usdc);
    expect((await get(practice, `/hedges/${id}`)).body.data.status).toBe('closed');
  });

  it('curl: a close removes the side from positions', async () => {
    const practice = await startPractice();
    await post(practice, '/hedges', OPEN);
    practice.clock.pass(4_000);
    const closed = await post(practice, '/hedges/close', BUY, 'close-1');
    expect(closed.body.data).toMatchObject({
      status: 'submitted',
      order_tx_hash: expect.stringMatching(/^0x/),
    });
    expect((await get(practice, '/positions')).body.data).toHaveLength(1);
    practice.clock.pass(4_000);
    expect((await get(practice, '/positions')).body.data).toEqual([]);
    expect((await get(practice, '/hedges/history')).body.data[0].reason).toBe('close');
  });

  it('curl: gets every error of the specification', async () => {
    const practice = await startPractice({ settings: { rate_limit: { burst: 20, per_second: 10 } } });
    const failure = ({ status, body }: Seen) => [status, body.error.code, body.data];
    expect(failure(await post(practice, '/hedges', { ...OPEN, notional_usd: 500_001 }))).toEqual([
      400,
      'exposure_exceeded',
      null,
    ]);
    expect(failure(await post(practice, '/hedges/add', { ...BUY, notional_usd: 1 }))).toEqual([
      404,
      'no_open_hedge',
      null,
    ]);
    expect(failure(await get(practice, '/hedges/hdg_UNKNOWN'))).toEqual([404, 'hedge_not_found', null]);
    await post(practice, '/hedges', OPEN, 'once');
    const reuse = await post(practice, '/hedges', { ...OPEN, tenor_days: 7 }, 'once');
    expect(failure(reuse)).toEqual([409, 'idempotency_key_reuse', null]);
    await practice.admin.setFaults({ in_flight_seconds: 30, once: 1 });
    expect(failure(await post(practice, '/hedges', OPEN, 'slow'))).toEqual([
      409,
      'idempotency_in_flight',
      null,
    ]);
    expect(failure(await post(practice, '/hedges', OPEN, 'slow'))).toEqual([
      409,
      'idempotency_in_flight',
      null,
    ]);
    practice.clock.pass(30_000);
    expect((await post(practice, '/hedges', OPEN, 'slow')).status).toBe(201);
    practice.clock.pass(5_000);
    const many = await Promise.all(Array.from({ length: 30 }, () => get(practice, '/account')));
    const limited = many.filter((seen) => seen.status === 429);
    expect(limited).toHaveLength(10);
    for (const seen of limited) {
      expect(failure(seen)).toEqual([429, 'rate_limited', null]);
      expect(Number(seen.retryAfter)).toBeGreaterThanOrEqual(1);
    }
  });

  it('curl: trusts the service only with its CA', async () => {
    const practice = await startPractice();
    await expect(curl(practice, [`${practice.service.url}/account`], [])).rejects.toThrow(/\(exit 60\)/);
    const byName = practice.service.url.replace('127.0.0.1', 'localhost');
    expect((await curl(practice, ['--ipv4', `${byName}/account`])).body.error.code).toBe('unauthorized');
    const plain = practice.service.url.replace('https:', 'http:');
    await expect(curl(practice, [`${plain}/account`])).rejects.toThrow(/exit (52|56)/);
  });
});
