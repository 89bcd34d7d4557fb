/** What the rows of a deals file come to: one error of the kind of the worst, also for a stop between two rows. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { USUAL_OPTIONS } from '../../../src/args/action-options.ts';
import { hintText } from '../../../src/domain/hint.ts';
import {
  CredentialError,
  type HedgeError,
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  PendingError,
  RefusedError,
  StoppedError,
  UnavailableError,
  UsageError,
} from '../../../src/errors.ts';
import { type Deal, type DealEnd, endsRun, notRun, recordOfDeal } from '../../../src/runs/deals/deal.ts';
import { findingOf } from '../../../src/runs/deals/finding.ts';
import { reportOf } from '../../../src/trading/report.ts';

const deal = (line: number, maxCostBps?: number): Deal => ({
  line,
  intent: {
    action: 'open',
    market: 'USDTNGN',
    side: 'buy',
    notional: new Big(1_000),
    tenor: 3,
    dealId: `PAY-${String(line)}`,
    ensure: true,
    retryFailed: false,
    allowDuplicate: false,
    anyPrice: false,
    bounds: { maxCostBps: maxCostBps === undefined ? undefined : new Big(maxCostBps) },
    options: USUAL_OPTIONS,
  },
});
const ended = (of: Deal, error?: HedgeError): DealEnd => ({
  ...of,
  report: undefined,
  plan: undefined,
  error,
});

const stopped = new StoppedError({ code: 'halted', what: 'Halted.', meaning: 'Nothing was sent.' });
const costly = new StoppedError({ code: 'cost_too_high', what: 'Too costly.' });
const refused = new RefusedError({ code: 'exposure_exceeded', what: 'Too much.' });
const unavailable = new UnavailableError({ code: 'unavailable', what: 'No service.' });
const failed = new OrderFailedError({ what: 'Failed.' });
const pending = new PendingError({ what: 'Pending.' });
const unknown = new OutcomeUnknownError({ what: 'Unknown.' });
const credential = new CredentialError({ code: 'unauthorized', what: 'Rejected key.' });

const RUN = { stage: 'run', path: 'deals.csv' } as const;

describe('the finding of a deals file', () => {
  it.each<[string, readonly HedgeError[], HedgeError]>([
    ['an unknown outcome before a failed order', [failed, unknown, stopped], unknown],
    ['a rejected key before a service that is away', [unavailable, credential], credential],
    ['a failed order before a pending one', [pending, failed], failed],
    ['a pending one before a stop', [stopped, pending], pending],
    ['a stop before a rejection', [refused, stopped], stopped],
  ])('is %s', (_, errors, worst) => {
    const rows = errors.map((error, at) => ended(deal(at + 2), error));
    const found = findingOf(rows, RUN);
    expect(found).toBeInstanceOf(worst.constructor);
    expect(found?.code).toBe(worst.code);
    expect(found?.what).toContain(worst.what);
  });

  it('names a row that does not fit before one beyond its price limit', () => {
    const rows = [ended(deal(2, 40), costly), ended(deal(3), stopped)];
    expect(findingOf(rows, { ...RUN, stage: 'check' })?.what).toBe(
      'Line 3, "PAY-3": Halted. 1 more row is blocked or skipped too.',
    );
  });

  it.each([new UsageError('No such thing.'), refused])(
    'says what the run has opened so far, of whatever kind it is: %s',
    (error) => {
      const accepted = { ...ended(deal(2)), report: reportOf('pending', {}) };
      const found = findingOf([accepted, ended(deal(3), error)], RUN);
      expect(found).toMatchObject({
        effect: 'pending',
        meaning: '0 of 2 are open, 1 accepted and waiting for a fill.',
        details: { line: 3, deal_id: 'PAY-3' },
      });
    },
  );

  it('of a signal while all wait for their fills calls no row wrong', () => {
    const signal = new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.', effect: 'pending' });
    const waiting = [2, 3].map((line) => ({ ...ended(deal(line), signal), report: reportOf('pending', {}) }));
    expect(findingOf(waiting, RUN)).toMatchObject({
      what: 'Stopped by Ctrl-C.',
      meaning: '0 of 2 are open, 2 accepted and waiting for a fill.',
    });
    const late = { ...ended(deal(4), pending), report: reportOf('pending', {}) };
    expect(findingOf([late, { ...late, line: 5 }], RUN)?.what).toBe(
      'Line 4, "PAY-4": Pending. 1 more row is accepted too, and not filled yet.',
    );
    expect(findingOf([...waiting, ended(deal(6), refused)], RUN)?.what).toMatch(
      / 1 more row is not open either\.$/,
    );
  });

  it('is the interruption, if the run was stopped between two rows', () => {
    const cause = new InterruptedError('SIGTERM', { what: 'Stopped by the system (TERM).' });
    const found = findingOf([ended(deal(2)), notRun(deal(3), cause, undefined)], RUN);
    expect(found).toBeInstanceOf(InterruptedError);
    expect(found).toMatchObject({ effect: 'none', retry: 'later' });
  });

  it.each([
    ['a check', 'check'],
    ['a run that sent nothing', 'blocked'],
  ] as const)('of %s names the rows that keep all others from being opened', (_, stage) => {
    const rows = [
      ended(deal(2)),
      ended(deal(3), new StoppedError({ code: 'exposure_exceeded', what: 'Too large.' })),
      ended(deal(4, 40), costly),
      ended(deal(5), refused),
    ];
    const hint = findingOf(rows, { ...RUN, stage })?.hint;
    expect(hintText(hint)).toContain('No row is opened until lines 3, 5 fit or are out of the file.');
    expect(hintText(hint)).not.toContain('same file again');
  });

  it('of rows that a halt stops does not blame the file', () => {
    const hint = findingOf([ended(deal(2), stopped), ended(deal(3), stopped)], {
      ...RUN,
      stage: 'blocked',
    })?.hint;
    expect(hintText(hint)).toContain('Run the same file again');
    expect(hintText(hint)).not.toContain('out of the file');
  });

  it('after a stop in the middle says that the same file opens the missing rows', () => {
    const rows = [ended(deal(2)), ended(deal(3), stopped), notRun(deal(4), stopped, 3)];
    expect(hintText(findingOf(rows, RUN)?.hint)).toContain(
      'Run the same file again: it opens only the missing rows',
    );
  });

  it('names --retry-failed for the rows whose order failed, and the same file for the others', () => {
    const rows = [
      { ...ended(deal(2), failed), report: reportOf('failed', { finding: failed }) },
      notRun(deal(3), stopped, 2),
      ended(deal(4, 40), costly),
    ];
    expect(hintText(findingOf(rows, RUN)?.hint)).toMatch(
      /^hedge deals run deals\.csv --retry-failed +open the failed row again\nRun the same file again for the other missing rows/,
    );
    expect(hintText(findingOf(rows.slice(0, 1), RUN)?.hint)).toMatch(/the same file opens nothing more\.$/);
  });

  it('is none if every row is as asked', () => {
    expect(findingOf([ended(deal(2)), ended(deal(3))], RUN)).toBeUndefined();
  });
});

describe('a row of a deals file', () => {
  it.each<[string, Deal, HedgeError, string, boolean]>([
    ['beyond its price limit is skipped', deal(2, 40), costly, 'skipped', false],
    ['stopped by a check ends the run', deal(2), stopped, 'stopped', true],
    ['rejected by the service is alone in it', deal(2), refused, 'refused', false],
    ['without a service ends the run', deal(2), unavailable, 'stopped', true],
  ])('%s', (_, of, error, outcome, ends) => {
    const end = ended(of, error);
    expect([recordOfDeal(end).outcome, endsRun(end)]).toEqual([outcome, ends]);
  });
});
