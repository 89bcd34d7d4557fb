/**
 * An action from intent to report, the same for all four and for everyone who deals: read, guard, confirm,
 * write down, send once, wait. The only way to the service that changes a book begins here.
 */
import { StoppedError } from '../../errors.ts';
import type { ActionIntent } from '../../intent/action-intent.ts';
import { type Action, mayStand } from '../../journal/fold.ts';
import { sameIdentity } from '../../journal/identity.ts';
import { findByKey } from '../../journal/ledger.ts';
import type { JournalState } from '../../journal/store.ts';
import { checkAccount } from '../account-unclear.ts';
import type { ActionReport, Dealing } from '../dealing.ts';
import { isDueToSettle } from '../evidence/found-hedge.ts';
import { checkAttendance } from '../guard/guard-attendance.ts';
import { guardJournal } from '../guard/guard-journal.ts';
import { stopFrom } from '../guard/stop.ts';
import { keepsItsKey } from '../late-arrival.ts';
import { reportOf } from '../report/report.ts';
import { settleOne } from '../settle/settle-due.ts';
import { agree } from './agree.ts';
import { alreadyDealt } from './already-dealt.ts';
import {
  askedOfJournal,
  type Considered,
  isMeasured,
  moment,
  nothingToDo,
  type Read,
  readAll,
} from './considered.ts';
import { continueAction, earlierUnderKey } from './continue.ts';
import { entryOf } from './entry.ts';
import { sendAndFinish } from './send-and-finish.ts';

/** How often another process may take the key or the deal id between a look and the writing down. */
const ROUNDS = 3;

/**
 * @throws UsageError, StoppedError, CredentialError, DamagedFileError and the readings' own errors while nothing
 * was sent. Once it stands in the journal there is always a report, its `finding` saying what went otherwise.
 */
export async function deal(intent: ActionIntent, dealing: Dealing): Promise<ActionReport> {
  checkAttendance(intent, dealing);
  checkAccount(dealing);
  for (let round = 1; ; round += 1) {
    try {
      return await dealOnce(intent, dealing);
    } catch (error) {
      if (!(error instanceof TakenMeanwhile) || round === ROUNDS) throw error;
    }
  }
}

async function dealOnce(intent: ActionIntent, dealing: Dealing): Promise<ActionReport> {
  const earlier = await earlierToContinue(intent, dealing);
  if (earlier !== undefined) return continueAction(earlier, intent, dealing);
  const read = await readAll(intent, dealing);
  const dealt = await alreadyDealt(intent, read, dealing);
  const { servedAt } = read.facts.book;
  if (dealt !== undefined) return { ...dealt, servedAt: dealt.servedAt ?? servedAt };
  const agreed = await agreeUnlessTaken(intent, read, dealing);
  const { plan, warnings } = agreed;
  if (nothingToDo(plan)) {
    warnings.forEach(({ says }) => dealing.watch.news(`besides    ${says}`));
    return reportOf('flat', { plan, warnings, servedAt });
  }
  if (intent.options.dryRun) return reportOf('planned', { plan, warnings, servedAt });
  const entry = await writeIntent(agreed, dealing);
  const { wait, timeoutMs } = intent.options;
  return { ...(await sendAndFinish(entry, { plan, wait, timeoutMs }, dealing)), warnings };
}

/** The action under its key; undefined also where that turns out not to have been executed: it is dealt now. */
async function earlierToContinue(intent: ActionIntent, dealing: Dealing): Promise<Action | undefined> {
  const earlier = earlierUnderKey(intent, dealing);
  if (earlier === undefined || earlier.underway) return earlier;
  const isDue = isDueToSettle(earlier, dealing.journal.read(), dealing.clock.now());
  const settled = isDue ? await settleOne(earlier, dealing) : earlier;
  return keepsItsKey(settled, dealing.clock.now()) ? undefined : settled;
}

/** What stops it because another process has begun to deal it under the same key is the same action, not a double. */
async function agreeUnlessTaken(intent: ActionIntent, read: Read, dealing: Dealing): Promise<Considered> {
  try {
    return await agree(intent, read, dealing);
  } catch (error) {
    const stopped = error instanceof StoppedError && error.code !== 'declined';
    if (stopped && earlierUnderKey(intent, dealing) !== undefined) throw new TakenMeanwhile();
    throw error;
  }
}

/** The intent is on disk when this returns: judged once more while no other process could add to the journal. */
async function writeIntent({ plan, dealAttempt }: Considered, dealing: Dealing) {
  dealing.signal.throwIfAborted();
  const { id, records } = entryOf(plan, { dealing, dealAttempt });
  const key = records[0].idempotency_key;
  const state = await dealing.journal.append(records, (standing) => judge(plan, key, standing, dealing));
  const entry = state.actions.find((action) => action.id === id);
  if (entry === undefined) throw new Error(`the journal does not show action ${id}, which was just written`);
  return entry;
}

function judge(plan: Considered['plan'], key: string, state: JournalState, dealing: Dealing): void {
  const stop = stopFrom(guardJournal(askedOfJournal(plan, dealing), state, moment(dealing)));
  // A key of which nothing came, for want of a connection, is free for the next attempt.
  const earlier = findByKey(state.actions, dealing.identity, key);
  const taken = earlier !== undefined && mayStand(earlier);
  const given = plan.intent.options.idempotencyKey !== undefined;
  const ensured = plan.action === 'open' && plan.intent.ensure && stop?.code === 'deal_id_used';
  if (ensured || (taken && (given || stop === undefined))) throw new TakenMeanwhile();
  if (stop !== undefined) throw stop;
  if (isMeasured(plan) && changedSince(plan, state, dealing)) throw new TakenMeanwhile();
}

/** Whether another process has written of the side since it was read: its size may be another by now. */
const changedSince = (
  { market, side, facts: { readAtMs } }: Considered['plan'],
  { actions }: JournalState,
  { identity }: Dealing,
): boolean =>
  actions.some(
    ({ intent, changedAt }) =>
      intent.market === market &&
      intent.side === side &&
      sameIdentity(intent.identity, identity) &&
      Date.parse(changedAt) >= readAtMs,
  );

/** Another process dealt under the same key or deal id, or on the side that was measured: all is read anew. */
class TakenMeanwhile extends StoppedError {
  constructor() {
    super({
      code: 'duplicate',
      what: 'Another process deals the same, or on the same side, at this moment.',
      book: 'Nothing was sent from here.',
      hint: 'See what it did: hedge journal.',
      retry: 'later',
    });
  }
}
