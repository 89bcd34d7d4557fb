/**
 * Which certificate authorities are trusted, and which TLS sessions may be stored for the next process, for which host and
 * for how long: a resumed session saves the certificate check and a round trip, so its host must have been verified
 * recently.
 */

import { createHash } from 'node:crypto';
import {
  createSecureContext,
  type DetailedPeerCertificate,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { derInteger, elementAt, elementsIn } from '../../domain/der.ts';

export interface CaCertificates {
  /** PEM. */
  ca: readonly string[];
  /** Also Node's own list. */
  roots: boolean;
}

/** The `ca` option of a TLS connection; none for Node's list alone. */
export function caOption({ ca, roots }: CaCertificates): { ca?: string[] } {
  if (!roots) return { ca: [...ca] };
  return ca.length === 0 ? {} : { ca: [...new Set([...rootCertificates, ...ca])] };
}

const contexts = new Map<string, SecureContext>();

/** Memoized: Node takes 50 ms to read its own list. */
export function secureContextFor(trust: CaCertificates): SecureContext {
  const name = fingerprintOf(trust);
  const made = contexts.get(name) ?? createSecureContext({ minVersion: 'TLSv1.2', ...caOption(trust) });
  contexts.set(name, made);
  return made;
}

/** Equal exactly for equal lists. */
export function fingerprintOf({ ca, roots }: CaCertificates): string {
  const hash = createHash('sha256');
  for (const pem of ca) hash.update(`${pem}\n`);
  return `${hash.digest('hex')} ${roots ? 'and the roots' : 'alone'}`;
}

/** The address of a connection. */
export interface Target {
  host: string;
  port: number;
}

/** Times are in milliseconds since the epoch. */
export interface KeptSession {
  /** Node's serialized session. */
  session: Uint8Array;
  /** Not usable from then on. */
  until: number;
  /** The host must be verified again by then, also when the session is renewed. */
  verifiedUntil: number;
  /** Milliseconds from the first packet to the end of its handshake. */
  handshakeMs: number;
}

/** A host takes at least this long for a handshake, two round trips, when waiting for one costs more than another. */
const DISTANT_HANDSHAKE_MS = 50;

/** By the last handshake that was stored; false when none was. */
export const isDistant = (kept: Pick<KeptSession, 'handshakeMs'> | undefined): boolean =>
  kept !== undefined && kept.handshakeMs >= DISTANT_HANDSHAKE_MS;

/** Stores sessions. It may lose or corrupt them. */
export interface TlsSessions {
  find(place: string): KeptSession | undefined;
  keep(place: string, kept: KeptSession): void;
  /** The host did not resume it: nothing is stored for this host for a while. */
  refuse(place: string): void;
}

const VERIFIED_FOR_MS = 7_200_000;
/** A root is its own issuer. */
const MOST_CERTIFICATES = 20;

/** A session is resumed only for the same host, port and list of CA certificates. */
export const sessionKeyOf = ({ host, port }: Target, trust: CaCertificates): string =>
  `${host} ${port} ${fingerprintOf(trust)}`;

/** Two hours from now, or the first expiry in the certificate chain. */
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

/** A session that is valid for longer than allowed was stored by an older hedge, or the clock was set back. */
export const isUsable = ({ until, verifiedUntil: verified }: KeptSession, now: number): boolean =>
  until > now && verified <= now + VERIFIED_FOR_MS;

/** The session to store; undefined when it may not be stored. */
export function sessionToKeep(
  session: Uint8Array,
  socket: Pick<TLSSocket, 'getProtocol'>,
  times: { verifiedUntil: number; handshakeMs: number; now: number },
): KeptSession | undefined {
  // A stored session of an older protocol could decrypt a recorded connection, and the key in it.
  if (socket.getProtocol() !== 'TLSv1.3') return undefined;
  const until = Math.min(times.now + lifetimeOf(session) * 1000, times.verifiedUntil);
  const { verifiedUntil: verified, handshakeMs } = times;
  return until > times.now ? { session, until, verifiedUntil: verified, handshakeMs } : undefined;
}

/** Newer versions of Node put the host name, after its length in two bytes, before the session. */
const NAMED = Buffer.from('\0nodejs:tls:session:1\0');

const SEQUENCE = 0x30;
/** `[9]` of OpenSSL's SSL_SESSION. */
const LIFETIME_HINT = 0xa9;

/** Seconds for which the host accepts the ticket; 0 when unknown. */
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
