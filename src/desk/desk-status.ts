/** Who follows a desk, and its last record, as this machine's copy has them. */
import type { DeskLimits } from '../journal/desk-limits.ts';
import type { Halt } from '../journal/halt.ts';
import type { Operator, RecordedIdentity } from '../journal/records.ts';
import type { Stamp } from '../journal/stamp.ts';
import type { DeskView } from '../journal/state.ts';
import type { JournalDatabase } from '../journal/store/journal-database.ts';
import type { JournalTrouble } from '../journal/trouble.ts';
import type { Membership } from './membership.ts';
import { type Ignored, membersOf, stampedRows } from './stamped-rows.ts';

export interface DeskMachine {
  /** `ada@one` */
  who: string;
  login: string | undefined;
  version: string | undefined;
  /** When it joined. ISO 8601 UTC, by the database's time. */
  joinedAt: string;
  /** Its last record. */
  lastAt: string | undefined;
  leftAt: string | undefined;
}

export interface LastRecord {
  seq: number;
  /** By the database's time. */
  at: string | undefined;
  kind: string;
  operator: Operator | undefined;
  login: string | undefined;
}

export interface DeskStatus {
  name: string;
  state: Membership['state'];
  url: string;
  identity: RecordedIdentity;
  /** Undefined unless this machine follows the log. */
  desk: DeskView | undefined;
  trouble: JournalTrouble | undefined;
  halt: Halt | undefined;
  limits: DeskLimits;
  /** The database's clock less this machine's. */
  shiftMs: number;
  machines: readonly DeskMachine[];
  /** Lifted halts and raised limits that count for nothing. */
  ignored: readonly Ignored[];
  last: LastRecord | undefined;
}

export interface LimitsChanged {
  name: string;
  before: DeskLimits;
  after: DeskLimits;
  /** `left`: this machine follows the log no more, and the change is of its copy alone. */
  delivery: 'delivered' | 'waiting' | 'left';
}

/** Those that have left come last. */
export function machinesOf(db: JournalDatabase): readonly DeskMachine[] {
  const last = lastRecords(db);
  const members = membersOf(db).toSorted(
    (one, other) => Number(one.leftAt !== undefined) - Number(other.leftAt !== undefined),
  );
  return members.map(({ record: { who, operator, version, at }, stamp, leftAt }) => ({
    who,
    login: stamp?.login,
    version,
    joinedAt: stamp?.at ?? at,
    lastAt: operator && last.get(atMachine(operator, stamp)),
    leftAt,
  }));
}

/** A machine that has recorded nothing among so many is not looked for further back. */
const RECENT = 2_000;

const atMachine = ({ user, host }: Operator, stamp: Stamp | undefined): string =>
  `${stamp?.login ?? ''} ${user}@${host}`;

function lastRecords(db: JournalDatabase): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const newest = stampedRows(db, `ORDER BY seq DESC LIMIT ${RECENT.toString()}`);
  for (const { record, stamp } of newest.toReversed())
    if (record.operator !== undefined && stamp !== undefined)
      found.set(atMachine(record.operator, stamp), stamp.at);
  return found;
}

export function lastRecord(db: JournalDatabase): LastRecord | undefined {
  const [last] = stampedRows(db, 'ORDER BY seq DESC LIMIT 1');
  if (last === undefined) return undefined;
  const { seq, record, stamp } = last;
  return { seq, at: stamp?.at, kind: record.kind, operator: record.operator, login: stamp?.login };
}
