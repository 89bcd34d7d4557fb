/** One account with two API keys, or a service with two host names: one deal ID is one deal, at the service itself. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actionsIn } from '../journal/records.ts';
import { runBuilt } from '../support/built.ts';
import { type Front, frontOf } from '../support/front.ts';
import { journalAt } from '../support/kill-case.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';

const SECOND_KEY = 'hk_test_forTestsAlone0002';

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook();
});
afterAll(() => served.close());
beforeEach(() => served.reset());

/** The list of hedges is answered to nobody before both have asked for it: neither sees what the other deals. */
async function slowlyListing(): Promise<Front> {
  const front = await frontOf(served, temporaryFolder(), { [SECOND_KEY]: served.desk.service.keys.test });
  let asked = 0;
  let bothAsked = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    bothAsked = resolve;
  });
  front.meddle(async (line, pass) => {
    if (!line.startsWith('GET /hedges?')) return pass();
    const seen = await pass();
    asked += 1;
    if (asked === 2) bothAsked();
    await both;
    return seen;
  });
  return front;
}

const LINE = [
  'open',
  'USDTNGN',
  'buy',
  '1000',
  '-t',
  '3',
  '--deal-id',
  'PAY-1',
  '--ensure',
  '--yes',
  '--json',
];

describe('two processes that ensure one deal ID at once, while the list of hedges is slow', () => {
  it.each([
    ['two API keys', 'two machines'],
    ['two API keys', 'one machine'],
    ['two host names', 'two machines'],
    ['two host names', 'one machine'],
    ['two API keys and two host names', 'two machines'],
  ])('with %s of one account, on %s: one hedge', async (what, where) => {
    const front = await slowlyListing();
    const home = temporaryFolder();
    const other = where === 'one machine' ? home : temporaryFolder();
    const way = front.way(other);
    const named = what.includes('host') ? front.otherHost(way) : way;
    const second = what.includes('keys') ? { ...named, HEDGE_API_KEY: SECOND_KEY } : named;
    const runs = await Promise.all([
      runBuilt(LINE, { env: front.way(home) }),
      runBuilt(LINE, { env: second }),
    ]);
    expect(runs.map(({ code, out }) => ({ code, out }))).toEqual(runs.map(({ out }) => ({ code: 0, out })));
    expect([served.acted('/hedges'), await served.openOn('buy')]).toEqual([1, 1_000]);
    for (const folder of new Set([home, other]))
      for (const { hedgeId, state } of actionsIn(journalAt(folder).read()))
        expect({ hedgeId: hedgeId !== undefined, state }).toEqual({ hedgeId: true, state: 'done' });
  });
});
