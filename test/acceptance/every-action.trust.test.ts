/**
 * The cases of every action, as one table over all of them: what happens on the way, the exit code, and what
 * the document says of the book. A new action gets every case by its line in support/each-action.ts.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionsIn } from '../journal/records.ts';
import { bookFor, EACH_ACTION, type EachAction } from '../support/each-action.ts';
import { type Front, frontOf, refusal } from '../support/front.ts';
import { journalAt } from '../support/kill-case.ts';
import { type ChangePath, type ServedBook, servedBook } from '../support/served-book.ts';
import { type Ran, testCli } from '../support/test-cli.ts';

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook();
});
afterAll(() => served.close());

interface Expected {
  code: number;
  outcome: string | null;
  effect: 'none' | 'pending' | 'unknown' | 'done';
  error: string | null;
  /** How often the service does it. */
  acted: number;
  /** Requests for it that reach the front. */
  sends?: number;
  /** What the journal says at last. */
  state?: string;
}

interface Case {
  what: string;
  options?: string;
  arrange?: (front: Front, action: EachAction) => unknown;
  expected: (action: EachAction) => Expected;
}

const isOpen = ({ name }: EachAction): boolean => name === 'open';
const injectFaults = (change: Parameters<ServedBook['desk']['service']['admin']['setFaults']>[0]) =>
  served.desk.service.admin.setFaults(change);

/** Meddles with the requests of the action alone: the n-th, from 1. */
const onSend =
  (
    answer: (
      n: number,
      pass: Parameters<Parameters<Front['meddle']>[0]>[1],
    ) => ReturnType<Parameters<Front['meddle']>[0]>,
  ) =>
  (front: Front, action: EachAction): void => {
    let sends = 0;
    front.meddle((line, pass) => (line === `POST ${action.path}` ? answer(++sends, pass) : pass()));
  };

const ended = (action: EachAction, sends = 1): Expected => ({
  code: 0,
  outcome: action.outcome,
  effect: 'done',
  error: null,
  acted: 1,
  sends,
  state: 'done',
});
const pending: Expected = {
  code: 8,
  outcome: 'pending',
  effect: 'pending',
  error: 'pending',
  acted: 1,
  sends: 1,
  state: 'accepted',
};
const unknown = (acted: number, sends: number): Expected => ({
  code: 7,
  outcome: 'unknown',
  effect: 'unknown',
  error: 'outcome_unknown',
  acted,
  sends,
  state: 'unknown',
});

const CASES: readonly Case[] = [
  { what: 'reaches its end', expected: (action) => ended(action) },
  {
    what: 'is accepted, and not waited for',
    options: '--no-wait',
    expected: () => ({
      code: 0,
      outcome: 'submitted',
      effect: 'pending',
      error: null,
      acted: 1,
      sends: 1,
      state: 'accepted',
    }),
  },
  {
    what: 'is pending at the time limit',
    options: '--timeout 5',
    arrange: () => injectFaults({ slow_fills_seconds: 3_600 }),
    expected: () => pending,
  },
  {
    what: 'fails, where the service shows it',
    options: '--timeout 5',
    arrange: () => injectFaults({ failing_orders: 1 }),
    expected: (action) =>
      isOpen(action)
        ? {
            code: 9,
            outcome: 'failed',
            effect: 'none',
            error: 'order_failed',
            acted: 1,
            sends: 1,
            state: 'failed',
          }
        : pending,
  },
  {
    what: 'is refused',
    arrange: onSend(async () => refusal(400, 'book_closed_for_audit')),
    expected: () => ({
      code: 3,
      outcome: 'refused',
      effect: 'none',
      error: 'book_closed_for_audit',
      acted: 0,
      sends: 1,
      state: 'refused',
    }),
  },
  {
    what: 'is not allowed to this key',
    arrange: onSend(async () => refusal(403, 'forbidden')),
    expected: () => ({
      code: 4,
      outcome: 'refused',
      effect: 'none',
      error: 'forbidden',
      acted: 0,
      sends: 1,
      state: 'refused',
    }),
  },
  ...[401, 403, 408, 425, 429, 499].map((status) => ({
    what: `is answered with ${status.toString()} by a gateway after it was done`,
    arrange: onSend(async (_n, pass) => {
      await pass();
      return { status, headers: { 'content-type': 'text/html' }, body: '<html>Gateway</html>' };
    }),
    expected: () => unknown(1, status === 429 ? 3 : 1),
  })),
  {
    what: 'is rate-limited once',
    arrange: onSend(async (n, pass) =>
      n === 1 ? refusal(429, 'rate_limited', { 'retry-after': '1' }) : pass(),
    ),
    expected: (action) => ended(action, 2),
  },
  {
    what: 'is rate-limited to the end',
    arrange: onSend(async () => refusal(429, 'rate_limited', { 'retry-after': '1' })),
    expected: () => ({
      code: 5,
      outcome: 'not_sent',
      effect: 'none',
      error: 'rate_limited',
      acted: 0,
      state: 'not_sent',
    }),
  },
  {
    what: 'meets a service that is unwell once',
    arrange: onSend(async (n, pass) => (n === 1 ? refusal(503, 'unwell') : pass())),
    expected: (action) => ended(action, 2),
  },
  {
    what: 'is in flight once, under its own key',
    arrange: onSend(async (n, pass) => (n === 1 ? refusal(409, 'idempotency_in_flight') : pass())),
    expected: (action) => ended(action, 2),
  },
  {
    what: 'loses its answer once, after the book acted',
    arrange: onSend(async (n, pass) => {
      const answer = await pass();
      return n === 1 ? 'cut' : answer;
    }),
    expected: (action) => ended(action, 2),
  },
  {
    what: 'loses every answer, before the book acted',
    arrange: onSend(async () => 'cut'),
    expected: () => unknown(0, 3),
  },
  {
    what: 'gets an answer that cannot be read, after the book acted',
    arrange: onSend(async (_, pass) => ({ ...(await pass()), body: '{"data":' })),
    expected: () => unknown(1, 3),
  },
  {
    what: 'is told of a redirect',
    arrange: onSend(async () => ({
      status: 307,
      headers: { location: 'https://elsewhere.example/' },
      body: '',
    })),
    expected: () => unknown(0, 1),
  },
  {
    what: 'runs while a colleague deals on the other side',
    arrange: onSend(async (_, pass) => {
      await served.colleague('/hedges', { side: 'sell', notional_usd: 700, tenor_days: 1 });
      return pass();
    }),
    expected: (action) => ended(action),
  },
];

