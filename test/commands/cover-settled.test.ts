/** `hedge cover` on later days: hedges that settled or were closed early, rolls and actions that are not finished. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApiKey } from '../../src/domain/api-key.ts';
import { type AccountIdentity, serviceIdentity } from '../../src/journal/account-identity.ts';
import type { IntentRecord, JournalRecord } from '../../src/journal/records.ts';
import { actionAt, anIntent, aRoll, step } from '../journal/records.ts';
import { aHedge, aMarket, anAccount, aPosition, type Body, unspecified } from '../spec/bodies.ts';
import { cliFor, SANDBOX_KEY } from '../support/cli-for.ts';
import { readCsv } from '../support/csv.ts';
import { aDesk } from '../support/deals-desk.ts';
import { dayIn } from '../support/exposure-files.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { priced, pricedService } from '../support/priced-service.ts';
import { ON_A_TERMINAL } from '../support/test-cli.ts';
import { writeJournal } from '../support/written-journal.ts';

type Outcome = Extract<JournalRecord, { kind: 'outcome' }>;
const SENDING = step({ kind: 'sending', attempt: 1 });
const UNKNOWN = step({ kind: 'unknown', why: 'reset' });

/** Wednesday evening. */
const NOW = new Date('2026-12-23T20:00:00Z');
/** 10,000 × 1,516.25 = 15,162,500 naira, due tomorrow. */
const EXPOSURES = 'id,due,ngn,direction,certainty\nINV-1,2026-12-24,"15,162,500.00",receive,firm\n';
const POLICY = {
  buckets: [{ from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 }],
  before_days: 1,
  after_days: 1,
  forecast_weight_pct: 50,
};
/** Settled today at noon: 8,000 × 1,516.25 = 12,130,000 naira, 80 %. */
const SETTLED = aHedge({
  id: 'hdg_settled',
  status: 'closed',
  client_reference: undefined,
  notional_usd: 8000,
  struck_rate: 1516.25,
  tenor_days: 1,
  opened_at: '2026-12-22T12:00:00Z',
  maturity_at: '2026-12-23T12:00:00Z',
});

interface Book {
  hedges?: readonly Body[];
  positions?: readonly Body[];
  records?: readonly Body[];
  exposures?: string;
  date?: Date;
}

/** A cover whose book may change between two runs. */
async function coverOf(first: Book = {}, files: { exposures?: string; policy?: Body } = {}) {
  let book = first;
  const service = await pricedService(
    {
      'GET /markets': () => ({ data: [aMarket({ price: 1500 })] }),
      'GET /account': () => ({ data: anAccount() }),
      'GET /positions': () => ({ data: book.positions ?? [] }),
      'GET /hedges?limit=500': () => ({ data: book.hedges ?? [] }),
      'GET /hedges?limit=1': () => ({ data: book.hedges ?? [] }),
      ...Object.fromEntries(
        ['closed', 'filled', 'submitted', 'submitting'].map((each) => [
          `GET /hedges?status=${each}&limit=500`,
          () => ({ data: (book.hedges ?? []).filter(({ status }) => status === each) }),
        ]),
      ),
      'GET /hedges/history': () => ({ data: book.records ?? [] }),
      'POST /quotes': ({ body }) => ({ data: priced(body) }),
    },
    { date: NOW },
  );
  const cli = cliFor(service);
  const folder = temporaryFolder();
  const paths = [join(folder, 'exposures.csv'), join(folder, 'policy.json')] as const;
  writeFileSync(paths[0], files.exposures ?? EXPOSURES);
  writeFileSync(paths[1], JSON.stringify(files.policy ?? POLICY));
  const words = ['cover', paths[0], '--policy', paths[1]];
  const { fingerprint: keyFingerprint } = ApiKey.of(SANDBOX_KEY);
  return {
    cli,
    identity: serviceIdentity('sandbox', { baseUrl: service.url, keyFingerprint }),
    journal: (records: readonly JournalRecord[]) => writeJournal(cli.home, records),
    becomes(next: Book) {
      book = next;
    },
    async run() {
      const ran = await cli.run([...words, '--json']);
      return { code: ran.code, ...Object(ran.document()) };
    },
    show: async () => (await cli.run(words, ON_A_TERMINAL)).out.replaceAll(/\s+/g, ' '),
  };
}
const COVERED = { coverage_pct: 80, status: 'inside', deals_usd: 0 };
const UNCOVERED = { coverage_pct: 0, status: 'below' };

