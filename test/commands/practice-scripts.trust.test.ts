/** An open behind a gateway, with broken responses or a revoked key: scripts of the practice service. */
import { describe, expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';

/** Exit code, `outcome`, and hedges that the service has, after one such response; and after nothing but such responses. */
const CASES: readonly (readonly [fault: string, once: string, always: string])[] = [
  ['rate-limited', '0 filled 1', '5 not_sent 0'],
  ['fail-before', '0 filled 1', '7 unknown 0'],
  ['fail-after', '0 filled 1', '7 unknown 1'],
  ['lost-before', '0 filled 1', '7 unknown 0'],
  ['lost-after', '0 filled 1', '7 unknown 1'],
  ['bad-gateway-before', '0 filled 1', '7 unknown 0'],
  ['bad-gateway-after', '0 filled 1', '7 unknown 1'],
  ['gateway-timeout-before', '0 filled 1', '7 unknown 0'],
  ['gateway-timeout-after', '0 filled 1', '7 unknown 1'],
  // A page says nothing about the request, whatever its status.
  ['gateway-forbidden', '7 unknown 0', '7 unknown 0'],
  ['redirect', '7 unknown 0', '7 unknown 0'],
  ['revoked-key', '4 refused 0', '4 refused 0'],
  ['truncated', '0 filled 1', '7 unknown 1'],
  ['invalid-json', '0 filled 1', '7 unknown 1'],
  ['drip', '0 filled 1', '0 filled 1'],
  ['unknown-fields', '0 filled 1', '0 filled 1'],
  ['unknown-status', '0 filled 1', '0 filled 1'],
];
const MOST_ATTEMPTS = 12;

async function openUnder(script: string): Promise<string> {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run('practice settings fill_seconds.min=0 fill_seconds.max=0');
  await cli.run(`practice faults --script ${script} --only open`);
  const ran = await cli.run('open USDTNGN buy 1k --tenor 3 --any-price --deal-id PAY-1 --yes --json');
  expect(ran.document()).toMatchObject({ data: { outcome: expect.any(String) } });
  const [, outcome = ''] = /"outcome":"(\w+)"/.exec(ran.out) ?? [];
  await cli.run('practice faults clear');
  const hedges = (await cli.run('hedges --json')).out.match(/"client_reference":"PAY-1"/g) ?? [];
  return `${ran.code.toString()} ${outcome} ${hedges.length.toString()}`;
}

describe('an open', () => {
  it.each(CASES)('script: %s, and then a response: %s', async (fault, once) => {
    expect(await openUnder(`${fault},none`)).toBe(once);
  });

  it.each(CASES)('script: nothing but %s', async (fault, _once, always) => {
    expect(await openUnder(Array(MOST_ATTEMPTS).fill(fault).join(','))).toBe(always);
  });
});
