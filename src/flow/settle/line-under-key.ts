/**
 * What to type where an action cannot be sent again on the terms it was dealt on: `hedge resume` takes none of its
 * own, and the same line under the same key is the same action. Pure.
 */
import { shellWord } from '../../domain/shell-word.ts';
import type { OwnCode } from '../../errors.ts';
import type { Action } from '../../journal/fold.ts';
import type { Finding } from '../dealing.ts';

/** The word that such a line has to say against what was found. */
const SAYS: Readonly<Partial<Record<OwnCode, string>>> = {
  no_reference: '--any-price',
  worse_price: '--worst-price PRICE',
  implausible_price: '--worst-price PRICE',
  cost_too_high: '--max-cost-bps BPS',
  duplicate: '--allow-duplicate',
};

/** The finding with what can be typed after a resume; as it is where no option of the line would help. */
export function asAfterResume(finding: Finding, action: Action): Finding {
  const option = SAYS[finding.code];
  if (option === undefined || finding.hint === undefined) return finding;
  return {
    ...finding,
    hint: [
      'hedge resume keeps the terms it was dealt on. On others, the same line under its key:',
      `${lineUnderKey(action)} ${option}`,
      `hedge journal settle ${action.shortId} --as nothing --because TEXT    if you know that it never was`,
    ].join('\n'),
  };
}

function lineUnderKey({ intent }: Action): string {
  const { action, market, side, notional_usd: notional, tenor_days: tenor, deal_id: dealId } = intent;
  const size = intent.asked === undefined ? (notional ?? '') : `--${intent.asked}`;
  return [
    'hedge',
    action,
    market,
    side,
    ...size.split(' ').filter((word) => word !== ''),
    ...(tenor === undefined ? [] : ['--tenor', tenor.toString()]),
    ...(dealId === undefined ? [] : [`--deal-id=${dealId}`]),
    '--idempotency-key',
    intent.idempotency_key,
  ]
    .map(shellWord)
    .join(' ');
}
