import type { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { placing } from '../../src/cli/render-context.ts';
import { hintText } from '../../src/domain/hint.ts';
import { HedgeError, InterruptedError, OutcomeUnknownError } from '../../src/errors.ts';
import type { Halt } from '../../src/journal/halt.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { renderErrorHuman } from '../../src/output/render-human.ts';
import { checkAccount, earlierOfAnotherKey } from '../../src/trading/account-keys.ts';
import { guardJournal, type JournalGuardTerms } from '../../src/trading/guards/journal-guard.ts';
import { stopFrom } from '../../src/trading/guards/stops.ts';
import {
  beingSentError,
  changedByOthersError,
  disagreeError,
  failedError,
  neverSentError,
  notSeenError,
  partialFillError,
  refusedError,
  stillPendingError,
  stillUnknownError,
  stoppedBeforeResendingError,
  stoppedWaiting,
  unknownError,
} from '../../src/trading/report-errors.ts';
import {
  ACCEPTED,
  actionsOf,
  at,
  FILLED,
  NOON,
  recordsOf,
  SENDING,
  type StepParts,
  stateFrom,
  theTerms,
  UNKNOWN,
} from '../journal/records.ts';
import { steadyClock } from '../support/steady-clock.ts';
import { big, NO_LIMITS } from './facts.ts';

const actionWith = (id: string, parts: Parameters<typeof recordsOf>[1], ...steps: readonly StepParts[]) => {
  const [action] = actionsOf(recordsOf(id, { at: at(-30), ...parts }, ...steps));
  if (action === undefined) throw new Error('no action');
  return action;
};

const NAMED = { deal_id: 'PAY-8841', notional_usd: '100000' } as const;
const lost = actionWith('7c1e', NAMED, SENDING, UNKNOWN);
const lostReduction = actionWith('7c1e', { action: 'reduce', notional_usd: '100000' }, SENDING, UNKNOWN);
const accepted = actionWith('7c1e', NAMED, SENDING, ACCEPTED);
const acceptedAdd = actionWith('7c1e', { action: 'add', notional_usd: '100000' }, SENDING, {
  kind: 'accepted',
  by: 'answer',
});
const partial = actionWith('7c1e', NAMED, SENDING, ACCEPTED, {
  ...FILLED,
  facts: { struck_rate: '1532.71', filled_notional_usd: '60000' },
});

const lostAdd = actionWith('7c1e', { action: 'add', notional_usd: '100000' }, SENDING, UNKNOWN);
const failed = actionWith(
  '7c1e',
  { ...NAMED, bounds: { worst_price: '1550.25', max_cost_bps: '42.5' } },
  SENDING,
  ACCEPTED,
  { kind: 'outcome', outcome: 'failed', hedge_id: 'hdg_1', facts: {} },
);

const severalAccounts = (names: readonly string[]) => ({
  accountUnclearWith: names.map((name) => ({ name, account: undefined })),
  identity: lost.intent.identity,
  profile: 'desk',
});

function thrownBy(does: () => void): HedgeError | undefined {
  try {
    does();
  } catch (error) {
    if (error instanceof HedgeError) return error;
    throw error;
  }
  return undefined;
}

const context = {
  clock: steadyClock(at()),
  timeOfDay: (ms: number) => `${new Date(ms).toISOString().slice(11, 19)} UTC`,
};
const stopped = new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' });
const noResponse = new OutcomeUnknownError({
  what: 'No response after sending, 3 attempts: connect ECONNRESET 203.0.113.7:443.',
});

const linesOf = (error: HedgeError | undefined, width = 80): string[] => {
  if (error === undefined) throw new Error('no error');
  const command = placing({ named: 'practice' });
  const view = { width, colour: 0, unicode: true, zone: 'UTC', now: NOON, command } as const;
  return renderErrorHuman(error, view).trimEnd().split('\n');
};

const guardWith = (
  terms: Partial<JournalGuardTerms>,
  records: readonly JournalRecord[],
  { halt, perDay }: { halt?: Halt; perDay?: Big } = {},
) =>
  stopFrom(
    guardJournal(
      { ...theTerms(), despite: [], allowDuplicate: false, ...terms },
      stateFrom(records, { path: '/home/ada/.local/share/hedge/journal.sqlite', halt }),
      { nowMs: NOON, limits: { ...NO_LIMITS, maxDailyNotional: perDay }, attended: true },
    ),
  );

describe('an error is three lines at most at 80 columns, with a profile in its command', () => {
  const of = (id: string, ...steps: readonly StepParts[]) =>
    recordsOf(id, { at: at(-30), ...NAMED }, ...steps);
  it.each<[string, HedgeError | undefined]>([
    ['an open without a response', unknownError(lost, noResponse)],
    ['a reduction without a response', unknownError(lostReduction, noResponse)],
    ['an open that a check did not find', stillUnknownError(lost, { kind: 'none' }, context)],
    ['a reduction that a check did not find', stillUnknownError(lostReduction, { kind: 'none' }, context)],
    ['an add that never showed', notSeenError(acceptedAdd, NOON + 360_000)],
    ['an open still pending', stillPendingError(accepted, 'submitted', NOON)],
    ['an add still pending', stillPendingError(acceptedAdd, 'position unchanged', NOON)],
    ['an open of another process', beingSentError(lost)],
    [
      'an add whose position changed differently',
      changedByOthersError(acceptedAdd, { message: 'hdg_0 25,000.00 USD -> 20,000.00 USD', nowMs: NOON }),
    ],
    ['an add whose readings disagree', disagreeError(acceptedAdd, 'one has 25,000.00 USD, one 35,000.00')],
    ['a partial fill', partialFillError(partial, { hedge: undefined, since: undefined, nowMs: NOON })],
    ['a rejection of an earlier command', refusedError(lost)],
    ['an action that was never sent', neverSentError(lost)],
    ['Ctrl-C after three attempts', stoppedWaiting(lost, stopped, [1, 2, 3])],
    ['Ctrl-C while waiting for the fill', stoppedWaiting(accepted, stopped)],
    ['Ctrl-C while waiting for an add', stoppedWaiting(acceptedAdd, stopped)],
    ['Ctrl-C before a resend', stoppedBeforeResendingError(lost, stopped)],
    [
      'an unknown outcome on the side',
      guardWith({ action: 'add', tenorDays: undefined }, of('7c1e', SENDING, UNKNOWN)),
    ],
    [
      'three unknown outcomes on the side',
      guardWith(
        { action: 'add', tenorDays: undefined },
        ['7c1e', '7c1f', '7c20'].flatMap((id) => of(id, SENDING, UNKNOWN)),
      ),
    ],
    [
      'a close that would race',
      guardWith({ action: 'close', tenorDays: undefined }, of('7c1e', SENDING, ACCEPTED)),
    ],
    [
      'a close that would race with three',
      guardWith(
        { action: 'close', tenorDays: undefined },
        ['7c1e', '7c1f', '7c20'].flatMap((id) => of(id, SENDING, ACCEPTED)),
      ),
    ],
    ['a used deal ID', guardWith({ dealId: 'PAY-8841' }, of('7c1e', SENDING, ACCEPTED, FILLED))],
    [
      'a daily limit',
      guardWith({ notional: big('99999.99'), dealId: 'PAY-9' }, of('7c1e', SENDING, ACCEPTED, FILLED), {
        perDay: big('100000'),
      }),
    ],
    [
      'three duplicates',
      guardWith(
        { notional: big('100000'), action: 'reduce', tenorDays: undefined },
        ['7c1e', '7c1f', '7c20'].flatMap((id) =>
          recordsOf(id, { at: at(-30), action: 'reduce', notional_usd: '100000' }, SENDING, ACCEPTED, {
            kind: 'outcome',
            outcome: 'changed',
            facts: {},
          }),
        ),
      ),
    ],
    [
      'an add of which a check finds the change',
      stillUnknownError(
        lostAdd,
        {
          kind: 'exact',
          hedge: undefined,
          hedges: [{ id: 'hdg_01M834E4MMSQ9J9K', before: big('25000'), after: big('125000') }],
          message: undefined,
        },
        context,
      ),
    ],
    ['keys of two accounts', thrownBy(() => checkAccount(severalAccounts(['desk-lagos'])))],
    ['keys of several accounts', thrownBy(() => checkAccount(severalAccounts(['desk-lagos', 'desk-abuja'])))],
    ['an earlier action of another key', earlierOfAnotherKey(lost)],
    ['a failed order with price limits', failedError(failed)],
    [
      'a halt',
      guardWith({}, [], {
        halt: {
          ids: ['aa00000000000001'],
          who: 'ada@desk',
          at: at(-30),
          why: 'the venue is down',
          earlier: [],
        },
      }),
    ],
  ])('%s', (_what, error) => {
    const lines = linesOf(error);
    expect(lines).toEqual(lines.slice(0, 3));
  });

  it('a failure that the service repeats for a new action is told as the earlier one', () => {
    const again = { ...failed, id: 'bb00000000000001', shortId: 'bb00' };
    const error = failedError(again, failed);
    expect(error.what).toContain(`the service answered with the earlier failure of action ${failed.shortId}`);
    expect(error.what).toContain('Nothing new was ordered.');
    expect(error.meaning).toBe('Nothing was opened. The next run is a new order.');
  });

  it('the line that opens a failed order again, or the rest of a partial fill, keeps its note', () => {
    const noted = { ...failed, intent: { ...failed.intent, note: 'inv 5' } };
    expect(hintText(failedError(noted).hint)).toMatch(/ --max-cost-bps 42\.5 --note 'inv 5'$/);
  });

  it.each<[string, HedgeError | undefined, string[]]>([
    [
      'two options and a size where each stop can be passed',
      guardWith({ notional: big('60000'), dealId: 'PAY-9' }, of('7c1e', SENDING, UNKNOWN), {
        perDay: big('140000'),
      }),
      [
        'Each reason needs its own step:',
        'hedge check 7c1e    look up; send nothing',
        '--despite 7c1e      or this option: both may execute',
        'Largest size that fits: 40,000.00 USD.',
      ],
    ],
    [
      'no option where the daily limit is used up',
      guardWith({ notional: big('60000'), dealId: 'PAY-9' }, of('7c1e', SENDING, UNKNOWN), {
        perDay: big('100000'),
      }),
      [
        'No option lets it through now.',
        'hedge check 7c1e    look up; send nothing',
        'The daily limit resets at 00:00 UTC.',
      ],
    ],
  ])('a block with two reasons names both, and advises %s', (_what, error, advice) => {
    expect(error?.what).toMatch(
      /action 7c1e, sent .*: outcome unknown\. Opens and adds of .* daily limit of/,
    );
    expect(hintText(error?.hint).split('\n')).toEqual(advice);
  });

  it('names the attempts that went out before Ctrl-C', () => {
    expect(
      linesOf(stoppedWaiting(lost, stopped, [1, 2]))
        .join(' ')
        .replaceAll(/ +/g, ' '),
    ).toContain(': attempts 1-2 went out. It may have executed.');
  });

  it('keeps the reason of a lost response for the details', () => {
    const error = unknownError(lost, noResponse);
    expect(error.what).toContain('No response, 3 attempts.');
    expect(error.details).toMatchObject({ why: expect.stringContaining('ECONNRESET') });
  });
});

describe('a close of unknown outcome whose side is flat', () => {
  const lostClose = actionWith('7c1e', { action: 'close', notional_usd: undefined }, SENDING, UNKNOWN);
  const hedges = [{ id: 'hdg_1', before: big('10000'), after: big('0') }];
  const hintsOf = (evidence: Parameters<typeof stillUnknownError>[1]) =>
    hintText(stillUnknownError(lostClose, evidence, context).hint ?? []);

  it('is asked for again under its key, also where a hedge closed at another size', () => {
    const message = 'hdg_1 is listed as closed at 15,000.00 USD';
    expect(hintsOf({ kind: 'exact', hedges, message })).toContain('hedge resume 7c1e');
  });

  it('is not sent again where another hedge was opened since: it would take that one', () => {
    const message = 'hdg_2 7,000.00 USD was opened on the side since';
    expect(hintsOf({ kind: 'exact', hedges, message, isReopened: true })).not.toContain('hedge resume');
  });
});
