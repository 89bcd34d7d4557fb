/** What the built program is made of, and what a start of it reads. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../spec/bodies.ts';
import { runBuilt } from '../support/built.ts';
import { SANDBOX_KEY, wayTo } from '../support/desk-at.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/program', import.meta.url));

describe('the built program', () => {
  it('carries the licence of every package that is in it', () => {
    const licences = readFileSync(join(PROGRAM, 'LICENSES.txt'), 'utf8');
    const maps = readdirSync(PROGRAM).filter((name) => name.endsWith('.map'));
    const sources = maps.flatMap((name) => sourcesOf(join(PROGRAM, name)));
    const packages = sources.flatMap(
      (path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
    );
    expect(packages).toContain('undici');
    const missing = [...new Set(packages)].filter((name) => !licences.includes(`\n${name} `));
    expect(missing).toEqual([]);
  });

  it('names lines of the source in the trace of a fault', async () => {
    const home = temporaryFolder();
    const fault = join(home, 'fault.cjs');
    writeFileSync(fault, "Date.prototype.toISOString = () => { throw new Error('broken on purpose'); };");
    const env = { HEDGE_HOME: home, NODE_OPTIONS: `--require ${fault}` };
    const ran = await runBuilt(['journal', '--json', '-v'], { env });
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/broken on purpose[\s\S]*src\/cli\/printer\.ts:\d+/);
  });

  it('shows the key nowhere, not even to whoever debugs Node itself', async () => {
    const service = await scriptedService([on('GET /account', ok(anAccount()))]);
    const home = temporaryFolder();
    const env = { ...wayTo(service, home), HEDGE_HOME: home, NODE_DEBUG: '*' };
    const ran = await runBuilt(['account', '--json', '-v'], { env });
    expect(ran.code).toBe(0);
    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${SANDBOX_KEY}`);
    expect(ran.err).toMatch(/HTTP \d+/);
    expect(ran.out + ran.err).not.toContain(SANDBOX_KEY);
  });
});

function sourcesOf(map: string): readonly string[] {
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(map, 'utf8'));
  return sources;
}
