import { describe, expect, it } from 'vitest';
import { codeOfLine, exitCodeOf, worseExitCode } from '../../src/cli/exit-codes.ts';
import {
  ConditionError,
  CredentialError,
  DamagedFileError,
  HedgeError,
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  OutputError,
  PendingError,
  RefusedError,
  StoppedError,
  UnavailableError,
  UnreadableAnswerError,
  UsageError,
} from '../../src/errors.ts';

const parts = { code: 'x', what: 'It happened.' };

describe('the exit code', () => {
  it.each([
    ['a bug of ours', new HedgeError(parts), 1],
    ['a wrong command line', new UsageError('No such side.'), 2],
    ['a refusal', new RefusedError(parts), 3],
    ['missing credentials', new CredentialError(parts), 4],
    ['a service that cannot be reached', new UnavailableError(parts), 5],
    ['an answer that cannot be read', new UnreadableAnswerError(parts), 6],
    ['an unknown outcome', new OutcomeUnknownError(parts), 7],
    ['an action whose end was not seen', new PendingError(parts), 8],
    ['an order that failed', new OrderFailedError(parts), 9],
    ['a guard that stopped it', new StoppedError(parts), 10],
    ['a condition that does not hold', new ConditionError(parts), 11],
    ['a result that could not be written', new OutputError(parts), 74],
    ['a damaged file', new DamagedFileError('/x', { what: 'Damaged.' }), 78],
    ['a guard over what may be done already', new StoppedError({ ...parts, effect: 'unknown' }), 7],
    [
      'a damaged file over what may be done already',
      new DamagedFileError('/x', { what: 'Damaged.', effect: 'unknown' }),
      7,
    ],
  ])('of %s is %s', (_, error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});

describe('several results in one run', () => {
  it.each([
    [[0, 3, 10, 8, 9, 7], 7],
    [[0, 3, 10, 8, 9], 9],
    [[0, 3, 10, 8], 8],
    [[0, 3, 10], 10],
    [[11, 3, 0], 3],
    [[9, 5, 10], 5],
    [[7, 78, 5], 7],
    [[0, 11], 11],
    [[0, 0], 0],
  ])('of %j come to %i, in whatever order they came', (codes, worst) => {
    expect([codes.reduce(worseExitCode, 0), codes.toReversed().reduce(worseExitCode, 0)]).toEqual([
      worst,
      worst,
    ]);
  });
});

describe('the exit code of a line of a batch', () => {
  it.each([
    [undefined, 0],
    [new RefusedError(parts), 3],
    [new InterruptedError('SIGINT', parts), 130],
    [new InterruptedError('SIGTERM', parts), 143],
    [new InterruptedError('SIGHUP', parts), 129],
  ])('is what a shell would have seen: %s, %i', (error, code) => {
    expect(codeOfLine(error)).toBe(code);
  });
});

describe('an error says what became of the book', () => {
  it.each([
    [new PendingError(parts), 'pending', 'pending', 'after_check'],
    [new OrderFailedError(parts), 'order_failed', 'none', 'later'],
    [new OutcomeUnknownError(parts), 'outcome_unknown', 'unknown', 'after_check'],
  ])('%s', (error, code, effect, retry) => {
    expect([error.code, error.effect, error.retry]).toEqual([code, effect, retry]);
  });
});
