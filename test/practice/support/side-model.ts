/** A practice book as the design defines it, hedge by hedge and with fractions: what the service must show to the digit. */

const RATE = 100_000_000n;
const DAY_SECONDS = 86_400n;

export interface ModelTerms {
  /** In 1e-8; positive: the account pays. */
  carryDaily: Record<'buy' | 'sell', bigint>;
  margin: bigint;
  platformFee: bigint;
  closeFee: bigint;
}

export interface ModelHedge {
  id: string;
  side: 'buy' | 'sell';
  /** Micro-USD, and micro-USDC. */
  notional: bigint;
  margin: bigint;
  struck: bigint;
  filledAt: number;
  maturityAt: number;
  /** Carry up to `owedSecond` after the fill. */
  owed: bigint;
  owedSecond: bigint;
  gross: bigint;
  carry: bigint;
  fees: bigint;
}

/** Half to even. */
export function rounded(numerator: bigint, denominator: bigint): bigint {
  const remainder = ((numerator % denominator) + denominator) % denominator;
  const floor = (numerator - remainder) / denominator;
  if (2n * remainder === denominator) return floor % 2n === 0n ? floor : floor + 1n;
  return 2n * remainder > denominator ? floor + 1n : floor;
}

const total = <T>(list: readonly T[], of: (each: T) => bigint): bigint =>
  list.reduce((sum, each) => sum + of(each), 0n);

/** Splits by largest remainder; the older one first if equal. */
export function split(amount: bigint, over: readonly bigint[]): bigint[] {
  const whole = total(over, (each) => each);
  const parts = over.map((each) => (amount * each) / whole);
  const order = over
    .map((each, index) => ({ index, rest: (amount * each) % whole }))
    .toSorted((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1));
  const missing = Number(amount - total(parts, (each) => each));
  for (const { index } of order.slice(0, missing)) parts[index] = (parts[index] ?? 0n) + 1n;
  return parts;
}

export function sideModel(terms: ModelTerms, opening: bigint, midAt: (instant: number) => bigint) {
  const open: ModelHedge[] = [];
  const closed: ModelHedge[] = [];
  let balance = opening;
  const ofSide = (side: string) => open.filter((each) => each.side === side);
  const seconds = (hedge: ModelHedge, at: number) => BigInt(Math.floor((at - hedge.filledAt) / 1000));
  const accrued = (hedge: ModelHedge, at: number) =>
    hedge.notional * terms.carryDaily[hedge.side] * (seconds(hedge, at) - hedge.owedSecond);
  const carryOf = (exact: bigint) => rounded(exact, RATE * DAY_SECONDS);
  const gainOf = (side: string, moved: bigint, rate: bigint) =>
    rounded(side === 'buy' ? moved : -moved, rate);

  /** The figures of closing `parts` of `hedges` at `at`, each rounded once over all of them. */
  const figures = (hedges: readonly ModelHedge[], parts: readonly bigint[], at: number, fee: bigint) => {
    const rate = midAt(at);
    const part = (index: number) => parts[index] ?? 0n;
    const moved = hedges.map((each, index) => part(index) * (rate - each.struck));
    const side = hedges[0]?.side ?? '';
    return {
      gross: gainOf(
        side,
        total(moved, (each) => each),
        rate,
      ),
      owed: total(hedges, (each) => each.owed) + carryOf(total(hedges, (each) => accrued(each, at))),
      fee: rounded(fee * total(parts, (each) => each), RATE),
      alone: hedges.map((each, index) => ({
        gross: gainOf(side, moved[index] ?? 0n, rate),
        owed: each.owed + carryOf(accrued(each, at)),
        fee: rounded(fee * part(index), RATE),
      })),
    };
  };

  const closeParts = (hedges: readonly ModelHedge[], parts: readonly bigint[], at: number, fee: bigint) => {
    const all = figures(hedges, parts, at, fee);
    const before = all.alone.slice(0, -1);
    const last = {
      gross: all.gross - total(before, (each) => each.gross),
      owed: all.owed - total(before, (each) => each.owed),
      fee: all.fee - total(before, (each) => each.fee),
    };
    [...before, last].forEach((each, index) => {
      const hedge = hedges[index];
      const part = parts[index] ?? 0n;
      if (hedge === undefined) return;
      const left = hedge.notional - part;
      const marginLeft = rounded(hedge.margin * left, hedge.notional);
      const owedLeft = rounded(each.owed * left, hedge.notional);
      balance += hedge.margin - marginLeft + each.gross - (each.owed - owedLeft) - each.fee;
      hedge.gross += each.gross;
      hedge.carry -= each.owed - owedLeft;
      hedge.fees += each.fee;
      Object.assign(hedge, { margin: marginLeft, owed: owedLeft, owedSecond: seconds(hedge, at) });
      if (left === 0n) closed.push(...open.splice(open.indexOf(hedge), 1));
      else hedge.notional = left;
    });
  };

  return {
    get balance() {
      return balance;
    },
    open,
    closed,
    hold(hedge: Pick<ModelHedge, 'id' | 'side' | 'notional' | 'struck' | 'filledAt' | 'maturityAt'>) {
      const margin = rounded(hedge.notional * terms.margin, RATE);
      const fees = rounded(hedge.notional * terms.platformFee, RATE);
      balance -= margin + fees;
      open.push({ ...hedge, margin, fees, owed: 0n, owedSecond: 0n, gross: 0n, carry: 0n });
    },
    add(side: string, added: bigint, struck: bigint, at: number) {
      const hedge = ofSide(side).at(-1);
      if (hedge === undefined) throw new Error('no hedge to add to');
      const margin = rounded(added * terms.margin, RATE);
      const fee = rounded(added * terms.platformFee, RATE);
      balance -= margin + fee;
      hedge.owed += carryOf(accrued(hedge, at));
      hedge.owedSecond = seconds(hedge, at);
      hedge.struck = rounded(hedge.notional * hedge.struck + added * struck, hedge.notional + added);
      hedge.notional += added;
      hedge.margin += margin;
      hedge.fees += fee;
    },
    reduce(side: string, asked: bigint, at: number) {
      const hedges = ofSide(side);
      const whole = total(hedges, (each) => each.notional);
      const parts =
        asked * 100n >= whole * 99n
          ? hedges.map((each) => each.notional)
          : split(
              asked,
              hedges.map((each) => each.notional),
            );
      const touched = hedges.filter((_, index) => (parts[index] ?? 0n) > 0n);
      closeParts(
        touched,
        parts.filter((part) => part > 0n),
        at,
        terms.closeFee,
      );
    },
    settleUntil(instant: number) {
      const due = open.filter((each) => each.maturityAt <= instant);
      for (const hedge of due.toSorted((a, b) => a.maturityAt - b.maturityAt))
        closeParts([hedge], [hedge.notional], hedge.maturityAt, 0n);
    },
    position(side: string, at: number) {
      const hedges = ofSide(side);
      if (hedges.length === 0) return undefined;
      const notionals = hedges.map((each) => each.notional);
      const { gross, owed, fee } = figures(hedges, notionals, at, terms.closeFee);
      const notional = total(notionals, (each) => each);
      const margin = total(hedges, (each) => each.margin);
      return {
        notional,
        entry: rounded(
          total(hedges, (each) => each.notional * each.struck),
          notional,
        ),
        mark: midAt(at),
        gross,
        carry: -owed,
        fee,
        margin,
        net: gross - owed,
        netMargin: margin + gross - owed - fee,
      };
    },
  };
}
