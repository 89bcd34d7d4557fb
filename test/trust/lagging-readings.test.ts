/**
 * Random days at a service whose readings come from replicas up to 15 s behind, each request another one. Nothing is
 * told closed or flat while a hedge of this machine is open there, and whatever is closed is told so in the end. Some
 * services leave a closed hedge `filled`. A failure prints the day's number and its steps.
 */
import { describe, it } from 'vitest';
import { expectHeld, howMany } from '../support/goal.ts';
import { type LaggingService, laggingService } from '../support/lagging-service.ts';
import { seededRandom } from '../support/steady-clock.ts';
import type { Ran, TestCli } from '../support/test-cli.ts';

const FURTHEST_BEHIND_MS = 15_000;
const SIDES = ['buy', 'sell'] as const;
type Side = (typeof SIDES)[number];

interface JournalAction {
  action_id: string;
  action: string;
  state: string;
  request: { side: Side };
  receipt: { hedge_id: string | null };
  before: { hedges: readonly unknown[] };
}

interface Told {
  data: { outcome?: string; request?: { side?: Side } } | null;
  error: { code: string; message: string } | null;
}

/** One random day: `pick` and `chance` repeat themselves for the same seed. */
interface Day {
  service: LaggingService;
  desk: TestCli;
  pick: <T>(among: readonly [T, ...T[]]) => T;
  chance: (share: number) => boolean;
  /** The service leaves a hedge `filled` that was closed early. */
  leaves: boolean;
  /** What was done, in order. */
  steps: string[];
  /** What must never be and was. */
  wrong: string[];
}

async function run(day: Day, line: string): Promise<Ran> {
  const ran = await day.desk.run(line);
  day.steps.push(`${line} -> ${ran.code.toString()}`);
  await judge(day, line, ran);
  return ran;
}

const journalOf = async ({ desk }: Day): Promise<readonly JournalAction[]> =>
  JSON.parse((await desk.run('journal --limit 500 --json')).out).data;

/** Nothing of this machine is open on a side of which it was just said that it is flat or closed. */
async function judge(day: Day, line: string, ran: Ran): Promise<void> {
  if (ran.code === 1 || ran.out === '')
    day.wrong.push(`${line} ended with ${ran.code.toString()}: ${ran.err}`);
  const told: Told | readonly unknown[] = JSON.parse(ran.out);
  const outcome = 'data' in told ? told.data?.outcome : undefined;
  const side = SIDES.find((each) => line.includes(` ${each} `));
  if (side === undefined || (outcome !== 'closed' && outcome !== 'flat')) return;
  const open = await ownOpen(day, side);
  if (open.length > 0) day.wrong.push(`${line} said ${outcome}, and ${open.join(', ')} is open`);
}

/** Hedges of this machine that are open in truth. */
async function ownOpen(day: Day, side: Side): Promise<readonly string[]> {
  const own = new Set((await journalOf(day)).map(({ receipt }) => receipt.hedge_id));
  return (await day.service.open(side)).flatMap(({ id }) => (own.has(id) ? [id] : []));
}

const STEPS: Readonly<Record<string, (day: Day) => Promise<unknown>>> = {
  open: (day) =>
    run(
      day,
      `open USDTNGN ${day.pick(SIDES)} ${day.pick(['1000', '2500', '10000'])} --tenor 7 --yes --json --allow-duplicate${day.chance(0.2) ? ' --no-wait' : ''}`,
    ),
  add: (day) => run(day, `add USDTNGN ${day.pick(SIDES)} 500 --yes --json --allow-duplicate`),
  reduce: (day) =>
    run(
      day,
      `reduce USDTNGN ${day.pick(SIDES)} ${day.pick(['400', '--by 50%', '--by 100%'])} --yes --json --allow-duplicate`,
    ),
  close: (day) =>
    run(
      day,
      `close USDTNGN ${day.pick(SIDES)} --yes --json${day.pick(['', '', ' --if-open', ' --if-open', ' --no-wait', ' --timeout 6'])}`,
    ),
  check: (day) => run(day, 'check --json'),
  async colleague({ service, steps, pick, chance }) {
    const side = pick(SIDES);
    const opens = chance(0.7) || (await service.open(side)).length === 0;
    steps.push(`a colleague ${opens ? 'opens' : 'closes'} ${side}`);
    await (opens
      ? service.served.colleague('/hedges', { side, notional_usd: 3_000, tenor_days: 7 })
      : service.served.colleague('/hedges/close', { side }));
  },
  async passes({ service, steps, pick }) {
    const ms = pick([1_000, 3_000, 10_000, 30_000, 90_000]);
    steps.push(`${(ms / 1_000).toString()} s pass`);
    await service.pass(ms);
  },
  async slow({ service, steps, pick }) {
    const seconds = pick([0, 5, 20]);
    steps.push(`orders land ${seconds.toString()} s late`);
    await service.served.desk.service.admin.setFaults({ slow_fills_seconds: seconds });
  },
};
const NAMES = [
  'open',
  'open',
  'add',
  'reduce',
  'close',
  'close',
  'close',
  'check',
  'colleague',
  'passes',
  'passes',
  'slow',
] as const;

async function played(service: LaggingService, seed: number): Promise<readonly string[]> {
  const { fraction } = seededRandom(seed);
  const chance = (share: number): boolean => fraction() < share;
  const pick: Day['pick'] = (among) => among[Math.floor(fraction() * among.length)] ?? among[0];
  await service.reset(seed);
  service.lag(() => (chance(0.3) ? 0 : fraction() * FURTHEST_BEHIND_MS));
  const leaves = chance(0.4);
  if (leaves) service.leavesFilled();
  const day: Day = { service, desk: service.machine(), pick, chance, leaves, steps: [], wrong: [] };
  for (let step = 0; step < 9; step += 1) await STEPS[pick(NAMES)]?.(day);
  await evening(day);
  return day.wrong.map((each) => `day ${seed.toString()}: ${each}\n  ${day.steps.join('\n  ')}`);
}

/**
 * When all orders have landed it is told: what is closed as closed, but where it looks filled beside what was opened
 * since, or its time limit passed before the list had what it took; and what is open is closed.
 */
async function evening(day: Day): Promise<void> {
  const { service, wrong, leaves } = day;
  await service.served.desk.service.admin.clearFaults();
  await service.pass(360_000);
  await run(day, 'check --json');
  const closes = (await journalOf(day)).filter(({ action }) => action === 'close');
  for (const { action_id: id, request, before, state } of closes) {
    const canBeTold =
      (await service.open(request.side)).length === 0 || (!leaves && before.hedges.length > 0);
    if (state === 'accepted' && canBeTold) wrong.push(`close ${id} has landed, and is not told so`);
  }
  for (const side of SIDES) {
    const { code } = await run(day, `close USDTNGN ${side} --if-open --yes --json`);
    if (code !== 0) wrong.push(`in the evening ${side} could not be closed: ${code.toString()}`);
  }
}

describe('random days at a service whose readings lag', () => {
  it('call nothing closed or flat that is open, and in the end call closed what is', async () => {
    const days = howMany(8, 70);
    const service = await laggingService();
    const wrong: string[] = [];
    for (let seed = 1; seed <= days; seed += 1) wrong.push(...(await played(service, seed)));
    expectHeld('R19 random days with readings up to 15 s behind', { runs: days, wrong });
  });
});
