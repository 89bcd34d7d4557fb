/** Reads the market and side of a quote or an action, or suggests the correct command for a likely mistake. Pure. */

import { type ActionName, requires, rowOf } from '../domain/action-table.ts';
import { stepsForDeal } from '../domain/did-you-mean.ts';
import { commandOnId, say, shell, step } from '../domain/hint.ts';
import { quoted, unquoted } from '../domain/quoted.ts';
import { SIDES, type Side } from '../domain/vocabulary.ts';
import { type CommandWords, type Sentence, UsageError } from '../errors.ts';
import { readMarket, readSide } from './operands.ts';
import { type RawInput, typedCommand } from './option.ts';
import { parseNaira, withoutCurrency } from './sizing.ts';

type SideCommand = 'quote' | ActionName;

const HEDGE_ID = /^hdg_/i;

/** No action takes a hedge ID: market and side decide (specification §4). */
const takesNoId = (name: SideCommand): string =>
  name === 'quote' ? 'A quote takes a market and side, not a hedge ID.' : rowOf(name).words.takesNoId;

const takes = (name: SideCommand, field: 'notional_usd' | 'tenor_days'): boolean =>
  name === 'quote' || requires({ action: name }, field);

/** The operands after market and side in a suggested command. */
const sizeOf = (name: SideCommand): readonly string[] => [
  ...(takes(name, 'notional_usd') ? ['NOTIONAL'] : []),
  // A quote without a tenor prices every tenor.
  ...(takes(name, 'tenor_days') && name !== 'quote' ? ['--tenor', 'DAYS'] : []),
];

/** @throws UsageError for a missing or misplaced operand, with the correct command. */
export function readSideWords(name: SideCommand, raw: RawInput): { market: string; side: Side } {
  rejectMisplacedOperands(name, raw);
  const [typed, side] = raw.operands;
  // `usdt/ngn` is no market of the service.
  const market = side === undefined ? typed?.replace(/^(usd[tc]?)[/_-]([a-z]{3})$/i, '$1$2') : typed;
  if (market === undefined || side === undefined) {
    const line = shell`hedge ${name} ${market === undefined ? 'MARKET' : readMarket(market)} SIDE ${sizeOf(name)}`;
    throw missing(name, { market, side }, line);
  }
  return { market: readMarket(market), side: readSide(side) };
}

/** Rejects misplaced operands before any other check. */
export function rejectMisplacedOperands(name: SideCommand, raw: RawInput): void {
  const id = raw.operands.find((word) => HEDGE_ID.test(word));
  if (id !== undefined)
    throw new UsageError(
      takesNoId(name),
      say`${commandOnId(shell`hedge hedges`, id)} shows its market and side; then ${shell`hedge ${name} MARKET SIDE ${sizeOf(name)}`}`,
    );
  refuseSizeOption(name, raw);
  refuseOrder(name, raw);
  refuseTooMany(name, raw);
}

const ROLES = ['market', 'side', 'size'] as const;
type Role = (typeof ROLES)[number];

function roleOf(word: string): Role {
  if (SIDES.some((side) => side === word.toLowerCase())) return 'side';
  return /^\d[\d.,_]*[km%]?$/i.test(word) ? 'size' : 'market';
}

/** Rejects operands in the wrong order, if each of them is clearly a market, side or size. */
function refuseOrder(name: SideCommand, { operands, options }: RawInput): void {
  const [first, second, third, ...more] = operands;
  const words = [first, second, third].filter((word) => word !== undefined);
  const found = new Map(words.map((word) => [roleOf(word), word]));
  const roles = words.map(roleOf);
  if (found.size < words.length || roles.every((role, at) => role === ROLES[at])) return;
  const [named, side, size] = [found.get('market'), found.get('side')?.toLowerCase(), found.get('size')];
  const market = named === undefined ? undefined : readMarket(named);
  const inOrder = [market ?? 'MARKET', side ?? 'SIDE', ...(size === undefined ? [] : [size])];
  const line = typedCommand(name, [...inOrder, ...more], options);
  if (market === undefined || side === undefined) throw missing(name, { market, side }, line);
  throw new UsageError(
    roles[0] === 'side' && roles[1] === 'market'
      ? 'The market comes before the side.'
      : `The order is ${orderOf(name)}.`,
    say`Did you mean: ${line}`,
  );
}

