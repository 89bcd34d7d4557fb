/** What a roll has done, derived from its plan and the actions of its legs. */
import { describe, expect, it } from 'vitest';
import { shell } from '../../src/domain/hint.ts';
import { serviceIdentity } from '../../src/journal/account-identity.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import {
  chainNotional,
  chainsOf,
  closedSize,
  legReference,
  nextOfChain,
  rollChain,
  rootOf,
  unfinishedChains,
  unresolvedAction,
} from '../../src/journal/roll-chains.ts';
import {
  ACCEPTED,
  aRoll,
  at,
  DESK,
  DONE,
  FAILED,
  FILLED,
  NOON,
  NOT_SENT,
  NOTHING,
  REFUSED,
  recordsOf,
  SENDING,
  type StepParts,
  stateFrom,
  UNKNOWN,
} from './records.ts';

const HOUR = 3_600_000;
const CLOSED = { kind: 'outcome', outcome: 'closed', facts: {} } as const;

/** An open whose hedge was closed when it was looked at. */
const closedBy = (maturity: string): StepParts => ({
  kind: 'outcome',
  outcome: 'closed',
  facts: { status: 'closed', maturity_at: maturity },
});

const close = (...steps: readonly StepParts[]): readonly JournalRecord[] =>
  recordsOf(
    'c105',
    {
      action: 'close',
      at: at(10),
      chain_id: '3f9a1c2b',
      body: '{}',
      path: '/hedges/close',
      before: { hedges: [{ hedge_id: 'hdg_1', notional_usd: '9500', status: 'filled' }], in_positions: true },
    },
    ...steps,
  );

const open = (...steps: readonly StepParts[]): readonly JournalRecord[] =>
  recordsOf(
    '09e4',
    { at: at(20), chain_id: '3f9a1c2b', deal_id: 'PAY-1.r2', notional_usd: '9500' },
    ...steps,
  );

const now = (...legs: readonly (readonly JournalRecord[])[]) =>
  rollChain(aRoll({ when: 'now' }), { state: stateFrom(legs.flat()), nowMs: NOON + HOUR });

describe('a roll now', () => {
  it.each<[string, readonly (readonly JournalRecord[])[], string]>([
    ['nothing was sent', [], 'planned'],
    ['the close was never sent', [close(NOT_SENT)], 'planned'],
    ['the close was rejected', [close(SENDING, REFUSED)], 'planned'],
    ['the close was recorded as not executed', [close(SENDING, UNKNOWN, NOTHING)], 'planned'],
    ['a process died while it sent the close', [close(SENDING)], 'closing'],
    ['the close has no response', [close(SENDING, UNKNOWN)], 'closing'],
    ['the close is in flight', [close(SENDING, ACCEPTED)], 'closing'],
    ['leg 1 is closed', [close(SENDING, ACCEPTED, CLOSED)], 'flat_open_due'],
    ['the close was recorded as executed', [close(SENDING, UNKNOWN, DONE)], 'flat_open_due'],
    ['the open was rejected', [close(SENDING, CLOSED), open(SENDING, REFUSED)], 'flat_open_due'],
    ['the order of leg 2 failed', [close(SENDING, CLOSED), open(SENDING, ACCEPTED, FAILED)], 'flat_open_due'],
    ['a process died while it sent the open', [close(SENDING, CLOSED), open(SENDING)], 'opening'],
    ['the open is in flight', [close(SENDING, CLOSED), open(SENDING, ACCEPTED)], 'opening'],
    ['leg 2 is open', [close(SENDING, CLOSED), open(SENDING, ACCEPTED, FILLED)], 'done'],
    [
      'leg 2 was closed early',
      [close(SENDING, CLOSED), open(SENDING, ACCEPTED, closedBy(at(3_600)))],
      'dropped',
    ],
    ['leg 2 had matured', [close(SENDING, CLOSED), open(SENDING, ACCEPTED, closedBy(at(15)))], 'done'],
  ])('when %s', (_what, legs, state) => {
    expect(now(...legs).state).toBe(state);
  });

  it('more than 24 hours after the close is missed', () => {
    const state = stateFrom(close(SENDING, CLOSED));
    expect(rollChain(aRoll(), { state, nowMs: NOON + 24 * HOUR }).state).toBe('flat_open_due');
    expect(rollChain(aRoll(), { state, nowMs: NOON + 24 * HOUR + 60_000 }).state).toBe('missed');
  });

  it('is dated by this machine, also where the service has another time', () => {
    const state = stateFrom(close(SENDING, CLOSED));
    expect(rollChain(aRoll(), { state, nowMs: NOON + HOUR, servedMs: NOON + 100 * HOUR }).state).toBe(
      'flat_open_due',
    );
  });

  it('opens again the size that the close took', () => {
    const chain = now(close(SENDING, CLOSED));
    expect([closedSize(chain)?.toFixed(), chainNotional(chain).toFixed()]).toEqual(['9500', '9500']);
    expect(chainNotional(now()).toFixed()).toBe('10000');
  });

  it('names the leg in doubt', () => {
    expect(unresolvedAction(now(close(SENDING)))?.shortId).toBe('c105');
    expect(unresolvedAction(now(close(SENDING, CLOSED), open(SENDING, UNKNOWN)))?.shortId).toBe('09e4');
    expect(unresolvedAction(now(close(SENDING, CLOSED)))).toBeUndefined();
  });

  it('is not changed by a close of another roll, nor by an open of another account', () => {
    const other = recordsOf('dddd', { action: 'close', chain_id: '00000000' }, SENDING, CLOSED);
    const elsewhere = recordsOf(
      'eeee',
      {
        deal_id: 'PAY-1.r2',
        identity: serviceIdentity('sandbox', { baseUrl: DESK.base_url, keyFingerprint: '99999999' }),
      },
      SENDING,
      FILLED,
    );
    expect(now(other, elsewhere).state).toBe('planned');
  });
});

