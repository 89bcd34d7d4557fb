/**
 * R7: many processes at once against one service that is unwell: few requests, none in step, an end in time; and what
 * one of them is told of slowing down, all heed.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTEMPT_MS } from '../../src/client/transport/send.ts';
import { isExecutable } from '../support/built.ts';
import { wayTo } from '../support/cli-for.ts';
import {
  againstArrivals,
  againstRuns,
  againstSteps,
  againstWord,
  type Crowd,
  type CrowdRun,
  crowd,
  type Told,
} from '../support/crowd/crowd.ts';
import {
  type Arrival,
  type Illness,
  type Ills,
  slowDown,
  type UnwellService,
  unwell,
  unwellService,
} from '../support/crowd/unwell-service.ts';
import { expectHeld, howMany, SOAKING } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const SIZE = howMany(12, 100);
/** Where half a minute must pass: how many times faster it does. A slow machine is as many times slower. */
const TIMES = SOAKING ? 1 : 3;
const LONG_MS = 240_000;
/** Time for a whole call; and what R7 gives on top of it. */
const CALL_MS = 30_000;
const ON_TOP_MS = 1_000;

const GOAL = 'R7 many processes at once';
const READING = 'GET /hedges';
const OPENING = 'POST /hedges';
const MOST_READINGS = 4;
const MOST_SENDS = 3;

let service: UnwellService;
/** Always well: a process that asks it takes as long as this machine makes it. */
let calm: UnwellService;
const closing: (() => void)[] = [];

interface Place {
  env: (n: number) => Readonly<Record<string, string>>;
  home: string;
}

/** All of them the same user. */
function together(finished?: (then: () => void) => void, at = service): Place {
  const home = temporaryFolder(finished);
  const env = { ...wayTo(at, home), HEDGE_HOME: home };
  return { home, env: () => env };
}

/** Each with nothing that it could share with another. */
function apart(finished?: (then: () => void) => void, at = service): Place {
  const home = temporaryFolder(finished);
  const way = wayTo(at, home);
  return { home, env: (n) => ({ ...way, HEDGE_HOME: join(home, n.toString()) }) };
}

type Some = Partial<Crowd> & { place: Place };

const reading = ({ place, ...more }: Some): Promise<readonly CrowdRun[]> =>
  crowd({ size: SIZE, words: (n) => `hedges --deal-id R-${n.toString()} --json`, env: place.env, ...more });

const OPEN = 'open USDTNGN buy 10000 --tenor 3 --yes --json';

const opening = ({ place, ...more }: Some): Promise<readonly CrowdRun[]> =>
  crowd({
    size: SIZE,
    words: (n) => `${OPEN} --deal-id P-${n.toString()} --timeout 2`,
    env: place.env,
    ...more,
  });

const WELL: Illness = { how: 'well' };
const always =
  (illness: Illness): Ills =>
  () =>
    illness;
/** Readings are well. */
const toOpens =
  (illness: Illness): Ills =>
  ({ line }) =>
    line === OPENING ? illness : WELL;

/** A limit in milliseconds of a process, on this machine at that time. */
type Within = (limitMs: number, times?: number) => number;

const longestOf = (runs: readonly CrowdRun[]): number => {
  if (againstRuns(runs, { codes: [0], withinMs: LONG_MS }).length > 0) throw new Error('the calm is none');
  return Math.max(...runs.map(({ ms }) => ms));
};

/**
 * What this machine adds to a limit: twice what as many opens took before at the service that is well, and three times the
 * longest of those that ask there meanwhile, one after another; 5 s are for what one in a hundred meets.
 */
async function timed<Runs>(running: Promise<Runs>): Promise<{ ran: Runs; withinMs: Within }> {
  const crowdEnded = new AbortController();
  const ended = running.finally(() => crowdEnded.abort());
  const measure = async (): Promise<number> => {
    let addedMs = 0;
    while (!crowdEnded.signal.aborted)
      addedMs = Math.max(addedMs, longestOf(await reading({ place: calmPlace, size: 1 })));
    return addedMs;
  };
  const [ran, addedMs] = await Promise.all([ended, measure()]);
  const machineMs = 2 * calmCrowdMs + 3 * addedMs + 5_000;
  return { ran, withinMs: (limitMs, times = 1) => limitMs / times + ON_TOP_MS + machineMs };
}

let calmCrowdMs = 0;
let calmPlace: Place;

beforeAll(async () => {
  service = await unwellService();
  calm = await unwellService();
  calm.begin(always(WELL));
  const finished = (then: () => void): number => closing.push(then);
  calmPlace = together(finished, calm);
  calmCrowdMs = longestOf(await opening({ place: apart(finished, calm), words: () => `${OPEN} --no-wait` }));
});
afterAll(async () => {
  await service.close();
  await calm.close();
  for (const close of closing) close();
});

