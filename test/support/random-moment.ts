/**
 * A script of a desk, run by a shell on a real terminal and interrupted at a moment that nobody chose: what it said
 * until then, how it ended and how fast; then run again to its end. Says in words what must never be and was.
 */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passes } from 'node:timers/promises';
import { type BuiltRun, IN_SHELL, runBuilt, runShell } from './built.ts';
import { copiedJournal } from './journal-copy.ts';
import { temporaryFolder } from './own-folder.ts';
import { openScreen } from './pty.ts';
import { isToldTruly, type ServedBook } from './served-book.ts';

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const;
export type Signal = (typeof SIGNALS)[number];

/** Each line of a loop is safe to run again; a batch is by itself. */
export const SCRIPTS = {
  open: {
    line: 'hedge open USDTNGN buy "$size" --tenor 3 --deal-id "PAY-$n" --ensure --yes --json',
    acts: 3,
  },
  add: { line: 'hedge add USDTNGN buy "$size" --idempotency-key "ADD-$n" --yes --json', acts: 3 },
  reduce: { line: 'hedge reduce USDTNGN buy "$size" --idempotency-key "CUT-$n" --yes --json', acts: 3 },
  close: { line: 'hedge close USDTNGN buy --if-open --yes --json', acts: 1 },
  batch: { line: 'hedge batch "$HEDGE_HOME/payouts" --yes --json', acts: 3 },
} as const;
export type ScriptName = keyof typeof SCRIPTS;

const PAYOUTS = [1, 2, 3].map((n) => `open USDTNGN buy ${String(1_000 + n)} -t 3 --deal-id OUT-${String(n)}`);

/** What shows on the terminal when a phase has begun; undefined: as soon as the program has been started. */
export const PHASES = {
  reading: undefined,
  sending: /sending {4}action/,
  waiting: /accepted {3}/,
} as const satisfies Record<string, RegExp | undefined>;
export type Phase = keyof typeof PHASES;

export interface Moment {
  script: ScriptName;
  signal: Signal;
  phase: Phase;
  /** After the phase began. */
  afterMs: number;
}

export const momentText = ({ script, signal, phase, afterMs }: Moment): string =>
  `${signal} to ${script}, ${String(Math.round(afterMs))} ms into ${phase}`;

export interface Interrupted {
  wrong: readonly string[];
  /** From the signal to the end of the shell. */
  tookMs: number;
  /** It had ended before the signal came. */
  missed: boolean;
}

/** Puts another program in the place of ours: words of a shell that start it. */
export type Start = string;

const started = (start: Start): string => `set -euo pipefail\nhedge() { ${start} "$@"; }\n`;
const loopOf = (script: ScriptName): string =>
  script === 'batch'
    ? `echo start; ${SCRIPTS.batch.line} >> "$HEDGE_HOME/out"; echo after`
    : `for n in 1 2 3; do size=$((1000 + n)); echo start; ${SCRIPTS[script].line} >> "$HEDGE_HOME/out"; echo after; done`;

export async function interrupted(
  served: ServedBook,
  moment: Moment,
  start: Start = IN_SHELL,
): Promise<Interrupted> {
  const { script, signal, phase, afterMs } = moment;
  const home = temporaryFolder(() => undefined);
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(`${momentText(moment)}: ${what}`);
  };
  try {
    await served.reset();
    await served.opened('buy', 50_000);
    await served.desk.service.admin.setFaults({ delay_before_ms: 60 });
    writeFileSync(join(home, 'payouts'), PAYOUTS.join('\n'));
    const env = served.way(home);
    const screen = openScreen('bash', ['--norc', '-c', started(start) + loopOf(script)], {
      env,
      columns: 200,
    });
    const begins = PHASES[phase] ?? /start/;
    await screen.until(begins).catch(() => undefined);
    await passes(afterMs);
    const pid = await childOf(screen.pid);
    const before = shellLines(screen.screen());
    const sentAt = performance.now();
    const missed = pid === undefined || !signalled(signal, { pid, screen });
    const end = await screen.exit;
    const tookMs = performance.now() - sentAt;
    if (missed) return { wrong: [], tookMs: 0, missed: true };

    const shown = screen.screen().join('\n');
    const expected =
      signal === 'SIGINT' ? { code: null, signal } : { code: 128 + NUMBERS[signal], signal: null };
    must(JSON.stringify(end) === JSON.stringify(expected), `it ended as ${JSON.stringify(end)}:\n${shown}`);
    must(shellLines(screen.screen()) === before, `the script went on:\n${shown}`);
    must(signal === 'SIGKILL' || !screen.cursorHidden(), 'the cursor is hidden');
    await settledCalls(served);
    wrong.push(...saidTruly(served, { home, signal }).map((what) => `${momentText(moment)}: ${what}`));

    await served.desk.service.admin.clearFaults();
    const told = ({ code, out, err }: BuiltRun): string => `${String(code)} ${out} ${err}`.slice(0, 1_000);
    const looked = await runBuilt(['check', '--json'], { env });
    must([0, 7, 8].includes(looked.code ?? -1), `check: ${told(looked)}`);
    if (script === 'close') await resumeAll(home, env);
    const again = await runShell(
      loopOf(script).replaceAll('hedge ', () => `${start} `),
      { env },
    );
    must(again.code === 0, `run again it does not come to its end: ${told(again)}`);
    await resumeAll(home, env);
    const acted = served.changes().filter(({ status, replayed }) => status < 300 && replayed !== true);
    must(
      acted.length === SCRIPTS[script].acts,
      `the service did ${String(acted.length)} of ${String(SCRIPTS[script].acts)}`,
    );
    const at = await runBuilt(['check', '--json'], { env });
    must(at.code === 0, `not settled at last: ${told(at)}`);
    return { wrong, tookMs, missed: false };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const NUMBERS: Readonly<Record<Signal, number>> = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGKILL: 9 };

