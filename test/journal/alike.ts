/** Random journals over many days, and whether two ways to read one answer alike. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { exactInstant } from '../../src/domain/instants.ts';
import {
  type AccountIdentity,
  practiceIdentity,
  serviceIdentity,
} from '../../src/journal/account-identity.ts';
import { isOfAction, type JournalRecord, type Operator, type Writer } from '../../src/journal/records.ts';
import type { JournalState } from '../../src/journal/state.ts';
import {
  ACCEPTED,
  ADA,
  anIntent,
  aRoll,
  aSnapshot,
  BO,
  DESK,
  DONE,
  FAILED,
  FILLED,
  FOUND,
  HALT,
  NOON,
  NOT_SEEN,
  NOT_SENT,
  NOT_TOLD,
  NOTHING,
  REFUSED,
  recordFrom,
  type StepParts,
  UNKNOWN,
  WRITER,
} from './records.ts';

/** What one append writes, by the clock of that moment. */
export interface JournalAppend {
  atMs: number;
  records: readonly [JournalRecord, ...JournalRecord[]];
}

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

/** Mostly seconds; a night, a month. */
const passing = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 90 * SECOND }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 30 * 60 * SECOND }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 2 * DAY }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * DAY }) },
);
const setBack = fc.oneof(
  { weight: 20, arbitrary: passing },
  { weight: 1, arbitrary: fc.integer({ min: -3 * DAY, max: 0 }) },
);

const ACCOUNTS: readonly AccountIdentity[] = [
  DESK,
  serviceIdentity('live', { baseUrl: DESK.base_url, keyFingerprint: 'ffffffff', account: 'payroll' }),
  serviceIdentity('sandbox', { baseUrl: DESK.base_url, keyFingerprint: '1a2b3c4d' }),
  practiceIdentity('book-1'),
];

/** Each account, also as its profile sees other keys of it. */
const ASKED: readonly AccountIdentity[] = [
  ...ACCOUNTS,
  serviceIdentity('live', { baseUrl: DESK.base_url, keyFingerprint: '33333333' }),
  { ...DESK, keys: new Map([['ffffffff', 'other']]) },
];

const HEDGES = ['hdg_1', 'hdg_2', 'hdg_3'] as const;
const CHAINS = ['0c0c0c01', '0c0c0c02'] as const;
const DEALS = [undefined, undefined, 'PAY-1', 'PAY-2'] as const;

const LATER: readonly StepParts[] = [
  ...[1, 2, 3].map((attempt) => ({ kind: 'sending', attempt }) as const),
  { kind: 'sending', attempt: 2, nothing_done_before: true },
  ...HEDGES.map((hedge_id) => ({ ...ACCEPTED, hedge_id }) as const),
  { ...FOUND, hedge_id: 'hdg_2' },
  REFUSED,
  { ...REFUSED, looked: true },
  UNKNOWN,
  FILLED,
  FILLED,
  { ...FILLED, hedge_id: 'hdg_3' },
  { kind: 'outcome', outcome: 'changed', facts: { hdg_1: '35000' } },
  { kind: 'outcome', outcome: 'closed', facts: {} },
  FAILED,
  NOT_SEEN,
  NOT_TOLD,
  NOT_SENT,
  NOTHING,
  DONE,
];

/** IDs that share many beginnings, so that short IDs grow. */
const actionId = fc
  .tuple(
    fc.constantFrom('7c1e', '7c1f', 'aaaa'),
    fc.constantFrom('0', 'a', 'b'),
    fc.bigInt(0n, 2n ** 44n - 1n),
  )
  .map(([first, next, rest]) => `${first}${next}${rest.toString(16).padStart(11, '0')}`);

/** Imported records name nobody. */
const by = fc.constantFrom<Operator | undefined>(undefined, ADA, BO);
const signed = (operator: Operator | undefined) =>
  operator === undefined ? {} : { operator, version: '1.2.3' };

