/** What becomes of an action, step by step, and what must never be read out of its steps. */
import { array, constantFrom, assert as holds, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOTAL_MS } from '../../src/client/transport/retry-policy.ts';
import { isRejected } from '../../src/journal/queries.ts';
import {
  inFlight,
  isUnresolved,
  LONGEST_RUN_MS,
  lastUnclearAt,
  maybeExecuted,
  replayRecords,
} from '../../src/journal/replay.ts';
import {
  ACCEPTED,
  anIntent,
  at,
  DONE,
  FAILED,
  FILLED,
  FOUND,
  idOf,
  NOT_SEEN,
  NOT_SENT,
  NOT_TOLD,
  NOTHING,
  REFUSED,
  SENDING,
  step,
  UNKNOWN,
} from './records.ts';

type Parts = Parameters<typeof step>[0];
const gone = (): boolean => false;
const AGAIN = { kind: 'sending', attempt: 2 } as const;
const FINAL = { kind: 'accepted', hedge_id: 'hdg_9', by: 'looking' } as const;
const LOOKED = { ...REFUSED, looked: true } as const;

function actionOf(steps: readonly Parts[], isRunning = gone) {
  const [action] = replayRecords([anIntent(), ...steps.map((each) => step(each))], isRunning).actions;
  if (action === undefined) throw new Error('no action');
  return action;
}

