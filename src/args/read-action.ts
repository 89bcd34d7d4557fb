/** Reads the arguments of the four actions, or suggests the correct command for a likely mistake. Guesses nothing. Pure. */

import { type ActionName, rowOf } from '../domain/action-table.ts';
import { quoted, shellWord, unquoted } from '../domain/quoted.ts';
import { SIDES, type Side } from '../domain/vocabulary.ts';
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

type SideCommand = 'quote' | ActionName;

const HEDGE_ID = /^hdg_/i;

/** No action takes a hedge ID: market and side decide (specification §4). */
const takesNoId = (command: SideCommand): string =>
  command === 'quote' ? 'A quote takes a market and side, not a hedge ID.' : rowOf(command).words.takesNoId;

const takesNotional = (command: SideCommand): boolean =>
  command === 'quote' || !rowOf(command).takesWholeSide;

const takesTenor = (command: SideCommand): boolean => command === 'quote' || rowOf(command).needs.tenor;

/** The operands after market and side in a suggested command. */
const sizeOf = (command: SideCommand): readonly string[] => [
  ...(takesNotional(command) ? ['NOTIONAL'] : []),
  // A quote without a tenor prices every tenor.
  ...(takesTenor(command) && command !== 'quote' ? ['--tenor', 'DAYS'] : []),
];

/** @throws UsageError for a missing or misplaced operand, with the correct command. */
export function readSideWords(command: SideCommand, raw: RawInput): { market: string; side: Side } {
  rejectMisplacedOperands(command, raw);
  const [market, side] = raw.operands;
  if (market === undefined || side === undefined)
    throw new UsageError(
      missingWords({ market, side }),
      [
        'hedge',
        command,
        market === undefined ? 'MARKET' : readMarket(market),
        'SIDE',
        ...sizeOf(command),
      ].join(' '),
    );
  return { market: readMarket(market), side: readSide(side) };
}

/** Rejects misplaced operands before any other check. */
export function rejectMisplacedOperands(command: SideCommand, raw: RawInput): void {
  const id = raw.operands.find((word) => HEDGE_ID.test(word));
  if (id !== undefined)
    throw new UsageError(
      takesNoId(command),
      `hedge hedges ${unquoted(id)} shows its market and side; then hedge ${command} MARKET SIDE ${sizeOf(command).join(' ')}`.trimEnd(),
    );
  refuseOrder(command, raw);
  refuseTooMany(command, raw);
}

const ROLES = ['market', 'side', 'size'] as const;
type Role = (typeof ROLES)[number];

function roleOf(word: string): Role {
  if (SIDES.some((side) => side === word.toLowerCase())) return 'side';
  return /^\d[\d.,_]*[km%]?$/i.test(word) ? 'size' : 'market';
}

/** Rejects operands in the wrong order, if each of them is clearly a market, side or size. */
function refuseOrder(command: SideCommand, { operands, options }: RawInput): void {
  const [first, second, third, ...more] = operands;
  const words = [first, second, third].filter((word) => word !== undefined);
  const found = new Map(words.map((word) => [roleOf(word), word]));
  const roles = words.map(roleOf);
  if (found.size < words.length || roles.every((role, at) => role === ROLES[at])) return;
  const [market, side, size] = ROLES.map((role) => wordFor(role, found));
  const inOrder = [market ?? 'MARKET', side ?? 'SIDE', ...(size === undefined ? [] : [size])];
  const line = rebuildCommandLine(command, [...inOrder, ...more], options);
  if (market === undefined || side === undefined) throw new UsageError(missingWords({ market, side }), line);
  throw new UsageError(
    roles[0] === 'side' && roles[1] === 'market'
      ? 'The market comes before the side.'
      : `The order is ${orderOf(command)}.`,
    `Did you mean: ${line}`,
  );
}

function missingWords({ market, side }: Readonly<Record<'market' | 'side', string | undefined>>): string {
  if (market !== undefined) return 'Missing: the side, buy or sell.';
  return side === undefined ? 'Missing: market and side.' : 'Missing: the market.';
}

function wordFor(role: Role, found: ReadonlyMap<Role, string>): string | undefined {
  const word = found.get(role);
  if (word === undefined || role === 'size') return word;
  return role === 'market' ? readMarket(word) : word.toLowerCase();
}

const orderOf = (command: SideCommand): string =>
  takesNotional(command) ? 'market, side, notional' : 'market, side';

