/** Two runs with one seed and a manual clock give the same responses, control requests included. */
import { describe, expect, it } from 'vitest';
import { IN_FULL } from '../support/goal.ts';
import { mixedRequests, type Seen, sendAll } from './support/mixed-requests.ts';
import { startPractice } from './support/practice-service.ts';

const REQUESTS = IN_FULL ? 1_000 : 400;

const start = (seed: number) =>
  startPractice({
    settings: null,
    seed: Math.floor(seed * 17),
    modes: { seed, clockMode: 'manual', memory: true, books: ['a'] },
  });

describe('two runs', () => {
  it(`repeatable: one seed gives the same status, headers and body over ${REQUESTS} requests to both APIs`, async () => {
    const all = mixedRequests(REQUESTS);
    const [first, second] = [await sendAll(await start(7), all), await sendAll(await start(7), all)];
    expect(second).toEqual(first);
    const statuses = [...new Set(first.map(({ status }) => status))];
    expect(statuses).toEqual(expect.arrayContaining([0, 200, 201, 400, 404, 405, 503]));
    expect(
      statuses.filter((status) => ![0, 200, 201, 400, 404, 405, 409, 429, 503].includes(status)),
    ).toEqual([]);
    expect(first.filter(({ status }) => status === 201).length).toBeGreaterThan(REQUESTS / 40);
    expect(new Set(first.map(({ headers }) => headers['date'])).size).toBeGreaterThan(REQUESTS / 20);
    expect(first.every(({ status, headers }) => status === 0 || headers['date'] !== undefined)).toBe(true);
  });

  it('repeatable: another seed gives other IDs', async () => {
    const all = mixedRequests(120);
    const ids = (seen: readonly Seen[]) => seen.flatMap(({ text }) => text.match(/hdg_\w+/g) ?? []);
    const first = ids(await sendAll(await start(7), all));
    const second = ids(await sendAll(await start(8), all));
    expect(first.length).toBeGreaterThan(3);
    expect(second.filter((id) => first.includes(id))).toEqual([]);
  });
});
