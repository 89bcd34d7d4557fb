/** The OpenAPI document of exactly this service, made from the schemas that it checks requests with. */
import * as z from 'zod';
import { failure } from '../wire/answers.ts';
import { REFUSALS, type RefusalCode } from '../wire/refusal.ts';
import { type Endpoint, endpoints } from './endpoints.ts';

type Part = Record<string, unknown>;

/** Codes that any endpoint may answer. */
const ANYWHERE: readonly RefusalCode[] = [
  'invalid_request',
  'unauthorized',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];
const OF_ACTIONS: readonly RefusalCode[] = ['idempotency_key_reuse', 'idempotency_in_flight'];

export function openapiText(url: string): string {
  const paths: Record<string, Part> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'hedge practice service',
      version: '2',
      description:
        'The partner API on this machine, without money. Amounts are exact decimals; times are book time, UTC.',
    },
    servers: [{ url }],
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: schemaOf(failure) },
    },
    paths,
  });
}

function operation(endpoint: Endpoint): Part {
  const body =
    endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(schemaOf(endpoint.body, 'input')) } };
  return {
    operationId: endpoint.operation,
    summary: endpoint.summary,
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headers(endpoint)],
    ...body,
    responses: {
      [String(endpoint.status)]: {
        description: 'Accepted',
        content: json(envelope(schemaOf(endpoint.data), { type: 'null' })),
      },
      ...refusals(endpoint),
    },
  };
}

function refusals(endpoint: Endpoint): Record<string, Part> {
  const codes = [...ANYWHERE, ...(endpoint.action === undefined ? [] : OF_ACTIONS), ...endpoint.refusals];
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of codes) byStatus.set(REFUSALS[code], [...(byStatus.get(REFUSALS[code]) ?? []), code]);
  for (const closer of endpoint.body === undefined ? [413] : [413, 415])
    byStatus.set(closer, ['invalid_request']);
  return Object.fromEntries(
    [...byStatus.entries()].map(([status, among]) => [
      String(status),
      {
        description: among.join(', '),
        content: json(
          envelope(
            { type: 'null' },
            { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: among } } }] },
          ),
        ),
      },
    ]),
  );
}

function envelope(data: Part, error: Part): Part {
  return {
    type: 'object',
    properties: { data, error, meta: { type: 'object' } },
    required: ['data', 'error', 'meta'],
    additionalProperties: false,
  };
}

function pathParameters(endpoint: Endpoint): Part[] {
  if (!endpoint.path.includes('{id}')) return [];
  return [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
}

function queryParameters(endpoint: Endpoint): Part[] {
  const { properties = {} } = schemaOf(endpoint.query, 'input');
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function headers(endpoint: Endpoint): Part[] {
  if (endpoint.action === undefined) return [];
  const schema = { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' };
  return [{ name: 'Idempotency-Key', in: 'header', required: false, schema }];
}

function json(schema: Part): Part {
  return { 'application/json': { schema } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Part {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
