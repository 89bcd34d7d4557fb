/** One API key in two profiles, or under two base URLs: said where a profile is added or changed, and by doctor. */
import { describe, expect, it } from 'vitest';
import { ApiKey } from '../../src/domain/api-key.ts';
import { serviceIdentity } from '../../src/journal/account-identity.ts';
import { anIntent, SENDING, step, UNKNOWN } from '../journal/records.ts';
import { LIVE_KEY, SANDBOX_KEY } from '../support/cli-for.ts';
import { unusedPort } from '../support/ports.ts';
import { type Ran, testCli } from '../support/test-cli.ts';
import { writeJournal } from '../support/written-journal.ts';

const ADDRESS = 'https://api.partner.example/v2';
const OTHER = 'https://gateway.partner.example/v2';
const NOT_SHARED = 'limits, open actions and deal IDs are not shared';

function aDesk() {
  const cli = testCli();
  const add = (name: string, url: string, key = SANDBOX_KEY): Promise<Ran> =>
    cli.run(`profile add ${name} --base-url ${url} --key-stdin --no-check`, { stdin: key });
  return { ...cli, add };
}
const oneLine = ({ err, out }: Ran): string => `${out}${err}`.replaceAll(/\s+/g, ' ');

interface Doctor {
  data: { checks: readonly { check: string; verdict: string; todo: string | null }[] };
}
async function profileCheck(running: Promise<Ran>) {
  const { data }: Doctor = JSON.parse((await running).out);
  return data.checks.find(({ check }) => check === 'profile');
}

describe('a profile with an API key that another profile has', () => {
  it('at another base URL shares neither limits nor open actions: profile add says so', async () => {
    const { add } = aDesk();
    expect(oneLine(await add('desk', ADDRESS))).not.toContain('the same API key');
    const said = oneLine(await add('night', OTHER));
    expect(said).toContain(`"desk": the same API key at another base URL.`);
    expect(said).toContain(NOT_SHARED);
  });

  it.each([`https://API.partner.example:443/v2/`, ADDRESS])(
    'at the same base URL is one account with limits of each profile: %s',
    async (url) => {
      const { add } = aDesk();
      await add('desk', ADDRESS);
      const said = oneLine(await add('night', url));
      expect(said).toContain('"desk": the same API key and base URL: one account.');
      expect(said).not.toContain(NOT_SHARED);
    },
  );

  it('is said when a base URL or key changes too', async () => {
    const { add, run } = aDesk();
    await add('desk', ADDRESS);
    await add('night', ADDRESS);
    const said = oneLine(await run(`profile set night --base-url ${OTHER} --no-check`));
    expect(said).toContain('"desk": the same API key at another base URL.');
    expect(oneLine(await run('profile set night --time-zone Africa/Lagos'))).not.toContain(
      'the same API key',
    );
  });

  it('is not said of another key', async () => {
    const { add } = aDesk();
    await add('desk', ADDRESS);
    expect(oneLine(await add('live', OTHER, LIVE_KEY))).not.toContain('the same API key');
  });
});

describe('doctor', () => {
  it('warns of another profile with the same key, for a profile and for a key from the environment', async () => {
    const { add, run } = aDesk();
    const nobody = `https://127.0.0.1:${(await unusedPort()).toString()}/v2`;
    await add('night', OTHER);
    const pair = await profileCheck(
      run('doctor --json', { env: { HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: nobody } }),
    );
    expect(pair?.todo ?? '').toContain('"night": the same API key at another base URL.');
    expect(pair).toMatchObject({ verdict: 'warn' });
    await add('desk', nobody);
    const stored = await profileCheck(run('doctor --json --profile desk'));
    expect(stored?.todo).toContain(NOT_SHARED);
  });

  it('warns of another base URL at which the journal has the same key', async () => {
    const { run, home } = aDesk();
    const nobody = `https://127.0.0.1:${(await unusedPort()).toString()}/v2`;
    const identity = serviceIdentity('sandbox', {
      baseUrl: OTHER,
      keyFingerprint: ApiKey.of(SANDBOX_KEY).fingerprint,
    });
    writeJournal(home, [anIntent({ identity }), step(SENDING), step(UNKNOWN)]);
    const pair = await profileCheck(
      run('doctor --json', { env: { HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: nobody } }),
    );
    expect(pair?.todo).toContain(`The same API key was used at ${OTHER}.`);
  });
});
