import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IN_SHELL, runShell, toStart } from '../support/built.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { openScreen } from '../support/pty.ts';
import { needs } from '../support/tools.ts';

describe('a place where nothing can be kept', () => {
  it.each([
    ['markets --profile practice', 'practice'],
    ['profile add desk --base-url https://partner.example/v2 --key-stdin --no-check', 'config'],
  ])('is named at once, exit 78: %s', needs('bash', '/proc'), async (words, folder) => {
    const line = `rc=0; timeout -s KILL 60 ${IN_SHELL} ${words} --json || rc=$?; echo "$rc"`;
    const ran = await runShell(line, {
      env: { HEDGE_HOME: '/proc/self/hedge' },
      stdin: 'hk_test_forTestsAlone0001',
    });
    const [document = '', code] = ran.out.trim().split('\n');
    expect(code).toBe('78');
    expect(JSON.parse(document)).toMatchObject({ error: { code: 'damaged_file', effect: 'none' } });
    expect(ran.err).toContain(`/proc/self/hedge`);
    expect(ran.err).toContain(folder);
  });
});

describe('Ctrl-C while a key command hangs', () => {
  it('ends the program by the signal', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'bin'));
    const command = JSON.stringify(['sleep', '600']);
    const started = toStart(
      'profile',
      'add',
      'desk',
      '--base-url',
      'https://partner.example/v2',
      '--key-command',
      command,
    );
    const screen = openScreen(...started, { env: { HEDGE_HOME: home } });
    // Nothing is drawn meanwhile: the interruption is sent until it is heard.
    const again = setInterval(() => screen.send('\u0003'), 200);
    const { signal } = await screen.exit;
    clearInterval(again);
    expect(signal).toBe('SIGINT');
  });
});
