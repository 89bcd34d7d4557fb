/** The OpenAPI document, generated from the schemas that check requests. */
import * as z from 'zod';
import { API_ERROR_STATUS, type ApiErrorCode } from '../schemas/api-error.ts';
import { errorData } from '../schemas/response-schemas.ts';
import { ENDPOINTS, type PracticeRoute } from './routes.ts';

type Part = Record<string, unknown>;

/** Codes that any endpoint may return. */
const COMMON_CODES: readonly ApiErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];
const ACTION_CODES: readonly ApiErrorCode[] = ['idempotency_key_reuse', 'idempotency_in_flight'];

export function openapiText(url: string): string {
  const paths: Record<string, Part> = {};
  for (const endpoint of ENDPOINTS) {
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
      schemas: { Error: schemaOf(errorData) },
    },
    paths,
  });
}

function operation(endpoint: PracticeRoute): Part {
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
      ...errorCodes(endpoint),
    },
  };
}

function errorCodes(endpoint: PracticeRoute): Record<string, Part> {
  const codes = [
    ...COMMON_CODES,
    ...(endpoint.action === undefined ? [] : ACTION_CODES),
    ...endpoint.errorCodes,
  ];
  const byStatus = new Map<number, ApiErrorCode[]>();
  for (const code of codes)
    byStatus.set(API_ERROR_STATUS[code], [...(byStatus.get(API_ERROR_STATUS[code]) ?? []), code]);
  for (const status of endpoint.body === undefined ? [413] : [413, 415])
    byStatus.set(status, ['invalid_request']);
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

function pathParameters(endpoint: PracticeRoute): Part[] {
  if (!endpoint.path.includes('{id}')) return [];
  return [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
}

function queryParameters(endpoint: PracticeRoute): Part[] {
  const { properties = {} } = schemaOf(endpoint.query, 'input');
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function headers(endpoint: PracticeRoute): Part[] {
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
