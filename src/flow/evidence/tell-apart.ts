/**
 * Of a change that is seen and several actions of ours that may have made it: whether one of them is in it.
 * Pure sums; which actions come into question is our-others.ts's to say.
 */
import { Big } from 'big.js';

export interface OurOther {
  shortId: string;
  /** USD, signed. */
  change: Big;
  /** It is in what is seen for certain; otherwise it may be or not. */
  landed: boolean;
}

/**
 * `ours`: it is in it, whichever others are. `others`: it is not. `either`: that cannot be told. `neither`: no
 * actions of ours make this change, with it or without it.
 */
export type Told = 'ours' | 'others' | 'either' | 'neither';

/** Of more, nobody can tell one apart. */
const MOST = 12;

/** `seen` and `own` in USD, signed; `tolerance`: what the service may have rounded. */
export function tell(
  seen: Big,
  { own, others, tolerance = new Big(0) }: { own: Big; others: readonly OurOther[]; tolerance?: Big },
): Told {
  const open = others.filter(({ landed }) => !landed);
  if (open.length > MOST) return 'either';
  const rest = others.reduce((left, { landed, change }) => (landed ? left.minus(change) : left), seen);
  const sums = sumsOf(open.map(({ change }) => change));
  const isOneOf = (wanted: Big): boolean => sums.some((each) => each.minus(wanted).abs().lte(tolerance));
  const withIt = isOneOf(rest.minus(own));
  const without = isOneOf(rest);
  if (withIt) return without ? 'either' : 'ours';
  return without ? 'others' : 'neither';
}

/** What any of them may come to together, each sum once. */
function sumsOf(changes: readonly Big[]): readonly Big[] {
  const sums = new Map([['0', new Big(0)]]);
  for (const change of changes) {
    const withIt = [...sums.values()].map((each) => each.plus(change));
    for (const each of withIt) sums.set(each.toFixed(), each);
  }
  return [...sums.values()];
}
