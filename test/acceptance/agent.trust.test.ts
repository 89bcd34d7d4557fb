/** `hedge agent` as its users meet it: started, used, killed, stopped, and refused where there can be none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { eventually, isRunning } from '../support/eventually.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';

const QUOTE = 'quote USDTNGN buy 10000 --tenor 3';

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook();
});
afterAll(() => served.close());

function aDesk() {
  const home = temporaryFolder();
  const env: Record<string, string> = served.way(home);
  const run = async (line: string, more: Readonly<Record<string, string>> = {}) => {
    const ended = await runBuilt(line.split(' '), { env: { ...env, ...more } });
    return { ...ended, document: ended.out.startsWith('{') ? JSON.parse(ended.out) : undefined };
  };
  const started = async (line = 'agent start --json') => {
    const { document } = await run(line);
    const pid: number = document?.data?.pid ?? 0;
    onTestFinished(() => {
      if (pid > 1 && isRunning(pid)) process.kill(pid, 'SIGKILL');
    });
    return { pid, document };
  };
  const leases = async (): Promise<number> =>
    (await run('agent status --json')).document.data[0]?.connections.leases;
  return { env, home, run, started, leases };
}

describe('hedge agent', () => {
  it('start: the next commands use its connections, and doctor says so; stop: none does', async () => {
    const { run, started, leases, home } = aDesk();
    const { pid, document } = await started();
    expect(document).toMatchObject({
      data: { was_running: false, version: expect.any(String) },
      error: null,
    });
    const again = await run('agent start --json');
    expect(again.document.data).toMatchObject({ pid, was_running: true });

    expect((await run(QUOTE)).code).toBe(0);
    const used = await leases();
    expect(used).toBeGreaterThan(0);
    expect((await run(`open USDTNGN buy 10 --tenor 3 --yes --json`)).code).toBe(0);
    expect(await leases()).toBeGreaterThan(used);
    expect((await run('doctor --json')).document.data.checks).toContainEqual(
      expect.objectContaining({ check: 'agent', verdict: 'pass', facts: expect.objectContaining({ pid }) }),
    );

    const stopped = await run('agent stop --json');
    expect(stopped.document.data).toMatchObject([{ pid }]);
    await eventually(() => !isRunning(pid));
    expect((await run('agent status')).out).toContain('No agent is running');
    expect((await run(QUOTE, { HEDGE_HOME: home })).code).toBe(0);
  });

  it('holds no API key: neither its command line nor its environment has one', async () => {
    const { started, env, run } = aDesk();
    const { pid } = await started();
    await run(QUOTE);
    const key = env['HEDGE_API_KEY'] ?? '';
    expect(key).not.toBe('');
    for (const name of ['cmdline', 'environ'])
      expect(readFileSync(join('/proc', pid.toString(), name), 'utf8')).not.toContain(key);
  });

  it('is not used under HEDGE_AGENT=off, nor by another profile or CA file', async () => {
    const { run, started, leases, env } = aDesk();
    await started();
    const off = { HEDGE_AGENT: 'off' };
    expect((await run(QUOTE, off)).code).toBe(0);
    expect((await run('agent start', off)).code).toBe(2);
    const baseUrl = (env['HEDGE_BASE_URL'] ?? '').replace('127.0.0.1', 'localhost');
    expect((await run(QUOTE, { HEDGE_BASE_URL: baseUrl })).code).toBe(0);
    expect(await leases()).toBe(0);
  });

  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'is not needed: after %s commands connect by themselves',
    async (signal) => {
      const { run, started } = aDesk();
      const { pid } = await started();
      process.kill(pid, signal);
      expect((await run(QUOTE)).code).toBe(0);
      const opened = await run('open USDTNGN buy 10 --tenor 3 --yes --allow-duplicate --json');
      expect(opened.document).toMatchObject({ data: { effect: 'done' } });
      if (signal === 'SIGKILL') {
        expect((await run('agent stop')).out).toContain('No agent was running');
        expect((await started()).document.data.was_running).toBe(false);
      }
    },
  );

  it('ends at SIGTERM, and leaves no socket', async () => {
    const { run, started } = aDesk();
    const { pid } = await started();
    process.kill(pid, 'SIGTERM');
    await eventually(() => !isRunning(pid));
    expect((await run('agent status --json')).document.data).toEqual([]);
  });

  it('is not started where it would be of no use, and says why', async () => {
    const { run } = aDesk();
    const unreachable = { HEDGE_BASE_URL: 'https://127.0.0.1:1/v2' };
    const failed = await run('agent start', unreachable);
    expect(failed).toMatchObject({ code: 5, err: expect.stringContaining('The agent was not started') });
    expect(failed.err).toContain('Commands connect by themselves');
    const proxied = await run('agent start', {
      HEDGE_BASE_URL: 'https://partner.example/v2',
      HTTPS_PROXY: 'http://proxy.test:3128',
    });
    expect(proxied).toMatchObject({ code: 2, err: expect.stringContaining('proxy') });
    const practice = await runBuilt(['agent', 'start', '--profile', 'practice'], {
      env: { HEDGE_HOME: temporaryFolder() },
    });
    expect(practice).toMatchObject({ code: 2, err: expect.stringContaining('practice') });
    expect(await run('agent start --for 25h')).toMatchObject({ code: 2 });
    expect((await run('agent status')).out).toContain('No agent is running');
  });
});