/** `line`: the complete command. */
function missing(
  name: SideCommand,
  { market, side }: Readonly<Record<'market' | 'side', string | undefined>>,
  line: CommandWords,
): UsageError {
  if (market === undefined)
    return new UsageError(side === undefined ? 'Missing: market and side.' : 'Missing: the market.', [
      step(line),
      ...(name === 'quote' || name === 'open' ? [] : [step(shell`hedge positions`, 'which sides are open')]),
    ]);
  return new UsageError('Missing: the side, buy or sell.', [...stepsForDeal(market), step(line)]);
}

const orderOf = (name: SideCommand): string =>
  takes(name, 'notional_usd') ? 'market, side, notional' : 'market, side';

/** Rejects `₦45m`, `NGN 45m` and `45m NGN` as a notional, which is in USD, and `max`: both are options. */
function refuseSizeOption(name: SideCommand, { operands, options }: RawInput): void {
  const [market = '', side = '', size = '', ...more] = operands;
  if (!takes(name, 'notional_usd')) return;
  const line = (others: readonly string[], extra: RawInput['options']): Sentence =>
    say`Did you mean: ${typedCommand(name, [market, side, ...others], { ...extra, ...options })}`;
  if (/^max$/i.test(size) && name !== 'reduce')
    throw new UsageError('The largest size is an option, --max.', line(more, { max: true }));
  const oneWord = nairaIn(size);
  const ngn = oneWord ?? nairaIn([size, ...more.slice(0, 1)].join(' '));
  if (ngn === undefined) return;
  throw new UsageError(
    'A notional is in USD; an amount in naira is an option, --ngn.',
    line(oneWord === undefined ? more.slice(1) : more, { ngn }),
  );
}

/** `45m` of `NGN 45m`; undefined if the text does not name naira. */
function nairaIn(text: string): string | undefined {
  const amount = withoutCurrency(text);
  return amount === text || parseNaira(amount) === undefined ? undefined : amount;
}

/** Rejects a notional with spaces, a tenor without its option, and other extra operands. A close has its own check. */
function refuseTooMany(name: SideCommand, { operands, options }: RawInput): void {
  const [market = '', side = '', size = '', ...more] = operands;
  if (more.length === 0 || !takes(name, 'notional_usd')) return;
  const [tenor = ''] = more;
  const line = (words: readonly string[], extra: RawInput['options'] = {}): Sentence =>
    say`Did you mean: ${typedCommand(name, [market, side, ...words], { ...extra, ...options })}`;
  const grouped = more.findIndex((word) => !/^\d{3}$/.test(word));
  const groups = grouped === -1 ? more : more.slice(0, grouped);
  if (/^\d{1,3}$/.test(size) && groups.length > 0)
    throw new UsageError(
      `Write the notional without spaces: ${[size, ...groups].map(unquoted).join('')} or ${[size, ...groups].join('_')}.`,
      line([[size, ...groups].join('_'), ...more.slice(groups.length)]),
    );
  if (
    takes(name, 'tenor_days') &&
    more.length === 1 &&
    /^[137]d?$/i.test(tenor) &&
    options['tenor'] === undefined
  )
    throw new UsageError('The tenor is an option, --tenor.', line([size], { tenor }));
  if (/^usd[tc]?$/i.test(tenor))
    throw new UsageError('Leave out the unit: a size is in USD.', line([size, ...more.slice(1)]));
  throw new UsageError(
    `${quoted(more[0] ?? '')} is one operand too many: ${name} takes ${orderOf(name)}.`,
    say`See ${shell`hedge ${name} --help`}.`,
  );
}
