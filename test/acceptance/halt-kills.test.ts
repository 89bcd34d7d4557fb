/** A halt killed at each of its system calls: it holds or it does not, and a person who was told so can rely on it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isExecutable } from '../support/built.ts';
import { expectHeld } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { type CopiedJournal, copiedJournal, journalAfter } from '../support/journal-copy.ts';
import { chosenKills, type Kill, killsOf, killText, runKilled, tracedHedge } from '../support/kill-case.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';

const WORDS = ['halt', 'venue down', '--json'];

const newHome = (): string => {
  const home = join(temporaryFolder(), 'home');
  mkdirSync(home, { mode: 0o700 });
  return home;
};

const haltsIn = ({ stored }: CopiedJournal): number =>
  stored.filter(({ record }) => record.includes('"kind":"halt"')).length;

describe('a halt', needs('strace'), () => {
  it('is on the disk before it is reported', async () => {
    const run = await tracedHedge(WORDS, { env: { HEDGE_HOME: newHome() } });
    expect(run.run).toMatchObject({ code: 0, err: '' });
    const reported = [...run.moments()].findIndex(({ call }) => call.on === 'the output');
    expect(reported).toBeGreaterThan(0);
    for (const { call, disk } of run.moments())
      if (call.on === 'the output') expect(haltsIn(journalAfter(disk, 'synced'))).toBe(1);
  });

  it('killed at any system call, with or without the power, is there whole or not at all', async () => {
    const all = killsOf(await tracedHedge(WORDS, { env: { HEDGE_HOME: newHome() } }));
    expect(all.length).toBeGreaterThan(100);
    const kills = chosenKills(all);
    const wrong = await inLanes([1, 2], kills, (_lane, kill) => wrongAfter(kill));
    expectHeld('R1 a halt, killed at every system call', { runs: kills.length, wrong: wrong.flat() });
  });

  it.skipIf(isExecutable)('that is not synced is found to be lost with the power', async () => {
    const env = { HEDGE_HOME: newHome() };
    const run = await tracedHedge(WORDS, { env, fault: 'no sync' });
    expect(run.run.out).toContain('venue down');
    expect(haltsIn(journalAfter(run.disk, 'everything'))).toBe(1);
    expect(haltsIn(journalAfter(run.disk, 'synced'))).toBe(0);
  });
});

async function wrongAfter(kill: Kill): Promise<readonly string[]> {
  const env = { HEDGE_HOME: newHome() };
  const { run, killedAt, others } = await runKilled(WORDS, { env, kill });
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(`${killText({ at: killedAt ?? kill.at, loses: kill.loses })}: ${what}`);
  };
  must(run.signal === (killedAt === undefined ? null : 'SIGKILL'), `it ended so: ${run.out} ${run.err}`);
  must(others.length === 0, `strace did not see how these were changed: ${others.join()}`);
  const journal = copiedJournal(env.HEDGE_HOME);
  const isReported = killedAt === undefined || killedAt.call === 'exit_group' || killedAt.on === 'the output';
  must(
    haltsIn(journal) === 1 || (haltsIn(journal) === 0 && !isReported),
    'it was reported, and does not hold',
  );
  must(journal.stored.length === haltsIn(journal), 'there are other records');
  for (const what of [...journal.wrong, journal.rewound ?? []].flat()) must(false, what);
  const again = await runHedge(WORDS, { env });
  must(again.code === 0 && again.err === '', `halting it then ended so: ${again.out} ${again.err}`);
  must(
    haltsIn(copiedJournal(env.HEDGE_HOME)) === haltsIn(journal) + 1,
    'the second one is not in the journal',
  );
  return wrong;
}
