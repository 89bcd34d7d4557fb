import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/exit-codes.ts';
import {
  ConditionError,
  CredentialError,
  DamagedFileError,
  HedgeError,
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
    ['an order that did not land', new OrderFailedError(parts), 9],
    ['a guard that stopped it', new StoppedError(parts), 10],
    ['a condition that does not hold', new ConditionError(parts), 11],
    ['a result that could not be written', new OutputError(parts), 74],
    ['a damaged file', new DamagedFileError('/x', { what: 'Damaged.' }), 78],
  ])('of %s is %s', (_, error, code) => {
    expect(exitCodeOf(error)).toBe(code);
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