describe('a hedge that settled close to the due date', () => {
  it('counts on the evening after: nothing is proposed that was bought', async () => {
    const { run, show } = await coverOf({ hedges: [SETTLED] });
    const { code, data } = await run();
    expect([code, data.derived.deals]).toEqual([0, []]);
    expect(data.derived.buckets).toMatchObject([COVERED]);
    expect(data.hedges).toMatchObject([
      { id: 'hdg_settled', derived: { settlement: 'assumed', allotted: [{ due: '2026-12-24' }] } },
    ]);
    expect(await show()).toContain(
      'COVERED NGN counts 1 settled hedge; assumed to have reached its maturity: hdg_settled.',
    );
  });

  it('is not called assumed if its record has the maturity as its reason', async () => {
    const records = [{ net_pnl_usd: 1, id: 'hdg_settled', reason: 'maturity' }];
    const { run, show } = await coverOf({ hedges: [SETTLED], records });
    expect((await run()).data.hedges).toMatchObject([{ derived: { settlement: 'settled' } }]);
    expect(await show()).toContain('COVERED NGN counts 1 settled hedge.');
  });

  it('counts also while the service still lists it as filled', async () => {
    const { run } = await coverOf({ hedges: [{ ...SETTLED, status: 'filled' }] });
    expect((await run()).data.derived.buckets).toMatchObject([COVERED]);
  });

  it('without a struck rate makes the coverage uncertain', async () => {
    const { run } = await coverOf({ hedges: [{ ...SETTLED, struck_rate: null }] });
    const { code, error } = await run();
    expect([code, error.code]).toEqual([11, 'book_unclear']);
    expect(error.details).toEqual(['hedge hdg_settled settled without a struck rate']);
  });

  it('counts next to one with the name of its second leg that ran at the same time: that was no roll', async () => {
    const named = { ...SETTLED, client_reference: 'INV-1', notional_usd: 4000 };
    const sibling = { ...named, id: 'hdg_sibling', client_reference: 'INV-1.r2' };
    const { run, becomes } = await coverOf({ hedges: [sibling, named] });
    expect((await run()).data.derived.buckets).toMatchObject([COVERED]);
    const runs = { status: 'filled', maturity_at: '2026-12-24T12:00:00Z' };
    becomes({
      hedges: [
        { ...sibling, ...runs },
        { ...named, ...runs },
      ],
      positions: [aPosition({ ...unspecified.position, notional_usd: 8000 })],
    });
    expect((await run()).data.derived.buckets).toMatchObject([COVERED]);
  });

  it('counts once where its roll opened another leg: only the last leg counts', async () => {
    const next = {
      ...SETTLED,
      id: 'hdg_next',
      status: 'filled',
      client_reference: 'hdg_settled.r2',
      notional_usd: 7000,
      opened_at: '2026-12-23T12:05:00Z',
      maturity_at: '2026-12-24T12:05:00Z',
    };
    const positions = [aPosition({ ...unspecified.position, notional_usd: 7000 })];
    const { run } = await coverOf({ hedges: [next, SETTLED], positions });
    const { data } = await run();
    // 7,000 × 1,516.25 of 15,162,500.
    expect(data.derived.buckets).toMatchObject([{ coverage_pct: 70, status: 'inside' }]);
    expect(data.hedges.map(({ id }: Body) => id)).toEqual(['hdg_next']);
  });
});

describe('a hedge opened for a past due date', () => {
  const named = { ...SETTLED, client_reference: 'COVER-20261222-BUY-3f9a21' };
  const PAID = 'INV-0,2026-12-22,"12,130,000.00",receive,firm\n';

  it('that is no longer in the file counts for another date, and the screen says so and what to do', async () => {
    const { run, show } = await coverOf({ hedges: [named] });
    const { data } = await run();
    expect(data.hedges).toMatchObject([
      { derived: { opened_for: '2026-12-22', allotted: [{ due: '2026-12-24', ngn: 12130000 }] } },
    ]);
    expect(await show()).toContain(
      'COVERED NGN counts 12,130,000.00 NGN of hedges opened for Tue 22 Dec. The file no longer has those exposures, so the hedges count for Thu 24 Dec. Keep past due dates in the file.',
    );
  });

  it('of which the file has payments alone is one that the file has lost', async () => {
    const exposures = `${EXPOSURES}${PAID.replace('receive', 'pay')}`;
    const { show } = await coverOf({ hedges: [named] }, { exposures });
    expect(await show()).toContain('Keep past due dates in the file.');
  });

  it('that is in the file belongs to it, and nothing is said', async () => {
    const { run, show } = await coverOf({ hedges: [named] }, { exposures: `${EXPOSURES}${PAID}` });
    expect((await run()).data.derived.buckets).toMatchObject([UNCOVERED]);
    expect(await show()).not.toContain('Keep past due dates');
  });
});

