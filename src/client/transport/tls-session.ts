/**
 * TLS sessions kept between processes: a resumed one spares Node the certificates, and a round trip. It is not
 * verified anew, so what may be kept, for whom and for how long is decided here, and never on trust of where it
 * was kept: a host resumes nothing but a session that it gave.
 */
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { derInteger, elementAt, elementsIn } from '../../domain/der.ts';
import { type CaCertificates, nameOf } from './ca-certificates.ts';
import type { Target } from './target.ts';
/** A session as it is kept. Times are in milliseconds since the epoch. */
export interface KeptSession {
  /** Node's bytes: a ticket of the host, and what it takes to use it. */
  session: Uint8Array;
  /** Of no use from then on. */
  until: number;
  /** However often the session is renewed, the host must be verified anew by then. */
  verifiedUntil: number;
}

/** Where sessions are kept. It may lose, or bring back changed, whatever it was given. */
export interface TlsSessions {
  find(place: string): KeptSession | undefined;
  keep(place: string, kept: KeptSession): void;
  /** The host did not resume it: nothing is kept for this place for a while. */
  refuse(place: string): void;
}

/** No session counts for longer than this after the host was verified. */
const VERIFIED_FOR_MS = 7_200_000;
/** Of a chain; the root is its own issuer. */
const MOST_CERTIFICATES = 20;

/** One host, one port, one list of authorities: a session is resumed for no other. */
export const placeOf = ({ host, port }: Target, trust: CaCertificates): string =>
  `${host} ${port} ${nameOf(trust)}`;

/** How long a verification that was made now may count: two hours, and no longer than any certificate of the chain. */
export function verifiedUntil(socket: Pick<TLSSocket, 'getPeerCertificate'>, now: number): number {
  let until = now + VERIFIED_FOR_MS;
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  for (let count = 0; certificate !== undefined && count < MOST_CERTIFICATES; count++) {
    const expiry = Date.parse(certificate.valid_to);
    if (Number.isNaN(expiry)) return now;
    until = Math.min(until, expiry);
    certificate = certificate.issuerCertificate === certificate ? undefined : certificate.issuerCertificate;
  }
  return until;
}

/** A session that claims to count for longer than any may was kept by an older hedge, or the clock was set back. */
export const isUsable = ({ until, verifiedUntil: verified }: KeptSession, now: number): boolean =>
  until > now && verified <= now + VERIFIED_FOR_MS;

/** What may be kept of a session that `socket` was given, if anything may. */
export function keepable(
  session: Uint8Array,
  socket: Pick<TLSSocket, 'getProtocol'>,
  times: { verifiedUntil: number; now: number },
): KeptSession | undefined {
  // What is kept of an older protocol could open a recorded connection, and the key in it.
  if (socket.getProtocol() !== 'TLSv1.3') return undefined;
  const until = Math.min(times.now + lifetimeOf(session) * 1000, times.verifiedUntil);
  return until > times.now ? { session, until, verifiedUntil: times.verifiedUntil } : undefined;
}

/** Newer Nodes put the name of the host, after its length in two bytes, before the session. */
const NAMED = Buffer.from('\0nodejs:tls:session:1\0');

const SEQUENCE = 0x30;
/** `[9]` of OpenSSL's SSL_SESSION. */
const LIFETIME_HINT = 0xa9;

/** Seconds for which the host takes the ticket back; 0 when it does not say, or the bytes are not a session. */
export function lifetimeOf(kept: Uint8Array): number {
  const session = withoutName(kept);
  const outer = elementAt(session, 0);
  if (outer?.tag !== SEQUENCE) return 0;
  const hint = elementsIn(session, outer)?.find(({ tag }) => tag === LIFETIME_HINT);
  const seconds = hint && elementAt(session, hint.start);
  return seconds === undefined ? 0 : derInteger(session, seconds.start, seconds.end);
}

function withoutName(session: Uint8Array): Uint8Array {
  if (!NAMED.equals(session.subarray(0, NAMED.length))) return session;
  const [high = 0, low = 0] = session.subarray(NAMED.length);
  return session.subarray(NAMED.length + 2 + high * 256 + low);
}
