/** The daily limit that rows of a deals file do not fit into: its rest, and the need of the whole file. Pure. */
import { Big } from 'big.js';
import { sum } from '../../domain/amounts.ts';
import { remainingLimit } from '../../domain/exposure.ts';
import { isFields } from '../../domain/fields.ts';
import { type DealEnd, type DealOutcome, outcomeOfDeal } from './deal.ts';

/** USD. */
export interface DailyLimitOfFile {
  limit: Big;
  /** Before the first row. */
  left: Big;
  /** By the rows that are not sent yet. */
  needed: Big;
  /** The limit that would admit them all. */
  enough: Big;
}

/** Undefined where no row is stopped by a daily limit, or the size of a row is not known. */
export function dailyLimitOf(ends: readonly DealEnd[]): DailyLimitOfFile | undefined {
  const at = ends.findIndex(({ error }) => limitIn(error?.details) !== undefined);
  const stop = limitIn(ends[at]?.error?.details);
  if (stop === undefined) return undefined;
  const sizes = ends.filter((end) => TO_SEND.includes(outcomeOfDeal(end))).map(sizeOf);
  const known = sizes.flatMap((size) => size ?? []);
  if (known.length < sizes.length) return undefined;
  // Rows before it count as filled.
  const fits = ends.slice(0, at).filter((end) => outcomeOfDeal(end) === 'planned');
  const opened = stop.opened.minus(sum(fits.flatMap((end) => sizeOf(end) ?? [])));
  const needed = sum(known);
  return {
    limit: stop.limit,
    left: remainingLimit(stop.limit, opened),
    needed,
    enough: opened.plus(needed),
  };
}

const sizeOf = ({ plan, intent }: DealEnd): Big | undefined => plan?.notional ?? intent.notional;

const TO_SEND: readonly DealOutcome[] = ['planned', 'stopped'];

/** From the findings that stopped a row. */
function limitIn(details: unknown): { limit: Big; opened: Big } | undefined {
  const findings = isFields(details) ? details['findings'] : undefined;
  if (!Array.isArray(findings)) return undefined;
  return findings.flatMap((finding: unknown) => {
    const own = isFields(finding) && isFields(finding['details']) ? finding['details'] : {};
    const { max_daily_notional_usd: limit, opened_today_usd: opened } = own;
    return limit instanceof Big && opened instanceof Big ? [{ limit, opened }] : [];
  })[0];
}
