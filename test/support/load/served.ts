/** A practice service in its own process, and workers with clients that load it: their responses, and its memory and descriptors. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createBook } from '../../practice/support/practice-service.ts';
import { bareEnvironment, toStart } from '../built.ts';
import { type Laws, toldSchema } from './laws.ts';

const CLIENTS = fileURLToPath(new URL('clients.mjs', import.meta.url));
const MEMORY = fileURLToPath(new URL('../preload/memory.cjs', import.meta.url));

export interface Served {
  store: string;
  child: ChildProcess;
  url: string;
  ca: string;
  keys: { live: string; test: string };
  /**
   * In MB, about twice a second, each after a full garbage collection: when a busy machine lets the collector run makes no
   * difference. Empty for an executable, whose Node takes no options.
   */
  memoryMb: readonly number[];
  /** Open ones, twice a second. */
  descriptors: readonly number[];
  openDescriptors(): number;
  /** Stops it as a user would; returns its exit code, how long that took, and its standard error. */
  stop(): Promise<{ code: number | null; ms: number; stderr: string }>;
}

const SAMPLE_MS = 500;

/** `hedge practice serve`, over a store of its own below `home`. */
export async function serveFrom(home: string, settings: Readonly<Record<string, unknown>>): Promise<Served> {
  const store = join(home, 'state', 'practice');
  await createBook(store, settings);
  const child = spawn(...toStart('practice', 'serve', '--json'), {
    env: bareEnvironment({ HEDGE_HOME: home, NODE_OPTIONS: `--require=${MEMORY}` }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { stdout, stderr: errors } = child;
  if (stdout === null || errors === null) throw new TypeError('the service has no output');
  const ended = once(child, 'exit');
  let document: { base_url: string; ca_file: string; keys: Served['keys'] } | undefined;
  for await (const line of createInterface({ input: stdout })) {
    document = JSON.parse(line).data;
    break;
  }
  if (document === undefined) throw new Error(`it does not serve: ${await text(errors)}`);
  const stderr = text(errors);
  const memoryMb: number[] = [];
  child.on('message', (mb) => memoryMb.push(Number(mb)));
  const descriptors: number[] = [];
  const openDescriptors = (): number => descriptorsOf(child.pid);
  const sampling = setInterval(() => {
    descriptors.push(openDescriptors());
    if (child.connected) child.send('memory');
  }, SAMPLE_MS);
  return {
    store,
    child,
    url: document.base_url,
    ca: readFileSync(document.ca_file, 'utf8'),
    keys: document.keys,
    memoryMb,
    descriptors,
    openDescriptors,
    async stop() {
      clearInterval(sampling);
      const started = performance.now();
      child.kill('SIGINT');
      const [code] = await ended;
      return { code, ms: performance.now() - started, stderr: await stderr };
    },
  };
}

/** 0 where the system has no /proc. */
function descriptorsOf(pid = 0): number {
  try {
    return readdirSync(`/proc/${pid.toString()}/fd`).length;
  } catch {
    return 0;
  }
}

export interface Load {
  workers: number;
  clients: number;
  seconds: number;
  readings?: boolean;
  /** After this it counts as hanging. */
  withinMs: number;
}

/** Starts all workers together; resolves with their logs when all have ended. */
export async function load(
  service: Served,
  folder: string,
  { workers, ...each }: Load,
): Promise<readonly string[]> {
  const { url, ca, keys } = service;
  const timeout = AbortSignal.timeout(each.withinMs);
  return Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      const out = join(folder, `worker-${worker.toString()}.jsonl`);
      const child = spawn(
        process.execPath,
        [CLIENTS, JSON.stringify({ url, ca, keys, out, worker, ...each })],
        {
          env: bareEnvironment(),
          stdio: ['ignore', 'ignore', 'pipe'],
          signal: timeout,
          killSignal: 'SIGKILL',
        },
      );
      const [[code], err] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
      if (code !== 0) throw new Error(`a worker ended with ${String(code)}: ${err}`);
      return out;
    }),
  );
}

/** Checks every line of the logs. */
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
