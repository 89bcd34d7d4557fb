/** What `hedge open` was asked: the parts that were said, and the whole once none is missing. */
import { UsageError } from '../errors.ts';
import type { OpenDraft, OpenIntent, OpenPart } from './action-intent.ts';
import { readActionOptions, readPriceTerms } from './action-options.ts';
import { readDealId, readMarket, readNotional, readSide, readTenor } from './operands.ts';
import { optionGiven, optionText, type RawInput } from './raw-input.ts';
import { refuseMistaken } from './side-words.ts';

/** Parts left out are undefined; whatever was said is read, or refused. */
export function readOpenDraft(raw: RawInput): OpenDraft {
  const [market, side, notional] = raw.operands;
  refuseMistaken('open', raw);
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
