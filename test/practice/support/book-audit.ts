/**
 * The invariants of a practice book, from its rows alone: nothing is half-applied if all hold. The sums of the service are
 * not used to check themselves.
 */
import { type Database, openDatabase } from '../../../src/practice/store/database.ts';

export interface Audited {
  /** Each broken invariant, in words. */
  wrong: string[];
  hedges: number;
  /** The last of the orders and the last book time. */
  lastOrder: number;
  lastInstant: number;
}

/** Orders after `ordersBefore` were sent with an idempotency key, and have a stored response. */
export function auditBook(path: string, ordersBefore = 0): Audited {
  const db = openDatabase(path);
  try {
    const wrong = [
      ...brokenPages(db),
      ...accountsOffPostings(db),
      ...hedgesOffPostings(db),
      ...hedgesOffOrders(db),
      ...sumsOffHedges(db),
      ...responsesOffOrders(db, ordersBefore),
      ...partialReductions(db),
    ];
    return {
      wrong,
      hedges: one(db, 'SELECT COUNT(*) FROM hedge_records'),
      lastOrder: one(db, 'SELECT COALESCE(MAX(seq), 0) FROM orders'),
      lastInstant: one(db, 'SELECT last_instant FROM book'),
    };
  } finally {
    db.close();
  }
}

const one = (db: Database, sql: string): number => Number(db.values(sql)[0]?.[0]);

/** The rows that break an invariant, each with its columns. */
const found = (db: Database, what: string, sql: string): string[] =>
  db.values(sql).map((values) => `${what}: ${values.map(String).join(' ')}`);

const brokenPages = (db: Database): string[] =>
  db
    .all('PRAGMA quick_check')
    .map((row) => String(row['quick_check']))
    .filter((text) => text !== 'ok');

function accountsOffPostings(db: Database): string[] {
  const locked = `SELECT a.environment, a.margin, a.reserved,
      COALESCE((SELECT SUM(margin) FROM hedge_records h WHERE h.environment = a.environment AND status = 'filled'), 0) AS held,
      COALESCE((SELECT SUM(margin + fee) FROM orders o WHERE o.environment = a.environment AND state = 'pending'), 0) AS due
    FROM accounts a`;
  return [
    ...found(
      db,
      'account is not the sum of its postings',
      `SELECT a.environment, a.balance, a.margin, a.reserved, p.* FROM accounts a
       JOIN (SELECT environment, SUM(balance) AS balance, SUM(margin) AS margin, SUM(reserved) AS reserved,
               SUM(house) AS house FROM postings GROUP BY environment) p USING (environment)
       WHERE a.balance <> p.balance OR a.margin <> p.margin OR a.reserved <> p.reserved OR a.house <> p.house`,
    ),
    ...found(
      db,
      'margin or reserve is not that of hedges and orders',
      `SELECT * FROM (${locked}) WHERE margin <> held OR reserved <> due`,
    ),
  ];
}

/** What each hedge moved is what its own figures say, to the micro-USDC. */
const hedgesOffPostings = (db: Database): string[] =>
  found(
    db,
    'hedge is not what its postings moved',
    `SELECT h.id, h.status, COALESCE(p.balance, 0) AS moved, COALESCE(p.margin, 0) AS locked, h.margin,
         h.done_gross - h.done_carry - h.done_fees - h.platform_fees - h.margin - COALESCE(o.reserved, 0) AS due
     FROM hedge_records h
     LEFT JOIN (SELECT hedge_id, SUM(balance) AS balance, SUM(margin) AS margin FROM postings GROUP BY hedge_id) p
       ON p.hedge_id = h.id
     LEFT JOIN (SELECT hedge_id, SUM(margin + fee) AS reserved FROM orders WHERE state = 'pending' GROUP BY hedge_id) o
       ON o.hedge_id = h.id
     WHERE moved <> due OR locked <> h.margin LIMIT 5`,
  );

/** One open each, in the state of the hedge; the notional that opens and adds brought is open or closed. */
const hedgesOffOrders = (db: Database): string[] =>
  found(
    db,
    'hedge is not what its orders made',
    `SELECT h.id, h.status, h.notional, h.done_notional, o.opens, o.state, o.brought FROM hedge_records h
     LEFT JOIN (SELECT hedge_id, SUM(kind = 'open') AS opens, MAX(CASE kind WHEN 'open' THEN state END) AS state,
                  SUM(CASE state WHEN 'executed' THEN notional ELSE 0 END) AS brought
                FROM orders WHERE hedge_id IS NOT NULL GROUP BY hedge_id) o
       ON o.hedge_id = h.id
     WHERE o.opens IS NOT 1
       OR o.state <> CASE h.status WHEN 'submitted' THEN 'pending' WHEN 'failed' THEN 'failed' ELSE 'executed' END
       OR o.brought <> h.done_notional + CASE h.status WHEN 'filled' THEN h.notional ELSE 0 END
       OR (h.status = 'closed') <> (h.closed_at IS NOT NULL) LIMIT 5`,
  );

const SUMS = [
  'submitted',
  'adding',
  'count',
  'notional',
  'margin',
  'entry',
  'fees',
  'carry_owed',
  'accruing',
  'accruing_from',
] as const;

