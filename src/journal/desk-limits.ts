/** The limits of a whole desk, as its records set them. Each dealer may lower one; raising needs an approver. Pure. */
import { Big } from 'big.js';
import type { DeskLimitRecord } from './records.ts';
import { mayRelax, type Stamp } from './stamp.ts';

export const DESK_LIMITS = ['max_notional_usd', 'max_daily_notional_usd', 'max_open_usd'] as const;
export type DeskLimitName = (typeof DESK_LIMITS)[number];

/** Digits of USD; an absent one does not limit. */
export type DeskLimits = Readonly<Partial<Record<DeskLimitName, string>>>;

/** Limits that a record asks for: digits, or null to remove a limit. */
export type DeskLimitChanges = Readonly<Partial<Record<DeskLimitName, string | null | undefined>>>;

/** Limits that would be higher, or gone. */
export const raisedBy = (limits: DeskLimits, changes: DeskLimitChanges): readonly DeskLimitName[] =>
  DESK_LIMITS.filter((name) => {
    const { [name]: to } = changes;
    const { [name]: from } = limits;
    if (to === undefined || from === undefined) return false;
    return to === null || new Big(to).gt(from);
  });

/** `stamp`: of the record. A limit that its login may not raise stays. */
export function limitsAfter(
  limits: DeskLimits,
  record: DeskLimitChanges & Pick<DeskLimitRecord, 'kind'>,
  stamp: Stamp | undefined,
): DeskLimits {
  const refused = mayRelax(stamp) ? [] : raisedBy(limits, record);
  const after: Partial<Record<DeskLimitName, string>> = { ...limits };
  for (const name of DESK_LIMITS) {
    const { [name]: to } = record;
    if (to === undefined || refused.includes(name)) continue;
    if (to === null) delete after[name];
    else after[name] = new Big(to).toFixed();
  }
  return after;
}
