import {
  chmodSync,
  cpSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSealedCache } from '../../src/startup/sealed-cache.ts';
import { modeOf, temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';

const CONTENT = Buffer.from('what runs');

function aCache(home = temporaryFolder()) {
  const places = { cache: join(home, 'cache'), config: join(home, 'config') };
  const sealed = openSealedCache(places, testMachine());
  return {
    ...places,
    secret: join(places.config, 'cache-secret'),
    write: (name = 'code/one') => sealed.write(name, CONTENT),
    read: (name = 'code/one') => openSealedCache(places, testMachine()).read(name, 100),
  };
}

describe('a sealed cache file', () => {
  it('is read by the next process under its own name alone', () => {
    const { write, read, cache } = aCache();
    write();
    expect(read()).toEqual(CONTENT);
    for (const move of [linkSync, cpSync]) {
      move(join(cache, 'code/one'), join(cache, 'code/two'));
      expect(read('code/two')).toBeUndefined();
      rmSync(join(cache, 'code/two'));
    }
    renameSync(join(cache, 'code/one'), join(cache, 'code/two'));
    expect([read(), read('code/two')]).toEqual([undefined, undefined]);
  });

  it('is sealed with a secret of 32 bytes, made once, that only this user can read', async () => {
    const { write, secret, config } = aCache();
    await withUmask(0, () => write());
    expect([statSync(secret).size, modeOf(secret), modeOf(config)]).toEqual([32, '600', '700']);
    const made = readFileSync(secret);
    write('code/two');
    expect(readFileSync(secret)).toEqual(made);
    const other = aCache();
    other.write();
    expect(readFileSync(other.secret)).not.toEqual(made);
  });

  it('of another machine or user is none', () => {
    const [ours, theirs] = [aCache(), aCache()];
    for (const each of [ours, theirs]) each.write();
    cpSync(join(theirs.cache, 'code/one'), join(ours.cache, 'code/one'));
    expect(ours.read()).toBeUndefined();
  });

  it.each([
    ['is gone', (path: string) => rmSync(path)],
    ['is empty', (path: string) => writeFileSync(path, '')],
    ['is too long', (path: string) => writeFileSync(path, Buffer.alloc(33))],
    ['can be read by others', (path: string) => chmodSync(path, 0o640)],
    [
      'is a link',
      (path: string) => {
        renameSync(path, `${path}-moved`);
        symlinkSync(`${path}-moved`, path);
      },
    ],
    ['is in a folder that others can write', (path: string) => chmodSync(join(path, '..'), 0o777)],
  ])('is none when the secret %s', (_what, spoil) => {
    const { write, read, secret } = aCache();
    write();
    spoil(secret);
    expect(read()).toBeUndefined();
  });

  it('is written again with another secret when the first is lost or too short', () => {
    const { write, read, secret } = aCache();
    for (const spoil of [() => rmSync(secret), () => writeFileSync(secret, 'short')]) {
      write();
      spoil();
      write();
      expect(read()).toEqual(CONTENT);
    }
  });

  it('is done without where the config folder cannot have a secret', () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'config'), 'in the way');
    const { write, read } = aCache(home);
    write();
    expect(read()).toBeUndefined();
    expect(statSync(join(home, 'cache'), { throwIfNoEntry: false })).toBeUndefined();
  });
});
