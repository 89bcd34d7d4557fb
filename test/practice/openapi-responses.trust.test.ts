/** Validators by others check the documents of both APIs, and the responses against them. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { aQuarter } from '../support/goal.ts';
import { mixedRequests, sendAll } from './support/mixed-requests.ts';
import { judgesOf } from './support/openapi-judge.ts';
import { startPractice, type TestPractice } from './support/practice-service.ts';

const EACH = aQuarter(1_000);

const mock = () => startPractice({ modes: { seed: 3, clockMode: 'manual', memory: true, books: ['a'] } });

describe('the OpenAPI documents', () => {
  it('OpenAPI: both documents are valid OpenAPI 3.1', async () => {
    const practice = await mock();
    for (const reply of [practice.get('/openapi.json'), practice.control('GET', '/openapi.json')]) {
      const { valid, errors } = await new Validator().validate((await reply).body);
      expect({ valid, errors }).toMatchObject({ valid: true });
    }
  });

  it(`OpenAPI: a validator finds no violation in ${EACH} responses of either API`, async () => {
    const practice = await mock();
    const judges = await judgesOf(practice);
    const all = mixedRequests(EACH * 3).filter(({ path }) => !path.startsWith('/openapi.json'));
    const seen = await sendAll(practice, all);
    const judged = all.flatMap(({ api, method, path }, index) => {
      const reply = seen[index];
      return reply === undefined || reply.status === 0
        ? []
        : [{ api, violation: judges[api](method, path, reply) }];
    });
    for (const api of ['partner', 'control'] as const)
      expect(judged.filter((each) => each.api === api).length).toBeGreaterThanOrEqual(EACH);
    expect(judged.flatMap(({ violation }) => violation ?? [])).toEqual([]);
  });

  it('OpenAPI: errors of HTTP are documented: no key, an unknown path or method, size, type, Host, rate limit', async () => {
    const practice = await mock();
    const { partner, control } = await judgesOf(practice);
    const OPEN = { market: 'USDTNGN', side: 'buy', notional_usd: 1, tenor_days: 1 };
    type Sent = Parameters<TestPractice['send']>[2];
    const send = async (status: number, method: string, path: string, sent: Sent) => {
      const reply = await practice.send(method, path, sent);
      expect([reply.status, partner(method, path, reply)]).toEqual([status, undefined]);
    };
    const steer = async (status: number, method: string, path: string, sent: Sent) => {
      const reply = await practice.control(method, path, undefined, sent);
      expect([reply.status, control(method, path, reply)]).toEqual([status, undefined]);
    };
    await send(401, 'GET', '/account', { as: null });
    await send(404, 'GET', '/deeply/unknown/path', {});
    await send(404, 'GET', '/hedges/', {});
    await send(405, 'PUT', '/hedges/hdg_1', {});
    await send(405, 'OPTIONS', '/account', {});
    await send(413, 'POST', '/hedges', { raw: 'x'.repeat(70_000) });
    await send(415, 'POST', '/hedges', { body: OPEN, headers: { 'content-type': 'text/plain' } });
    await send(421, 'GET', '/account', { headers: { host: 'evil.example' } });
    await send(431, 'GET', '/account', { headers: { 'x-large': 'x'.repeat(20_000) } });
    await steer(401, 'GET', '/clock', { as: null });
    await steer(404, 'GET', '/clock/deeply/unknown', {});
    await steer(405, 'PATCH', '/clock', {});
    await steer(415, 'PUT', '/clock', { raw: '{}', headers: { 'content-type': 'text/plain' } });
    await steer(421, 'GET', '/health', { headers: { host: 'evil.example' } });
  });

  it('OpenAPI: the validator finds a wrong field, a missing one and an undocumented status', async () => {
    const practice = await mock();
    const { partner, control } = await judgesOf(practice);
    const account = await practice.get('/account');
    const changed = (change: object) => ({
      status: 200,
      text: JSON.stringify({ ...account.body, data: { ...account.body.data, ...change } }),
    });
    expect(partner('GET', '/account', account)).toBeUndefined();
    expect(partner('GET', '/account', changed({ balance_usdc: '1' }))).toContain('balance_usdc');
    expect(partner('GET', '/account', changed({ balance_usdc: undefined }))).toContain('required');
    expect(partner('GET', '/account', changed({ more: 1 }))).toContain('additional');
    expect(partner('GET', '/account', { ...account, status: 418 })).toContain('not documented');
    expect(control('GET', '/clock', { status: 200, text: '{}' })).toContain('required');
  });
});
