/** An error with other parts: the same kind with everything else as it was. */
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../src/cli/exit-codes.ts';
import { shell, step } from '../src/domain/hint.ts';
import {
  DamagedFileError,
  HedgeError,
  InterruptedError,
  OutcomeUnknownError,
  RefusedError,
  StoppedError,
  UsageError,
  unless,
  without,
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
