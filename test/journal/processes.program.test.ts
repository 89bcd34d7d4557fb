/** The journal between real processes: limits hold, nothing on disk is lost, and a disk that fails says so. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { openJournal } from '../../src/journal/store.ts';
import { aMachine, runModule, temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';
import { ACCEPTED, anIntent, idOf, step } from './records.ts';

const placesIn = (home: string) => ({ config: home, state: join(home, 'state'), cache: home });
const journalIn = (home: string) => openJournal({ places: placesIn(home), machine: aMachine() });

/** `template` is an intent; each process deals under its own action ids. */
const CHILD = `
  import { existsSync, writeSync } from 'node:fs';
  import { dealIdAttempt, openedOn, usedDealId } from 'dist/journal/queries.js';
  import { mintActionId } from 'dist/journal/records.js';
  import { openJournal } from 'dist/journal/store.js';
  import { systemClock } from 'dist/platform/clock.js';
  import { hostOf } from 'dist/platform/host.js';
  import { systemRandom } from 'dist/platform/random.js';
  const machine = { clock: systemClock, random: systemRandom, host: hostOf(process) };
  const [home, template, ...words] = process.argv.slice(1);
  const places = { config: home, state: home + '/state', cache: home };
  const journal = openJournal({ places, machine, lockWaitMs: 60_000 });
  const intent = (parts = {}) => ({
    ...JSON.parse(template), action_id: mintActionId(machine.random), writer: machine.host.self, ...parts,
  });
  const said = (error) => JSON.stringify({ code: error.code, what: error.what, book: error.book, effect: error.effect });
`;
const template = JSON.stringify(anIntent());

/** A child that adds records until it is stopped, and says each id once \`append\` has returned. */
const APPENDING = `${CHILD}
  for (;;) {
    const next = intent({ deal_id: 'x'.repeat(Number(words[0])) });
    await journal.append([next]);
    writeSync(1, next.action_id + '\\n');
  }
`;

/** Deals five deal ids and once without, all begun together; says of each what came of it. */
const DEALING = `${CHILD}
  const { identity } = JSON.parse(template);
  const unique = (dealId) => ({ actions }) => {
    if (usedDealId(actions, identity, dealId) !== undefined) throw new Error(dealId + ' taken');
    if (dealIdAttempt(actions, identity, dealId) !== 1) throw new Error('attempt');
  };
  const limit = ({ actions }) => {
    if (openedOn(actions, identity, '2026-11-20').plus('10000').gt('95000')) throw new Error('limit');
  };
  // Between looking and writing there is time for another process to come in, if it can.
  const linger = () => { for (const end = Date.now() + 2; Date.now() < end; ); };
  const deals = ['A', 'B', 'C', 'D', 'E'].map((id) => [{ deal_id: id }, unique(id)]);
  writeSync(1, 'ready\\n');
  while (!existsSync(home + '/go')) await systemClock.sleep(1);
  for (const [parts, check] of [...deals, [{}, limit]]) {
    const next = intent(parts);
    try {
      await journal.append([next], (state) => {
        if (state.damage.length > 0 || state.cutTail) throw new Error('broken');
        check(state);
        linger();
      });
      const same = { schema: 1, action_id: next.action_id, at: next.at };
      await journal.append([{ ...same, kind: 'sending', attempt: 1, writer: next.writer }]);
      await journal.append([{ ...same, kind: 'accepted', by: 'answer' }]);
      writeSync(1, (parts.deal_id ?? 'dealt') + '\\n');
    } catch (error) {
      writeSync(1, error.message + '\\n');
    }
  }
`;

describe('twenty processes at once', () => {
  it('open no more than the daily limit together, and take a deal id once', async () => {
    const home = temporaryFolder();
    const dealers = Array.from({ length: 20 }, () => runModule(DEALING, [home, template]));
    await Promise.all(
      dealers.map(({ child }) => new Promise((resolve) => child.stdout?.once('data', resolve))),
    );
    writeFileSync(join(home, 'go'), '');
    const ends = await Promise.all(dealers.map(({ ended }) => ended));
    expect(ends.map(({ err }) => err).join('')).toBe('');
    const words = ends.flatMap(({ out }) => out.trim().split('\n'));
    const count = (word: string) => words.filter((each) => each === word).length;
    for (const id of ['A', 'B', 'C', 'D', 'E']) expect([count(id), count(`${id} taken`)]).toEqual([1, 19]);
    // Five under a deal id, of the same day, and four more: 90,000 of 95,000.
    expect([count('dealt'), count('limit')]).toEqual([4, 16]);
    const { actions, damage, cutTail, records } = journalIn(home).read();
    expect([damage, cutTail, records.length]).toEqual([[], false, 9 * 3]);
    expect(actions.map(({ state }) => state)).toEqual(Array.from({ length: 9 }, () => 'accepted'));
  });
});

