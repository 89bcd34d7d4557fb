import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { openPriceCache } from '../../src/cache/seen-prices.ts';
import { temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const SECOND = 1_000;

function aMemory(home = temporaryFolder(), book = 'sandbox https://host.example/v2') {
  const places = { config: join(home, 'config'), state: join(home, 'state'), cache: join(home, 'cache') };
  const folder = join(places.cache, 'prices');
  const files = () => readdirSync(folder).map((name) => join(folder, name));
  return { home, folder, files, memory: openPriceCache(places, testMachine(), book) };
}

const at = (seconds: number, mid: string | number) => ({ at: START + seconds * SECOND, mid: new Big(mid) });
const mids = (seen: readonly { mid: Big }[]): string[] => seen.map(({ mid }) => mid.toFixed());

describe('the memory of prices', () => {
  it('has what earlier processes saw, oldest first, with every digit', () => {
    const { home, memory } = aMemory();
    memory.see('USDTNGN', at(0, '1532.560012345'));
    memory.see('USDTNGN', at(60, '1532.6'));
    const later = aMemory(home).memory;
    later.see('USDTNGN', at(120, '1533'));
    expect(mids(later.seen('USDTNGN'))).toEqual(['1532.560012345', '1532.6', '1533']);
    expect(mids(later.sinceStart('USDTNGN'))).toEqual(['1533']);
  });

  it('keeps markets and books apart', () => {
    const { home, memory } = aMemory();
    memory.see('USDTNGN', at(0, 1530));
    expect(memory.seen('USDTKES')).toEqual([]);
    expect(aMemory(home, 'live https://host.example/v2').memory.seen('USDTNGN')).toEqual([]);
  });

  it('is for its user alone, whatever the umask', async () => {
    const { files, memory, folder } = aMemory();
    await withUmask(0, () => memory.see('USDTNGN', at(0, 1530)));
    expect(files().map((path) => statSync(path).mode & 0o777)).toEqual([0o600]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('writes down one price in five seconds, and knows all of its own', () => {
    const { home, memory } = aMemory();
    for (let second = 0; second < 12; second += 1) memory.see('USDTNGN', at(second, 1530 + second));
    expect(mids(memory.sinceStart('USDTNGN'))).toHaveLength(12);
    expect(mids(aMemory(home).memory.seen('USDTNGN'))).toEqual(['1530', '1535', '1540']);
  });

  it('stays small for ever: the newest whole, the older ones thinner, the first of this process among them', () => {
    const { files, memory } = aMemory();
    for (let count = 0; count < 20_000; count += 1) memory.see('USDTNGN', at(count * 5, 1530 + count));
    const [path = ''] = files();
    expect(statSync(path).size).toBeLessThan(300_000);
    expect(mids(memory.seen('USDTNGN')).at(-1)).toBe('21529');
    const own = mids(memory.sinceStart('USDTNGN'));
    expect(own.length).toBeLessThanOrEqual(2_000);
    expect([own[0], own.at(-1)]).toEqual(['1530', '21529']);
  });

  it('passes over lines that are cut or foreign', () => {
    const { home, files, memory } = aMemory();
    memory.see('USDTNGN', at(0, 1530));
    const [path = ''] = files();
    writeFileSync(path, `${readFileSync(path, 'utf8')}rubbish\n1763629200000 1e9\n17636292`);
    expect(mids(aMemory(home).memory.seen('USDTNGN'))).toEqual(['1530']);
  });

  it('neither follows a link nor fails where it cannot write', () => {
    const { home, files, folder, memory } = aMemory();
    memory.see('USDTNGN', at(0, 1530));
    const [path = ''] = files();
    const other = aMemory();
    mkdirSync(other.folder, { recursive: true, mode: 0o700 });
    const victim = join(home, 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, path.replace(folder, other.folder));
    other.memory.see('USDTNGN', at(0, 1530));
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    const nowhere = aMemory(join(home, 'victim'));
    expect(() => nowhere.memory.see('USDTNGN', at(0, 1530))).not.toThrow();
    expect(mids(nowhere.memory.sinceStart('USDTNGN'))).toEqual(['1530']);
  });
});