/** Rejects a notional with spaces, a tenor without its option, and other extra operands. A close has its own check. */
function refuseTooMany(command: SideCommand, { operands, options }: RawInput): void {
  const [market = '', side = '', size = '', ...more] = operands;
  if (more.length === 0 || !takesNotional(command)) return;
  const [tenor = ''] = more;
  const line = (words: readonly string[], extra: RawInput['options'] = {}): string =>
    `Did you mean: ${rebuildCommandLine(command, [market, side, ...words], { ...extra, ...options })}`;
  const grouped = more.findIndex((word) => !/^\d{3}$/.test(word));
  const groups = grouped === -1 ? more : more.slice(0, grouped);
  if (/^\d{1,3}$/.test(size) && groups.length > 0)
    throw new UsageError(
      `Write the notional without spaces: ${[size, ...groups].map(unquoted).join('')} or ${[size, ...groups].join('_')}.`,
      line([[size, ...groups].join('_'), ...more.slice(groups.length)]),
    );
  if (takesTenor(command) && more.length === 1 && /^[137]d?$/i.test(tenor) && options['tenor'] === undefined)
    throw new UsageError('The tenor is an option, --tenor.', line([size], { tenor }));
  if (/^usd[tc]?$/i.test(tenor))
    throw new UsageError('Leave out the unit: a size is in USD.', line([size, ...more.slice(1)]));
  throw new UsageError(
    `${quoted(more[0] ?? '')} is one operand too many: ${command} takes ${orderOf(command)}.`,
    `See hedge ${command} --help.`,
  );
}

/** `hedge open USDTNGN buy 10k --tenor 3 --yes`, with control characters escaped. */
export const rebuildCommandLine = (
  command: string,
  operands: readonly string[],
  options: RawInput['options'],
): string =>
  ['hedge', command, ...[...operands, ...optionsAsTyped(options)].map(unquoted).map(shellWord)].join(' ');

function optionsAsTyped(options: RawInput['options']): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (typeof value === 'string')
      return value.startsWith('-') ? [`--${flag}=${value}`] : [`--${flag}`, value];
    if (typeof value === 'object') return value.flatMap((each) => [`--${flag}`, each]);
    if (value === undefined || (name === 'wait' && value)) return [];
    return [value ? `--${flag}` : `--no-${flag}`];
  });
}

/** Missing arguments are undefined; given ones are checked. */
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
  (['market', 'side', 'notional', 'tenor'] as const).filter((part) => draft[part] === undefined);

/** @throws UsageError naming the missing arguments, with the complete command. */
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
      `Provide all arguments: hedge open ${line.join(' ')}. On a terminal, hedge asks for missing ones.`,
    );
  }
  return { ...draft, market, side, notional, tenor };
}

export function readAddIntent(raw: RawInput): AddIntent {
  const { market, side } = readSideWords('add', raw);
  const [, , notional] = raw.operands;
  if (notional === undefined)
    throw new UsageError('Missing: the notional.', `hedge add ${market} ${side} NOTIONAL`);
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
      given.length === 0 ? 'Missing: the size of the reduction.' : 'The size is given more than once.',
      `Use one of: hedge reduce ${place} 5000, hedge reduce ${place} --by 50%, hedge reduce ${place} --to 5000`,
    );
  if (by !== undefined) {
    if (SIZE.test(by))
      throw new UsageError(
        `${quoted(by)} is not a percentage (--by).`,
        `Did you mean: hedge reduce ${place} ${by}${/[km]$/i.test(by) ? '' : `, or --by ${by}%`}`,
      );
    return { by: 'percent', percent: readPercentage('--by', by) };
  }
  if (to !== undefined) return { by: 'target', target: readTarget(to, place) };
  const word = notional ?? '';
  if (/^\d+(?:\.\d+)?%$/.test(word))
    throw new UsageError(
      `${quoted(word)} is a percentage, not a notional.`,
      `Did you mean: hedge reduce ${place} --by ${word}`,
    );
  return { by: 'notional', notional: readNotional(word) };
}

const SIZE = /^\d[\d.,_]*[km]?$/i;

function readTarget(text: string, place: string) {
  if (/^0+(?:\.0+)?$/.test(text))
    throw new UsageError('Reducing to zero is a close.', `Did you mean: hedge close ${place}`);
  return readNotional(text);
}

export function readCloseIntent(raw: RawInput): CloseIntent {
  const { market, side } = readSideWords('close', raw);
  const [, , size] = raw.operands;
  if (size !== undefined)
    throw new UsageError('A close has no size: it closes the whole side.', reduceLine(size, market, side));
  return {
    action: 'close',
    market,
    side,
    ifOpen: optionGiven(raw, 'ifOpen'),
    options: readActionOptions(raw),
  };
}

/** The reduce that was probably meant by a size after `close`. */
function reduceLine(size: string, market: string, side: string): string {
  const place = `${market} ${side}`;
  if (/^\d[\d.]*%$/.test(size)) return `Did you mean: hedge reduce ${place} --by ${size}`;
  if (SIZE.test(size)) return `Did you mean: hedge reduce ${place} ${size}`;
  return `To close all of it: hedge close ${place}`;
}

const READERS: { readonly [Name in ActionName]: (raw: RawInput) => IntentOf<Name> } = {
  open: (raw) => completeOpen(readOpenDraft(raw)),
  add: readAddIntent,
  reduce: readReduceIntent,
  close: readCloseIntent,
};

/** @throws UsageError, also for an argument that the wizard would ask for. */
export const readAction = (action: ActionName, raw: RawInput): ActionIntent => READERS[action](raw);