describe('kill -9', () => {
  it('of writers at random moments loses nothing that was written, and breaks no line', async () => {
    const home = temporaryFolder();
    const told: string[] = [];
    for (const size of ['10', '5000', '60000']) {
      const writers = Array.from({ length: 4 }, () => runModule(APPENDING, [home, template, size]));
      await Promise.all(
        writers.map(async ({ child, ended }, at) => {
          let lines = 0;
          child.stdout?.on('data', (chunk: Buffer) => {
            lines += chunk.toString().split('\n').length - 1;
            if (lines > at * 2) child.kill('SIGKILL');
          });
          const { out, err, signal } = await ended;
          expect([err, signal]).toEqual(['', 'SIGKILL']);
          told.push(...out.trim().split('\n'));
        }),
      );
    }
    const { actions, damage } = journalIn(home).read();
    const found = new Set(actions.map(({ id }) => id));
    expect(told.length).toBeGreaterThanOrEqual(3 * (1 + 3 + 5 + 7));
    expect(told.filter((id) => !found.has(id))).toEqual([]);
    expect(damage).toEqual([]);
    // Nobody is left who could still send them.
    expect(actions.filter(({ underway }) => underway)).toEqual([]);
    expect((await journalIn(home).append([step(ACCEPTED)])).damage).toEqual([]);
  });

  it('leaves an action under way only as long as its process lives', async () => {
    const home = temporaryFolder();
    const { child, ended } = runModule(
      `${CHILD}
      await journal.append([intent()]);
      writeSync(1, 'written');
      setInterval(() => {}, 1_000);`,
      [home, template],
    );
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    expect(journalIn(home).read().actions).toMatchObject([{ state: 'prepared', underway: true }]);
    child.kill('SIGKILL');
    await ended;
    expect(journalIn(home).read().actions).toMatchObject([{ state: 'prepared', underway: false }]);
  });
});

const said = z.object({
  error: z.object({ code: z.string(), what: z.string(), book: z.string(), effect: z.string() }),
  kept: z.tuple([z.number(), z.number(), z.number(), z.boolean()]),
});

const UNSHARE = 'unshare';

/** What a child prints that runs where `mount` has been made over its home (`$1`), for itself alone. */
function underMount(mount: string, script: string, home: string): string {
  const dist = new URL('../../dist/', import.meta.url).href;
  const node = [process.execPath, '--input-type=module', '-e', script.replaceAll("'dist/", `'${dist}`), '--'];
  const words = ['-rm', 'sh', '-c', `${mount} && shift && exec "$@"`, 'sh', home, ...node, home, template];
  return execFileSync(UNSHARE, words, { encoding: 'utf8' });
}

describe('a disk that does not take it', () => {
  const FILLING = `${CHILD}
    let added = 0;
    try {
      for (; added < 1_000; added += 1) await journal.append([intent({ deal_id: 'x'.repeat(3_000) })]);
    } catch (error) {
      const { actions, damage, cutTail } = journal.read();
      const kept = [added, actions.length, damage.length, cutTail];
      writeSync(1, JSON.stringify({ error: JSON.parse(said(error)), kept }));
    }
  `;
  const expectKept = (out: string, path: string, why: string): void => {
    const { error, kept } = said.parse(JSON.parse(out));
    expect(error).toEqual({
      code: 'damaged_file',
      what: `Cannot write ${path}: ${why}.`,
      book: 'Nothing was sent.',
      effect: 'none',
    });
    const [added, ...rest] = kept;
    expect(added).toBeGreaterThan(2);
    expect(rest).toEqual([added, 0, false]);
  };

  it('because the file may not grow says so, and keeps what it had', async () => {
    const home = temporaryFolder();
    const { out, err } = await runModule(FILLING, [home, template], { fileKb: 50 }).ended;
    expect(err).toBe('');
    expectKept(out, join(home, 'state', 'journal.jsonl'), 'the file would be too large (EFBIG)');
  });

  it('because it is full says so, and keeps what it had', needs('unshare'), () => {
    const home = temporaryFolder();
    const out = underMount('mount -t tmpfs -o size=64k,mode=700 tmpfs "$1"', FILLING, home);
    // A full disk may refuse the lock's file before the journal's own.
    const { error, kept } = said.parse(JSON.parse(out));
    expect(error).toMatchObject({ code: 'damaged_file', book: 'Nothing was sent.', effect: 'none' });
    expect(error.what).toContain('the disk is full (ENOSPC)');
    expect(kept.slice(1)).toEqual([kept[0], 0, false]);
  });

  // A folder that is closed to its owner is not closed to root.
  const isRoot = process.getuid?.() === 0;
  it('because it is read-only says so', isRoot ? needs('unshare') : {}, async () => {
    const home = temporaryFolder();
    const journal = journalIn(home);
    await journal.append([anIntent()]);
    const before = readFileSync(journal.path);
    const script = `${CHILD}
      try { await journal.append([intent()]); } catch (error) { writeSync(1, said(error)); }
    `;
    const answer = isRoot
      ? underMount('mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"', script, home)
      : await readOnly(home, script);
    expect(JSON.parse(answer)).toMatchObject({
      code: 'damaged_file',
      book: 'Nothing was sent.',
      effect: 'none',
    });
    expect(readFileSync(journal.path)).toEqual(before);
    expect(journal.read().actions).toMatchObject([{ id: idOf('7c1e') }]);
    expect(existsSync(join(home, 'state', 'journal.lock'))).toBe(false);
  });

  async function readOnly(home: string, script: string): Promise<string> {
    chmodSync(join(home, 'state'), 0o500);
    const { out } = await runModule(script, [home, template]).ended;
    chmodSync(join(home, 'state'), 0o700);
    return out;
  }
});
