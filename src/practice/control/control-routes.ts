/** The endpoints of the control API. They call the same functions as the commands of `hedge practice`. */
import * as z from 'zod';
import { type AdminContext, makeAdmin, type PracticeStatus } from '../admin.ts';
import { bringToNow } from '../book/bring-to-now.ts';
import { bookTime, isoTime } from '../book/transaction-context.ts';
import { DEFAULT_BOOK, definedFields, wrongField } from '../domain/practice-types.ts';
import { decimalOf, RATE_DECIMALS, rateText } from '../domain/scaled-decimals.ts';
import { FIXTURE_BODY, LARGE_BODY } from '../http/http-messages.ts';
import { ApiError, encodeJson } from '../schemas/api-error.ts';
import { serializeHedge } from '../schemas/response-schemas.ts';
import { settingChanges, settingsIn } from '../settings.ts';
import { clearPricePaths, pricePaths, storePricePath } from '../store/control-tables.ts';
import {
  type ControlContext,
  type ControlRoute,
  jsonText,
  withBody,
  withoutBody,
} from './control-endpoint.ts';
import * as schemas from './control-schemas.ts';
import { dumpBook, loadBook } from './fixture.ts';
import { placeHedge } from './place-hedge.ts';
import { MOST_SHOWN, showRequest, verifyRequests } from './requests.ts';

