/** What `hedge add`, `reduce` and `close` were asked, or the right line to type instead. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import type { AddIntent, CloseIntent, ReduceIntent, Reduction } from './action-intent.ts';
import { readActionOptions, readPriceTerms } from './action-options.ts';
import { readNotional, readPercentage } from './operands.ts';
import { optionGiven, optionText, type RawInput } from './raw-input.ts';
import { readSideWords } from './side-words.ts';

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
