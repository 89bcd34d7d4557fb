/** A home in which every file that the program keeps has been written once, over a served book. */
import { rmSync } from 'node:fs';
import type { TestClock } from '../practice/support/practice-service.ts';
import type { runBuilt } from './built.ts';
import { filesBelow } from './canary.ts';
import { runHedge } from './in-process.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from './served-book.ts';
import { settleJournal } from './written-journal.ts';

const SET_UP = (url: string): readonly string[] => [
  `profile add desk --base-url ${url} --key-stdin`,
  'profile use desk',
  'markets',
  'price',
  'open USDTNGN buy 10000 --tenor 3 --yes --deal-id PAY-1',
  'halt drill',
  'practice advance 1h',
  'practice settings fill_seconds.min=0 fill_seconds.max=0',
];

/** What leads a program there by the profile that is stored in it. */
export function wayIn(served: ServedBook, home: string): Record<string, string> {
  const { HEDGE_CA_FILE: caFile = '' } = served.way(home);
  return { HEDGE_CA_FILE: caFile, HEDGE_HOME: home };
}

/** Writes it all below `home`, with `run` in place of the program where a test starts it otherwise. */
export async function writeWholeHome(
  served: ServedBook,
  home: string,
  run: typeof runBuilt = runHedge,
): Promise<void> {
  const { HEDGE_API_KEY: key = '', HEDGE_BASE_URL: url = '' } = served.way(home);
  for (const line of SET_UP(url)) {
    const ran = await run(line.split(' '), { env: wayIn(served, home), stdin: key });
    if (ran.code !== 0) throw new Error(`${line}: ${ran.err}`);
  }
}

/** A book that is asked without a limit, and a home over it without what comes and goes by itself. */
export async function wholeHome(home: string, clock?: TestClock): Promise<ServedBook> {
  const served = await servedBook(WITHOUT_LIMIT, clock);
  await writeWholeHome(served, home);
  settleJournal(home);
  for (const path of filesBelow(home)) if (/\.lock|-shm$|-wal$|compiled/.test(path)) rmSync(path);
  return served;
}
