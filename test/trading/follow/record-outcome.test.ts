import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { ActionName } from '../../../src/domain/action-table.ts';
import type { IntentRecord } from '../../../src/journal/records.ts';
import type { Action } from '../../../src/journal/replay.ts';
import { actionById } from '../../../src/journal/state.ts';
import { canBeRuledOut, recordNotSeen, recordOutcome } from '../../../src/trading/follow/record-outcome.ts';
import { factsOfHedge, factsOfSide } from '../../../src/trading/outcome/append-record.ts';
import type { Evidence } from '../../../src/trading/outcome/change-evidence.ts';
import {
  ACCEPTED,
  actionsIn,
  actionsOf,
  anIntent,
  FAILED,
  NOON,
  NOT_SENT,
  recordsOf,
  SENDING,
  step,
  UNKNOWN,
} from '../../journal/records.ts';
import { steadyClock } from '../../support/steady-clock.ts';
import { journalText, removeJournal } from '../../support/written-journal.ts';
import { hedge, position } from '../facts.ts';
import { aJournal, recordingWatch } from '../read-context.ts';

/** An action that was accepted a second after noon, by a desk whose clock says `minutes` past noon. */
async function accepted({
  minutes = 1,
  action = 'add' as ActionName,
  more = [] as Parameters<typeof step>[0][],
  parts = {} as Partial<IntentRecord>,
}) {
  const clock = steadyClock(new Date(NOON + minutes * 60_000).toISOString());
  const journal = aJournal(clock);
  const { hedge_id, ...unnamed } = ACCEPTED;
  const taken = action === 'open' ? { ...unnamed, hedge_id } : unnamed;
  const records = [SENDING, taken, ...more].map((each) => step(each));
  const state = await journal.append([anIntent({ action, ...parts }), ...records]);
  const [entry] = actionsIn(state);
  if (entry === undefined) throw new Error('nothing was written');
  return { entry, recording: { journal, clock, progress: recordingWatch() } };
}
const written = (entry: Action, { journal }: { journal: ReturnType<typeof aJournal> }) =>
  actionById(journal.read(), entry.id);

const CHANGED = { outcome: 'changed', hedge: undefined, facts: { hdg_0: '35000' } } as const;
/** Its folder can be written by others. */
const spoil = (path: string): void => chmodSync(dirname(path), 0o777);

describe('the end of an action', () => {
  it('is in the journal, and the action is handed back with it', async () => {
    const { entry, recording } = await accepted({});
    const ended = await recordOutcome(entry, CHANGED, recording);
    expect(ended).toMatchObject({
      state: 'done',
      outcome: { kind: 'changed', at: '2026-11-20T12:01:00.000Z', facts: { hdg_0: '35000' } },
    });
    expect(written(entry, recording)).toEqual(ended);
  });

  it('of an open names its hedge', async () => {
    const { entry, recording } = await accepted({ action: 'open' });
    const seen = hedge('hdg_77', 10_000, { status: 'failed' });
    const ended = await recordOutcome(
      entry,
      { outcome: 'failed', hedge: seen, facts: factsOfHedge(seen) },
      recording,
    );
    expect(ended).toMatchObject({
      state: 'failed',
      hedgeId: 'hdg_77',
      outcome: { facts: { status: 'failed' } },
    });
  });

  it('that another process has written already is not written twice', async () => {
    const { entry, recording } = await accepted({ action: 'open' });
    const seen = { outcome: 'failed', hedge: undefined, facts: {} } as const;
    await recordOutcome(entry, seen, recording);
    const before = journalText(join(dirname(recording.journal.path), '..'));
    expect(await recordOutcome(entry, seen, recording)).toMatchObject({ state: 'failed' });
    expect(journalText(join(dirname(recording.journal.path), '..'))).toBe(before);
  });

  it('that cannot be written is a warning, and hides nothing of the deal', async () => {
    const { entry, recording } = await accepted({});
    spoil(recording.journal.path);
    const ended = await recordOutcome(entry, CHANGED, recording);
    expect(ended).toMatchObject({
      id: entry.id,
      state: 'done',
      outcome: { kind: 'changed', facts: { hdg_0: '35000' } },
    });
    expect(recording.progress.said).toHaveLength(1);
    expect(recording.progress.said[0]).toMatch(
      /^news The outcome of action 7c1e is not in the journal: .* The outcome shown here is correct\. .*hedge check 7c1e/,
    );
    chmodSync(dirname(recording.journal.path), 0o700);
    expect(written(entry, recording)?.state).toBe('accepted');
  });

  it('of a journal that was put aside meanwhile is still handed back', async () => {
    const { entry, recording } = await accepted({});
    removeJournal(join(dirname(recording.journal.path), '..'));
    expect(await recordOutcome(entry, CHANGED, recording)).toMatchObject({ id: entry.id, state: 'done' });
  });
});

