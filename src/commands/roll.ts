/** `hedge roll`: closes a hedge and opens it again, or plans to open it again after it has settled. */

import { Big } from 'big.js';
import type { OpenIntent } from '../args/action-intent.ts';
import { NOTE_OPTION, readNote } from '../args/note.ts';
import {
  ROLL_OPTIONS,
  type RollIntent,
  RUN_OPTIONS,
  readChain,
  readRollIntent,
  readRunIntent,
  readShowIntent,
} from '../args/roll-options.ts';
import { StoppedError, UsageError } from '../errors.ts';
import { chainsOf, type RollChain } from '../journal/roll-chains.ts';
import { viewWarnings } from '../output/views/plan.ts';
import {
  chainDocument,
  oneRollDocument,
  ROLL_COLUMNS,
  type RollShown,
  RUN_COLUMNS,
  rollDocument,
  rollsTable,
  runDocument,
  runTable,
  viewDropped,
  viewOneRoll,
  viewRoll,
  viewRollPreview,
  viewRollRun,
  viewRolls,
} from '../output/views/roll.ts';
import { firstOf, type RollCost, readRollCost, serviceTime } from '../readings/read-rolls.ts';
import { checkAccount } from '../trading/account-keys.ts';
import { planAction } from '../trading/action-parts.ts';
import { confirmationFor } from '../trading/confirmation-rule.ts';
import { readInputs } from '../trading/evaluate.ts';
import { guardMarket, sizeFindings, stopFrom } from '../trading/guards/guard-plan.ts';
import { checkUnattended } from '../trading/guards/unattended-policy.ts';
import type { OpenPlan } from '../trading/plan.ts';
import { dropRoll } from '../trading/rolls/drop-roll.ts';
import { earlierRoll, isSamePlan, rolledBefore, unfinishedOf } from '../trading/rolls/earlier-rolls.ts';
import {
  checkBound,
  findTarget,
  keepPlan,
  legTwo,
  onlyHedgeAt,
  planRoll,
  unfinished,
} from '../trading/rolls/plan-roll.ts';
import { findChain, type RunReport, runDue, withLimit } from '../trading/rolls/run-due.ts';
import {
  chainNow,
  endRoll,
  previewNow,
  type RollResult,
  readAlone,
  runNow,
  type ShownLegs,
} from '../trading/rolls/run-legs.ts';
import type { Finding, TradingContext } from '../trading/trading-context.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';
import { type CommandGroup, defineCommand } from './define.ts';
import { tradingContextOf } from './trade-action.ts';

const CHAIN = {
  name: 'ROLL',
  summary: 'ID of a roll or its beginning, or a hedge ID or deal ID of a leg',
  completes: { names: ['hedges', 'deals'] },
} as const;

const rollOne = defineCommand({
  name: 'roll',
  summary: 'Roll a hedge: now, or after it has settled',
  description: `--at now closes the hedge and opens it again at the size that was closed. It must be alone on its side, for a close takes the whole side. Between the two legs there is no hedge. Both are shown and confirmed once; --max-cost-bps holds for the new hedge: beyond it, it is not sent and the side stays flat.

--at maturity closes nothing and takes any hedge. The plan is kept in the journal; after settlement, hedge roll run --due opens the new hedge at the size that settled: run it from cron, within 24 hours.

The new hedge has the deal ID of the first one with .r2, .r3 and so on. It is fixed before anything is sent, so that a run that was stopped anywhere can be run again: two legs, never three. More: hedge help roll.`,
  polls: true,
  operands: [
    {
      name: 'MARKET',
      summary: 'market, such as USDTNGN; or a hedge ID or deal ID alone',
      completes: { names: ['markets', 'hedges', 'deals'] },
    },
    { name: 'SIDE', summary: 'buy or sell', optional: true },
  ],
  checksOperands: true,
  options: ROLL_OPTIONS,
  examples: [
    { line: 'hedge roll USDTNGN buy --tenor 3 --at now --max-cost-bps 60', shows: 'close and open again' },
    {
      line: 'hedge roll PAY-8841 --tenor 7 --at maturity --max-cost-bps 60',
      shows: 'plan it: opened by hedge roll run after settlement',
    },
    {
      line: 'hedge roll run --due --yes --expect-env live',
      shows: 'in cron: open what has settled',
    },
    { line: 'hedge roll show', shows: 'every roll, and what comes next' },
  ],
  read: readRollIntent,
  run: runRoll,
  document: rollDocument,
  view: viewRoll,
});

