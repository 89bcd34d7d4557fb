/** What a failed call means, whatever code the service gives it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitCodeOf } from '../../../src/cli/exit-codes.ts';
import { mapError } from '../../../src/client/transport/map-error.ts';
import { hintText } from '../../../src/domain/hint.ts';
import {
  type HedgeError,
  OutcomeUnknownError,
  OWN_CODES,
  RefusedError,
  serviceRejection,
} from '../../../src/errors.ts';
import { cliFor } from '../../support/cli-for.ts';
import { frontOf, refusal } from '../../support/front.ts';
import { temporaryFolder } from '../../support/own-folder.ts';
import { no, on, scriptedService } from '../../support/scripted-service.ts';
import { servedBook } from '../../support/served-book.ts';
import { testCli } from '../../support/test-cli.ts';

const STATUSES = [400, 401, 403, 404, 409, 422, 429, 500, 503] as const;
/** Specification §7, and the reasons for which hedge itself stops an action that the service would reject. */
const SHARED: readonly string[] = [
  'exposure_exceeded',
  'no_open_hedge',
  'idempotency_key_reuse',
  'capacity_exceeded',
  'insufficient_balance',
  'market_disabled',
  'market_not_found',
];

function mapped(
  code: string | undefined,
  status: number,
  effect: 'reading' | 'action' = 'reading',
): HedgeError {
  const last = {
    phase: 'answered',
    kind: 'status',
    reason: `the service returned ${status.toString()}`,
    status,
  } as const;
  const details = { cap: 5 };
  return mapError(
    { line: 'POST /hedges' },
    { effect, last: { ...last, code, message: 'No.', details }, attempts: 1, unclear: 0 },
  );
}

describe('a code of the service with the name of a code of hedge', () => {
  it.each(STATUSES)(
    'with %i has the class, effect, retry and exit code of that status, and is in the details',
    (status) => {
      // A rate limit is the same for both.
      for (const effect of ['reading', 'action'] as const)
        for (const code of OWN_CODES.filter((each) => each !== 'rate_limited')) {
          const error = mapped(code, status, effect);
          const plain = mapped('strange_code', status, effect);
          // A 409 for a reason that is known is a rejection; another may be that of a request in progress.
          if (status === 409 && effect === 'action' && SHARED.includes(code)) {
            expect(error).toBeInstanceOf(RefusedError);
            expect(plain).toBeInstanceOf(OutcomeUnknownError);
            continue;
          }
          const meaning = (of: HedgeError) => [of.name, of.constructor, of.effect, of.retry, exitCodeOf(of)];
          expect(meaning(error)).toEqual(meaning(plain));
          if (error instanceof RefusedError && SHARED.includes(code)) {
            expect([error.code, error.details]).toEqual([code, { cap: 5 }]);
            continue;
          }
          expect(error.code).toBe(
            mapped(undefined, status, status < 500 && status !== 409 ? 'reading' : effect).code,
          );
          expect(error.details).toEqual({ cap: 5, service_code: code });
        }
    },
  );

  it('is named in the message, with the status', () => {
    expect(mapped('pending', 400).message).toContain('No. Code of the service: pending (http_400).');
  });

  it.each(['strange_code', 'hedge_not_found'])('is otherwise passed on: %s', (code) => {
    expect(mapped(code, 404)).toMatchObject({ code, details: { cap: 5 } });
    expect(mapped(code, 500)).toMatchObject({ code, details: { cap: 5 } });
  });

  it('is kept without other details, and beside details that are no object', () => {
    expect(serviceRejection('pending', 400, undefined)).toEqual({
      code: 'http_400',
      details: { service_code: 'pending' },
    });
    expect(serviceRejection('pending', undefined, ['a'])).toEqual({
      code: 'http_error',
      details: { service_code: 'pending', service_details: ['a'] },
    });
  });

  it.each([
    [400, 'pending', 3, 'http_400'],
    [401, 'no_profile', 4, 'unauthorized'],
    [400, 'halted', 3, 'http_400'],
  ])('a script reads %i %s as exit code %i and %s', async (status, code, exit, shown) => {
    const service = await scriptedService([on('GET /positions', no(status, code))]);
    const ran = await cliFor(service).run('positions --json');
    expect(ran.code).toBe(exit);
    expect(ran.document()).toMatchObject({
      error: { code: shown, http_status: status, effect: 'none', details: { service_code: code } },
    });
    expect(ran.err).not.toContain(`(${code})`);
  });

  it.each([
    [404, 'not_found', true],
    [404, undefined, true],
    [405, 'method_not_allowed', true],
    [404, 'strange_code', false],
    [400, undefined, false],
  ])('with %i %s may be a wrong base URL: %s', (status, code, isNamed) => {
    const { hint } = mapped(code, status);
    expect(hint === undefined ? '' : hintText(hint)).toBe(
      isNamed ? 'Check the path and the base URL: hedge profile show' : '',
    );
  });

  it("of a rejected open is in the journal, and is told again as the service's", async () => {
    const served = await servedBook();
    onTestFinished(() => served.close());
    const front = await frontOf(served, temporaryFolder());
    front.meddle(async (line, pass) => (line === 'POST /hedges' ? refusal(400, 'duplicate') : pass()));
    const home = temporaryFolder();
    const cli = testCli({ home, env: front.way(home) });
    const line = 'open USDTNGN buy 10000 --tenor 3 --any-price --yes --idempotency-key k-1 --json';
    for (const _ of ['sent', 'told again']) {
      // oxlint-disable-next-line no-await-in-loop
      const ran = await cli.run(line);
      expect(ran.code).toBe(3);
      expect(ran.document()).toMatchObject({
        error: { code: 'http_400', details: { service_code: 'duplicate' } },
      });
    }
    expect((await cli.run('journal --json')).out).toContain('duplicate');
  });
});
