import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extractAddon } from '../../src/startup/extract-addon.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';

const BYTES = Buffer.from('what the system loads');

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('a native part of the single executable', () => {
  it('is put into a private folder once, under the sum of its bytes', () => {
    const config = join(temporaryFolder(), 'config');
    const path = extractAddon(BYTES, { config, machine: testMachine() });
    expect(path).toMatch(/native\/[0-9a-f]{64}\.node$/);
    expect(readFileSync(path)).toEqual(BYTES);
    expect([modeOf(config), modeOf(join(config, 'native')), modeOf(path)]).toEqual([0o700, 0o700, 0o600]);
    const { ino } = statSync(path);
    expect(extractAddon(BYTES, { config, machine: testMachine() })).toBe(path);
    expect(statSync(path).ino).toBe(ino);
    expect(extractAddon(Buffer.from('another'), { config, machine: testMachine() })).not.toBe(path);
  });

  it.each([
    ['holds other bytes', (path: string) => writeFileSync(path, 'what another put there!')],
    ['was cut short', (path: string) => writeFileSync(path, 'what')],
    ['can be written by others', (path: string) => chmodSync(path, 0o666)],
  ])('is written again when its file %s', (_, spoil) => {
    const config = temporaryFolder();
    const path = extractAddon(BYTES, { config, machine: testMachine() });
    spoil(path);
    expect(extractAddon(BYTES, { config, machine: testMachine() })).toBe(path);
    expect(readFileSync(path)).toEqual(BYTES);
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(join(config, 'native'))).toHaveLength(1);
  });

  it.each([
    ['can be written by others', (folder: string) => (mkdirSync(folder), chmodSync(folder, 0o777))],
    ['is a link', (folder: string) => symlinkSync(temporaryFolder(), folder)],
    ['is a file', (folder: string) => writeFileSync(folder, '')],
  ])('is not loaded from a folder that %s', (_, spoil) => {
    const config = temporaryFolder();
    spoil(join(config, 'native'));
    expect(() => extractAddon(BYTES, { config, machine: testMachine() })).toThrow(join(config, 'native'));
  });

  it('is not loaded through a link in its place', () => {
    const config = temporaryFolder();
    const path = extractAddon(BYTES, { config, machine: testMachine() });
    const elsewhere = join(temporaryFolder(), 'elsewhere');
    writeFileSync(elsewhere, BYTES, { mode: 0o600 });
    for (const name of readdirSync(join(config, 'native'))) expect(join(config, 'native', name)).toBe(path);
    const other = join(temporaryFolder(), 'config');
    mkdirSync(join(other, 'native'), { recursive: true, mode: 0o700 });
    symlinkSync(elsewhere, path.replace(config, other));
    expect(() => extractAddon(BYTES, { config: other, machine: testMachine() })).toThrow(/Cannot keep/);
  });
});
