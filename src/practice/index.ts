/** The door of the practice service: the only file of it that `main.ts` imports, and that lazily. */
import { type Administered, administration } from './admin.ts';
import { dealtMarkets } from './book/hedges.ts';
import { bookIdOf } from './book/time.ts';
import type {
  PracticeAdmin,
  PracticeAdminOptions,
  PracticeOptions,
  PracticeService,
  Weather,
} from './door.ts';
import { PracticeStoreError } from './failures.ts';
import { listen } from './http/listen.ts';
import { loadSettings } from './settings/load.ts';
import { identityOf, keysOf } from './store/identity.ts';
import { openStore } from './store/open.ts';
import { weatherKeeper } from './weather/keeper.ts';
import { calm, weatherText } from './weather/weather.ts';

export type * from './door.ts';
export { PracticeInputError, PracticeStoreError } from './failures.ts';

/** Starts listening on loopback; the returned service answers until it is closed. */
export async function startPracticeService(options: PracticeOptions): Promise<PracticeService> {
  const opened = await openBook(options, options.weather);
  try {
    const identity = await identityOf(opened.db, options);
    const listening = await listen(
      { ...opened, keys: keysOf(opened.db) },
      { identity, host: options.host, port: options.port, onRequest: options.onRequest },
    );
    return {
      url: listening.url,
      ca: identity.authorityPem,
      caFile: identity.caFile,
      keys: identity.keys,
      get bookId() {
        return bookIdOf(opened.db);
      },
      admin: administration(opened),
      async close() {
        await listening.close();
        opened.db.close();
      },
    };
  } catch (error) {
    opened.db.close();
    throw error;
  }
}

/** The same administration without a listening server. */
export async function openPracticeAdmin(
  options: PracticeAdminOptions,
): Promise<PracticeAdmin & { close(): Promise<void> }> {
  const opened = await openBook(options);
  return { ...administration(opened), close: async () => opened.db.close() };
}

async function openBook(options: PracticeAdminOptions, weather?: Partial<Weather>): Promise<Administered> {
  const { clock, random, store } = options;
  const { settings, terms } = await loadSettings(store);
  const keeper = weatherKeeper(new Set(terms.markets.keys()), weather);
  const db = await openStore({
    store,
    random,
    openingBalance: terms.openingBalance,
    calmWeather: weatherText(calm),
  });
  const missing = dealtMarkets(db).find((market) => !terms.markets.has(market));
  if (missing !== undefined) {
    db.close();
    throw new PracticeStoreError(
      store,
      `The practice settings in ${store} have no market ${missing}, but its book holds hedges on it. Name it there again.`,
    );
  }
  return { db, terms, random, clock, store, settings, weather: keeper };
}
