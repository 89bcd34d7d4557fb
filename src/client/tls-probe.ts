/** Makes one TLS connection to the service to read its certificates; sends nothing over it. */

import type { TLSSocket } from 'node:tls';
import type { Clock } from '../platform/clock.ts';
import { parseBaseUrl } from './base-url.ts';
import { makeConnector, tunnelThrough } from './transport/connector.ts';
import { mapError } from './transport/map-error.ts';
import { type ProxySettings, proxyFor } from './transport/proxy.ts';
import { RequestFailure } from './transport/request-failure.ts';
import { type CaCertificates, caOption } from './transport/tls.ts';

export interface Certificate {
  subject: string;
  issuer: string;
  /** Milliseconds since the epoch; NaN where it cannot be read. */
  validTo: number;
}

export interface Handshake {
  /** `TLSv1.3` */
  protocol: string;
  /** The host's own certificate first. */
  chain: readonly Certificate[];
}

export interface TlsProbeOptions {
  baseUrl: string;
  trust: CaCertificates;
  proxy: ProxySettings;
  clock: Clock;
}

/** `proxy.bank.test:3128`, without a user or password; undefined for a direct connection. @throws CredentialError */
export function proxyName({
  baseUrl,
  proxy,
}: Pick<TlsProbeOptions, 'baseUrl' | 'proxy'>): string | undefined {
  return proxyFor(parseBaseUrl(baseUrl), proxy)?.name;
}

/** @throws UnavailableError with the reason why there is no verified connection. */
export async function probeTls(
  { baseUrl, trust, proxy: settings, clock }: TlsProbeOptions,
  signal: AbortSignal,
): Promise<Handshake> {
  const { host, port } = parseBaseUrl(baseUrl);
  const proxy = proxyFor({ host, port }, settings);
  const { Pool } = proxy === undefined ? { Pool: undefined } : await import('undici');
  const pool =
    proxy && Pool && new Pool(proxy.origin, { connect: { rejectUnauthorized: true, ...caOption(trust) } });
  const tunnel = proxy && pool && tunnelThrough(proxy, pool);
  const connector = makeConnector({ clock, trust, tunnel, sessions: undefined });
  try {
    const socket = await connector.connect({ host, port }, signal);
    const seen = { protocol: socket.getProtocol() ?? '', chain: chainOf(socket) };
    socket.destroy();
    return seen;
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    const tried = { effect: 'reading', last: error.parts, attempts: 1, unclear: 0 } as const;
    throw mapError({ line: 'TLS' }, tried);
  } finally {
    connector.close();
    await pool?.destroy();
  }
}

const LONGEST_CHAIN = 10;

function chainOf(socket: TLSSocket): readonly Certificate[] {
  const chain: Certificate[] = [];
  let at = socket.getPeerX509Certificate();
  while (at !== undefined && chain.length < LONGEST_CHAIN) {
    chain.push({ subject: nameIn(at.subject), issuer: nameIn(at.issuer), validTo: Date.parse(at.validTo) });
    at = at.issuerCertificate;
  }
  return chain;
}

/** The common name, or the whole name without one. */
const nameIn = (name: string | undefined): string =>
  /^CN=(.+)$/m.exec(name ?? '')?.[1] ?? (name ?? '').replaceAll('\n', ', ');