async function runRoll(context: CommandContext, intent: RollIntent): Promise<CommandOutcome<RollShown>> {
  const trading = await tradingContextOf(context);
  checkBound(intent, trading);
  checkUnattended(secondLeg(intent), trading);
  checkAccount(trading);
  return intent.when === 'now' ? rollNow(context, intent, trading) : rollLater(context, intent, trading);
}

/** For the options required without a terminal: its deal ID and its limit are those of the plan. */
const secondLeg = ({ options }: Pick<RollIntent, 'options'>): OpenIntent => ({
  action: 'open',
  market: '',
  side: 'buy',
  notional: new Big(1),
  tenor: 1,
  dealId: 'roll',
  ensure: true,
  retryFailed: true,
  allowDuplicate: false,
  bounds: {},
  anyPrice: true,
  options,
});

async function rollNow(
  context: CommandContext,
  intent: RollIntent,
  trading: TradingContext,
): Promise<CommandOutcome<RollShown>> {
  const begun = earlierRoll(intent, trading);
  const earlier = begun && { ...begun, plan: withLimit(begun.plan, intent.maxCostBps) };
  if (earlier !== undefined && earlier.state !== 'planned') {
    if (intent.options.dryRun)
      return { value: { ...NOTHING, chain: earlier, shown: {}, dryRun: true, existing: true } };
    trading.progress.note(`continuing roll ${earlier.plan.chain_id}`);
    return ranOutcome(await runNow(earlier.plan, intent.options, trading));
  }
  const done = earlier === undefined ? rolledBefore(intent, trading) : undefined;
  if (done !== undefined)
    return { value: { ...NOTHING, chain: done, shown: {}, dryRun: false, existing: true } };
  const place = earlier?.plan ?? (await findTarget(intent.target, trading));
  return closeAndOpen(context, trading, { intent, place, earlier });
}

const NOTHING = { close: undefined, open: undefined, finding: undefined };
interface NowParts {
  intent: Pick<RollIntent, 'options'> & Partial<RollIntent>;
  place: { market: string; side: 'buy' | 'sell'; hedge?: { id: string } | undefined };
  earlier: RollChain | undefined;
}

/** From the preview of both legs on. */
async function closeAndOpen(
  context: CommandContext,
  trading: TradingContext,
  { intent, place, earlier }: NowParts,
): Promise<CommandOutcome<RollShown>> {
  const { options } = intent;
  const { market, side } = place;
  const alone = await readAlone({ market, side }, options, trading);
  const id = earlier?.plan.hedge_id ?? place.hedge?.id;
  if (id !== undefined && alone.hedge.id !== id)
    throw new StoppedError({
      code: 'book_changed',
      what: `The hedge on ${market} ${side} is another one now.`,
      book: 'Nothing was sent.',
      hint: 'To see it: hedge hedges',
    });
  const other = unfinishedOf(trading).find(
    ({ plan: { hedge_id, chain_id } }) => hedge_id === alone.hedge.id && chain_id !== earlier?.plan.chain_id,
  );
  if (other !== undefined) throw unfinished(other);
  const plan = earlier?.plan ?? (await planRoll(requireWhole(intent), alone.hedge, trading));
  const shown = await previewNow(plan, alone, options, trading);
  const chain = chainNow(plan, trading);
  const { servedAt } = shown.close.facts.book;
  if (options.dryRun) return { value: { ...NOTHING, chain, shown, dryRun: true, existing: false }, servedAt };
  await confirmRoll(context, trading, { chain, shown, warnings: shown.warnings, yes: options.yes });
  if (earlier === undefined) await keepPlan(plan, trading);
  const result = await runNow(plan, options, trading, shown);
  // Nothing was sent for a roll that this command made.
  const untouched =
    earlier === undefined && result.chain.state === 'planned' && result.chain.close === undefined;
  if (!untouched) return ranOutcome(result);
  await endRoll(plan, 'dropped', trading);
  if (result.finding !== undefined) throw result.finding;
  return ranOutcome(result);
}

/** @throws Error for a roll that is not planned whole. */
function requireWhole(intent: NowParts['intent']): RollIntent {
  const { target, tenor, when } = intent;
  if (target === undefined || tenor === undefined || when === undefined)
    throw new Error('a roll without a target');
  return { ...intent, target, tenor, when, maxCostBps: intent.maxCostBps, allowDuplicate: false };
}