export const CONTROL_ENDPOINTS: readonly ControlRoute[] = [
  withoutBody('GET', {
    path: '/health',
    operation: 'health',
    summary: 'Whether the service is up, and its books; needs no key',
    isPublic: true,
    query: schemas.bookQuery,
    data: schemas.healthData,
    run: ({ context }) =>
      jsonText({
        status: 'ok',
        books: [...context.books.values()].map(({ name, db }) => ({
          name,
          clock: bookTime(db, 0).manual ? 'manual' : 'wall',
        })),
      }),
  }),
  withoutBody('GET', {
    path: '/status',
    operation: 'status',
    summary: 'Book time, balances, and counts of hedges',
    query: schemas.bookQuery,
    data: schemas.statusData,
    run: async ({ book }) => statusText(await makeAdmin(book).status()),
  }),
  withoutBody('GET', {
    path: '/clock',
    operation: 'readClock',
    summary: 'Book time',
    query: schemas.bookQuery,
    data: schemas.clockData,
    run: ({ book }) => clockText(book),
  }),
  withBody('POST', {
    path: '/clock/advance',
    operation: 'advanceClock',
    summary: 'Move book time ahead; everything due happens at its own time',
    body: schemas.advanceBody,
    data: schemas.advanceData,
    run: async ({ book }, { seconds }) =>
      jsonText(await makeAdmin(book).advance(Math.round(seconds * 1_000))),
  }),
  withBody('PUT', {
    path: '/clock',
    operation: 'setClock',
    summary: 'Set book time, never back; everything due happens at its own time',
    body: schemas.setClockBody,
    data: schemas.clockData,
    run: async ({ book }, { time }) => {
      await setClock(book, Date.parse(time));
      return clockText(book);
    },
  }),
  withoutBody('GET', {
    path: '/faults',
    operation: 'readFaults',
    summary: 'The faults that are set',
    query: schemas.bookQuery,
    data: schemas.faultsData,
    run: async ({ book }) => jsonText(await makeAdmin(book).faults()),
  }),
  withBody('PATCH', {
    path: '/faults',
    operation: 'changeFaults',
    summary: 'Set faults; those not named stay',
    body: schemas.faultsBody,
    data: schemas.faultsData,
    run: async ({ book }, change) => {
      await makeAdmin(book).setFaults(definedFields(change));
      return jsonText(await makeAdmin(book).faults());
    },
  }),
  withoutBody('DELETE', {
    path: '/faults',
    operation: 'clearFaults',
    summary: 'Clear all faults',
    query: schemas.bookQuery,
    data: schemas.faultsData,
    run: async ({ book }) => jsonText(await makeAdmin(book).clearFaults()),
  }),
  withoutBody('GET', {
    path: '/settings',
    operation: 'readSettings',
    summary: 'Markets, fees, caps and fill times',
    query: schemas.bookQuery,
    data: schemas.settingsData,
    run: async ({ book }) => jsonText(await makeAdmin(book).settings()),
  }),
  withBody('PATCH', {
    path: '/settings',
    operation: 'changeSettings',
    summary: 'Change settings for later hedges; open hedges keep their terms',
    body: schemas.settingsBody,
    data: schemas.settingsData,
    run: async ({ book }, values) =>
      jsonText(await makeAdmin(book).changeSettings(settingChanges(settingsIn(values)))),
  }),
  withoutBody('DELETE', {
    path: '/settings',
    operation: 'restoreSettings',
    summary: 'Return to the settings that the service started with',
    query: schemas.bookQuery,
    data: schemas.settingsData,
    run: async ({ book }) => jsonText(await makeAdmin(book).restoreSettings()),
  }),
  withBody('POST', {
    path: '/reset',
    operation: 'reset',
    summary:
      'Empty the book under a new ID; time begins again. With all, it is as the service started: for use between tests',
    body: schemas.resetBody,
    data: schemas.statusData,
    run: async ({ context, book }, { balance_usdc: balance, all = false, requests = 'clear' }) => {
      const opening = balance === undefined ? {} : { balance: String(balance) };
      const status = await makeAdmin(book).reset({ ...opening, all });
      if (requests === 'clear') context.log.clear(book.name);
      return statusText(status);
    },
  }),
  withoutBody('GET', {
    path: '/fixture',
    operation: 'dumpBook',
    summary: 'The whole book; load it again with PUT',
    query: schemas.bookQuery,
    data: schemas.fixtureData,
    run: ({ book }) => jsonText(dumpBook(book)),
  }),
  withBody('PUT', {
    path: '/fixture',
    operation: 'loadBook',
    summary:
      'Restore the book, its time, faults, settings and price paths; it gets a new ID, and the log is emptied',
    body: schemas.fixtureData,
    largestBody: FIXTURE_BODY,
    data: schemas.statusData,
    run: async ({ context, book }, fixture) => {
      loadBook(book, fixture);
      context.log.clear(book.name);
      return statusText(await makeAdmin(book).status());
    },
  }),
  withoutBody('GET', {
    path: '/prices',
    operation: 'readPricePaths',
    summary: 'The price paths that are set',
    query: schemas.pricePathsQuery,
    data: z.array(schemas.pricePath),
    run: ({ book, query }) => pathsText(book, query.market),
  }),
  withBody('PUT', {
    path: '/prices',
    operation: 'setPricePath',
    summary:
      'Set the price path of a market: a price holds until the next point; the usual rate before the first',
    body: schemas.pricesBody,
    largestBody: LARGE_BODY,
    data: z.array(schemas.pricePath),
    errorCodes: ['market_not_found'],
    run: ({ book }, { market, points }) => {
      setPricePath(book, market, points);
      return pathsText(book, market);
    },
  }),
  withoutBody('DELETE', {
    path: '/prices',
    operation: 'clearPricePaths',
    summary: 'Return to the usual rate, on one market or on all',
    query: schemas.pricePathsQuery,
    data: z.array(schemas.pricePath),
    run: ({ book, query }) => {
      book.db.transaction(() => {
        bringToNow(book);
        clearPricePaths(book.db, query.market);
      });
      return pathsText(book);
    },
  }),
  withBody('POST', {
    path: '/hedges',
    operation: 'placeHedge',
    summary: 'Place a filled hedge; cap, capacity and balance apply',
    status: 201,
    body: schemas.placeBody,
    data: schemas.hedgeData,
    errorCodes: ['exposure_exceeded', 'capacity_exceeded', 'insufficient_balance', 'market_not_found'],
    run: ({ book }, hedge) => encodeJson(serializeHedge(book.db.transaction(() => placeHedge(book, hedge)))),
  }),
  withoutBody('GET', {
    path: '/requests',
    operation: 'listRequests',
    summary: `What the partner API received, oldest first: the newest ${MOST_SHOWN} that match`,
    query: schemas.requestsQuery,
    data: z.array(schemas.receivedData),
    run: ({ context, book, query: { book: _book, ...filter } }) => {
      const found = context.log.find(book.name, filter);
      const shown = filter.after === undefined ? found.slice(-MOST_SHOWN) : found.slice(0, MOST_SHOWN);
      return context.withoutSecrets(jsonText(shown.map(showRequest)));
    },
  }),
  withoutBody('DELETE', {
    path: '/requests',
    operation: 'clearRequests',
    summary: 'Forget the requests; their numbers go on',
    query: schemas.bookQuery,
    data: schemas.clearedData,
    run: ({ context, book }) => jsonText({ cleared: context.log.clear(book.name) }),
  }),
  withBody('POST', {
    path: '/requests/verify',
    operation: 'verifyRequests',
    summary: 'Whether as many requests match as expected, and whether the named fields are equal in all',
    body: schemas.verifyBody,
    data: schemas.verifiedData,
    run: ({ context, book }, expected) =>
      context.withoutSecrets(jsonText(verifyRequests(context.log, book.name, expected))),
  }),
  withoutBody('GET', {
    path: '/books',
    operation: 'listBooks',
    summary: 'The books, with their keys',
    query: schemas.bookQuery,
    data: z.array(schemas.bookData),
    run: ({ context }) => jsonText([...context.books.values()].map((each) => addressOf(context, each))),
  }),
  withBody('POST', {
    path: '/books',
    operation: 'addBook',
    summary:
      'Add a book with keys of its own, and the settings and faults that the service started with; a stored one has its settings',
    status: 201,
    body: schemas.bookBody,
    data: schemas.bookData,
    run: async ({ context }, { name }) => jsonText(addressOf(context, await context.addBook(name))),
  }),
  withoutBody('DELETE', {
    path: '/books',
    operation: 'removeBook',
    summary: 'End a book: it is not served any more',
    query: schemas.removeBookQuery,
    data: z.array(schemas.bookData),
    run: ({ context, book }) => {
      if (book.name === DEFAULT_BOOK)
        throw wrongField('book', 'the default book stays as long as the service');
      context.removeBook(book.name);
      return jsonText([...context.books.values()].map((each) => addressOf(context, each)));
    },
  }),
  withBody('POST', {
    path: '/page',
    operation: 'linkPage',
    summary: 'A new link to the page; it works once',
    status: 201,
    body: z.strictObject({}),
    data: schemas.pageData,
    run: ({ context }) => jsonText({ page_url: context.pageUrl() }),
  }),
];

