/** Several additions and reductions of ours on one side at once: none takes for its own what another did. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closesAfter, reductionsSince } from '../../../src/journal/queries.ts';
import type { IntentRecord, JournalRecord } from '../../../src/journal/records.ts';
import { type Action, replayRecords } from '../../../src/journal/replay.ts';
import { awaitEnd } from '../../../src/trading/follow/await-end.ts';
import { endFrom } from '../../../src/trading/follow/record-outcome.ts';
import type { Evidence } from '../../../src/trading/outcome/change-evidence.ts';
import {
  actionsAround,
  attributeChange,
  concurrentActions,
} from '../../../src/trading/outcome/concurrent-actions.ts';
import { evidenceOnSide } from '../../../src/trading/outcome/observe.ts';
import { anyJournal, recordsIn } from '../../journal/alike.ts';
import { ACCEPTED, actionsIn, anIntent, at, idOf, NOON, stateFrom, step } from '../../journal/records.ts';
import { aQuarter } from '../../support/goal.ts';
import { big, hedge, sideBook } from '../facts.ts';
import { type LookingDesk, lookingDesk } from '../read-context.ts';

const MINUTE = { timeoutMs: 60_000 };

async function standing(): Promise<LookingDesk> {
  const desk = await lookingDesk();
  await desk.deal('open USDTNGN buy 10k');
  desk.practice.clock.pass(3_000);
  return desk;
}

const waitFor = async (desk: LookingDesk, ...actions: readonly Action[]) => {
  const ends: string[] = [];
  for (const action of actions) {
    const { observed, waited } = await awaitEnd(action, desk.readContext, MINUTE);
    const end = observed && endFrom(action, observed);
    ends.push(end?.outcome ?? (observed?.evidence.kind === 'other' ? 'other' : (waited?.how ?? '')));
  }
  return ends;
};

describe('two additions that are awaited at once', () => {
  it('both end when both have executed, whatever their sizes', async () => {
    for (const second of ['2000', '3000']) {
      const desk = await standing();
      const one = await desk.deal('add USDTNGN buy 2000');
      const other = await desk.deal(`add USDTNGN buy ${second}`);
      desk.practice.clock.pass(5_000);
      expect(await waitFor(desk, one, other)).toEqual(['changed', 'changed']);
    }
  });

  it('of one size do not both take the only landing for their own', async () => {
    const desk = await standing();
    const one = await desk.deal('add USDTNGN buy 2000');
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const other = await desk.deal('add USDTNGN buy 2000');
    expect(await waitFor(desk, one, other)).toEqual(['late', 'late']);
  });

  it('of two sizes end each by its own landing', async () => {
    const desk = await standing();
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const lost = await desk.deal('add USDTNGN buy 2000');
    await desk.practice.service.admin.clearFaults();
    const executed = await desk.deal('add USDTNGN buy 3000');
    expect(await waitFor(desk, executed, lost)).toEqual(['changed', 'late']);
  });

  it('with a reduction between them end too', async () => {
    const desk = await standing();
    const lines = ['add USDTNGN buy 2000', 'reduce USDTNGN buy 500', 'add USDTNGN buy 700'];
    const actions: Action[] = [];
    for (const line of lines) actions.push(await desk.deal(line));
    desk.practice.clock.pass(5_000);
    expect(await waitFor(desk, ...actions)).toEqual(['changed', 'changed', 'changed']);
  });
});

describe('an addition after one of the same size', () => {
  it('that executed unobserved is distinguished from it by the side as it was', async () => {
    const desk = await standing();
    await desk.deal('add USDTNGN buy 2000');
    desk.practice.clock.pass(30_000);
    const next = await desk.deal('add USDTNGN buy 2000');
    expect(await waitFor(desk, next)).toEqual(['changed']);
  });

  it('that nothing was heard of for five minutes is not kept waiting by it', async () => {
    const desk = await standing();
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    await desk.deal('add USDTNGN buy 2000');
    await desk.practice.service.admin.clearFaults();
    desk.practice.clock.pass(5 * 60_000);
    const next = await desk.deal('add USDTNGN buy 2000');
    expect(await waitFor(desk, next)).toEqual(['changed']);
  });
});

describe('a reduction after one of the same size, of hedges in whole cents', () => {
  it('that is in the side as it was is not taken for its change', () => {
    const ids = ['hdg_1', 'hdg_2', 'hdg_3'];
    const side = (size: string) => ids.map((id) => ({ hedge_id: id, notional_usd: size, status: 'filled' }));
    const before = (size: string, seconds: number) => ({
      hedges: side(size),
      in_positions: true,
      read_at: at(seconds),
    });
    const reduce = (id: string, size: string, seconds: number): readonly JournalRecord[] => [
      anIntent({
        action_id: idOf(id),
        action: 'reduce',
        notional_usd: '1000',
        at: at(seconds),
        before: before(size, seconds - 0.5),
      }),
      step({ kind: 'sending', attempt: 1 }, id, seconds),
      step(ACCEPTED, id, seconds + 0.2),
    ];
    const records = [...reduce('a001', '10000', 1), ...reduce('a002', '9666.67', 30)];
    const actions = replayRecords(records, () => false);
    const last = actions.find(({ id }) => id === idOf('a002'));
    if (last === undefined) throw new Error('no action');
    const now = sideBook({ hedges: ids.map((id) => hedge(id, 9_333.34)) });
    expect(evidenceOnSide(last, { now, lookedAtMs: NOON + 40_000, actions }).kind).toBe('exact');
  });
});

describe('a change that several actions may have made', () => {
  const others = (...changes: readonly number[]) =>
    changes.map((change) => ({ shortId: '7c1e', change: big(change.toString()), executed: false }));

  it.each<[number, number, readonly number[], string]>([
    [5, 5, [], 'ours'],
    [5, 5, [3], 'ours'],
    [8, 5, [3], 'ours'],
    [3, 5, [3], 'others'],
    [0, 5, [3], 'others'],
    [5, 5, [5], 'either'],
    [10, 5, [5], 'ours'],
    [5, 5, [2, 3], 'either'],
    [0, 5, [-5], 'either'],
    [4, 5, [3], 'neither'],
    [5, 5, Array.from({ length: 13 }, () => 1), 'either'],
  ])('of %d, where %d was asked and %j as well: %s', (seen, own, rest, told) => {
    expect(attributeChange(big(seen.toString()), { own: big(own.toString()), others: others(...rest) })).toBe(
      told,
    );
  });

  it('less what is known to have executed since', () => {
    const executed = others(5).map((each) => ({ ...each, executed: true }));
    expect(attributeChange(big('5'), { own: big('5'), others: executed })).toBe('others');
    expect(attributeChange(big('10'), { own: big('5'), others: executed })).toBe('ours');
  });
});

interface Planned {
  change: number;
  /** Seconds after noon; the side was read half a second before. */
  sent: number;
  /** Undefined: never. */
  lands: number | undefined;
}

