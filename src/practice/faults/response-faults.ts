/** The faults of responses: their names, to which requests they apply, and their effect in words. */

/**
 * `before`: any request; it is not executed. `after`: an action that was accepted, or its stored response. `response`: any
 * request; it is executed as usual.
 */
type Kind = 'before' | 'after' | 'response';

interface ResponseFaultSettings {
  kind: Kind;
  /** Follows "The next open" and "The next 3 opens"; the words in braces agree with it. */
  does: string;
}

const TERMS = {
  rate_limited: { kind: 'before', does: '{is} rejected before {it} execute{s} (429)' },
  fail_before: { kind: 'before', does: 'fail{s} before {it} execute{s} (503)' },
  fail_after: { kind: 'after', does: 'execute{s}, but get{s} an error (503)' },
  lost_before: { kind: 'before', does: 'lose{s} the connection before {it} execute{s}' },
  lost_after: { kind: 'after', does: 'execute{s}, but lose{s} the connection before the response' },
  bad_gateway_before: { kind: 'before', does: 'get{s} an HTML page (502) before {it} execute{s}' },
  bad_gateway_after: { kind: 'after', does: 'execute{s}, but get{s} an HTML page (502)' },
  gateway_timeout_before: { kind: 'before', does: 'get{s} an HTML page (504) before {it} execute{s}' },
  gateway_timeout_after: { kind: 'after', does: 'execute{s}, but get{s} an HTML page (504)' },
  gateway_forbidden: { kind: 'before', does: 'get{s} an HTML page (403) before {it} execute{s}' },
  revoked_key: { kind: 'before', does: '{is} rejected as if the API key were revoked (401)' },
  redirect: { kind: 'before', does: '{is} redirected before {it} execute{s} (307)' },
  truncated: { kind: 'response', does: 'execute{s}, but get{s} half of the response' },
  invalid_json: { kind: 'response', does: 'execute{s}, but get{s} a response that is not JSON' },
  drip: { kind: 'response', does: 'execute{s}, but get{s} the response byte by byte' },
  unknown_fields: { kind: 'response', does: 'get{s} fields that the specification does not have' },
  unknown_status: { kind: 'response', does: 'get{s} a status that the specification does not have' },
} as const satisfies Record<string, ResponseFaultSettings>;

export type ResponseFault = keyof typeof TERMS;

/** At most one of them applies to a request. */
export const RESPONSE_FAULTS: Readonly<Record<ResponseFault, ResponseFaultSettings>> = TERMS;

const isResponseFault = (name: string): name is ResponseFault => Object.hasOwn(TERMS, name);

export const RESPONSE_FAULT_NAMES: readonly ResponseFault[] = Object.keys(TERMS).filter(isResponseFault);

export const isOfKind = (kind: Kind, fault: ResponseFault | undefined): boolean =>
  fault !== undefined && RESPONSE_FAULTS[fault].kind === kind;

/** One value for each fault. */
export function perFault<T>(of: (fault: ResponseFault) => T): Record<ResponseFault, T>;
export function perFault(of: (fault: ResponseFault) => unknown): Record<string, unknown> {
  return Object.fromEntries(RESPONSE_FAULT_NAMES.map((name) => [name, of(name)]));
}
