/** `hedge roll`: closes a hedge and opens it again, or plans to open it again after it has settled. */

import { readDealId } from '../args/operands.ts';
import { optionGiven } from '../args/option.ts';
import {
  DROP_OPTIONS,
  ROLL_OPTIONS,
  RUN_OPTIONS,
  readRollIntent,
  readRunIntent,
  readShowIntent,
} from '../args/roll-options.ts';
import { readNote } from '../args/shared-options.ts';
import { say, shell } from '../domain/hint.ts';
import { UsageError } from '../errors.ts';
import { chainsOf } from '../journal/roll-chains.ts';
import { line } from '../output/blocks.ts';
import { viewWarnings } from '../output/views/plan.ts';
import {
  rollList,
  runList,
  type ShownRolls,
  viewDropped,
  viewRoll,
  viewRollPreview,
} from '../output/views/roll.ts';
import { chainDocument, rollDocument } from '../output/views/roll-document.ts';
import { chainCells } from '../output/views/unfinished-rolls.ts';
import { incompleteFinding, noteTrouble, troubleMeta } from '../readings/journal-trouble.ts';
import { firstOf } from '../readings/read-journal.ts';
import { readRollCost, serviceTime } from '../readings/read-rolls.ts';
import { dropRoll, readLegOne } from '../runs/rolls/drop-roll.ts';
import { type ConfirmRoll, rollHedge } from '../runs/rolls/roll-hedge.ts';
import { findChain, runDue } from '../runs/rolls/run-due.ts';
import { confirmationFor } from '../trading/confirm.ts';
import type { TradingContext } from '../trading/trading-context.ts';
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
  description: `--at now closes the hedge and opens it again at the size that was closed. No other hedge may be open on that side, because a close closes the whole side. Between the legs there is no hedge. Beyond --max-cost-bps the new hedge is not sent, and the side stays flat.

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
  async run(context, intent) {
    const trading = await tradingContextOf(context);
    const report = await rollHedge(intent, trading, confirmRollWith(context, trading));
    return { value: report, finding: report.finding, servedAt: report.servedAt };
  },
  document: rollDocument,
  view: viewRoll,
});

/** Shows both legs, or the planned one, and asks. */
const confirmRollWith =
  (context: CommandContext, trading: TradingContext): ConfirmRoll =>
  async ({ chain, legs, warnings }, { yes }) => {
    trading.progress.stop();
    const preview = yes && !trading.attended ? [] : viewRollPreview({ chain, legs });
    await context.show([preview, viewWarnings(warnings)]);
    if (yes) return true;
    const { open, openedElsewhere = [] } = legs;
    const confirmation = confirmationFor({ plan: open, openedElsewhere, changed: undefined }, trading);
    const question = { message: QUESTIONS[chain.plan.when], otherwise: '--yes' };
    return confirmation.kind === 'typed'
      ? context.prompter.typed(question, confirmation.wanted, confirmation.fits)
      : context.prompter.confirm(question);
  };

const QUESTIONS = {
  now: 'Close this hedge and open it again?',
  maturity: 'Keep this plan? Leg 2 is opened by hedge roll run, not by itself.',
} as const;

const rollRun = defineCommand({
  name: 'roll run',
  summary: 'Open the second leg of every roll that is due',
  description: `For cron. Of a roll at maturity: opens the new hedge once the first one has settled (its status is closed, and its record in the history is of the maturity), at the size that settled; before that the exit code is 8, and the next run opens it. If it was closed early, the roll ends (exit code 10, book_changed); what the service does not tell is for a person (10, book_unclear). Of a roll that was stopped between its legs: goes on. More than 24 hours late, it is not opened (exit code 10, roll_missed) without --late.

Several are run one after the other. One that fails does not stop the others; an unknown outcome, a halt, a limit or a lost connection does. The exit code is the worst; 0 if nothing is due; 10 if the log of a desk is away.`,
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
    const report = await runDue(intent, trading, confirmRollWith(context, trading));
    const { finding, servedAt, trouble } = report;
    return { value: report, finding, servedAt, meta: troubleMeta(trouble) };
  },
  list: runList,
  tableWithError: true,
});

const rollDrop = defineCommand({
  name: 'roll drop',
  summary: 'Give up a roll that is not finished',
  description:
    'Sends nothing: a closed leg stays closed, an open one stays open. Asks at a terminal. Refused while the outcome of a leg is unknown: use hedge check or hedge resume first. A roll of another account is dropped under its own profile; one whose account no profile reaches any more, by its whole ID under any profile, and --expect-env is then also checked against the environment of the roll.',
  operands: [CHAIN],
  options: DROP_OPTIONS,
  examples: [
    { line: 'hedge roll drop 3f9a1c2b --note "invoice paid early"', shows: 'give it up, with the reason' },
  ],
  read(raw) {
    const note = readNote(raw);
    if (note === undefined)
      throw new UsageError(
        'Missing --note: the reason.',
        say`${shell`hedge roll drop ROLL`} --note "invoice paid early"`,
      );
    return { chain: readDealId(raw.operands[0] ?? ''), note, yes: optionGiven(raw, 'yes') };
  },
  async run(context, { chain: word, note, yes }) {
    const dropped = await dropRoll(word, note, {
      ...(await context.tradingContext()),
      storedProfiles: async () => (await context.profiles()).read().profiles,
      async confirm(chain) {
        if (yes || !context.prompter.attended) return true;
        await context.show(line(chainCells(chain)));
        return context.prompter.confirm({
          message: `Give up this roll of profile ${chain.plan.profile}?`,
          otherwise: '--yes',
        });
      },
    });
    const legOne = context.printsDocument ? undefined : await readLegOne(dropped, context);
    return { value: { ...dropped, legOne }, finding: dropped.finding, confirmsChange: true };
  },
  document: ({ chain }) => chainDocument(chain),
  view: viewDropped,
});

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
  async run(context, { chain: word, limit }): Promise<CommandOutcome<ShownRolls>> {
    const reading = await context.readContext();
    const { journal, clock, identity } = reading;
    const state = journal.read();
    const { trouble } = state;
    noteTrouble(trouble, (each) => context.note(each));
    if (word !== undefined) {
      const cost = await readRollCost(findChain(word, reading), reading);
      const chain = findChain(word, reading, cost.servedAt?.getTime());
      return { value: { chain, cost }, servedAt: cost.servedAt, meta: troubleMeta(trouble) };
    }
    const servedAt = await serviceTime(reading);
    const times = { nowMs: clock.now(), servedMs: servedAt?.getTime() };
    const chains = firstOf(chainsOf(state, { ...times, identity }), limit);
    return { value: { chains }, servedAt, meta: troubleMeta(trouble), finding: incompleteFinding(trouble) };
  },
  list: rollList,
  tableWithError: true,
});

export const roll: CommandGroup = {
  name: 'roll',
  summary:
    'Roll a hedge: close it and open it again, or open it again after it has settled. Two legs, linked in the journal.',
  main: rollOne,
  commands: [rollRun, rollDrop, rollShow],
};
