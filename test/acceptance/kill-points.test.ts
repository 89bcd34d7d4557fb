/** A halt killed at each of its points: it holds or it does not, and whoever was told so can rely on it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { killsOf, placeOf, pointText, runNumbered } from '../support/kill-points.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const WORDS = ['halt', 'venue down', '--json'];

async function halted(options: Partial<Parameters<typeof runNumbered>[1]> = {}) {
  const home = temporaryFolder();
  const numbered = await runNumbered(WORDS, { env: { HEDGE_HOME: home }, ...options });
  return { ...numbered, path: join(home, 'state', 'halt.json'), home };
}

describe('a halt', () => {
  it('is on disk, with the folder it is in, before it is reported', async () => {
    const { run, points } = await halted();
    expect(run).toMatchObject({ code: 0, err: '' });
    const texts = points.map((point) => pointText(point).replace(/ \d+$/, ''));
    expect(texts.slice(0, 8)).toEqual([
      'mkdir state',
      'fsync .',
      'open state/halt.json.*.tmp',
      'fchmod state/halt.json.*.tmp',
      'writeFile state/halt.json.*.tmp',
      'fsync state/halt.json.*.tmp',
      'rename state/halt.json.*.tmp',
      'fsync state',
    ]);
    // Then its record, which the halt does not wait for.
    expect(
      texts.slice(8, -2).filter((text) => text !== 'fsync state' && !text.includes(' state/journal')),
    ).toEqual([]);
    expect(texts.slice(-2)).toEqual(['say 1', 'exit the process']);
  });

  it('killed at any point, with or without the power, is there whole or not at all', async () => {
    const { points } = await halted();
    const kills = killsOf(points, 'state');
    expect(kills.length).toBeGreaterThan(2 * points.length);
    await Promise.all(
      kills.map(async (kill) => {
        const { run, path, home } = await halted({ kill });
        expect(run.signal).toBe('SIGKILL');
        const stands = existsSync(path);
        if (stands) expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ why: 'venue down' });
        if (['say', 'exit'].includes(kill.at.call)) expect([kill, stands]).toEqual([kill, true]);
        expect(await runBuilt(WORDS, { env: { HEDGE_HOME: home } })).toMatchObject({ code: 0, err: '' });
      }),
    );
  });

  it('that is not synced is found to be lost with the power', async () => {
    const { points } = await halted({ fault: 'no-sync' });
    expect(points.filter(({ call }) => call === 'fsync')).toEqual([]);
    const at = placeOf(points.at(-1) ?? expect.fail('it did nothing'));
    const kill = { at, how: 'before', loses: 'power' } as const;
    const { path, run } = await halted({ fault: 'no-sync', kill });
    expect([run.out.includes('venue down'), existsSync(path)]).toEqual([true, false]);
  });
});
