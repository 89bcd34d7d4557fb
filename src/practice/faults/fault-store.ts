/** Stores the faults of a book, and the faults that one service was started with. */
import { DamagedRecordError, definedFields } from '../domain/practice-types.ts';
import { matchesRequest, type RequestFacts } from '../domain/request-match.ts';
import { type Database, textColumn } from '../store/database.ts';
import {
  applyFaultChange,
  effectsOf,
  type FaultEffects,
  type FaultScript,
  type Faults,
  noFaults,
  readStoredFaults,
  rejectIdle,
} from './fault-settings.ts';

export type FaultStore = ReturnType<typeof makeFaultStore>;

export const encodeFaults = (faults: Faults): string => JSON.stringify(faults);

/** `marketsOf`: those of the settings in force. */
export function makeFaultStore(
  marketsOf: (db: Database) => ReadonlySet<string>,
  initial: Partial<Faults> = {},
) {
  let own = initial;
  let last = { text: encodeFaults(noFaults), faults: noFaults };

  const stored = (db: Database): Faults => {
    const row = db.get('SELECT faults FROM service');
    if (row === undefined) throw new DamagedRecordError('no faults');
    const text = textColumn(row, 'faults');
    if (text !== last.text) last = { text, faults: decoded(text) };
    return last.faults;
  };
  return {
    /** The stored faults, overridden by this service's own. */
    current(db: Database): Faults {
      const found = stored(db);
      return Object.keys(own).length === 0 ? found : { ...found, ...definedFields(own) };
    },
    /** The step of the first of the current scripts that matches, which is used up; undefined without one. Inside a transaction. */
    takeStep(db: Database, { scripts }: Faults, request: RequestFacts): FaultEffects | undefined {
      const at = scripts.findIndex(({ match }) => match === undefined || matchesRequest(match, request));
      const script = scripts[at];
      if (script === undefined) return undefined;
      const { nth = 1, ...match } = script.match ?? {};
      const rest: FaultScript =
        nth > 1
          ? { ...script, match: { ...match, nth: nth - 1 } }
          : { ...script, match, steps: script.steps.slice(1) };
      const left = scripts.toSpliced(at, 1, ...(rest.steps.length === 0 ? [] : [rest]));
      if (own.scripts === undefined) save(db, { ...stored(db), scripts: left });
      else own = { ...own, scripts: left };
      const [step] = script.steps;
      return nth > 1 || step === undefined ? undefined : effectsOf(step);
    },
    /** Uses up one request of `once`. Inside a transaction. */
    countDown(db: Database): void {
      if (typeof own.once === 'number') {
        const { scripts } = own;
        const rest = scripts === undefined ? {} : { scripts };
        own = own.once > 1 ? { ...own, once: own.once - 1 } : rest;
        return;
      }
      const faults = stored(db);
      if (faults.once === null) return;
      const { scripts } = faults;
      save(db, faults.once > 1 ? { ...faults, once: faults.once - 1 } : { ...noFaults, scripts });
    },
    /** Changes the stored faults; this service's own do not override what was changed. */
    set(db: Database, change: Partial<Faults>): Faults {
      const kept = withoutFields(own, Object.keys(definedFields(change)));
      const faults = db.transaction(() => {
        const markets = marketsOf(db);
        const changed = rejectIdle(applyFaultChange(stored(db), change, markets));
        applyFaultChange(changed, kept, markets);
        return save(db, changed);
      });
      own = kept;
      return faults;
    },
    /** All of them, this service's own too. */
    replace(db: Database, faults: Faults): Faults {
      own = {};
      return save(db, faults);
    },
    /** Returns to the faults that the service started with. */
    restore(db: Database): void {
      own = initial;
      save(db, noFaults);
    },
  };
}

function decoded(text: string): Faults {
  try {
    return readStoredFaults(JSON.parse(text));
  } catch (cause) {
    throw cause instanceof DamagedRecordError
      ? cause
      : new DamagedRecordError('unreadable faults', { cause });
  }
}

function withoutFields(faults: Partial<Faults>, names: readonly string[]): Partial<Faults> {
  return Object.fromEntries(Object.entries(faults).filter(([name]) => !names.includes(name)));
}

function save(db: Database, faults: Faults): Faults {
  db.run('UPDATE service SET faults = ?', encodeFaults(faults));
  return faults;
}
