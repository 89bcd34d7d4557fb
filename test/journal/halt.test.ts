/** The brake: on while its file is there or cannot be read, off only when a person lifts it. */
import { execFileSync } from 'node:child_process';
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
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError, UsageError } from '../../src/errors.ts';
import { haltPath, liftHalt, readHalt, setHalt } from '../../src/journal/halt.ts';
import { aMachine, temporaryFolder, withUmask } from '../support/own-folder.ts';
import { NOON } from './records.ts';

const machine = { ...aMachine(), clock: { ...aMachine().clock, now: () => NOON } };

function aDesk() {
  const home = temporaryFolder();
  const places = { config: join(home, 'config'), state: join(home, 'state'), cache: join(home, 'cache') };
  return { desk: { places, machine }, folder: places.state, path: haltPath(places) };
}

const ADA = { who: 'ada', why: 'venue down' };
const HALTED = { ...ADA, at: '2026-11-20T12:00:00.000Z' };

describe('a halt', () => {
  it('is seen with who, when and why, until it is lifted', async () => {
    const { desk, folder, path } = aDesk();
    expect(readHalt(desk)).toBeUndefined();
    expect(await withUmask(0, () => setHalt({ ...ADA, why: '  venue down\n' }, desk))).toBeUndefined();
    expect(readHalt(desk)).toEqual(HALTED);
    expect([folder, path].map((each) => (statSync(each).mode & 0o777).toString(8))).toEqual(['700', '600']);
    expect(liftHalt(desk)).toEqual(HALTED);
    expect(readHalt(desk)).toBeUndefined();
    expect(liftHalt(desk)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes the place of the one before, and names that one', () => {
    const { desk } = aDesk();
    setHalt(ADA, desk);
    expect(setHalt({ who: 'bo', why: 'audit' }, desk)).toEqual(HALTED);
    expect(readHalt(desk)).toMatchObject({ who: 'bo', why: 'audit' });
  });

  it.each(['', '  \n', 'x'.repeat(501)])('is not made for the reason %j', (why) => {
    const { desk, folder } = aDesk();
    expect(() => setHalt({ who: 'ada', why }, desk)).toThrow(UsageError);
    expect(readHalt({ ...desk })).toBeUndefined();
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  it('holds the longest reason in the widest characters', () => {
    const { desk } = aDesk();
    const why = '\u0001₦'.repeat(250);
    setHalt({ who: '', why }, desk);
    expect(readHalt(desk)).toMatchObject({ who: 'unknown', why });
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
  ])('file that is %s halts', (_what, put, canBeLifted) => {
    const { desk, folder, path } = aDesk();
    mkdirSync(folder, { mode: 0o700 });
    put(path, folder);
    if (readdirSync(folder).length === 0 && canBeLifted) {
      setHalt(ADA, desk);
      const whole = readFileSync(path);
      for (let length = 0; length < whole.length - 1; length += 1) {
        writeFileSync(path, whole.subarray(0, length));
        expect(readHalt(desk)).toMatchObject({ unreadable: { code: 'damaged_file' } });
      }
    }
    expect(readHalt(desk)).toMatchObject({ unreadable: { code: 'damaged_file' } });
    if (canBeLifted) {
      expect(liftHalt(desk)).toMatchObject({ unreadable: { path } });
      expect(readHalt(desk)).toBeUndefined();
    } else {
      expect(() => liftHalt(desk)).toThrow(DamagedFileError);
      expect(() => setHalt(ADA, desk)).toThrow(DamagedFileError);
      expect(readHalt(desk)).toMatchObject({ unreadable: { code: 'damaged_file' } });
    }
  });

  it('that cannot be made says so', () => {
    const { desk, folder } = aDesk();
    writeFileSync(folder, '');
    expect(() => setHalt(ADA, desk)).toThrow(DamagedFileError);
    rmSync(folder);
    expect(readHalt(desk)).toBeUndefined();
  });
});
