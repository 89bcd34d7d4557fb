/**
 * The one choice of road, made at the first request: undici where connections are pooled or go through a
 * proxy; else node:http over the same TLS connections, which takes a third of the time and half of the memory
 * for one exchange.
 */
import { proxyFor } from './proxy.ts';
import type { Road, RoadParts } from './road.ts';

/** @throws CredentialError at once on an unusable HTTPS_PROXY. */
export function chooseRoad(parts: RoadParts): { ready(): Promise<Road>; close(): Promise<void> } {
  const proxy = proxyFor(parts.target, parts.proxy);
  let opened: Promise<Road> | undefined;
  const open = async (): Promise<Road> => {
    if (parts.pooled || proxy !== undefined) {
      const { pooledRoad } = await import('./road-pooled.ts');
      return pooledRoad({ ...parts, proxy });
    }
    const { directRoad } = await import('./road-direct.ts');
    return directRoad(parts);
  };
  return {
    ready: () => (opened ??= open()),
    async close() {
      await (await opened)?.close();
    },
  };
}