/** Deals as planned, looks at everything open every two seconds, and writes down what is seen, as everybody does. */
function dayOf(planned: readonly Planned[], until: number) {
  const sizeAt = (second: number): number =>
    planned.reduce(
      (size, { change, lands }) => size + ((lands ?? Infinity) <= second ? change : 0),
      1_000_000,
    );
  const records: JournalRecord[] = [];
  const seen: { index: number; second: number; evidence: Evidence }[] = [];
  const actionAt = (index: number): Action | undefined =>
    replayRecords(records, () => false).find(({ id }) => id === idOf(`a00${index.toString(16)}`));
  const begin = ({ change, sent }: Planned, index: number): void => {
    const size = sizeAt(sent - 0.5).toString();
    const before: IntentRecord['before'] = {
      hedges: [{ hedge_id: 'hdg_1', notional_usd: size, status: 'filled' }],
      in_positions: true,
      read_at: at(sent - 0.5),
    };
    const id = `a00${index.toString(16)}`;
    const action = change > 0 ? 'add' : 'reduce';
    const notional_usd = Math.abs(change).toString();
    records.push(anIntent({ action_id: idOf(id), at: at(sent), action, notional_usd, before }));
    records.push(step({ kind: 'sending', attempt: 1 }, id, sent), step(ACCEPTED, id, sent + 0.2));
  };
  const look = (index: number, second: number): void => {
    const action = actionAt(index);
    if (action === undefined || action.state === 'done') return;
    const now = sideBook({ hedges: [hedge('hdg_1', sizeAt(second))] });
    const actions = replayRecords(records, () => false);
    const evidence = evidenceOnSide(action, { now, lookedAtMs: NOON + second * 1_000, actions });
    seen.push({ index, second, evidence });
    if (evidence.kind === 'exact')
      records.push(
        step({ kind: 'outcome', outcome: 'changed', facts: {} }, action.id.slice(0, 4), second + 0.1),
      );
  };
  for (let second = 0; second <= until; second += 1) {
    planned.forEach((each, index) => each.sent === second && begin(each, index));
    if (second % 2 === 0) planned.forEach((_, index) => look(index, second));
  }
  return { seen, stateOf: (index: number) => actionAt(index)?.state };
}

