/**
 * A practice desk in the middle of its day, to be copied for each case: hedges on both sides, one settled, action
 * 7c1e that nobody knows the end of, a profile `payouts` at a served service, and a shell in which `hedge` and `pass` are.
 */
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWords } from '../../src/cli/batch/shell-words.ts';
import { UsageError } from '../../src/errors.ts';
import { createBook } from '../practice/support/practice-service.ts';
import { type BuiltRun, IN_SHELL, runProgram } from './built.ts';
import { fileOfHelp } from './examples.ts';
import { dayIn } from './exposure-files.ts';
import { isStarted, openHedge, runHedge } from './in-process.ts';
import { temporaryFolder } from './own-folder.ts';
import { openScreen, type Screen, type ScreenOptions } from './pty.ts';
import { servedBook } from './served-book.ts';
import { rewriteJournal } from './written-journal.ts';

export interface TradingDay {
  /** One of its own for a case, removed when that has `finished`. */
  copy(finished: (then: () => void) => void): DayShell;
  /** Ends the service. */
  close(): Promise<void>;
}

/**
 * A line of `hedge` and its words alone runs as `runHedge` and `openHedge` do, one at a time; what needs a shell is run by
 * bash.
 */
export interface DayShell {
  /** Runs lines in a pipe; ends as the last one does. */
  run(...lines: readonly string[]): Promise<BuiltRun>;
  /** Runs a line on a terminal. */
  show(line: string, options?: ScreenOptions): Screen;
  /** The same shop, in which bash runs every line. */
  started: Omit<DayShell, 'started'>;
}

const FOLDERS = [
  'bin',
  'work',
  'keys',
  '.zfunc',
  '.config/fish/completions',
  '.local/share/bash-completion/completions',
  'hedge/state',
];

/** Where the reference rate starts, in NGN per USDT, unless another is given. */
export const USUAL_RATE = 1_530;

export async function tradingDay(rate: number = USUAL_RATE): Promise<TradingDay> {
  const settings = { fill_seconds: { min: 0, max: 0 }, markets: { USDTNGN: { base_rate: rate } } };
  const partner = await servedBook(settings);
  const { HEDGE_API_KEY: key = '', HEDGE_CA_FILE: caFile = '' } = partner.way('');
  const clean: (() => void)[] = [];
  const base = temporaryFolder((then) => clean.push(then));
  const shopIn = (folder: string): DayShell => {
    const script = (lines: readonly string[]): string =>
      ['set -o pipefail', `cd '${join(folder, 'work')}'`, ...lines].join('\n');
    const env = {
      HOME: folder,
      HEDGE_HOME: join(folder, 'hedge'),
      HEDGE_PROFILE: 'practice',
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      PARTNER: partner.desk.service.url,
      HEDGE_CA_FILE: caFile,
    };
    const started: DayShell['started'] = {
      run: (...lines) => runProgram('bash', ['--norc', '-c', script(lines)], { env }),
      show: (line, options = {}) =>
        openScreen('bash', ['--norc', '-c', script([line])], { ...options, env: { ...env, ...options.env } }),
    };
    if (isStarted) return { ...started, started };
    const from = join(folder, 'work');
    const wordsIn = (line: string) => wordsOfHedge(line.replace(/"?\$PARTNER"?/, env.PARTNER));
    return {
      started,
      async run(...lines) {
        const all: BuiltRun = { code: 0, signal: null, out: '', err: '' };
        for (const line of lines) {
          const [, pass, typed = line] = /^(pass \| )?(.*)$/s.exec(line) ?? [];
          const words = wordsIn(typed);
          const given = pass === undefined ? {} : { stdin: key };
          // oxlint-disable-next-line no-await-in-loop
          const ran = await (words === undefined
            ? started.run(line)
            : runHedge(words, { env, from, ...given }));
          Object.assign(all, ran, { out: all.out + ran.out, err: all.err + ran.err });
        }
        return all;
      },
      show(line, options = {}) {
        const words = wordsIn(line);
        return words === undefined
          ? started.show(line, options)
          : openHedge(words, { ...options, from, env: { ...env, ...options.env } });
      },
    };
  };
  await beginDay(base, shopIn(base), { key, settings });
  return {
    copy(finished) {
      const folder = temporaryFolder(finished);
      rmSync(folder, { recursive: true });
      cpSync(base, folder, { recursive: true });
      return shopIn(folder);
    },
    async close() {
      await partner.close();
      clean.forEach((then) => then());
    },
  };
}

