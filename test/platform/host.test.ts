/** Whether the process that a lock names still lives. */
import { describe, expect, it } from 'vitest';
import { hostOf, type ProcessIdentity } from '../../src/platform/host.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';

const host = hostOf(process);
/** No process number reaches it: the most that Linux can be set to is 2^22. */
const NOBODY = 2 ** 22 + 1;

describe('with /proc', needs('/proc'), () => {
  it.each<{ what: string; change: Partial<ProcessIdentity>; verdict: string }>([
    { what: 'this process runs', change: {}, verdict: 'running' },
    { what: 'a number that nobody has is gone', change: { pid: NOBODY }, verdict: 'gone' },
    { what: 'a number that another process has by now is gone', change: { started: '1' }, verdict: 'gone' },
    { what: 'what ran before the last boot is gone', change: { boot: 'another' }, verdict: 'gone' },
    { what: 'another container cannot be asked', change: { space: 'pid:[1]' }, verdict: 'unknown' },
    {
      what: 'another machine cannot be asked',
      change: { boot: 'another', hostname: 'elsewhere' },
      verdict: 'unknown',
    },
    {
      what: 'the same machine under another name can be asked',
      change: { hostname: 'elsewhere' },
      verdict: 'running',
    },
    {
      what: 'a program that could not see the boot cannot be asked',
      change: { boot: null },
      verdict: 'unknown',
    },
  ])('$what', ({ change, verdict }) => {
    expect(host.self.started).toMatch(/^\d+$/);
    expect(host.judge({ ...host.self, ...change })).toBe(verdict);
  });
});

describe('without /proc', () => {
  const bare = (kill: (pid: number) => void) =>
    hostOf({ pid: 7, platform: 'darwin', geteuid: () => 501, kill }, temporaryFolder());
  const refusing = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };

  it.each([
    { what: 'a process that takes signals runs', kill: () => undefined, verdict: 'running' },
    { what: "another user's process runs", kill: refusing('EPERM'), verdict: 'running' },
    { what: 'no such process is gone', kill: refusing('ESRCH'), verdict: 'gone' },
  ])('$what', ({ kill, verdict }) => {
    const { self, judge } = bare(kill);
    expect(self).toMatchObject({ pid: 7, boot: null, space: null, started: null });
    expect(judge({ ...self, pid: 8 })).toBe(verdict);
  });

  it('another machine is not asked', () => {
    const { self, judge } = bare(refusing('ESRCH'));
    expect(judge({ ...self, hostname: 'elsewhere' })).toBe('unknown');
  });
});