const ranOutcome = (result: RollResult): CommandOutcome<RollShown> => ({
  value: { ...result, dryRun: false, existing: false, shown: {} },
  finding: result.finding,
  servedAt: result.open?.servedAt ?? result.close?.servedAt,
});

async function confirmRoll(
  context: CommandContext,
  trading: TradingContext,
  {
    chain,
    shown,
    warnings,
    yes,
  }: {
    chain: RollChain;
    shown: Partial<ShownLegs> & { open: OpenPlan };
    warnings: readonly Finding[];
    yes: boolean;
  },
): Promise<void> {
  trading.progress.stop();
  const preview = yes && !trading.attended ? [] : viewRollPreview(chain, shown);
  await context.show([...preview, ...viewWarnings(warnings)]);
  if (yes) return;
  const openedElsewhere = shown.openedElsewhere ?? [];
  const confirmation = confirmationFor({ plan: shown.open, openedElsewhere, changed: undefined }, trading);
  const question = { message: QUESTIONS[chain.plan.when], otherwise: '--yes' };
  const isConfirmed =
    confirmation.kind === 'typed'
      ? await context.prompter.typed(question, confirmation.wanted, confirmation.fits)
      : await context.prompter.confirm(question);
  if (!isConfirmed)
    throw new StoppedError({ code: 'declined', what: 'Canceled.', book: 'Nothing was sent.' });
}

const QUESTIONS = {
  now: 'Close this hedge and open it again?',
  maturity: 'Keep this plan? Leg 2 is opened without asking again.',
} as const;

async function rollLater(
  context: CommandContext,
  intent: RollIntent,
  trading: TradingContext,
): Promise<CommandOutcome<RollShown>> {
  const target = await findTarget(intent.target, trading);
  const { hedge } = target.hedge === undefined ? await onlyHedgeAt(target, trading) : { hedge: target.hedge };
  const before = unfinishedOf(trading).find(({ plan }) => plan.hedge_id === hedge.id);
  if (before !== undefined) {
    if (!isSamePlan(before, intent)) throw unfinished(before);
    return { value: { ...NOTHING, chain: before, shown: {}, dryRun: false, existing: true } };
  }
  const plan = await planRoll(intent, hedge, trading);
  const { open, warnings, servedAt } = await previewLater(
    legTwo(plan, hedge.notional, intent.options, { allowDuplicate: true }),
    trading,
  );
  const chain = chainNow(plan, trading, servedAt.getTime());
  if (intent.options.dryRun)
    return {
      value: { ...NOTHING, chain, shown: { open, warnings }, dryRun: true, existing: false },
      servedAt,
    };
  await confirmRoll(context, trading, { chain, shown: { open }, warnings, yes: intent.options.yes });
  await keepPlan(plan, trading);
  return { value: { ...NOTHING, chain, shown: { open }, dryRun: false, existing: false }, servedAt };
}

/** Leg 2 at today's quote. @throws StoppedError where no open is allowed. */
async function previewLater(
  intent: OpenIntent,
  trading: TradingContext,
): Promise<{ open: OpenPlan; warnings: readonly Finding[]; servedAt: Date }> {
  const { facts } = await readInputs(intent, trading);
  const open = planAction(intent, facts);
  if (open.action !== 'open') throw new Error('an open was planned as another action');
  const { limits } = trading;
  const stop = stopFrom(guardMarket(open, { limits }));
  if (stop !== undefined) throw stop;
  const warnings = sizeFindings(open, limits)
    .filter(({ code }) => code === 'limit_exceeded')
    .map((finding) => ({ ...finding, level: 'warn' as const }));
  return { open, warnings, servedAt: facts.book.servedAt };
}

