import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Every test file together needs less. */
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * For the temporary files of tests: in memory where there is room. Each record of a journal is synced, and on a disk that
 * others use the tests would wait for that more than they work. TMPDIR decides where it is set.
 */
export const quickFolder = (): string =>
  process.env['TMPDIR'] === undefined && canUse(MEMORY) ? MEMORY : tmpdir();

function canUse(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES && !runsNothing(folder);
  } catch {
    return false;
  }
}

/** Some tests start a program that they wrote. */
const runsNothing = (folder: string): boolean =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[1] === folder && /(?:^|,)noexec(?:,|$)/.test(line.split(' ')[3] ?? ''));