const begun = fc.record({
  kind: fc.constant('begun' as const),
  id: actionId,
  sent: fc.boolean(),
  cents: fc.integer({ min: 1, max: 100_000_000 }),
  action: fc.constantFrom(
    'open' as const,
    'open' as const,
    'add' as const,
    'reduce' as const,
    'close' as const,
  ),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  identity: fc.constantFrom(...ACCOUNTS),
  dealId: fc.constantFrom(...DEALS),
  chainId: fc.constantFrom(undefined, undefined, ...CHAINS),
  ownKey: fc.integer({ min: 0, max: 2 }).map((each) => each > 0),
  byAlive: fc.boolean(),
  by,
});
const later = fc.record({
  kind: fc.constant('later' as const),
  // Mostly of the last few actions.
  of: fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat() }),
  step: fc.constantFrom(...LATER),
  byAlive: fc.boolean(),
  by,
});
const halted = fc.record({
  kind: fc.constant('halted' as const),
  lifts: fc.boolean(),
  which: fc.constantFrom(1 as const, 2 as const),
  both: fc.boolean(),
  by,
});
const rolled = fc.record({
  kind: fc.constant('rolled' as const),
  chainId: fc.constantFrom(...CHAINS),
  ends: fc.boolean(),
  by,
});
const taken = fc.record({
  kind: fc.constant('snapshot' as const),
  cents: fc.integer({ min: -100, max: 100 }),
  identity: fc.constantFrom(...ACCOUNTS),
  by,
});
const happening = fc.oneof(
  { weight: 4, arbitrary: begun },
  { weight: 10, arbitrary: later },
  { weight: 1, arbitrary: halted },
  { weight: 2, arbitrary: rolled },
  { weight: 2, arbitrary: taken },
);
type Happening = typeof happening extends fc.Arbitrary<infer Each> ? Each : never;

/**
 * Appends in the order of time, except where the clock was set back. Any record may follow any other. `alive`: a writer that
 * runs, so that what it sends is under way.
 */
export const anyJournal = (
  alive: Writer = WRITER,
  { longest = 60, setsBack = true }: { longest?: number; setsBack?: boolean } = {},
): fc.Arbitrary<readonly JournalAppend[]> =>
  fc
    .array(fc.tuple(setsBack ? setBack : passing, happening), { maxLength: longest, size: 'max' })
    .map((steps) => appendsOf(steps, alive));

function appendsOf(
  steps: readonly (readonly [number, Happening])[],
  alive: Writer,
): readonly JournalAppend[] {
  const ids: string[] = [];
  let atMs = NOON;
  return steps.flatMap(([ms, what]) => {
    atMs += ms;
    const records = recordsAt(exactInstant(atMs), what, { ids, alive });
    return records === undefined ? [] : [{ atMs, records }];
  });
}

function recordsAt(
  at: string,
  what: Happening,
  { ids, alive }: { ids: string[]; alive: Writer },
): JournalAppend['records'] | undefined {
  if (what.kind === 'halted') {
    const halts = { 1: '00000000000000a1', 2: '00000000000000a2' };
    const halt_id = halts[what.which];
    return [
      what.lifts
        ? {
            schema: 3,
            kind: 'unhalt',
            at,
            halt_ids: what.both ? Object.values(halts) : [halt_id],
            ...signed(what.by),
          }
        : { schema: 3, kind: 'halt', at, halt_id, who: HALT.who, why: HALT.why, ...signed(what.by) },
    ];
  }
  if (what.kind === 'rolled')
    return [
      what.ends
        ? {
            schema: 3,
            kind: 'roll_end',
            at,
            chain_id: what.chainId,
            as: 'dropped',
            note: 'not needed',
            ...signed(what.by),
          }
        : { ...aRoll({ at, chain_id: what.chainId }), ...signed(what.by) },
    ];
  if (what.kind === 'snapshot') {
    const account = { balance_usdc: (what.cents / 100).toFixed(2) };
    return [aSnapshot({ at, identity: what.identity, account, ...signed(what.by) })];
  }
  const writer = what.byAlive ? alive : WRITER;
  if (what.kind === 'later') {
    const of = ids.at(-1 - (what.of % Math.max(1, ids.length)));
    return of === undefined
      ? undefined
      : [{ ...recordFrom(what.step, { action_id: of, at, writer }), ...signed(what.by) }];
  }
  const { id, action, side, identity, dealId, chainId } = what;
  if (ids.includes(id)) return undefined;
  ids.push(id);
  const intent = anIntent({
    action_id: id,
    at,
    action,
    side,
    identity,
    idempotency_key: what.ownKey ? `k-${id}` : 'k-1',
    ...(action === 'close' ? {} : { notional_usd: (what.cents / 100).toFixed(2) }),
    ...(dealId === undefined ? {} : { deal_id: dealId }),
    ...(chainId === undefined ? {} : { chain_id: chainId }),
    ...signed(what.by),
    writer,
  });
  const sending = recordFrom({ kind: 'sending', attempt: 1 }, { action_id: id, at, writer });
  return what.sent ? [intent, sending] : [intent];
}

/** All records, in their order. */
export const recordsIn = (appends: readonly JournalAppend[]): readonly JournalRecord[] =>
  appends.flatMap(({ records }) => records);

/**
 * Every query over what `records` name has the same answer in both. `withRecords`: false where one of them has the actions
 * only.
 */
