/** The tables of the practice book. */

/** Marks the file as a practice book ("hedg"). */
export const APPLICATION_ID = 0x68_65_64_67;
export const SCHEMA_VERSION = 3;

/**
 * Amounts in micro-units, rates and fractions in 1e-8, times in ms since the epoch (`wall_` in wall time). `done_entry`,
 * `done_exit` and the sums of a side are text: they exceed 64 bits.
 */
export const TABLES = `
CREATE TABLE service (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  live_key TEXT NOT NULL,
  test_key TEXT NOT NULL,
  faults TEXT NOT NULL,
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
  carry_daily INTEGER NOT NULL DEFAULT 0,
  margin_rate INTEGER NOT NULL DEFAULT 0,
  platform_fee INTEGER NOT NULL DEFAULT 0,
  close_fee INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX hedges_listed ON hedge_records (environment, seq);
CREATE INDEX hedges_by_status ON hedge_records (environment, status, seq);
CREATE INDEX hedges_by_reference ON hedge_records (environment, client_reference, seq)
  WHERE client_reference IS NOT NULL;
CREATE INDEX hedges_held ON hedge_records (environment, maturity_at, seq) WHERE status = 'filled';
CREATE INDEX hedges_of_side ON hedge_records (environment, market, side, seq) WHERE status = 'filled';
CREATE INDEX hedges_past ON hedge_records (environment, closed_at, seq) WHERE status = 'closed';

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

CREATE TABLE settings_versions (
  version INTEGER PRIMARY KEY,
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
