/** The OpenAPI document matches the service and its responses. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as answers from '../../src/practice/schemas/response-schemas.ts';
import { aDesk, opened } from './support/desk.ts';

const GOOD = { market: 'USDTNGN', side: 'buy', notional_usd: 1_000, tenor_days: 3 };

describe('the OpenAPI document', () => {
  it('OpenAPI: lists the twelve endpoints with bodies, queries and errors', async () => {
    const desk = await aDesk();
    const reply = await desk.get('/openapi.json', { as: null });
    expect(reply.status).toBe(200);
    const document = reply.body;
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: desk.service.url }]);
    const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      [
        'GET /account',
        'GET /hedges',
        'GET /hedges/history',
        'GET /hedges/{id}',
        'GET /markets',
        'GET /positions',
        'GET /prices',
        'POST /hedges',
        'POST /hedges/add',
        'POST /hedges/close',
        'POST /hedges/reduce',
        'POST /quotes',
      ].toSorted(),
    );
    const open = document.paths['/hedges'].post;
    const body = open.requestBody.content['application/json'].schema;
    expect(body.required.toSorted()).toEqual(['market', 'notional_usd', 'side', 'tenor_days']);
    expect(Object.keys(body.properties)).toContain('client_reference');
    expect(open.parameters[0]).toMatchObject({ name: 'Idempotency-Key', in: 'header' });
    expect(open.responses['400'].description).toContain('exposure_exceeded');
    expect(open.responses['409'].description).toBe('idempotency_key_reuse, idempotency_in_flight');
    const list = document.paths['/hedges'].get.parameters.map((each: { name: string }) => each.name);
    expect(list).toEqual(['status', 'client_reference', 'limit', 'before']);
  });

  it('OpenAPI: every reference resolves', async () => {
    const desk = await aDesk();
    const { text, body } = await desk.get('/openapi.json');
    for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = pointer.split('/').reduce((at: Record<string, never>, step) => at?.[step] ?? {}, body);
      expect(Object.keys(found)).not.toEqual([]);
    }
  });

  it('OpenAPI: matches the actual responses field by field', async () => {
    const desk = await aDesk();
    await opened(desk, { client_reference: 'PAY-1' });
    await opened(desk, { side: 'sell', tenor_days: 1 });
    const submitted = await desk.post('/hedges', GOOD);
    await desk.post('/hedges/close', { market: 'USDTNGN', side: 'sell' });
    desk.clock.pass(4_000);
    const fits = (schema: z.ZodType, value: unknown) => expect(schema.safeParse(value).error).toBeUndefined();
    const data = async (path: string) => (await desk.get(path)).body.data;
    fits(z.array(answers.marketData).length(1), await data('/markets'));
    fits(z.array(answers.priceData).length(1), await data('/prices'));
    fits(answers.quoteData, (await desk.post('/quotes', GOOD)).body.data);
    fits(answers.openedData, submitted.body.data);
    fits(z.array(answers.hedgeData).length(3), await data('/hedges'));
    fits(answers.hedgeData, await data(`/hedges/${submitted.body.data.id}`));
    fits(z.array(answers.historyData).length(1), await data('/hedges/history'));
    fits(z.array(answers.positionData).length(1), await data('/positions'));
    fits(answers.accountData, await data('/account'));
    const reduce = { market: 'USDTNGN', side: 'buy', notional_usd: 5 };
    for (const path of ['/hedges/add', '/hedges/reduce'])
      fits(answers.submittedData, (await desk.post(path, reduce)).body.data);
    fits(
      answers.submittedData,
      (await desk.post('/hedges/close', { market: 'USDTNGN', side: 'buy' })).body.data,
    );
    fits(answers.errorData, (await desk.get('/nowhere')).body.error);
  });
});
