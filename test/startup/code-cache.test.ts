import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCodeCache } from '../../src/startup/code-cache.ts';
import { steppingClock, temporaryFolder, testMachine } from '../support/own-folder.ts';

const SCRIPT = {
  text: '({"quote.cjs":()=>{}, "\u20a6":1})',
  code: Buffer.from(Array.from({ length: 300 }, (_, at) => at % 256)),
};

function kept(options: { cache?: string; variant?: string; command?: string } = {}) {
  const { cache = temporaryFolder(), variant = 'a-20-x64', command = 'quote' } = options;
  const clock = steppingClock();
  const places = { cache, config: join(cache, 'config') };
  const code = openCodeCache(places, { variant, command, machine: testMachine(clock) });
  return { cache, clock, path: join(cache, 'code', variant, command), ...code };
}

describe('compiled code', () => {
  it('is there for the next start of the same command of the same build, and for no other', () => {
    const { cache, write, path } = kept();
    const inAscii = { ...SCRIPT, text: '({"quote.cjs":()=>{}})' };
    write(inAscii);
    expect(kept({ cache }).read()).toEqual(inAscii);
    write(SCRIPT);
    expect(kept({ cache }).read()).toEqual(SCRIPT);
    expect(kept({ cache, command: 'open' }).read()).toBeUndefined();
    expect(kept({ cache, variant: 'b-20-x64' }).read()).toBeUndefined();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that was changed in any byte, or cut anywhere, is none: V8 would run it as it is', () => {
    const { write, path, read } = kept();
    write(SCRIPT);
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      const broken = Buffer.from(whole);
      broken.writeUInt8(broken.readUInt8(at) ^ 0x10, at);
      writeFileSync(path, broken);
      expect(read()).toBeUndefined();
      writeFileSync(path, whole.subarray(0, at));
      expect(read()).toBeUndefined();
    }
    write(SCRIPT);
    expect(read()).toEqual(SCRIPT);
  });

  it('that others could have written is none', () => {
    const { write, path, read } = kept();
    write(SCRIPT);
    chmodSync(path, 0o620);
    expect(read()).toBeUndefined();
  });

  it('is done without where it cannot be kept', () => {
    const cache = join(temporaryFolder(), 'cache');
    writeFileSync(cache, 'in the way');
    const { write, read } = kept({ cache });
    write(SCRIPT);
    expect(read()).toBeUndefined();
  });

  it('is kept of sixty commands at most', () => {
    const cache = temporaryFolder();
    for (let at = 0; at < 70; at++) kept({ cache, command: `word${'a'.repeat(at)}` }).write(SCRIPT);
    expect(readdirSync(join(cache, 'code', 'a-20-x64'))).toHaveLength(60);
  });

  it('of all but the three latest other builds goes when a new one begins', async () => {
    const cache = temporaryFolder();
    const builds = ['a', 'b', 'c', 'd', 'e'].map((name) => join(cache, 'code', `${name}-20-x64`));
    for (const [index, folder] of builds.entries()) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const at = 1_000 - 60 * index;
      utimesSync(folder, at, at);
    }
    kept({ cache, variant: 'new-20-x64' }).write(SCRIPT);
    expect(readdirSync(join(cache, 'code')).toSorted()).toEqual([
      'a-20-x64',
      'b-20-x64',
      'c-20-x64',
      'new-20-x64',
    ]);
  });

  it('of builds that are no longer started goes when a new one begins', async () => {
    const cache = temporaryFolder();
    const old = join(cache, 'code', 'old-20-x64');
    const recent = join(cache, 'code', 'recent-22-x64');
    for (const folder of [old, recent]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    utimesSync(old, 0, 0);
    utimesSync(recent, 8 * 86_400, 8 * 86_400);
    const { write, clock } = kept({ cache });
    await clock.sleep(9 * 86_400_000);
    write(SCRIPT);
    expect(readdirSync(join(cache, 'code')).toSorted()).toEqual(['a-20-x64', 'recent-22-x64']);
  });
});
