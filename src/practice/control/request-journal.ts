/** The newest requests that the partner API received. It holds no key. */
import type { RequestLogEntry } from '../http/request-log.ts';

export interface ReceivedRequest {
  /** 1 for the first request of the book since the service started. */
  number: number;
  /** Time of the book's service: wall time, or book time with a manual clock. */
  at: string;
  book: string;
  environment: 'live' | 'test' | null;
  method: string;
  /** Below the base path, with its query. */
  path: string;
  /** Of a lost response too; 0 if the connection was cut before execution. */
  status: number;
  code: string | null;
  /** True for a stored response sent again. */
  replayed: boolean;
  fault: string | null;
}

export interface RequestJournal {
  add(entry: RequestLogEntry): void;
  /** Oldest first. */
  list(book: string, after: number): ReceivedRequest[];
  /** Returns how many it had. */
  clear(book: string): number;
}

const KEPT = 1_000;

export function makeRequestJournal(): RequestJournal {
  const received = new Map<string, { count: number; kept: ReceivedRequest[] }>();
  const of = (book: string) => {
    const found = received.get(book) ?? { count: 0, kept: [] };
    received.set(book, found);
    return found;
  };
  return {
    add(entry) {
      if (entry.control === true) return;
      const requests = of(entry.book);
      requests.count += 1;
      requests.kept.push({
        number: requests.count,
        at: entry.at,
        book: entry.book,
        environment: entry.environment,
        method: entry.method,
        path: entry.path,
        status: entry.status,
        code: entry.code ?? null,
        replayed: entry.replayed === true,
        fault: entry.fault ?? null,
      });
      if (requests.kept.length > KEPT) requests.kept.shift();
    },
    list: (book, after) => of(book).kept.filter((entry) => entry.number > after),
    clear: (book) => of(book).kept.splice(0).length,
  };
}
