/** Results of the legs of a roll, and the error that a roll or a run of several ends with. Pure. */
import { ownField } from '../../domain/fields.ts';
import { isCommand, say, shell, step } from '../../domain/hint.ts';
import {
  type Effect,
  type ErrorParts,
  type HedgeError,
  type NextStep,
  nothingSent,
  type Sentence,
  StoppedError,
  worstEffect,
  worstError,
} from '../../errors.ts';
import type { RollPlan } from '../../journal/records.ts';
import { isDue, nextOfChain, ofLeftDesk, type RollChain } from '../../journal/roll-chains.ts';
import type { ActionReport } from '../../trading/report.ts';

export interface RollResult {
  /** Afterwards. */
  chain: RollChain;
  /** Sent or looked up by this run. */
  close: ActionReport | undefined;
  open: ActionReport | undefined;
  /** Undefined when leg 2 is open for what leg 1 was, or nothing was to be done. */
  finding: HedgeError | undefined;
}

/** The side is not flat, as it should be between the legs: it says so itself, and what to do. */
export class SideNotFlatError extends StoppedError {
  constructor({ chain_id: id }: RollPlan, { details, ...parts }: SideNotFlatParts) {
    super({ code: 'book_changed', ...parts, retry: 'after_check', details: { chain_id: id, ...details } });
  }
}

type SideNotFlatParts = Pick<ErrorParts, 'what' | 'meaning' | 'hint'> & {
  details: Readonly<Record<string, unknown>>;
};

export const NOTHING_RUN = { close: undefined, open: undefined, finding: undefined } as const;

/** Set for a roll of the desk that this machine has left, which may have given it up. */
export function runsElsewhere({ plan }: RollChain): StoppedError | undefined {
  const { chain_id: id, leftDesk: desk } = plan;
  if (desk === undefined) return undefined;
  return nothingSent({
    code: 'desk_left',
    what: `Roll ${id} is ${ofLeftDesk(plan)}.`,
    hint: [
      step(shell`hedge roll run ${id}`, 'on a machine of the desk'),
      dropStep(plan, 'there, then here: to open its second leg by hand'),
    ],
    details: { chain_id: id, desk },
  });
}

/** The effect of the legs that were sent now, whatever stopped the run. */
const runEffect = ({ close, open, finding }: Omit<RollResult, 'chain'>): Effect =>
  worstEffect(
    [close, open]
      .map((leg) => (leg?.existing === true ? undefined : leg?.effect))
      .concat(finding?.effect)
      .filter((each) => each !== undefined),
  );

/** `Leg 1 of the roll is closed: USDTNGN buy is flat.` */
const flatInWords = ({ plan, state }: RollChain): string =>
  state === 'flat_open_due' || (state === 'missed' && plan.when === 'now')
    ? ` Leg 1 of the roll is closed: ${plan.market} ${plan.side} is flat.`
    : '';

/** A failure of leg 2 leaves the roll to be run again: the one next command is that of the roll. */
export function errorOfRoll(finding: HedgeError, result: RollResult): HedgeError {
  const { chain, close, open } = result;
  const next = nextOfChain(chain);
  const effect = runEffect(result);
  // The next steps of the close alone would leave a roll behind that opens leg 2 later.
  if (chain.state === 'closing' && close !== undefined && next !== undefined && effect !== 'none')
    return finding.with({
      hint: [
        next,
        dropStep(chain.plan, 'once leg 1 is closed: give up leg 2, which roll run --due would open'),
      ],
      effect,
    });
  if (finding instanceof SideNotFlatError) return finding;
  if (finding.code === 'roll_unfinished' || next === undefined || !(isDue(chain) || open !== undefined))
    return finding.effect === effect ? finding : finding.with({ effect });
  return finding.with({
    ...(finding.effect === 'none'
      ? { meaning: `Leg 2 ${open === undefined ? 'was not sent' : 'is not open'}.${flatInWords(chain)}` }
      : {}),
    hint: [...waits(finding), step(next.command, ownField(AFTER, finding.code) ?? next.does)],
    effect,
  });
}

/** For another action on the side. */
const waits = ({ code, hint = [] }: HedgeError): readonly NextStep[] =>
  code === 'in_flight' || code === 'unresolved'
    ? hint.filter(isCommand).map(({ command }) => step(command, 'first'))
    : [];

export const dropStep = ({ chain_id: id }: RollPlan, does: string): NextStep =>
  step(shell`hedge roll drop ${id} --note TEXT`, does);

const AFTER: Readonly<Record<string, Sentence>> = {
  cost_too_high: 'try leg 2 again; --max-cost-bps sets another limit',
  desk_unreachable: say`open leg 2, here once the log is reached, or on a machine that reaches it. To see why: ${shell`hedge doctor`}`,
  halted: say`open leg 2 once the halt is lifted: ${shell`hedge unhalt`}`,
  limit_exceeded: say`open leg 2 once the limit allows it: ${shell`hedge profile show`}`,
};

/** The worst of several rolls, with what the whole run did. */
export function errorOfRolls(ends: readonly RollResult[]): HedgeError | undefined {
  const worst = worstError(ends.flatMap(({ finding }) => finding ?? []));
  const end = ends.find(({ finding }) => finding === worst);
  if (worst === undefined || end === undefined || ends.length === 1) return worst;
  const effect = worstEffect(ends.map(runEffect));
  const done = ends.filter(({ chain }) => chain.state === 'done').length;
  const own =
    worst.effect === 'none' && !(worst instanceof SideNotFlatError)
      ? `Its leg 2 is not open.${flatInWords(end.chain)}`
      : worst.meaning;
  return worst.with({
    what: `Roll ${end.chain.plan.chain_id}: ${worst.what}`,
    ...(effect === 'none'
      ? {}
      : { meaning: [own, `${done.toString()} of ${ends.length.toString()} rolls done.`].join(' ').trim() }),
    effect,
  });
}
