/** Reads the arguments of the four actions; suggests the correct command for a likely mistake. Guesses nothing. Pure. */

import { Big } from 'big.js';
import type { OpenDraft, OpenPart, Reduction, TypedIntent, TypedIntentOf } from '../domain/action-intent.ts';
import { sizingInWords } from '../domain/action-intent.ts';
import type { ActionName } from '../domain/action-table.ts';
import { stepsForDeal } from '../domain/did-you-mean.ts';
import { say, shell, step } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { type Sentence, UsageError } from '../errors.ts';
import { readActionOptions, readPriceLimits } from './action-options.ts';
import {
  isNot,
  readDealId,
  readExactNotional,
  readMarket,
  readNotional,
  readPercentage,
  readSide,
  readTenor,
} from './operands.ts';
import { optionGiven, optionText, type RawInput, readOption } from './option.ts';
import { readSideWords, rejectMisplacedOperands } from './side-words.ts';
import { checkNairaMarket, checkOneSize, readNaira, readSizing } from './sizing.ts';

/** Missing arguments are undefined; given ones are checked. */
export function readOpenDraft(raw: RawInput): OpenDraft {
  const [market, side, notional] = raw.operands;
  rejectMisplacedOperands('open', raw);
  const named = market === undefined ? undefined : readMarket(market);
  const draft: OpenDraft = {
    action: 'open',
    market: named,
    side: side === undefined ? undefined : readSide(side),
    notional: notional === undefined ? undefined : readNotional(notional),
    sizing: readSizing(raw, {
      market: named,
      line: shell`hedge open ${named ?? 'MARKET'} ${side ?? 'SIDE'}`,
    }),
    tenor: readOption(raw, 'tenor', readTenor),
    dealId: readOption(raw, 'dealId', readDealId),
    ensure: optionGiven(raw, 'ensure'),
    retryFailed: optionGiven(raw, 'retryFailed'),
    allowDuplicate: optionGiven(raw, 'allowDuplicate'),
    ...readPriceLimits(raw),
    options: readActionOptions(raw),
  };
  refuseContradictions(draft);
  return draft;
}

function refuseContradictions({ ensure, retryFailed, dealId, options }: OpenDraft): void {
  if (ensure && dealId === undefined) throw new UsageError('--ensure needs a deal ID.', 'Add --deal-id ID.');
  if (retryFailed && !ensure) throw new UsageError('--retry-failed needs --ensure.', 'Add --ensure.');
  if (ensure && options.idempotencyKey !== undefined)
    throw new UsageError(
      '--ensure derives the idempotency key from the deal ID.',
      'Leave out --idempotency-key, or --ensure.',
    );
}

const SHOWN: Readonly<Record<OpenPart, string>> = {
  market: 'MARKET',
  side: 'SIDE',
  notional: 'NOTIONAL',
  tenor: '--tenor DAYS',
};

/** The missing arguments, in the order of the command line. */
export const missingParts = (draft: OpenDraft): readonly OpenPart[] =>
  (['market', 'side', 'notional', 'tenor'] as const).filter(
    (part) => draft[part] === undefined && (part !== 'notional' || draft.sizing === undefined),
  );

/** @throws UsageError naming the missing arguments, with the complete command. */
export function completeOpen(draft: OpenDraft): TypedIntentOf<'open'> {
  const { market, side, notional, tenor, sizing } = draft;
  if (market !== undefined && side !== undefined && tenor !== undefined && sizing !== undefined)
    return { ...draft, market, side, tenor, notional: undefined, sizing };
  if (market === undefined || side === undefined || notional === undefined || tenor === undefined) {
    const names = missingParts(draft).map((part) => SHOWN[part]);
    const size =
      sizing === undefined
        ? (notional?.toFixed() ?? SHOWN.notional)
        : `--${sizingInWords(sizing)}`.split(' ');
    const line = shell`hedge open ${market ?? SHOWN.market} ${side ?? SHOWN.side} ${size} --tenor ${tenor?.toString() ?? 'DAYS'}`;
    throw new UsageError(`Missing: ${names.join(', ')}.`, [
      say`Provide all arguments: ${line}. On a terminal, hedge asks for missing ones.`,
      ...(side === undefined && market !== undefined ? stepsForDeal(market) : []),
    ]);
  }
  return { ...draft, market, side, notional, tenor };
}

export function readAddIntent(raw: RawInput): TypedIntentOf<'add'> {
  const { market, side } = readSideWords('add', raw);
  const [, , notional] = raw.operands;
  const sizing = readSizing(raw, { market, line: shell`hedge add ${market} ${side}`, target: true });
  const terms = {
    action: 'add',
    market,
    side,
    allowDuplicate: optionGiven(raw, 'allowDuplicate'),
    ...readPriceLimits(raw),
    options: readActionOptions(raw),
  } as const;
  if (sizing !== undefined) return { ...terms, sizing };
  if (notional === undefined)
    throw new UsageError('Missing: the notional.', step(shell`hedge add ${market} ${side} NOTIONAL`));
  return { ...terms, notional: readNotional(notional) };
}