interface Told {
  data: {
    action: string;
    action_id: string;
    outcome: string;
    effect: string;
    receipt: { idempotency_key: string };
  };
  error: { code: string; effect: string } | null;
  meta: { environment: string; command: string };
}

async function run(action: EachAction, { options = '', arrange }: Pick<Case, 'options' | 'arrange'>) {
  const cli = testCli();
  await bookFor(served, action);
  const front = await frontOf(served, cli.home);
  await arrange?.(front, action);
  const counted = { sends: 0 };
  front.watch((line) => {
    if (line === `POST ${action.path}`) counted.sends += 1;
  });
  const ran = await cli.run(`${action.line} --yes --json ${options}`, { env: front.way(cli.home) });
  return { ran, desk: cli, front, counted };
}

const told = (ran: Ran): Told => {
  expect(ran.out).toMatch(/^\{.*\}\n$/);
  const read: Told = JSON.parse(ran.out);
  return read;
};

describe.each(EACH_ACTION)('$name', (action) => {
  it.each(CASES)('$what', async (each) => {
    const { ran, desk, counted } = await run(action, each);
    const { data, error, meta } = told(ran);
    const expected = each.expected(action);
    const [entry, ...more] = actionsIn(journalAt(desk.home).read());
    expect({
      code: ran.code,
      outcome: data.outcome,
      effect: data.effect,
      error: error?.code ?? null,
      acted: served.acted(action.path),
      ...(expected.sends === undefined ? {} : { sends: counted.sends }),
      ...(expected.state === undefined ? {} : { state: entry?.state }),
    }).toEqual(expected);
    expect(error === null || error.effect === expected.effect).toBe(true);
    expect(more).toEqual([]);
    expect(data).toMatchObject({
      action: action.name,
      action_id: entry?.id,
      receipt: { idempotency_key: entry?.intent.idempotency_key },
    });
    expect(meta).toMatchObject({ environment: 'sandbox', command: action.name });
  });

  /** Whatever the refusal of a resend says, what the first send did stands. */
  it('is never called undone by a 4xx that comes after a lost response', async () => {
    const arrange = onSend(async (n, pass) => {
      if (n > 1) return refusal(400, 'book_closed_for_audit');
      await pass();
      return 'cut';
    });
    const { ran, desk } = await run(action, { arrange });
    const { data } = told(ran);
    expect(served.acted(action.path)).toBe(1);
    expect([ran.code, data.effect]).toSatisfy(
      ([code, effect]: [number, string]) =>
        (code === 7 && effect === 'unknown') || (code === 0 && effect === 'done'),
    );
    const [entry] = actionsIn(journalAt(desk.home).read());
    expect(['unknown', 'done']).toContain(entry?.state);
  });

  it('says on standard output that it is done, without --json, and only that', async () => {
    const cli = testCli();
    await bookFor(served, action);
    const ran = await cli.run(`${action.line} --yes`, { env: served.way(cli.home) });
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/^(FILLED|INCREASED|REDUCED|CLOSED) /m);
    expect(ran.err).toContain('SANDBOX');
  });
});

describe('a colleague who trades on the same side at the same moment', () => {
  const [, add, reduce, close] = EACH_ACTION;
  const between = (then: () => Promise<unknown>) =>
    onSend(async (_, pass) => {
      await then();
      return pass();
    });
  const post = (path: ChangePath, notional: number) => () =>
    served.colleague(path, { side: 'buy', notional_usd: notional });

  it.each([
    ['an add', add, post('/hedges/add', 300)],
    ['an add', add, post('/hedges/reduce', 300)],
    ['a reduction', reduce, post('/hedges/reduce', 300)],
    ['a reduction', reduce, post('/hedges/add', 300)],
  ] as const)(
    'makes %s that cannot be distinguished from theirs unknown, and does not claim it',
    async (_, action, then) => {
      if (action === undefined) throw new Error('no action');
      const { ran } = await run(action, { options: '--timeout 5', arrange: between(then) });
      const { data } = told(ran);
      expect([ran.code, data.effect]).toSatisfy(
        ([code, effect]: [number, string]) =>
          [7, 8].includes(code) && ['unknown', 'pending'].includes(effect),
      );
      expect(data.outcome).not.toBe('changed');
    },
  );

  it('has what they added closed with the side', async () => {
    if (close === undefined) throw new Error('no action');
    const { ran } = await run(close, { arrange: between(post('/hedges/add', 300)) });
    expect([ran.code, told(ran).data.outcome, await served.openOn('buy')]).toEqual([0, 'closed', 0]);
  });
});
