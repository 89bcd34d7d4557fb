/**
 * Keeps the weather: the one that lasts in the database, and over it the one of this service only. Counts down
 * `once` and clears what has run out. Refuses to know what the weather does to a request.
 */
import type { Weather } from '../door.ts';
import { type Database, text } from '../store/database.ts';
import { calm, changed, weatherIn, weatherText } from './weather.ts';

export interface WeatherKeeper {
  /** What falls now: the kept weather with this service's own over it. */
  current(db: Database): Weather;
  kept(db: Database): Weather;
  /** One request has had its weather. Inside a transaction. */
  countDown(db: Database): void;
  set(db: Database, change: Partial<Weather>): Weather;
  clear(db: Database): Weather;
}

export function weatherKeeper(markets: ReadonlySet<string>, own?: Partial<Weather>): WeatherKeeper {
  // Checked at once, so that a wrong option of `serve` is said before it serves.
  if (own !== undefined) changed(calm, own, markets);
  let over: Partial<Weather> = own ?? {};
  let last = { text: weatherText(calm), weather: calm };

  const kept = (db: Database): Weather => {
    const row = db.get('SELECT weather FROM service');
    if (row === undefined) throw new TypeError('The practice database holds no weather.');
    const stored = text(row, 'weather');
    if (stored !== last.text) last = { text: stored, weather: weatherIn(stored) };
    return last.weather;
  };
  return {
    kept,
    current: (db) => changed(kept(db), over, markets),
    countDown(db) {
      if (typeof over.once === 'number') {
        over = over.once > 1 ? { ...over, once: over.once - 1 } : {};
        return;
      }
      const weather = kept(db);
      if (weather.once === null) return;
      keep(db, weather.once > 1 ? { ...weather, once: weather.once - 1 } : calm);
    },
    set: (db, change) => db.immediate(() => keep(db, changed(kept(db), change, markets))),
    clear: (db) => db.immediate(() => keep(db, calm)),
  };
}

function keep(db: Database, weather: Weather): Weather {
  db.run('UPDATE service SET weather = ?', weatherText(weather));
  return weather;
}
