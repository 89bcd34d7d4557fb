/**
 * A practice service behind a front with rules of its own for idempotency keys: how long they live, whether a rejection
 * is kept under one, and how far the lists of hedges are behind. Each machine has a home of its own, or a copy of
 * another's. One clock for all of them; what is open in truth is read past the front.
 */
import { cpSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { frontOf, type Passed, refusal } from './front.ts';
import { movingClock } from './moving-clock.ts';
import { temporaryFolder } from './own-folder.ts';
import { servedBook, WITHOUT_LIMIT } from './served-book.ts';
import { type TestCli, testCli } from './test-cli.ts';

export interface KeyRules {
  /** A rejection is repeated under its key, or the request is judged again. */
  rejections: 'kept' | 'forgotten';
  /** Of a key, from its first answer. */
  lifeMs: number;
  /** A hedge is listed so much later; by its ID it is always read. */
  lagMs: number;
}

interface Listed {
  id: string;
  client_reference: string | null;
  status: string;
  notional_usd: number;
}

const OPEN = 'POST /hedges';

/** Closed when the running test ends. */
export async function keyedService() {
  const clock = movingClock();
  const served = await servedBook({ fill_seconds: { min: 1.5, max: 4 }, ...WITHOUT_LIMIT }, clock);
  onTestFinished(() => served.close());
  const folder = temporaryFolder();
  const front = await frontOf(served, folder);
  let rules: KeyRules = { rejections: 'kept', lifeMs: Number.POSITIVE_INFINITY, lagMs: 0 };
  let rejects: { code: string; status: number } | undefined;
  let hook: { at: number; run: () => Promise<unknown> } | undefined;
  let generation = 0;
  let rate = 1;
  let posts: string[] = [];
  const kept = new Map<string, { since: number; body: string; answer: Passed }>();
  const acceptedAt = new Map<string, number>();

  const all = async (): Promise<readonly Listed[]> =>
    (await served.desk.get('/hedges?limit=500', { as: 'test' })).body.data;

  front.meddle(async (line, pass, headers, sent) => {
    if (line.startsWith('GET /hedges?')) return listed(await pass());
    if (line === 'POST /quotes') return priced(await pass());
    if (line !== OPEN) return pass();
    const key = String(headers['idempotency-key']);
    posts.push(key);
    const due = hook;
    if (due !== undefined && posts.length === due.at) {
      hook = undefined;
      await due.run();
    }
    const known = kept.get(key);
    if (known !== undefined && clock.now() - known.since < rules.lifeMs)
      return known.body === sent ? known.answer : refusal(409, 'idempotency_key_reuse');
    const keep = (answer: Passed): Passed => {
      kept.set(key, { since: clock.now(), body: sent, answer });
      return answer;
    };
    if (rejects !== undefined) {
      const answer = refusal(rejects.status, rejects.code);
      return rules.rejections === 'kept' ? keep(answer) : answer;
    }
    // Practice keeps its own answers for a day: a key that is over is another one there.
    generation += 1;
    const answer = await pass({ ...headers, 'idempotency-key': `${key}-${generation.toString()}` });
    if (answer.status >= 300) return answer;
    acceptedAt.set(JSON.parse(answer.body).data.hedge_id, clock.now());
    return keep(answer);
  });

  /** Newest first, as the list was so long ago. */
  function listed(answer: Passed): Passed {
    const document: { data: readonly Listed[] } = JSON.parse(answer.body);
    const from = clock.now() - rules.lagMs;
    const data = document.data.filter(({ id }) => (acceptedAt.get(id) ?? 0) <= from);
    return { ...answer, body: JSON.stringify({ ...document, data }) };
  }

  const priced = (answer: Passed): Passed => {
    if (rate === 1 || answer.status >= 300) return answer;
    const document = JSON.parse(answer.body);
    for (const name of ['market_price', 'execution_price']) document.data.pricing[name] *= rate;
    return { ...answer, body: JSON.stringify(document) };
  };

  const machineAt = (home: string): TestCli =>
    testCli({ home, clock, env: { ...front.way(home), HEDGE_HOME: home } });
  return {
    clock,
    served,
    /** With a journal of its own. */
    machine: (): TestCli => machineAt(temporaryFolder()),
    /** With the journal as it is now. */
    copyOf({ home }: TestCli): TestCli {
      const copy = temporaryFolder();
      cpSync(home, copy, { recursive: true });
      return machineAt(copy);
    },
    /** New opens are rejected with this code; undefined: they are accepted again. */
    reject(code: string | undefined, status = 400) {
      rejects = code === undefined ? undefined : { code, status };
    },
    /** Quotes have so many times the rate of practice. */
    moveRate(times: number) {
      rate = times;
    },
    failOrders: (share: 0 | 1) => served.desk.service.admin.setFaults({ failing_orders: share }),
    /** Runs while the open of this number, from 1, is on its way to the service. */
    during(open: number, run: () => Promise<unknown>) {
      hook = { at: open, run };
    },
    /** The keys of the opens as they arrived. */
    posts: () => posts,
    /** Hedges under a deal ID whose order has not failed, in truth. */
    opened: async (dealId: string): Promise<readonly string[]> =>
      (await all())
        .filter((each) => each.client_reference === dealId && each.status !== 'failed')
        .map(({ id }) => id),
    async begin(next: KeyRules) {
      rules = next;
      rejects = undefined;
      hook = undefined;
      posts = [];
      kept.clear();
      acceptedAt.clear();
      await served.reset();
    },
  };
}
