/** A journal in segments tells the same as one that is held in memory as a whole, whatever was sealed, lost or made again. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOfAction, type JournalRecord } from '../../src/journal/records.ts';
import { stateOf } from '../../src/journal/state.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { chainOf } from './chain-of.ts';
import { journalAt, placesIn } from './journal-at.ts';
import {
  ACCEPTED,
  actionsIn,
  anIntent,
  DESK,
  DONE,
  FAILED,
  FILLED,
  FOUND,
  NOON,
  NOT_SEEN,
  NOT_SENT,
  NOT_TOLD,
  NOTHING,
  REFUSED,
  SENDING,
  type StepParts,
  step,
  UNKNOWN,
} from './records.ts';

const STEPS: readonly StepParts[] = [
  SENDING,
  ACCEPTED,
  { ...ACCEPTED, hedge_id: 'hdg_2' },
  FOUND,
  REFUSED,
  UNKNOWN,
  FILLED,
  FAILED,
  NOT_SEEN,
  NOT_TOLD,
  NOT_SENT,
  NOTHING,
  DONE,
];
const KEYS = ['0f0f0f0f', 'a1a1a1a1'];
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type Move =
  | { do: 'begin'; deal: number; size: number; key: number; id: number; close: boolean }
  | { do: 'step'; action: number; step: number }
  | { do: 'wait'; ms: number }
  | { do: 'restart' }
  | { do: 'lose'; file: number; how: 'remove' | 'flip' };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('begin' as const),
        deal: fc.nat(4),
        size: fc.integer({ min: 1, max: 9 }),
        key: fc.nat(1),
        id: fc.nat(0xff),
        close: fc.boolean(),
      }),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant('step' as const),
        action: fc.nat(1_000),
        step: fc.nat(STEPS.length - 1),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        ms: fc.constantFrom(1_000, MINUTE, 11 * MINUTE, DAY, 40 * DAY, -5 * MINUTE, -2 * DAY),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('lose' as const),
        file: fc.nat(100),
        how: fc.constantFrom('remove' as const, 'flip' as const),
      }),
    },
  ),
  { minLength: 10, maxLength: 60 },
);

describe('a journal in segments', () => {
  it('tells what the same records tell in memory, through seals, restarts and lost derived files', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(moves, fc.constantFrom(0, 3, 12), async (all, before) => {
        await followed(all, before);
        runs += 1;
      }),
      { numRuns: 40, seed: 20_261_123, endOnFailure: true },
    );
    expect(runs).toBe(40);
  });
});

async function followed(all: readonly Move[], before: number): Promise<void> {
  const home = temporaryFolder(() => undefined);
  let nowMs = NOON;
  const places = placesIn(home);
  const opened = () => journalAt(home, () => nowMs, { sealBytes: 4_000 });
  const at = (): string => new Date(nowMs).toISOString();
  let journal = opened();
  const ids: string[] = [];
  const records: JournalRecord[] = [];
  /** The first ones as an earlier version wrote them. */
  const write = async (record: JournalRecord): Promise<void> => {
    if (records.length < before) {
      mkdirSync(places.state, { recursive: true, mode: 0o700 });
      const old = { ...record, schema: 2 as const };
      appendFileSync(join(places.state, 'journal.jsonl'), `${JSON.stringify(old)}\n`, { mode: 0o600 });
      records.push(old);
      return;
    }
    const state = await journal.append([record]);
    const written = isOfAction(record) ? state.recordsOf(record.action_id).at(-1) : [...state.halts()][0];
    records.push(written ?? expect.fail('not written'));
    expect({ ...record, short_id: undefined }).toEqual({ ...records.at(-1), short_id: undefined });
  };
  try {
    for (const move of all) {
      switch (move.do) {
        case 'begin': {
          const id = `7c1e${move.id.toString(16).padStart(2, '0')}${ids.length.toString(16).padStart(10, '0')}`;
          const parts = {
            schema: 3 as const,
            action_id: id,
            at: at(),
            idempotency_key: `k-${ids.length.toString()}`,
            identity: { ...DESK, environment: 'live' as const, key_fingerprint: KEYS[move.key] ?? '' },
            ...(move.deal === 0 ? {} : { deal_id: `PAY-${move.deal.toString()}` }),
          };
          const close = { action: 'close' as const, notional_usd: undefined, tenor_days: undefined };
          const intent = anIntent({
            ...parts,
            ...(move.close ? close : { notional_usd: `${move.size.toString()}000` }),
          });
          ids.push(id);
          await write(intent);
          break;
        }
        case 'step': {
          const id = ids[move.action % Math.max(ids.length, 1)];
          const parts = STEPS[move.step];
          if (id === undefined || parts === undefined) break;
          const record = Object.assign(step(parts), { schema: 3 as const, action_id: id, at: at() });
          await write(record);
          break;
        }
        case 'wait':
          nowMs += move.ms;
          break;
        case 'restart':
          journal = opened();
          break;
        case 'lose':
          lose(join(places.state, 'journal'), move);
          journal = opened();
      }
      const expected = stateOf(
        { records, damage: [], damageAt: 0, cutTail: false, path: '', bytes: 0 },
        { isRunning: (writer) => testMachine().host.judge(writer) === 'running', nowMs },
      );
      for (const state of [journal.read(), opened().read()]) compare(state, expected, ids, nowMs);
    }
    expect(chainOf(places.state)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function lose(folder: string, { file, how }: { file: number; how: 'remove' | 'flip' }): void {
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder).filter((name) => !name.endsWith('.jsonl'));
  } catch {
    return;
  }
  const name = names[file % Math.max(names.length, 1)];
  if (name === undefined) return;
  const path = join(folder, name);
  if (how === 'remove') rmSync(path);
  else {
    const bytes = readFileSync(path);
    const index = (file * 7_919) % Math.max(bytes.length, 1);
    bytes[index] = (bytes[index] ?? 0) ^ 4;
    writeFileSync(path, bytes);
  }
}

type State = ReturnType<typeof stateOf>;

function compare(state: State, expected: State, ids: readonly string[], nowMs: number): void {
  const told = (one: State) => ({
    count: one.count,
    damage: one.damage,
    orphans: one.orphans,
    current: one.current,
    all: actionsIn(one),
    deals: [1, 2, 3].map((deal) => one.find({ dealIds: [`PAY-${deal.toString()}`] })),
    keys: one.find({ keys: ['k-0', 'k-3'] }),
    hedges: one.find({ hedgeIds: ['hdg_1'] }),
    both: one.find({ hedgeIds: ['hdg_2'], dealIds: ['PAY-2'] }),
    prefix: one.find({ ids: ['7c1e'] }),
    since: [0, MINUTE, DAY].map((ms) => one.since(new Date(nowMs - ms).toISOString())),
    opened: KEYS.flatMap((key) =>
      [0, 1, 40].map((days) =>
        one
          .openedOn(
            { ...DESK, environment: 'live', key_fingerprint: key },
            new Date(nowMs - days * DAY).toISOString().slice(0, 10),
            days === 1 ? ids[0] : undefined,
          )
          .toFixed(),
      ),
    ),
    last: one
      .lastNotionals({ ...DESK, environment: 'live', key_fingerprint: KEYS[0] ?? '' }, ids[1])
      .map((usd) => usd.toFixed()),
    records: ids.slice(0, 3).map((id) => one.recordsOf(id)),
    latest: ids.slice(0, 3).map((id) => one.latestSince(id)),
  });
  expect(told(state)).toEqual(told(expected));
}
