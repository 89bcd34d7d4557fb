/**
 * TLS sessions on disk, one small file a place, so that the next process need not shake hands from the start.
 * 0600 like a key; what is damaged, foreign, stale or cannot be written is as if it were not there. Knows
 * neither TLS nor what a place is.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { dropIfOlder, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Places } from '../platform/places.ts';

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

const file = z.object({
  /** So that a file that was given another name is of no use. */
  place: z.string(),
  /** Base64; empty where the place is not to be remembered. */
  session: z.string(),
  until: z.number(),
  verified_until: z.number(),
});

/** `variant` tells apart what one build of Node keeps from what another could not use. */
export function tlsSessionsIn(places: Places, machine: Machine, variant: string): TlsSessionStore {
  const { clock, host } = machine;
  const folder = join(places.cache, FOLDER);
  const nameOf = (place: string): string => `${variant} ${place}`;
  const pathOf = (place: string): string =>
    join(folder, `${createHash('sha256').update(nameOf(place)).digest('hex').slice(0, 32)}.json`);

  const read = (place: string): z.infer<typeof file> | undefined => {
    const parsed = file.safeParse(jsonIn(readCacheFile(pathOf(place), { host, maxBytes: MAX_BYTES })));
    return parsed.success && parsed.data.place === nameOf(place) && parsed.data.until > clock.now()
      ? parsed.data
      : undefined;
  };
  const write = (place: string, { session, until, verifiedUntil }: KeptSession): void => {
    const content: z.infer<typeof file> = {
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

function jsonIn(bytes: Buffer | undefined): unknown {
  try {
    return bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Drops what nobody has renewed for long. */
function sweep(folder: string, now: number): void {
  try {
    for (const name of readdirSync(folder)) dropIfOlder(join(folder, name), now - FORGOTTEN_AFTER_MS);
  } catch {
    // The folder is not there yet.
  }
}
