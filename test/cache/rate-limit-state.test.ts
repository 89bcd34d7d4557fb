/** A word to slow down, kept for every process of a user: believed within reason, and of no consequence when lost. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_RATE_LIMIT_WAIT_MS, openRateLimitState } from '../../src/cache/rate-limit-state.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { steppingClock, temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';

const IDENTITY = 'live https://desk.partner.test/v2 key 1a2b3c4d';

function aMemory(home = temporaryFolder(), { clock = steppingClock(), identity = IDENTITY } = {}) {
  const places = pathsOf({
    env: { HEDGE_HOME: home },
    host: { platform: 'linux', uid: process.geteuid?.() },
    home,
  });
  const folder = join(places.cache, 'slow-down');
  const memory = openRateLimitState(places, testMachine(clock), identity);
  const path = (): string => join(folder, readdirSync(folder)[0] ?? '');
  /** Another process at the same moment. */
  const another = (of = IDENTITY) => openRateLimitState(places, testMachine(clock), of);
  return { memory, clock, home, folder, path, another };
}

describe('a rate limit', () => {
  it('is heeded by another process until it is over, and by no other key or address', async () => {
    const { memory, clock, another } = aMemory();
    memory.record(3_000);
    expect(another().until()).toBe(3_000);
    expect(another(IDENTITY.replace('1a2b', '0000')).until()).toBeUndefined();
    expect(another(IDENTITY.replace('desk', 'other')).until()).toBeUndefined();
    await clock.sleep(2_999);
    expect(another().until()).toBe(3_000);
    await clock.sleep(1);
    expect([memory.until(), another().until()]).toEqual([undefined, undefined]);
  });

  it('is one small file, 0600 in a folder of 0700, however often it is recorded', async () => {
    const { memory, folder, path } = aMemory();
    await withUmask(0, () => {
      for (let until = 1_000; until < 30_000; until += 7) memory.record(until);
    });
    expect(readdirSync(folder)).toHaveLength(1);
    const { mode, size } = statSync(path());
    expect([mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(size).toBeLessThan(200);
  });

  it('that ends hardly later than the current one is not written again', () => {
    const { memory, path, another } = aMemory();
    memory.record(3_000);
    const before = statSync(path()).ino;
    for (const until of [1, 2_000, 3_000, 3_040]) another().record(until);
    expect(statSync(path()).ino).toBe(before);
    another().record(3_100);
    expect(memory.until()).toBe(3_100);
  });

  it('counts for a minute at most, however long it was meant', () => {
    const { memory, another } = aMemory();
    memory.record(999_999_000);
    expect([memory.until(), another().until()]).toEqual([MAX_RATE_LIMIT_WAIT_MS, MAX_RATE_LIMIT_WAIT_MS]);
  });

  it('that is already over is not kept', () => {
    const { memory, home } = aMemory();
    memory.record(0);
    expect([memory.until(), readdirSync(home)]).toEqual([undefined, []]);
  });

  it('counts for nothing when the clock was set back since', async () => {
    const clock = steppingClock();
    await clock.sleep(3_600_000);
    const { memory, home } = aMemory(temporaryFolder(), { clock });
    memory.record(3_610_000);
    expect(memory.until()).toBe(3_610_000);
    expect(aMemory(home).memory.until()).toBeUndefined();
  });

  it('is asked for without a file being there, and makes none', () => {
    const { memory, home } = aMemory();
    expect([memory.until(), readdirSync(home)]).toEqual([undefined, []]);
  });
});

const told = (path: string, word: unknown): void =>
  writeFileSync(path, JSON.stringify(word), { mode: 0o600 });

describe('an implausible rate limit', () => {
  it.each<[string, (path: string) => void]>([
    ['reaches days ahead', (path) => told(path, { identity: IDENTITY, until: 9_999_999_999_999 })],
    [
      'reaches further than a minute',
      (path) => told(path, { identity: IDENTITY, until: MAX_RATE_LIMIT_WAIT_MS + 1 }),
    ],
    ['is of another identity', (path) => told(path, { identity: 'x', until: 3_000 })],
    ['has no end', (path) => told(path, { identity: IDENTITY })],
    ['ends at a text', (path) => told(path, { identity: IDENTITY, until: '3000' })],
    [
      'is past all numbers',
      (path) => writeFileSync(path, `{"identity":"${IDENTITY}","until":1e999}`, { mode: 0o600 }),
    ],
    ['is a list', (path) => told(path, [3_000])],
    ['is null', (path) => told(path, null)],
    ['was cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, 30))],
    ['is empty', (path) => writeFileSync(path, '')],
    ['is no text', (path) => writeFileSync(path, Buffer.from([0, 255, 254, 10, 0]))],
    ['is huge', (path) => writeFileSync(path, `${readFileSync(path, 'utf8')}${' '.repeat(100_000)}`)],
    ['can be written by others', (path) => chmodSync(path, 0o622)],
    [
      'is a folder',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      'is a link to a good one',
      (path) => {
        writeFileSync(`${path}.good`, readFileSync(path), { mode: 0o600 });
        rmSync(path);
        symlinkSync(`${path}.good`, path);
      },
    ],
  ])('%s', (_, damage) => {
    const { memory, path, another } = aMemory();
    memory.record(3_000);
    const at = path();
    damage(at);
    expect(another().until()).toBeUndefined();
    // Others may still get a 429 of their own, and each waits at least as long as its own says.
    const next = another();
    next.record(4_000);
    expect(next.until()).toBe(4_000);
  });

  it('cannot be written: this process heeds its own, and nothing fails', () => {
    const { memory, folder, another } = aMemory();
    mkdirSync(dirname(folder), { recursive: true });
    writeFileSync(folder, 'a file where the folder should be', { mode: 0o600 });
    memory.record(3_000);
    expect([memory.until(), another().until()]).toEqual([3_000, undefined]);
  });
});
