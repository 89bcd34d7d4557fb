/**
 * Halts trading and lifts halts: each is a record of the journal, in effect once it is written. A halt is also one of every
 * desk that this machine follows: it counts here at once, and is delivered as soon as the log can be reached.
 */
import type { HaltDelivery, HaltEffect, TradingHalt } from '../commands/command-context.ts';
import { whoOf } from '../config/operator-names.ts';
import { andThen, say, shell } from '../domain/hint.ts';
import { exactInstant } from '../domain/instants.ts';
import { DamagedFileError, HedgeError, StoppedError, unless } from '../errors.ts';
import { type Halt, haltReason } from '../journal/halt.ts';
import { type HaltRecord, mintId, type Operator, SCHEMA } from '../journal/records.ts';
import { type Journal, openJournal } from '../journal/store/journal.ts';
import { signedAt } from '../journal/store/new-records.ts';
import { userAt } from '../platform/host.ts';
import { haltNow } from '../readings/read-journal.ts';
import { hasDesk, type OwnDesk, type OwnDeskJournal, ownDesks } from './own-desks.ts';
import { type OwnJournal, recordedOperator, type SelectProfile } from './own-journal.ts';
import type { DeskRuntime } from './runtime-context.ts';

export interface HaltPorts {
  parts: DeskRuntime;
  select: SelectProfile;
  /** Journal of the selected account, not begun; undefined if the account is not known. */
  selected: () => Promise<OwnJournal | undefined>;
}

/** @throws UsageError for the reason; DamagedFileError that says whether trading is halted. */
export async function haltTrading(
  { why, note, timeoutMs }: Parameters<TradingHalt['halt']>[0],
  { parts, select, selected }: HaltPorts,
): Promise<HaltEffect> {
  const { machine, version } = parts;
  const { host, random } = machine;
  const reason = haltReason(why);
  const operator = await operatorOrUser(parts, select);
  const who = whoOf(operator, host);
  machine.clock.shiftMs = await knownShiftMs(parts);
  const record: HaltRecord = {
    ...signedAt(machine.clock.now(), { operator, version }),
    kind: 'halt',
    halt_id: mintId(random),
    who,
    why: reason,
    ...(note === undefined ? {} : { note }),
  };
  const own = openJournal({ places: parts.places(), machine });
  // Each takes effect at once; a failure of one must not keep the others from it. A join that ends meanwhile takes it from the first.
  const [atOwn] = await Promise.allSettled([appended(own, record)]);
  const desks = await ownDesks(parts, operator);
  const { stored, failed } = await storedIn(desks, record);
  const delivered = await deliveredTo(stored, timeoutMs, parts);
  if (atOwn.status === 'rejected') throw haltFailed(atOwn.reason, own, stored);
  const desk = desks.length === 0 ? undefined : (await selected().catch(() => undefined))?.desk?.member.name;
  const { effect } = stored.find(({ name }) => name === desk) ?? { effect: atOwn.value };
  return { ...effect, desks: delivered, failed };
}

function haltFailed(reason: unknown, own: Journal, stored: readonly StoredHalt[]): unknown {
  if (!(reason instanceof DamagedFileError)) return reason;
  const names = stored.map(({ name }) => name);
  const halted = names.length === 0 ? '' : ` The halt is stored for the account of desk ${names.join(', ')}.`;
  return reason.with({ meaning: `${meaningAfter(reason, own)}${halted}` });
}

interface StoredHalt {
  name: string;
  journal: OwnDeskJournal;
  effect: HaltEffect;
}

/** `failed`: the first error, which names the desks without the halt. */
async function storedIn(
  desks: readonly OwnDesk[],
  record: HaltRecord,
): Promise<{ stored: readonly StoredHalt[]; failed: HedgeError | undefined }> {
  const missing: { name: string; error: HedgeError }[] = [];
  const all = await Promise.all(
    desks.map(async ({ name, open }): Promise<StoredHalt | undefined> => {
      try {
        const journal = open();
        return journal && { name, journal, effect: await appended(journal, record) };
      } catch (error) {
        if (!(error instanceof HedgeError)) throw error;
        missing.push({ name, error });
        return undefined;
      }
    }),
  );
  const [first] = missing;
  const names = missing.map(({ name }) => name);
  const failed = first?.error.with({
    meaning: `NOT HALTED: desk ${names.join(', ')}. Opens and adds of its account may continue. Everything else on this machine is halted.`,
    hint: andThen(first.error.hint ?? [], say`Then halt again: ${shell`hedge halt REASON`}`),
    details: { desks: names },
  });
  return { stored: all.filter((each) => each !== undefined), failed };
}

/** How long between two tries. */
const PAUSE_MS = 1_000;

