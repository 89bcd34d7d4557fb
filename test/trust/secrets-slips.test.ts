/** S1: a key that was typed in the place of something else is repeated to nobody and kept nowhere. */
import { describe, it } from 'vitest';
import { expectHeld } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { leaksOf } from '../support/key-home.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';

/** Short enough to be taken for the name of a market. */
const key = 'hk_test_typedWrong7Qz0001';

/** An operator's slip: the key in the place of something else. */
const SLIPS: readonly { words: string; env?: Readonly<Record<string, string>> }[] = [
  { words: 'KEY' },
  { words: 'markets KEY' },
  { words: 'markets --KEY' },
  { words: 'help KEY' },
  { words: 'markets --profile KEY' },
  { words: 'markets --expect-env KEY' },
  { words: 'markets --output KEY' },
  { words: 'markets --query KEY(' },
  { words: 'profile add KEY --base-url https://127.0.0.1:1/v2' },
  { words: 'profile add desk --base-url KEY --key-stdin' },
  { words: 'profile add desk --base-url https://KEY/v2 --key-stdin' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --key KEY' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --api-key=KEY' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --key-file KEY' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --key-command ["KEY"]' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --key-command KEY' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --ca-file KEY' },
  { words: 'profile show', env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://u:KEY@127.0.0.1:1/v2' } },
  { words: 'profile use KEY' },
  { words: 'profile show KEY' },
  { words: 'quote KEY buy 10k --profile practice' },
  { words: 'quote USDTNGN KEY 10k --profile practice' },
  { words: 'quote USDTNGN buy KEY --profile practice' },
  { words: 'hedges KEY -v --profile practice' },
  { words: 'hedges --deal-id KEY -v --profile practice' },
  { words: 'journal KEY' },
  { words: 'journal resolve 7c1e --as executed --reason KEY' },
  { words: 'wait KEY --profile practice' },
  { words: 'open USDTNGN buy 10k --tenor 3 --yes --profile practice --deal-id KEY' },
  { words: 'open USDTNGN buy 10k --tenor 3 --yes --profile practice --idempotency-key KEY' },
  { words: 'open USDTNGN buy 10k --tenor 3 --yes --profile practice --despite KEY' },
  { words: 'api GET /KEY -v --profile practice' },
  { words: 'api KEY /account --profile practice' },
  { words: 'halt KEY' },
  { words: 'batch KEY' },
  { words: 'batch - --name KEY --yes --profile practice' },
  { words: 'completion KEY' },
  { words: 'practice advance KEY' },
  { words: '__complete KEY' },
  { words: 'markets', env: { HEDGE_PROFILE: 'KEY' } },
  { words: 'markets --profile practice', env: { HEDGE_EXPECT_ENV: 'KEY' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'https://127.0.0.1:1/v2', HEDGE_BASE_URL: 'KEY' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'KEY KEY', HEDGE_BASE_URL: 'https://127.0.0.1:1/v2' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://u:KEY@127.0.0.1:1/v2' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://127.0.0.1:1/v2?key=KEY' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://127.0.0.1:1/KEY' } },
  {
    words: 'markets',
    env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://127.0.0.1:1/v2', HEDGE_CA_FILE: 'KEY' },
  },
  {
    words: 'markets',
    env: {
      HEDGE_API_KEY: 'KEY',
      HEDGE_BASE_URL: 'https://x.invalid/v2',
      HTTPS_PROXY: 'http://KEY:KEY@127.0.0.1:1',
    },
  },
  {
    words: 'markets',
    env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://x.invalid/v2', HTTPS_PROXY: 'KEY' },
  },
];

describe('a key in the place of something else', () => {
  it('is repeated to nobody and kept nowhere', async () => {
    const put = (text: string): string => text.replaceAll('KEY', key);
    const found = await inLanes([1, 2, 3, 4], SLIPS, async (_, { words, env = {} }) => {
      const home = temporaryFolder();
      const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, put(value)]));
      const ran = await runHedge(put(words).split(' '), {
        env: { HEDGE_HOME: home, ...given },
        stdin: `open USDTNGN buy 10k --tenor 3 --deal-id ${key}\nhedges ${key}\n`,
      });
      return leaksOf(key, home, ran).map((where) => `${words} ${JSON.stringify(env)}: ${where}`);
    });
    expectHeld('S1 secrets', { runs: SLIPS.length, wrong: found.flat() });
  });
});
