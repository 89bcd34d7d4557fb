/** A practice service in a process of its own, and workers full of clients that ask it: what they were told, and how it fared. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { bareEnvironment, toStart } from '../built.ts';
import { type Laws, toldSchema } from './laws.ts';

const CLIENTS = fileURLToPath(new URL('clients.mjs', import.meta.url));

export interface Fared {
  rssMb: number;
  descriptors: number;
}

export interface Served {
  store: string;
  child: ChildProcess;
  url: string;
  ca: string;
  keys: { live: string; test: string };
  /** Twice a second, as far as the system tells it. */
  fared: readonly Fared[];
  /** As it is now. */
  fare(): Fared | undefined;
  /** Stops it as a person would; gives what it ended with, how long that took, and its standard error. */
  stop(): Promise<{ code: number | null; ms: number; said: string }>;
}

const SAMPLE_MS = 500;

/** `hedge practice serve`, over a store of its own below `home`. */
export async function serveFrom(home: string, settings: Readonly<Record<string, unknown>>): Promise<Served> {
  const store = join(home, 'state', 'practice');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  writeFileSync(join(store, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const child = spawn(...toStart('practice', 'serve', '--json'), {
    env: bareEnvironment({ HEDGE_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let document: { base_url: string; ca_file: string; keys: Served['keys'] } | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    document = JSON.parse(line).data;
    break;
  }
  if (document === undefined) throw new Error(`it does not serve: ${await text(child.stderr)}`);
  const said = text(child.stderr);
  const fared: Fared[] = [];
  const sampling = setInterval(() => {
    const found = fareOf(child.pid);
    if (found !== undefined) fared.push(found);
  }, SAMPLE_MS);
  return {
    store,
    child,
    url: document.base_url,
    ca: readFileSync(document.ca_file, 'utf8'),
    keys: document.keys,
    fared,
    fare: () => fareOf(child.pid),
    async stop() {
      clearInterval(sampling);
      const asked = performance.now();
      child.kill('SIGINT');
      const [code] = await ended;
      return { code, ms: performance.now() - asked, said: await said };
    },
  };
}

/** Where the system tells it: nothing elsewhere. */
function fareOf(pid = 0): Fared | undefined {
  try {
    const [, kb = ''] =
      /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid.toString()}/status`, 'utf8')) ?? [];
    return { rssMb: Number(kb) / 1_024, descriptors: readdirSync(`/proc/${pid.toString()}/fd`).length };
  } catch {
    return undefined;
  }
}

export interface Load {
  workers: number;
  clients: number;
  seconds: number;
  readings?: boolean;
  /** Longer than that, and it hangs. */
  withinMs: number;
}

/** All workers begun together; resolves with their logs when all have ended. */
export async function load(
  service: Served,
  folder: string,
  { workers, ...each }: Load,
): Promise<readonly string[]> {
  const { url, ca, keys } = service;
  const patience = AbortSignal.timeout(each.withinMs);
  return Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      const out = join(folder, `worker-${worker.toString()}.jsonl`);
      const child = spawn(
        process.execPath,
        [CLIENTS, JSON.stringify({ url, ca, keys, out, worker, ...each })],
        {
          env: bareEnvironment(),
          stdio: ['ignore', 'ignore', 'pipe'],
          signal: patience,
          killSignal: 'SIGKILL',
        },
      );
      const [[code], err] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
      if (code !== 0) throw new Error(`a worker ended with ${String(code)}: ${err}`);
      return out;
    }),
  );
}

/** Holds every line of the logs to the laws. */
export async function seeAll(logs: readonly string[], laws: Laws): Promise<void> {
  for (const log of logs)
    for await (const line of createInterface({ input: createReadStream(log) }))
      laws.see(toldSchema.parse(JSON.parse(line)));
}

/** `p50 12 ms, p99 80 ms, longest 120 ms` */
export function percentiles(latencies: readonly number[]): string {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}