export function expectAlike(
  one: JournalState,
  other: JournalState,
  records: readonly JournalRecord[],
  { withRecords = true }: { withRecords?: boolean } = {},
): void {
  const intents = records.flatMap((each) => (each.kind === 'intent' ? [each] : []));
  const ids = [...new Set(records.filter(isOfAction).map(({ action_id: id }) => id))];
  const times = [...new Set(records.map(({ at }) => at))].toSorted();
  const moments = [
    '0000-01-01T00:00:00.000Z',
    ...times.filter((_, index) => index % Math.ceil(times.length / 12) === 0),
    ...times.slice(-1).flatMap((at) => [-1, 1, 600_001].map((ms) => exactInstant(Date.parse(at) + ms))),
  ];
  const alike = (what: string, ask: (state: JournalState) => unknown): void => {
    try {
      expect(ask(one)).toEqual(ask(other));
    } catch (error) {
      throw new Error(`Not alike: ${what}`, { cause: error });
    }
  };

  alike('current', ({ current }) => current);
  alike('the rest', ({ count, trouble }) => ({ count, trouble }));
  if (withRecords) alike('halt', ({ halt }) => halt);
  alike('newest', (state) => [...state.newest()]);
  alike('the newest one', (state) => firstOf(state.newest()));
  if (withRecords) alike('halts', (state) => [...state.halts()]);
  if (withRecords) alike('snapshots', (state) => [...state.snapshots()].map(({ record }) => record));
  if (withRecords) alike('rolls', (state) => [state.rolls, ...state.rollRecords()]);
  for (const chain of CHAINS) {
    alike(`legs of ${chain}`, (state) => state.find({ chainIds: [chain] }));
    if (withRecords) alike(`newest after ${chain}`, (state) => [...state.newest({ after: chain })]);
  }
  for (const id of ids) {
    alike(`find ${id}`, (state) => state.find({ ids: [id] }));
    alike(`find ${id.slice(0, 6)}`, (state) => state.find({ ids: [id.slice(0, 6).toUpperCase()] }));
    if (!withRecords) continue;
    alike(`records of ${id}`, (state) => state.recordsOf(id));
    alike(`latest since ${id}`, (state) => state.latestSince(id));
    alike(`newest after ${id}`, (state) => [...state.newest({ after: id })]);
  }
  for (const id of ['7c1e', 'aaaa', 'bbbb', '7c1', 'PAY-1', '', '7c1e*'])
    alike(`find ${id}`, (state) => state.find({ ids: [id] }));
  for (const key of new Set(intents.map(({ idempotency_key: each }) => each)))
    alike(`find key ${key}`, (state) => state.find({ keys: [key] }));
  for (const name of [...HEDGES, 'hdg_9', 'PAY-1', 'PAY-2', 'PAY-3', ...ids.slice(0, 1)]) {
    alike(`find deal ID ${name}`, (state) => state.find({ dealIds: [name] }));
    alike(`find hedge ${name}`, (state) => state.find({ hedgeIds: [name] }));
    alike(`find ${name}`, (state) => state.find({ ids: [name], dealIds: [name], hedgeIds: [name] }));
  }
  alike('find all of many', (state) =>
    state.find({
      ids: ids.slice(0, 2),
      keys: ['k-1', 'k-2'],
      dealIds: ['PAY-2'],
      hedgeIds: ['hdg_2', 'hdg_3'],
    }),
  );
  alike('find nothing', (state) => state.find({}));
  for (const at of moments) {
    alike(`since ${at}`, (state) => state.since(at));
    alike(`newest from ${at}`, (state) => [...state.newest({ from: at })]);
    alike(`newest until ${at}`, (state) => [...state.newest({ until: at })]);
    if (withRecords) alike(`halts from ${at}`, (state) => [...state.halts({ from: at })]);
    if (withRecords) alike(`rolls from ${at}`, (state) => [...state.rollRecords({ from: at })]);
  }
  for (const [index, from] of moments.entries())
    alike(`newest from ${from} on`, (state) => [...state.newest({ from, until: moments[index + 2] })]);
  const days = new Set(times.map((at) => at.slice(0, 10)));
  const exceptions = [undefined, ...intents.slice(-3).map(({ action_id: id }) => id)];
  for (const identity of ASKED)
    for (const except of exceptions) {
      for (const day of days)
        alike(`opened on ${day}`, (state) => state.openedOn(identity, day, except).toFixed());
      alike('last notionals', (state) => state.lastNotionals(identity, except).map((each) => each.toFixed()));
    }
}

function firstOf<T>(all: Iterable<T>): T | undefined {
  for (const each of all) return each;
  return undefined;
}