const rollRun = defineCommand({
  name: 'roll run',
  summary: 'Open the second leg of every roll that is due',
  description: `For cron. Of a roll at maturity: opens the new hedge once the first one has settled (its status, the history, or its absence from the positions), at the size that settled; before that the exit code is 8, and the next run opens it. Of a roll that was stopped between its legs: goes on. More than 24 hours late, it is not opened (exit code 10, roll_missed) without --late.

Several are run one after the other. One that fails does not stop the others; an unknown outcome, a halt, a limit or a lost connection does. The exit code is the worst. If nothing is due it says so, and the exit code is 0.`,
  polls: true,
  operands: [{ ...CHAIN, optional: true }],
  options: RUN_OPTIONS,
  examples: [
    { line: 'hedge roll run --due --yes', shows: 'open every second leg that is due' },
    { line: 'hedge roll run --due --yes --expect-env live', shows: 'on live, in cron' },
    { line: 'hedge roll run 3f9a1c2b --late', shows: 'one roll, also more than 24 h late' },
  ],
  read: readRunIntent,
  async run(context, intent) {
    const trading = await tradingContextOf(context);
    checkAccount(trading);
    checkUnattended(secondLeg(intent), trading);
    const named = intent.chain === undefined ? undefined : findChain(intent.chain, trading);
    if (named?.plan.when === 'now' && named.state === 'planned') {
      const { value, ...outcome } = await closeAndOpen(context, trading, {
        intent,
        place: named.plan,
        earlier: { ...named, plan: withLimit(named.plan, intent.maxCostBps) },
      });
      const end = { ...value, finding: outcome.finding, skipped: undefined };
      return {
        ...outcome,
        value: { ends: [end], waiting: [], finding: outcome.finding, servedAt: undefined },
      };
    }
    const report = await runDue(intent, trading);
    return { value: report, finding: report.finding, servedAt: report.servedAt };
  },
  document: runDocument,
  columns: RUN_COLUMNS,
  table: runTable,
  tableWithError: true,
  view: (report: RunReport) => viewRollRun(report),
});

const rollDrop = defineCommand({
  name: 'roll drop',
  summary: 'Give up a roll that is not finished',
  description:
    'Sends nothing: a closed leg stays closed, an open one stays open. Refused while the outcome of a leg is unknown: use hedge check or hedge resume first.',
  operands: [CHAIN],
  options: [NOTE_OPTION],
  examples: [
    { line: 'hedge roll drop 3f9a1c2b --note "invoice paid early"', shows: 'give it up, with the reason' },
  ],
  read(raw) {
    const note = readNote(raw);
    if (note === undefined)
      throw new UsageError(
        'Missing: why it is given up.',
        'hedge roll drop ROLL --note "invoice paid early"',
      );
    return { chain: readChain(raw.operands[0] ?? ''), note };
  },
  async run(context, { chain, note }) {
    return { value: await dropRoll(chain, note, await context.readContext()), confirmsChange: true };
  },
  document: chainDocument,
  view: viewDropped,
});

type Shown = { chains: readonly RollChain[] } | { chain: RollChain; cost: RollCost };

const rollShow = defineCommand({
  name: 'roll show',
  summary: 'List rolls, or show one with its legs and its cost so far',
  description:
    'The cost of a leg is impact, slippage, carry, platform fee and the fee to close, in USDC and in bps of its notional; positive is paid. Carry is that of the closed record, else that of the quote over the whole tenor. The cost of the roll is the sum of both legs, in bps of the notional that is carried on. Realized P&L is shown apart.',
  operands: [{ ...CHAIN, optional: true }],
  options: [{ flags: '--limit <count>', summary: 'how many, the newest first (default 50), or all' }],
  examples: [
    { line: 'hedge roll show', shows: 'every roll of the account, newest first' },
    { line: 'hedge roll show 3f9a1c2b', shows: 'one roll, its legs and its cost so far' },
  ],
  read: readShowIntent,
  async run(context, { chain: word, limit }): Promise<CommandOutcome<Shown>> {
    const reading = await context.readContext();
    const { journal, clock, identity } = reading;
    if (word !== undefined) {
      const cost = await readRollCost(findChain(word, reading), reading);
      const chain = findChain(word, reading, cost.servedAt?.getTime());
      return { value: { chain, cost }, servedAt: cost.servedAt };
    }
    const servedAt = await serviceTime(reading);
    const times = { nowMs: clock.now(), servedMs: servedAt?.getTime() };
    const chains = chainsOf(journal.read(), { ...times, identity });
    return { value: { chains: firstOf(chains, limit) }, servedAt };
  },
  document: (shown: Shown) =>
    'chains' in shown ? shown.chains.map(chainDocument) : oneRollDocument(shown.chain, shown.cost),
  columns: ROLL_COLUMNS,
  table: (shown: Shown) => rollsTable('chains' in shown ? shown.chains : [shown.chain]),
  view: (shown: Shown) =>
    'chains' in shown ? viewRolls(shown.chains) : viewOneRoll(shown.chain, shown.cost),
});

export const roll: CommandGroup = {
  name: 'roll',
  summary:
    'Roll a hedge: close it and open it again, or open it again after it has settled. Two legs, linked in the journal.',
  main: rollOne,
  commands: [rollRun, rollDrop, rollShow],
};
