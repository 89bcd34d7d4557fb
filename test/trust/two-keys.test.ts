/**
 * R16: two processes with two API keys of one account, or by two host names of its service, on one machine or two,
 * deal one deal ID at once while lists are slow, answers are lost, orders fail and keys are replaced: one hedge.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionsIn } from '../journal/records.ts';
import { type Front, frontOf } from '../support/front.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { journalAt } from '../support/kill-case.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { type Ran, type TestCli, testCli } from '../support/test-cli.ts';

const RUNS = howMany(10, 150);
const FIRST = 'hk_test_forTestsAlone0001';
const SECOND = 'hk_test_forTestsAlone0002';

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook(WITHOUT_LIMIT);
});
afterAll(() => served.close());

const OPEN = 'open USDTNGN buy 1000 -t 3 --deal-id PAY-1 --yes';
const LINES = [
  `${OPEN} --ensure`,
  `${OPEN} --ensure`,
  `${OPEN} --ensure --retry-failed`,
  OPEN,
  'resume PAY-1 --yes --resend',
  'check',
] as const;

/** One who deals: what leads to the service, what is typed first, and the lines that follow. */
interface Dealer {
  desk: TestCli;
  env: Readonly<Record<string, string>>;
  before: readonly { words: readonly string[]; stdin: string }[];
  lines: readonly string[];
}

type Draw = ReturnType<typeof drawing>;

function drawing(seed: number) {
  const { fraction } = seededRandom(seed);
  return {
    below: (count: number): number => Math.floor(fraction() * count),
    chance: (share: number): boolean => fraction() < share,
    one: <T>(of: readonly [T, ...T[]]): T => of[Math.floor(fraction() * of.length)] ?? of[0],
  };
}

/** Requests wait for their turns, before the service sees them and after, lists the longest; some answers are lost. */
function unrest(front: Front, { below, chance }: Draw): void {
  const turns = async (most: number): Promise<void> => {
    for (let left = below(most); left > 0; left -= 1) await turn();
  };
  front.meddle(async (line, pass) => {
    const isList = line.startsWith('GET /hedges?');
    const isSent = line.startsWith('POST /hedges');
    await turns(isList ? 50 : 10);
    if (isSent && chance(0.15)) return 'cut';
    const answer = await pass();
    await turns(isList ? 400 : 50);
    return isSent && chance(0.2) ? 'cut' : answer;
  });
}

/** Two dealers of one account; they differ in their API keys, in the host name, or in both. */
async function twoDealers(front: Front, draw: Draw): Promise<readonly [Dealer, Dealer]> {
  const { below, chance, one } = draw;
  const home = temporaryFolder();
  const homes = [home, chance(0.5) ? home : temporaryFolder()] as const;
  const differ = one(['keys', 'hosts', 'both']);
  const label = chance(0.5) ? 'main' : undefined;
  const named = one(['by the environment', 'by profiles', 'by a profile whose key is replaced']);
  const dealer = async (at: 0 | 1): Promise<Dealer> => {
    const cli = testCli({ home: homes[at] });
    const way = front.way(homes[at]);
    const { HEDGE_CA_FILE = '', HEDGE_BASE_URL: address = '' } =
      at === 1 && differ !== 'keys' ? front.otherHost(way) : way;
    const key = at === 1 && differ !== 'hosts' ? SECOND : FIRST;
    const lines = Array.from({ length: 1 + below(3) }, () => one(LINES));
    if (named === 'by the environment') {
      const account: Record<string, string> = label === undefined ? {} : { HEDGE_ACCOUNT: label };
      const env = { HEDGE_CA_FILE, HEDGE_BASE_URL: address, HEDGE_API_KEY: key, ...account };
      return { desk: cli, env, before: [], lines };
    }
    const replaces = named === 'by a profile whose key is replaced';
    // Two keys in two profiles of one machine have to have a label; one that is replaced may.
    const account = replaces ? (label ?? []) : 'main';
    const name = replaces ? `host-${at === 1 && differ !== 'keys' ? 2 : 1}` : `desk-${at}`;
    const words = ['profile', 'add', name, '--base-url', address, '--key-stdin'];
    // Where both deal under one profile of one machine, the second finds it there.
    await cli.run([...words, ...(account === 'main' ? ['--account', account] : [])], {
      env: { HEDGE_CA_FILE },
      stdin: replaces ? FIRST : key,
    });
    const replacing = { words: ['profile', 'set', name, '--key-stdin'], stdin: key };
    return {
      desk: cli,
      env: { HEDGE_CA_FILE, HEDGE_PROFILE: name },
      before: replaces && key !== FIRST ? [replacing] : [],
      lines,
    };
  };
  return [await dealer(0), await dealer(1)];
}

async function deal({ desk, env, before, lines }: Dealer): Promise<readonly Ran[]> {
  const runs: Ran[] = [];
  for (const { words, stdin } of before) runs.push(await desk.run([...words, '--json'], { env, stdin }));
  for (const line of lines) runs.push(await desk.run(`${line} --timeout 20 --json`, { env }));
  return runs;
}

/** What must never be and was. */
async function wrongIn(runs: readonly Ran[], homes: readonly string[]): Promise<readonly string[]> {
  const { body } = await served.desk.get('/hedges?client_reference=PAY-1', { as: 'test' });
  const hedges: { id: string; status: string }[] = body.data;
  const standing = hedges.filter(({ status }) => status !== 'failed');
  const said = (): string => runs.map(({ code, out }) => `${code} ${out}`).join('');
  const invented = homes
    .flatMap((home) => actionsIn(journalAt(home).read()))
    .filter(({ state, hedgeId }) => state === 'done' && !hedges.some(({ id }) => id === hedgeId));
  return [
    ...(standing.length > 1 ? [`${standing.length} hedges under one deal ID:\n${said()}`] : []),
    ...invented.map(({ id }) => `action ${id} is done, and the service has no such hedge:\n${said()}`),
    ...runs.filter(({ code }) => code === 1).map(({ out, err }) => `a fault: ${out} ${err}`),
  ];
}

describe('two API keys or two host names of one account', () => {
  it('open one deal ID once, however they meet', async () => {
    const keys = { [FIRST]: served.desk.service.keys.test, [SECOND]: served.desk.service.keys.test };
    const front = await frontOf(served, temporaryFolder(), keys);
    const wrong: string[] = [];
    let dealt = 0;
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const draw = drawing(seed);
      await served.reset();
      front.meddle((_, pass) => pass());
      const both = await twoDealers(front, draw);
      if (draw.chance(0.4)) await served.desk.service.admin.setFaults({ failing_orders: 0.5 });
      unrest(front, draw);
      const runs = (await Promise.all(both.map(deal))).flat();
      const found = await wrongIn(runs, [...new Set(both.map(({ desk }) => desk.home))]);
      wrong.push(...found.map((each) => `seed ${seed}: ${each}`));
      dealt += served.acted('/hedges');
    }
    expect(dealt).toBeGreaterThan(RUNS / 2);
    expectHeld('R16 two keys of one account', { runs: RUNS, wrong });
  });
});
