/** A history of more hedges than one page has: lists and sums say that they may lack some. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeHedges } from '../practice/support/large-book.ts';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';

/** Three quarters of them are in the live account. */
const HEDGES = 700;
const IN_LIVE = 525;
const PAGE = 500;

describe('hedge history of a large practice book', () => {
  it('history: answers the newest 500, and lists and sums say that there may be more', async () => {
    const home = temporaryFolder();
    const store = join(home, 'state', 'practice');
    mkdirSync(store, { recursive: true, mode: 0o700 });
    await placeHedges(store, HEDGES, Date.now());
    const env = { HEDGE_HOME: home };
    const advanced = await runHedge(['practice', 'advance', '8d', '--json'], { env });
    expect(JSON.parse(advanced.out).data.environments.live).toMatchObject({ event_count: IN_LIVE });

    const history = async (...options: readonly string[]) => {
      const ran = await runHedge(['--profile', 'practice-live', 'history', ...options], { env });
      expect(ran.code).toBe(0);
      return ran;
    };
    const listed = JSON.parse((await history('--json')).out);
    const references = listed.data.map((record: { client_reference: string }) => record.client_reference);
    const live = Array.from({ length: HEDGES }, (_, index) => index).filter((index) => index % 4 !== 3);
    expect(references).toEqual(
      live
        .toReversed()
        .slice(0, PAGE)
        .map((index) => `PLACED-${index}`),
    );
    expect(listed.meta).toMatchObject({
      count: PAGE,
      has_more: true,
      covers: { count: PAGE, maybe_truncated: true, to: listed.data[0].closed_at },
    });

    const summed = JSON.parse((await history('--by', 'day', '--json')).out);
    expect(summed).toMatchObject({
      data: { derived: { total: { count: PAGE } } },
      meta: { covers: { count: PAGE, maybe_truncated: true } },
    });
    const notes = /500 returned; the service may have more/;
    expect((await history()).out).toMatch(notes);
    for (const options of [['--by', 'day'], ['--chart']])
      expect((await history(...options)).out).toMatch(/These sums may be partial[^]*500 returned/);
    for (const options of [
      ['--csv'],
      ['--by', 'market', '--csv'],
      ['--by', 'day', '--query', 'data.derived.total.count'],
    ])
      expect((await history(...options)).err).toMatch(notes);

    const recent = await history('--since', '2d', '--by', 'side', '--json');
    expect(JSON.parse(recent.out).meta.covers).toMatchObject({ of: PAGE, maybe_truncated: false });
    expect((await history('--since', '2d', '--by', 'side')).out).not.toMatch(/partial|may have more/);
  });
});
