/** The halt: set while its file exists or cannot be read, until a user lifts it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError, UsageError } from '../../src/errors.ts';
import { haltPath, liftHalt, readHalt, setHalt } from '../../src/journal/halt.ts';
import { modeOf, temporaryFolder, withUmask } from '../support/own-folder.ts';
import { machineAt } from './journal-at.ts';
import { NOON } from './records.ts';

const machine = machineAt(() => NOON);

function aHaltFolder() {
  const home = temporaryFolder();
  const places = { config: join(home, 'config'), state: join(home, 'state'), cache: join(home, 'cache') };
  return { ports: { places, machine }, folder: places.state, path: haltPath(places) };
}

const ADA = { who: 'ada', why: 'venue down' };
const HALTED = { ...ADA, at: '2026-11-20T12:00:00.000Z' };

describe('a halt', () => {
  it('halt: is read with user, time and reason until it is lifted', async () => {
    const { ports, folder, path } = aHaltFolder();
    expect(readHalt(ports)).toBeUndefined();
    expect(await withUmask(0, () => setHalt({ ...ADA, why: '  venue down\n' }, ports))).toBeUndefined();
    expect(readHalt(ports)).toEqual(HALTED);
    expect([folder, path].map(modeOf)).toEqual(['700', '600']);
    expect(liftHalt(ports)).toEqual(HALTED);
    expect(readHalt(ports)).toBeUndefined();
    expect(liftHalt(ports)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('halt: replaces the one before and returns it', () => {
    const { ports } = aHaltFolder();
    setHalt(ADA, ports);
    expect(setHalt({ who: 'bo', why: 'audit' }, ports)).toEqual(HALTED);
    expect(readHalt(ports)).toMatchObject({ who: 'bo', why: 'audit' });
  });

  it.each(['', '  \n', 'x'.repeat(501)])('halt: rejects the reason %j', (why) => {
    const { ports, folder } = aHaltFolder();
    expect(() => setHalt({ who: 'ada', why }, ports)).toThrow(UsageError);
    expect(readHalt({ ...ports })).toBeUndefined();
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  it('halt: stores the longest reason in the widest characters', () => {
    const { ports } = aHaltFolder();
    const why = '\u0001₦'.repeat(250);
    setHalt({ who: '', why }, ports);
    expect(readHalt(ports)).toMatchObject({ who: 'unknown', why });
  });

  it.each<[string, (path: string, folder: string) => void, boolean]>([
    ['cut at every byte', () => undefined, true],
    ['empty', (path) => writeFileSync(path, ''), true],
    ['not JSON', (path) => writeFileSync(path, 'stop!'), true],
    ['of another version', (path) => writeFileSync(path, JSON.stringify({ schema: 2, ...HALTED })), true],
    ['without a reason', (path) => writeFileSync(path, '{"schema":1,"who":"ada","at":"x","why":""}'), true],
    ['enormous', (path) => writeFileSync(path, ' '.repeat(100_000)), true],
    [
      'open to others',
      (path) => {
        writeFileSync(path, '');
        chmodSync(path, 0o666);
      },
      true,
    ],
    ['a pipe', (path) => execFileSync('mkfifo', ['-m', '600', path]), false],
    ['a link to nothing', (path) => symlinkSync('nowhere', path), false],
    ['a folder', (path) => mkdirSync(path), false],
    ['in a folder that others can write into', (_path, folder) => chmodSync(folder, 0o777), false],
  ])('halt: a file that is %s halts', (_what, put, canBeLifted) => {
    const { ports, folder, path } = aHaltFolder();
    mkdirSync(folder, { mode: 0o700 });
    put(path, folder);
    if (readdirSync(folder).length === 0 && canBeLifted) {
      setHalt(ADA, ports);
      const whole = readFileSync(path);
      for (let length = 0; length < whole.length - 1; length += 1) {
        writeFileSync(path, whole.subarray(0, length));
        expect(readHalt(ports)).toMatchObject({ unreadable: { code: 'damaged_file' } });
      }
    }
    expect(readHalt(ports)).toMatchObject({ unreadable: { code: 'damaged_file' } });
    if (canBeLifted) {
      expect(liftHalt(ports)).toMatchObject({ unreadable: { path } });
      expect(readHalt(ports)).toBeUndefined();
    } else {
      expect(() => liftHalt(ports)).toThrow(DamagedFileError);
      expect(() => setHalt(ADA, ports)).toThrow(DamagedFileError);
      expect(readHalt(ports)).toMatchObject({ unreadable: { code: 'damaged_file' } });
    }
  });

  it('halt: an error is thrown if it cannot be set', () => {
    const { ports, folder } = aHaltFolder();
    writeFileSync(folder, '');
    expect(() => setHalt(ADA, ports)).toThrow(DamagedFileError);
    rmSync(folder);
    expect(readHalt(ports)).toBeUndefined();
  });
});
