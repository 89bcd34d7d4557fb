/** The built program with the protocol's own client, in both of its eras, and with clients that misbehave. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { bareEnvironment, toStart } from '../support/built.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { onlyFrames } from '../support/tool-client.ts';

/** Of the tools that need some; for `.ci/inspector` too. */
const GIVEN: Readonly<Record<string, Record<string, string>>> = JSON.parse(
  readFileSync(new URL('arguments.json', import.meta.url), 'utf8'),
);

const environment = (): Record<string, string> => bareEnvironment({ HEDGE_HOME: temporaryFolder() });
const started = (): readonly [string, ...string[]] => {
  const [command, words] = toStart('mcp', '--profile', 'practice');
  return [command, ...words];
};

describe('the client of the protocol', () => {
  it.each([
    ['2026-07-28', { mode: 'auto' as const }],
    ['2025-11-25', { mode: 'legacy' as const }],
  ])('of %s lists and calls every tool', async (version, versionNegotiation) => {
    const [command, ...args] = started();
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      env: environment(),
      stderr: 'pipe',
    });
    await client.connect(transport);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getInstructions()).toMatch(/None sends an action/);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(18);
    for (const { name } of tools) {
      const { structuredContent, isError } = await client.callTool({ name, arguments: GIVEN[name] ?? {} });
      expect({ name, isError: isError ?? false }).toEqual({ name, isError: false });
      expect(structuredContent).toMatchObject({
        environment: 'practice',
        profile: 'practice',
        action_sent: false,
      });
    }
    await expect(client.callTool({ name: 'open', arguments: {} })).rejects.toThrow('no tool');
    await client.close();
  });
});

describe('a client that misbehaves', () => {
  /** Everything that comes, and the end. */
  function program(): {
    child: ReturnType<typeof spawn>;
    out: () => string;
    err: () => string;
    ended: Promise<number | NodeJS.Signals | null>;
  } {
    const [command, ...args] = started();
    const child = spawn(command, args, { env: environment(), stdio: 'pipe' });
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    return { child, out: () => out, err: () => err, ended };
  }
  const HELLO = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } } })}\n`;
  const ASK = (id: number): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'markets', arguments: {} } })}\n`;

  it('and hangs is left at a signal, as practice serve is', async () => {
    const { child, out, ended } = program();
    child.stdin?.write(HELLO);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(onlyFrames(out())).toBe(true);
  });

  it('and closes early, or reads no more, leaves no process', async () => {
    const early = program();
    early.child.stdin?.end(HELLO + ASK(2));
    expect(await early.ended).toBe(0);
    const deaf = program();
    deaf.child.stdout?.destroy();
    deaf.child.stdin?.on('error', () => undefined);
    deaf.child.stdin?.write(HELLO + ASK(2) + ASK(3));
    expect(await deaf.ended).toBe(0);
  });

  it('and asks for much at once gets frames alone, and no warning of the runtime', async () => {
    const { child, out, err, ended } = program();
    child.stdin?.write(HELLO + [2, 3, 4, 5, 6, 7].map(ASK).join(''));
    await expect.poll(() => out().split('\n').length - 1).toBe(7);
    child.stdin?.write([8, 9, 10, 11, 12, 13].map(ASK).join(''));
    await expect.poll(() => out().split('\n').length - 1).toBe(13);
    child.stdin?.end();
    expect(await ended).toBe(0);
    expect(onlyFrames(out())).toBe(true);
    expect(err()).toBe('');
  });
});
