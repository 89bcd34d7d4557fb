/** S10: every command contacts the base URL alone and writes only in hedge's own folders. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IN_SHELL, runProgram } from '../support/built.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';

/** Every command at least once; what goes on by itself is read a line of. */
const LINES: readonly string[] = [
  'account',
  'markets',
  'open USDTNGN buy 10000 --tenor 3 --yes',
  'price --chart',
  'quote USDTNGN buy 10k',
  'hedges --since today',
  'history --by day',
  'positions --csv',
  'add USDTNGN buy 1000 --yes',
  'reduce USDTNGN buy 1000 --yes',
  'check',
  'resume --yes',
  'wait hdg_none --timeout 1',
  'close USDTNGN buy --yes --if-open',
  'journal',
  'halt drill',
  'unhalt --yes',
  'doctor',
  'api GET /account',
  'batch -',
  'watch --every 1.5',
  'hedges --watch 1 --json',
  '',
  '--version',
  '--help',
  'help json',
  'completion zsh',
  '__complete hedges hdg',
  'profile add desk --base-url URL --key-stdin',
  'profile list',
  'profile use desk',
  'profile show',
  'profile limit desk --max-notional 50k',
  'profile remove desk --yes',
  'nonsense',
  '--profile practice open USDTNGN buy 1k --tenor 1 --yes',
  '--profile practice account',
  'practice status',
  'practice advance 1h',
  'practice faults',
  'practice reset --yes',
];

const OPTIONS = needs('bash', 'strace');

describe('the least contact', OPTIONS, () => {
  it.each([
    ['HEDGE_HOME', ['.']],
    ['HOME', ['.config/hedge', '.local/state/hedge', '.cache/hedge']],
  ] as const)(
    'is the base URL alone, and nothing is written but in the folders below %s',
    async (variable, below) => {
      const served = await servedBook(WITHOUT_LIMIT);
      onTestFinished(() => served.close());
      const home = temporaryFolder();
      const folders = below.map((name) => join(home, name));
      const { HEDGE_HOME: _home, ...way } = served.way(home);
      const { HEDGE_API_KEY: key = '', HEDGE_BASE_URL: url = '' } = way;
      const port = new URL(url).port;
      const wrong: string[] = [];
      const tried = variable === 'HOME' ? spread(LINES, 10) : spread(LINES, 3);
      for (const line of tried) {
        const words = line.replace('URL', url);
        const alone = /^(--profile|practice|profile)/.test(line)
          ? { HEDGE_CA_FILE: way['HEDGE_CA_FILE'] ?? '' }
          : way;
        const stdin = line.startsWith('batch') ? 'hedges\nquote USDTNGN buy 1k --tenor 3\n' : key;
        const calls = await traced(words, { env: { ...alone, [variable]: home }, stdin });
        expect({ line, isTraced: calls.length > 10 }).toEqual({ line, isTraced: true });
        for (const call of calls) {
          const stray = strayOf(call, { folders, port: line.includes('practice') ? undefined : port });
          if (stray !== undefined) wrong.push(`hedge ${line}: ${stray}`);
        }
      }
      expectHeld('S10 least contact', { runs: tried.length, wrong });
    },
  );

  it.each([
    ['connect(18, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("1.2.3.4")}, 16) = 0', true],
    ['connect(18, {sa_family=AF_INET, sin_port=htons(99), sin_addr=inet_addr("127.0.0.1")}, 16) = 0', false],
    ['openat(AT_FDCWD, "/etc/x", O_WRONLY|O_CREAT, 0666) = 18', true],
    ['openat(AT_FDCWD, "/home/x", O_WRONLY|O_CREAT, 0666) = 18', false],
    ['openat(AT_FDCWD, "/etc/x", O_RDONLY) = 18', false],
    ['mkdir("/tmp/x", 0777) = 0', true],
  ])('would show in %s', (call, isStray) => {
    expect(strayOf(call, { folders: ['/home'], port: '99' }) !== undefined).toBe(isStray);
  });
});

const CALLS =
  'connect,sendto,openat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat';

/** The system calls of `hedge` with these words, its output read for three lines. */
async function traced(
  words: string,
  { env, stdin }: { env: Record<string, string>; stdin: string },
): Promise<readonly string[]> {
  const log = join(temporaryFolder(), 'trace');
  const script = `strace -f -qq -o '${log}' -e trace=${CALLS} ${IN_SHELL} ${words} 2>/dev/null | head -3`;
  await runProgram('bash', ['--norc', '-c', script], { env, stdin });
  return readFileSync(log, 'utf8').split('\n').filter(Boolean);
}

/** The call, when it reaches or changes what is not ours. `port`: the only one, or any of this machine. */
function strayOf(
  call: string,
  { folders, port }: { folders: readonly string[]; port: string | undefined },
): string | undefined {
  if (/\bconnect\(/.test(call)) {
    const isOurs =
      call.includes(port === undefined ? 'htons(' : `htons(${port})`) && call.includes('"127.0.0.1"');
    return /AF_INET/.test(call) && !isOurs ? call : undefined;
  }
  if (/\bopenat\(/.test(call) && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(call)) return undefined;
  if (/\bsendto\(|= -1 /.test(call)) return undefined;
  const paths = [...call.matchAll(/"(\/[^"]*)"/g)].map(([, path = '']) => path);
  const isOurs = (path: string): boolean =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`)) ||
    // Those above ours are made where they are missing.
    (/\bmkdir/.test(call) && folders.some((folder) => folder.startsWith(`${path}/`))) ||
    /^\/dev\/(null|tty)$/.test(path);
  return paths.every(isOurs) ? undefined : call;
}
