/** `hedge roll show`: the cost of legs that were added to, or closed before their maturity, on the practice service. */
import { describe, expect, it } from 'vitest';
import { ON_A_TERMINAL, type TestCli, testCli } from '../support/test-cli.ts';

const NOW = 'roll USDTNGN buy --tenor 3 --at now --yes';
const ADD = 'add USDTNGN buy 5k --any-price --yes';
const PLAN = 'roll PAY-1 --tenor 3 --at maturity --yes';
const CLOSE = 'close USDTNGN buy --yes';

type Leg = Readonly<Record<string, number>> & { readonly missing: readonly string[] };
interface Shown {
  legs: readonly [Leg, Leg];
  missing: readonly string[];
}

/** With PAY-1, and after these commands. */
async function desk(...lines: readonly string[]): Promise<TestCli> {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  for (const line of ['open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes', ...lines])
    expect([line, (await cli.run(line)).code]).toEqual([line, 0]);
  return cli;
}

async function costOf(cli: TestCli): Promise<Shown> {
  const { data }: { data: { derived: Shown } } = JSON.parse((await cli.run('roll show PAY-1 --json')).out);
  return data.derived;
}

async function ofRollingAlone(cli: TestCli): Promise<number> {
  const { out } = await cli.run('roll show PAY-1', ON_A_TERMINAL);
  return Number(/of rolling alone: ([\d.]+)/.exec(out.replaceAll(/\s+/g, ' '))?.[1]);
}

describe('the cost of a leg that was added to', () => {
  it('has the impact of the add too, and says that its slippage is not known', async () => {
    const open = (await costOf(await desk(PLAN))).legs[0];
    const { legs, missing } = await costOf(await desk(ADD, NOW));
    expect(open['impact_cost_usd']).toBeGreaterThan(0);
    expect(legs[0]['impact_cost_usd']).toBeGreaterThan((open['impact_cost_usd'] ?? 0) * 1.2);
    expect(legs[0]['slippage_usd']).toBeNull();
    expect([legs[0].missing, missing]).toEqual([['slippage_usd'], ['slippage_usd']]);
  });

  it('while it is open has the carry and the fees of the add', async () => {
    const open = (await costOf(await desk(PLAN))).legs[0];
    const { legs } = await costOf(await desk(ADD, PLAN));
    expect(legs[0]).toMatchObject({ notional_usd: 15_000, platform_fee_usdc: 15 });
    expect(legs[0]['carry_usdc']).toBeGreaterThan((open['carry_usdc'] ?? 0) * 1.2);
  });

  it('does not have an add to another hedge of the side', async () => {
    const other = 'open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes';
    const { legs, missing } = await costOf(await desk(other, ADD, PLAN));
    expect([legs[0]['notional_usd'], legs[0]['platform_fee_usdc'], missing]).toEqual([10_000, 10, []]);
  });

  it('is that of the leg at its size after the add, also of leg 2', async () => {
    const { legs } = await costOf(await desk(NOW, ADD));
    expect(legs[1]).toMatchObject({ notional_usd: 15_000, platform_fee_usdc: 15, missing: ['slippage_usd'] });
  });
});

describe('the cost of a leg that was closed before its maturity', () => {
  it('has the fee to close leg 2 apart, and rolling alone does not have it', async () => {
    const cli = await desk(NOW);
    const [first, open] = (await costOf(cli)).legs;
    await cli.run(CLOSE);
    const [, closed] = (await costOf(cli)).legs;
    expect([open['platform_fee_usdc'], closed['platform_fee_usdc'], closed['close_fee_usdc']]).toEqual([
      10, 10, 5,
    ]);
    const alone = (closed['cost_usdc'] ?? 0) - 5 + (first['close_fee_usdc'] ?? 0);
    expect(await ofRollingAlone(cli)).toBeCloseTo(alone, 2);
  });

  it('has it apart of a leg 1 too that the roll did not close', async () => {
    const { legs } = await costOf(await desk(PLAN, CLOSE));
    expect(legs[0]).toMatchObject({ platform_fee_usdc: 10, close_fee_usdc: 5 });
  });

  it('has no fee to close a leg 2 that settled', async () => {
    const cli = await desk(NOW, 'practice advance 73h');
    const [, settled] = (await costOf(cli)).legs;
    expect(settled).toMatchObject({ platform_fee_usdc: 10, close_fee_usdc: 0 });
  });
});