describe('the state of an action', () => {
  it.each<[string, readonly Parts[], string, string]>([
    // what it is, the steps after the intent, the state, and u(nresolved) f(light) s(tands) n(o, definitely)
    ['only written down', [], 'prepared', ''],
    ['being sent by a process that died', [SENDING], 'sent', 'us'],
    ['without an answer', [SENDING, UNKNOWN], 'unknown', 'us'],
    ['accepted', [SENDING, ACCEPTED], 'accepted', 'fs'],
    ['filled', [SENDING, ACCEPTED, FILLED], 'done', 's'],
    ['failed', [SENDING, ACCEPTED, FAILED], 'failed', 'n'],
    ['refused', [SENDING, REFUSED], 'refused', 'n'],
    ['declined', [NOT_SENT], 'not_sent', ''],
    ['accepted and never seen', [SENDING, ACCEPTED, NOT_SEEN], 'accepted', 's'],
    ['seen after all', [SENDING, ACCEPTED, NOT_SEEN, FILLED], 'done', 's'],
    ['never seen, and settled by a person', [SENDING, ACCEPTED, NOT_SEEN, NOTHING], 'settled', ''],
    ['unknown, settled as done', [SENDING, UNKNOWN, DONE], 'settled', 's'],
    ['unknown, settled as nothing', [SENDING, UNKNOWN, NOTHING], 'settled', ''],
    ['unknown, then found on the book', [SENDING, UNKNOWN, ACCEPTED], 'accepted', 'fs'],
    ['unknown, then resent', [SENDING, UNKNOWN, AGAIN], 'unknown', 'us'],
    ['refused after an unclear attempt', [SENDING, UNKNOWN, AGAIN, REFUSED], 'unknown', 'us'],
    ['refused after an attempt whose end nobody wrote', [SENDING, AGAIN, REFUSED], 'unknown', 'us'],
    ['refused after that, and looked for in vain', [SENDING, AGAIN, LOOKED], 'refused', 'n'],
    [
      'refused after an attempt that did nothing',
      [SENDING, { ...AGAIN, nothing_done_before: true }, REFUSED],
      'refused',
      'n',
    ],
    ['refused for now, then sent again', [SENDING, REFUSED, AGAIN], 'sent', 'us'],
    ['refused for now, sent again, accepted', [SENDING, REFUSED, AGAIN, ACCEPTED], 'accepted', 'fs'],
    ['accepted, and a straggler lost its answer', [SENDING, ACCEPTED, UNKNOWN], 'accepted', 'fs'],
    ['accepted, and a straggler was refused', [SENDING, ACCEPTED, REFUSED], 'accepted', 'fs'],
    ['filled, and a straggler says accepted', [SENDING, FILLED, ACCEPTED], 'done', 's'],
    ['filled, and a straggler says failed', [SENDING, FILLED, FAILED], 'done', 's'],
    ['filled, and a straggler did not see it', [SENDING, FILLED, NOT_SEEN], 'done', 's'],
    ['filled, whatever a person says', [SENDING, ACCEPTED, FILLED, NOTHING], 'done', 's'],
    ['settled as nothing, then found', [SENDING, UNKNOWN, NOTHING, ACCEPTED], 'accepted', 'fs'],
    ['settled as nothing, then sent again', [SENDING, UNKNOWN, NOTHING, AGAIN], 'unknown', 'us'],
    ['settled as done, then sent again', [SENDING, UNKNOWN, DONE, AGAIN], 'settled', 's'],
    ['accepted, and the book does not tell it', [SENDING, ACCEPTED, NOT_TOLD], 'unknown', 'us'],
    ['that, then seen after all', [SENDING, ACCEPTED, NOT_TOLD, FILLED], 'done', 's'],
    ['that, then refused on a resend', [SENDING, ACCEPTED, NOT_TOLD, AGAIN, REFUSED], 'unknown', 'us'],
    ['that, then accepted on a resend', [SENDING, ACCEPTED, NOT_TOLD, AGAIN, ACCEPTED], 'accepted', 's'],
    ['seen to end, then not told', [SENDING, ACCEPTED, FILLED, NOT_TOLD], 'done', 's'],
    ['found under its deal id and filled', [SENDING, UNKNOWN, FOUND, FILLED], 'done', 's'],
    ['that, then one of two', [SENDING, UNKNOWN, FOUND, FILLED, NOT_TOLD], 'unknown', 'us'],
    ['found, confirmed and filled, then not told', [SENDING, FOUND, FINAL, FILLED, NOT_TOLD], 'done', 's'],
    ['settled as nothing, then not told', [SENDING, UNKNOWN, NOTHING, NOT_TOLD], 'settled', ''],
    ['never connected, or turned away by a rate limit', [SENDING, NOT_SENT], 'not_sent', ''],
    ['that, then sent again', [SENDING, NOT_SENT, AGAIN], 'sent', 'us'],
    ['unclear, then never connected', [SENDING, UNKNOWN, AGAIN, NOT_SENT], 'unknown', 'us'],
    ['accepted, and a straggler never connected', [SENDING, ACCEPTED, NOT_SENT], 'accepted', 'fs'],
  ])('follows from what happened: %s', (_what, steps, state, marks) => {
    const action = actionOf(steps);
    const seen = [
      isUnresolved(action) ? 'u' : '',
      inFlight(action) ? 'f' : '',
      maybeExecuted(action) ? 's' : '',
      isRejected(action) ? 'n' : '',
    ].join('');
    expect([action.state, seen]).toEqual([state, marks]);
  });

  it('is under way, counted and not unresolved, while the process that sends still runs', () => {
    for (const steps of [[], [SENDING]]) {
      const action = actionOf(steps, () => true);
      expect([action.underway, isUnresolved(action), maybeExecuted(action)]).toEqual([true, false, true]);
    }
    expect(actionOf([SENDING, UNKNOWN], () => true).underway).toBe(false);
    // Sent again it is under way, and as unresolved as it was.
    const again = actionOf([SENDING, UNKNOWN, AGAIN], () => true);
    expect([again.underway, isUnresolved(again)]).toEqual([true, true]);
    expect(actionOf([SENDING, UNKNOWN, AGAIN, NOT_SENT], () => true).underway).toBe(false);
  });

  it('is awaited, once accepted, while the process that sent it still runs', () => {
    expect(actionOf([SENDING, ACCEPTED], () => true)).toMatchObject({ underway: false, awaited: true });
    expect(actionOf([SENDING, ACCEPTED]).awaited).toBe(false);
  });

  it('asks only after processes whose action has no end yet', () => {
    const asking = () => {
      throw new Error('asked');
    };
    expect(() => actionOf([SENDING, ACCEPTED, FILLED], asking)).not.toThrow();
    expect(() => actionOf([SENDING, ACCEPTED], asking)).toThrow('asked');
    expect(() => actionOf([SENDING], asking)).toThrow('asked');
  });

  it('keeps what the service and a person said', () => {
    expect(actionOf([SENDING, ACCEPTED, FILLED])).toMatchObject({
      hedgeId: 'hdg_1',
      orderTxHash: '0x9f',
      attempts: 1,
      outcome: { kind: 'filled', facts: { struck_rate: '1532.71' } },
    });
    expect(actionOf([SENDING, REFUSED]).refusal).toEqual({ code: 'exposure_exceeded', httpStatus: 400 });
    expect(actionOf([SENDING, UNKNOWN, NOTHING])).toMatchObject({
      settledAs: 'nothing',
      why: 'the venue says so',
    });
  });

  it('is found for certain once an answer tells its hedge, or it is found alone when nothing can arrive', () => {
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

  it('is never a definite no once a send was accepted, whatever else is written in whatever order', () => {
    const steps = [SENDING, AGAIN, REFUSED, LOOKED, UNKNOWN, NOT_SEEN, NOT_SENT] as const;
    const any = array(constantFrom<Parts>(...steps), { maxLength: 6 });
    holds(
      property(any, any, (before, after) => {
        const action = actionOf([...before, ACCEPTED, ...after]);
        expect(action.state).toBe('accepted');
        expect(maybeExecuted(action)).toBe(true);
      }),
    );
  });

  it('is never a definite no after an unknown that nobody looked into', () => {
    const any = array(constantFrom<Parts>(SENDING, AGAIN, REFUSED, UNKNOWN, NOT_SENT), {
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
  it('are kept apart, in the order of their intents', () => {
    const { actions } = replayRecords(
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

  it('name those that no intent begins, and keep the first of two intents', () => {
    const { actions, orphans } = replayRecords(
      [step(SENDING, 'dead'), anIntent(), anIntent({ side: 'sell' }), step(UNKNOWN, 'dead')],
      gone,
    );
    expect(orphans).toEqual([idOf('dead')]);
    expect(actions.map(({ intent }) => intent.side)).toEqual(['buy']);
  });

  it('get short ids that grow only when an earlier one has them, and never change', () => {
    const ids = ['7c1e', '7c1eaa', '7c1ea', '7c1f'].map(idOf);
    const intents = ids.map((action_id) => anIntent({ action_id }));
    const shortOf = (count: number) =>
      replayRecords(intents.slice(0, count), gone).actions.map(({ shortId }) => shortId);
    expect(shortOf(4)).toEqual(['7c1e', '7c1ea', '7c1ea0', '7c1f']);
    for (const count of [1, 2, 3]) expect(shortOf(count)).toEqual(shortOf(4).slice(0, count));
  });
});

describe('when the last send without an answer may have left', () => {
  const UNCLEAR = { ...UNKNOWN, unclear_at: at(20) } as const;
  const rest = LONGEST_RUN_MS / 1_000;

  it.each<[string, readonly [Parts, number][], number | undefined]>([
    [
      'never, of one that was refused',
      [
        [SENDING, 1],
        [REFUSED, 2],
      ],
      undefined,
    ],
    [
      'as its record tells',
      [
        [SENDING, 1],
        [UNCLEAR, 25],
      ],
      20,
    ],
    [
      'of a record without it: when that was written',
      [
        [SENDING, 1],
        [UNKNOWN, 25],
      ],
      25,
    ],
    ['of a process that ended: as long as it may have sent', [[SENDING, 1]], 1 + rest],
    [
      'not later for a later refusal',
      [
        [SENDING, 1],
        [UNCLEAR, 25],
        [AGAIN, 60],
        [REFUSED, 61],
      ],
      20,
    ],
    [
      'not later for a later send that never left',
      [
        [SENDING, 1],
        [UNCLEAR, 25],
        [AGAIN, 60],
        [NOT_SENT, 61],
      ],
      20,
    ],
    [
      'later for a later send without an answer',
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
      'of that, sent again and refused',
      [
        [SENDING, 1],
        [AGAIN, 60],
        [REFUSED, 61],
      ],
      1 + rest,
    ],
    [
      'not of a send that is known to have done nothing',
      [
        [SENDING, 1],
        [{ ...AGAIN, nothing_done_before: true }, 60],
        [REFUSED, 61],
      ],
      undefined,
    ],
  ])('is told: %s', (_what, steps, seconds) => {
    const records = [anIntent(), ...steps.map(([each, after]) => step(each, '7c1e', after))];
    const [action] = replayRecords(records, gone).actions;
    expect(action && lastUnclearAt(action)).toBe(seconds === undefined ? undefined : at(seconds));
  });

  it('is not told where a later send may be on a line that cannot be read', () => {
    const records = [anIntent(), step(SENDING), step(UNCLEAR)];
    const [action] = replayRecords(records, gone, records.length).actions;
    expect(action && lastUnclearAt(action)).toBeUndefined();
  });

  it('counts a run of sends for as long as the client makes attempts', () => {
    expect(LONGEST_RUN_MS).toBe(TOTAL_MS);
  });
});
