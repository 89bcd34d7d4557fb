import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../../src/client/transport/read-response.ts';
import {
  connectionFailure,
  exchangeFailure,
  RequestFailure,
  tlsReason,
} from '../../../src/client/transport/request-failure.ts';

const coded = (code: string, name = 'Error'): Error =>
  Object.assign(new Error('server text'), { code, name });

describe('a connection that could not be made', () => {
  it.each([
    ['ECONNREFUSED', 'unreachable', 'connection refused'],
    ['ENOTFOUND', 'unreachable', 'host name not found'],
    ['EAI_AGAIN', 'unreachable', 'DNS lookup failed'],
    ['EHOSTUNREACH', 'unreachable', 'no route to the host'],
    ['ENETUNREACH', 'unreachable', 'no network'],
    ['UND_ERR_CONNECT_TIMEOUT', 'unreachable', 'connection timed out'],
    ['ECONNRESET', 'unreachable', 'connection reset'],
    ['EWHATEVER', 'unreachable', 'connection failed'],
    ['CERT_HAS_EXPIRED', 'tls', 'its certificate has expired'],
    ['CERT_NOT_YET_VALID', 'tls', 'its certificate is not yet valid'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'its certificate is from an unknown authority'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls', 'its certificate is from an unknown authority'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'its certificate is for another host'],
    ['EPROTO', 'tls', 'the TLS handshake failed'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'it does not use HTTPS on this port'],
  ])('with %s was never sent', (code, kind, reason) => {
    const { parts } = connectionFailure(coded(code));
    expect(parts).toMatchObject({ phase: 'never_sent', kind, reason, internals: code });
  });
});

describe('an attempt with a connection', () => {
  it.each([
    ['ECONNRESET', 'lost'],
    ['EPIPE', 'lost'],
    ['UND_ERR_SOCKET', 'lost'],
    ['UND_ERR_HEADERS_TIMEOUT', 'lost'],
    ['UND_ERR_BODY_TIMEOUT', 'lost'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'lost'],
    ['UND_ERR_HEADERS_OVERFLOW', 'unreadable'],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'unreadable'],
    ['ERR_ASSERTION', 'unreadable'],
    ['HPE_INVALID_CONSTANT', 'unreadable'],
  ])('that ends with %s may have acted once it had started, and not before', (code, kind) => {
    expect(exchangeFailure(coded(code), { started: true }).parts).toMatchObject({ phase: 'no_answer', kind });
    expect(exchangeFailure(coded(code), { started: false }).parts).toMatchObject({ phase: 'never_sent' });
  });

  it('is not classified by its message, and a parser error keeps none of the bytes', () => {
    const parser = Object.assign(new Error('bad'), { name: 'HTTPParserError', data: 'hk_live_secret' });
    const { parts } = exchangeFailure(parser, { started: true });
    expect(parts).toEqual({ phase: 'no_answer', kind: 'unreadable', reason: 'not HTTP' });
    expect(exchangeFailure('thrown text', { started: true }).parts.reason).toBe('connection failed');
  });

  it('keeps a failure that was read before', () => {
    const failure = new RequestFailure({ phase: 'never_sent', kind: 'proxy', reason: 'x' });
    expect(exchangeFailure(failure, { started: true })).toBe(failure);
    expect(connectionFailure(failure)).toBe(failure);
  });
});

describe('a TLS code', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', undefined])('%s is none', (code) => {
    expect(tlsReason(code)).toBeUndefined();
  });

  it.each([
    'CERT_REJECTED',
    'CRL_HAS_EXPIRED',
    'INVALID_PURPOSE',
    'ERR_SSL_SSLV3_ALERT',
    'ERR_TLS_CERT_ALTNAME_FORMAT',
  ])('%s without words of its own has a reason and a next step', (code) => {
    const reason = tlsReason(code);
    expect(reason?.reason).not.toBe('');
    expect(reason?.hint).not.toBe('');
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-20T09:00:00Z');
  const date = 'Fri, 20 Nov 2026 08:00:00 GMT';
  it.each<[string, Record<string, string>, number | undefined]>([
    ['in seconds', { 'retry-after': '7' }, 7000],
    ['of nothing', { 'retry-after': '0' }, 0],
    ['with blanks', { 'retry-after': ' 2 ' }, 2000],
    ['of an absurd length', { 'retry-after': '999999999' }, 999_999_999_000],
    ['as a date by the answer’s own clock', { date, 'retry-after': 'Fri, 20 Nov 2026 08:00:05 GMT' }, 5000],
    [
      'as a date by ours, where the answer has none',
      { 'retry-after': 'Fri, 20 Nov 2026 09:00:05 GMT' },
      5000,
    ],
    ['as a date long past', { date, 'retry-after': 'Fri, 20 Nov 2026 07:00:00 GMT' }, 0],
    ['below nothing', { 'retry-after': '-5' }, undefined],
    ['in half seconds', { 'retry-after': '1.5' }, undefined],
    ['in words', { 'retry-after': 'soon' }, undefined],
    ['that is empty', { 'retry-after': '' }, undefined],
    ['that is not there', {}, undefined],
  ])('is read where it can be: %s', (_, headers, ms) => {
    expect(retryAfterMs(headers, now)).toBe(ms);
  });
});