/** How far the shell has come, by its own lines. */
const shellLines = (lines: readonly string[]): number =>
  lines.filter((line) => /^(start|after)$/.test(line.trim())).length;

const LOOKS = 40;

/** The program that a shell waits for. */
async function childOf(pid: number): Promise<number | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    const path = `/proc/${String(pid)}/task/${String(pid)}/children`;
    const [child] = existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ') : [];
    if (child !== undefined && child !== '') return Number(child);
    await passes(1);
  }
  return undefined;
}

/** Ctrl-C goes to all that is in the foreground of the terminal, the others to the program alone. */
function signalled(
  signal: Signal,
  { pid, screen }: { pid: number; screen: { send(text: string): void } },
): boolean {
  if (signal === 'SIGINT') screen.send('\u0003');
  else {
    try {
      process.kill(pid, signal);
    } catch {
      return false;
    }
  }
  return true;
}

/** What was on its way when the program ended has come to the service. */
async function settledCalls(served: ServedBook): Promise<void> {
  for (let seen = -1; seen !== served.desk.log.length; ) {
    seen = served.desk.log.length;
    await passes(100);
  }
}

interface Told {
  data: { effect: string; receipt: { idempotency_key: string | null } } | null;
}

function saidTruly(
  served: ServedBook,
  { home, signal }: { home: string; signal: Signal },
): readonly string[] {
  const path = join(home, 'out');
  const lines = (existsSync(path) ? readFileSync(path, 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '');
  const wrong: string[] = [];
  const told = new Set<string>();
  const actedUnder = (key: string): number =>
    served.changes().filter((it) => it.idempotencyKey === key && it.status < 300 && it.replayed !== true)
      .length;
  for (const [index, line] of lines.entries()) {
    let document: Told;
    try {
      document = JSON.parse(line);
    } catch {
      // What is killed may be killed half-way through a word.
      if (signal !== 'SIGKILL' || index < lines.length - 1) wrong.push(`no document: ${line}`);
      continue;
    }
    const key = document.data?.receipt.idempotency_key;
    if (document.data === null || key === null || key === undefined) continue;
    told.add(key);
    const { effect } = document.data;
    if (!isToldTruly(effect, actedUnder(key)))
      wrong.push(`said ${effect}, and done ${String(actedUnder(key))} times: ${line}`);
  }
  const kept = new Set(copiedJournal(home).actions.map(({ intent }) => intent.idempotency_key));
  for (const { idempotencyKey: key = 'none' } of served.changes()) {
    if (!kept.has(key)) wrong.push(`${key} was sent, and is not in the journal`);
    if (signal !== 'SIGKILL' && !told.has(key)) wrong.push(`${key} was sent, and nothing was said of it`);
    if (actedUnder(key) > 1) wrong.push(`done ${String(actedUnder(key))} times under ${key}`);
  }
  return wrong;
}

async function resumeAll(home: string, env: Readonly<Record<string, string>>): Promise<void> {
  for (const { shortId, state } of copiedJournal(home).actions)
    if (['sent', 'unknown', 'accepted'].includes(state))
      await runBuilt(['resume', shortId, '--yes', '--resend', '--json'], { env });
}
