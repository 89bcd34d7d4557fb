/** A machine that sleeps two hours between two attempts, and a service that has forgotten the key by then. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isExecutable, runBuilt } from '../support/built.ts';
import { bookFor, EACH_ACTION } from '../support/each-action.ts';
import { frontOf, refusal, servedAt } from '../support/front.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';

const SLEEPING = fileURLToPath(new URL('../support/preload/sleeping.cjs', import.meta.url));

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook();
});
afterAll(() => served.close());

// An executable takes no preload, and sleeps as the same program does.
describe.skipIf(isExecutable)('a machine that sleeps between two attempts', () => {
  it.each(EACH_ACTION)('does not send $name again: 7, and what can be done is named', async (action) => {
    await bookFor(served, action);
    const home = temporaryFolder();
    const front = await frontOf(served, home);
    let sends = 0;
    front.meddle(async (line, pass, { 'idempotency-key': key }) => {
      const answer =
        line === `POST ${action.path}`
          ? // What it was sent under is forgotten by the next time.
            await pass({ 'idempotency-key': `${String(key)}~${String((sends += 1))}` })
          : await pass();
      const lost = line === `POST ${action.path}` ? refusal(504, 'upstream_timeout') : answer;
      return servedAt(Date.now(), lost);
    });
    const env = { ...front.way(home), NODE_OPTIONS: `--require=${SLEEPING}`, SLEEPS_MS: '7200000' };
    const ran = await runBuilt([...action.line.split(' '), '--yes', '--json'], { env });
    expect({ code: ran.code, sends, acted: served.acted(action.path) }).toEqual({
      code: 7,
      sends: 1,
      acted: 1,
    });
    const { data, error } = JSON.parse(ran.out);
    expect(data).toMatchObject({ outcome: 'unknown', effect: 'unknown' });
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      hint: expect.stringContaining('hedge check'),
      details: { why: expect.stringMatching(/It was not resent: the clocks differ by [12] h since/) },
    });
  });
});
