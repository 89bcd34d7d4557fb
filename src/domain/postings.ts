/**
 * Double entry between snapshots: an entry for each event of a hedge, and at each snapshot one that brings the balances to
 * those of the service. It follows from the records alone, and later records only add to it. Pure.
 */
import { Big } from 'big.js';
import { roundHalfUp, sum, USD_PLACES } from './amounts.ts';
import { type CutSnapshot, type DealEvent, type DealLife, eventsBefore } from './deal-pnl.ts';
import { NO_PNL, netPnl, type PnlParts } from './pnl-parts.ts';

export const POSTING_ACCOUNTS = [
  'balance',
  'margin',
  'reserved',
  'price',
  'carry',
  'fees',
  'opening',
  'unexplained',
  'rounding',
] as const;
export type PostingAccount = (typeof POSTING_ACCOUNTS)[number];

export type AccountNames = Readonly<Record<PostingAccount, string>>;

export const USUAL_ACCOUNTS: AccountNames = {
  balance: 'Assets:Hedge:Balance',
  margin: 'Assets:Hedge:Margin',
  reserved: 'Assets:Hedge:Reserved',
  price: 'Income:Hedge:Price',
  carry: 'Income:Hedge:Carry',
  fees: 'Expenses:Hedge:Fees',
  opening: 'Equity:Hedge:Opening',
  unexplained: 'Equity:Hedge:Unexplained',
  rounding: 'Equity:Hedge:Rounding',
};

export interface Posting {
  account: PostingAccount;
  /** USDC, 6 decimals; positive: a debit. USD is taken at par. */
  amount: Big;
}

/** Its postings add up to zero. */
export interface AccountingEntry {
  /** `first`: the balances of the first snapshot of all, with everything before it. */
  kind: 'first' | 'opening' | DealEvent['kind'] | 'balances';
  /** When it is booked, by the service's clock: never before an earlier snapshot. Milliseconds since the epoch. */
  ms: number;
  /** When it was. */
  happenedMs: number;
  deal: DealLife | undefined;
  /** The hedge after it, USD. */
  size: Big | undefined;
  /** Hash of the record that shows it, in the chain of the journal; undefined: in none yet. */
  hash: string | undefined;
  postings: readonly Posting[];
  /** The service's own balances after it. */
  asserted: Balances | undefined;
}

/** Undefined: the service does not say. */
export interface Balances {
  balance: Big;
  margin: Big | undefined;
  reserved: Big | undefined;
}

/** A snapshot, as far as its balances go. */
export interface BalanceCut {
  ms: number;
  snapshot: CutSnapshot;
  balances: Balances;
  hash: string | undefined;
}

const HELD = ['balance', 'margin', 'reserved'] as const;
type Held = Readonly<Record<(typeof HELD)[number], Big>>;

const ZERO = new Big(0);

/**
 * Entries that are booked from `fromMs` on and before `untilMs`, in order, after one that opens the books there. `cuts`: oldest
 * first, from the last one before `fromMs`; none: no entries. `hashOf`: of an action.
 */
export function entriesBetween(
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  {
    cuts: [first, ...later],
    deals,
    hashOf,
  }: {
    cuts: readonly BalanceCut[];
    deals: readonly DealLife[];
    hashOf: (actionId: string) => string | undefined;
  },
): readonly AccountingEntry[] {
  if (first === undefined || first.ms >= untilMs) return [];
  const all: AccountingEntry[] = [];
  let [held, before] = [heldIn(first.balances), first];
  /** Each once, even if a reading lacks its hedge. What happened before the first is in its balances, whenever its record came. */
  const known = new Set(deals.flatMap((deal) => eventsBefore(deal, first)));
  for (const cut of later) {
    const at = { before, cut, hashOf };
    const booked = deals
      .flatMap((deal) =>
        eventsKnown(deal, cut)
          .filter((event) => !known.has(event) && known.add(event))
          .map((event) => eventEntry(deal, event, at)),
      )
      // Without a quote nothing of an open is known: it is in the balances.
      .filter(({ postings }) => postings.length > 0)
      .toSorted((one, other) => one.ms - other.ms);
    const balances = balancesEntry(booked.reduce(plusPostings, held), cut, booked.length > 0);
    all.push(...booked, ...balances);
    held = [...booked, ...balances].reduce(plusPostings, held);
    before = cut;
  }
  const last = later.findLast(({ ms }) => ms < fromMs) ?? first;
  const opening = all.filter(({ ms }) => ms < fromMs).reduce(plusPostings, heldIn(first.balances));
  return [
    openingEntry(
      opening,
      fromMs > first.ms
        ? { kind: 'opening', ms: fromMs, hash: last.hash }
        : { kind: 'first', ms: first.ms, hash: last.hash },
    ),
    ...all.filter(({ ms }) => ms >= fromMs && ms < untilMs),
  ];
}

