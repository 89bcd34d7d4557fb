import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IN_SHELL, runBuilt, runShell } from '../support/built.ts';
import { openHedge, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { openScreen } from '../support/pty.ts';
import { needs } from '../support/tools.ts';

const ESCAPE = '\u001b';
const practice = () => ({ HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice' });

/** The exit code of a screen's last command, printed by the shell that ran it. */
async function onTerminal(script: string, env: Readonly<Record<string, string>>, columns = 80) {
  const line = `hedge() { ${IN_SHELL} "$@"; }; ${script}; echo "ended:$?"; read -r _`;
  const screen = openScreen('bash', ['--norc', '-c', line], { env, columns, rows: 40 });
  await screen.until(/ended:\d+/);
  // Only now may the shell end: what it printed last is not read any more once it has.
  screen.send('\r');
  await screen.exit;
  return { raw: screen.raw(), lines: screen.screen() };
}

describe('in a pipe', needs('bash'), () => {
  it('has no escape byte on standard output, nor on standard error', async () => {
    const env = practice();
    for (const line of [
      'hedge markets | cat',
      'hedge markets 2>&1 | cat',
      '{ hedge quote USDTNGN hold 1 || true; } 2>&1 | cat',
    ]) {
      const ran = await runShell(line, { env });
      expect(ran.out).not.toBe('');
      expect(ran.out + ran.err).not.toContain(ESCAPE);
    }
  });

  it('dates each step of an action, with its word in a column of its own', async () => {
    const { err } = await runBuilt(['open', 'USDTNGN', 'buy', '1000', '--tenor', '3', '--yes'], {
      env: practice(),
    });
    const steps = [...err.matchAll(/^\d{4}-\d\d-\d\dT[\d:]{8}Z  ([a-z]+ +)(?=\S)/gm)];
    expect(steps.map(([, word = '']) => word)).toEqual(['sending    ', 'accepted   ', 'waiting    ']);
  });

  it('ends silently when the reader has seen enough', async () => {
    const ran = await runShell('set +o pipefail; hedge markets | head -1; echo "${PIPESTATUS[0]}"', {
      env: practice(),
    });
    expect(ran.err).toBe('');
    expect(ran.out).toMatch(/^PRACTICE .*\n(0|141)\n$/);
  });

  it('stops a batch before its next action when the reader has gone', async () => {
    const env = practice();
    const batch = join(env.HEDGE_HOME, 'batch.txt');
    const lines = ['BP-1', 'BP-2', 'BP-3', 'BP-4'].map((id) => `open USDTNGN buy 1k -t 3 --deal-id ${id}`);
    writeFileSync(batch, `${lines.join('\n')}\n`);
    const line = `set +o pipefail; hedge batch '${batch}' --yes | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    const ran = await runShell(line, { env });
    expect(ran.out).toBe('10\n');
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain('nobody reads its results');
    const { out } = await runShell('hedge hedges --json', { env });
    expect(out).toContain('BP-1');
    expect(out).not.toContain('BP-4');
  });

  it('exits 74 with one line when the disk is full', needs('bash', '/dev/full'), async () => {
    const env = practice();
    for (const flag of ['', '--json']) {
      const ran = await runShell(`rc=0; hedge account ${flag} > /dev/full || rc=$?; echo "$rc"`, { env });
      expect(ran.out).toBe('74\n');
      expect(ran.err.split('\n')).toHaveLength(2);
      expect(ran.err).toContain('could not be written');
    }
  });

  it(
    'names the journal when the disk is full and it was a deal, and says what is not known of it',
    needs('bash', '/dev/full'),
    async () => {
      const env = practice();
      const line = 'hedge open USDTNGN buy 1k -t 3 --yes --json > /dev/full || echo "$?"';
      const dealt = await runShell(line, { env });
      expect([dealt.out, dealt.err]).toEqual(['74\n', expect.stringContaining('hedge journal')]);
      await runShell('hedge practice faults --lost-after 100% --only open', { env });
      const lost = await runShell(line.replace('1k', '2k'), { env });
      expect([lost.out, lost.err]).toEqual(['7\n', expect.stringMatching(/UNKNOWN[^]*hedge check/)]);
    },
  );

  it('stops a script under set -e, and can be caught by the idiom of the README', async () => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const stopped = await runShell('hedge markets; echo reached', { env });
    expect(stopped).toMatchObject({ code: 4, out: '' });
    const caught = await runShell('rc=0; out=$(hedge markets --json 2>/dev/null) || rc=$?; echo "$rc $out"', {
      env,
    });
    expect(caught.code).toBe(0);
    expect(JSON.parse(caught.out.slice(2))).toMatchObject({ data: null, error: { code: 'no_profile' } });
  });
});

describe('on a terminal', needs('bash'), () => {
  it.each([
    ['colour', {}, true],
    ['none under NO_COLOR', { NO_COLOR: '1' }, false],
    ['none on a dumb terminal', { TERM: 'dumb' }, false],
  ])('paints with %s', async (_what, env, coloured) => {
    const { raw } = await onTerminal('hedge markets', { ...practice(), ...env });
    expect(raw.includes(`${ESCAPE}[36m`) || raw.includes(`${ESCAPE}[1m`)).toBe(coloured);
  });

  it('decides for each stream apart', async () => {
    const { lines } = await onTerminal(
      'hedge markets 2>/dev/null | grep -c PRACTICE; hedge markets 2>/dev/null | grep -c $(printf "\\033")',
      practice(),
    );
    expect(lines.join('\n')).toContain('1\n0');
    const forced = await runShell('hedge markets', { env: { ...practice(), FORCE_COLOR: '1' } });
    expect(forced.out).toContain(ESCAPE);
    expect(forced.err).toBe('');
  });

  it.each([80, 120])('fits %i columns', async (columns) => {
    const env = practice();
    for (const line of [
      'quote USDTNGN buy 1.5m',
      'quote USDTNGN sell 50k -t 7',
      'markets',
      'account',
      'practice status',
      '',
    ]) {
      const words = line === '' ? [] : line.split(' ');
      const piped = await runHedge(words, { env });
      expect(piped.code).toBe(0);
      const screen = openHedge(words, { env, columns, rows: 40 });
      expect((await screen.exit).code).toBe(0);
      expect(screen.overflowing()).toEqual([]);
    }
  });
});

describe('the first command of the README', () => {
  it('prints a quote, with nothing on standard error', async () => {
    const ran = await runBuilt(
      ['--profile', 'practice', 'quote', 'USDTNGN', 'buy', '10000', '--tenor', '3'],
      {
        env: { HEDGE_HOME: temporaryFolder() },
      },
    );
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(/Total cost +31\.\d\d/);
  });
});
