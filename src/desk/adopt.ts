/** A person brings a machine and a log together again that was put back: what the machine has is delivered, or accepted as lost. */
import { timeInWords } from '../journal/describe.ts';
import { DESK_LIMITS } from '../journal/desk-limits.ts';
import { type JournalRecord, mintId } from '../journal/records.ts';
import { newRecord, signedAt } from '../journal/store/new-records.ts';
import { type JournalHead, recordOfLog } from '../journal/store/record-rows.ts';
import { appendPages, hashesOf } from './log.ts';
import type { DeskTalk } from './log-session.ts';
import { inRuns } from './own-records.ts';
import { type BeyondLog, beyondLog, rewoundInWords } from './rewound.ts';

export interface Rewound extends BeyondLog {
  /** A sentence. */
  found: string;
  /** The last record that this machine has seen, where its copy lacks that too. */
  lost: JournalHead | undefined;
  /** Limits, lifted halts and outcomes in the missing records, as clauses: delivered, they count in place of later ones. */
  decisions: readonly string[];
}

/** Undefined when the log continues the copy. @throws LogFailure */
export async function findRewound({ name, session, follower }: DeskTalk): Promise<Rewound | undefined> {
  const connection = await session.connection();
  const beyond = await beyondLog(connection, follower);
  const { lacking: lost } = follower;
  const there = lost && (await hashesOf(connection, { from: lost.seq, to: lost.seq })).get(lost.seq);
  const isThere = lost === undefined || there === lost.hash;
  if (beyond.missing.length === 0 && isThere) return undefined;
  const found =
    beyond.missing.length > 0
      ? rewoundInWords(name, beyond)
      : `The log of desk ${name} lacks record ${(lost?.seq ?? 0).toString()}, which this machine has seen, and its copy lacks it too.`;
  const decisions = beyond.missing.flatMap(({ record }) => decisionIn(recordOfLog(record)) ?? []);
  return { ...beyond, found, lost: isThere ? undefined : lost, decisions };
}

function decisionIn(record: JournalRecord): string | undefined {
  const decided = (what: string): string => `${timeInWords(record.at)}: ${what}`;
  if (record.kind === 'desk_limit') {
    const set = DESK_LIMITS.flatMap((name) => {
      const { [name]: to } = record;
      return to === undefined ? [] : `${name} ${to ?? 'none'}`;
    });
    return decided(`limits set, ${set.join(', ')}`);
  }
  if (record.kind === 'unhalt') return decided('halt lifted');
  if (record.kind === 'roll_end') return decided(`roll ${record.chain_id} ended, ${record.as}`);
  return record.kind === 'settled'
    ? decided(`action ${record.action_id} recorded as ${record.as === 'done' ? 'executed' : 'not executed'}`)
    : undefined;
}

export interface Adopted {
  delivered: number;
  /** Unhalts and limits among them: what this login may not do, it does not do now either. */
  relaxing: number;
  /** Path of the old copy. */
  aside: string | undefined;
  records: number;
}

/** Begins with a halt, so that a person looks. @throws LogFailure, DamagedFileError */
export async function adopt(
  { missing, found }: Rewound,
  note: string | undefined,
  { name, machine, session, follower, signature }: DeskTalk,
): Promise<Adopted> {
  const connection = await session.connection();
  const { who } = signature;
  const base = signedAt(machine.clock.now(), signature);
  const why = `the log of desk ${name} was put back; ${who} delivered what it lacked`;
  const first: readonly JournalRecord[] = [
    { ...base, kind: 'halt', halt_id: mintId(machine.random), who, why },
    { ...base, kind: 'desk_adopt', who, found, ...(note === undefined ? {} : { note }) },
  ];
  const given = first.map((record) => newRecord(record, machine.random));
  await appendPages(connection, given);
  for (const { isEarlier, run } of inRuns(missing)) await appendPages(connection, run, { isEarlier });
  const aside = follower.putAside('replaced');
  session.forgetFailure();
  await session.pull();
  const relaxing = missing.filter(({ record }) =>
    ['unhalt', 'desk_limit'].includes(recordOfLog(record).kind),
  );
  return { delivered: missing.length, relaxing: relaxing.length, aside, records: follower.head.seq };
}
