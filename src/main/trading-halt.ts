/** Halts trading and lifts halts: each is a record of the journal, in effect once it is written. */
import type { HaltEffect, TradingHalt } from '../commands/command-context.ts';
import { exactInstant } from '../domain/instants.ts';
import { DamagedFileError } from '../errors.ts';
import { type Halt, haltReason } from '../journal/halt.ts';
import { type HaltRecord, mintId, type Operator, SCHEMA } from '../journal/records.ts';
import { type Journal, openJournal } from '../journal/store/journal.ts';
import { haltNow } from '../readings/read-journal.ts';
import { recordedOperator, type SelectProfile } from './own-journal.ts';
import type { CommandRuntime } from './runtime-context.ts';

/** @throws UsageError for the reason; DamagedFileError that says whether trading is halted. */
export async function haltTrading(
  { why, note }: Parameters<TradingHalt['halt']>[0],
  { parts, select }: { parts: CommandRuntime; select: SelectProfile },
): Promise<HaltEffect> {
  const { machine, version } = parts;
  const { host, random } = machine;
  const reason = haltReason(why);
  const operator = await operatorOrUser(parts, select);
  const journal = openJournal({ places: parts.places(), machine });
  const who = operator.name === undefined ? host.who() : `${operator.name} (${host.who()})`;
  try {
    return await appended(journal, {
      schema: SCHEMA,
      kind: 'halt',
      at: exactInstant(machine.clock.now()),
      halt_id: mintId(random),
      who,
      why: reason,
      ...(note === undefined ? {} : { note }),
      operator,
      version,
    });
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    throw error.with({ book: bookAfter(error, journal) });
  }
}

function bookAfter(error: DamagedFileError, journal: Journal): string {
  if (haltNow(journal) !== undefined)
    return 'An earlier halt still blocks opens and adds, but this one was not stored.';
  // A disk that fails when the record is synced may have kept it all the same.
  return isOfDatabase(error)
    ? 'It is not certain that trading is halted: opens and adds from this machine may continue. Halt again.'
    : 'NOT HALTED: opens and adds from this machine continue.';
}

const isOfDatabase = ({ cause }: Error): boolean =>
  cause instanceof Error && ('errcode' in cause || isOfDatabase(cause));

/** Lifts these halts and no other. @throws DamagedFileError, and then they still hold. */
export const liftTradingHalt = (
  { halt: { ids, who, at, why }, note }: Parameters<TradingHalt['unhalt']>[0],
  { parts, journal }: { parts: CommandRuntime; journal: Journal },
): Promise<HaltEffect> =>
  appended(journal, {
    schema: SCHEMA,
    kind: 'unhalt',
    at: exactInstant(parts.machine.clock.now()),
    halt_ids: [...ids],
    lifted: { who, at, why },
    ...(note === undefined ? {} : { note }),
  });

async function appended(journal: Journal, record: HaltRecord): Promise<HaltEffect> {
  let before: Halt | undefined;
  const after = await journal.append([record], ({ halt }) => {
    before = halt;
  });
  return { before, now: after.halt };
}

/** A wrong HEDGE_OPERATOR must not prevent a halt. */
async function operatorOrUser(parts: CommandRuntime, select: SelectProfile): Promise<Operator> {
  try {
    return await recordedOperator(parts, select);
  } catch {
    const { host } = parts.machine;
    return { user: host.user(), host: host.self.hostname || 'unknown' };
  }
}