/** Sums and phases of each side against its hedges and adds. */
function sumsOffHedges(db: Database): string[] {
  const computed = new Map<string, bigint>();
  const add = (name: string, value: bigint) => computed.set(name, (computed.get(name) ?? 0n) + value);
  const hedges = db.values(
    `SELECT environment || ' ' || market || ' ' || side, status, notional, margin, struck, close_fee, carry_owed,
       carry_daily, filled_at, carry_second
     FROM hedge_records WHERE status IN ('submitted', 'filled')`,
  );
  for (const [side, status, ...amounts] of hedges) {
    const [
      notional = 0n,
      margin = 0n,
      struck = 0n,
      closeFee = 0n,
      owed = 0n,
      daily = 0n,
      filledAt = 0n,
      second = 0n,
    ] = amounts.map((value) => (typeof value === 'bigint' ? value : 0n));
    if (status === 'submitted') {
      add(`${String(side)} submitted`, notional);
      continue;
    }
    const accruing = notional * daily;
    add(`${String(side)} count`, 1n);
    add(`${String(side)} notional`, notional);
    add(`${String(side)} margin`, margin);
    add(`${String(side)} entry`, notional * struck);
    add(`${String(side)} fees`, notional * closeFee);
    add(`${String(side)} carry_owed`, owed);
    add(`${String(side)} accruing`, accruing);
    add(`${String(side)} accruing_from`, accruing * (filledAt / 1_000n + second));
    add(`${String(side)} phase ${String(filledAt % 1_000n)}`, accruing);
  }
  const adds = db.values(
    `SELECT environment || ' ' || market || ' ' || side, notional FROM orders WHERE kind = 'add' AND state = 'pending'`,
  );
  for (const [side, notional] of adds) add(`${String(side)} adding`, BigInt(String(notional)));
  const kept = new Map<string, bigint>();
  for (const row of db.all(`SELECT *, environment || ' ' || market || ' ' || side AS of FROM side_sums`))
    for (const name of SUMS) kept.set(`${String(row['of'])} ${name}`, BigInt(String(row[name])));
  const phases = db.values(
    `SELECT environment || ' ' || market || ' ' || side || ' phase ' || phase, accruing FROM side_phases`,
  );
  for (const [name, accruing] of phases) kept.set(String(name), BigInt(String(accruing)));
  return [...new Set([...computed.keys(), ...kept.keys()])]
    .filter((name) => (computed.get(name) ?? 0n) !== (kept.get(name) ?? 0n))
    .map((name) => `sum ${name} is ${String(kept.get(name))}, and its rows ${String(computed.get(name))}`);
}

/** An order and the response that accepted it were stored together. */
function responsesOffOrders(db: Database, ordersBefore: number): string[] {
  const stored = new Map<string, number>();
  for (const [body] of db.values('SELECT body FROM kept_answers WHERE body IS NOT NULL')) {
    const { data }: { data: { order_tx_hash: string } } = JSON.parse(String(body));
    stored.set(data.order_tx_hash, (stored.get(data.order_tx_hash) ?? 0) + 1);
  }
  const hashes = db
    .values(`SELECT order_tx_hash FROM orders WHERE seq > ${String(ordersBefore)}`)
    .map(([hash]) => String(hash));
  const ordered = new Set(hashes);
  return [
    ...hashes
      .filter((hash) => stored.get(hash) !== 1)
      .map((hash) => `order ${hash} has ${String(stored.get(hash) ?? 0)} stored responses`),
    ...[...stored.keys()]
      .filter((hash) => !ordered.has(hash))
      .map((hash) => `the response with order ${hash} has no order`),
  ];
}

/** A reduction and a close that were executed changed every hedge of the side that was held then. */
function partialReductions(db: Database): string[] {
  const changed = new Map(
    db
      .values(
        `SELECT h.environment || ' ' || h.market || ' ' || h.side || ' ' || p.at, COUNT(*) FROM postings p
         JOIN hedge_records h ON h.id = p.hedge_id WHERE p.what = 'close' GROUP BY 1`,
      )
      .map(([when, count]) => [String(when), Number(count)]),
  );
  const executed = db.values(
    `SELECT environment || ' ' || market || ' ' || side || ' ' || due_at, COUNT(*),
       (SELECT COUNT(*) FROM hedge_records h WHERE h.environment = o.environment AND h.market = o.market
          AND h.side = o.side AND h.filled_at < o.due_at AND (h.closed_at IS NULL OR h.closed_at > o.due_at
            OR (h.closed_at = o.due_at AND h.close_reason = 'close'))),
       (SELECT COUNT(*) FROM hedge_records h WHERE h.environment = o.environment AND h.market = o.market
          AND h.side = o.side AND h.filled_at = o.due_at)
     FROM orders o WHERE kind IN ('reduce', 'close') AND state = 'executed' GROUP BY 1`,
  );
  return executed.flatMap(([when, orders, before, together]) => {
    const count = changed.get(String(when)) ?? 0;
    // Of several at one millisecond, or with an open, the order is in `seq`: they are not told apart here.
    if (Number(orders) > 1 || Number(together) > 0 || count === Number(before)) return [];
    return [`the reduction of ${String(when)} changed ${String(count)} of ${String(before)} hedges`];
  });
}
