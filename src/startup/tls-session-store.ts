/**
 * TLS sessions on disk for the next process, one sealed file per host and list of authorities: a resumed session is not
 * verified again. A damaged, foreign or stale file counts as absent; client/transport/tls.ts decides what may be kept and
 * resumed.
 *
 * Gain, CPU time of a quote over all tenors: Node 20 96 -> 57 ms (it loads all root certificates for a full handshake),
 * Node 22 70 -> 63 ms, Node 24 76 -> 71 ms. Off: HEDGE_TLS_SESSIONS=off.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptSession, TlsSessions } from '../client/transport/tls.ts';
import { type Fields, fieldsIn } from '../domain/fields.ts';
import { dropIfOlder } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import { openSealedCache } from './sealed-cache.ts';

const FOLDER = 'tls-sessions';
const MAX_BYTES = 65_536;
const REFUSED_FOR_MS = 3_600_000;
/** Longer than any session is kept. */
const FORGOTTEN_AFTER_MS = 172_800_000;

interface Stored {
  /** Base64; empty after a refusal. */
  session: string;
  until: number;
  verified_until: number;
  handshake_ms: number;
}

/** `variant`: the version of Node and OpenSSL, which cannot resume each other's sessions. */
export function tlsSessionStore(places: Paths, machine: Machine, variant: string): TlsSessions {
  const { clock } = machine;
  const sealed = openSealedCache(places, machine);
  const nameOf = (place: string): string =>
    join(FOLDER, createHash('sha256').update(`${variant} ${place}`).digest('hex').slice(0, 32));

  const read = (place: string): Stored | undefined => {
    const found = fieldsIn(sealed.read(nameOf(place), MAX_BYTES));
    return isStored(found) && found.until > clock.now() ? found : undefined;
  };
  const write = (place: string, { session, until, verifiedUntil, handshakeMs }: KeptSession): void => {
    const content: Stored = {
      session: Buffer.from(session).toString('base64'),
      until,
      verified_until: verifiedUntil,
      handshake_ms: Math.round(handshakeMs),
    };
    sealed.write(nameOf(place), Buffer.from(JSON.stringify(content)));
  };

  return {
    find(place) {
      const found = read(place);
      if (found === undefined || found.session === '') return undefined;
      const session = Buffer.from(found.session, 'base64');
      return {
        session,
        until: found.until,
        verifiedUntil: found.verified_until,
        handshakeMs: found.handshake_ms,
      };
    },
    keep(place, kept) {
      const before = read(place);
      if (before?.session === '') return;
      if (before === undefined) sweep(join(places.cache, FOLDER), clock.now());
      write(place, kept);
    },
    refuse(place) {
      const until = clock.now() + REFUSED_FOR_MS;
      write(place, { session: new Uint8Array(), until, verifiedUntil: until, handshakeMs: 0 });
    },
  };
}

/** By hand: loading a schema library takes longer than a kept session saves. */
const isStored = (file: Fields): file is Fields & Stored =>
  typeof file['session'] === 'string' &&
  typeof file['until'] === 'number' &&
  typeof file['verified_until'] === 'number' &&
  typeof file['handshake_ms'] === 'number';

/** Removes sessions that were not renewed for two days. */
function sweep(folder: string, now: number): void {
  try {
    for (const name of readdirSync(folder)) dropIfOlder(join(folder, name), now - FORGOTTEN_AFTER_MS);
  } catch {
    // The folder is not there yet.
  }
}
