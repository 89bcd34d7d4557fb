/** The state of an action after its records, and states that no records may lead to. */
import { array, constantFrom, assert as holds, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOTAL_MS } from '../../src/client/transport/retry-policy.ts';
import { definiteRejection } from '../../src/journal/queries.ts';
import type { IntentRecord } from '../../src/journal/records.ts';
import {
  inFlight,
  isUnresolved,
  LONGEST_RUN_MS,
  lastUnclearAt,
  maybeExecuted,
  replayRecords,
  UNDER_WAY_MS,
} from '../../src/journal/replay.ts';
import { decidedAt } from '../../src/trading/idempotency-window.ts';
import {
  ACCEPTED,
  anIntent,
  at,
  DONE,
  FAILED,
  FILLED,
  FOUND,
  idOf,
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

const gone = (): boolean => false;
const AGAIN = { kind: 'sending', attempt: 2 } as const;
const FINAL = { kind: 'accepted', hedge_id: 'hdg_9', by: 'looking' } as const;
const LOOKED = { ...REFUSED, looked: true } as const;

function actionOf(steps: readonly StepParts[], isRunning = gone) {
  const [action] = replayRecords([anIntent(), ...steps.map((each) => step(each))], isRunning);
  if (action === undefined) throw new Error('no action');
  return action;
}

describe('the state of an action', () => {
  it.each<[string, readonly StepParts[], string, string]>([
    // Steps after the intent, state, and marks: u(nresolved), in f(light), maybe executed (s), definitely not executed (n).
    ['only prepared', [], 'prepared', ''],
    ['sent by a process that died', [SENDING], 'sent', 'us'],
    ['without a response', [SENDING, UNKNOWN], 'unknown', 'us'],
    ['accepted', [SENDING, ACCEPTED], 'accepted', 'fs'],
    ['filled', [SENDING, ACCEPTED, FILLED], 'done', 's'],
    ['failed', [SENDING, ACCEPTED, FAILED], 'failed', ''],
    ['rejected', [SENDING, REFUSED], 'refused', 'n'],
    ['declined', [NOT_SENT], 'not_sent', ''],
    ['accepted and never seen', [SENDING, ACCEPTED, NOT_SEEN], 'accepted', 'us'],
    ['seen after all', [SENDING, ACCEPTED, NOT_SEEN, FILLED], 'done', 's'],
    ['never seen, and resolved manually', [SENDING, ACCEPTED, NOT_SEEN, NOTHING], 'settled', ''],
    ['unknown, recorded as executed', [SENDING, UNKNOWN, DONE], 'settled', 's'],
    ['unknown, recorded as not executed', [SENDING, UNKNOWN, NOTHING], 'settled', ''],
    ['unknown, then found in the position', [SENDING, UNKNOWN, ACCEPTED], 'accepted', 'fs'],
    ['unknown, then resent', [SENDING, UNKNOWN, AGAIN], 'unknown', 'us'],
    ['rejected after an unclear attempt', [SENDING, UNKNOWN, AGAIN, REFUSED], 'unknown', 'us'],
    ['rejected after an attempt without a recorded end', [SENDING, AGAIN, REFUSED], 'unknown', 'us'],
    ['rejected after that, and not found', [SENDING, AGAIN, LOOKED], 'refused', 'n'],
    [
      'rejected after an attempt that executed nothing',
      [SENDING, { ...AGAIN, nothing_done_before: true }, REFUSED],
      'refused',
      'n',
    ],
    ['rejected, then sent again', [SENDING, REFUSED, AGAIN], 'sent', 'us'],
    ['rejected, sent again, accepted', [SENDING, REFUSED, AGAIN, ACCEPTED], 'accepted', 'fs'],
    ['accepted, and a late send lost its response', [SENDING, ACCEPTED, UNKNOWN], 'accepted', 'fs'],
    ['accepted, and a late send was rejected', [SENDING, ACCEPTED, REFUSED], 'accepted', 'fs'],
    ['filled, and a late record says accepted', [SENDING, FILLED, ACCEPTED], 'done', 's'],
    ['filled, and a late record says failed', [SENDING, FILLED, FAILED], 'done', 's'],
    ['filled, and a late reading did not see it', [SENDING, FILLED, NOT_SEEN], 'done', 's'],
    ['filled, then recorded as not executed', [SENDING, ACCEPTED, FILLED, NOTHING], 'done', 's'],
    ['recorded as not executed, then found', [SENDING, UNKNOWN, NOTHING, ACCEPTED], 'accepted', 'fs'],
    ['recorded as not executed, then sent again', [SENDING, UNKNOWN, NOTHING, AGAIN], 'unknown', 'us'],
    ['recorded as executed, then sent again', [SENDING, UNKNOWN, DONE, AGAIN], 'settled', 's'],
    ['accepted, and the position does not show it', [SENDING, ACCEPTED, NOT_TOLD], 'unknown', 'us'],
    ['that, then seen after all', [SENDING, ACCEPTED, NOT_TOLD, FILLED], 'done', 's'],
    ['that, then rejected on a resend', [SENDING, ACCEPTED, NOT_TOLD, AGAIN, REFUSED], 'unknown', 'us'],
    ['that, then accepted on a resend', [SENDING, ACCEPTED, NOT_TOLD, AGAIN, ACCEPTED], 'accepted', 'fs'],
    ['filled, then unclear from the position', [SENDING, ACCEPTED, FILLED, NOT_TOLD], 'done', 's'],
    ['found by deal ID and filled', [SENDING, UNKNOWN, FOUND, FILLED], 'done', 's'],
    ['that, then one of two matches', [SENDING, UNKNOWN, FOUND, FILLED, NOT_TOLD], 'unknown', 'us'],
    ['found, confirmed and filled, then unclear', [SENDING, FOUND, FINAL, FILLED, NOT_TOLD], 'done', 's'],
    ['recorded as not executed, then unclear', [SENDING, UNKNOWN, NOTHING, NOT_TOLD], 'settled', ''],
    ['never connected, or rate-limited', [SENDING, NOT_SENT], 'not_sent', ''],
    ['that, then sent again', [SENDING, NOT_SENT, AGAIN], 'sent', 'us'],
    ['unclear, then never connected', [SENDING, UNKNOWN, AGAIN, NOT_SENT], 'unknown', 'us'],
    ['accepted, and a late send never connected', [SENDING, ACCEPTED, NOT_SENT], 'accepted', 'fs'],
  ])('state: is correct for an action that was %s', (_what, steps, state, marks) => {
    const action = actionOf(steps);
    const seen = [
      isUnresolved(action) ? 'u' : '',
      inFlight(action) ? 'f' : '',
      maybeExecuted(action) ? 's' : '',
      definiteRejection(action) === undefined ? '' : 'n',
    ].join('');
    expect([action.state, seen]).toEqual([state, marks]);
  });

  it('state: an action is under way and not unresolved while its sending process runs', () => {
    for (const steps of [[], [SENDING]]) {
      const action = actionOf(steps, () => true);
      expect([action.underway, isUnresolved(action), maybeExecuted(action)]).toEqual([true, false, true]);
    }
    expect(actionOf([SENDING, UNKNOWN], () => true).underway).toBe(false);
    // A resend does not resolve it.
    const again = actionOf([SENDING, UNKNOWN, AGAIN], () => true);
    expect([again.underway, isUnresolved(again)]).toEqual([true, true]);
    expect(actionOf([SENDING, UNKNOWN, AGAIN, NOT_SENT], () => true).underway).toBe(false);
  });

  it('state: an action whose process did not end in two minutes is unresolved: it sends nothing more', () => {
    const records = [anIntent(), step(SENDING, '7c1e', 1)];
    const after = (seconds: number) => {
      const [action] = replayRecords(records, () => true, NOON + seconds * 1_000);
      return [action?.underway, action && isUnresolved(action), action && maybeExecuted(action)];
    };
    expect(after(120.9)).toEqual([true, false, true]);
    expect(after(121)).toEqual([false, true, true]);
    // A clock that was set back.
    expect(after(-119)).toEqual([false, true, true]);
    const decided = decidedAt(actionOf([SENDING]), { wall: NOON, monotonic: 0 });
    expect(decided?.withinMs).toBeLessThanOrEqual(UNDER_WAY_MS);
  });

  it('state: an accepted action is awaited while its process runs', () => {
    expect(actionOf([SENDING, ACCEPTED], () => true)).toMatchObject({ underway: false, awaited: true });
    expect(actionOf([SENDING, ACCEPTED]).awaited).toBe(false);
  });

  it('state: checks the processes of unfinished actions only', () => {
    const asking = () => {
      throw new Error('asked');
    };
    expect(() => actionOf([SENDING, ACCEPTED, FILLED], asking)).not.toThrow();
    expect(() => actionOf([SENDING, ACCEPTED], asking)).toThrow('asked');
    expect(() => actionOf([SENDING], asking)).toThrow('asked');
  });

  it('state: has the results of the service and of manual records', () => {
    expect(actionOf([SENDING, ACCEPTED, FILLED])).toMatchObject({
      hedgeId: 'hdg_1',
      orderTxHash: '0x9f',
      attempts: 1,
      outcome: { kind: 'filled', facts: { struck_rate: '1532.71' } },
    });
    expect(actionOf([SENDING, REFUSED]).refusal).toEqual({ code: 'exposure_exceeded', httpStatus: 400 });
    expect(actionOf([SENDING, UNKNOWN, NOTHING])).toMatchObject({
      recordedAs: 'nothing',
      why: 'the venue says so',
    });
  });

  it('state: a hedge ID is final once a response names it, or one hedge is found when no send can arrive', () => {
    const until = { provisionalUntil: at(300), hedgeId: 'hdg_9' };
    expect(actionOf([SENDING, UNKNOWN, FOUND, FILLED])).toMatchObject(until);
    const final = { provisionalUntil: undefined };
    for (const steps of [
      [FOUND, FINAL],
      [FOUND, FILLED, FINAL],
      [ACCEPTED, FOUND],
      [FOUND, ACCEPTED],
    ])
      expect(actionOf([SENDING, UNKNOWN, ...steps])).toMatchObject(final);
    expect(actionOf([SENDING, UNKNOWN, FOUND, FILLED, NOT_TOLD])).toMatchObject({
      hedgeId: undefined,
      provisionalUntil: undefined,
    });
  });

  it('state: is never rejected once a send was accepted, in any order of records', () => {
    const steps = [SENDING, AGAIN, REFUSED, LOOKED, UNKNOWN, NOT_SEEN, NOT_SENT] as const;
    const any = array(constantFrom<StepParts>(...steps), { maxLength: 6 });
    holds(
      property(any, any, (before, after) => {
        const action = actionOf([...before, ACCEPTED, ...after]);
        expect(action.state).toBe('accepted');
        expect(maybeExecuted(action)).toBe(true);
      }),
    );
  });

  it('state: is never rejected after an unknown outcome that was not checked', () => {
    const any = array(constantFrom<StepParts>(SENDING, AGAIN, REFUSED, UNKNOWN, NOT_SENT), {
      maxLength: 6,
    });
    holds(
      property(any, (after) => {
        expect(maybeExecuted(actionOf([SENDING, UNKNOWN, ...after]))).toBe(true);
      }),
    );
  });
});

describe('many actions', () => {
  it('actions: are separate, in the order of their intents', () => {
    const actions = replayRecords(
      [
        anIntent({ action_id: idOf('aaaa') }),
        anIntent({ action_id: idOf('bbbb') }),
        step(SENDING, 'bbbb'),
        step(SENDING, 'aaaa'),
        step(ACCEPTED, 'bbbb'),
      ],
      gone,
    );
    expect(actions.map(({ id, state }) => [id, state])).toEqual([
      [idOf('aaaa'), 'sent'],
      [idOf('bbbb'), 'accepted'],
    ]);
  });

  it('actions: a record without an intent before it is passed over, and the first of two intents counts', () => {
    const actions = replayRecords(
      [step(SENDING, 'dead'), anIntent(), anIntent({ side: 'sell' }), step(UNKNOWN, 'dead')],
      gone,
    );
    expect(actions.map(({ id, intent }) => [id, intent.side])).toEqual([[idOf('7c1e'), 'buy']]);
  });

  it('actions: are shown under the short ID of their intent, or the whole ID without one', () => {
    const { short_id: _none, ...intent } = anIntent();
    const shown = (each: IntentRecord) => replayRecords([each], gone)[0]?.shortId;
    expect([shown(intent), shown({ ...intent, short_id: '7c1e0' })]).toEqual([idOf('7c1e'), '7c1e0']);
  });
});

describe('the time of the last send without a response', () => {
  const UNCLEAR = { ...UNKNOWN, unclear_at: at(20) } as const;
  const rest = LONGEST_RUN_MS / 1_000;

  it.each<[string, readonly [StepParts, number][], number | undefined]>([
    [
      'undefined after a rejection',
      [
        [SENDING, 1],
        [REFUSED, 2],
      ],
      undefined,
    ],
    [
      'the recorded time',
      [
        [SENDING, 1],
        [UNCLEAR, 25],
      ],
      20,
    ],
    [
      'the time of a record without it',
      [
        [SENDING, 1],
        [UNKNOWN, 25],
      ],
      25,
    ],
    ['the longest run after the send of a process that ended', [[SENDING, 1]], 1 + rest],
    [
      'not later for a later rejection',
      [
        [SENDING, 1],
        [UNCLEAR, 25],
        [AGAIN, 60],
        [REFUSED, 61],
      ],
      20,
    ],
    [
      'not later for a later send that never connected',
      [
        [SENDING, 1],
        [UNCLEAR, 25],
        [AGAIN, 60],
        [NOT_SENT, 61],
      ],
      20,
    ],
    [
      'later for a later send without a response',
      [
        [SENDING, 1],
        [UNCLEAR, 25],
        [AGAIN, 60],
        [UNKNOWN, 70],
      ],
      70,
    ],
    [
      'later for a later process that ended',
      [
        [SENDING, 1],
        [UNCLEAR, 25],
        [AGAIN, 60],
      ],
      60 + rest,
    ],
    [
      'that of the first send, when a resend is rejected',
      [
        [SENDING, 1],
        [AGAIN, 60],
        [REFUSED, 61],
      ],
      1 + rest,
    ],
    [
      'undefined after a send that executed nothing',
      [
        [SENDING, 1],
        [{ ...AGAIN, nothing_done_before: true }, 60],
        [REFUSED, 61],
      ],
      undefined,
    ],
  ])('last unclear send: is %s', (_what, steps, seconds) => {
    const records = [anIntent(), ...steps.map(([each, after]) => step(each, '7c1e', after))];
    const [action] = replayRecords(records, gone);
    expect(action && lastUnclearAt(action)).toBe(seconds === undefined ? undefined : at(seconds));
  });

  it('last unclear send: a run of sends lasts as long as the client retries', () => {
    expect(LONGEST_RUN_MS).toBe(TOTAL_MS);
  });
});
