import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { platformKeychain } from '../../src/config/keychain.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { hinting } from '../support/hints.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { quickClock } from '../support/test-cli.ts';

const SECRET = 'hk_test_forTestsAlone0001';
const env = { PATH: process.env['PATH'] };

/** Without deadlines: a busy machine may take longer than 3 s to start a process. */
const patientClock: Clock = { ...systemClock, after: () => () => undefined };

/** A keychain that is spoken to by this script, its words in `argv`. */
const spokenBy = (script: string, clock = patientClock) =>
  platformKeychain({
    speaker: [process.execPath, '-e', `const argv = process.argv.slice(1); ${script}`],
    clock,
    env,
  });
const saying = (answer: unknown) => spokenBy(`console.log(${JSON.stringify(JSON.stringify(answer))})`);

describe('the keychain of the platform', () => {
  it('is asked by name, and given the secret where nobody can read it', async () => {
    const echo = spokenBy(
      `let text = ''; process.stdin.on('data', (part) => { text += part; }).on('end', () =>
       console.log(JSON.stringify(argv.join(' ') === 'keep desk-1' && text === '${SECRET}' ? { kept: true } : { error: 'wrong' })));`,
    );
    await expect(echo.keep('desk-1', SECRET)).resolves.toBeUndefined();
    expect(await saying({ secret: SECRET }).read('desk-1')).toBe(SECRET);
    expect(await saying({ secret: null }).read('desk-1')).toBeUndefined();
    expect(await saying({ forgotten: true }).forget('desk-1')).toBe(true);
    expect(await saying({ forgotten: false }).forget('desk-1')).toBe(false);
  });

  it.each([
    ['says why not', `console.log('{"error":"no bus\\\\u001b[2J."}')`, /cannot be used: no bus/],
    ['ends without a word', '', /failed without a message/],
    ['says nonsense', `console.log('null')`, /failed without a message/],
    ['says something else than was asked', `console.log('{}')`, /did not confirm that it stored/],
  ])('is refused when it %s, and the key is kept nowhere', async (_what, script, says) => {
    await expect(spokenBy(script).keep('desk-1', SECRET)).rejects.toMatchObject({
      code: 'credential_unusable',
      what: expect.stringMatching(says),
      meaning: expect.stringContaining('No key was stored elsewhere'),
      hint: hinting('--store file'),
    });
  });

  it('is given up after 3 s, and what asks it is ended', async () => {
    const given: number[] = [];
    const clock = {
      ...quickClock(),
      after(ms: number, then: () => void) {
        given.push(ms);
        return systemClock.after(100, then);
      },
    };
    const wedged = spokenBy('setInterval(() => undefined, 1_000)', clock);
    await expect(wedged.read('desk-1')).rejects.toMatchObject({
      what: expect.stringContaining('within 3 s'),
    });
    expect(given).toEqual([3_000]);
  });
});

describe('the real one', () => {
  const speaker = fileURLToPath(new URL('../../bin/keychain.js', import.meta.url));
  const real = platformKeychain({
    speaker: [process.execPath, speaker],
    clock: patientClock,
    env: process.env,
  });

  it('keeps, gives back and forgets, or says why it cannot', async ({ skip }) => {
    expect(existsSync(speaker)).toBe(true);
    const entry = `hedge-test-${process.pid.toString()}`;
    try {
      expect(await real.read(entry)).toBeUndefined();
    } catch (error) {
      expect(error).toMatchObject({ code: 'credential_unusable', what: expect.stringContaining('keychain') });
      skip(`there is no keychain here: ${error instanceof Error ? error.message : ''}`);
    }
    await real.keep(entry, SECRET);
    expect(await real.read(entry)).toBe(SECRET);
    expect(await real.forget(entry)).toBe(true);
    expect(await real.forget(entry)).toBe(false);
    expect(await real.read(entry)).toBeUndefined();
  });

  it.skipIf(process.platform !== 'linux')(
    'that never answers is given up after 3 s, and nothing is kept elsewhere',
    async () => {
      const folder = temporaryFolder();
      const bus = createServer(() => undefined).listen(join(folder, 'bus'));
      onTestFinished(() => void bus.close());
      await once(bus, 'listening');
      const here = {
        ...process.env,
        HOME: folder,
        DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'bus')}`,
      };
      const wedged = platformKeychain({
        speaker: [process.execPath, speaker],
        clock: systemClock,
        env: here,
      });
      const began = performance.now();
      await expect(wedged.keep('desk-1', SECRET)).rejects.toMatchObject({
        code: 'credential_unusable',
        what: expect.stringContaining('no response within 3 s'),
        meaning: expect.stringContaining('No key was stored elsewhere'),
      });
      expect(performance.now() - began).toBeGreaterThan(2_900);
      expect(readdirSync(folder)).toEqual(['bus']);
    },
  );
});