describe('a hedge that was closed early and is past its maturity', () => {
  it.each<[string, Body]>([
    ['a reason', { id: 'hdg_settled', reason: 'close' }],
    ['a time', { id: 'hdg_settled', closed_at: '2026-12-23T09:00:00Z' }],
    ['a time in seconds', { id: 'hdg_settled', closed_at: Date.parse('2026-12-23T09:00:00Z') / 1000 }],
    ['another name for its ID', { hedge_id: 'hdg_settled', reason: 'close' }],
  ])('is known by %s in its record, and does not count', async (_, record) => {
    const { run } = await coverOf({ hedges: [SETTLED], records: [{ net_pnl_usd: 1, ...record }] });
    const { data } = await run();
    expect(data.derived.buckets).toMatchObject([UNCOVERED]);
    expect(data.hedges).toEqual([]);
  });

  it.each([
    ['close', 'closed', {}],
    ['reduce', 'changed', { hdg_settled: '0' }],
  ] as const)('is known by the journal of the machine whose %s closed it', async (action, outcome, facts) => {
    const { run, journal, identity } = await coverOf({ hedges: [SETTLED] });
    const before = {
      hedges: [{ hedge_id: 'hdg_settled', notional_usd: '8000', status: 'filled' }],
      in_positions: true,
    };
    journal([
      anIntent({
        identity,
        action,
        path: `/hedges/${action}`,
        before,
        body: '{}',
        at: '2026-12-22T13:00:00.000Z',
      }),
      SENDING,
      step({ kind: 'accepted', by: 'answer' }),
      step({ kind: 'outcome', outcome, facts }),
    ]);
    expect((await run()).data.derived.buckets).toMatchObject([UNCOVERED]);
  });

  it('is known by an earlier reading, which showed it closed before its maturity', async () => {
    const early = { ...SETTLED, maturity_at: '2026-12-24T12:00:00Z' };
    const { cli, run, becomes } = await coverOf({ hedges: [early] });
    expect((await cli.run('maturities')).code).toBe(0);
    expect((await run()).data.derived.buckets).toMatchObject([UNCOVERED]);
    // A day later in the life of the hedge.
    becomes({ hedges: [SETTLED] });
    const { data } = await run();
    expect(data.derived.buckets).toMatchObject([UNCOVERED]);
    expect(data.hedges).toEqual([]);
  });
});

it('a hedge whose reduction and settlement have a record each has settled; a time before its open tells nothing', async () => {
  const record = { net_pnl_usd: 1, id: 'hdg_settled' };
  const parts = [
    { ...record, reason: 'close' },
    { ...record, reason: 'maturity' },
  ];
  const { run } = await coverOf({ hedges: [SETTLED], records: parts });
  expect((await run()).data.derived.buckets).toMatchObject([COVERED]);
  const never = await coverOf({ hedges: [SETTLED], records: [{ ...record, closed_at: 0 }] });
  expect((await never.run()).data.hedges).toMatchObject([{ derived: { settlement: 'assumed' } }]);
});

