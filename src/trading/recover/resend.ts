/**
 * Sends an action of the journal again, with its own key and bytes: judged and agreed to anew, written down
 * first. Within the life of its key it is acted on once, however often it is sent (specification §7).
 *
 * What to type where an action cannot be sent again on the terms it was dealt on: `hedge resume` takes none of its
 * own, and the same line under the same key is the same action. Pure.
 */

import type { ActionIntent, ActionOptions } from '../../args/action-intent.ts';
import { type ClockReadings, clocksDisagree, durationInWords } from '../../domain/instants.ts';
import { shellWord } from '../../domain/quoted.ts';
import { type HedgeError, type OwnCode, StoppedError } from '../../errors.ts';
import { actionInWords } from '../../journal/describe.ts';
import { type Action, isUnresolved } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/store.ts';
import { readClocks } from '../../platform/clock.ts';
import { completeAction } from '../await-completion.ts';
import {
  changedSince,
  dealIdFindings,
  guardContext,
  hedgesOpenedElsewhere,
  journalTermsOf,
} from '../evaluate.ts';
import { guardPlan, stopFrom } from '../guards/guard-plan.ts';
import { guardJournal } from '../guards/journal-guard.ts';
import { isSetBack, KEY_LIFE_MS, keyAge, sinceSent } from '../idempotency-window.ts';
import { sendingOf } from '../journal-entry.ts';
import type { Evidence } from '../outcome/change-evidence.ts';
import type { Plan, PlanFacts } from '../plan.ts';
import { readFacts } from '../read-facts.ts';
import { rebuildIntent, rebuildPlan } from '../rebuild-plan.ts';
import { reportOf } from '../report.ts';
import { evidenceInWords, nothingSentText } from '../report-errors.ts';
import { sendAndFinish } from '../send-action.ts';
import type { ActionReport, Finding, TradingContext } from '../trading-context.ts';
import { resendBlocker } from './resend-preconditions.ts';
export interface Resending {
  yes: boolean;
  dryRun: boolean;
  wait: boolean;
  timeoutMs: number;
  /** The same request, typed once more under its key; undefined: `resume`. */
  line?: ActionIntent | undefined;
  /** What the book said; undefined when nothing of it ever left. */
  evidence: Evidence | undefined;
}

/** Whether there is anything to send again. One that ended, or is accepted, has its answer. */
export const canBeSent = (action: Action): boolean =>
  !action.underway && (isUnresolved(action) || action.state === 'prepared' || action.state === 'not_sent');

/** A stop leaves the action as it was: the report says so, and its `finding` why. */
export async function resend(action: Action, how: Resending, dealing: TradingContext): Promise<ActionReport> {
  try {
    checkKey(action, dealing.journal.read(), [readClocks(dealing.clock)]);
    const { plan, warnings } = await agreeAgain(action, how, dealing);
    if (how.dryRun) return reportOf('planned', { plan, warnings });
    const { began, entry } = await beginSending(action, plan, how, dealing);
    return began
      ? await sendAndFinish(entry, { plan, wait: how.wait, timeoutMs: how.timeoutMs }, dealing)
      : await completeAction(entry, how, dealing);
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    return isUnresolved(action)
      ? reportOf('unknown', { entry: action, finding: stoppedOver(action, error) })
      : reportOf('not_sent', { entry: action, finding: error });
  }
}

interface Agreed {
  plan: Plan;
  warnings: readonly Finding[];
}

/** Shown and asked, and read again after the answer, until nothing changed in between. */
async function agreeAgain(action: Action, how: Resending, dealing: TradingContext): Promise<Agreed> {
  let shown = await considerAgain(action, how, dealing);
  let changed: string | undefined;
  const again = how.evidence === undefined ? 'never_sent' : 'sent';
  for (;;) {
    const { plan, warnings, dealtElsewhere } = shown;
    dealing.watch.stop();
    if (how.dryRun) return shown;
    if (!(await dealing.confirm({ plan, warnings, dealtElsewhere, changed, again }, { yes: how.yes })))
      throw declined();
    if (how.yes) return shown;
    dealing.watch.start('Reading the price and the book again');
    shown = await considerAgain(action, how, dealing, plan.facts);
    changed = changedSince(plan, shown.plan);
    if (changed === undefined) return shown;
  }
}

