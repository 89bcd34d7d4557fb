/** An error with other parts: the same kind with everything else as it was; and the worst of several. */
import { describe, expect, it } from 'vitest';
import { exitCodeOf, worseExitCode } from '../src/cli/exit-codes.ts';
import { shell, step } from '../src/domain/hint.ts';
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
  unless,
  without,
  worstError,
} from '../src/errors.ts';

const parts = { code: 'x', what: 'It happened.', meaning: 'Nothing was sent.', details: { at: 1 } };

describe('an error with other parts', () => {
  it.each([
    new HedgeError(parts),
    new UsageError('No such side.', 'Use buy or sell.'),
    new StoppedError({ ...parts, retry: 'later' }),
    new RefusedError({ ...parts, said: 'At length.', httpStatus: 400, serviceCode: 'y' }),
    new OutcomeUnknownError(parts, { code: 'z', message: undefined }),
    new InterruptedError('SIGTERM', parts),
    new DamagedFileError('/x', { ...parts, code: 'journal_rewound' }),
  ])('is the same but for them, and names the first as its cause: %s', (error) => {
    const changed = error.with({ meaning: 'It may have executed.', effect: 'pending' });
    expect(changed).toBeInstanceOf(error.constructor);
    expect(changed.message).toBe(`${error.what} It may have executed.`);
    expect(changed.cause).toBe(error);
    expect(exitCodeOf(changed)).toBe(exitCodeOf(error));
    expect({ ...changed }).toEqual({ ...error, meaning: 'It may have executed.', effect: 'pending' });
    expect(changed.stack).toContain('errors.test.ts');
  });

  it('may lose one', () => {
    const hinted = new StoppedError({ ...parts, hint: step(shell`hedge check`) });
    expect(hinted.with({ hint: undefined, meaning: undefined })).toMatchObject({
      message: 'It happened.',
      hint: undefined,
    });
  });

  it('is changed again as any other', () => {
    const twice = new InterruptedError('SIGHUP', parts)
      .with({ effect: 'unknown' })
      .with({ what: 'Stopped.' });
    expect(twice).toMatchObject({ signal: 'SIGHUP', effect: 'unknown', what: 'Stopped.' });
  });
});

describe('work that may fail', () => {
  const fail = (error: Error) => () => {
    throw error;
  };

  it('has no result after an error of the kind that was named, and passes on any other', async () => {
    const refused = new RefusedError(parts);
    expect(unless(RefusedError, () => 1)).toBe(1);
    expect(unless(RefusedError, fail(refused))).toBeUndefined();
    expect(() => unless(UsageError, fail(refused))).toThrow(refused);
    expect(() => unless(HedgeError, fail(new TypeError('a bug')))).toThrow(TypeError);
    await expect(Promise.reject(refused).catch(without(HedgeError))).resolves.toBeUndefined();
    await expect(Promise.reject(refused).catch(without(UsageError))).rejects.toBe(refused);
  });
});

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