/** Tries until the log of each desk has what waits here, or the time is over. */
async function deliveredTo(
  desks: readonly StoredHalt[],
  timeoutMs: number,
  { machine: { clock }, signals: { signal } }: DeskRuntime,
): Promise<readonly HaltDelivery[]> {
  const until = clock.monotonic() + timeoutMs;
  const deliver = async ({ name, journal }: StoredHalt): Promise<HaltDelivery | undefined> => {
    if (journal.deliver === undefined) return undefined;
    for (;;) {
      const isDelivered = await journal.deliver();
      const { trouble } = journal.read();
      if (isDelivered || clock.monotonic() >= until || signal.aborted)
        return { name, isDelivered, trouble: isDelivered ? undefined : trouble };
      await clock.sleep(PAUSE_MS, signal);
    }
  };
  const all = await Promise.all(desks.map(deliver));
  return all.filter((each) => each !== undefined);
}

function meaningAfter(error: DamagedFileError, journal: Journal): string {
  if (haltNow(journal) !== undefined)
    return 'An earlier halt still blocks opens and adds, but this one was not stored.';
  // A disk that fails when the record is synced may have kept it all the same.
  return isOfDatabase(error)
    ? 'It is not certain that trading is halted: opens and adds from this machine may continue. Halt again.'
    : 'NOT HALTED: opens and adds from this machine continue.';
}

const isOfDatabase = ({ cause }: Error): boolean =>
  cause instanceof Error && ('errcode' in cause || isOfDatabase(cause));

/**
 * Lifts these halts and no other, in the account's journal and where this machine has set the same ones.
 * @throws DamagedFileError, StoppedError for a login that may not: then they still hold.
 */
export async function liftTradingHalt(
  { halt: { ids, who, at, why }, note }: Parameters<TradingHalt['unhalt']>[0],
  { parts, journal }: { parts: DeskRuntime; journal: OwnJournal },
): Promise<HaltEffect> {
  const { machine } = parts;
  const record: HaltRecord = {
    schema: SCHEMA,
    kind: 'unhalt',
    at: exactInstant(machine.clock.now()),
    halt_ids: [...ids],
    lifted: { who, at, why },
    ...(note === undefined ? {} : { note }),
  };
  const effect = await appended(journal, record);
  const { desk } = journal;
  if (desk === undefined) return effect;
  const own = openJournal({ places: parts.places(), machine });
  const same = (haltNow(own)?.ids ?? []).filter((id) => ids.includes(id));
  if (same.length > 0) await own.append([{ ...record, halt_ids: same }]);
  // A desk that was left was not halted, nor is it free again.
  if (desk.member.state === 'left') return effect;
  return { ...effect, liftedOn: { desk: desk.member.name, isSetHere: same.length > 0 } };
}

/** A halt is one of the desk, and one of the machine that set it: the desk's approver lifts the first one only. */
export const haltOfOtherProfiles = (journal: OwnJournal, parts: DeskRuntime): Halt | undefined =>
  journal.desk === undefined
    ? undefined
    : haltNow(openJournal({ places: parts.places(), machine: parts.machine }));

async function appended(journal: Journal, record: HaltRecord): Promise<HaltEffect> {
  let before: Halt | undefined;
  const after = await journal.append([record], ({ halt, desk }) => {
    if (record.kind === 'unhalt' && desk?.isReached === true && !desk.isApprover)
      throw mayNotLift(desk.name, desk.login);
    before = halt;
  });
  return { before, now: after.halt };
}

const mayNotLift = (name: string, login: string | undefined): StoppedError =>
  new StoppedError({
    code: 'not_approver',
    what: `The login ${login ?? ''} may not lift a halt of desk ${name}.`,
    meaning: 'Still halted: opens and adds are blocked.',
    hint: 'An approver can: a login with the role hedge_approver.',
  });

/** A wrong HEDGE_OPERATOR must not prevent a halt. */
async function operatorOrUser(parts: DeskRuntime, select: SelectProfile): Promise<Operator> {
  try {
    return await recordedOperator(parts, select);
  } catch {
    return userAt(parts.machine.host);
  }
}

/**
 * How far this machine's clock was behind that of a desk's database at the last contact, in milliseconds: a halt is dated at once, before
 * any log is asked. 0 without a desk.
 */
async function knownShiftMs(parts: DeskRuntime): Promise<number> {
  if (!hasDesk(parts)) return 0;
  const { deskFolder, deskNamesIn, readMembership } = await import('../desk/membership.ts');
  const { contactFile } = await import('../desk/contact.ts');
  const { machine } = parts;
  const { state } = parts.places();
  for (const name of unless(DamagedFileError, () => deskNamesIn(state)) ?? []) {
    const member = unless(DamagedFileError, () => readMembership(state, name, machine.host));
    const contact = contactFile(deskFolder(state, name), machine).read();
    if (member?.state === 'following' && contact !== undefined) return contact.offsetMs;
  }
  return 0;
}
