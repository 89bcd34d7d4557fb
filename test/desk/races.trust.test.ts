/** Machines of one desk that do the same at the same moment: what the log's lock admits. */
import { describe, expect, it } from 'vitest';
import {
  type DeskMachine,
  type DeskOfMachines,
  deskOfMachines,
  type LogRecord,
} from '../support/desk-machines.ts';
import { IN_FULL } from '../support/goal.ts';
import type { Ran } from '../support/test-cli.ts';

const MACHINES = IN_FULL ? 20 : 4;
const ROUNDS = IN_FULL ? 50 : 2;

async function machines(desk: DeskOfMachines): Promise<readonly DeskMachine[]> {
  const all: DeskMachine[] = [];
  for (let at = 0; at < MACHINES; at += 1)
    all.push(await desk.joined(`m${at.toString()}`, { role: at === 0 ? 'approver' : 'dealer' }));
  return all;
}

const atOnce = (
  all: readonly DeskMachine[],
  words: string | ((machine: DeskMachine) => string),
): Promise<readonly Ran[]> =>
  Promise.all(all.map((each) => each.run(typeof words === 'string' ? words : words(each))));

const code = (ran: Ran): unknown => {
  const document = ran.document();
  return Object(document).error?.code;
};

const admitted = (records: readonly LogRecord[]): number =>
  records
    .filter(({ record }) => record.kind === 'intent')
    .reduce((sum, { record }) => sum + Number(record['notional_usd']), 0);

describe('machines that open at the same moment', () => {
  it('share the last 1,000 USD of the daily limit of the desk, and never exceed it', async () => {
    const desk = await deskOfMachines();
    const all = await machines(desk);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const limit = round * 1_000;
      await all[0]?.ok(`desk limit --max-daily-notional ${limit.toString()}`);
      const before = admitted(await desk.records());
      const ran = await atOnce(all, 'open USDTNGN buy 600 --tenor 3 --yes --allow-duplicate --json');
      const now = admitted(await desk.records());
      expect(now).toBeLessThanOrEqual(limit);
      expect(ran.filter((each) => each.code === 0).length * 600).toBe(now - before);
      expect(now - before).toBeGreaterThan(0);
      for (const each of ran.filter((one) => one.code !== 0))
        expect([each.err, code(each)]).toEqual([each.err, 'limit_exceeded']);
    }
    expect(await desk.served.openOn('buy')).toBe(admitted(await desk.records()));
  });

  it('share the last 1,000 USD that may be open', async () => {
    const desk = await deskOfMachines();
    const all = await machines(desk);
    await all[0]?.ok('desk limit --max-open 1000');
    const ran = await atOnce(all, 'open USDTNGN buy 600 --tenor 3 --yes --allow-duplicate --json');
    expect(ran.map((each) => each.code).toSorted((one, other) => one - other)).toEqual([
      0,
      ...all.slice(1).map(() => 10),
    ]);
    expect(new Set(ran.filter((each) => each.code !== 0).map(code))).toEqual(new Set(['limit_exceeded']));
    expect(await desk.served.openOn('buy')).toBe(600);
  });

  it('open one deal under one deal ID', async () => {
    const desk = await deskOfMachines();
    const all = await machines(desk);
    const ran = await atOnce(all, 'open USDTNGN buy 600 --tenor 3 --deal-id PAY-1 --yes --json');
    expect(ran.filter((each) => each.code === 0)).toHaveLength(1);
    expect(new Set(ran.filter((each) => each.code !== 0).map(code))).toEqual(new Set(['deal_id_used']));
    expect(desk.served.acted('/hedges')).toBe(1);
    const again = await atOnce(all, 'open USDTNGN buy 600 --tenor 3 --deal-id PAY-1 --ensure --yes --json');
    expect(again.map((each) => each.code)).toEqual(all.map(() => 0));
    expect(desk.served.acted('/hedges')).toBe(1);
  });

  it('enter the same deal without a deal ID once, unless somebody says that it is another', async () => {
    const desk = await deskOfMachines();
    const all = await machines(desk);
    const ran = await atOnce(all, 'open USDTNGN buy 600 --tenor 3 --yes --json');
    expect(ran.filter((each) => each.code === 0)).toHaveLength(1);
    expect(desk.served.acted('/hedges')).toBe(1);
    for (const each of ran.filter((one) => one.code !== 0))
      expect(['duplicate', 'in_flight']).toContain(code(each));
  });
});

it('a halt during opens: none is admitted after its record, and every machine is stopped', async () => {
  const desk = await deskOfMachines();
  const all = await machines(desk);
  const [first, ...others] = all;
  const opening = atOnce(
    others,
    (each) => `open USDTNGN buy 600 --tenor 3 --deal-id PAY-${each.name} --yes --json`,
  );
  await first?.ok(['halt', 'venue down']);
  const ran = await opening;
  const records = await desk.records();
  const halted = records.findIndex(({ record }) => record.kind === 'halt');
  expect(halted).toBeGreaterThan(0);
  expect(records.slice(halted).filter(({ record }) => record.kind === 'intent')).toEqual([]);
  const opened = records.filter(({ record }) => record.kind === 'intent');
  expect(ran.filter((each) => each.code === 0)).toHaveLength(opened.length);
  expect(desk.served.acted('/hedges')).toBe(opened.length);
  for (const each of await atOnce(
    all,
    (one) => `open USDTNGN buy 600 --tenor 3 --deal-id LATER-${one.name} --yes --json`,
  ))
    expect([each.code, code(each)]).toEqual([10, 'halted']);
});

it('two machines that close one side at the same moment close it once', async () => {
  const desk = await deskOfMachines();
  const all = await machines(desk);
  await all[0]?.ok('open USDTNGN buy 600 --tenor 3 --yes');
  const ran = await atOnce(all, 'close USDTNGN buy --yes --json');
  expect(await desk.served.openOn('buy')).toBe(0);
  expect(desk.served.acted('/hedges/close')).toBe(1);
  expect(ran.filter((each) => each.code === 0).length).toBeGreaterThanOrEqual(1);
});