describe.skipIf(isExecutable)('many processes at once', () => {
  const windowsMs = [500, 1_000, 2_000];

  it('ask a service that answers 503 four times each, not in step, and end in time', async () => {
    service.begin(always(unwell));
    const { ran: runs, withinMs } = await timed(reading({ place: together() }));
    const wrong = [
      ...againstRuns(runs, { codes: [5], withinMs: withinMs(4_000) }),
      ...againstArrivals(service.arrivals, { line: READING, mostEach: MOST_READINGS }),
      ...againstSteps(service.arrivals, { line: READING, windowsMs }),
    ];
    expectHeld(GOAL, { runs: runs.length, wrong });
  });

  it('open at a service that answers 503 three times each, under one key, not in step', async () => {
    service.begin(toOpens(unwell));
    const { ran: runs, withinMs } = await timed(opening({ place: apart() }));
    const wrong = [
      ...againstRuns(runs, { codes: [7], withinMs: withinMs(4_000) }),
      ...againstArrivals(service.arrivals, { line: OPENING, mostEach: MOST_SENDS }),
      ...againstSteps(service.arrivals, { line: OPENING, windowsMs: windowsMs.slice(0, 2) }),
    ];
    expectHeld(GOAL, { runs: runs.length, wrong });
  });

  it.each<[string, Illness]>([
    ['never answers', { how: 'silent' }],
    ['drips', { how: 'drip' }],
  ])('end in time where the service %s', async (_, illness) => {
    service.begin(({ line, who = '' }) => (line === OPENING || who.startsWith('R-') ? illness : WELL));
    const half = { size: SIZE / 2, times: TIMES };
    const crowds = [reading({ place: together(), ...half }), opening({ place: apart(), ...half })] as const;
    const {
      ran: [read, opened],
      withinMs,
    } = await timed(Promise.all(crowds));
    const wrong = [
      ...againstRuns(read, { codes: [5], withinMs: withinMs(CALL_MS, TIMES) }),
      ...againstRuns(opened, { codes: [7], withinMs: withinMs(CALL_MS, TIMES) }),
      ...againstArrivals(service.arrivals, { line: READING, mostEach: MOST_READINGS }),
      ...againstArrivals(service.arrivals, { line: OPENING, mostEach: MOST_SENDS }),
    ];
    expectHeld(GOAL, { runs: read.length + opened.length, wrong });
  });

  it('end their waiting at --timeout where no reading is answered any more', async () => {
    service.begin(({ line }) => (line.startsWith('GET /hedges/') ? { how: 'silent' } : WELL));
    const { ran: runs, withinMs } = await timed(opening({ place: apart() }));
    const wrong = againstRuns(runs, { codes: [8], withinMs: withinMs(2_000) });
    expectHeld(GOAL, { runs: runs.length, wrong });
  });

  it('ask a slow service once each', async () => {
    service.begin(always({ how: 'late', ms: 2_000 }));
    const startedAt = performance.now();
    const { ran: runs, withinMs } = await timed(reading({ place: together() }));
    // On a machine where starting them takes as long as an attempt may, one is given up before it is answered.
    const soon = service.arrivals.filter(({ at }) => at < startedAt + ATTEMPT_MS);
    const wrong = [
      ...againstRuns(runs, { codes: [0], withinMs: withinMs(ATTEMPT_MS + 2_000) }),
      ...againstArrivals(soon, { line: READING, mostEach: 1 }),
    ];
    expectHeld(GOAL, { runs: runs.length, wrong });
  });
});

interface AfterOne {
  runs: readonly CrowdRun[];
  arrivals: readonly Arrival[];
  /** What the first was told. */
  told: Told;
}

/**
 * One is rate limit reached for so many seconds, or for none in particular. Once it has kept that, all others begin.
 * `then`: from then on.
 */
async function afterOne(seconds: number | undefined, others: Some, then: Illness = WELL): Promise<AfterOne> {
  service.begin((_, earlier) => (earlier.length === 0 ? slowDown(seconds) : then));
  const first = reading({ ...others, size: 1, words: () => 'hedges --deal-id FIRST --json' });
  const kept = join(others.place.env(0)['HEDGE_HOME'] ?? '', 'cache', 'slow-down');
  const isKept = (): boolean => existsSync(kept) && readdirSync(kept).length > 0;
  await expect.poll(isKept, { interval: 5 }).toBe(true);
  const [{ answeredAt: from = 0 } = {}] = service.arrivals;
  const runs = (await Promise.all([first, reading(others)])).flat();
  return { runs, arrivals: [...service.arrivals], told: { from, until: from + 1_000 * (seconds ?? 1) } };
}

