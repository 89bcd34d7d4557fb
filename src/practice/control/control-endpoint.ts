/** An endpoint of the control API: its declaration, and the context that it runs in. */
import type * as z from 'zod';
import type { AdminContext } from '../admin.ts';
import type { DescribedEndpoint } from '../http/openapi.ts';
import type { RequestLog } from '../http/request-log.ts';
import { parseInput } from '../schemas/request-schemas.ts';
import { bookQuery } from './control-schemas.ts';
import type { KeyPair } from './keyring.ts';

export interface ControlContext {
  /** By name; the default one is the first. */
  books: ReadonlyMap<string, AdminContext>;
  key: string;
  log: RequestLog;
  /** The address and the keys of a book. */
  addressOf(book: AdminContext): { url: string; keys: KeyPair };
  /** Throws PracticeInputError for a name that is taken. */
  addBook(name: string): Promise<AdminContext>;
  removeBook(name: string): void;
  /** A new link to the page. */
  pageUrl(): string;
  /** The text with every key masked. */
  withoutSecrets(text: string): string;
}

/** A checked request, with the book that it names. */
interface ControlCall<Query> {
  context: ControlContext;
  book: AdminContext;
  query: Query;
}

interface SentToControl {
  query: Record<string, string>;
  body: unknown;
}

export interface ControlRoute extends DescribedEndpoint {
  /** In bytes, where the usual limit is too small. */
  largestBody?: number;
  /** Returns the JSON text of `data`. Throws ApiError and PracticeInputError. */
  run(context: ControlContext, book: AdminContext, sent: SentToControl): Promise<string>;
}

type Described = Pick<ControlRoute, 'path' | 'operation' | 'summary' | 'data'> &
  Partial<Pick<ControlRoute, 'status' | 'errorCodes' | 'isPublic' | 'largestBody'>>;

export function withoutBody<Query>(
  method: 'GET' | 'DELETE',
  endpoint: Described & {
    query: z.ZodType<Query>;
    run: (call: ControlCall<Query>) => Promise<string> | string;
  },
): ControlRoute {
  return {
    status: 200,
    errorCodes: [],
    ...endpoint,
    method,
    run: async (context, book, sent) =>
      endpoint.run({ context, book, query: parseInput(endpoint.query, sent.query, 'parameter') }),
  };
}

export function withBody<Body>(
  method: 'POST' | 'PUT' | 'PATCH',
  endpoint: Described & {
    body: z.ZodType<Body>;
    run: (call: ControlCall<unknown>, body: Body) => Promise<string> | string;
  },
): ControlRoute {
  return {
    status: 200,
    errorCodes: [],
    ...endpoint,
    method,
    query: bookQuery,
    run: async (context, book, sent) => {
      const query = parseInput(bookQuery, sent.query, 'parameter');
      return endpoint.run({ context, book, query }, parseInput(endpoint.body, sent.body));
    },
  };
}

export const jsonText = (data: unknown): string => JSON.stringify(data);