async function considerAgain(
  action: Action,
  how: Resending,
  dealing: TradingContext,
  before?: PlanFacts,
): Promise<Agreed & { dealtElsewhere: readonly string[] }> {
  const intent = rebuildIntent(action, optionsOf(action, how), how.line);
  const facts = await readFacts(intent, dealing, before);
  const state = dealing.journal.read();
  // A line of what never left is typed for what stands now.
  const isMeantNow = how.line !== undefined && how.evidence === undefined;
  const { evidence } = how;
  const { actions } = state;
  const over = isMeantNow
    ? undefined
    : stopFrom(resendBlocker(action, { now: facts.book, evidence, actions }));
  if (over !== undefined) throw over;
  const plan = rebuildPlan(intent, facts);
  const findings = [
    ...guardPlan(plan, { limits: dealing.limits }).map((finding) => softened(finding, evidence)),
    ...judgedByJournal(action, plan, state, dealing),
    ...dealIdFindings(intent, { state, facts, dealing }),
  ];
  const stop = stopFrom(how.line === undefined ? findings.map((each) => resumeHint(each, action)) : findings);
  if (stop !== undefined) throw stop;
  const warnings = findings.filter(({ level }) => level === 'warn');
  return {
    plan,
    warnings: [sentBefore(action, evidence, dealing), ...warnings],
    dealtElsewhere: hedgesOpenedElsewhere({ state, facts }, dealing),
  };
}

/** Only that it is itself, and neither a double nor counted twice, is different from a first send. */
const judgedByJournal = (
  { id }: Action,
  plan: Plan,
  state: JournalState,
  dealing: TradingContext,
): readonly Finding[] =>
  guardJournal({ ...journalTermsOf(plan, dealing), except: id }, state, guardContext(dealing));

/** What is on the book may be this one already, and then takes up the room that it would be refused for. */
const SERVICE_LIMITS: readonly string[] = ['exposure_exceeded', 'capacity_exceeded', 'insufficient_balance'];

const softened = (finding: Finding, evidence: Evidence | undefined): Finding =>
  evidence?.kind === 'exact' && SERVICE_LIMITS.includes(finding.code)
    ? { ...finding, level: 'warn' }
    : finding;

function sentBefore(action: Action, evidence: Evidence | undefined, { clock }: TradingContext): Finding {
  const since = sinceSent(action, clock.now());
  const before = `${actionInWords(action)}, action ${action.shortId}`;
  if (evidence === undefined || since === undefined)
    return { level: 'warn', code: 'unresolved', message: `${before}, was not taken by the service so far.` };
  return {
    level: 'warn',
    code: 'unresolved',
    message: `${before}, was sent ${since} ago: ${evidenceInWords(action, evidence)}. Sent again it has the same key: where the service did it already, it answers with that and does nothing more.`,
  };
}

/** `began`: the sending is on disk. Otherwise `entry` is what another process made of the action in between. */
async function beginSending(
  action: Action,
  plan: Plan,
  how: Resending,
  dealing: TradingContext,
): Promise<{ began: boolean; entry: Action }> {
  const { journal, signal, clock } = dealing;
  const { clocks } = plan.facts;
  const own = ({ actions }: JournalState): Action => {
    const found = actions.find(({ id }) => id === action.id);
    if (found === undefined) throw new Error(`the journal does not show action ${action.id} any more`);
    return found;
  };
  let standing = action;
  signal.throwIfAborted();
  dealing.watch.note(
    `resuming   action ${action.shortId}: ${how.evidence === undefined ? 'not sent so far' : 'not settled by looking'}`,
  );
  try {
    const record = sendingOf(action.id, action.attempts + 1, dealing);
    const written = await journal.append([record], (state) => {
      standing = own(state);
      if (!canBeSent(standing)) throw new SettledMeanwhile();
      checkKey(standing, state, [...(clocks === undefined ? [] : [clocks]), readClocks(clock)]);
      const stop = stopFrom(judgedByJournal(action, plan, state, dealing));
      if (stop !== undefined) throw stop;
    });
    return { began: true, entry: own(written) };
  } catch (error) {
    if (error instanceof SettledMeanwhile) return { began: false, entry: standing };
    throw error;
  }
}

