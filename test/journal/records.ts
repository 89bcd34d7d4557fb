/** Complete journal records and their actions, with the parts that a test sets. */
import { Big } from 'big.js';
import { serviceIdentity } from '../../src/journal/account-identity.ts';
import type { DealTerms } from '../../src/journal/queries.ts';
import {
  type ActionRecord,
  type HaltRecord,
  type IntentRecord,
  type JournalRecord,
  type Operator,
  type RollPlan,
  recordSchema,
  type SnapshotRecord,
  type Writer,
} from '../../src/journal/records.ts';
import { type Action, replayRecords } from '../../src/journal/replay.ts';
import type { JournalState } from '../../src/journal/state.ts';
import { stateOf } from './in-memory.ts';

export const NOON = Date.parse('2026-11-20T12:00:00.000Z');
export const at = (seconds = 0): string => new Date(NOON + seconds * 1_000).toISOString();
/** `7c1e` → the action ID `7c1e000000000000`. */
export const idOf = (beginning: string): string => beginning.padEnd(16, '0');

export const DESK = serviceIdentity('live', {
  baseUrl: 'https://partner.test/v2',
  keyFingerprint: '1a2b3c4d',
});
export const ADA: Operator = { name: 'Ada O.', user: 'ada', host: 'desk' };
export const BO: Operator = { name: 'Bo', user: 'bo', host: 'desk' };
export const BY_ADA = { operator: ADA, version: '1.2.3' } as const;
export const HALT: HaltRecord & { kind: 'halt' } = {
  schema: 3,
  kind: 'halt',
  halt_id: 'aa00000000000001',
  at: at(30),
  who: 'Ada O. (ada@desk)',
  why: 'venue down',
  ...BY_ADA,
};
/** The plan of a roll. */
export const aRoll = (parts: Partial<RollPlan> = {}): RollPlan => ({
  schema: 3,
  kind: 'roll',
  at: at(),
  chain_id: '3f9a1c2b',
  when: 'now',
  identity: DESK,
  profile: 'desk',
  market: 'USDTNGN',
  side: 'buy',
  root: 'PAY-1',
  hedge_id: 'hdg_1',
  first_deal_id: 'PAY-1',
  notional_usd: '10000',
  tenor_days: 3,
  deal_id: 'PAY-1.r2',
  max_cost_bps: '60',
  maturity_at: '2026-11-23T12:00:00.000Z',
  ...parts,
});
/** A reading of a flat account. */
export const aSnapshot = (parts: Partial<SnapshotRecord> = {}): SnapshotRecord => ({
  schema: 3,
  kind: 'snapshot',
  at: at(),
  identity: DESK,
  profile: 'desk',
  service_at: parts.at ?? at(),
  account: { balance_usdc: '100000' },
  positions: [],
  hedges: [],
  closed: [],
  mids: { USDTNGN: '1530' },
  may_be_cut: [],
  ...parts,
});
export const WRITER: Writer = { pid: 7, hostname: 'desk', boot: 'b', space: 's', started: '1' };

export const anIntent = (parts: Partial<IntentRecord> = {}): IntentRecord => ({
  schema: 3,
  kind: 'intent',
  action_id: idOf('7c1e'),
  // As an append sets it.
  short_id: (parts.action_id ?? idOf('7c1e')).slice(0, 4),
  at: at(),
  action: 'open',
  identity: DESK,
  profile: 'desk',
  market: 'USDTNGN',
  side: 'buy',
  ...(parts.action === 'close' ? {} : { notional_usd: '10000' }),
  ...((parts.action ?? 'open') === 'open' ? { tenor_days: 3 as const } : {}),
  idempotency_key: 'k-1',
  key_origin: 'minted',
  body: '{"market":"USDTNGN","side":"buy","notional_usd":10000,"tenor_days":3}',
  path: '/hedges',
  before: { hedges: [{ hedge_id: 'hdg_0', notional_usd: '25000', status: 'filled' }], in_positions: true },
  quote: { execution_price: '1532.56', matures: null },
  sent_by: ['open', 'USDTNGN', 'buy', '10k'],
  writer: WRITER,
  ...parts,
});

type Step = Exclude<ActionRecord, IntentRecord>;
type Written<T> = T extends Step ? Omit<T, 'schema' | 'action_id' | 'at' | 'writer'> : never;

