/**
 * Read replicas that are behind: a reading that lacks a side, or a hedge of it, is not believed while it may be
 * older than what is known to be there. The whole program, on one clock with the service.
 */
import { describe, expect, it } from 'vitest';
import type { Ran, TestDesk } from '../support/desk.ts';
import { type Lag, type LaggingService, laggingService, type Reading } from '../support/lagging-service.ts';

const LONG_MS = 60_000;
const OPEN = 'open USDTNGN buy 10000 --tenor 7 --yes --json';
const CLOSE = 'close USDTNGN buy --yes --json';
const BUY = { side: 'buy', notional_usd: 10_000, tenor_days: 7 };
const TEN_MINUTES = 600_000;

interface Said {
  data: { outcome: string } | null;
  error: { code: string; message: string; effect: string; retry: string; hint?: string } | null;
}
const said = (ran: Ran): Said => JSON.parse(ran.out);
const told = (ran: Ran): unknown => [
  ran.code,
  said(ran).data?.outcome ?? said(ran).error?.code,
  said(ran).error?.effect,
];

/** What it came to, and how long it took by the clock of the desk. */
async function timed(service: LaggingService, running: Promise<Ran>): Promise<{ came: unknown; ms: number }> {
  const from = service.clock.now();
  const came = told(await running);
  return { came, ms: service.clock.now() - from };
}

interface AtDesk {
  service: LaggingService;
  desk: TestDesk;
}

/** This machine has opened 10,000, so many milliseconds ago. */
async function opened(age: number): Promise<AtDesk> {
  const service = await laggingService();
  const desk = service.machine();
  expect(told(await desk.run(OPEN))).toEqual([0, 'filled', undefined]);
  await service.pass(age);
  return { service, desk };
}

/** A colleague has opened 10,000, so many milliseconds ago. */
async function openedElsewhere(age: number): Promise<AtDesk> {
  const service = await laggingService();
  await service.served.colleague('/hedges', BUY);
  await service.pass(age);
  expect(await service.open('buy')).toHaveLength(1);
  return { service, desk: service.machine() };
}

/** Behind once there is an order on its way, and only in the readings of these kinds, each of these times it is read. */
function behindOnce(service: LaggingService, behind: ReturnType<Lag>, ...kinds: readonly Reading[]): void {
  const after = service.served.changes().length;
  const turns = new Map<Reading, number>();
  service.lag((reading) => {
    if (service.served.changes().length === after) return 0;
    const turn = (turns.get(reading) ?? 0) + 1;
    turns.set(reading, turn);
    return kinds.includes(reading) && turn === 2 ? behind : 0;
  });
}

const landsAfter = (service: LaggingService, seconds: number): Promise<unknown> =>
  service.served.desk.service.admin.setWeather({ slow_fills_seconds: seconds });

describe('seconds after a fill of this machine, as replicas show it that are behind', { timeout: LONG_MS }, () => {
  it('close --if-open does not call the side flat, and closes it', async () => {
    const { service, desk } = await opened(2_000);
    service.lag(() => 12_000);
    expect(told(await desk.run(`${CLOSE} --if-open`))).toEqual([0, 'closed', undefined]);
    expect(await service.open('buy')).toEqual([]);
  });

  it.each([
    ['add USDTNGN buy 5000 --yes --json', 15_000],
    ['reduce USDTNGN buy --to 4000 --yes --json', 4_000],
    ['close USDTNGN buy --yes --json', undefined],
  ])('%s does not say that nothing is open, and is done', async (line, left) => {
    const { service, desk } = await opened(2_000);
    service.lag(() => 12_000);
    expect((await desk.run(line)).code).toBe(0);
    expect((await service.open('buy'))[0]?.notional_usd).toBe(left);
  });

  it.each<[string, readonly Reading[]]>([
    ['the positions lack', ['positions']],
    ['the list of hedges lacks', ['hedges']],
    ['positions and list lack', ['positions', 'hedges']],
    ['every reading lacks', ['positions', 'hedges', 'hedge']],
  ])('a close is not CLOSED by one reading in which %s what is still open', async (_, kinds) => {
    const { service, desk } = await opened(2_000);
    await landsAfter(service, 20);
    behindOnce(service, 12_000, ...kinds);
    const { came, ms } = await timed(service, desk.run(CLOSE));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeGreaterThan(20_000);
    expect(await service.open('buy')).toEqual([]);
  });

  it('a reduction of everything is not CLOSED by one such reading', async () => {
    const { service, desk } = await opened(2_000);
    await landsAfter(service, 20);
    behindOnce(service, 12_000, 'positions', 'hedges');
    const { came, ms } = await timed(service, desk.run('reduce USDTNGN buy 10000 --yes --json'));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeGreaterThan(20_000);
  });

  it('a close that nobody waited for is in flight for check and wait, until it is closed in truth', async () => {
    const { service, desk } = await opened(2_000);
    await landsAfter(service, 20);
    expect((await desk.run(`${CLOSE} --no-wait`)).code).toBe(0);
    service.lag((reading) => (reading === 'hedge' ? 0 : 12_000));
    expect(told(await desk.run('check --json'))).toEqual([8, 'pending', 'pending']);
    const [action] = JSON.parse((await desk.run('journal --json')).out).data;
    expect(told(await desk.run(`wait ${action.action_id} --json`))).toEqual([0, 'closed', undefined]);
    expect(await service.open('buy')).toEqual([]);
  });
});
