/** SQLite's own writes and syncs of the journal, which only the system can make fail: strace does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CALLS = ['pwrite64', 'fsync'] as const;
export type Call = (typeof CALLS)[number];

export interface Injection {
  call: Call;
  /** From 1. */
  at: number;
  code: 'EIO' | 'ENOSPC';
  forEver: boolean;
}

const ON_JOURNAL = ['', '-wal'].map((end) => `journal.sqlite${end}`);

/** What starts a program so. `log`: what strace has seen. `inject` undefined: the calls are only counted. */
export const injecting = (home: string, log: string, inject?: Injection): readonly string[] => [
  'strace',
  '-f',
  '-qq',
  '-o',
  log,
  ...ON_JOURNAL.flatMap((name) => ['-P', join(home, 'state', name)]),
  '-e',
  `trace=${CALLS.join(',')}`,
  ...(inject === undefined
    ? []
    : [
        '-e',
        `inject=${inject.call}:error=${inject.code}:when=${inject.at.toString()}${inject.forEver ? '+' : ''}`,
      ]),
];

/** Each way in which so many calls can fail. */
export const injectionsOf = (call: Call, count: number): readonly Injection[] =>
  Array.from({ length: count }, (_, index) => index + 1).flatMap((at) =>
    (['EIO', 'ENOSPC'] as const).flatMap((code) =>
      [false, true].map((forEver): Injection => ({ call, at, code, forEver })),
    ),
  );

export const injectionText = ({ call, at, code, forEver }: Injection): string =>
  `${code} at ${call} ${at.toString()}${forEver ? ', and from then on' : ''}`;

/** How many calls there were, and how many of them were made to fail. */
export function seenIn(log: string): { calls: Readonly<Record<Call, number>>; injected: number } {
  const lines = readFileSync(log, 'utf8').split('\n');
  const count = (word: string): number => lines.filter((line) => line.includes(word)).length;
  return {
    calls: { pwrite64: count('pwrite64('), fsync: count('fsync(') },
    injected: count('(INJECTED)'),
  };
}