const ROUND_S = 2;
/**
 * When the wait is over, the first requests get a 429 again and record it for the others. Requests sent before they
 * read the record are a fifth: they are spread over a second, and a busy machine is late to record.
 */
const mostAsked = (size: number): number => (Math.max(5, size / 5) * CALL_MS) / (1_000 * ROUND_S);

describe.skipIf(isExecutable)('a rate limit that one process records', () => {
  it.each([
    ['for a time', howMany(3, 20)],
    ['for no time in particular', undefined],
  ])('%s, every other one heeds', async (_, seconds) => {
    const place = together();
    const { ran, withinMs } = await timed(afterOne(seconds, { place }));
    const { runs, arrivals, told } = ran;
    const wrong = [
      ...againstRuns(runs, { codes: [0], withinMs: withinMs(CALL_MS) }),
      ...againstWord(arrivals, told),
    ];
    const folder = join(place.home, 'cache', 'slow-down');
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    if (sizes.length !== 1 || sizes.some((size) => size > 300)) wrong.push(`kept: ${sizes.join(', ')} bytes`);
    expectHeld(`${GOAL}, one rate limit reached`, { runs: runs.length, wrong });
  });

  it('for longer than a call lasts, every other process knows at once, and asks for nothing', async () => {
    const place = together();
    const { ran, withinMs } = await timed(afterOne(50, { place }));
    const { runs, arrivals } = ran;
    const wrong = [
      ...againstRuns(runs, { codes: [5], withinMs: withinMs(0) }),
      ...(arrivals.length === 1 ? [] : [`${arrivals.length.toString()} requests came`]),
      ...runs
        .slice(1)
        .flatMap(({ out }) =>
          /"held_back_until":"20\S+Z"/.test(out) ? [] : [`not told until when: ${out}`],
        ),
    ];
    expectHeld(`${GOAL}, one rate limit reached`, { runs: runs.length, wrong });
  });

  it('again and again, they ask about as often as one of them would', async () => {
    const others = { place: together(), times: TIMES };
    const { ran, withinMs } = await timed(afterOne(ROUND_S, others, slowDown(ROUND_S)));
    const { runs, arrivals } = ran;
    const wrong = [
      ...againstRuns(runs, { codes: [5], withinMs: withinMs(CALL_MS, TIMES) }),
      ...(arrivals.length <= mostAsked(SIZE) ? [] : [`they asked ${arrivals.length.toString()} times`]),
    ];
    expectHeld(`${GOAL}, one rate limit reached`, { runs: runs.length, wrong });
  });
});

describe.skipIf(isExecutable)('the judge of many processes', () => {
  const few = 12;

  it('catches retries without jitter', async () => {
    service.begin(always(unwell));
    await reading({ place: together(), size: few, seed: 'none' });
    const found = againstSteps(service.arrivals, { line: READING, windowsMs: [500, 1_000, 2_000] });
    expect(found.join()).toMatch(/in step/);
  });

  it('catches processes that share no memory', async () => {
    const alone = await afterOne(50, { place: apart(), size: few });
    expect(againstWord(alone.arrivals, alone.told).join()).toMatch(/came while all were to slow down/);
    const place = apart();
    const size = 2 * few;
    const stubborn = await afterOne(ROUND_S, { place, size, times: 2 }, slowDown(ROUND_S));
    expect(stubborn.arrivals.length).toBeGreaterThan(mostAsked(size));
  });

  it('catches one request too many, another key, a late end and an undocumented one', () => {
    const sent = (who: string, idempotencyKey: string): Arrival => ({
      at: 0,
      line: OPENING,
      who,
      idempotencyKey,
      answeredAt: 1,
      status: 503,
    });
    const three = ['a', 'a', 'a'].map((key) => sent('R-1', key));
    const of = { line: OPENING, mostEach: MOST_SENDS };
    expect(againstArrivals(three, of)).toEqual([]);
    expect(againstArrivals([...three, sent('R-1', 'a')], of)).toHaveLength(1);
    expect(againstArrivals([sent('R-1', 'a'), sent('R-1', 'b')], of)).toHaveLength(1);
    const ran = { code: 5, signal: null, out: '', err: '', ms: 900 };
    const must = { codes: [5], withinMs: 1_000 };
    expect(againstRuns([ran], must)).toEqual([]);
    expect(againstRuns([{ ...ran, ms: 1_001 }], must)).toHaveLength(1);
    expect(againstRuns([{ ...ran, code: 1 }], must)).toHaveLength(1);
    expect(againstRuns([{ ...ran, code: null, signal: 'SIGKILL' }], must)).toHaveLength(1);
  });
});
