/** The limit of what may be open, over the rows of a deals file: on a side with a position, and while colleagues open. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DeskMachine, deskOfMachines } from '../support/desk-machines.ts';
import type { Ran } from '../support/test-cli.ts';

const errorOf = (ran: Ran): { code?: string } => Object(ran.document()).error ?? {};

function fileOf({ home }: DeskMachine, ...sizes: readonly number[]): string {
  const path = join(home, 'deals.csv');
  const rows = sizes.map((size, at) => `USDTNGN,buy,${size.toString()},3,ROW-${at.toString()}`);
  writeFileSync(path, ['market,side,notional_usd,tenor_days,deal_id', ...rows, ''].join('\n'));
  return path;
}

/** 10,000 bought and 5,000 sold of 20,000 that may be open. */
async function deskWithPositions() {
  const desk = await deskOfMachines();
  const cron = await desk.joined('cron');
  const bisi = await desk.joined('bisi', { role: 'approver' });
  await bisi.ok('desk limit --max-open 20k');
  await bisi.ok('open USDTNGN buy 10k --tenor 3 --yes');
  await bisi.ok('open USDTNGN sell 5k --tenor 3 --yes');
  return { desk, cron, bisi };
}

type Opened = Awaited<ReturnType<typeof deskWithPositions>>;

describe('deals under a limit of the desk for what is open', () => {
  it('are checked and opened on sides that have a position already, up to the limit', async () => {
    const { desk, cron } = await deskWithPositions();
    const fits = fileOf(cron, 2_000, 3_000);
    await cron.ok(`deals check ${fits}`);
    await cron.ok(`deals run ${fits} --yes`);
    expect(await desk.served.openOn('buy')).toBe(15_000);
    const over = fileOf(cron, 2_000, 3_000, 1);
    for (const line of [`deals check ${over} --json`, `deals run ${over} --yes --json`])
      expect(errorOf(await cron.run(line)).code).toBe('limit_exceeded');
    expect(await desk.served.openOn('buy')).toBe(15_000);
  });

  it('count the rows before them, and what a colleague adds, once each', async () => {
    const { desk, cron, bisi } = await deskWithPositions();
    expect(errorOf(await cron.run(`deals check ${fileOf(cron, 3_000, 2_001)} --json`)).code).toBe(
      'limit_exceeded',
    );
    await bisi.ok('open USDTNGN buy 1000 --tenor 3 --deal-id BIS-1 --yes --no-wait');
    expect(errorOf(await cron.run(`deals check ${fileOf(cron, 2_000, 2_001)} --json`)).code).toBe(
      'limit_exceeded',
    );
    await cron.ok(`deals run ${fileOf(cron, 2_000, 2_000)} --yes`);
    expect((await desk.served.openOn('buy')) + (await desk.served.openOn('sell'))).toBe(20_000);
  });

  it.each<[string, (desk: Opened) => Promise<unknown>]>([
    ['with this program', ({ bisi }) => bisi.ok('open USDTNGN buy 3000 --tenor 3 --yes')],
    [
      'with another',
      ({ desk }) => desk.served.colleague('/hedges', { side: 'buy', notional_usd: 3_000, tenor_days: 3 }),
    ],
  ])('count what a colleague opens %s while the operator is asked', async (_, opens) => {
    const opened = await deskWithPositions();
    const { desk, cron } = opened;
    const ran = await cron.run(`deals run ${fileOf(cron, 2_000, 2_000)}`, {
      terminal: { isTTY: { stdin: true, stderr: true } },
      answer: async () => opens(opened).then(() => 'y\r'),
    });
    expect([ran.code, ran.err.includes('above the limit of desk')]).toEqual([10, true]);
    expect((await desk.served.openOn('buy')) + (await desk.served.openOn('sell'))).toBe(20_000);
  });
});
