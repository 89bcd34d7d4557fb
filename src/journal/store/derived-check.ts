/** Whether the derived tables are what the records say: for those who read every record. */
import { LOOKUPS } from '../record-source.ts';
import type { Summary } from '../summary.ts';
import { readSummary } from './derived-tables.ts';
import { JournalDamage, type JournalDatabase, numberOf } from './journal-database.ts';

/** @throws JournalDamage when the summary is not the one that was made of all records again. */
export function checkSummary(db: JournalDatabase, made: Summary, head: Uint8Array | undefined): void {
  if (readSummary(db, head).text !== made.text)
    throw new JournalDamage(db.path, 'its list of open actions, rolls and halts is not what its records say');
}

/** @throws JournalDamage where there are more or fewer lookups than the records have. */
export function checkLookups(db: JournalDatabase, count: number): void {
  const row = db.get('SELECT count(*) AS count FROM lookup') ?? {};
  if (numberOf(row, 'count', db.path) !== count)
    throw new JournalDamage(db.path, 'not every record is found by what it has');
}

/** Each column of each record has its row in `lookup`, and there are no others. */
export function lookupAgrees(db: JournalDatabase): boolean {
  const counts = LOOKUPS.map((name) => `count(${name})`).join(' + ');
  const values = LOOKUPS.map((name) => `WHEN '${name}' THEN r.${name}`).join(' ');
  const other = db.get(
    `SELECT l.seq FROM lookup l LEFT JOIN records r ON r.seq = l.seq WHERE l.value IS NOT CASE l.name ${values} END LIMIT 1`,
  );
  const isAll = db.get(`SELECT 1 WHERE (SELECT count(*) FROM lookup) = (SELECT ${counts} FROM records)`);
  return other === undefined && isAll !== undefined;
}
