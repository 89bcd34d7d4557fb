/** The arguments of `hedge roll`, `roll run`, `roll drop` and `roll show`. Pure. */
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import type { Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { DESPITE_OPTION, readActionOptions } from './action-options.ts';
import { oneOf, readDealId, readMarket, readMostBps, readSide, readTenor } from './operands.ts';
import { countOrAll, optionGiven, optionText, type RawInput, readOption } from './option.ts';
import { NOTE_OPTION, YES_OPTION } from './shared-options.ts';

/** A hedge by its ID or deal ID, or the only one on a side. */
export type RollTarget = { hedge: string } | { market: string; side: Side };

export type RollIntent = ReturnType<typeof readRollIntent>;

const WHEN = ['now', 'maturity'] as const;

const TIMEOUT = {
  flags: '--timeout <seconds>',
  summary: 'seconds to wait for each outcome (default 60); never cancels a request',
} as const;

export const ROLL_OPTIONS = [
  { flags: '-t, --tenor <days>', summary: 'of the new hedge: 1, 3 or 7 (or 3d)' },
  {
    flags: '--at <when>',
    summary: 'now: close and open again; maturity: open again after settlement',
    completes: { words: WHEN },
  },
  {
    flags: '--max-cost-bps <bps>',
    summary: 'highest total cost of the new hedge in bps of notional; required on live',
  },
  YES_OPTION,
  { flags: '--dry-run', summary: 'show both legs; send and keep nothing' },
  { flags: '--allow-duplicate', summary: 'allow the same roll again within a minute' },
  TIMEOUT,
  DESPITE_OPTION,
  NOTE_OPTION,
] as const;

const EXAMPLE = say`Example: ${shell`hedge roll USDTNGN buy --tenor 3 --at now`}`;

/** @throws UsageError */
export function readRollIntent(raw: RawInput) {
  const when = optionText(raw, 'at');
  const tenor = optionText(raw, 'tenor');
  const target = readTarget(raw.operands);
  const missing = [
    ...(tenor === undefined ? ['--tenor DAYS'] : []),
    ...(when === undefined ? ['--at now|maturity'] : []),
  ];
  if (tenor === undefined || when === undefined)
    throw new UsageError(`Missing: ${missing.join(', ')}.`, EXAMPLE);
  return {
    target,
    when: oneOf(WHEN, when, 'a time to roll at (--at)', 'Use now or maturity.'),
    tenor: readTenor(tenor),
    maxCostBps: readOption(raw, 'maxCostBps', readMostBps),
    /** Also within a minute of the same roll. */
    allowDuplicate: optionGiven(raw, 'allowDuplicate'),
    options: readActionOptions(raw),
  };
}

function readTarget([first, second, third]: readonly string[]): RollTarget {
  if (first === undefined) throw new UsageError('Missing: market and side, or a hedge.', EXAMPLE);
  if (third !== undefined)
    throw new UsageError(
      `${quoted(third)} is one operand too many: a roll keeps the size of the hedge.`,
      EXAMPLE,
    );
  return second === undefined
    ? { hedge: readDealId(first) }
    : { market: readMarket(first), side: readSide(second) };
}

export const RUN_OPTIONS = [
  { flags: '--due', summary: 'every roll whose second leg is due' },
  { flags: '--late', summary: 'also more than 24 h after leg 2 was due' },
  { flags: '--max-cost-bps <bps>', summary: 'with one roll: another limit than that of its plan' },
  {
    flags: '--allow-duplicate',
    summary: 'with one roll: open leg 2 on top of other hedges of the side, or a minute after another open',
  },
  YES_OPTION,
  TIMEOUT,
  DESPITE_OPTION,
] as const;

/** @throws UsageError */
export function readRunIntent(raw: RawInput) {
  const [chain] = raw.operands;
  const due = optionGiven(raw, 'due');
  if (chain === undefined && !due)
    throw new UsageError(
      'Missing: a roll, or --due.',
      say`${shell`hedge roll run --due`}, or ${shell`hedge roll run ROLL`}`,
    );
  if (chain !== undefined && due)
    throw new UsageError('--due runs every roll that is due.', 'Leave out --due or the roll.');
  const maxCostBps = readOption(raw, 'maxCostBps', readMostBps);
  const allowDuplicate = optionGiven(raw, 'allowDuplicate');
  if (due && allowDuplicate)
    throw new UsageError(
      '--allow-duplicate is for one roll.',
      say`For one: ${shell`hedge roll run ROLL --allow-duplicate`}`,
    );
  if (due && maxCostBps !== undefined)
    throw new UsageError(
      'Each roll has the limit of its plan.',
      say`For another limit: ${shell`hedge roll run ROLL --max-cost-bps BPS`}`,
    );
  return {
    /** A chain ID or its beginning, or the deal ID of a leg; undefined: every chain that is due. */
    chain: chain === undefined ? undefined : readDealId(chain),
    /** Instead of the limit of the plan. */
    maxCostBps,
    /** Also more than 24 hours late. */
    late: optionGiven(raw, 'late'),
    allowDuplicate,
    options: readActionOptions(raw),
  };
}

export const DROP_OPTIONS = [NOTE_OPTION, YES_OPTION] as const;

const DEFAULT_LIMIT = 50;

/** @throws UsageError */
export function readShowIntent(raw: RawInput) {
  const [chain] = raw.operands;
  const limit = optionText(raw, 'limit');
  if (chain !== undefined && limit !== undefined)
    throw new UsageError('One roll takes no --limit.', 'Leave out --limit, or the roll.');
  return {
    chain: chain === undefined ? undefined : readDealId(chain),
    limit: limit === undefined ? DEFAULT_LIMIT : countOrAll('rolls')(limit),
  };
}
