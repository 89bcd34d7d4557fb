/**
 * One deal ID is one hedge on every machine, also after a rejection, a failed order, or a restored journal, whatever the
 * service remembers under its idempotency keys. Where there are two, the run that can see it names both and exits 7.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type KeyRules, keyedService } from '../support/keyed-service.ts';
import type { Ran, TestCli } from '../support/test-cli.ts';

const HOUR_MS = 3_600_000;
const RULES: readonly (readonly [string, KeyRules])[] = (['kept', 'forgotten'] as const).flatMap(
  (rejections) =>
    [Number.POSITIVE_INFINITY, HOUR_MS].flatMap((lifeMs) =>
      [0, 60_000].map(
        (lagMs) =>
          [
            `rejections ${rejections}, keys for ${lifeMs === HOUR_MS ? 'an hour' : 'ever'}, lists ${lagMs === 0 ? 'of now' : '60 s behind'}`,
            { rejections, lifeMs, lagMs },
          ] as const,
      ),
    ),
);

const ENSURE = 'open USDTNGN buy 1000 -t 3 --deal-id PAY-1 --ensure --yes --json';
const HEADER = 'deal_id,market,side,notional_usd,tenor_days,max_cost_bps';

/** The ways to open the deal ID PAY-1 once. */
const WAYS: Readonly<Record<string, (machine: TestCli) => Promise<Ran>>> = {
  'open --ensure': (machine) => machine.run(ENSURE),
  'open --deal-id': (machine) => machine.run(ENSURE.replace(' --ensure', '')),
  'deals run': (machine) => {
    const path = join(machine.home, 'deals.csv');
    writeFileSync(path, `${HEADER}\nPAY-1,USDTNGN,buy,1000,3,300\n`);
    return machine.run(`deals run ${path} --retry-failed --yes --json`);
  },
  batch: (machine) =>
    machine.run('batch - --yes --json', { stdin: `${ENSURE.replace(' --yes --json', '')}\n` }),
};

describe.each(Object.entries(WAYS))('%s, after a rejection that one machine has recorded', (_way, run) => {
  it.each(RULES)('opens once, whichever of two machines comes first: %s', async (_rules, rules) => {
    const service = await keyedService();
    for (const first of [0, 1]) {
      await service.begin(rules);
      const machines = [service.machine(), service.machine()] as const;
      service.reject('exposure_exceeded');
      expect((await run(machines[0])).code).toBe(3);
      service.reject(undefined);
      const order = [machines[first], machines[1 - first]];
      for (let round = 0; round < 3; round += 1)
        for (const machine of order) if (machine !== undefined) await run(machine);
      expect(await service.opened('PAY-1')).toHaveLength(1);
    }
  });
});
