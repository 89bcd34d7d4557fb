/**
 * TLS sessions on disk, one small file a place, so that the next process need not shake hands from the start.
 * 0600 like a key; what is damaged, foreign, stale or cannot be written is as if it were not there. Knows
 * neither TLS nor what a place is.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, fieldsIn } from '../domain/fields.ts';
import { dropIfOlder, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
export interface KeptSession {
  session: Uint8Array;
  /** Milliseconds since the epoch, as the next. */
  until: number;
  verifiedUntil: number;
}

export interface TlsSessionStore {
  find(place: string): KeptSession | undefined;
  keep(place: string, kept: KeptSession): void;
  /** Nothing is kept for this place for the next hour. */
  refuse(place: string): void;
}

const FOLDER = 'tls-sessions';
const MAX_BYTES = 65_536;
const REFUSED_FOR_MS = 3_600_000;
/** Longer than any session is kept: such a file is of a place that is not asked any more. */
const FORGOTTEN_AFTER_MS = 172_800_000;

interface Stored {
  /** So that a file that was given another name is of no use. */
  place: string;
  /** Base64; empty where the place is not to be remembered. */
  session: string;
  until: number;
  verified_until: number;
}

/** `variant` tells apart what one build of Node keeps from what another could not use. */
export function tlsSessionsIn(places: Paths, machine: Machine, variant: string): TlsSessionStore {
  const { clock, host } = machine;
  const folder = join(places.cache, FOLDER);
  const nameOf = (place: string): string => `${variant} ${place}`;
  const pathOf = (place: string): string =>
    join(folder, `${createHash('sha256').update(nameOf(place)).digest('hex').slice(0, 32)}.json`);

  const read = (place: string): Stored | undefined => {
    const found = fieldsIn(readCacheFile(pathOf(place), { host, maxBytes: MAX_BYTES }));
    return isStored(found) && found.place === nameOf(place) && found.until > clock.now() ? found : undefined;
  };
  const write = (place: string, { session, until, verifiedUntil }: KeptSession): void => {
    const content: Stored = {
      place: nameOf(place),
      session: Buffer.from(session).toString('base64'),
      until,
      verified_until: verifiedUntil,
    };
    writeCacheFile(pathOf(place), `${JSON.stringify(content)}\n`, { ...machine, within: places.cache });
  };

  return {
    find(place) {
      const found = read(place);
      if (found === undefined || found.session === '') return undefined;
      const session = Buffer.from(found.session, 'base64');
      return { session, until: found.until, verifiedUntil: found.verified_until };
    },
    keep(place, kept) {
      const before = read(place);
      if (before?.session === '') return;
      if (before === undefined) sweep(folder, clock.now());
      write(place, kept);
    },
    refuse(place) {
      const until = clock.now() + REFUSED_FOR_MS;
      write(place, { session: new Uint8Array(), until, verifiedUntil: until });
    },
  };
}

/** By hand: a schema library takes longer to load than a kept session spares. */
const isStored = (file: Fields): file is Fields & Stored =>
  typeof file['place'] === 'string' &&
  typeof file['session'] === 'string' &&
  typeof file['until'] === 'number' &&
  typeof file['verified_until'] === 'number';

/** Drops what nobody has renewed for long. */
function sweep(folder: string, now: number): void {
  try {
    for (const name of readdirSync(folder)) dropIfOlder(join(folder, name), now - FORGOTTEN_AFTER_MS);
  } catch {
    // The folder is not there yet.
  }
}
