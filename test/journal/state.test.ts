/** What the journal answers at one moment: open actions, those of the last minutes, and any by name. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactInstant } from '../../src/domain/instants.ts';
import { isOfAction } from '../../src/journal/records.ts';
import { actionById, withActions } from '../../src/journal/state.ts';
import { anyJournal, expectAlike, recordsIn } from './alike.ts';
import {
  ACCEPTED,
  actionsIn,
  anIntent,
  at,
  DESK,
  DONE,
  FAILED,
  FILLED,
  FOUND,
  idOf,
  NOON,
  NOT_SEEN,
  NOT_SENT,
  NOTHING,
  REFUSED,
  recordsOf,
  SENDING,
  type StepParts,
  stateFrom,
  step,
  UNKNOWN,
} from './records.ts';

const MINUTE = 60;
const ids = (actions: Iterable<{ shortId: string }>) => [...actions].map(({ shortId }) => shortId);

describe('what is current', () => {
  it.each<[string, readonly StepParts[], boolean]>([
    ['was only prepared', [], true],
    ['was sent by a process that died', [SENDING], true],
    ['has an unknown outcome', [SENDING, UNKNOWN], true],
    ['is in flight', [SENDING, ACCEPTED], true],
    ['never showed', [SENDING, ACCEPTED, NOT_SEEN], true],
    ['was filled, and its hedge may be a colleague’s', [SENDING, UNKNOWN, FOUND, FILLED], true],
    ['was filled', [SENDING, ACCEPTED, FILLED], false],
    ['failed', [SENDING, ACCEPTED, FAILED], false],
    ['was rejected', [SENDING, REFUSED], false],
    ['was never sent', [SENDING, NOT_SENT], false],
    ['was recorded as executed', [SENDING, UNKNOWN, DONE], false],
    ['was recorded as not executed', [SENDING, UNKNOWN, NOTHING], false],
  ])('an action of last week that %s', (_what, steps, isCurrent) => {
    const state = stateFrom(recordsOf('aaaa', { at: at(-7 * 24 * 60 * MINUTE) }, ...steps));
    expect(ids(state.current)).toEqual(isCurrent ? ['aaaa'] : []);
    expect(ids(state.since(at()))).toEqual(isCurrent ? ['aaaa'] : []);
    expect(ids(state.find({ ids: ['aaaa'] }))).toEqual(['aaaa']);
  });

  it.each([
    ['ten minutes ago', -10 * MINUTE, true],
    ['longer ago', -10 * MINUTE - 0.001, false],
    ['in the future of a clock set back', 24 * 60 * MINUTE, true],
  ])('an action whose last record is %s', (_what, seconds, isCurrent) => {
    const steps = [SENDING, ACCEPTED, FILLED].map((each) => step(each, 'aaaa', seconds));
    const state = stateFrom([anIntent({ action_id: idOf('aaaa'), at: at(-60 * MINUTE) }), ...steps]);
    expect(ids(state.current)).toEqual(isCurrent ? ['aaaa'] : []);
  });

  it('goes by the latest record, though a later one has an earlier time', () => {
    const steps = [step(SENDING, 'aaaa', -60), step(FILLED, 'aaaa', -3_600)];
    expect(ids(stateFrom([anIntent({ action_id: idOf('aaaa'), at: at(-60) }), ...steps]).current)).toEqual([
      'aaaa',
    ]);
  });
});

describe('actions since a moment', () => {
  it('are those with a record from then on, whenever they began', () => {
    const day = 24 * 60 * MINUTE;
    const state = stateFrom([
      ...recordsOf('aaaa', { at: at(-3 * day) }, SENDING, ACCEPTED, FILLED),
      ...recordsOf('bbbb', { at: at(-2 * day) }, SENDING, UNKNOWN),
      ...recordsOf('cccc', { at: at(-day) }, SENDING, ACCEPTED, FILLED),
      step(DONE, 'bbbb', -day),
    ]);
    expect(ids(state.since(at(-day)))).toEqual(['bbbb', 'cccc']);
    expect(ids(state.since(at(-4 * day)))).toEqual(['aaaa', 'bbbb', 'cccc']);
    expect(ids(state.since(at()))).toEqual([]);
    expect(ids(state.newest({ from: at(-2 * day), until: at(-day) }))).toEqual(['bbbb']);
  });
});

describe('an action by name', () => {
  const state = stateFrom([
    ...recordsOf('aaaa', { deal_id: 'PAY-1', idempotency_key: 'k-1' }, SENDING, ACCEPTED, FILLED),
    ...recordsOf('bbbb', { deal_id: 'PAY-2', idempotency_key: 'k-2' }, SENDING, UNKNOWN),
    ...recordsOf('aaab', { action: 'add', idempotency_key: 'k-1' }, SENDING, ACCEPTED),
  ]);
  it.each([
    [{ ids: ['AAAA'] }, ['aaaa']],
    [{ ids: ['aaa'] }, []],
    [{ ids: ['PAY-1'] }, []],
    [{ keys: ['k-1'] }, ['aaaa', 'aaab']],
    [{ dealIds: ['PAY-1', 'PAY-3'] }, ['aaaa']],
    [{ hedgeIds: ['hdg_1'] }, ['aaaa', 'aaab']],
    [{ hedgeIds: ['PAY-2'], dealIds: ['PAY-2'], ids: ['aaaa'] }, ['aaaa', 'bbbb']],
    [{}, []],
  ])('%j finds %j, each once and the oldest first', (terms, found) => {
    expect(ids(state.find(terms))).toEqual(found);
  });

  it('is found by its whole ID, not by the ID of another that begins so', () => {
    expect(actionById(state, idOf('aaaa'))?.shortId).toBe('aaaa');
    expect(actionById(state, 'aaaa')).toBeUndefined();
  });

  it('has its own records, and knows the latest time written since it began', () => {
    expect(state.recordsOf(idOf('bbbb')).map(({ kind }) => kind)).toEqual(['intent', 'sending', 'unknown']);
    const back = stateFrom([
      anIntent({ action_id: idOf('aaaa'), at: at(600) }),
      anIntent({ action_id: idOf('bbbb'), at: at(100) }),
      step(SENDING, 'aaaa', 300),
      step(SENDING, 'bbbb', 200),
    ]);
    expect(back.latestSince(idOf('aaaa'))).toBe(at(600));
    expect(back.latestSince(idOf('bbbb'))).toBe(at(300));
    expect(back.latestSince(idOf('cccc'))).toBeUndefined();
  });
});

describe('a journal with planned lines on top', () => {
  it('answers as if they were in it', () => {
    fc.assert(
      fc.property(anyJournal(), fc.nat(60), (appends, before) => {
        const written = recordsIn(appends.slice(0, before));
        const known = new Set(written.filter(isOfAction).map(({ action_id: id }) => id));
        const nowMs = Math.max(NOON, ...appends.map(({ atMs }) => atMs));
        // Planned just now, under IDs that none of the journal begins with.
        const planned = recordsIn(appends.slice(before))
          .filter(isOfAction)
          .filter(({ action_id: id }) => !known.has(id))
          .map((each) => ({
            ...each,
            action_id: `feed${each.action_id.slice(4)}`,
            at: exactInstant(nowMs),
          }));
        const state = stateFrom(written, { nowMs });
        const more = actionsIn(stateFrom(planned, { nowMs }));
        const both = [...written, ...planned];
        expectAlike(withActions(state, more), stateFrom(both, { nowMs }), both, { withRecords: false });
      }),
      { numRuns: 60 },
    );
  });

  it('is the journal itself without any', () => {
    const state = stateFrom(recordsOf('aaaa', {}, SENDING, ACCEPTED));
    expect(withActions(state, [])).toBe(state);
    expect(state.openedOn(DESK, '2026-11-20').toFixed()).toBe('10000');
    expect(state.openedOn(DESK, '2026-11-20', idOf('aaaa')).toFixed()).toBe('0');
    expect(state.lastNotionals(DESK, idOf('aaaa'))).toEqual([]);
  });
});
