/** A log that is not the one which a copy continues: what the copy has beyond it, and the halt that makes a person look. */
import { createHash } from 'node:crypto';
import { timeInWords } from '../journal/describe.ts';
import { isOfAction, isOfRoll } from '../journal/records.ts';
import { readStamp } from '../journal/stamp.ts';
import { type Signature, signedAt } from '../journal/store/new-records.ts';
import { recordOfLog, type StoredRecord } from '../journal/store/record-rows.ts';
import type { LogConnection } from './connection.ts';
import type { Follower } from './follower.ts';
import { type GivenRecord, hashesOf, textsOf } from './log.ts';

export interface BeyondLog {
  /** The last record that both have; 0 without one. */
  fork: number;
  /** Records of the copy that the log does not have, by ID; in order. */
  missing: readonly StoredRecord[];
}

/** Hashes that are compared in one round trip. */
const PAGE = 2_000;
const LOOKED_UP = 500;

/** @throws LogFailure */
export async function beyondLog(connection: LogConnection, follower: Follower): Promise<BeyondLog> {
  const fork = await forkOf(connection, follower);
  const missing: StoredRecord[] = [];
  const beyond = follower.records(fork + 1);
  for (let at = 0; at < beyond.length; at += LOOKED_UP) {
    const some = beyond.slice(at, at + LOOKED_UP);
    const ids = some.map(({ id }) => id);
    const there = await textsOf(connection, ids);
    missing.push(...some.filter(({ id, record }) => !isThere(record, there.get(id))));
  }
  return { fork, missing };
}

/** Or its ID is used up: the machine that appended it had no answer, and recorded that the step was not taken. */
function isThere(text: string, found: string | undefined): boolean {
  if (found === undefined || found === text) return found === text;
  const [own, other] = [recordOfLog(text), recordOfLog(found)];
  return (
    (other.kind === 'not_sent' && isOfAction(own) && own.action_id === other.action_id) ||
    (other.kind === 'roll_end' && isOfRoll(own) && own.chain_id === other.chain_id)
  );
}

/** From the end: a log that was put back shares its beginning with the copy. */
async function forkOf(connection: LogConnection, follower: Follower): Promise<number> {
  for (let to = follower.head.seq; to > 0; to -= PAGE) {
    const from = Math.max(1, to - PAGE + 1);
    const there = await hashesOf(connection, { from, to });
    for (const { seq, hash } of follower.records(from, to).toReversed()) {
      if (there.get(seq) === hash) return seq;
    }
  }
  return 0;
}

/** A sentence. */
export function rewoundInWords(name: string, { missing }: BeyondLog): string {
  const [first] = missing;
  const count = missing.length;
  const at = first && readStamp(first.stamp)?.at;
  const since = at === undefined ? '' : `, the first of ${timeInWords(at)}`;
  return `The log of desk ${name} lacks ${count.toString()} ${count === 1 ? 'record' : 'records'} that this machine has${since}: an older database was put in its place.`;
}

/** The same for the same records, so that it is in the log once. */
export function haltOfRewound(
  { name, missing }: BeyondLog & { name: string },
  { nowMs, who, ...signature }: Signature & { nowMs: number },
): GivenRecord {
  const id = idOf(`halt ${name} ${missing.map((each) => each.id).join(' ')}`);
  return {
    id,
    record: JSON.stringify({
      ...signedAt(nowMs, signature),
      kind: 'halt',
      halt_id: id,
      who,
      why: `the log of desk ${name} was put back: ${who} has ${missing.length.toString()} later records (hedge desk adopt)`,
    }),
  };
}

/** Record ID computed from a text: the same event is one record, whichever machine appends it. */
export const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