describe('any day of additions and reductions at once', () => {
  const plans = (change: fc.Arbitrary<number>, lands: fc.Arbitrary<number | undefined>) =>
    fc.array(
      fc
        .record({ change, sent: fc.integer({ min: 1, max: 40 }), lands })
        .map(({ lands: after, ...each }) => ({
          ...each,
          lands: after === undefined ? undefined : each.sent + after,
        })),
      { minLength: 1, maxLength: 6 },
    );
  const delay = fc.integer({ min: 1, max: 20 });
  const sizes = fc.constantFrom(1_000, 2_000, 3_000, -1_000, -2_000);

  it('calls nothing done that has not executed, and no change a colleague’s', () => {
    fc.assert(
      fc.property(plans(sizes, fc.option(delay, { nil: undefined })), (planned) => {
        for (const { index, second, evidence } of dayOf(planned, 70).seen) {
          const { lands } = planned[index] ?? {};
          if (evidence.kind === 'exact') expect(lands ?? Infinity).toBeLessThanOrEqual(second);
          expect(evidence.kind).not.toBe('other');
        }
      }),
      { numRuns: aQuarter(400) },
    );
  });

  it('sees the end of each that executed, where no sizes make up one another', () => {
    fc.assert(
      fc.property(plans(fc.constant(0), fc.option(delay, { nil: undefined })), (planned) => {
        const apart = planned.map((each, index) => ({ ...each, change: 100 * 3 ** index }));
        const { stateOf } = dayOf(apart, 70);
        expect(apart.map((_, index) => stateOf(index))).toEqual(
          apart.map(({ lands }) => (lands === undefined ? 'accepted' : 'done')),
        );
      }),
      { numRuns: aQuarter(200) },
    );
  });
});

/** Adds, reductions and closes of one account's side, whose size grows with the time. */
function onOneSide(record: JournalRecord): JournalRecord {
  if (record.kind !== 'intent') return record;
  const { action_id, at: begunAt, idempotency_key, writer } = record;
  const seconds = Math.floor((Date.parse(begunAt) - NOON) / 60_000);
  const hedges = [{ hedge_id: 'hdg_1', notional_usd: (10_000 + seconds).toString(), status: 'filled' }];
  const action =
    (['add', 'add', 'reduce', 'close'] as const)[Number.parseInt(action_id.slice(-1), 16) % 4] ?? 'add';
  const before = { hedges, in_positions: true };
  const size = action === 'close' ? {} : { notional_usd: '1' };
  return anIntent({ action_id, at: begunAt, idempotency_key, writer, action, before, ...size });
}

describe('what a lookup reads of a long journal', () => {
  it('judges a change as all of the journal would, also months later', () => {
    fc.assert(
      fc.property(anyJournal(), (appends) => {
        const nowMs = Math.max(NOON, ...appends.map(({ atMs }) => atMs)) + 90 * 86_400_000;
        const state = stateFrom(recordsIn(appends).map(onOneSide), { nowMs });
        const all = actionsIn(state);
        for (const action of all) {
          const around = actionsAround(action, state);
          const since = state.since(action.intent.at);
          expect(concurrentActions(action, around, nowMs)).toEqual(concurrentActions(action, all, nowMs));
          expect(closesAfter(around, action)).toEqual(closesAfter(all, action));
          expect(closesAfter(since, action)).toEqual(closesAfter(all, action));
          expect(reductionsSince(since, action)).toEqual(reductionsSince(all, action));
        }
      }),
      { numRuns: aQuarter(60) },
    );
  });
});