describe('an accepted change that cannot be seen', () => {
  const NONE: Evidence = { kind: 'none' };

  it('is not seen after five minutes', async () => {
    const { entry, recording } = await accepted({ minutes: 6 });
    const ended = await recordNotSeen(entry, { evidence: NONE }, recording);
    expect(ended).toMatchObject({ state: 'accepted', outcome: { kind: 'not_seen' } });
    expect(written(entry, recording)).toEqual(ended);
  });

  it.each<[string, Parameters<typeof accepted>[0], Evidence]>([
    ['before five minutes are over', { minutes: 5 }, NONE],
    ['of an open, which tells its failure itself', { minutes: 6, action: 'open' }, NONE],
    ['of one whose end was seen', { minutes: 6, more: [FAILED] }, NONE],
    ['of one that was seen', { minutes: 6 }, { kind: 'exact', hedges: [] }],
    ['where it cannot be told', { minutes: 6 }, { kind: 'unclear', message: 'the list may be cut' }],
    ['where something else has happened', { minutes: 6 }, { kind: 'other', message: 'cut', hedges: [] }],
  ])('is not written %s', async (_, given, evidence) => {
    const { entry, recording } = await accepted(given);
    const before = journalText(join(dirname(recording.journal.path), '..'));
    expect(await recordNotSeen(entry, { evidence }, recording)).toBe(entry);
    expect(journalText(join(dirname(recording.journal.path), '..'))).toBe(before);
  });

  it.each([
    ['not written where only the clock of this machine says so: it was set ahead', 2, undefined],
    ['written once the clock of the service says so too', 6, 'not_seen'],
  ])('is %s', async (_, minutes, kind) => {
    const read = {
      answered_at: new Date(NOON).toISOString(),
      served_at: new Date(NOON - 7_000).toISOString(),
    };
    const before = { ...anIntent().before, ...read };
    const { entry, recording } = await accepted({ minutes: 20, parts: { before } });
    const clocks = { wall: NOON + 20 * 60_000, service: NOON - 7_000 + minutes * 60_000 };
    const ended = await recordNotSeen(entry, { evidence: NONE, clocks }, recording);
    expect(ended.outcome?.kind).toBe(kind);
  });

  it('and cannot be written either is a warning', async () => {
    const { entry, recording } = await accepted({ minutes: 6 });
    spoil(recording.journal.path);
    expect(await recordNotSeen(entry, { evidence: NONE }, recording)).toMatchObject({
      outcome: { kind: 'not_seen' },
    });
    expect(recording.progress.said).toHaveLength(1);
  });
});

describe('the recorded outcome', () => {
  it('of a hedge is its own figures, to the digit', () => {
    expect(factsOfHedge(hedge('hdg_1', 10_000.5, { fill_tx_hash: null }))).toEqual({
      status: 'filled',
      notional_usd: '10000.5',
      struck_rate: '1532.71',
      filled_at: '2026-11-20T09:03:03Z',
      maturity_at: '2026-11-23T09:02:59Z',
      order_tx_hash: '0x9f31c2',
      fill_tx_hash: null,
    });
  });

  it('of a side is each hedge that changed, and the line that is left', () => {
    const hedges = [
      { id: 'hdg_B', before: new Big(30_000), after: new Big('22500.25') },
      { id: 'hdg_A', before: new Big(10_000), after: new Big(10_000) },
    ];
    expect(factsOfSide(hedges, undefined)).toEqual({ hdg_B: '22500.25' });
    expect(factsOfSide(hedges, position({ notional_usd: 32_500.25 }))).toEqual({
      hdg_B: '22500.25',
      notional_usd: '32500.25',
      entry_price: null,
      net_margin_usd: '1012.5',
    });
  });
});

describe('a lookup that shows nothing', () => {
  const REJECTED = { ...UNKNOWN, rejected: { code: 'exposure_exceeded', http_status: 400 } } as const;
  const AGAIN = { ...SENDING, attempt: 2 } as const;

  it.each<[string, readonly Parameters<typeof step>[0][], boolean]>([
    ['whose last run was rejected', [SENDING, REJECTED], true],
    ['without any rejection', [SENDING, UNKNOWN], false],
    ['whose run after the rejection has no recorded end', [SENDING, REJECTED, AGAIN], false],
    ['whose run after the rejection got no response', [SENDING, REJECTED, AGAIN, UNKNOWN], false],
    ['whose run after the rejection sent nothing', [SENDING, REJECTED, AGAIN, NOT_SENT], true],
    [
      'with a run without a recorded end between, however the last one ended',
      [SENDING, REJECTED, AGAIN, AGAIN, NOT_SENT],
      false,
    ],
    ['that was rejected again after that', [SENDING, REJECTED, AGAIN, AGAIN, REJECTED], true],
  ])('may prove that nothing was done, or not, for an add or a close %s', (_, steps, isProof) => {
    for (const name of ['add', 'reduce', 'close'] as const) {
      const [action] = actionsOf(recordsOf('7c1e', { action: name }, ...steps));
      expect([name, action && canBeRuledOut(action)]).toEqual([name, isProof]);
    }
  });
});
