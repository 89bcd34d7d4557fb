/**
 * Cache files that decide what runs and whom a connection trusts. Each begins with a MAC under a secret of the config folder:
 * write access to the cache alone changes nothing, and a damaged file counts as absent.
 */
import { join } from 'node:path';
import { checkFolder } from '../platform/atomic-file.ts';
import { readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

export interface SealedCache {
  /** `name`: the path below the cache folder. Undefined unless `write` wrote it under this name. */
  read(name: string, maxBytes: number): Buffer | undefined;
  /** Never throws. */
  write(name: string, content: Buffer): void;
}

const SECRET_FILE = 'cache-secret';
const SECRET_BYTES = 32;
const MAC_BYTES = 32;

export function openSealedCache(places: Pick<Paths, 'cache' | 'config'>, machine: Machine): SealedCache {
  const { host, random } = machine;
  /** Undefined where the config folder has none, or cannot be trusted with one. */
  const readSecret = (): Buffer | undefined => {
    try {
      checkFolder(places.config, host);
      const found = readCacheFile(join(places.config, SECRET_FILE), { host, maxBytes: SECRET_BYTES });
      return found?.length === SECRET_BYTES ? found : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    read(name, maxBytes) {
      const file = readCacheFile(join(places.cache, name), { host, maxBytes: maxBytes + MAC_BYTES });
      if (file === undefined || file.length < MAC_BYTES) return undefined;
      const secret = readSecret();
      if (secret === undefined) return undefined;
      const content = file.subarray(MAC_BYTES);
      return macOf(secret, name, content).equals(file.subarray(0, MAC_BYTES)) ? content : undefined;
    },
    write(name, content) {
      try {
        if (readSecret() === undefined)
          writeCacheFile(join(places.config, SECRET_FILE), random.bytes(SECRET_BYTES), {
            ...machine,
            within: places.config,
          });
        const secret = readSecret();
        if (secret === undefined) return;
        const sealed = Buffer.concat([macOf(secret, name, content), content]);
        writeCacheFile(join(places.cache, name), sealed, { ...machine, within: places.cache });
      } catch {
        // The config folder is not there for us.
      }
    },
  };
}

function macOf(secret: Buffer, name: string, content: Buffer): Buffer {
  // Imported at the top, it would cost `hedge --version` 5 ms.
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return createHmac('sha256', secret).update(`${name}\0`).update(content).digest();
}
