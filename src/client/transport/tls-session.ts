/**
 * TLS sessions kept between processes: a resumed one spares Node the certificates, and a round trip. It is not
 * verified anew, so what may be kept, for whom and for how long is decided here, and never on trust of where it
 * was kept: a host resumes nothing but a session that it gave.
 */
import type { TLSSocket } from 'node:tls';
import type { Target } from './connector.ts';
import { nameOf, type Trust } from './trust-list.ts';

/** A session as it is kept. */
export interface KeptSession {
  /** Node's bytes: a ticket of the host, and what it takes to use it. */
  session: Uint8Array;
  /** When the host's certificate was last verified, in milliseconds since the epoch. */
  verifiedAt: number;
  /** Of no use from then on. */
  until: number;
}

/** Where sessions are kept. It may lose, or bring back changed, whatever it was given. */
export interface TlsSessions {
  find(place: string): KeptSession | undefined;
  keep(place: string, kept: KeptSession): void;
  /** The host did not resume it: nothing is kept for this place for a while. */
  refuse(place: string): void;
}

/** However often it is renewed, a session is verified anew after this time. */
const VERIFIED_FOR_MS = 86_400_000;

/** One host, one port, one list of authorities: a session is resumed for no other. */
export const placeOf = ({ host, port }: Target, trust: Trust): string => `${host} ${port} ${nameOf(trust)}`;

/** What may be kept of a session that `socket` was given, if anything may. */
export function keepable(
  session: Uint8Array,
  socket: TLSSocket,
  times: { verifiedAt: number; now: number },
): KeptSession | undefined {
  // What is kept of an older protocol could open a recorded connection, and the key in it.
  if (socket.getProtocol() !== 'TLSv1.3') return undefined;
  const certificate = socket.getPeerX509Certificate();
  const expiry = Date.parse(certificate?.validTo ?? '');
  const until = Math.min(
    times.now + lifetimeOf(session) * 1000,
    times.verifiedAt + VERIFIED_FOR_MS,
    Number.isNaN(expiry) ? 0 : expiry,
  );
  return until > times.now ? { session, verifiedAt: times.verifiedAt, until } : undefined;
}

const SEQUENCE = 0x30;
/** `[9]` of OpenSSL's SSL_SESSION. */
const LIFETIME_HINT = 0xa9;

/** Seconds for which the host takes the ticket back; 0 when it does not say, or the bytes are not a session. */
export function lifetimeOf(session: Uint8Array): number {
  const outer = elementAt(session, 0);
  if (outer?.tag !== SEQUENCE) return 0;
  for (let at = outer.start; at < outer.end; ) {
    const element = elementAt(session, at);
    if (element === undefined) return 0;
    if (element.tag === LIFETIME_HINT) {
      const integer = elementAt(session, element.start);
      return integer === undefined
        ? 0
        : session.subarray(integer.start, integer.end).reduce((seconds, byte) => seconds * 256 + byte, 0);
    }
    at = element.end;
  }
  return 0;
}

/** One element of DER: its tag and where its content lies. */
function elementAt(bytes: Uint8Array, at: number): { tag: number; start: number; end: number } | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + lengthBytes;
  const length =
    lengthBytes === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  const end = start + length;
  return end > bytes.length ? undefined : { tag, start, end };
}
