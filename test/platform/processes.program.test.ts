/** The lock and the files of this folder in processes that are killed or stopped by the system. */
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError } from '../../src/errors.ts';
import { writeAtomically } from '../../src/platform/atomic-file.ts';
import { withLock } from '../../src/platform/lock.ts';
import { IN_FULL } from '../support/goal.ts';
import { runModule, steppingClock, temporaryFolder, testMachine } from '../support/own-folder.ts';

const CHILD = `
  import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
  import { systemClock } from 'dist/platform/clock.js';
  import { writeAtomically } from 'dist/platform/atomic-file.js';
  import { hostOf } from 'dist/platform/host.js';
  import { withLock } from 'dist/platform/lock.js';
  import { systemRandom } from 'dist/platform/random.js';
  const machine = { clock: systemClock, random: systemRandom, host: hostOf(process) };
  const [folder, ...words] = process.argv.slice(1);
`;

/** Counts up in a file, and says aloud when somebody else is at work at the same time. */
const COUNTING = `${CHILD}
  const [rounds, deadly] = words.map(Number);
  const path = folder + '/count';
  // A process that was killed does no more work: it is on its way out (PF_EXITING), or not yet buried by its parent (Z).
  const running = (pid) => {
    try {
      const [state, ...numbers] = readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ').at(-1).split(' ');
      return !'ZX'.includes(state) && (Number(numbers[5]) & 4) === 0;
    } catch { return false; }
  };
  for (let round = 0; round < rounds; round += 1) {
    await withLock(folder + '/lock', { ...machine, waitMs: 60_000 }, async () => {
      const mark = folder + '/inside';
      try {
        const other = Number(readFileSync(mark, 'utf8'));
        if (other !== process.pid && running(other)) writeSync(1, 'TOGETHER\\n');
      } catch {}
      const fd = openSync(mark, 'w');
      writeSync(fd, String(process.pid));
      closeSync(fd);
      const count = Number(readFileSync(path, 'utf8')) + 1;
      await systemClock.sleep(1);
      writeAtomically(path, String(count), machine);
      writeSync(1, 'counted\\n');
      if (round === deadly) { process.kill(process.pid, 'SIGKILL'); for (;;) {} }
      rmSync(mark);
    });
  }
`;

/** Of so many, the first are killed in their second round, their third, and so on. */
const [WRITERS, KILLED, ROUNDS] = IN_FULL ? [20, 8, 10] : [6, 3, 5];

describe('a lock', () => {
  it('of many writers loses nothing, some of them killed while they hold it', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'count'), '0', { mode: 0o600 });
    const writers = Array.from({ length: WRITERS }, (_, at) =>
      runModule(COUNTING, [folder, ROUNDS.toString(), at < KILLED ? (at + 1).toString() : '-1']),
    );
    const ends = await Promise.all(writers.map(({ ended }) => ended));
    const lines = ends.flatMap(({ out }) => out.split('\n').filter((line) => line !== ''));
    expect(ends.map(({ err }) => err).join('')).toBe('');
    expect(ends.filter(({ signal }) => signal === 'SIGKILL')).toHaveLength(KILLED);
    expect(lines.filter((line) => line !== 'counted')).toEqual([]);
    const ofKilled = Array.from({ length: KILLED }, (_, at) => at + 2).reduce((sum, each) => sum + each, 0);
    expect(lines).toHaveLength(ofKilled + (WRITERS - KILLED) * ROUNDS);
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe(lines.length.toString());
    // One that was killed holds nothing.
    expect(await withLock(join(folder, 'lock'), testMachine(), () => 'mine')).toBe('mine');
    expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toEqual(['lock']);
  });

  it('is free at once when its holder was killed (R8)', async () => {
    const folder = temporaryFolder();
    const { child, ended } = runModule(
      `${CHILD}
      await withLock(folder + '/lock', machine, () => new Promise(() => {
        writeSync(1, 'held');
        setInterval(() => {}, 1_000);
      }));`,
      [folder],
    );
    if (child.stdout === null) throw new Error('no output to wait for');
    await once(child.stdout, 'data');
    const clock = steppingClock();
    const early = withLock(join(folder, 'lock'), { ...testMachine(clock), waitMs: 50 }, () => 'never');
    await expect(early).rejects.toThrow(DamagedFileError);
    child.kill('SIGKILL');
    await ended;
    const before = clock.slept();
    expect(await withLock(join(folder, 'lock'), testMachine(clock), () => 'mine')).toBe('mine');
    expect(clock.slept()).toBe(before);
  });
});

describe('a file', () => {
  it('that is written whole stays the old one, with no other file, when the system stops the writing half-way', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    writeAtomically(path, 'old', testMachine());
    const { ended } = runModule(
      `
      import { writeAtomically } from 'dist/platform/atomic-file.js';
      import { hostOf } from 'dist/platform/host.js';
      import { systemRandom } from 'dist/platform/random.js';
      writeAtomically(process.argv[1], 'n'.repeat(1_000_000), { random: systemRandom, host: hostOf(process) });
      `,
      [path],
      { fileKb: 64 },
    );
    expect((await ended).err).toContain(`Cannot write ${path}: the file would be too large (EFBIG).`);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
