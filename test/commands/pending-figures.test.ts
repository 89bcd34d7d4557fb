/** Positions and hedges while the journal has actions whose outcome is not known: the figures are not final. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../src/journal/store/schema.ts';
import { aPosition } from '../spec/bodies.ts';
import { wayTo } from '../support/cli-for.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { type TestCli, testCli } from '../support/test-cli.ts';

const MAY_CHANGE = /^.*these figures may change.*$/m;
const lineOf = async (cli: TestCli, words: string): Promise<string | undefined> =>
  (await cli.run(words)).out.match(MAY_CHANGE)?.[0];

/** One hedge; the response to its close was lost. */
async function lostClose(): Promise<TestCli> {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run('open USDTNGN buy 10k --tenor 3 --yes');
  await cli.run('practice faults --lost-before 100% --only close --once 3');
  expect((await cli.run('close USDTNGN buy --yes')).code).toBe(7);
  return cli;
}

it('resume of a close on a side that is flat says so, and shows no figures of what is left to close', async () => {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run('open USDTNGN sell 30k --tenor 3 --yes');
  await cli.run('practice faults --lost-after 100% --only close --once 3');
  expect((await cli.run('close USDTNGN sell --yes')).code).toBe(7);
  await cli.run('practice advance 1m');
  const shown = (await cli.run('resume --dry-run')).out;
  expect(shown.replaceAll(/\s+/g, ' ')).toContain(
    'CLOSE sell USDTNGN: the side is flat (was 30,000.00 USD), by this close or by somebody else. Sent again, it closes only hedges that are opened on the side meanwhile.',
  );
  expect(shown).not.toMatch(/Returned|If held/);
});

it('resume of a reduce on a side that was closed since says so, and what it would do', async () => {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run('open USDTNGN sell 30k --tenor 3 --yes');
  await cli.run('practice faults --lost-after 100% --only reduce --once 3');
  expect((await cli.run('reduce USDTNGN sell 10k --yes')).code).toBe(7);
  await cli.run('practice advance 1m');
  expect((await cli.run('check')).err).toContain('30,000.00 -> 20,000.00 USD');
  expect((await cli.run('close USDTNGN sell --yes')).code).toBe(0);
  const shown = (await cli.run('resume --dry-run')).out;
  expect(shown.replaceAll(/\s+/g, ' ')).toContain(
    'REDUCE sell USDTNGN: the side is flat (was 30,000.00 USD), by this reduce, a later close or somebody else. Sent again, it reduces only hedges that are opened on the side meanwhile.',
  );
  expect(shown).not.toContain('position unknown');
});

const READINGS = {
  positions: on('GET /positions', ok([aPosition()])),
  hedges: on('GET /hedges?limit=100', ok([])),
} as const;

describe.each(['positions', 'hedges'] as const)('%s', (command) => {
  it('says nothing more while every outcome is known', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 10k --tenor 3 --yes');
    expect(await lineOf(cli, command)).toBeUndefined();
  });

  it('counts the unknown outcomes and the actions in flight, and names the command that looks them up', async () => {
    const cli = await lostClose();
    expect(await lineOf(cli, command)).toBe(
      '1 unresolved: these figures may change. To look them up: hedge check',
    );
    await cli.run('open USDTNGN sell 5k --tenor 1 --yes --no-wait');
    expect(await lineOf(cli, command)).toMatch(/^1 unresolved, 1 in flight: /);
  });

  it('prints the same document, with or without them', async () => {
    const cli = await lostClose();
    const { out, err } = await cli.run(`${command} --json`);
    expect([JSON.parse(out).data.length, err]).toEqual([1, '']);
  });

  it('is still shown while the journal is damaged', async () => {
    const cli = await lostClose();
    writeFileSync(databaseFile(join(cli.home, 'state')), 'not a database');
    const { code, out } = await cli.run(command);
    expect([code, out.includes('10,000.00')]).toEqual([0, true]);
  });

  it('does not count those of another account', async () => {
    const { run, home } = await lostClose();
    const service = await scriptedService([READINGS[command]]);
    const env = { ...wayTo(service, temporaryFolder()), HEDGE_HOME: home, HEDGE_PROFILE: '' };
    const { code, out } = await run(command, { env });
    expect([code, MAY_CHANGE.test(out)]).toEqual([0, false]);
  });
});