describe('what this machine has not finished makes the coverage uncertain:', () => {
  const expectUnclear = async (
    { run }: Pick<Awaited<ReturnType<typeof coverOf>>, 'run'>,
    why: RegExp,
    command: RegExp,
  ): Promise<void> => {
    const { code, data, error } = await run();
    expect([code, error.code, data.derived.deals]).toEqual([11, 'book_unclear', []]);
    expect(error.details).toEqual([expect.stringMatching(why)]);
    expect(error.hint).toMatch(command);
  };
  const roll = {
    when: 'maturity' as const,
    maturity_at: '2026-12-23T12:00:00.000Z',
    at: '2026-12-22T12:00:00.000Z',
  };

  it('a second leg that is due', async () => {
    const cover = await coverOf({ hedges: [SETTLED] });
    cover.journal([aRoll({ identity: cover.identity, hedge_id: 'hdg_settled', ...roll })]);
    await expectUnclear(cover, /^roll 3f9a1c2b: leg 1 matured, leg 2 due$/, /roll run 3f9a1c2b/);
  });

  it('a second leg that is not due yet, or of another account, does not', async () => {
    const cover = await coverOf({ hedges: [SETTLED] });
    const other = serviceIdentity('sandbox', {
      baseUrl: 'https://other.test/v2',
      keyFingerprint: '1a2b3c4d',
    });
    cover.journal([
      aRoll({ identity: cover.identity, ...roll, maturity_at: '2026-12-24T12:00:00.000Z' }),
      aRoll({ identity: other, chain_id: '00000001', ...roll }),
    ]);
    expect((await cover.run()).code).toBe(0);
  });

  it('an action whose outcome is not known', async () => {
    const cover = await coverOf({ hedges: [SETTLED] });
    cover.journal([anIntent({ identity: cover.identity }), SENDING, UNKNOWN]);
    await expectUnclear(
      cover,
      /^OPEN buy USDTNGN 10,000.00 USD, action 7c1e: outcome unknown$/,
      /check 7c1e/,
    );
  });

  it('an add that was accepted and is pending', async () => {
    const cover = await coverOf({ hedges: [SETTLED] });
    const add = anIntent({ identity: cover.identity, action: 'add', path: '/hedges/add' });
    cover.journal([add, SENDING, step({ kind: 'accepted', by: 'answer' })]);
    await expectUnclear(cover, /^ADD buy .* accepted, outcome pending$/, /wait 7c1e/);
  });

  it('an open that is pending in the journal does not, if its hedge is listed as filled or closed', async () => {
    const cover = await coverOf({ hedges: [SETTLED] });
    const accepted = step({ kind: 'accepted', by: 'answer', hedge_id: 'hdg_settled' });
    cover.journal([anIntent({ identity: cover.identity }), SENDING, accepted]);
    expect((await cover.run()).code).toBe(0);
  });

  it.each(['USDTNGN', 'USDT-NGN'])(
    'a hedge of %s that filled just now, while its side is not in the positions',
    async (market) => {
      const filled = (at: string) => [
        { ...SETTLED, market, status: 'filled', maturity_at: '2026-12-24T12:00:00Z', filled_at: at },
      ];
      const cover = await coverOf({ hedges: filled('2026-12-23T19:59:30Z') });
      await expectUnclear(
        cover,
        /^hedge hdg_settled has filled, but its side is not in the positions$/,
        /Try again/,
      );
      // Later it was closed early, on a service that lists such a hedge as filled.
      cover.becomes({ hedges: filled('2026-12-23T19:00:00Z') });
      expect((await cover.run()).data.derived.buckets).toMatchObject([UNCOVERED]);
    },
  );

  describe('what it did in the last minute, where the service does not list it yet:', () => {
    const open = { ...SETTLED, id: 'hdg_1', status: 'filled', maturity_at: '2026-12-24T12:00:00Z' };
    const done = (
      identity: AccountIdentity,
      { secondsAgo, facts, ...of }: Partial<IntentRecord> & { secondsAgo: number; facts: Outcome['facts'] },
    ): readonly JournalRecord[] => {
      const time = new Date(Date.now() - secondsAgo * 1_000).toISOString();
      const hedgeId = of.action === 'open' ? { hedge_id: 'hdg_1' } : {};
      const outcome = ({ open: 'filled', close: 'closed' } as const)[String(of.action)] ?? 'changed';
      const [, ...steps] = actionAt(
        time,
        '7c1e',
        { kind: 'sending', attempt: 1 },
        { kind: 'accepted', by: 'answer', ...hedgeId },
        { kind: 'outcome', outcome, facts, ...hedgeId },
      );
      const before = {
        hedges: [{ hedge_id: 'hdg_1', notional_usd: '8000', status: 'filled' }],
        in_positions: true,
      };
      return [anIntent({ identity, at: time, before, ...of }), ...steps];
    };
    const shown = (notional: number) => ({
      hedges: [{ ...open, notional_usd: notional }],
      positions: [aPosition({ ...unspecified.position, notional_usd: notional })],
    });

    it('an open that has filled is not proposed again', async () => {
      const cover = await coverOf();
      cover.journal(done(cover.identity, { action: 'open', secondsAgo: 3, facts: {} }));
      await expectUnclear(cover, /^hedge hdg_1 has filled, but is not in the list yet$/, /Try again/);
      cover.becomes({ hedges: [{ ...open, status: 'submitted' }] });
      expect((await cover.run()).error.details).toContain(
        'hedge hdg_1 has filled, but is listed as submitted',
      );
      cover.becomes(shown(8000));
      expect((await cover.run()).data.derived.buckets).toMatchObject([COVERED]);
    });

    it('longer ago, a hedge that is not listed is closed', async () => {
      const cover = await coverOf();
      cover.journal(done(cover.identity, { action: 'open', secondsAgo: 61, facts: {} }));
      expect((await cover.run()).data.derived.buckets).toMatchObject([UNCOVERED]);
    });

    it('a reduction is not proposed again', async () => {
      const cover = await coverOf(shown(8000));
      cover.journal(
        done(cover.identity, {
          action: 'reduce',
          notional_usd: '2000',
          secondsAgo: 3,
          facts: { hdg_1: '6000' },
        }),
      );
      await expectUnclear(
        cover,
        /^hedge hdg_1 was changed just now, but is listed at its earlier size$/,
        /Try again/,
      );
      cover.becomes(shown(6000));
      expect((await cover.run()).data.derived.buckets).toMatchObject([{ coverage_pct: 60 }]);
    });

    it('a hedge that was closed does not cover', async () => {
      const cover = await coverOf(shown(8000));
      cover.journal(done(cover.identity, { action: 'close', secondsAgo: 3, facts: { hdg_1: '0' } }));
      await expectUnclear(cover, /^hedge hdg_1 was closed just now, but is still listed$/, /Try again/);
      // The service leaves a closed hedge as filled.
      cover.becomes({ ...shown(8000), positions: [] });
      expect((await cover.run()).data.derived.buckets).toMatchObject([UNCOVERED]);
    });

    it('maturities and what-if leave such a hedge out and say why, and a snapshot is not steady', async () => {
      const cover = await coverOf(shown(8000));
      cover.journal(done(cover.identity, { action: 'close', secondsAgo: 3, facts: { hdg_1: '0' } }));
      const leftOut = [{ id: 'hdg_1', why: 'was closed just now, but is still listed' }];
      const maturities = await cover.cli.run('maturities --json');
      expect(Object(maturities.document()).data).toMatchObject({
        hedges: [],
        derived: { left_out: leftOut },
      });
      expect((await cover.cli.run('maturities --csv')).err).toContain(
        'Not included: hedge hdg_1: was closed just now, but is still listed.',
      );
      const whatIf = await cover.cli.run('what-if --rate 1600 --json');
      expect(Object(whatIf.document()).data).toMatchObject({ hedges: [], derived: { left_out: leftOut } });
      const snapshot = await cover.cli.run('snapshot --json');
      expect(Object(snapshot.document()).data.derived.unsteady).toBe(true);
      cover.becomes({});
      expect(Object((await cover.cli.run('maturities --json')).document()).data.derived.left_out).toEqual([]);
    });
  });

  it('a page of closed hedges that does not reach back far enough', async () => {
    const hedges = Array.from({ length: 500 }, (_, index) => ({
      ...SETTLED,
      id: `hdg_${index.toString()}`,
      side: 'sell',
    }));
    const cover = await coverOf({ hedges });
    await expectUnclear(
      cover,
      /^the list of closed hedges may be incomplete; it must reach back to 2026-12-22$/,
      /Try again/,
    );
  });
});

