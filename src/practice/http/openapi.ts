/** The OpenAPI document of an API, generated from the schemas that check requests. */
import * as z from 'zod';
import { API_ERROR_STATUS, type ApiErrorCode } from '../schemas/api-error.ts';
import { errorData } from '../schemas/response-schemas.ts';

type Part = Record<string, unknown>;

/** Schemas by their names: a generator names its models after them. */
type Schemas = Record<string, Part>;

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
  /** The header parameters of a request. */
  headers?: readonly Part[];
  /** Response headers beyond those of every response. */
  responseHeaders?: readonly ResponseHeader[];
  /** True: it needs no key. */
  isPublic?: boolean;
}

interface DescribedApi {
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
/** Statuses of `invalid_request` on any path: page of another site, timeout, size, Expect, Host, headers. */
const COMMON_STATUSES = [403, 408, 413, 417, 421, 431];

const RESPONSE_HEADERS = {
  Date: { description: 'book time', schema: { type: 'string' } },
  'X-Practice-Clock': {
    description: 'Date is book time: do not measure with it',
    schema: { type: 'string', const: 'book' },
  },
  'Idempotency-Replayed': {
    description: 'the response of an earlier request with this key',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'seconds to wait', schema: { type: 'string', pattern: '^\\d+$' } },
  Allow: { description: 'the methods of this path', schema: { type: 'string' } },
} as const satisfies Record<string, Part>;
type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** By the status of an error. */
const ERROR_HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  405: ['Allow'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function headersOf(...names: readonly ResponseHeader[]): Part {
  const all: readonly ResponseHeader[] = ['Date', 'X-Practice-Clock', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function describeApi(api: DescribedApi): string {
  const schemas: Schemas = {};
  schemas['ErrorResponse'] = envelope({ type: 'null' }, schemaOf(errorData, schemas));
  const paths: Record<string, Part> = {};
  for (const endpoint of api.endpoints) {
    const described = operation(endpoint, schemas);
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: described };
  }
  paths['/{unknown}'] = { get: unknownPath() };
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: api.title, version: api.version, description: api.description },
    servers: [{ url: api.url }],
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      headers: RESPONSE_HEADERS,
      schemas,
    },
    paths,
  });
}

function operation(endpoint: DescribedEndpoint, schemas: Schemas): Part {
  const { operation: name, query, body, data } = endpoint;
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const named = (suffix: string, schema: Part): Part => {
    if ('$ref' in schema) return schema;
    Object.assign(schemas, { [`${title}${suffix}`]: schema });
    return { $ref: `#/components/schemas/${title}${suffix}` };
  };
  const response = named('Response', envelope(schemaOf(data, schemas), { type: 'null' }));
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.isPublic === true ? { security: [] } : {}),
    parameters: [
      ...pathParameters(endpoint.path),
      ...queryParameters(query, schemas),
      ...(endpoint.headers ?? []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: true, content: json(named('Request', schemaOf(body, schemas, 'input'))) },
        }),
    responses: {
      [String(endpoint.status)]: {
        description: successOf(endpoint),
        headers: headersOf(...(endpoint.responseHeaders ?? [])),
        content: json(response),
      },
      ...errorResponses(endpoint.errorCodes, body !== undefined),
    },
  };
}

function successOf({ method, responseHeaders }: DescribedEndpoint): string {
  if (responseHeaders !== undefined) return 'Accepted; the order is executed later';
  return method === 'GET' ? 'The data' : 'Done';
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
    [...byStatus.entries()].map(([status, among]) => [
      String(status),
      {
        description: among.join(', '),
        'x-error-codes': among,
        headers: headersOf(...(ERROR_HEADERS[status] ?? [])),
        content: json({ $ref: '#/components/schemas/ErrorResponse' }),
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

function pathParameters(path: string): Part[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType, schemas: Schemas): Part[] {
  const { properties = {}, required = [] } = schemaOf(query, schemas, 'input');
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: Array.isArray(required) && required.includes(name),
    schema,
  }));
}

function json(schema: Part): Part {
  return { 'application/json': { schema } };
}

const isSchemas = (value: unknown): value is Schemas => typeof value === 'object' && value !== null;

/** The named schemas in it are added to `schemas`. */
function schemaOf(schema: z.ZodType, schemas: Schemas, io: 'input' | 'output' = 'output'): Part {
  const text = JSON.stringify(z.toJSONSchema(schema, { io })).replaceAll(
    '"#/$defs/',
    '"#/components/schemas/',
  );
  const { $schema: _dialect, $defs, ...rest }: Part = JSON.parse(text);
  if (isSchemas($defs)) Object.assign(schemas, $defs);
  return rest;
}
