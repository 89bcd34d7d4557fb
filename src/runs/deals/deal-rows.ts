/** The rows of a deals file as the opens of one account: what they lack is named before anything is sent. */
import { USUAL_OPTIONS } from '../../args/action-options.ts';
import { type DealRow, type DealsFile, type DealsIntent, NOTHING_SENT } from '../../args/deals-file.ts';
import type { TypedIntentOf } from '../../domain/action-intent.ts';
import { hasBound } from '../../domain/price-bounds.ts';
import { quoted, unquoted } from '../../domain/quoted.ts';
import { hasLiveRules, isNairaMarket } from '../../domain/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import { checkUnattended, type UnattendedContext } from '../../trading/guards/unattended-policy.ts';
import type { SharedFacts } from '../../trading/trading-context.ts';
import type { Deal } from './deal.ts';

/** @throws UsageError for an option that is missing without a terminal. */
export function checkConfirmable(
  { deals: [row] }: DealsFile,
  { options, retryFailed }: DealsIntent,
  trading: UnattendedContext,
): void {
  if (row === undefined) return;
  const open = openOf(row, { market: row.market ?? '', retryFailed, despite: [] });
  checkUnattended({ ...open, options: { ...open.options, yes: options.yes } }, trading);
}

/** @throws UsageError that names the rows without a price limit, on live. */
export function checkBounds({ path, deals: rows }: DealsFile, where: UnattendedContext): void {
  const unbounded = rows.filter(({ bounds }) => !hasBound(bounds)).map(({ line }) => line.toString());
  if (unbounded.length === 0 || !hasLiveRules(where)) return;
  throw new UsageError(
    `${quoted(path)} has ${unbounded.length === 1 ? '1 row' : `${unbounded.length.toString()} rows`} without a price limit: line ${unbounded.slice(0, MOST_LINES).join(', ')}${unbounded.length > MOST_LINES ? ', …' : ''}. ${NOTHING_SENT}`,
    'On live each row needs worst_price or max_cost_bps.',
  );
}

const MOST_LINES = 10;

/** @throws UsageError for rows without a market if the account has several. */
export function dealsOf(
  { deals: rows, path }: DealsFile,
  { markets }: SharedFacts,
  { retryFailed, options: { despite } }: DealsIntent,
): readonly Deal[] {
  const [only, another] = markets;
  const marketOf = ({ market, line }: DealRow): string => {
    const name = market ?? (another === undefined ? only?.market : undefined);
    if (name !== undefined) return name;
    throw new UsageError(
      `Line ${line.toString()} of ${quoted(path)} has no market, and the account has ${markets.length.toString()}. ${NOTHING_SENT}`,
      `Add the column market: ${markets.map((each) => unquoted(each.market)).join(', ')}`,
    );
  };
  const inNaira = (row: DealRow): string => {
    const market = marketOf(row);
    if (!('ngn' in row.size) || isNairaMarket(market)) return market;
    throw new UsageError(
      `Line ${row.line.toString()} of ${quoted(path)} has ngn, and ${market} is not quoted in naira. ${NOTHING_SENT}`,
      'Give the size in USD: notional_usd.',
    );
  };
  return rows.map((row) => ({
    line: row.line,
    intent: openOf(row, { market: inNaira(row), retryFailed, despite }),
  }));
}

/** The open of a row: once per deal ID, without waiting for its fill. It was confirmed with all others. */
const openOf = (
  { dealId, side, size, tenor, bounds, note }: DealRow,
  { market, retryFailed, despite }: { market: string; retryFailed: boolean; despite: readonly string[] },
): TypedIntentOf<'open'> => ({
  action: 'open',
  market,
  side,
  ...('ngn' in size ? { sizing: { by: 'ngn', amount: size.ngn } } : { notional: size.notional }),
  tenor,
  dealId,
  ensure: true,
  retryFailed,
  allowDuplicate: false,
  bounds,
  anyPrice: false,
  options: { ...USUAL_OPTIONS, yes: true, wait: false, despite, note },
});
