/** Reads the whole account at one moment, and records it in the journal. */
import { digitsFrom } from '../client/json.ts';
import type { ClosedHedge } from '../client/schemas.ts';
import { say, shell } from '../domain/hint.ts';
import { exactInstant } from '../domain/instants.ts';
import { DamagedFileError, UnreadableAnswerError } from '../errors.ts';
import { recordedIdentity } from '../journal/account-identity.ts';
import { SCHEMA, type SnapshotRecord } from '../journal/records.ts';
import { snapshotsOf } from '../journal/state.ts';
import { closedHedgeId, closedInstant } from './closed-record.ts';
import { looksLikePage, withoutCopies } from './filter-records.ts';
import type { ReadContext } from './read-context.ts';
import { readPositionFacts } from './read-position.ts';
import {
  everySide,
  isInconsistent,
  isRunningHedge,
  mayLackOpen,
  type PositionFacts,
} from './side-position.ts';

/** Fields of the service under its names, as a snapshot has them. */
export type RecordedFields = SnapshotRecord['hedges'][number];

export interface AccountReading {
  record: SnapshotRecord;
  positionFacts: PositionFacts;
  /** Every hedge that was listed, and every record of a closed one. */
  hedges: readonly RecordedFields[];
  closed: readonly RecordedFields[];
}

const ATTEMPTS = 3;
const AGAIN_MS = 1_500;

/**
 * All of it at once, and again while the account or the hedges moved in between. Records nothing.
 * @throws HedgeError of the reading that failed.
 */
export async function readWholeAccount(
  context: ReadContext,
  { profile, note }: { profile: string; note?: string | undefined },
): Promise<AccountReading> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await readOnce(context);
    if (read.isSteady || attempt === ATTEMPTS) {
      const record = recordOf(read, { context, profile, note });
      return {
        record,
        positionFacts: read.positionFacts,
        hedges: read.positionFacts.hedges.map((each) => kept(each, HEDGE)),
        closed: read.closed.map((each) => kept(each, CLOSED)),
      };
    }
    await context.clock.sleep(AGAIN_MS, context.signal);
  }
}

async function readOnce(context: ReadContext) {
  const { api, signal } = context;
  const before = (await api.account({ signal })).data;
  const [positionFacts, markets, history] = await Promise.all([
    readPositionFacts(context),
    api.markets({ signal }),
    api.history({ signal }),
  ]);
  const account = (await api.account({ signal })).data;
  if (positionFacts.positions.some(({ net_margin_usd: back }) => back === undefined || back === null))
    throw new UnreadableAnswerError({
      code: 'unreadable_answer',
      what: 'A position does not say what closing it returns, so that the account has no value.',
      meaning: 'No snapshot was taken.',
      hint: say`To see the positions: ${shell`hedge positions`}`,
    });
  return {
    account,
    positionFacts,
    mids: Object.fromEntries(markets.data.map(({ market, price }) => [market, price.toFixed()])),
    closed: withoutCopies(history.data),
    // ASSUMED: `has_more`, where a service sends it.
    closedMayBeCut: looksLikePage(history.data.length) && history.meta['has_more'] !== false,
    isSteady:
      (positionFacts.notShown ?? []).length === 0 &&
      JSON.stringify(kept(before, DEALT)) === JSON.stringify(kept(account, DEALT)) &&
      !everySide(positionFacts).some((side) => side.listed.length > 0 && isInconsistent(side)),
  };
}

/** Deals move these, and marks do not. The fill of an order moves its reserve to the margin: the balance stays. */
const DEALT = [
  'balance_usdc',
  'available_exposure_usd',
  'margin_in_use_usdc',
  'reserved_usdc',
  'open_exposure_usd',
];
const ACCOUNT = [...DEALT, 'unrealized_pnl_usd'];
const POSITION = [
  'market',
  'side',
  'notional_usd',
  'entry_price',
  'mark_price',
  'gross_pnl_usd',
  'accrued_carry_usdc',
  'net_pnl_usd',
  'close_fee_usdc',
  'margin_usdc',
  'net_margin_usd',
];
const HEDGE = [
  'id',
  'client_reference',
  'market',
  'side',
  'notional_usd',
  'tenor_days',
  'status',
  'struck_rate',
  'opened_at',
  'filled_at',
  'maturity_at',
];
const CLOSED = [
  'id',
  'hedge_id',
  'client_reference',
  'market',
  'side',
  'notional_usd',
  'entry_price',
  'exit_price',
  'gross_pnl_usd',
  'carry_usdc',
  'fees_usdc',
  'net_pnl_usd',
  'closed_at',
  'reason',
];

const kept = (sent: Readonly<Record<string, unknown>>, names: readonly string[]): RecordedFields =>
  Object.fromEntries(
    names.flatMap((name) => {
      const digits = digitsFrom(sent[name]);
      return digits === null ? [] : [[name, digits]];
    }),
  );

function recordOf(
  { account, positionFacts, mids, closed, closedMayBeCut, isSteady }: Awaited<ReturnType<typeof readOnce>>,
  { context, profile, note }: { context: ReadContext; profile: string; note: string | undefined },
): SnapshotRecord {
  const { servedAt, positions, hedges } = positionFacts;
  const isNew = newlyClosed(context);
  return {
    schema: SCHEMA,
    kind: 'snapshot',
    at: exactInstant(context.clock.now()),
    identity: recordedIdentity(context.identity),
    profile,
    service_at: exactInstant(servedAt.getTime()),
    account: kept(account, ACCOUNT),
    positions: positions.map((each) => kept(each, POSITION)),
    hedges: hedges.filter((each) => isRunningHedge(each, servedAt)).map((each) => kept(each, HEDGE)),
    closed: closed.filter(isNew).map((each) => kept(each, CLOSED)),
    mids,
    may_be_cut: [
      ...(mayLackOpen(positionFacts) ? ['hedges' as const] : []),
      ...(closedMayBeCut ? ['closed' as const] : []),
    ],
    ...(isSteady ? {} : { unsteady: true }),
    ...(note === undefined ? {} : { note }),
  };
}

/** A record may come this much after the time of its close. */
const LATE_MS = 3_600_000;

/** Since the account's last snapshot; none without one. */
function newlyClosed({ journal, identity }: ReadContext): (record: ClosedHedge) => boolean {
  const state = journal.read();
  const [last] = snapshotsOf(state, identity);
  if (last === undefined) return () => false;
  const from = Date.parse(last.record.service_at) - LATE_MS;
  const open = new Set(last.record.hedges.map(({ id }) => id));
  const recent = [...snapshotsOf(state, identity, from - LATE_MS)];
  const known = new Set(recent.flatMap(({ record }) => record.closed.map(closedHedgeId)));
  return (record) => {
    const id = closedHedgeId(record);
    if (id === undefined || known.has(id)) return false;
    return open.has(id) || (closedInstant(record) ?? -Infinity) >= from;
  };
}

/** Why it could not be written; undefined: it was. The reading is shown all the same. */
export async function saveSnapshot(
  { journal }: Pick<ReadContext, 'journal'>,
  record: SnapshotRecord,
): Promise<DamagedFileError | undefined> {
  try {
    await journal.append([record]);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedFileError) return error;
    throw error;
  }
}
