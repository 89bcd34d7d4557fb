/** The OpenAPI documents, generated from the schemas that check requests. */
import * as z from 'zod';
import { API_ERROR_STATUS, type ApiErrorCode } from '../schemas/api-error.ts';
import { errorData } from '../schemas/response-schemas.ts';
import { ENDPOINTS, type PracticeRoute } from './routes.ts';

type Part = Record<string, unknown>;

/** An endpoint as a document describes it. */
export interface DescribedEndpoint {
  method: string;
  path: string;
  operation: string;
  summary: string;
  query: z.ZodType;
  body?: z.ZodType;
  data: z.ZodType;
  status: number;
  errorCodes: readonly ApiErrorCode[];
  headers?: readonly Part[];
  /** True: it needs no key. */
  isPublic?: boolean;
}

export interface DescribedApi {
  title: string;
  version: string;
  description: string;
  url: string;
  endpoints: readonly DescribedEndpoint[];
}

/** Codes that any endpoint may return. An unknown path or method can be close to a known one. */
const COMMON_CODES: readonly ApiErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'not_found',
  'method_not_allowed',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];
/** Of `invalid_request`, on any path: timeout, size, Expect, Host, headers. */
const COMMON_STATUSES = [408, 413, 417, 421, 431];
const ACTION_CODES: readonly ApiErrorCode[] = ['idempotency_key_reuse', 'idempotency_in_flight'];

/** Of the partner API. */
export function openapiText(url: string): string {
  return describeApi({
    title: 'hedge practice service',
    version: '2',
    description:
      'The partner API on this machine, without money. Amounts are exact decimals; times are book time, UTC.',
    url,
    endpoints: ENDPOINTS.map(describedRoute),
  });
}

function describedRoute(route: PracticeRoute): DescribedEndpoint {
  if (route.action === undefined) return route;
  const schema = { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' };
  return {
    ...route,
    errorCodes: [...ACTION_CODES, ...route.errorCodes],
    headers: [{ name: 'Idempotency-Key', in: 'header', required: false, schema }],
  };
}

export function describeApi(api: DescribedApi): string {
  const paths: Record<string, Part> = {};
  for (const endpoint of api.endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  paths['/{unknown}'] = { get: unknownPath() };
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: api.title, version: api.version, description: api.description },
    servers: [{ url: api.url }],
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: schemaOf(errorData) },
    },
    paths,
  });
}

function operation(endpoint: DescribedEndpoint): Part {
  const body =
    endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(schemaOf(endpoint.body, 'input')) } };
  return {
    operationId: endpoint.operation,
    summary: endpoint.summary,
    ...(endpoint.isPublic === true ? { security: [] } : {}),
    parameters: [...pathParameters(endpoint.path), ...queryParameters(endpoint), ...(endpoint.headers ?? [])],
    ...body,
    responses: {
      [String(endpoint.status)]: {
        description: 'Accepted',
        content: json(envelope(schemaOf(endpoint.data), { type: 'null' })),
      },
      ...errorResponses(endpoint.errorCodes, endpoint.body !== undefined),
    },
  };
}

function unknownPath(): Part {
  return {
    operationId: 'unknownPath',
    summary: 'Any other path, by any method',
    parameters: pathParameters('/{unknown}'),
    responses: errorResponses([], false),
  };
}

function errorResponses(codes: readonly ApiErrorCode[], takesBody: boolean): Record<string, Part> {
  const byStatus = new Map<number, ApiErrorCode[]>();
  for (const code of [...COMMON_CODES, ...codes])
    byStatus.set(API_ERROR_STATUS[code], [...(byStatus.get(API_ERROR_STATUS[code]) ?? []), code]);
  for (const status of takesBody ? [...COMMON_STATUSES, 415] : COMMON_STATUSES)
    byStatus.set(status, ['invalid_request']);
  return Object.fromEntries(
    [...byStatus.entries()].map(([status, among]) => [String(status), errorOf(among)]),
  );
}

function errorOf(codes: readonly ApiErrorCode[]): Part {
  const error = {
    allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }],
  };
  return { description: codes.join(', '), content: json(envelope({ type: 'null' }, error)) };
}

function envelope(data: Part, error: Part): Part {
  return {
    type: 'object',
    properties: { data, error, meta: { type: 'object' } },
    required: ['data', 'error', 'meta'],
    additionalProperties: false,
  };
}

function pathParameters(path: string): Part[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(endpoint: DescribedEndpoint): Part[] {
  const { properties = {} } = schemaOf(endpoint.query, 'input');
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function json(schema: Part): Part {
  return { 'application/json': { schema } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Part {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
