/** The OpenAPI document matches the service and its responses. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as schemas from '../../src/practice/schemas/response-schemas.ts';
import { opened, startPractice } from './support/practice-service.ts';

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<
    string,
    { description: string; headers: object; content: Record<string, { schema: object }> }
  >;
}

const GOOD = { market: 'USDTNGN', side: 'buy', notional_usd: 1_000, tenor_days: 3 };

describe('the OpenAPI document', () => {
  it('OpenAPI: lists the endpoints and any other path, with bodies, queries and errors', async () => {
    const practice = await startPractice();
    const reply = await practice.get('/openapi.json', { as: null });
    expect(reply.status).toBe(200);
    const document = reply.body;
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: practice.service.url }]);
    const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations).toContain('GET /{unknown}');
    expect(operations.filter((each) => !each.includes('{unknown}')).toSorted()).toEqual(
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
    const named = open.requestBody.content['application/json'].schema.$ref;
    expect(named).toBe('#/components/schemas/OpenHedgeRequest');
    const body = document.components.schemas.OpenHedgeRequest;
    expect(body.required.toSorted()).toEqual(['market', 'notional_usd', 'side', 'tenor_days']);
    expect(Object.keys(body.properties)).toContain('client_reference');
    expect(open.parameters[0]).toMatchObject({ name: 'Idempotency-Key', in: 'header' });
    expect(open.responses['400'].description).toContain('exposure_exceeded');
    expect(open.responses['409'].description).toBe('idempotency_key_reuse, idempotency_in_flight');
    const list = document.paths['/hedges'].get.parameters.map((each: { name: string }) => each.name);
    expect(list).toEqual(['status', 'client_reference', 'limit', 'before']);
  });

  it('OpenAPI: every model has a name, and the headers of responses are described', async () => {
    const practice = await startPractice();
    for (const { body } of [
      await practice.get('/openapi.json'),
      await practice.control('GET', '/openapi.json'),
    ]) {
      for (const methods of Object.values<Record<string, Operation>>(body.paths)) {
        for (const { operationId, requestBody, responses } of Object.values(methods)) {
          const contents = [requestBody, ...Object.values(responses)].map((each) => each?.content);
          for (const content of contents.flatMap((each) => each?.['application/json'] ?? []))
            expect(content.schema).toEqual({ $ref: expect.stringMatching(/^#/) });
          const done = responses['200'] ?? responses['201'];
          expect({ operationId, description: done?.description }).not.toMatchObject({
            description: 'Accepted',
          });
          for (const { headers } of Object.values(responses))
            expect(Object.keys(headers)).toEqual(expect.arrayContaining(['Date', 'X-Practice-Clock']));
          expect(Object.keys(responses['405']?.headers ?? {})).toContain('Allow');
          expect(Object.keys(responses['429']?.headers ?? {})).toContain('Retry-After');
        }
      }
    }
    const { paths, components } = (await practice.get('/openapi.json')).body;
    expect(Object.keys(paths['/hedges'].post.responses['201'].headers)).toContain('Idempotency-Replayed');
    expect(paths['/hedges'].post.parameters[0].description).toContain('24 hours');
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining([
        'Market',
        'Quote',
        'Hedge',
        'Position',
        'ClosedHedge',
        'Account',
        'ErrorResponse',
      ]),
    );
    expect(components.schemas.OneHedgeResponse.properties.data).toEqual({
      $ref: '#/components/schemas/Hedge',
    });
  });

  it('OpenAPI: GET / says where both documents are', async () => {
    const practice = await startPractice({ modes: { memory: true, books: ['a'] } });
    const root = practice.service.url.replace('/practice/v2', '');
    const front = await practice.control('GET', '', undefined, { at: `${root}/`, as: null });
    const at = (url: string) => ({ base_url: url, openapi_url: `${url}/openapi.json` });
    expect(front).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(front.body.data).toEqual({
      partner_api: [
        { name: 'default', ...at(`${root}/practice/v2`) },
        { name: 'a', ...at(`${root}/practice/a/v2`) },
      ],
      control_api: at(`${root}/control/v1`),
    });
  });

  it('OpenAPI: every reference resolves', async () => {
    const practice = await startPractice();
    const { text, body } = await practice.get('/openapi.json');
    for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = pointer.split('/').reduce((at: Record<string, never>, step) => at?.[step] ?? {}, body);
      expect(Object.keys(found)).not.toEqual([]);
    }
  });

  it('OpenAPI: matches the actual responses field by field', async () => {
    const practice = await startPractice();
    await opened(practice, { client_reference: 'PAY-1' });
    await opened(practice, { side: 'sell', tenor_days: 1 });
    const submitted = await practice.post('/hedges', GOOD);
    await practice.post('/hedges/close', { market: 'USDTNGN', side: 'sell' });
    practice.clock.pass(4_000);
    const fits = (schema: z.ZodType, value: unknown) => expect(schema.safeParse(value).error).toBeUndefined();
    const data = async (path: string) => (await practice.get(path)).body.data;
    fits(z.array(schemas.marketData).length(1), await data('/markets'));
    fits(z.array(schemas.priceData).length(1), await data('/prices'));
    fits(schemas.quoteData, (await practice.post('/quotes', GOOD)).body.data);
    fits(schemas.openedData, submitted.body.data);
    fits(z.array(schemas.hedgeData).length(3), await data('/hedges'));
    fits(schemas.hedgeData, await data(`/hedges/${submitted.body.data.id}`));
    fits(z.array(schemas.historyData).length(1), await data('/hedges/history'));
    fits(z.array(schemas.positionData).length(1), await data('/positions'));
    fits(schemas.accountData, await data('/account'));
    const reduce = { market: 'USDTNGN', side: 'buy', notional_usd: 5 };
    for (const path of ['/hedges/add', '/hedges/reduce'])
      fits(schemas.submittedData, (await practice.post(path, reduce)).body.data);
    fits(
      schemas.submittedData,
      (await practice.post('/hedges/close', { market: 'USDTNGN', side: 'buy' })).body.data,
    );
    fits(schemas.errorData, (await practice.get('/nowhere')).body.error);
  });
});
