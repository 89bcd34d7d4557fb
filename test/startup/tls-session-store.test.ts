import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, basename as nameOf } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TlsSessions } from '../../src/client/transport/tls.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { tlsSessionStore } from '../../src/startup/tls-session-store.ts';
import { steppingClock, temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';

const PLACE = 'desk.partner.test 443 some roots';
const HOUR_MS = 3_600_000;
const session = Uint8Array.from([48, 1, 2, 3, 255]);
const KEPT = { session, until: HOUR_MS, verifiedUntil: 5 * HOUR_MS, handshakeMs: 12 };

function aStore(home = temporaryFolder(), variant = '20 3.0') {
  const clock = steppingClock();
  const places = pathsOf({
    env: { HEDGE_HOME: home },
    host: { platform: 'linux', uid: process.geteuid?.() },
    home,
  });
  const store = tlsSessionStore(places, testMachine(clock), variant);
  const folder = join(places.cache, 'tls-sessions');
  const path = (): string => join(folder, readdirSync(folder)[0] ?? '');
  return { store, clock, home, folder, path };
}

const found = (store: TlsSessions, place = PLACE) => {
  const kept = store.find(place);
  return kept && { ...kept, session: Uint8Array.from(kept.session) };
};

describe('a kept TLS session', () => {
  it('is found again by the next process, for its place and its build of Node alone', () => {
    const { store, home } = aStore();
    store.keep(PLACE, KEPT);
    expect(found(aStore(home).store)).toEqual(KEPT);
    expect(found(aStore(home).store, PLACE.replace('443', '444'))).toBeUndefined();
    expect(found(aStore(home, '22 3.5').store)).toBeUndefined();
  });

  it('is 0600 in a folder that is 0700, whatever the umask', async () => {
    const { store, folder, path } = aStore();
    await withUmask(0, () => store.keep(PLACE, KEPT));
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('is found until its time is up', async () => {
    const { store, clock } = aStore();
    store.keep(PLACE, KEPT);
    await clock.sleep(HOUR_MS - 1);
    expect(found(store)).toEqual(KEPT);
    await clock.sleep(1);
    expect(found(store)).toBeUndefined();
  });

  it('that the host refused is gone, and for an hour no other is kept', async () => {
    const { store, clock } = aStore();
    store.keep(PLACE, KEPT);
    store.refuse(PLACE);
    expect(found(store)).toBeUndefined();
    store.keep(PLACE, { ...KEPT, until: 9 * HOUR_MS });
    expect(found(store)).toBeUndefined();
    await clock.sleep(HOUR_MS);
    store.keep(PLACE, { ...KEPT, until: 9 * HOUR_MS });
    expect(found(store)).toMatchObject({ session });
  });

  it('that was cut anywhere is as if it were not there, and the next takes its place', () => {
    const { store, path } = aStore();
    store.keep(PLACE, KEPT);
    const whole = readFileSync(path());
    for (let length = 0; length < whole.length - 1; length++) {
      writeFileSync(path(), whole.subarray(0, length));
      expect(found(store)).toBeUndefined();
    }
    store.keep(PLACE, KEPT);
    expect(found(store)).toEqual(KEPT);
  });

  it.each([
    ['text', 'hello'],
    ['null', 'null'],
    ['a list', '[]'],
    ['other fields', '{"place":1}'],
    ['more than any session', `"${'a'.repeat(70_000)}"`],
  ])('in a file that holds %s is as if it were not there', (_, content) => {
    const { store, path } = aStore();
    store.keep(PLACE, KEPT);
    writeFileSync(path(), content);
    expect(found(store)).toBeUndefined();
  });

  it('is not taken from a file that others could read or write, a link, or another place', () => {
    const { store, path, folder } = aStore();
    store.keep(PLACE, KEPT);
    chmodSync(path(), 0o644);
    expect(found(store)).toBeUndefined();
    chmodSync(path(), 0o600);
    expect(found(store)).toEqual(KEPT);

    const other = aStore();
    other.store.keep('evil.test 443 some roots', KEPT);
    writeFileSync(path(), readFileSync(other.path()));
    expect(found(store)).toBeUndefined();

    rmSync(path());
    const linked = join(folder, nameOf(other.path()));
    expect(found(other.store, 'evil.test 443 some roots')).toEqual(KEPT);
    symlinkSync(other.path(), linked);
    expect(found(store, 'evil.test 443 some roots')).toBeUndefined();
  });

  it('is done without where none can be kept', () => {
    const { store, home } = aStore();
    writeFileSync(join(home, 'cache'), 'in the way');
    store.keep(PLACE, KEPT);
    store.refuse(PLACE);
    expect(found(store)).toBeUndefined();
    expect(readFileSync(join(home, 'cache'), 'utf8')).toBe('in the way');
  });

  it('of a place that is no longer used goes when another is kept', async () => {
    const { store, folder, path, clock } = aStore();
    store.keep(PLACE, KEPT);
    utimesSync(path(), 0, 0);
    await clock.sleep(72 * HOUR_MS);
    store.keep('other.test 443 some roots', { ...KEPT, until: 99 * HOUR_MS });
    expect(readdirSync(folder)).toHaveLength(1);
  });
});
