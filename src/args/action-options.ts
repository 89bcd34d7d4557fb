/** The options of the four actions and of check, resume and wait: read, and an open written as a command line to paste. */

import type { ActionOptions, PriceLimits, TypedIntentOf } from '../domain/action-intent.ts';
import { sizingInWords } from '../domain/action-intent.ts';
import type { ActionName } from '../domain/action-table.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/sanitize.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { type CommandWords, UsageError } from '../errors.ts';
import { isNot, readDealId, readMostBps, readPrice, readSeconds } from './operands.ts';
import { optionGiven, optionText, type RawInput, readOption, typedCommand } from './option.ts';
import { NOTE_OPTION, readNote, YES_OPTION } from './shared-options.ts';
import { SIZE_OPTIONS } from './sizing.ts';

export const DESPITE_OPTION = {
  flags: '--despite <actions>',
  summary: 'ignore this unresolved action, which may have executed: an action ID, or a list',
} as const;

const EVERY_ACTION = [
  YES_OPTION,
  { flags: '--dry-run', summary: 'show what would be sent; exit code reflects the pre-trade checks' },
  { flags: '--no-wait', summary: 'return when the service has accepted it' },
  {
    flags: '--timeout <seconds>',
    summary: 'seconds to wait for the outcome (default 60); never cancels a request',
  },
  { flags: '--idempotency-key <key>', summary: 'idempotency key to send; one key executes once' },
  DESPITE_OPTION,
  NOTE_OPTION,
] as const;

const PRICE = [
  { flags: '--worst-price <price>', summary: 'worst price (pre-trade check, not a limit order)' },
  { flags: '--max-cost-bps <bps>', summary: 'highest total cost in bps of notional (pre-trade check)' },
  { flags: '--any-price', summary: 'no price limit' },
] as const;

const DUPLICATE = {
  flags: '--allow-duplicate',
  summary: 'allow the same action again within a minute',
} as const;

export const ACTION_OPTIONS = {
  open: [
    { flags: '-t, --tenor <days>', summary: '1, 3 or 7 (or 3d)' },
    ...SIZE_OPTIONS,
    { flags: '--deal-id <id>', summary: 'your reference; one hedge per deal ID', completes: 'nothing' },
    { flags: '--ensure', summary: 'with --deal-id: open once per deal ID; if it exists, report that hedge' },
    { flags: '--retry-failed', summary: 'with --ensure: open again if the last order failed' },
    ...PRICE,
    DUPLICATE,
    ...EVERY_ACTION,
  ],
  add: [
    ...SIZE_OPTIONS,
    { flags: '--to <notional>', summary: 'increase the side to this size in USD' },
    ...PRICE,
    DUPLICATE,
    ...EVERY_ACTION,
  ],
  reduce: [
    { flags: '--by <percentage>', summary: 'part of the side: 50%' },
    { flags: '--ngn <amount>', summary: 'naira to cover no longer, at the struck rate: 45m' },
    { flags: '--to <notional>', summary: 'reduce to this size in USD' },
    DUPLICATE,
    ...EVERY_ACTION,
  ],
  close: [{ flags: '--if-open', summary: 'exit code 0 if nothing is open on the side' }, ...EVERY_ACTION],
} as const satisfies Readonly<
  Record<ActionName, readonly { flags: string; summary: string; completes?: 'nothing' }[]>
>;

/** A new action lacks its options here, and nowhere else. */
export const optionsOf = (action: ActionName): readonly { flags: string }[] => ACTION_OPTIONS[action];

export const DEFAULT_TIMEOUT_MS = 60_000;

export function readActionOptions(raw: RawInput): ActionOptions {
  const wait = raw.options['wait'] !== false;
  if (!wait && optionText(raw, 'timeout') !== undefined)
    throw new UsageError('--timeout has no effect with --no-wait.', 'Leave out --timeout or --no-wait.');
  return {
    yes: optionGiven(raw, 'yes'),
    dryRun: optionGiven(raw, 'dryRun'),
    wait,
    timeoutMs: readOption(raw, 'timeout', readSeconds) ?? DEFAULT_TIMEOUT_MS,
    idempotencyKey: readOption(raw, 'idempotencyKey', readIdempotencyKey),
    despite: readOption(raw, 'despite', readActionIds) ?? [],
    note: readNote(raw),
  };
}

export const USUAL_OPTIONS = readActionOptions({ operands: [], options: {} });

/** For a line that is typed again. */
export const keepingNote = ({ note }: { note?: string | undefined }): ActionOptions => ({
  ...USUAL_OPTIONS,
  note,
});

