import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProfiles, type StoredProfile } from '../../src/config/profiles.ts';
import { aQuarter } from '../support/goal.ts';
import { runModule, temporaryFolder, testMachine } from '../support/own-folder.ts';

const PROFILE: StoredProfile = {
  base_url: 'https://partner.example/v2',
  api_key: 'hk_test_forTestsAlone0001',
  added_at: '2026-11-20T09:00:00Z',
};

describe('processes that add a profile at once', () => {
  it('lose none', async () => {
    const config = join(temporaryFolder(), 'config');
    const store = openProfiles({ places: { config, state: config, cache: config }, machine: testMachine() });
    const script = `
      import { openProfiles } from 'dist/config/profiles.js';
      import { hostOf } from 'dist/platform/host.js';
      import { systemClock } from 'dist/platform/clock.js';
      import { systemRandom } from 'dist/platform/random.js';
      const [config, name] = process.argv.slice(1);
      const machine = { clock: systemClock, random: systemRandom, host: hostOf(process) };
      const store = openProfiles({ places: { config, state: config, cache: config }, machine });
      await store.add(name, ${JSON.stringify(PROFILE)});
    `;
    const names = Array.from({ length: aQuarter(20) }, (_, index) => `desk-${index}`);
    const ends = await Promise.all(names.map((name) => runModule(script, [config, name]).ended));
    expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
    expect(store.list().map(({ name }) => name)).toEqual(names.toSorted());
  });
});
