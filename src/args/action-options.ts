/** The options of the four actions, and their readers. */

import type { ActionName } from '../domain/action-table.ts';
import { quoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/redact.ts';
import { UsageError } from '../errors.ts';
import type { ActionOptions, PriceTerms } from './action-intent.ts';
import { optionGiven, optionText, type RawInput, readBps, readPrice, readSeconds } from './operands.ts';

const EVERY_ACTION = [
  { flags: '-y, --yes', summary: 'skip the confirmation' },
  { flags: '--dry-run', summary: 'show what would be sent; exit code reflects the pre-trade checks' },
  { flags: '--no-wait', summary: 'return when the service has accepted it' },
  {
    flags: '--timeout <seconds>',
    summary: 'seconds to wait for the outcome (default 60); never cancels a request',
  },
  {
    flags: '--idempotency-key <key>',
    summary: 'idempotency key to send; one key executes once',
  },
  {
    flags: '--despite <actions>',
    summary: 'ignore this unresolved action: an action ID, or a list',
  },
] as const;

const PRICE = [
  {
    flags: '--worst-price <price>',
    summary: 'worst price (pre-trade check, not a limit order)',
  },
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
    {
      flags: '--deal-id <id>',
      summary: 'your reference; one hedge per deal ID',
      completes: 'nothing',
    },
    { flags: '--ensure', summary: 'with --deal-id: open once per deal ID; if it exists, report that hedge' },
    { flags: '--retry-failed', summary: 'with --ensure: open again if the last order failed' },
    ...PRICE,
    DUPLICATE,
    ...EVERY_ACTION,
  ],
  add: [...PRICE, DUPLICATE, ...EVERY_ACTION],
  reduce: [
    { flags: '--by <percentage>', summary: 'part of the side: 50%' },
    { flags: '--to <notional>', summary: 'reduce to this size in USD' },
    DUPLICATE,
    ...EVERY_ACTION,
  ],
  close: [{ flags: '--if-open', summary: 'exit code 0 if nothing is open on the side' }, ...EVERY_ACTION],
} as const satisfies Readonly<
  Record<ActionName, readonly { flags: string; summary: string; completes?: 'nothing' }[]>
>;

export const optionsOf = (action: ActionName): readonly { flags: string }[] => ACTION_OPTIONS[action];

export const DEFAULT_TIMEOUT_MS = 60_000;

/** The defaults. */
export const USUAL_OPTIONS: ActionOptions = {
  yes: false,
  dryRun: false,
  wait: true,
  timeoutMs: DEFAULT_TIMEOUT_MS,
  idempotencyKey: undefined,
  despite: [],
};

export function readActionOptions(raw: RawInput): ActionOptions {
  const timeout = optionText(raw, 'timeout');
  const wait = raw.options['wait'] !== false;
  if (!wait && timeout !== undefined)
    throw new UsageError('--timeout has no effect with --no-wait.', 'Leave out --timeout or --no-wait.');
  const key = optionText(raw, 'idempotencyKey');
  const despite = optionText(raw, 'despite');
  return {
    yes: optionGiven(raw, 'yes'),
    dryRun: optionGiven(raw, 'dryRun'),
    wait,
    timeoutMs: timeout === undefined ? DEFAULT_TIMEOUT_MS : readSeconds('--timeout', timeout),
    idempotencyKey: key === undefined ? undefined : readIdempotencyKey(key),
    despite: despite === undefined ? [] : readActionIds(despite),
  };
}

export function readPriceTerms(raw: RawInput): PriceTerms {
  const worstPrice = optionText(raw, 'worstPrice');
  const maxCostBps = optionText(raw, 'maxCostBps');
  const anyPrice = optionGiven(raw, 'anyPrice');
  if (anyPrice && (worstPrice !== undefined || maxCostBps !== undefined))
    throw new UsageError(
      '--any-price and a price limit exclude each other.',
      'Leave out --any-price, or the limit.',
    );
  return {
    bounds: {
      worstPrice: worstPrice === undefined ? undefined : readPrice('--worst-price', worstPrice),
      maxCostBps: maxCostBps === undefined ? undefined : readBps('--max-cost-bps', maxCostBps),
    },
    anyPrice,
  };
}

/** Specification §4: any unique string; limited to what an HTTP header carries unchanged. */
export function readIdempotencyKey(text: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(text)) {
    throw new UsageError(
      `${quoted(text)} is not a valid idempotency key.`,
      'Use 1 to 255 visible ASCII characters without spaces.',
    );
  }
  if (containsKey(text)) {
    throw new UsageError(
      `${quoted(text)} looks like an API key.`,
      'The journal stores idempotency keys. To add an API key: hedge profile add NAME',
    );
  }
  return text;
}

/** Action IDs as `hedge journal` shows them, or their beginnings of four digits or more, comma-separated. */
export function readActionIds(text: string): readonly string[] {
  const ids = text.toLowerCase().split(',');
  if (!ids.every((id) => /^[0-9a-f]{4,16}$/.test(id))) {
    throw new UsageError(
      `${quoted(text)} is not an action ID (--despite).`,
      'Give the ID that hedge journal shows: --despite 7c1e, or several: --despite 7c1e,90ab',
    );
  }
  return ids;
}
