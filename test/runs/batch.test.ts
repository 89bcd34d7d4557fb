import { describe, expect, it } from 'vitest';
import {
  ConditionError,
  CredentialError,
  DamagedFileError,
  HedgeError,
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  PendingError,
  RefusedError,
  StoppedError,
  UnavailableError,
  UnreadableAnswerError,
  UsageError,
} from '../../src/errors.ts';
import { type BatchLine, runBatch } from '../../src/runs/batch.ts';

const parts = { code: 'x', what: 'It happened.' };
const UNKNOWN = new OutcomeUnknownError(parts);

const linesOf = (kinds: string): readonly BatchLine[] =>
  kinds.split('').map((kind, index) => ({
    number: index + 1,
    kind: kind === 'a' ? 'action' : kind === 's' ? 'step' : 'reading',
  }));

interface Played {
  /** `+3` began, `-3` ended, `=3` was handed on. */
  log: readonly string[];
  codes: readonly (string | undefined)[];
}

/** Plays `kinds` (r reading, s step, a action); a line ends only when the ones that may run have begun. */
async function play(
  kinds: string,
  {
    errors = {},
    parallel = 1,
    keepGoing = false,
    controller = new AbortController(),
    onEnd = () => undefined,
    isRead = () => true,
  }: {
    errors?: Readonly<Record<number, HedgeError>>;
    parallel?: number;
    keepGoing?: boolean;
    controller?: AbortController;
    onEnd?: (number: number) => void;
    isRead?: () => boolean;
  } = {},
): Promise<Played> {
  const log: string[] = [];
  const codes: (string | undefined)[] = [];
  await runBatch<BatchLine, string>(linesOf(kinds), {
    parallel,
    keepGoing,
    signal: controller.signal,
    isRead,
    async run({ number }) {
      log.push(`+${number.toString()}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`-${number.toString()}`);
      return { result: 'done', error: errors[number] };
    },
    async ended({ line, error }) {
      log.push(`=${line.number.toString()}`);
      codes.push(error?.code);
      onEnd(line.number);
    },
  });
  return { log, codes };
}

describe('the lines of a batch', () => {
  it('run one after the other, and each is reported before the next begins', async () => {
    const { log } = await play('rar');
    expect(log).toEqual(['+1', '-1', '=1', '+2', '-2', '=2', '+3', '-3', '=3']);
  });

  it('run in parallel where they only read, and are reported in order', async () => {
    const { log } = await play('rrr', { parallel: 2 });
    expect(log.slice(0, 2)).toEqual(['+1', '+2']);
    expect(log.filter((entry) => entry.startsWith('='))).toEqual(['=1', '=2', '=3']);
    expect(log.indexOf('+3')).toBeGreaterThan(log.indexOf('=1'));
  });

  it.each(['rrarr', 'rrsrr', 'aaaaa', 'sssss'])(
    'of %s: nothing runs in parallel with an action or a step',
    async (kinds) => {
      const { log } = await play(kinds, { parallel: 8 });
      kinds.split('').forEach((kind, index) => {
        if (kind === 'r') return;
        const number = (index + 1).toString();
        expect(log.indexOf(`-${number}`) - log.indexOf(`+${number}`)).toBe(1);
        const before = log.slice(0, log.indexOf(`+${number}`));
        expect(before.filter((entry) => entry.startsWith('='))).toHaveLength(index);
      });
    },
  );
});

describe('once nobody reads the results', () => {
  it('no further action is begun; a reading alone stops nothing', async () => {
    let read = true;
    const { log, codes } = await play('arara', {
      onEnd: (number) => {
        read = number < 2;
      },
      isRead: () => read,
    });
    expect(codes).toEqual([undefined, undefined, 'not_run', 'not_run', 'not_run']);
    expect(log).not.toContain('+3');
    expect((await play('rr', { isRead: () => false })).codes).toEqual([undefined, undefined]);
  });
});

describe('after an end that stops the batch', () => {
  it('nothing more is begun, and every line says so', async () => {
    const { log, codes } = await play('aara', { errors: { 2: UNKNOWN } });
    expect(codes).toEqual([undefined, 'outcome_unknown', 'not_run', 'not_run']);
    expect(log).not.toContain('+3');
  });

  it('parallel reads still end', async () => {
    const { codes } = await play('rrrr', { parallel: 2, errors: { 1: new UnavailableError(parts) } });
    expect(codes).toEqual(['x', undefined, 'not_run', 'not_run']);
  });

  it.each([
    ['an unknown outcome', UNKNOWN, true, false],
    ['a stop over something unknown', new StoppedError({ ...parts, effect: 'unknown' }), true, false],
    ['a service out of reach', new UnavailableError(parts), true, false],
    ['a key turned down', new CredentialError(parts), true, true],
    ['a damaged file', new DamagedFileError('/x', { ...parts, code: 'damaged_file' }), true, true],
    ['a bug', new HedgeError({ ...parts, code: 'internal' }), true, true],
    ['a broken promise', new StoppedError({ ...parts, code: 'env_mismatch' }), true, true],
    ['a signal', new InterruptedError('SIGINT', parts), true, true],
    ['a refusal', new RefusedError(parts), false, false],
    ['a failed order', new OrderFailedError(parts), false, false],
    ['a pending one', new PendingError(parts), false, false],
    ['a guard', new StoppedError(parts), false, false],
    ['an unreadable answer', new UnreadableAnswerError(parts), false, false],
    ['a condition', new ConditionError(parts), false, false],
    ['a usage error', new UsageError('No.'), false, false],
  ])('%s stops it: %s, with --keep-going: %s', async (_what, error, stops, stopsAnyway) => {
    const ranOn = async (keepGoing: boolean): Promise<boolean> =>
      (await play('aa', { errors: { 1: error }, keepGoing })).codes[1] === undefined;
    expect([await ranOn(false), await ranOn(true)]).toEqual([!stops, !stopsAnyway]);
  });

  it('a signal between two lines counts as well', async () => {
    const controller = new AbortController();
    const { codes } = await play('aaa', {
      controller,
      onEnd: (number) => {
        if (number === 1) controller.abort(new InterruptedError('SIGTERM', { what: 'Stopped.' }));
      },
    });
    expect(codes).toEqual([undefined, 'not_run', 'not_run']);
  });
});
