import { describe, expect, it } from 'vitest';
import { exitCodeOf, worseExitCode } from '../src/cli/exit-codes.ts';
import {
  ConditionError,
  CredentialError,
  DamagedFileError,
  HedgeError,
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  OutputError,
  PartialFillError,
  PendingError,
  RefusedError,
  StoppedError,
  UnavailableError,
  UnreadableAnswerError,
  UsageError,
  worstError,
} from '../src/errors.ts';

const parts = { code: 'x', what: 'It happened.' };

const errors = [
  new HedgeError(parts),
  new UsageError('No such side.'),
  new RefusedError(parts),
  new CredentialError(parts),
  new UnavailableError(parts),
  new UnreadableAnswerError(parts),
  new OutcomeUnknownError(parts),
  new PartialFillError(parts),
  new PendingError(parts),
  new OrderFailedError(parts),
  new StoppedError(parts),
  new ConditionError(parts),
  new OutputError(parts),
  new DamagedFileError('/x', { what: 'Damaged.' }),
  new StoppedError({ ...parts, effect: 'unknown' }),
  new RefusedError({ ...parts, effect: 'unknown' }),
];

describe('the worst of several errors', () => {
  it('is the one whose exit code is the worst, whichever came first', () => {
    for (const one of errors)
      for (const other of errors) {
        const worst = worstError([one, other]);
        expect(worst && exitCodeOf(worst), `${one.name} and ${other.name}`).toBe(
          worseExitCode(exitCodeOf(one), exitCodeOf(other)),
        );
      }
  });

  it('is a signal before all others, but for what may have been done', () => {
    const signal = new InterruptedError('SIGINT', parts);
    const unknown = new OutcomeUnknownError(parts);
    expect(
      errors.filter(({ effect }) => effect !== 'unknown').map((error) => worstError([error, signal])),
    ).toEqual(errors.filter(({ effect }) => effect !== 'unknown').map(() => signal));
    expect(worstError([signal, unknown])).toBe(unknown);
  });

  it('is the first of its kind, and none of none', () => {
    const [first, second] = [new PendingError(parts), new PendingError(parts)];
    expect(worstError([first, second])).toBe(first);
    expect(worstError([])).toBeUndefined();
  });
});