describe('hedges that cover too much', () => {
  const PAY = 'PAY-1,2026-12-28,"3,032,500.00",pay,firm\n';

  it('of the other side bring the coverage below zero: no deals, and the hedge to reduce is named', async () => {
    const sell = {
      ...SETTLED,
      id: 'hdg_sell',
      side: 'sell',
      status: 'filled',
      notional_usd: 2000,
      maturity_at: '2026-12-28T12:00:00Z',
      opened_at: '2026-12-21T12:00:00Z',
    };
    const positions = [aPosition({ ...unspecified.position, side: 'sell', notional_usd: 2000 })];
    const book = { hedges: [sell], positions };
    const { run, show } = await coverOf(book, { exposures: `${EXPOSURES}${PAY}` });
    const { code, data, error } = await run();
    // −2,000 × 1,516.25 = −3,032,500 of 15,162,500 − 3,032,500 = 12,130,000.
    expect([code, error.code]).toEqual([11, 'cover_incomplete']);
    expect(data.derived.buckets).toMatchObject([
      {
        coverage_pct: -25,
        status: 'below',
        constraint: 'below_zero',
        deals_usd: 0,
        reduce_hedge: 'hdg_sell',
      },
    ]);
    const shown = await show();
    expect(shown).toContain('Reduce the sell side: hdg_sell has most of it.');
    expect(shown).toContain('Reduce, then run hedge cover again: hedge close USDTNGN sell closes every sell');
  });

  it('of which too much has settled cannot be reduced far enough: the screen says so', async () => {
    const open = {
      ...SETTLED,
      id: 'hdg_open',
      status: 'filled',
      maturity_at: '2026-12-24T12:00:00Z',
      opened_at: '2026-12-21T12:00:00Z',
    };
    const settled = { ...SETTLED, notional_usd: 11000 };
    const positions = [aPosition({ ...unspecified.position, notional_usd: 8000 })];
    const { show } = await coverOf({ hedges: [settled, open], positions });
    const shown = await show();
    expect(shown).toContain('Too much of that has settled: no reduction brings it inside.');
    expect(shown).not.toContain('hedge reduce');
  });

  it('of a net of zero are above', async () => {
    const exposures = `${EXPOSURES}PAY-1,2026-12-28,"15,162,500.00",pay,firm\n`;
    const { run, show } = await coverOf({ hedges: [SETTLED] }, { exposures });
    const { code, data } = await run();
    expect(code).toBe(11);
    expect(data.derived.buckets).toMatchObject([
      { net_ngn: 0, coverage_pct: null, status: 'above', constraint: 'above_max', reduce_hedge: null },
    ]);
    const shown = await show();
    expect(shown).toContain('They have settled: nothing can be reduced.');
    expect(shown).not.toContain('hedge reduce');
  });
});