describe('a roll at maturity', () => {
  const plan = aRoll({ when: 'maturity', maturity_at: at(3_600) });

  it.each([
    [0, 'planned'],
    [HOUR, 'due'],
    [25 * HOUR, 'due'],
    [25 * HOUR + 1, 'missed'],
  ])('%i ms after noon is %s by the time of the service', (ms, state) => {
    const journal = stateFrom([plan]);
    expect(rollChain(plan, { state: journal, nowMs: NOON, servedMs: NOON + ms }).state).toBe(state);
  });

  it('is done once its deal ID is open', () => {
    const state = stateFrom([plan, ...open(SENDING, ACCEPTED, FILLED)]);
    expect(rollChain(plan, { state, nowMs: NOON + 2 * HOUR }).state).toBe('done');
  });
});

describe('a dropped roll whose deal ID is used again', () => {
  const plan = aRoll({ when: 'maturity', maturity_at: at(3_600) });
  const end = { schema: 3, kind: 'roll_end', at: at(10), chain_id: plan.chain_id, as: 'dropped' } as const;
  const leg = (chain?: string) =>
    recordsOf(
      '09e4',
      { at: at(20), deal_id: plan.deal_id, notional_usd: '9500', ...(chain && { chain_id: chain }) },
      SENDING,
      FILLED,
    );

  it.each([
    ['by a later roll', 'aaaaaaaa'],
    ['by hand', undefined],
  ])('%s does not show that hedge', (_how, chain) => {
    const state = stateFrom([plan, end, ...leg(chain)]);
    const dropped = rollChain(plan, { state, end, nowMs: NOON });
    expect([dropped.state, dropped.open, chainNotional(dropped).toFixed()]).toEqual([
      'dropped',
      undefined,
      '10000',
    ]);
  });

  it('an open by hand under the deal ID of a roll that is not dropped is its leg 2, so that none is sent twice', () => {
    expect(rollChain(plan, { state: stateFrom([plan, ...leg()]), nowMs: NOON }).state).toBe('done');
  });
});

describe('unfinished rolls', () => {
  const ended = { schema: 3, kind: 'roll_end', at: at(40), chain_id: '3f9a1c2b', as: 'dropped' } as const;

  it('are those without an end whose leg 2 is not open', () => {
    const later = aRoll({ chain_id: 'aaaaaaaa', deal_id: 'PAY-2.r2', hedge_id: 'hdg_2' });
    const names = (...records: readonly JournalRecord[]) =>
      unfinishedChains(stateFrom(records), { nowMs: NOON + HOUR }).map((chain) => chain.plan.chain_id);
    expect(names(aRoll(), later)).toEqual(['3f9a1c2b', 'aaaaaaaa']);
    expect(names(aRoll(), later, ended)).toEqual(['aaaaaaaa']);
    // Its process died before it wrote the end.
    expect(names(aRoll(), ...open(SENDING, FILLED))).toEqual([]);
  });

  it('of another account are left out where one is asked for', () => {
    const identity = serviceIdentity('sandbox', { baseUrl: DESK.base_url, keyFingerprint: '99999999' });
    expect(unfinishedChains(stateFrom([aRoll()]), { nowMs: NOON, identity })).toEqual([]);
  });

  it('have a next command each, and finished ones none', () => {
    const next = (...legs: readonly (readonly JournalRecord[])[]) =>
      nextOfChain(now(...legs))?.command.join(' ');
    expect(next()).toBe('hedge roll run 3f9a1c2b');
    expect(next(close(SENDING))).toBe('hedge check c105');
    expect(next(close(SENDING, ACCEPTED))).toBe('hedge roll run 3f9a1c2b');
    expect(next(close(SENDING, CLOSED))).toBe('hedge roll run 3f9a1c2b');
    expect(nextOfChain(now(close(SENDING, CLOSED)), 'payroll')?.command).toEqual(
      shell`hedge --profile desk roll run 3f9a1c2b`,
    );
    expect(next(close(SENDING, CLOSED), open(SENDING, UNKNOWN))).toBe('hedge check 09e4');
    expect(next(close(SENDING, CLOSED), open(SENDING, FILLED))).toBeUndefined();
  });

  it('are among all rolls, newest first, with their ends', () => {
    const later = aRoll({ chain_id: 'aaaaaaaa', deal_id: 'PAY-2.r2', at: at(30) });
    const chains = [...chainsOf(stateFrom([aRoll(), later, ended]), { nowMs: NOON, identity: DESK })];
    expect(chains.map(({ plan, state }) => [plan.chain_id, state])).toEqual([
      ['aaaaaaaa', 'planned'],
      ['3f9a1c2b', 'dropped'],
    ]);
  });
});

describe('the deal IDs of a row of rolls', () => {
  it.each([
    ['PAY-1', 'PAY-1', 1],
    ['PAY-1.r2', 'PAY-1', 2],
    ['COVER-INV-7.r10', 'COVER-INV-7', 10],
    ['PAY.r2.r3', 'PAY.r2', 3],
    // Not of a roll: the first leg has no number.
    ['PAY-1.r1', 'PAY-1.r1', 1],
    ['PAY-1.r02', 'PAY-1.r02', 1],
    ['.r2', '.r2', 1],
  ])('%s has the root %s and is leg %i', (reference, root, leg) => {
    expect(rootOf(reference)).toEqual({ root, leg });
    expect(rootOf(legReference(root, leg + 1))).toEqual({ root, leg: leg + 1 });
  });
});
