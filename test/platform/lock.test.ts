/** One process at a time, whatever becomes of the others. */
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withLock } from '../../src/platform/lock.ts';
import { hinting } from '../support/hints.ts';
import { modeOf, steppingClock, temporaryFolder, testMachine } from '../support/own-folder.ts';

describe('a lock', () => {
  it('is an empty private file, and hands the result on', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lock');
    for (const result of ['first', 'second'])
      expect(await withLock(path, testMachine(), () => [result, readdirSync(folder)])).toEqual([
        result,
        ['lock'],
      ]);
    expect([statSync(path).size, modeOf(path), readdirSync(folder)]).toEqual([0, '600', ['lock']]);
  });

  it('is given back when the work fails', async () => {
    const path = join(temporaryFolder(), 'lock');
    const work = withLock(path, testMachine(), () => Promise.reject(new Error('work failed')));
    await expect(work).rejects.toThrow('work failed');
    const clock = steppingClock();
    expect(await withLock(path, testMachine(clock), () => 'mine')).toBe('mine');
    expect(clock.slept()).toBe(0);
  });

  it('makes two pieces of work of one process take turns', async () => {
    const path = join(temporaryFolder(), 'lock');
    const log: string[] = [];
    const work = (name: string) =>
      withLock(path, testMachine(), async () => {
        log.push(`${name} begins`);
        await Promise.resolve();
        log.push(`${name} ends`);
      });
    await Promise.all([work('a'), work('b'), work('c')]);
    expect(log.filter((_, at) => at % 2 === 0).map((line) => line.replace('begins', 'ends'))).toEqual(
      log.filter((_, at) => at % 2 === 1),
    );
    expect(log).toHaveLength(6);
  });

  it('is waited for, 5 s and no longer', async () => {
    const path = join(temporaryFolder(), 'lock');
    const clock = steppingClock();
    await withLock(path, testMachine(), async () => {
      const work = withLock(path, testMachine(clock), () => 'never');
      await expect(work).rejects.toMatchObject({
        code: 'damaged_file',
        retry: 'later',
        what: `Another process has locked ${path} for more than 5 s.`,
      });
    });
    expect(clock.slept()).toBeGreaterThanOrEqual(5_000);
    expect(clock.slept()).toBeLessThan(5_100);
  });

  it.each<[string, (path: string) => void, object]>([
    [
      'has something else in it, as that of an earlier version',
      (path) => writeFileSync(path, '{"token":"x"}', { mode: 0o600 }),
      { what: expect.stringContaining('not a lock of this version'), hint: hinting('rm ') },
    ],
    ['is a link', (path) => symlinkSync('elsewhere', path), { what: expect.stringContaining('link') }],
    ['is a folder', (path) => mkdirSync(path), { what: expect.stringContaining('not a regular file') }],
  ])('whose file %s is refused by its name', async (_what, put, error) => {
    const path = join(temporaryFolder(), 'lock');
    put(path);
    await expect(withLock(path, testMachine(), () => 'mine')).rejects.toMatchObject(error);
  });

  it('says what is wrong when its folder is missing', async () => {
    const work = withLock(join(temporaryFolder(), 'no', 'lock'), testMachine(), () => 'never');
    await expect(work).rejects.toMatchObject({
      code: 'damaged_file',
      what: expect.stringContaining('ENOENT'),
    });
  });
});
