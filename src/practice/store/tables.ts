/** The tables of the practice book, and what changes a book of version 1. */

/** Marks the file as a practice book ("hedg"). */
export const APPLICATION_ID = 0x68_65_64_67;
export const SCHEMA_VERSION = 2;

const ADDED_IN_VERSION_2 = `
CREATE TABLE settings_versions (
  version INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT;

CREATE TABLE side_sums (
  environment TEXT NOT NULL,
  market TEXT NOT NULL,
  side TEXT NOT NULL,
  submitted TEXT NOT NULL,
  adding TEXT NOT NULL,
  count TEXT NOT NULL,
  notional TEXT NOT NULL,
  margin TEXT NOT NULL,
  entry TEXT NOT NULL,
  fees TEXT NOT NULL,
  carry_owed TEXT NOT NULL,
  accruing TEXT NOT NULL,
  accruing_from TEXT NOT NULL,
  PRIMARY KEY (environment, market, side)
) STRICT;

CREATE TABLE side_phases (
  environment TEXT NOT NULL,
  market TEXT NOT NULL,
  side TEXT NOT NULL,
  phase INTEGER NOT NULL,
  accruing TEXT NOT NULL,
  PRIMARY KEY (environment, market, side, phase)
) STRICT, WITHOUT ROWID;
`;

/** `done_entry` and `done_exit` are text: they are sums that exceed 64 bits. */
const HEDGE_TABLE = `
CREATE TABLE hedge_records (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  environment TEXT NOT NULL,
  client_reference TEXT,
  market TEXT NOT NULL,
  side TEXT NOT NULL,
  tenor_days INTEGER NOT NULL,
  status TEXT NOT NULL,
  notional INTEGER NOT NULL,
  struck INTEGER,
  margin INTEGER NOT NULL,
  order_tx_hash TEXT NOT NULL,
  fill_tx_hash TEXT,
  order_key TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  filled_at INTEGER,
  maturity_at INTEGER NOT NULL,
  closed_at INTEGER,
  close_reason TEXT,
  carry_owed INTEGER NOT NULL DEFAULT 0,
  carry_second INTEGER NOT NULL DEFAULT 0,
  platform_fees INTEGER NOT NULL DEFAULT 0,
  done_notional INTEGER NOT NULL DEFAULT 0,
  done_entry TEXT NOT NULL DEFAULT '0',
  done_exit TEXT NOT NULL DEFAULT '0',
  done_gross INTEGER NOT NULL DEFAULT 0,
  done_carry INTEGER NOT NULL DEFAULT 0,
  done_fees INTEGER NOT NULL DEFAULT 0,
  settings_version INTEGER NOT NULL DEFAULT 0,
  carry_daily INTEGER NOT NULL DEFAULT 0,
  margin_rate INTEGER NOT NULL DEFAULT 0,
  platform_fee INTEGER NOT NULL DEFAULT 0,
  close_fee INTEGER NOT NULL DEFAULT 0
) STRICT;
`;

const HEDGE_INDEXES = `
CREATE INDEX hedges_listed ON hedge_records (environment, seq);
CREATE INDEX hedges_by_status ON hedge_records (environment, status, seq);
CREATE INDEX hedges_by_reference ON hedge_records (environment, client_reference, seq)
  WHERE client_reference IS NOT NULL;
CREATE INDEX hedges_held ON hedge_records (environment, maturity_at, seq) WHERE status = 'filled';
CREATE INDEX hedges_of_side ON hedge_records (environment, market, side, seq) WHERE status = 'filled';
CREATE INDEX hedges_past ON hedge_records (environment, closed_at, seq) WHERE status = 'closed';`;

/** Amounts in micro-units, rates and fractions in 1e-8, times in ms since the epoch (`wall_` in wall time). */
export const TABLES = `
CREATE TABLE service (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  live_key TEXT NOT NULL,
  test_key TEXT NOT NULL,
  weather TEXT NOT NULL,
  authority_pem TEXT,
  certificate_pem TEXT,
  private_key_pem TEXT,
  wall_certificate_until INTEGER
) STRICT;

CREATE TABLE book (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  book_id TEXT NOT NULL,
  ahead_ms INTEGER NOT NULL,
  last_instant INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  environment TEXT PRIMARY KEY,
  balance INTEGER NOT NULL,
  margin INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  house INTEGER NOT NULL,
  CHECK (balance + margin + reserved + house = 0)
) STRICT;

CREATE TABLE postings (
  seq INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  hedge_id TEXT,
  balance INTEGER NOT NULL,
  margin INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  house INTEGER NOT NULL,
  CHECK (balance + margin + reserved + house = 0)
) STRICT;

${HEDGE_TABLE}${HEDGE_INDEXES}
CREATE TABLE orders (
  seq INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  kind TEXT NOT NULL,
  market TEXT NOT NULL,
  side TEXT NOT NULL,
  hedge_id TEXT,
  notional INTEGER NOT NULL,
  margin INTEGER NOT NULL,
  fee INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  lands INTEGER NOT NULL,
  order_tx_hash TEXT NOT NULL,
  fill_tx_hash TEXT NOT NULL,
  state TEXT NOT NULL
) STRICT;
CREATE INDEX orders_due ON orders (environment, due_at, seq) WHERE state = 'pending';

CREATE TABLE kept_answers (
  environment TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  holder TEXT NOT NULL,
  wall_busy_until INTEGER NOT NULL,
  wall_expires INTEGER NOT NULL,
  status INTEGER,
  body TEXT,
  PRIMARY KEY (environment, idempotency_key)
) STRICT;
CREATE INDEX kept_answers_expiry ON kept_answers (wall_expires);

CREATE TABLE rate_buckets (
  environment TEXT PRIMARY KEY,
  wall_full_at_us INTEGER NOT NULL
) STRICT;

${ADDED_IN_VERSION_2}`;

/** The dropped table stops a process of version 1 that still runs: it would change hedges without their sums. */
export const FROM_VERSION_1 = `
${HEDGE_TABLE}
INSERT INTO hedge_records SELECT *, 0, 0, 0, 0, 0 FROM hedges;
DROP TABLE hedges;
${HEDGE_INDEXES}
${ADDED_IN_VERSION_2}`;
