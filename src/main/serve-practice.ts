/** `hedge practice serve`: the service in a process of its own, and its log. Loaded by this command only. */
import { setFlagsFromString } from 'node:v8';
import type { PracticeControl } from '../commands/command-context.ts';
import { sanitize } from '../domain/sanitize.ts';
import type {
  PracticeOptions,
  PracticeService,
  RequestLogEntry,
  startPracticeService,
} from '../practice/index.ts';

export function servePractice(
  practice: { startPracticeService: typeof startPracticeService },
  where: Pick<PracticeOptions, 'clock' | 'random' | 'store'>,
  { onRequest, ...modes }: Parameters<PracticeControl['serve']>[0],
): Promise<PracticeService> {
  // V8 would let more garbage gather before it looks at old objects: doubling the heap at most costs no throughput.
  setFlagsFromString('--heap-growing-percent=100');
  return practice.startPracticeService({
    ...where,
    ...modes,
    ...(onRequest === undefined ? {} : { onRequest: (entry) => onRequest(logLine(entry)) }),
  });
}

/** `10:02:58 sandbox POST /hedges 200 12 ms`, and any injected fault. Never an API key. */
function logLine(entry: RequestLogEntry): string {
  const { at, environment, method, path, status, code, idempotencyKey, replayed, ms, fault, cause } = entry;
  const account = environment === 'test' ? 'sandbox' : (environment ?? 'nobody');
  const parts = [
    at.slice(11, 19),
    entry.control === true ? 'control' : account,
    method,
    path,
    status === 0 ? 'cut' : status.toString(),
  ];
  if (code !== undefined) parts.push(code);
  parts.push(`${ms.toFixed(0)} ms`);
  if (idempotencyKey !== undefined) parts.push(`key ${idempotencyKey}`);
  if (replayed === true) parts.push('replayed');
  if (fault !== undefined) parts.push(`fault ${fault}`);
  if (entry.book !== 'default') parts.push(`book ${entry.book}`);
  if (cause !== undefined) parts.push(`cause: ${sanitize(cause)}`);
  return parts.join(' ');
}