/** The words of a line of hedge; undefined where it takes a shell to read them. */
export function wordsOfHedge(line: string): readonly string[] | undefined {
  try {
    const [program, ...words] = readWords(line);
    return program === 'hedge' ? words : undefined;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** As a person saves them; the practice clock is two days ahead. */
const exposures = (): string =>
  [
    '\ufeffID;Due;NGN;Direction;Certainty',
    `INV-2201;${dayIn(5)};20,000,000.00;receive;firm`,
    `INV-2202;${dayIn(9)};45,000,000.00;receive;forecast`,
    `INV-2203;${dayIn(12)};15m;pay;firm`,
    `INV-2204;${dayIn(23)};12m;pay;firm`,
    '',
  ].join('\r\n');

const POLICY = {
  buckets: [
    { from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 1_000 },
    { from_days: 8, to_days: 30, min_pct: 30, target_pct: 50, max_pct: 1_000 },
  ],
  before_days: 1,
  after_days: 1,
  forecast_weight_pct: 50,
};

async function beginDay(
  base: string,
  { run }: DayShell,
  { key, settings }: { key: string; settings: object },
): Promise<void> {
  for (const folder of FOLDERS) mkdirSync(join(base, folder), { recursive: true, mode: 0o700 });
  const program = (name: string, does: string): void => {
    writeFileSync(join(base, 'bin', name), `#!/bin/sh\n${does}\n`);
    chmodSync(join(base, 'bin', name), 0o755);
  };
  program('hedge', `exec ${IN_SHELL} "$@"`);
  program('pass', `echo '${key}'`);
  writeFileSync(join(base, 'keys', 'hedge-test'), key, { mode: 0o600 });
  for (const name of ['payouts.txt', 'deals.csv', 'finance.csv'] as const)
    writeFileSync(join(base, 'work', name), fileOfHelp(name));
  writeFileSync(join(base, 'work', 'exposures.csv'), exposures());
  writeFileSync(join(base, 'work', 'policy.json'), JSON.stringify(POLICY));
  await createBook(join(base, 'hedge/state/practice'), settings);

  const done = async (line: string, code = 0): Promise<string> => {
    const ran = await run(line);
    if (ran.code !== code) throw new Error(`${line}: ${ran.code ?? ran.signal ?? ''}\n${ran.err}`);
    return ran.out;
  };
  await done('hedge open USDTNGN buy 5k --tenor 1 --deal-id PAY-8839 --yes');
  await done('hedge practice advance 2d');
  await done('hedge open USDTNGN buy 10k --tenor 3 --deal-id PAY-8841 --yes');
  await done('hedge open USDTNGN buy 30k --tenor 7 --yes');
  await done('hedge open USDTNGN sell 8k --tenor 3 --yes');
  await done(`pass | hedge profile add payouts --base-url "$PARTNER" --key-stdin`);
  await done('hedge practice faults --lost-after 100% --only open --once 3');
  const lost = await done('hedge open USDTNGN sell 3k --tenor 3 --yes --json', 7);
  const { data }: { data: { action_id: string } } = JSON.parse(lost);
  const known = `7c1e${data.action_id.slice(4)}`;
  rewriteJournal(join(base, 'hedge'), (text) => text.replaceAll(data.action_id, known));
}