function addressOf(context: ControlContext, book: AdminContext): object {
  const { url, keys } = context.addressOf(book);
  return { name: book.name, base_url: url, keys };
}

function clockText({ db, clock }: AdminContext): string {
  const { now, manual, bookId } = bookTime(db, clock.now());
  return jsonText({ mode: manual ? 'manual' : 'wall', book_time: isoTime(now), book_id: bookId });
}

/** Without the store's path and the wall clock, which differ from run to run. */
function statusText({ book_id, book_time, clock, books }: PracticeStatus): string {
  return jsonText({ book_id, book_time, clock, accounts: books });
}

async function setClock(book: AdminContext, instant: number): Promise<void> {
  const { now } = bookTime(book.db, book.clock.now());
  if (instant < now) throw wrongField('time', `the book is at ${isoTime(now)}; it never goes back`);
  if (instant > now) await makeAdmin(book).advance(instant - now);
}

function setPricePath(
  book: AdminContext,
  market: string,
  points: readonly { at: string; price: number }[],
): void {
  if (!book.settings.current(book.db).terms.markets.has(market))
    throw new ApiError('market_not_found', 'The service has no such market.', {
      details: { field: 'market' },
    });
  const path = points.map(({ at, price }) => ({
    at: Date.parse(at),
    price: decimalOf(String(price), RATE_DECIMALS) ?? 0n,
  }));
  if (path.some(({ at }, index) => index > 0 && at <= (path[index - 1]?.at ?? 0)))
    throw wrongField('points', 'each must be later than the one before');
  book.db.transaction(() => {
    // At the prices so far.
    bringToNow(book);
    storePricePath(book.db, market, path);
  });
}

function pathsText({ db }: AdminContext, market?: string): string {
  const paths = [...pricePaths(db)].filter(([name]) => market === undefined || name === market);
  return jsonText(
    paths.map(([name, points]) => ({
      market: name,
      points: points.map(({ at, price }) => ({ at: isoTime(at), price: Number(rateText(price)) })),
    })),
  );
}
