/** What the service reports of each request, for its log and for the request journal. */
import type { PracticeEnvironment } from '../domain/practice-types.ts';
import type { InjectedFault } from '../faults.ts';
import type { HandledRequest } from './handle-request.ts';
import type { RequestHead } from './http-messages.ts';

export interface RequestLogEntry {
  /** `default`, or the NAME of `/practice/NAME/v2`. */
  book: string;
  /** True for a request of the control API. */
  control?: true;
  /** Wall time, ISO 8601. */
  at: string;
  /** Null without a valid API key. */
  environment: PracticeEnvironment | null;
  method: string;
  /** Below the base path, with its query. */
  path: string;
  /** Of a lost response too; 0 if the request was cut before execution. */
  status: number;
  /** `error.code` */
  code?: string;
  idempotencyKey?: string;
  /** True for a stored response sent again. */
  replayed?: boolean;
  ms: number;
  fault?: InjectedFault;
  /** Of an internal error. */
  cause?: string;
}

export function logEntry(
  head: RequestHead,
  handled: HandledRequest,
  times: { startedAt: number; endedAt: number },
): Omit<RequestLogEntry, 'book'> {
  const { response, environment, fault, cause } = handled;
  return {
    at: new Date(times.startedAt).toISOString(),
    environment,
    method: head.method,
    path: head.target ?? '(not below the base path)',
    status: response.status,
    ...(response.code === undefined ? {} : { code: response.code }),
    ...(head.idempotencyKey === undefined ? {} : { idempotencyKey: head.idempotencyKey }),
    ...(response.replayed === true ? { replayed: true } : {}),
    ms: times.endedAt - times.startedAt,
    ...(fault === undefined ? {} : { fault }),
    ...(cause === undefined ? {} : { cause }),
  };
}