/** A later step of an action: `step({ kind: 'unknown', why: 'reset' })`. */
export const step = (parts: Written<Step>, id = '7c1e', seconds = 1, writer = WRITER): JournalRecord =>
  recordFrom(parts, { action_id: idOf(id), at: at(seconds), writer });

export const recordFrom = (
  parts: Written<Step>,
  { writer, ...of }: { action_id: string; at: string; writer: Writer },
): JournalRecord =>
  recordSchema.parse({ schema: 3, ...of, ...(parts.kind === 'sending' ? { writer } : {}), ...parts });

export type StepParts = Parameters<typeof step>[0];

/** An intent, and its later steps one second after it. */
export function recordsOf(
  id: string,
  parts: Partial<IntentRecord>,
  ...steps: readonly StepParts[]
): readonly JournalRecord[] {
  const intent = anIntent({ action_id: idOf(id), ...parts });
  const seconds = (Date.parse(intent.at) - NOON) / 1_000 + 1;
  return [intent, ...steps.map((each) => step(each, id, seconds))];
}

/** Action `id` under a key and a deal ID of its own, each record at this time (ISO 8601 UTC). */
export const actionAt = (
  time: string,
  id: string,
  ...steps: readonly StepParts[]
): readonly [JournalRecord, ...JournalRecord[]] => [
  anIntent({ action_id: idOf(id), at: time, idempotency_key: `k-${id}`, deal_id: `PAY-${id}` }),
  ...steps.map((each) => ({ ...step(each, id), at: time })),
];

export const actionsOf = (records: readonly JournalRecord[], isRunning = false): readonly Action[] =>
  replayRecords(records, () => isRunning);

/** The journal with these records, at noon unless said; with what a test puts in. */
export function stateFrom(
  records: readonly JournalRecord[],
  {
    running = false,
    nowMs = NOON,
    ...parts
  }: Partial<JournalState> & { running?: boolean; nowMs?: number } = {},
): JournalState {
  const path = '/desk/journal.sqlite';
  return { ...stateOf(records, { path, trouble: undefined, isRunning: () => running, nowMs }), ...parts };
}

/** All actions of a journal, oldest first. */
export const actionsIn = (state: Pick<JournalState, 'newest'>): readonly Action[] =>
  [...state.newest()].toReversed();

/** All that a state tells, to compare. */
export const wholeState = (state: JournalState) => {
  const { path, trouble, halt, count, current } = state;
  const actions = actionsIn(state).map((action) => ({ action, records: state.recordsOf(action.id) }));
  return { path, trouble, halt, count, current, actions };
};

export const SENDING = { kind: 'sending', attempt: 1 } as const;
export const ACCEPTED = { kind: 'accepted', hedge_id: 'hdg_1', order_tx_hash: '0x9f', by: 'answer' } as const;
/** Found by deal ID while a send could still arrive. */
export const FOUND = {
  kind: 'accepted',
  hedge_id: 'hdg_9',
  by: 'looking',
  provisional_until: at(300),
} as const;
export const REFUSED = { kind: 'refused', code: 'exposure_exceeded', http_status: 400 } as const;
export const UNKNOWN = { kind: 'unknown', why: 'connection reset' } as const;
export const FILLED = { kind: 'outcome', outcome: 'filled', facts: { struck_rate: '1532.71' } } as const;
export const FAILED = { kind: 'outcome', outcome: 'failed', facts: {} } as const;
export const NOT_SEEN = { kind: 'outcome', outcome: 'not_seen', facts: {} } as const;
export const NOT_TOLD = { kind: 'outcome', outcome: 'not_told', facts: { seen: 'another size' } } as const;
export const NOT_SENT = { kind: 'not_sent', why: 'declined' } as const;
export const NOTHING = { kind: 'settled', as: 'nothing', because: 'the venue says so' } as const;
export const DONE = { kind: 'settled', as: 'done', because: 'seen on the statement' } as const;

export const theTerms = (parts: Partial<DealTerms> = {}): DealTerms => ({
  action: 'open',
  identity: DESK,
  market: 'USDTNGN',
  side: 'buy',
  notional: new Big('10000.00'),
  tenorDays: 3,
  dealId: undefined,
  ...parts,
});