export function readPriceLimits(raw: RawInput): PriceLimits {
  const anyPrice = optionGiven(raw, 'anyPrice');
  if (anyPrice && (optionText(raw, 'worstPrice') ?? optionText(raw, 'maxCostBps')) !== undefined)
    throw new UsageError(
      '--any-price and a price limit exclude each other.',
      'Leave out --any-price, or the limit.',
    );
  return {
    bounds: {
      worstPrice: readOption(raw, 'worstPrice', readPrice),
      maxCostBps: readOption(raw, 'maxCostBps', readMostBps),
    },
    anyPrice,
  };
}

/** Specification §4: any unique string; limited to what an HTTP header carries unchanged. */
export function readIdempotencyKey(text: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(text))
    throw isNot(text, 'a valid idempotency key', 'Use 1 to 255 visible ASCII characters without spaces.');
  if (containsKey(text)) {
    throw new UsageError(
      `${quoted(text)} looks like an API key.`,
      say`The journal stores idempotency keys. To add an API key: ${shell`hedge profile add NAME`}`,
    );
  }
  return text;
}

/** Action IDs as `hedge journal` shows them, or their beginnings of four digits or more, comma-separated. */
export function readActionIds(text: string): readonly string[] {
  const ids = text.toLowerCase().split(',');
  if (!ids.every((id) => /^[0-9a-f]{4,16}$/.test(id)))
    throw isNot(
      text,
      'an action ID (--despite)',
      say`Give the ID that ${shell`hedge journal`} shows: --despite 7c1e, or several: --despite 7c1e,90ab`,
    );
  return ids;
}

/** An action ID or its beginning, a hedge ID or a deal ID; undefined: all open actions. */
export const readCheckIntent = ({ operands: [word] }: RawInput): { word: string | undefined } => ({
  word: word === undefined ? undefined : readDealId(word),
});

export type ResumeIntent = ReturnType<typeof readResumeIntent>;

export const WAIT_OPTIONS = [
  { flags: '--timeout <seconds>', summary: 'seconds to wait for the outcome (default 60)' },
] as const;

export const RESUME_OPTIONS = [
  { flags: '-y, --yes', summary: 'if the outcome stays unknown, send again without confirmation' },
  {
    flags: '--resend',
    summary: 'send again also without a terminal (with --yes), or if the position is not clear',
  },
  { flags: '--dry-run', summary: 'look up, and show what would be sent; send nothing' },
  { flags: '--no-wait', summary: 'return when the service has accepted it' },
  ...WAIT_OPTIONS,
] as const;

/** `resend`: send it again also without a terminal, or if the position is unclear. */
export function readResumeIntent(raw: RawInput) {
  const { yes, dryRun, wait, timeoutMs } = readActionOptions(raw);
  const resend = optionGiven(raw, 'resend');
  if (resend && dryRun)
    throw new UsageError('--resend has no effect with --dry-run.', 'Leave out --resend or --dry-run.');
  return { ...readCheckIntent(raw), yes, resend, dryRun, wait, timeoutMs };
}

export const readWaitIntent = (raw: RawInput): { word: string; timeoutMs: number } => ({
  word: readDealId(raw.operands[0] ?? ''),
  timeoutMs: readActionOptions(raw).timeoutMs,
});

/**
 * `hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-8841 --profile payouts`; defaults are left out. `place`: a profile by
 * name, or else the required environment.
 */
export function openCommandLine(
  { market, side, notional, tenor, bounds, options, ...intent }: TypedIntentOf<'open'>,
  place?: { profile: string } | { expectEnv: Environment },
): CommandWords {
  const { timeoutMs, despite, wait } = options;
  const size =
    notional === undefined && intent.sizing !== undefined
      ? `--${sizingInWords(intent.sizing)}`.split(' ')
      : [notional?.toFixed() ?? ''];
  return typedCommand('open', [market, side, ...size], {
    tenor: tenor.toString(),
    dealId: intent.dealId,
    ensure: intent.ensure,
    retryFailed: intent.retryFailed,
    worstPrice: bounds.worstPrice?.toFixed(),
    maxCostBps: bounds.maxCostBps?.toFixed(),
    anyPrice: intent.anyPrice,
    allowDuplicate: intent.allowDuplicate,
    yes: options.yes,
    dryRun: options.dryRun,
    wait,
    timeout: timeoutMs === DEFAULT_TIMEOUT_MS || !wait ? undefined : (timeoutMs / 1_000).toString(),
    idempotencyKey: options.idempotencyKey,
    despite: despite.length === 0 ? undefined : despite.join(','),
    note: options.note,
    ...place,
  });
}
