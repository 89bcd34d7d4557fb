/**
 * A roll at maturity against what may have become of its hedge: on the practice service, whose answers are cut down to what
 * another service may send of a closed hedge.
 */
import { cpSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/platform/clock.ts';
import { frontOf, type Passed, refusal, servedAt } from '../../support/front.ts';
import { movingClock } from '../../support/moving-clock.ts';
import { temporaryFolder } from '../../support/own-folder.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from '../../support/served-book.ts';
import { type Ran, type TestCli, testCli } from '../../support/test-cli.ts';

const HOUR = 3_600_000;
const time = movingClock();
let served: ServedBook;

beforeAll(async () => {
  served = await servedBook(WITHOUT_LIMIT, time);
});
afterAll(() => served.close());

type Fields = Readonly<Record<string, unknown>>;

/** What a service sends of a closed hedge in its history; `undefined`: no record. */
type History = (record: Fields) => Fields | undefined;

const pick =
  (...names: readonly string[]): History =>
  (record) =>
    Object.fromEntries(['net_pnl_usd', ...names].map((name) => [name, record[name]]));

/** From which an early close and a settlement can be told. */
const TELLING: Readonly<Record<string, History>> = {
  'the whole record': (record) => record,
  'a time in seconds': (record) => ({
    ...pick('id')(record),
    closed_at: Math.floor(Date.parse(String(record['closed_at'])) / 1_000),
  }),
  'hedge_id for id': (record) => ({ ...pick('closed_at')(record), hedge_id: record['id'] }),
  'a reason without a time': pick('id', 'reason'),
};

const SILENT: Readonly<Record<string, History>> = {
  'specified fields alone': pick(),
  'an ID without times': pick('id', 'notional_usd'),
  'no record': () => undefined,
  'another reason': (record) => ({ ...pick('id')(record), reason: 'over' }),
  'a day without a time': (record) => ({
    ...pick('id')(record),
    closed_at: String(record['closed_at']).slice(0, 10),
  }),
  'a time that has not come': (record) => ({ ...pick('id')(record), closed_at: '2099-01-01T00:00:00Z' }),
  'a reason against its time': (record) => ({
    ...pick('id', 'closed_at')(record),
    reason: record['reason'] === 'close' ? 'maturity' : 'close',
  }),
};
const HISTORIES: Readonly<Record<string, History>> = { ...TELLING, ...SILENT };

interface Desk {
  /** Another one has its own copy of the home. */
  machine(parts?: { behindMs?: number; copy?: boolean }): TestCli;
  history(shape: History): void;
  /** What the service sends as the size of a hedge that is closed; undefined: it does not know that hedge any more. */
  closedSize(shape: (size: number) => number | undefined): void;
  /** What the positions say from now on. */
  positions(lines: (all: readonly unknown[]) => readonly unknown[]): void;
  /** Time that passes before each change of this machine arrives. */
  arrivesAfter(ms: number): void;
  /** Whether the list and the hedge by its ID say that a hedge is `closed`. */
  says(status: (hedge: Fields) => unknown): void;
  colleague(
    path: '/hedges' | '/hedges/close' | '/hedges/reduce' | '/hedges/add',
    body: Fields,
  ): Promise<void>;
}

const runDue = (cli: TestCli): Promise<Ran> => cli.run('roll run --due --yes --json');
const buys = (): Promise<number> => served.openOn('buy');
const codeOf = ({ out }: Ran): unknown => {
  const { error }: { error: { code: string } | null } = JSON.parse(out);
  return error?.code;
};

/** A hedge of 10,000 USD for a day, and the plan to roll it. */
async function desk(): Promise<Desk> {
  await served.reset();
  const home = temporaryFolder();
  const front = await frontOf(served, temporaryFolder());
  let history: History = (record) => record;
  let closedSize = (size: number): number | undefined => size;
  let positions = (all: readonly unknown[]): readonly unknown[] => all;
  let status = (hedge: Fields): unknown => hedge['status'];
  let arrivesAfterMs = 0;
  const sized = (hedge: Fields): Fields => ({
    ...hedge,
    status: status(hedge),
    notional_usd:
      hedge['status'] === 'closed' ? closedSize(Number(hedge['notional_usd'])) : hedge['notional_usd'],
  });
  front.meddle(async (line, pass) => {
    if (line.startsWith('POST /hedges')) time.pass(arrivesAfterMs);
    const passed = servedAt(time.now(), await pass());
    const changed = (change: (data: never) => unknown): Passed => {
      const { data, ...rest }: { data: never } = JSON.parse(passed.body);
      if (passed.status !== 200) return passed;
      return { ...passed, body: JSON.stringify({ data: change(data), ...rest }) };
    };
    const [method, path = ''] = line.split(' ');
    if (method !== 'GET') return passed;
    if (path.startsWith('/hedges/history'))
      return changed((records: readonly Fields[]) => records.flatMap((each) => history(each) ?? []));
    if (path.startsWith('/hedges/hdg_')) {
      const one = changed(sized);
      return one.body.includes('notional_usd') ? one : refusal(404, 'hedge_not_found', one.headers);
    }
    if (path.startsWith('/hedges'))
      return changed((all: readonly Fields[]) =>
        all.map(sized).filter(({ notional_usd: size }) => size !== undefined),
      );
    return path.startsWith('/positions') ? changed(positions) : passed;
  });
  const machine: Desk['machine'] = ({ behindMs = 0, copy = false } = {}) => {
    const own = copy ? temporaryFolder() : home;
    if (copy) cpSync(home, own, { recursive: true });
    const clock: Clock = { ...time, now: () => time.now() - behindMs };
    return testCli({ home: own, clock, env: front.way(own) });
  };
  const cli = machine();
  expect((await cli.run('open USDTNGN buy 10k --tenor 1 --deal-id PAY-1 --yes')).code).toBe(0);
  expect((await cli.run('roll PAY-1 --tenor 1 --at maturity --yes')).code).toBe(0);
  time.pass(HOUR);
  return {
    machine,
    history(shape) {
      history = shape;
    },
    closedSize(shape) {
      closedSize = shape;
    },
    positions(lines) {
      positions = lines;
    },
    says(next) {
      status = next;
    },
    arrivesAfter(ms) {
      arrivesAfterMs = ms;
    },
    async colleague(path, body) {
      await served.colleague(path, { side: 'buy', ...body });
      time.pass(60_000);
    },
  };
}

describe('a hedge that has settled', () => {
  it.each(Object.entries(TELLING))('is opened again once where the history has %s', async (_what, shape) => {
    const day = await desk();
    day.history(shape);
    time.pass(24 * HOUR);
    expect((await runDue(day.machine())).document()).toMatchObject({
      data: [{ outcome: 'rolled', notional_usd: 10_000 }],
      error: null,
    });
    expect((await runDue(day.machine())).document()).toMatchObject({ data: [] });
    expect(await buys()).toBe(10_000);
  });

  it.each(Object.keys(SILENT))(
    'stops where the history has %s, and is done by the command that the stop names',
    async (what) => {
      const day = await desk();
      day.history(SILENT[what] ?? pick());
      time.pass(24 * HOUR);
      const ran = await runDue(day.machine());
      expect([ran.code, codeOf(ran), await buys()]).toEqual([10, 'book_unclear', 0]);
      const open = /hedge (open USDTNGN buy 10000 .*? --any-price)/.exec(ran.out)?.[1] ?? '';
      // By hand, on another machine that knows of no roll.
      expect((await day.machine({ copy: true }).run(`${open} --yes`)).code).toBe(0);
      expect((await runDue(day.machine())).document()).toMatchObject({
        data: [{ outcome: 'rolled', state: 'done' }],
        error: null,
      });
      expect([await buys(), (await runDue(day.machine())).code]).toEqual([10_000, 0]);
    },
  );

  it('is waited for while its record may come', async () => {
    const day = await desk();
    day.history(SILENT['no record'] ?? pick());
    time.pass(23 * HOUR + 1_000);
    const early = await runDue(day.machine());
    expect([early.code, codeOf(early), await buys()]).toEqual([8, 'pending', 0]);
    day.history((record) => record);
    expect([(await runDue(day.machine())).code, await buys()]).toEqual([0, 10_000]);
  });

  it.each([false, true])(
    'is waited for while it is filled by its ID, with the side in the positions: %s',
    async (listed) => {
      const day = await desk();
      day.says(() => 'filled');
      day.positions(() => (listed ? [{ market: 'USDTNGN', side: 'buy', net_margin_usd: 1 }] : []));
      time.pass(24 * HOUR);
      const ran = await runDue(day.machine());
      expect([ran.code, codeOf(ran), await buys()]).toEqual([8, 'pending', 0]);
      expect(ran.out).toContain('filled');
    },
  );
});

describe('a hedge that settles just before an order of this machine lands', () => {
  async function sentJustBefore(line: string): Promise<Desk> {
    const day = await desk();
    await day.machine().run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-9 --yes');
    const { body } = await served.desk.get('/hedges?client_reference=PAY-1', { as: 'test' });
    const [hedge]: readonly { maturity_at: string }[] = body.data;
    time.pass(Date.parse(hedge?.maturity_at ?? '') - time.now() - 3_000);
    day.arrivesAfter(5_000);
    const ran = await day.machine().run(`${line} --yes --json`);
    expect(ran.document()).toMatchObject({
      data: { outcome: 'closed', derived: { hedges: [{ before_usd: 10_000, after_usd: 0 }] } },
      error: null,
    });
    day.arrivesAfter(0);
    time.pass(HOUR);
    return day;
  }

  it('was not closed by a reduction of what is left: it is opened again', async () => {
    const day = await sentJustBefore('reduce USDTNGN buy 10k');
    expect((await runDue(day.machine())).document()).toMatchObject({ data: [{ outcome: 'rolled' }] });
    expect(await buys()).toBe(10_000);
  });

  it('beside a close is for a person: that was to end the roll, and the hedge settled', async () => {
    const day = await sentJustBefore('close USDTNGN buy');
    const ran = await runDue(day.machine());
    expect([ran.code, codeOf(ran), await buys()]).toEqual([10, 'book_unclear', 0]);
    expect(ran.out).toContain('whether a close from this machine took it is not known');
    expect(ran.out).not.toContain('was closed before its maturity');
    expect(ran.document()).toMatchObject({ data: [{ state: 'due' }] });
  });
});

/** The clock of Lagos, an hour ahead of UTC. */
const inLagos = (record: Fields, sent: (iso: string) => string): Fields => ({
  ...pick('id', 'notional_usd')(record),
  closed_at: sent(new Date(Date.parse(String(record['closed_at'])) + HOUR).toISOString()),
});
const ZONES: Readonly<Record<string, History>> = {
  'a time without a zone': (record) => inLagos(record, (iso) => iso.replace('Z', '')),
  'a local time sent as UTC': (record) => inLagos(record, (iso) => iso),
};

describe.each(Object.entries(ZONES))('a history that has %s, and no reason', (_what, shape) => {
  it('does not tell a settlement: a person decides', async () => {
    const day = await desk();
    day.history(shape);
    time.pass(24 * HOUR);
    const ran = await runDue(day.machine());
    expect([ran.code, codeOf(ran), await buys()]).toEqual([10, 'book_unclear', 0]);
    expect(ran.out).toContain('may be of another time zone');
    expect(ran.document()).toMatchObject({ data: [{ state: 'due' }] });
  });

  it('tells it with a reason', async () => {
    const day = await desk();
    day.history((record) => ({ ...shape(record), reason: record['reason'] }));
    time.pass(24 * HOUR);
    expect([(await runDue(day.machine())).code, await buys()]).toEqual([0, 10_000]);
  });
});

it('a hedge that was closed an hour early is not opened again where the history has local time without a zone', async () => {
  const day = await desk();
  day.history(ZONES['a time without a zone'] ?? pick());
  expect((await day.machine().run('roll drop PAY-1 --note again')).code).toBe(0);
  await day.machine().run('open USDTNGN sell 1k --tenor 1 --yes');
  await day.machine().run('close USDTNGN sell --yes');
  const planned = await day.machine().run('roll PAY-1 --tenor 1 --at maturity --yes');
  expect(planned.err.replace(/\s+/g, ' ')).toContain('leg 2 will not open by itself');
  time.pass(22 * HOUR);
  await day.colleague('/hedges/close', {});
  time.pass(2 * HOUR);
  const ran = await runDue(day.machine());
  expect([ran.code, codeOf(ran), await buys()]).toEqual([10, 'book_unclear', 0]);
});

it('a hedge that was closed 20 minutes early is not opened again where the history has local time sent as UTC', async () => {
  const day = await desk();
  day.history(ZONES['a local time sent as UTC'] ?? pick());
  time.pass(23 * HOUR - 20 * 60_000);
  await day.colleague('/hedges/close', {});
  time.pass(HOUR);
  const ran = await runDue(day.machine());
  expect([ran.code, codeOf(ran), await buys()]).toEqual([10, 'book_unclear', 0]);
});

type Event = (day: Desk) => Promise<unknown>;

/** How a hedge is closed before its maturity. `here`: this machine's journal tells. */
const CLOSED_EARLY: Readonly<Record<string, { here: boolean; event: Event }>> = {
  'a colleague': { here: false, event: (day) => day.colleague('/hedges/close', {}) },
  'a reduction of a colleague': {
    here: false,
    event: (day) => day.colleague('/hedges/reduce', { notional_usd: 10_000 }),
  },
  'this machine': { here: true, event: (day) => day.machine().run('close USDTNGN buy --yes') },
  'a reduction from this machine': {
    here: true,
    event: (day) => day.machine().run('reduce USDTNGN buy 10k --yes'),
  },
  'this machine, its clock set back by two days': {
    here: true,
    event: (day) => day.machine({ behindMs: 48 * HOUR }).run('close USDTNGN buy --yes'),
  },
  'this machine, its clock set back by a year': {
    here: false,
    event: (day) => day.machine({ behindMs: 365 * 24 * HOUR }).run('close USDTNGN buy --yes'),
  },
};

describe.each(Object.entries(CLOSED_EARLY))(
  'a hedge that was closed early by %s',
  (_who, { here, event }) => {
    it('is opened again by no history; where it is known the roll ends, and cron is not stopped again', async () => {
      const day = await desk();
      await event(day);
      time.pass(10 * HOUR);
      expect(await buys()).toBe(0);
      time.pass(14 * HOUR);
      const kept = (size: number) => size;
      const some = ['the whole record', 'specified fields alone', 'a reason against its time'];
      const cases = [
        // The journal of this machine tells, whatever the history has.
        ...(here ? some : Object.keys(HISTORIES)).map((what) => ({ what, size: kept })),
        ...[() => 0, () => 10_000, () => undefined].map((size) => ({ what: 'specified fields alone', size })),
      ];
      for (const { what, size } of cases) {
        day.history(HISTORIES[what] ?? pick());
        day.closedSize(size);
        const cli = day.machine({ copy: true });
        const ran = await runDue(cli);
        const isKnown = here || what in TELLING;
        expect([what, ran.code, codeOf(ran)]).toEqual([what, 10, isKnown ? 'book_changed' : 'book_unclear']);
        expect(ran.document()).toMatchObject({ data: [{ state: isKnown ? 'dropped' : 'due' }] });
        if (isKnown) expect((await runDue(cli)).code).toBe(0);
        expect(await buys()).toBe(0);
      }
    });

    it('is for a person where the history has it as settled, though this machine closed it', async () => {
      const day = await desk();
      await event(day);
      time.pass(24 * HOUR);
      day.history(({ id }) => ({ id, net_pnl_usd: 1, reason: 'maturity' }));
      const ran = await runDue(day.machine());
      // Without the journal of this machine nothing contradicts the history.
      expect([ran.code, await buys()]).toEqual(here ? [10, 0] : [0, 10_000]);
      if (here)
        expect(ran.out).toContain('this machine recorded its close, but the history has it as settled');
    });

    it('is remembered from a run before its maturity, whatever the history has later', async () => {
      const day = await desk();
      await event(day);
      time.pass(10 * HOUR);
      const cli = day.machine();
      const early = await runDue(cli);
      expect([early.code, codeOf(early)]).toEqual([10, 'book_changed']);
      expect((await cli.run('roll show --json')).document()).toMatchObject({
        data: [{ state: 'dropped', note: expect.stringContaining('closed before its maturity'), next: null }],
      });
      time.pass(14 * HOUR);
      day.history((record) => ({
        ...record,
        closed_at: new Date(time.now()).toISOString(),
        reason: 'maturity',
      }));
      expect([(await runDue(cli)).code, await buys()]).toEqual([0, 0]);
    });

    it('ends the roll also after 24 hours, and with --late opens nothing', async () => {
      const day = await desk();
      await event(day);
      time.pass(60 * HOUR);
      const late = await day.machine({ copy: true }).run('roll run --due --late --yes --json');
      expect([late.code, codeOf(late), await buys()]).toEqual([10, 'book_changed', 0]);
      const ran = await runDue(day.machine());
      expect([ran.code, codeOf(ran)]).toEqual([10, 'book_changed']);
      expect((await runDue(day.machine())).code).toBe(0);
    });
  },
);

const REDUCED: Readonly<Record<string, { here: boolean; event: Event }>> = {
  'a colleague': { here: false, event: (day) => day.colleague('/hedges/reduce', { notional_usd: 6_000 }) },
  'this machine': { here: true, event: (day) => day.machine().run('reduce USDTNGN buy 6k --yes') },
  'this machine, its clock set back by two days': {
    here: true,
    event: (day) => day.machine({ behindMs: 48 * HOUR }).run('reduce USDTNGN buy 6k --yes'),
  },
};

describe.each(Object.entries(REDUCED))(
  'a hedge that was reduced to 4,000 USD by %s',
  (_who, { here, event }) => {
    it('is opened again at 4,000 USD, or a person decides', async () => {
      const day = await desk();
      await event(day);
      time.pass(24 * HOUR);
      for (const shape of Object.values(SILENT)) {
        day.history(shape);
        expect([(await runDue(day.machine({ copy: true }))).code, await buys()]).toEqual([10, 0]);
      }
      day.history((record) => record);
      for (const size of [() => 0, ...(here ? [() => 10_000] : [])]) {
        day.closedSize(size);
        const ran = await runDue(day.machine({ copy: true }));
        expect([ran.code, codeOf(ran), await buys()]).toEqual([10, 'book_changed', 0]);
      }
      day.closedSize(() => undefined);
      expect([(await runDue(day.machine({ copy: true }))).code, await buys()]).toEqual([10, 0]);
      // The history has the size that remained; the hedge has that of its open.
      day.closedSize(() => 10_000);
      day.history((record) => ({ ...record, notional_usd: 4_000 }));
      expect([(await runDue(day.machine({ copy: true }))).code, await buys()]).toEqual([10, 0]);
      day.closedSize((size) => size);
      day.history((record) => record);
      expect([(await runDue(day.machine())).code, await buys()]).toEqual([0, 4_000]);
    });
  },
);

describe('leg 2', () => {
  it('is not larger than planned unless a person opens it', async () => {
    const day = await desk();
    await day.colleague('/hedges/add', { notional_usd: 5_000 });
    time.pass(24 * HOUR);
    const ran = await runDue(day.machine());
    expect([ran.code, codeOf(ran), await buys()]).toEqual([10, 'book_changed', 0]);
    const { error }: { error: { hint: string } } = JSON.parse(ran.out);
    const lines = [...error.hint.matchAll(/hedge (open USDTNGN buy (\d+) .*? --any-price)/g)];
    expect(lines.map(([, , size]) => size)).toEqual(['10000', '15000']);
    expect((await day.machine().run(`${lines[1]?.[1] ?? ''} --yes`)).code).toBe(0);
    expect((await runDue(day.machine())).document()).toMatchObject({ data: [], error: null });
    expect((await day.machine().run('roll show --json')).document()).toMatchObject({
      data: [{ state: 'done', notional_usd: 15_000 }],
    });
  });

  const open = 'open USDTNGN buy 10k --tenor 1 --deal-id PAY-1.r2 --yes';

  it('that another machine opened is done, whatever the history has and however late it is', async () => {
    const day = await desk();
    day.history(pick());
    time.pass(50 * HOUR);
    expect((await day.machine({ copy: true }).run(open.replace('10k', '9k'))).code).toBe(0);
    expect((await runDue(day.machine())).document()).toMatchObject({
      data: [{ state: 'done' }],
      error: null,
    });
    expect([(await runDue(day.machine())).code, await buys()]).toEqual([0, 9_000]);
  });

  it('that somebody closed is not done: it is said once, and the roll ends', async () => {
    const day = await desk();
    time.pass(24 * HOUR);
    expect((await day.machine({ copy: true }).run(open)).code).toBe(0);
    await day.colleague('/hedges/close', {});
    const ran = await runDue(day.machine());
    expect([ran.code, codeOf(ran)]).toEqual([10, 'book_changed']);
    expect(ran.document()).toMatchObject({ data: [{ state: 'dropped' }] });
    expect([(await runDue(day.machine())).code, await buys()]).toEqual([0, 0]);
  });

  it('that this machine sent without a response, and somebody closed, is not done', async () => {
    const day = await desk();
    time.pass(24 * HOUR);
    await served.desk.service.admin.setFaults({ lost_after: 1, only: 'open' });
    const lost = await runDue(day.machine());
    expect(lost.code).toBe(7);
    await served.desk.service.admin.clearFaults();
    await day.colleague('/hedges/close', {});
    const ran = await runDue(day.machine());
    expect([ran.code, codeOf(ran)]).toEqual([10, 'book_changed']);
    expect(ran.document()).toMatchObject({ data: [{ state: 'dropped' }] });
    expect([(await runDue(day.machine())).code, await buys()]).toEqual([0, 0]);
  });

  it('that has matured since another machine opened it is done', async () => {
    const day = await desk();
    time.pass(24 * HOUR);
    expect((await day.machine({ copy: true }).run(open)).code).toBe(0);
    time.pass(30 * HOUR);
    expect((await runDue(day.machine())).document()).toMatchObject({
      data: [{ state: 'done' }],
      error: null,
    });
  });
});
