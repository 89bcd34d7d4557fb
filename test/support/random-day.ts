/** A random day of an imagined account: adds, reduces, early closes, maturities, rolls, deposits, and a colleague. */
import { ModelAccount as Model, type ModelAccount } from './model-account.ts';
import { DAY, HOUR, type ModelCut } from './model-service.ts';

export interface RandomDay {
  account: ModelAccount;
  /** When the day begins, and its value then: a snapshot was taken. */
  openedMs: number;
  opening: ModelCut;
}

const KINDS = ['own', 'own', 'own', 'with a colleague', 'wild'] as const;
export type DayKind = (typeof KINDS)[number];

export const kindOf = (seed: number): DayKind => KINDS[seed % KINDS.length] ?? 'own';

export type TakeSnapshot = (account: ModelAccount) => Promise<void>;

/** `act`: once for each event. A wild rate takes more than the margin. */
export function modelFor(seed: number): ModelAccount {
  return new Model({
    seed: seed + 1,
    swing: kindOf(seed) === 'wild' ? 0.3 : 0.02,
    aheadMs: seed % 3 === 0 ? 9 * DAY : 0,
  });
}

/** One event: some of these fit the moment, and the others do nothing. */
export function anEvent(account: ModelAccount, seed: number, meanwhile: () => void = () => undefined): void {
  const side = account.pick(['buy', 'buy', 'sell'] as const);
  const size = Math.round(account.draw(500, 40_000) * 100) / 100;
  const tenor = account.pick([1, 3, 7] as const);
  const others = kindOf(seed) === 'with a colleague';
  const what = account.pick([
    'open',
    'open',
    'open',
    'roll',
    'add',
    'reduce',
    'reduce',
    'close',
    'wait',
    ...(others ? (['their open', 'their add', 'their reduce', 'deposit'] as const) : []),
  ] as const);
  const by = account.pick(['Ada', 'Bo'] as const);
  switch (what) {
    case 'open':
      account.ownOpen(side, size, { tenor, by, hasQuote: account.draw(0, 1) > 0.1, meanwhile });
      break;
    case 'roll':
      account.ownClose(side);
      account.ownOpen(side, size, { tenor, dealId: `COVER-20261106-${account.hedges.length.toString()}.r2` });
      break;
    case 'add':
      account.ownAdd(side, size);
      break;
    case 'reduce':
      account.ownReduce(side, account.draw(0.05, 0.9), meanwhile);
      break;
    case 'close':
      account.ownClose(side);
      break;
    case 'their open':
      account.othersOpen(side, size);
      break;
    case 'their add':
      account.othersAdd(side, size);
      break;
    case 'their reduce':
      account.othersReduce(side, size / 2);
      break;
    case 'deposit':
      account.deposit(Math.round(account.draw(-5_000, 5_000)));
      break;
    case 'wait':
      break;
    default:
      what satisfies never;
  }
}

/**
 * Some days before it, then the snapshot, then the day with its events. Some snapshots are taken between the fill of an order
 * and its record in the journal. `during`: called between events.
 */
export async function liveDay(
  seed: number,
  takeSnapshot: TakeSnapshot,
  during: (account: ModelAccount) => Promise<void> = async () => undefined,
): Promise<RandomDay> {
  const account = modelFor(seed);
  for (let left = Math.floor(account.draw(0, 7)); left > 0; left -= 1) {
    anEvent(account, seed);
    account.pass(account.draw(0.2, 20) * HOUR);
  }
  const seen: ModelAccount[] = [];
  if (account.draw(0, 1) < 0.3) anEvent(account, seed, () => seen.push(account.copy()));
  const at = seen[0] ?? account.copy();
  const before = at.records.length;
  await takeSnapshot(at);
  account.records.splice(before, 0, ...at.records.slice(before));
  for (let left = Math.floor(account.draw(3, 14)); left > 0; left -= 1) {
    account.pass(account.draw(0.05, 3) * HOUR);
    anEvent(account, seed);
    await during(account);
  }
  account.pass(account.draw(0.01, 30) * HOUR);
  return { account, openedMs: at.nowMs, opening: at.cut() };
}
