/** Several processes trade on one store, some of them killed: the book stays consistent. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { howMany } from '../support/goal.ts';
import { type AcceptedOpen, expectBalanced, expectOpensInBook } from './support/book-checks.ts';
import { startPractice, storeFolder, testClock } from './support/practice-service.ts';

const TRADER = fileURLToPath(new URL('support/trader.mjs', import.meta.url));
const BUILT = fileURLToPath(new URL('../../dist/practice/index.js', import.meta.url));
const KILLS = howMany(6, 60);

interface Asked {
  method: string;
  path: string;
  as: 'live' | 'test';
  key?: string;
  body?: Record<string, unknown>;
}
interface Answered {
  asked: Asked;
  status: number;
  code: string | null;
  data: Record<string, unknown> | null;
  ms: number;
}
interface Trader {
  child: ChildProcess;
  sent: Asked[];
  answers: Answered[];
  ended: Promise<{ code: number | null; stderr: string }>;
}

const settings = {
  rate_limit: { burst: 1_000_000, per_second: 1_000_000 },
  fill_seconds: { min: 0.05, max: 0.3 },
};

function startTrader(store: string, seed: number, requests: number): Trader {
  const child = spawn(
    process.execPath,
    [TRADER, store, String(seed), String(requests), JSON.stringify(settings)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const sent: Asked[] = [];
  const answers: Answered[] = [];
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: { sending?: Asked; answered?: Answered } = JSON.parse(line);
    if (message.sending !== undefined) sent.push(message.sending);
    if (message.answered !== undefined) answers.push(message.answered);
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stderr }));
  });
  return { child, sent, answers, ended };
}

const opensOf = (answers: readonly Answered[]): readonly AcceptedOpen[] =>
  answers.flatMap(({ asked, status, data }) =>
    asked.path === '/hedges' && status === 201
      ? [{ as: asked.as, key: String(asked.key), hedgeId: data?.['hedge_id'] }]
      : [],
  );

beforeAll(() => {
  if (!existsSync(BUILT)) throw new Error('These tests run the built program: npm run build first.');
});

describe('four processes over one store', () => {
  it('four processes: trade on one store without failures, long waits or losses', async () => {
    const store = await storeFolder();
    // The store is empty: they also create it at the same time.
    const four = [1, 2, 3, 4].map((seed) => startTrader(store, seed, 250));
    for (const { ended } of four) expect(await ended).toEqual({ code: 0, stderr: '' });
    const answers = four.flatMap((trader) => trader.answers);
    expect(answers).toHaveLength(1_000);
    expect(answers.filter(({ status }) => status >= 500 || status === 429)).toEqual([]);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(20_000);
    const kinds = new Set(
      answers.filter(({ status }) => status < 300).map(({ asked }) => asked.path.split('?')[0]),
    );
    for (const path of ['/hedges', '/hedges/add', '/hedges/reduce', '/hedges/close'])
      expect(kinds).toContain(path);
    const practice = await startPractice({ store, clock: testClock(Date.now()), settings });
    await expectOpensInBook(practice, opensOf(answers));
    await expectBalanced(practice);
  });
});

describe('kill -9 in the middle of requests', () => {
  it('kill -9: keeps the book consistent and every action with a response, and a resend executes at most once', async () => {
    const store = await storeFolder();
    const answers: Answered[] = [];
    const inDoubt: Asked[] = [];
    for (let round = 1; round <= KILLS; round += 1) {
      const two = [round * 2, round * 2 + 1].map((seed) => startTrader(store, seed * 100, 100_000));
      // Kills after a different number of responses in each round.
      await expect
        .poll(() => Math.min(...two.map((trader) => trader.answers.length)), {
          interval: 1,
        })
        .toBeGreaterThan(7 * round);
      for (const { child } of two) child.kill('SIGKILL');
      for (const trader of two) {
        expect((await trader.ended).stderr).toBe('');
        answers.push(...trader.answers);
        const [last] = trader.sent.slice(trader.answers.length);
        if (last?.key !== undefined) inDoubt.push(last);
      }
    }
    const practice = await startPractice({ store, clock: testClock(Date.now()), settings });
    await expectOpensInBook(practice, opensOf(answers));
    for (const { path, as, key, body } of [...inDoubt, ...inDoubt]) {
      const reply = await practice.post(path, body, { as, ...(key === undefined ? {} : { key }) });
      expect([200, 201, 400, 404]).toContain(reply.status);
      if (path === '/hedges' && reply.status === 201) {
        const found = (await practice.get(`/hedges?client_reference=${String(key)}`, { as })).body.data;
        expect(found.map((hedge: { id: string }) => hedge.id)).toEqual([reply.body.data.hedge_id]);
      }
    }
    for (const { asked, status, data } of answers) {
      if (asked.method !== 'POST' || status >= 300) continue;
      const { path, as, key = '', body } = asked;
      const again = await practice.post(path, body, { as, key });
      expect({ status: again.status, data: again.body.data }).toEqual({ status, data });
      expect(again.headers['idempotency-replayed']).toBe('true');
    }
    await expectBalanced(practice);
  });
});
