/**
 * Every example of help and README, run as it stands by a shell, each on a practice desk of its own in the middle
 * of its day: hedges on both sides, one settled, one action that nobody knows the end of. What cannot run as it
 * stands says here why, and what is put in its place.
 */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IN_SHELL, runProgram } from '../support/built.ts';
import { everyExample } from '../support/examples.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { openScreen } from '../support/pty.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { isMissing } from '../support/tools.ts';

/** A fault of hedge, a line that is wrong, an answer that cannot be read: no example ends so. */
const NO_EXAMPLE: readonly (number | null)[] = [1, 2, 6];
const PARTNER = 'https://partner.example/api/v2';

interface Exception {
  /** What the line has in it. */
  has: RegExp;
  because: string;
  /** What is run in its place. */
  edit?: (line: string) => string;
  /** Lines that run before. */
  before?: readonly string[];
  leaveOut?: true;
}

const EXCEPTIONS: readonly Exception[] = [
  { has: /^hedge open$/, because: 'asks part by part: acceptance/wizard.test.ts answers it', leaveOut: true },
  {
    has: /--log > practice.env &$/,
    because: 'serves on in the background, as the one before it',
    leaveOut: true,
  },
  {
    has: /--port 4870$/,
    because: 'the port may be taken here',
    edit: (line) => line.replace(' --port 4870', ''),
  },
  {
    has: /profile add \S+ --base-url/,
    because: 'there is a profile of that name, and no such partner: a practice service is one',
    before: ['hedge profile remove desk --yes'],
    edit: (line) => line.replace(PARTNER, '$PARTNER'),
  },
  {
    has: /^hedge profile add desk --base-url \S+( --store keychain)?( +#.*)?$/,
    because: 'the key is asked for: it comes on standard input instead',
    before: ['hedge profile remove desk --yes'],
    edit: (line) => `pass | ${line.replace(PARTNER, '$PARTNER').replace(/ +#.*/, '')} --key-stdin`,
  },
  {
    has: /^hedge open USDTNGN buy (?:10000 --tenor 3|10k --tenor 3 --dry-run)$/,
    because: 'the same was dealt a moment ago here',
    edit: (line) => `${line} --allow-duplicate`,
  },
  { has: /\b9aad\b/, because: 'the action here is 7c1e', edit: (line) => line.replace('9aad', '7c1e') },
];

/** The last that fits is the most particular. */
const exceptionOf = (line: string): Exception | undefined => EXCEPTIONS.findLast(({ has }) => has.test(line));

/** They ask, on a terminal, unless told not to. */
const ASKS =
  /^hedge (?:open|add|reduce|close|resume|unhalt|journal settle|profile (?:remove|use)|practice reset|api POST \/hedges)(?!.*(?:--yes|--dry-run|--json|\||>))/;
/** They go on until somebody ends them. */
const GOES_ON = /practice serve|--watch|^hedge watch/;

const all = await everyExample();
const examples = all.filter(({ line }) => exceptionOf(line)?.leaveOut !== true);

let partner: ServedBook;
let base = '';
const clean: (() => void)[] = [];

const environmentOf = (folder: string): Record<string, string> => ({
  HOME: folder,
  HEDGE_HOME: join(folder, 'hedge'),
  HEDGE_PROFILE: 'practice',
  PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
  PARTNER: partner.desk.service.url,
  HEDGE_CA_FILE: partner.way('')['HEDGE_CA_FILE'] ?? '',
});

const script = (folder: string, lines: readonly string[]): string =>
  ['set -o pipefail', `cd '${join(folder, 'work')}'`, ...lines].join('\n');

const runIn = async (folder: string, ...lines: readonly string[]) =>
  runProgram('bash', ['--norc', '-c', script(folder, lines)], { env: environmentOf(folder) });

interface Ended {
  code: number | null;
  said: string;
}

async function piped(folder: string, lines: readonly string[]): Promise<Ended> {
  const { code, out, err } = await runIn(folder, ...lines);
  return { code, said: out + err };
}

/** On a terminal: its question is answered with yes, or what it goes on with is ended by Ctrl-C. */
async function onTerminal(folder: string, line: string, then: 'answered' | 'interrupted'): Promise<Ended> {
  const screen = openScreen('bash', ['--norc', '-c', script(folder, [line])], { env: environmentOf(folder) });
  const [waitsFor, keys] = then === 'answered' ? [/\(y\/N\)/, 'y\r'] : [/USD|HEDGE_API_KEY/, '\u0003'];
  const type = (): void => screen.send(keys);
  // Some have nothing to ask here: an action that is found done, a deal id that is used.
  await Promise.race([screen.until(waitsFor).then(type, () => undefined), screen.exit]);
  const { code } = await screen.exit;
  return { code, said: screen.screen().join('\n') };
}

async function doneIn(folder: string, line: string, code = 0): Promise<string> {
  const ran = await runIn(folder, line);
  if (ran.code !== code) throw new Error(`${line}: ${ran.code}\n${ran.err}`);
  return ran.out;
}

beforeAll(async () => {
  partner = await servedBook();
  base = temporaryFolder((then) => clean.push(then));
  const key = partner.way('')['HEDGE_API_KEY'] ?? '';
  for (const folder of [
    'bin',
    'work',
    'keys',
    '.zfunc',
    '.config/fish/completions',
    '.local/share/bash-completion/completions',
    'hedge/state/practice',
  ])
    mkdirSync(join(base, folder), { recursive: true, mode: 0o700 });
  const program = (name: string, does: string): void => {
    writeFileSync(join(base, 'bin', name), `#!/bin/sh\n${does}\n`);
    chmodSync(join(base, 'bin', name), 0o755);
  };
  program('hedge', `exec ${IN_SHELL} "$@"`);
  program('pass', `echo '${key}'`);
  writeFileSync(join(base, 'keys', 'hedge-test'), key, { mode: 0o600 });
  writeFileSync(
    join(base, 'work', 'payouts.txt'),
    'open USDTNGN buy 1k --tenor 3 --deal-id PAY-9001\nopen USDTNGN buy 2k --tenor 3 --deal-id PAY-9002\n',
  );
  const settings = { fill_seconds: { min: 0, max: 0 } };
  writeFileSync(join(base, 'hedge/state/practice/settings.json'), JSON.stringify(settings), { mode: 0o600 });

  await doneIn(base, 'hedge open USDTNGN buy 5k --tenor 1 --deal-id PAY-8839 --yes');
  await doneIn(base, 'hedge practice advance 2d');
  await doneIn(base, 'hedge open USDTNGN buy 10k --tenor 3 --deal-id PAY-8841 --yes');
  await doneIn(base, 'hedge open USDTNGN buy 30k --tenor 7 --yes');
  await doneIn(base, 'hedge open USDTNGN sell 8k --tenor 3 --yes');
  await doneIn(base, `pass | hedge profile add desk --base-url "$PARTNER" --key-stdin`);
  await doneIn(base, 'hedge practice weather --lost-after 100% --only open --once 3');
  const lost = await doneIn(base, 'hedge open USDTNGN sell 3k --tenor 3 --yes --json', 7);
  const { data }: { data: { action_id: string } } = JSON.parse(lost);
  const journal = join(base, 'hedge/state/journal.jsonl');
  const known = `7c1e${data.action_id.slice(4)}`;
  writeFileSync(journal, readFileSync(journal, 'utf8').replaceAll(data.action_id, known));
}, 60_000);

afterAll(async () => {
  await partner.close();
  clean.forEach((then) => then());
});

describe('every example', () => {
  it('that cannot run as it stands is still one', () => {
    const unused = EXCEPTIONS.filter(({ has }) => !all.some(({ line }) => has.test(line)));
    expect(unused).toEqual([]);
    expect(examples.length).toBeGreaterThan(100);
  });

  for (const { line, from } of examples) {
    const run = /\bjq\b/.test(line) && isMissing('jq') ? it.skip : it.concurrent;
    run(`${line} (${from})`, async ({ expect: here, onTestFinished }) => {
      const folder = temporaryFolder(onTestFinished);
      rmSync(folder, { recursive: true });
      cpSync(base, folder, { recursive: true });
      const { before = [], edit } = exceptionOf(line) ?? {};
      const typed = edit?.(line) ?? line;
      const ended = await (GOES_ON.test(line)
        ? onTerminal(folder, typed, 'interrupted')
        : ASKS.test(line)
          ? onTerminal(folder, typed, 'answered')
          : piped(folder, [...before, typed]));
      here(NO_EXAMPLE, ended.said).not.toContain(ended.code);
    });
  }
});
