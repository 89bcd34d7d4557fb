/**
 * What `hedge open` was asked: the parts that were said, and the whole once none is missing.
 *
 * What `hedge add`, `reduce` and `close` were asked, or the right line to type instead.
 *
 * Any of the four actions from what was typed for it, whole: what a line of a batch must say. Pure.
 */

import type { ActionName } from '../domain/action-table.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import type {
  ActionIntent,
  AddIntent,
  CloseIntent,
  IntentOf,
  OpenDraft,
  OpenIntent,
  OpenPart,
  ReduceIntent,
  Reduction,
} from './action-intent.ts';
import { readSideWords, rejectMisplacedOperands } from './action-operands.ts';
import { readActionOptions, readPriceTerms } from './action-options.ts';
import {
  optionGiven,
  optionText,
  type RawInput,
  readDealId,
  readMarket,
  readNotional,
  readPercentage,
  readSide,
  readTenor,
} from './operands.ts';
/** Parts left out are undefined; whatever was said is read, or refused. */
export function readOpenDraft(raw: RawInput): OpenDraft {
  const [market, side, notional] = raw.operands;
  rejectMisplacedOperands('open', raw);
  const tenor = optionText(raw, 'tenor');
  const dealId = optionText(raw, 'dealId');
  const draft: OpenDraft = {
    action: 'open',
    market: market === undefined ? undefined : readMarket(market),
    side: side === undefined ? undefined : readSide(side),
    notional: notional === undefined ? undefined : readNotional(notional),
    tenor: tenor === undefined ? undefined : readTenor(tenor),
    dealId: dealId === undefined ? undefined : readDealId(dealId),
    ensure: optionGiven(raw, 'ensure'),
    retryFailed: optionGiven(raw, 'retryFailed'),
    allowDuplicate: optionGiven(raw, 'allowDuplicate'),
    ...readPriceTerms(raw),
    options: readActionOptions(raw),
  };
  refuseContradictions(draft);
  return draft;
}

function refuseContradictions({ ensure, retryFailed, dealId, options }: OpenDraft): void {
  if (ensure && dealId === undefined)
    throw new UsageError('--ensure needs a deal id to tell the deal by.', 'Add --deal-id ID.');
  if (retryFailed && !ensure)
    throw new UsageError('--retry-failed is of use with --ensure only.', 'Add --ensure.');
  if (ensure && options.idempotencyKey !== undefined)
    throw new UsageError(
      '--ensure derives the idempotency key from the deal id.',
      'Leave out --idempotency-key, or --ensure.',
    );
}

const SHOWN: Readonly<Record<OpenPart, string>> = {
  market: 'MARKET',
  side: 'SIDE',
  notional: 'NOTIONAL',
  tenor: '--tenor DAYS',
};

/** The parts that are still to be asked for, in the order of the line. */
export const missingParts = (draft: OpenDraft): readonly OpenPart[] =>
  (['market', 'side', 'notional', 'tenor'] as const).filter((part) => draft[part] === undefined);

/** The intent, once nothing is missing. @throws UsageError naming what is, with the line that is whole. */
export function completeOpen(draft: OpenDraft): OpenIntent {
  const { market, side, notional, tenor } = draft;
  if (market === undefined || side === undefined || notional === undefined || tenor === undefined) {
    const names = missingParts(draft).map((part) => SHOWN[part]);
    const line = [
      market ?? SHOWN.market,
      side ?? SHOWN.side,
      notional?.toFixed() ?? SHOWN.notional,
      tenor === undefined ? SHOWN.tenor : `--tenor ${tenor.toString()}`,
    ];
    throw new UsageError(
      `Missing: ${names.join(', ')}.`,
      `Say the whole line: hedge open ${line.join(' ')}. On a terminal (TERM not dumb), missing parts are asked for.`,
    );
  }
  return { ...draft, market, side, notional, tenor };
}

export function readAddIntent(raw: RawInput): AddIntent {
  const { market, side } = readSideWords('add', raw);
  const [, , notional] = raw.operands;
  if (notional === undefined)
    throw new UsageError('The notional is missing.', `hedge add ${market} ${side} NOTIONAL`);
  return {
    action: 'add',
    market,
    side,
    notional: readNotional(notional),
    allowDuplicate: optionGiven(raw, 'allowDuplicate'),
    ...readPriceTerms(raw),
    options: readActionOptions(raw),
  };
}

export function readReduceIntent(raw: RawInput): ReduceIntent {
  const { market, side } = readSideWords('reduce', raw);
  return {
    action: 'reduce',
    market,
    side,
    reduction: readReduction(raw, `${market} ${side}`),
    allowDuplicate: optionGiven(raw, 'allowDuplicate'),
    options: readActionOptions(raw),
  };
}

/** Exactly one of NOTIONAL, --by and --to. */
function readReduction(raw: RawInput, place: string): Reduction {
  const [, , notional] = raw.operands;
  const by = optionText(raw, 'by');
  const to = optionText(raw, 'to');
  const given = [notional, by, to].filter((text) => text !== undefined);
  if (given.length !== 1)
    throw new UsageError(
      given.length === 0 ? 'How much is to come off?' : 'The reduction is said in more than one way.',
      `One of: hedge reduce ${place} 5000, hedge reduce ${place} --by 50%, hedge reduce ${place} --to 5000`,
    );
  if (by !== undefined) return { by: 'percent', percent: readPercentage('--by', by) };
  if (to !== undefined) return { by: 'target', target: readTarget(to, place) };
  const word = notional ?? '';
  if (/^\d+(?:\.\d+)?%$/.test(word))
    throw new UsageError(
      `${quoted(word)} is a part, not a notional.`,
      `Did you mean: hedge reduce ${place} --by ${word}`,
    );
  return { by: 'notional', notional: readNotional(word) };
}

function readTarget(text: string, place: string) {
  if (/^0+(?:\.0+)?$/.test(text))
    throw new UsageError('Reducing to nothing is closing.', `Did you mean: hedge close ${place}`);
  return readNotional(text);
}

export function readCloseIntent(raw: RawInput): CloseIntent {
  const { market, side } = readSideWords('close', raw);
  const [, , size] = raw.operands;
  if (size !== undefined)
    throw new UsageError('A close takes the whole side.', reduceLine(size, market, side));
  return {
    action: 'close',
    market,
    side,
    ifOpen: optionGiven(raw, 'ifOpen'),
    options: readActionOptions(raw),
  };
}

/** The reduction that was probably meant by a size after `close`. */
function reduceLine(size: string, market: string, side: string): string {
  const place = `${market} ${side}`;
  if (/^\d[\d.]*%$/.test(size)) return `Did you mean: hedge reduce ${place} --by ${size}`;
  if (/^\d[\d.,_]*[kKmM]?$/.test(size)) return `Did you mean: hedge reduce ${place} ${size}`;
  return `To close all of it: hedge close ${place}`;
}

const READERS: { readonly [Name in ActionName]: (raw: RawInput) => IntentOf<Name> } = {
  open: (raw) => completeOpen(readOpenDraft(raw)),
  add: readAddIntent,
  reduce: readReduceIntent,
  close: readCloseIntent,
};

/** @throws UsageError, also for a part that a terminal would be asked for. */
export const readAction = (action: ActionName, raw: RawInput): ActionIntent => READERS[action](raw);
