/** The faults in force: those stored in the database, overridden by those of this service. */

import { type Database, textColumn } from '../store/database.ts';
import { applyFaultChange, decodeFaults, encodeFaults, type Faults, noFaults } from './faults.ts';

export interface FaultStore {
  /** The stored faults, overridden by this service's own. */
  current(db: Database): Faults;
  /** Uses up one request of `once`. Inside a transaction. */
  countDown(db: Database): void;
  set(db: Database, change: Partial<Faults>): Faults;
  clear(db: Database): Faults;
}

export function makeFaultStore(markets: ReadonlySet<string>, initial?: Partial<Faults>): FaultStore {
  // Reports a wrong option of `serve` before it serves.
  if (initial !== undefined) applyFaultChange(noFaults, initial, markets);
  let own: Partial<Faults> = initial ?? {};
  let last = { text: encodeFaults(noFaults), faults: noFaults };

  const stored = (db: Database): Faults => {
    // The column has its old name, so that existing stores open.
    const row = db.get('SELECT weather FROM service');
    if (row === undefined) throw new TypeError('The practice database holds no faults.');
    const text = textColumn(row, 'weather');
    if (text !== last.text) last = { text, faults: decodeFaults(text) };
    return last.faults;
  };
  return {
    current: (db) => applyFaultChange(stored(db), own, markets),
    countDown(db) {
      if (typeof own.once === 'number') {
        own = own.once > 1 ? { ...own, once: own.once - 1 } : {};
        return;
      }
      const faults = stored(db);
      if (faults.once === null) return;
      store(db, faults.once > 1 ? { ...faults, once: faults.once - 1 } : noFaults);
    },
    set: (db, change) => db.transaction(() => store(db, applyFaultChange(stored(db), change, markets))),
    clear: (db) => db.transaction(() => store(db, noFaults)),
  };
}

function store(db: Database, faults: Faults): Faults {
  db.run('UPDATE service SET weather = ?', encodeFaults(faults));
  return faults;
}