it('a payment due today is dealt at one day, also where each further day would earn carry', async () => {
  const exposures = 'id,due,ngn,direction,certainty\nPAY-1,2026-12-23,15m,pay,firm\n';
  const { run } = await coverOf({}, { exposures, policy: { ...POLICY, after_days: 3 } });
  const { data } = await run();
  expect(data.derived.deals).toMatchObject([{ side: 'sell', tenor_days: 1, rolls: [] }]);
});

it('deals that cover proposes are not proposed again, on any of the five days after', async () => {
  const desk = await aDesk();
  const due = (days: number): string => dayIn(days, desk.clock.now());
  const files = ['exposures.csv', 'policy.json', 'cover.csv'].map((name) => join(desk.home, name));
  const [exposures = '', policy = '', deals = ''] = files;
  writeFileSync(
    exposures,
    [
      'id,due,ngn,direction,certainty',
      `A,${due(1)},10m,pay,firm`,
      `B,${due(2)},20m,receive,firm`,
      `C,${due(4)},25m,receive,firm`,
      `D,${due(8)},25m,receive,firm`,
      '',
    ].join('\n'),
  );
  const bucket = { from_days: 0, to_days: 9, min_pct: 60, target_pct: 80, max_pct: 100 };
  writeFileSync(policy, JSON.stringify({ ...POLICY, buckets: [bucket] }));
  const cover = async (): Promise<Body> =>
    Object(
      JSON.parse((await desk.run(['cover', exposures, '--policy', policy, '--deals', deals, '--json'])).out),
    );
  await cover();
  const bought = readCsv(readFileSync(deals, 'utf8'));
  expect(bought.length).toBeGreaterThan(0);
  expect((await desk.run(['deals', 'run', deals, '--yes', '-q'])).code).toBe(0);
  for (let day = 1; day <= 5; day += 1) {
    desk.clock.pass(24 * 3_600_000);
    // oxlint-disable-next-line no-await-in-loop
    const { data, error } = await cover();
    expect([day, error, Object(data).derived.deals]).toEqual([day, null, []]);
  }
}, 60_000);