const openingEntry = (
  held: Held,
  { kind, ms, hash }: Pick<AccountingEntry, 'kind' | 'ms' | 'hash'>,
): AccountingEntry => ({
  kind,
  ms,
  happenedMs: ms,
  deal: undefined,
  size: undefined,
  hash,
  postings: rounded([
    ...HELD.map((account) => ({ account, amount: held[account] })),
    { account: 'opening', amount: sum(HELD.map((account) => held[account])).times(-1) },
  ]),
  asserted: undefined,
});

/** A balance that the service does not send begins at zero, and only entries move it. */
const heldIn = ({ balance, margin = ZERO, reserved = ZERO }: Balances): Held => ({
  balance,
  margin,
  reserved,
});

const plusPostings = (held: Held, { postings }: AccountingEntry): Held => ({
  balance: held.balance.plus(postedTo('balance', postings)),
  margin: held.margin.plus(postedTo('margin', postings)),
  reserved: held.reserved.plus(postedTo('reserved', postings)),
});

const postedTo = (account: PostingAccount, postings: readonly Posting[]): Big =>
  sum(postings.flatMap((posting) => (posting.account === account ? posting.amount : [])));

/** Known from the records up to a snapshot. */
function eventsKnown(deal: DealLife, { ms, snapshot }: BalanceCut): readonly DealEvent[] {
  if (deal.recordedAt > snapshot.recordedAt) return [];
  return eventsBefore(deal, { ms, snapshot }).filter(
    ({ recordedAt }) => recordedAt !== undefined && recordedAt <= snapshot.recordedAt,
  );
}

function eventEntry(
  deal: DealLife,
  event: DealEvent,
  {
    before,
    cut,
    hashOf,
  }: { before: BalanceCut; cut: BalanceCut; hashOf: (actionId: string) => string | undefined },
): AccountingEntry {
  const { kind, ms, pnl = NO_PNL, margin = ZERO, sizes, actionId } = event;
  return {
    kind,
    ms: Math.min(Math.max(ms, before.ms), cut.ms),
    happenedMs: ms,
    deal,
    size: sizes?.after,
    hash: actionId === undefined ? cut.hash : hashOf(actionId),
    postings: rounded([
      { account: 'balance', amount: netPnl(pnl).minus(margin) },
      { account: 'margin', amount: margin },
      ...resultPostings(pnl),
    ]),
    asserted: undefined,
  };
}

/** Gains are credits. */
const resultPostings = (pnl: PnlParts): readonly Posting[] => [
  { account: 'price', amount: netPnl(pnl).minus(pnl.carry_usdc).minus(pnl.fees_usdc).times(-1) },
  { account: 'carry', amount: pnl.carry_usdc.times(-1) },
  { account: 'fees', amount: pnl.fees_usdc.times(-1) },
];

/** Up to here the difference of a whole interval is rounding. */
const LARGEST_ROUNDING = new Big('0.01');

/** The rest of the change since the snapshot before: deposits, hedges of others, and orders in flight. */
function balancesEntry(after: Held, cut: BalanceCut, hasEvents: boolean): readonly AccountingEntry[] {
  const { balances } = cut;
  const moved = HELD.map((account): Posting => {
    const shown = balances[account];
    return { account, amount: shown === undefined ? ZERO : shown.minus(after[account]) };
  });
  if (!hasEvents && moved.every(({ amount }) => amount.eq(0))) return [];
  const total = sum(moved.map(({ amount }) => amount));
  const account = total.abs().lte(LARGEST_ROUNDING) ? 'rounding' : 'unexplained';
  return [
    {
      kind: 'balances',
      ms: cut.ms,
      happenedMs: cut.ms,
      deal: undefined,
      size: undefined,
      hash: cut.hash,
      postings: rounded(
        [...moved, { account, amount: total.times(-1) }],
        HELD.filter((each) => balances[each] !== undefined),
      ),
      asserted: balances,
    },
  ];
}

/** To 6 decimals; what that leaves is a posting of its own. Postings of zero are left out, but for those of `always`. */
function rounded(postings: readonly Posting[], always: readonly PostingAccount[] = []): readonly Posting[] {
  const each = postings.map(({ account, amount }) => ({ account, amount: roundHalfUp(amount, USD_PLACES) }));
  const left = sum(each.map(({ amount }) => amount)).times(-1);
  return [...each, { account: 'rounding' as const, amount: left }].filter(
    ({ account, amount }) => always.includes(account) || !amount.eq(0),
  );
}
