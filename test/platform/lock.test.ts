/** One process at a time, whatever becomes of the others. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError } from '../../src/errors.ts';
import type { ProcessIdentity } from '../../src/platform/host.ts';
import { withLock } from '../../src/platform/lock.ts';
import { hinting } from '../support/hints.ts';
import { steppingClock, temporaryFolder, testMachine } from '../support/own-folder.ts';

const { self } = testMachine().host;
const dead: ProcessIdentity = { ...self, started: '1' };
const token = (digit: string): string => digit.repeat(24);
const held = (path: string, digit: string, process: ProcessIdentity): void =>
  writeFileSync(path, `${JSON.stringify({ token: token(digit), process })}\n`, { mode: 0o600 });

describe('a lock', () => {
  it('is there while the work runs, gone afterwards, and hands the result on', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lock');
    const result = await withLock(path, testMachine(), () => readdirSync(folder));
    expect(result).toEqual(['lock']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is given back when the work fails', async () => {
    const path = join(temporaryFolder(), 'lock');
    const work = withLock(path, testMachine(), () => Promise.reject(new Error('work failed')));
    await expect(work).rejects.toThrow('work failed');
    expect(existsSync(path)).toBe(false);
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

  it('waits for a living holder, 5 s and no longer, and names it', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lock');
    held(path, 'a', self);
    const clock = steppingClock();
    const work = withLock(path, testMachine(clock), () => 'never');
    await expect(work).rejects.toThrow(DamagedFileError);
    await expect(work).rejects.toMatchObject({
      code: 'damaged_file',
      retry: 'later',
      what: `Process ${self.pid.toString()} has locked ${path} for more than 5 s.`,
    });
    expect(clock.slept()).toBeGreaterThanOrEqual(5_000);
    expect(clock.slept()).toBeLessThan(5_100);
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  it('leaves alone what another machine holds, and says how to remove it', async () => {
    const path = join(temporaryFolder(), 'lock');
    held(path, 'a', { ...dead, hostname: 'elsewhere', boot: 'another' });
    const work = withLock(path, { ...testMachine(), waitMs: 100 }, () => 'never');
    await expect(work).rejects.toMatchObject({
      what: expect.stringContaining('on "elsewhere"'),
      hint: hinting(`rm ${path}`),
    });
    expect(existsSync(path)).toBe(true);
  });

  it('leaves alone a process whose start is not known, and says what to do if another program has its number', async () => {
    const path = join(temporaryFolder(), 'lock');
    held(path, 'a', { ...self, started: null });
    const work = withLock(path, { ...testMachine(), waitMs: 100 }, () => 'never');
    await expect(work).rejects.toMatchObject({
      hint: hinting(`Try again when that process has ended.\nIf it is not hedge: rm ${path}`),
    });
    expect(existsSync(path)).toBe(true);
  });

  it('says what is wrong when its folder is missing', async () => {
    const work = withLock(join(temporaryFolder(), 'no', 'lock'), testMachine(), () => 'never');
    await expect(work).rejects.toMatchObject({
      code: 'damaged_file',
      what: expect.stringContaining('ENOENT'),
    });
  });
});

describe('a lock that a dead process left', () => {
  it.each<{ what: string; leave: (path: string) => void }>([
    { what: 'is taken at once', leave: (path) => held(path, 'a', dead) },
    {
      what: 'is taken when a power cut emptied it',
      leave: (path) => writeFileSync(path, '', { mode: 0o600 }),
    },
    {
      what: 'is taken when a power cut cut it',
      leave: (path) => writeFileSync(path, '{"tok', { mode: 0o600 }),
    },
    {
      what: 'is taken when a power cut filled it with zeros',
      leave: (path) => writeFileSync(path, '\0'.repeat(90), { mode: 0o600 }),
    },
    {
      what: 'is taken when the one that was taking it died too',
      leave: (path) => {
        held(path, 'a', dead);
        held(`${path}.${token('a')}.break`, 'b', dead);
        held(`${path}.${token('b')}.break`, 'c', dead);
        held(`${path}.${token('d')}.new`, 'd', dead);
      },
    },
  ])('$what, and nothing of it remains', async ({ leave }) => {
    const folder = temporaryFolder();
    const path = join(folder, 'lock');
    leave(path);
    const clock = steppingClock();
    expect(await withLock(path, testMachine(clock), () => readdirSync(folder))).toEqual(['lock']);
    expect(clock.slept()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is left to a living process that is already taking it away', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lock');
    held(path, 'a', dead);
    held(`${path}.${token('a')}.break`, 'b', self);
    const work = withLock(path, { ...testMachine(), waitMs: 200 }, () => 'never');
    await expect(work).rejects.toThrow(DamagedFileError);
    expect(readdirSync(folder).toSorted()).toEqual(['lock', `lock.${token('a')}.break`]);
  });
});
