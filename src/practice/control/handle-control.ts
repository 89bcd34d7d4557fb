/** One request of the control API: key, address, book, body, response. */
import type { AdminContext } from '../admin.ts';
import { DEFAULT_BOOK, PracticeInputError } from '../domain/practice-types.ts';
import { failedRequest, type HandledRequest } from '../http/handle-request.ts';
import { type RequestHead, USUAL_BODY } from '../http/http-messages.ts';
import { describeApi } from '../http/openapi.ts';
import {
  bearerOf,
  findEndpoint,
  jsonBody,
  queryFields,
  type RawRequest,
  splitTarget,
} from '../http/parse-request.ts';
import { ApiError, type PracticeResponse } from '../schemas/api-error.ts';
import type { ControlContext, ControlRoute } from './control-endpoint.ts';
import { CONTROL_ENDPOINTS } from './control-routes.ts';

/** `book`: its time dates the response. */
interface ControlledRequest extends Pick<HandledRequest, 'response' | 'cause'> {
  book: string;
}

export async function handleControl(context: ControlContext, raw: RawRequest): Promise<ControlledRequest> {
  let book = DEFAULT_BOOK;
  try {
    const { path, search } = splitTarget(raw.target);
    if (path === '/openapi.json' && raw.method === 'GET') return { response: documentResponse(), book };
    const endpoint = identify(context.key, raw, path);
    const fields = queryFields(search);
    const named = bookOf(context, fields['book']);
    book = named.name;
    const data = await endpoint.run(context, named, { query: fields, body: bodyOf(raw, endpoint) });
    const body = `{"data":${data},"error":null,"meta":{}}`;
    return { response: { status: endpoint.status, body, headers: {} }, book };
  } catch (error) {
    return { ...failedRequest(asApiError(error)), book };
  }
}

/** The largest body of this request; 0 when its key, method or path is refused. */
export function largestBody(key: string, head: RequestHead): number {
  try {
    return identify(key, head, splitTarget(head.target).path).largestBody ?? USUAL_BODY;
  } catch {
    return 0;
  }
}

let document: string | undefined;

/** The address is relative: the document is the same on every port. */
function documentResponse(): PracticeResponse {
  document ??= describeApi({
    title: 'hedge practice service: control',
    version: '1',
    description:
      'Drives the practice service as a mock server: time, faults, prices, hedges, and the requests it received.',
    url: '/control/v1',
    endpoints: CONTROL_ENDPOINTS,
  });
  return { status: 200, body: document, headers: {} };
}

/** Without a key, only a public endpoint is known. */
function identify(key: string, head: RequestHead, path: string): ControlRoute {
  const { method } = head;
  const isKnown = bearerOf(head) === key;
  const found = CONTROL_ENDPOINTS.find((each) => each.path === path && each.method === method);
  if (!isKnown && found?.isPublic !== true) {
    throw new ApiError('unauthorized', 'Send the control key of this service: Authorization: Bearer <key>.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  return findEndpoint(CONTROL_ENDPOINTS, method, path).endpoint;
}

function bookOf(context: ControlContext, name = DEFAULT_BOOK): AdminContext {
  const found = context.books.get(name);
  if (found !== undefined) return found;
  throw new ApiError('not_found', 'There is no book of this name.', { details: { field: 'book' } });
}

/** An empty body is an empty object: a reset needs none. */
function bodyOf(raw: RawRequest, endpoint: ControlRoute): unknown {
  if (raw.body instanceof ApiError) throw raw.body;
  if (endpoint.body === undefined) return undefined;
  return raw.body.length === 0 ? {} : jsonBody(raw, raw.body);
}

function asApiError(error: unknown): unknown {
  if (!(error instanceof PracticeInputError)) return error;
  return new ApiError('invalid_request', error.message, { details: { field: error.field } });
}