export function readReduceIntent(raw: RawInput): TypedIntentOf<'reduce'> {
  const { market, side } = readSideWords('reduce', raw);
  return {
    action: 'reduce',
    market,
    side,
    reduction: readReduction(raw, [market, side]),
    allowDuplicate: optionGiven(raw, 'allowDuplicate'),
    options: readActionOptions(raw),
  };
}

type Place = readonly [market: string, side: string];

/** Exactly one of NOTIONAL, --by, --ngn and --to. */
function readReduction(raw: RawInput, place: Place): Reduction {
  const [, , notional] = raw.operands;
  const by = optionText(raw, 'by');
  const ngn = optionText(raw, 'ngn');
  const to = optionText(raw, 'to');
  if ((notional ?? by ?? ngn ?? to) === undefined)
    throw new UsageError(
      'Missing: the size of the reduction.',
      [['NOTIONAL'], ['--by', 'PERCENT'], ['--ngn', 'NAIRA'], ['--to', 'NOTIONAL']].map((size) =>
        step(shell`hedge reduce ${place} ${size}`),
      ),
    );
  checkOneSize(shell`hedge reduce ${place}`, { '': notional, '--by': by, '--ngn': ngn, '--to': to });
  if (by !== undefined) {
    if (SIZE.test(by))
      throw isNot(
        by,
        'a percentage (--by)',
        // A fraction, where half was meant more likely than half a dollar.
        FRACTION.test(by)
          ? say`Did you mean: ${shell`hedge reduce ${place} --by ${`${new Big(by).times(100).toFixed()}%`}`}, or --by ${by}%`
          : say`Did you mean: ${shell`hedge reduce ${place} ${by}`}${Number(by) <= 100 ? `, or --by ${by}%` : ''}`,
      );
    return { by: 'percent', percent: readPercentage(by, '--by') };
  }
  if (ngn !== undefined) {
    checkNairaMarket(place[0], shell`hedge reduce ${place}`);
    return { by: 'ngn', amount: readNaira(ngn, ' (--ngn)') };
  }
  if (to !== undefined) return { by: 'target', target: readTarget(to, place) };
  const word = notional ?? '';
  if (/^\d+(?:\.\d+)?%$/.test(word))
    throw new UsageError(
      `${quoted(word)} is a percentage, not a notional.`,
      say`Did you mean: ${shell`hedge reduce ${place} --by ${word}`}`,
    );
  return { by: 'notional', notional: readExactNotional(word) };
}

const FRACTION = /^0\.\d*[1-9]\d*$/;
const SIZE = /^\d[\d.,_]*[km]?$/i;

function readTarget(text: string, place: Place) {
  if (/^0+(?:\.0+)?$/.test(text))
    throw new UsageError('Reducing to zero is a close.', say`Did you mean: ${shell`hedge close ${place}`}`);
  return readExactNotional(text);
}

export function readCloseIntent(raw: RawInput): TypedIntentOf<'close'> {
  if (raw.operands[0]?.toLowerCase() === 'all')
    throw new UsageError(
      'A close takes one market and one side; nothing closes all of them.',
      say`The open sides: ${shell`hedge positions`}`,
    );
  const { market, side } = readSideWords('close', raw);
  const [, , size] = raw.operands;
  if (size !== undefined)
    throw new UsageError('A close has no size: it closes the whole side.', reduceLine(size, [market, side]));
  return {
    action: 'close',
    market,
    side,
    ifOpen: optionGiven(raw, 'ifOpen'),
    options: readActionOptions(raw),
  };
}

/** The reduce that was probably meant by a size after `close`. */
function reduceLine(size: string, place: Place): Sentence {
  if (/^\d[\d.]*%$/.test(size)) return say`Did you mean: ${shell`hedge reduce ${place} --by ${size}`}`;
  if (SIZE.test(size)) return say`Did you mean: ${shell`hedge reduce ${place} ${size}`}`;
  return say`To close all of it: ${shell`hedge close ${place}`}`;
}

const READERS: {
  readonly [Name in ActionName]: (raw: RawInput) => TypedIntentOf<Name>;
} = {
  open: (raw) => completeOpen(readOpenDraft(raw)),
  add: readAddIntent,
  reduce: readReduceIntent,
  close: readCloseIntent,
};

/** @throws UsageError, also for an argument that the wizard would ask for. */
export const readAction = (action: ActionName, raw: RawInput): TypedIntent => READERS[action](raw);
