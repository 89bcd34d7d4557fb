/** `hedge practice serve`: the service in a process of its own, and its log. Loaded by this command only. */
import { setFlagsFromString } from 'node:v8';
import type { PracticeControl, RunningPractice } from '../commands/command-context.ts';
import { sanitize } from '../domain/sanitize.ts';
import type { PracticeOptions, RequestLogEntry, startPracticeService } from '../practice/index.ts';

export async function servePractice(
  practice: { startPracticeService: typeof startPracticeService },
  where: Pick<PracticeOptions, 'clock' | 'random' | 'store'>,
  { onRequest, ...modes }: Parameters<PracticeControl['serve']>[0],
): Promise<RunningPractice> {
  // V8 would let more garbage gather before it looks at old objects: doubling the heap at most costs no throughput.
  setFlagsFromString('--heap-growing-percent=100');
  const service = await practice.startPracticeService({
    ...where,
    ...modes,
    ...(onRequest === undefined ? {} : { onRequest: (entry) => onRequest(logLine(entry)) }),
  });
  const { url, caFile, keys, control, books, pageUrl } = service;
  const served = {
    base_url: url,
    ca_file: caFile,
    keys,
    control: { base_url: control.url, key: control.key },
    books: books.map((book) => ({ name: book.name, base_url: book.url, keys: book.keys })),
    page_url: pageUrl,
  };
  return { served, close: () => service.close() };
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