/** Another process went on with it. */
class SettledMeanwhile extends Error {}

const optionsOf = ({ intent }: Action, { yes, dryRun, wait, timeoutMs, line }: Resending): ActionOptions => ({
  yes,
  dryRun,
  wait,
  timeoutMs,
  idempotencyKey: intent.idempotency_key,
  despite: line?.options.despite ?? [],
});

/** @throws StoppedError `key_expired` when it is too old to be sent again, or may be. */
function checkKey(action: Action, { records }: JournalState, moments: readonly ClockReadings[]): void {
  const age = keyAge(action, moments);
  const cannotBeTold = 'was sent at a time that cannot be told:';
  if (isUnresolved(action) && isSetBack(action, records, moments.at(-1)?.wall ?? 0))
    throw keyExpired(
      action,
      `${cannotBeTold} the clock of this machine stands before what its journal holds already`,
    );
  if (clocksDisagree(age))
    throw keyExpired(
      action,
      `${cannotBeTold} the clocks of this machine and of the service differ by ${durationInWords(age.apartMs)} about it`,
    );
  if (age.ms >= KEY_LIFE_MS) throw keyExpired(action, `was sent first ${durationInWords(age.ms)} ago`);
}

const keyExpired = (action: Action, when: string): StoppedError =>
  new StoppedError({
    code: 'key_expired',
    ...(isUnresolved(action)
      ? {
          what: `Action ${action.shortId} ${when}, and its key is only trusted for an hour: sent again now, it might be done twice.`,
          hint: `Look, and say what you see: hedge journal settle ${action.shortId} --as done --because TEXT, or --as nothing. Then it can be dealt anew.`,
        }
      : {
          what: `Action ${action.shortId} was meant more than an hour ago, or at a time that cannot be told, and nothing came of it.`,
          hint: 'If it is still wanted, deal it anew, with another key where one was given.',
        }),
    book: 'Nothing was sent.',
  });

const declined = (): StoppedError =>
  new StoppedError({ code: 'declined', what: 'Declined: it was not sent again.', book: 'Nothing was sent.' });

/** Nothing was sent now, and what was sent before is as unknown as it was. */
const stoppedOver = (action: Action, stop: HedgeError): StoppedError =>
  new StoppedError({
    code: stop.code,
    what: stop.what,
    book: nothingSentText(action),
    hint: stop.hint,
    effect: 'unknown',
    retry: 'after_check',
    details: { action_id: action.id, ...(stop.details === undefined ? {} : { stopped: stop.details }) },
    cause: stop,
  });

/** The word that such a line has to say against what was found. */
const SAYS: Readonly<Partial<Record<OwnCode, string>>> = {
  no_reference: '--any-price',
  worse_price: '--worst-price PRICE',
  implausible_price: '--worst-price PRICE',
  cost_too_high: '--max-cost-bps BPS',
  duplicate: '--allow-duplicate',
};

/** The finding with what can be typed after a resume; as it is where no option of the line would help. */
export function resumeHint(finding: Finding, action: Action): Finding {
  const option = SAYS[finding.code];
  if (option === undefined || finding.hint === undefined) return finding;
  return {
    ...finding,
    hint: [
      'hedge resume keeps the terms it was dealt on. On others, the same line under its key:',
      `${lineUnderKey(action)} ${option}`,
      `hedge journal settle ${action.shortId} --as nothing --because TEXT    if you know that it never was`,
    ].join('\n'),
  };
}

function lineUnderKey({ intent }: Action): string {
  const { action, market, side, notional_usd: notional, tenor_days: tenor, deal_id: dealId } = intent;
  const size = intent.asked === undefined ? (notional ?? '') : `--${intent.asked}`;
  return [
    'hedge',
    action,
    market,
    side,
    ...size.split(' ').filter((word) => word !== ''),
    ...(tenor === undefined ? [] : ['--tenor', tenor.toString()]),
    ...(dealId === undefined ? [] : [`--deal-id=${dealId}`]),
    '--idempotency-key',
    intent.idempotency_key,
  ]
    .map(shellWord)
    .join(' ');
}
