/** Readings that show nothing of a side for a moment, of whatever age its hedge is: from a replica that has lost it. */
import { describe, expect, it } from 'vitest';
import { type LaggingService, laggingService, type Reading } from '../support/lagging-service.ts';
import type { TestCli } from '../support/test-cli.ts';

let service: LaggingService;
let desk: TestCli;

/** A side with a hedge of this machine that is an hour old. */
async function anHourOld({ leavesFilled = false } = {}): Promise<void> {
  service = await laggingService();
  if (leavesFilled) service.leavesFilled();
  desk = service.machine();
  await desk.run('open USDTNGN buy 10000 --tenor 7 --yes');
  await service.pass(3_600_000);
  service.readings();
}

/** Each of these shows nothing so many times. */
function lose(times: number, ...readings: readonly Reading[]): void {
  const left = new Map(readings.map((reading) => [reading, times]));
  service.lag((reading) => {
    const count = left.get(reading) ?? 0;
    left.set(reading, count - 1);
    return count > 0 ? 'lost' : 0;
  });
}

const outcome = async (line: string): Promise<string> => {
  const { out } = await desk.run(`${line} --json`);
  const { data, error } = JSON.parse(out);
  return data?.outcome ?? error.code;
};
const openNow = async (): Promise<number> => (await service.open('buy')).length;

describe('a side that two readings in a row do not show', () => {
  it.each([
    ['the positions', ['positions']],
    ['the positions and the list', ['positions', 'hedges']],
  ] as const)('is not taken for flat where %s lost it', async (_, readings) => {
    await anHourOld();
    lose(2, ...readings);
    expect(await outcome('close USDTNGN buy --yes --if-open')).toBe('closed');
    expect(await openNow()).toBe(0);
  });

  it.each([
    ['the positions', ['positions']],
    ['the positions and the list', ['positions', 'hedges']],
  ] as const)('is not taken for closed where %s lost it and the close never lands', async (_, readings) => {
    await anHourOld();
    await service.served.desk.service.admin.setFaults({ slow_fills_seconds: 3_000 });
    await desk.run('close USDTNGN buy --yes --no-wait');
    lose(2, ...readings);
    expect(await outcome('wait --timeout 20')).not.toBe('closed');
    await service.pass(120_000);
    lose(2, ...readings);
    const { out } = await desk.run('check --json');
    expect(out).not.toContain('"outcome":"closed"');
    expect(await openNow()).toBe(1);
  });

  it('is closed by the second of them with its record in the history, where the list keeps it as filled', async () => {
    await anHourOld({ leavesFilled: true });
    await service.served.desk.service.admin.setFaults({ slow_fills_seconds: 0 });
    const startedAt = service.clock.now();
    expect(await outcome('close USDTNGN buy --yes')).toBe('closed');
    expect(service.clock.now() - startedAt).toBeLessThan(10_000);
    await service.pass(3_600_000);
    const againAt = service.clock.now();
    expect(await outcome('close USDTNGN buy --yes --if-open')).toBe('flat');
    expect(service.clock.now() - againAt).toBeLessThan(2_000);
  });
});
