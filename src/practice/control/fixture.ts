/** Dumps a whole book as a document, and loads it in place of another. It holds no key and no certificate. */
import { type AdminContext, restartSequence } from '../admin.ts';
import { positionsAt, readAccounts } from '../book/accounts.ts';
import { bringToNow } from '../book/bring-to-now.ts';
import { changeSums, marketsInUse } from '../book/side-sums.ts';
import { asFilledHedge, hedgeFromRow, orderFromRow } from '../book/stored-records.ts';
import { bookContext, bookTime } from '../book/transaction-context.ts';
import { DamagedRecordError, PRACTICE_ENVIRONMENTS, wrongField } from '../domain/practice-types.ts';
import { newBookId } from '../domain/random-ids.ts';
import {
  applyFaultChange,
  type Faults,
  noFaults,
  readStoredFaults,
  rejectIdle,
} from '../faults/fault-settings.ts';
import { parseSettings } from '../settings.ts';
import { saveSettings } from '../settings-store.ts';
import { startManualClock } from '../store/control-tables.ts';
import { bigintColumn, type Database, insertRow, integerColumn, textColumn } from '../store/database.ts';
import { SCHEMA_VERSION } from '../store/tables.ts';
import type { Fixture } from './control-schemas.ts';

/** Keys, certificate and clock belong to the service, not to the book; settings have versions; sums are computed. */
const KEPT_TABLES = [
  'service',
  'control_key',
  'manual_clock',
  'settings_versions',
  'side_sums',
  'side_phases',
];

type Cell = string | number | null;
type FixtureRow = Record<string, Cell>;

/** Everything due has happened in it. */
export function dumpBook(book: AdminContext): Fixture {
  return book.db.transaction(() => {
    bringToNow(book);
    const tables = tableNames(book.db).map((table): [string, FixtureRow[]] => [
      table,
      rowsOf(book.db, table),
    ]);
    return {
      format: 'hedge-practice-book',
      version: SCHEMA_VERSION,
      faults: { ...book.faults.current(book.db) },
      settings: { ...book.settings.current(book.db).settings },
      tables: Object.fromEntries(tables),
    };
  });
}

function tableNames(db: Database): string[] {
  return db
    .all(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .map((row) => textColumn(row, 'name'))
    .filter((name) => !KEPT_TABLES.includes(name));
}

function rowsOf(db: Database, table: string): FixtureRow[] {
  return db.all(`SELECT * FROM ${table}`).map((row) => {
    const cells = Object.entries(row).map(([column, value]): [string, Cell] => [column, cellOf(value)]);
    return Object.fromEntries(cells);
  });
}

function cellOf(value: unknown): Cell {
  if (value === null || typeof value === 'string') return value;
  if (typeof value !== 'bigint') throw new DamagedRecordError('a value of another type');
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** Book time becomes that of the fixture. The book gets a new ID. Throws `PracticeInputError` and changes nothing. */
export function loadBook(book: AdminContext, fixture: Fixture): void {
  if (fixture.version !== SCHEMA_VERSION) {
    throw wrongField('version', `the fixture has ${fixture.version}; this service reads ${SCHEMA_VERSION}`);
  }
  const settings = parseSettings(fixture.settings);
  const markets = new Set(Object.keys(settings.markets));
  const faults = rejectIdle(applyFaultChange(noFaults, faultsIn(fixture), markets));
  book.db.transaction(() => {
    const { bookId, manual } = bookTime(book.db, 0);
    const names = tableNames(book.db);
    const unknown = Object.keys(fixture.tables).find((table) => !names.includes(table));
    if (unknown !== undefined) throw wrongField('tables', 'has a table that is not part of a book');
    for (const table of names) book.db.run(`DELETE FROM ${table}`);
    for (const table of names) insertRows(book.db, table, fixture.tables[table] ?? []);
    saveSettings(book.db, settings);
    checkBook(book);
    book.random.restart?.(`after ${bookId}`);
    const { now } = bookTime(book.db, 0);
    const last = integerColumn(book.db.get('SELECT last_instant FROM book'), 'last_instant');
    book.db.run(
      'UPDATE book SET book_id = ?, ahead_ms = ?',
      newBookId(book.random),
      manual ? 0 : last - Math.floor(book.clock.now()),
    );
    if (manual && now !== last) startManualClock(book.db, last);
    restartSequence(book);
    book.faults.replace(book.db, faults);
  });
}

function faultsIn({ faults }: Fixture): Faults {
  try {
    return readStoredFaults(faults);
  } catch (error) {
    if (error instanceof DamagedRecordError) throw wrongField('faults', 'has a fault that cannot be read');
    throw error;
  }
}

function insertRows(db: Database, table: string, records: readonly FixtureRow[]): void {
  const columns = db
    .all(`SELECT name FROM pragma_table_info('${table}')`)
    .map((row) => textColumn(row, 'name'));
  for (const row of records) {
    if (Object.keys(row).some((column) => !columns.includes(column)))
      throw wrongField(`tables.${table}`, 'has a column that is not in a book');
    try {
      insertRow(db, table, integersOf(row));
    } catch (error) {
      if (!(error instanceof Error && 'errcode' in error)) throw error;
      throw wrongField(`tables.${table}`, 'has a row that does not fit');
    }
  }
}

/** Numbers are bound as integers: a fraction does not fit. */
function integersOf(row: FixtureRow): Record<string, string | bigint | null> {
  const cells = Object.entries(row).map(([column, value]): [string, string | bigint | null] => {
    if (typeof value !== 'number') return [column, value];
    if (!Number.isSafeInteger(value)) throw wrongField(column, 'is not a whole number');
    return [column, BigInt(value)];
  });
  return Object.fromEntries(cells);
}

/** Every record is readable, and every balance is the sum of its postings. */
function checkBook(book: AdminContext): void {
  const { db } = book;
  try {
    const { now } = bookTime(db, 0);
    const context = bookContext(book);
    const { terms } = context;
    rebuildSums(db);
    const missing = marketsInUse(db).find((market) => !terms.markets.has(market));
    if (missing !== undefined)
      throw wrongField('tables.hedge_records', 'has a market that the settings lack');
    for (const environment of PRACTICE_ENVIRONMENTS) {
      positionsAt(context, environment, now);
      if (readAccounts(db, environment).balance !== postedBalance(db, environment))
        throw wrongField('tables.accounts', 'has a balance that is not the sum of its postings');
    }
  } catch (error) {
    if (error instanceof DamagedRecordError) throw wrongField('tables', 'has a record that cannot be read');
    throw error;
  }
}

/** Computes the sums of both environments from the hedges and orders. */
export function rebuildSums(db: Database): void {
  db.exec('DELETE FROM side_sums; DELETE FROM side_phases');
  const sums = changeSums(db);
  for (const hedge of db.all('SELECT * FROM hedge_records').map(hedgeFromRow))
    sums.replace(undefined, hedge.status === 'filled' ? asFilledHedge(hedge) : hedge);
  const adds = db.all(`SELECT * FROM orders WHERE kind = 'add' AND state = 'pending'`).map(orderFromRow);
  for (const order of adds) sums.addInFlight(order, order.notional);
  sums.save();
}

function postedBalance(db: Database, environment: string): bigint {
  const sql = 'SELECT COALESCE(SUM(balance), 0) AS balance FROM postings WHERE environment = ?';
  return bigintColumn(db.get(sql, environment), 'balance');
}
