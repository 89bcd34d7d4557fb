import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bareEnvironment, IN_SHELL, runBuilt, runShell, toStart } from '../support/built.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { openScreen } from '../support/pty.ts';
import { needs } from '../support/tools.ts';

/** Starts `hedge practice serve` and reads the lines it prints for a shell. */
async function serve(home: string) {
  const child = spawn(...toStart('practice', 'serve', '--log'), {
    env: bareEnvironment({ HEDGE_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (part: Buffer) => {
    log += part.toString();
  });
  const exports: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    exports.push(line);
    if (line.startsWith('# export HEDGE_API_KEY')) break;
  }
  return { child, exports: exports.join('\n'), log: () => log };
}

describe('practice serve', () => {
  it('prints what a shell can read, serves the same books, and stops cleanly', needs('bash'), async () => {
    const home = temporaryFolder();
    const { child, exports, log } = await serve(home);
    const env = { HEDGE_HOME: temporaryFolder() };
    const asked = await runShell(`${exports}\nhedge account --json`, { env });
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(asked.out)).toMatchObject({
      data: { balance_usdc: 100_000 },
      meta: { environment: 'sandbox' },
    });
    const live = await runShell(`${exports.replace('# export', 'export')}\nhedge account`, { env });
    expect(live.out).toMatch(/^LIVE · env · real money/);
    expect(log()).toMatch(/sandbox GET \/account 200/);

    child.kill('SIGINT');
    const [code, signal] = await once(child, 'exit');
    expect([code, signal]).toEqual([0, null]);
    expect(log()).toContain('has stopped');
  });

  it('speaks to curl, with the certificate and the key it printed', needs('bash', 'curl'), async () => {
    const { exports } = await serve(temporaryFolder());
    const line = `${exports}\ncurl --silent --show-error --cacert "$HEDGE_CA_FILE" -H "Authorization: Bearer $HEDGE_API_KEY" "$HEDGE_BASE_URL/markets"`;
    const asked = await runShell(line);
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(asked.out)).toMatchObject({
      data: [{ market: 'USDTNGN', status: 'open' }],
      error: null,
    });
  });

  it('listens on this machine alone', async () => {
    const ran = await runBuilt(['practice', 'serve', '--host', '0.0.0.0', '--json']);
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.out)).toMatchObject({ error: { code: 'usage' } });
  });
});

describe('Ctrl-C while waiting for a response', () => {
  it(
    'ends the command by the signal, says that nothing was done, and gives the cursor back',
    needs('bash'),
    async () => {
      const { child, exports } = await serve(temporaryFolder());
      // A stopped service accepts the connection and never answers.
      child.kill('SIGSTOP');
      const loop = `${exports}\nfor n in 1 2 3; do ${IN_SHELL} account; echo "after $n"; done`;
      const screen = openScreen('bash', ['--norc', '-c', loop], { env: { HEDGE_HOME: temporaryFolder() } });
      await screen.until('Contacting the service');
      screen.send('\u0003');
      const { signal } = await screen.exit;
      expect(signal).toBe('SIGINT');
      expect(screen.screen().join('\n')).not.toContain('after');
      expect(screen.screen().join('\n')).toContain('Stopped by Ctrl-C.\nThis command sent no action.');
      expect(screen.cursorHidden()).toBe(false);
      child.kill('SIGCONT');
    },
  );
});

describe('the hidden question for a key', () => {
  it('never shows what is typed', async () => {
    const key = 'hk_test_typedByHand0003';
    const started = toStart(
      'profile',
      'add',
      'desk',
      '--base-url',
      'https://partner.example/v2',
      '--no-check',
    );
    const screen = openScreen(...started, { env: { HEDGE_HOME: temporaryFolder() } });
    await screen.until('API key');
    screen.send(`${key}\r`);
    await screen.until('Added desk');
    expect(await screen.exit).toEqual({ code: 0, signal: null });
    expect(screen.raw()).not.toContain(key);
  });
});
