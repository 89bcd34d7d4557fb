/** The response that a client gets to a request with a response fault, and how the response is delivered. */
import type { ResponseFault } from '../faults/response-faults.ts';
import { ApiError, errorResponse, type PracticeResponse } from '../schemas/api-error.ts';

/** `lost`: the connection is cut without a response. `half`: within its body. `drip`: byte by byte. */
export type Delivery = 'whole' | 'lost' | 'half' | 'drip';

export interface FaultyResponse {
  response: PracticeResponse;
  delivery: Delivery;
}

const whole = (response: PracticeResponse): FaultyResponse => ({ response, delivery: 'whole' });

/** `response`: of the service, if the request was executed. `path`: of the request. */
export function faultyResponse(
  fault: ResponseFault,
  { response, path }: { response: PracticeResponse | undefined; path: string },
): FaultyResponse {
  const executed = response ?? { ...errorResponse(unavailable()), status: 0 };
  switch (fault) {
    case 'rate_limited':
      return whole(errorResponse(rateLimited(1)));
    case 'fail_before':
    case 'fail_after':
      return whole(errorResponse(unavailable()));
    case 'lost_before':
    case 'lost_after':
      return { response: executed, delivery: 'lost' };
    case 'bad_gateway_before':
    case 'bad_gateway_after':
      return whole(gatewayPage(502, 'Bad Gateway'));
    case 'gateway_timeout_before':
    case 'gateway_timeout_after':
      return whole(gatewayPage(504, 'Gateway Timeout'));
    case 'gateway_forbidden':
      return whole(gatewayPage(403, 'Forbidden'));
    case 'revoked_key':
      return whole(errorResponse(new ApiError('unauthorized', 'This API key was revoked.')));
    case 'redirect':
      return whole({ status: 307, body: '', headers: { Location: `/moved${path}` } });
    case 'truncated':
      return { response: executed, delivery: 'half' };
    case 'drip':
      return { response: executed, delivery: 'drip' };
    case 'invalid_json':
      return whole({ ...executed, body: `${executed.body.slice(0, -1)},}` });
    case 'unknown_fields':
      return whole({ ...executed, body: withUnknownFields(executed.body) });
    case 'unknown_status':
      return whole({ ...executed, body: executed.body.replaceAll(STATUS, '"status":"settling"') });
    default:
      return fault satisfies never;
  }
}

const STATUS = /"status":"[a-z]+"/g;

/** In the envelope and in every object in it. */
const withUnknownFields = (body: string): string =>
  body.replaceAll(/\{(?=")/g, '{"x_added":{"since":"v3","values":[1,null]},');

function gatewayPage(status: number, title: string): PracticeResponse {
  const body = `<!doctype html>\n<html><head><title>${status} ${title}</title></head>\n<body><center><h1>${status} ${title}</h1></center><hr><center>gateway</center></body></html>\n`;
  return { status, body, headers: { 'Content-Type': 'text/html' } };
}

export function unavailable(): ApiError {
  return new ApiError('service_unavailable', 'The service is temporarily unavailable. Try again.');
}

export function rateLimited(seconds: number): ApiError {
  return new ApiError('rate_limited', 'Rate limit reached. Wait and try again.', {
    headers: { 'Retry-After': String(seconds) },
  });
}
