/** Clients in other languages live a whole life against `hedge practice serve`, without Node in any step. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bareEnvironment, runBuilt, runProgram, toStart } from '../../support/built.ts';
import { temporaryFolder } from '../../support/own-folder.ts';
import { needs } from '../../support/tools.ts';

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const MOCK = ['--memory', '--seed', '7', '--clock', 'manual', '--fill-after', '2'];

/** Starts the built program, and returns the first block it prints. */
async function serve(options: readonly string[], home = temporaryFolder()) {
  const child = spawn(...toStart('practice', 'serve', '--log', ...options), {
    env: bareEnvironment({ HEDGE_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (part: Buffer) => {
    log += part.toString();
  });
  const [printed]: Buffer[] = await once(child.stdout, 'data');
  return { child, home, printed: String(printed), log: () => log };
}

/** The variables of `--print-env sh`. */
const variablesOf = (printed: string): Record<string, string> =>
  Object.fromEntries(
    [...printed.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

/** All that a suite prints, from a service of its own. */
async function live(program: string, suite: string): Promise<string> {
  const { printed, log } = await serve([...MOCK, '--port', '0', '--print-env', 'sh']);
  const variables = variablesOf(printed);
  const ran = await runProgram(program, [file(suite)], { env: variables });
  expect({ code: ran.code, err: ran.err.replace(/^-+\nRan \d+ tests in .*\n\nOK\n$/, '') }).toEqual({
    code: 0,
    err: '',
  });
  for (const key of Object.values(variables).filter((value) => value.startsWith('hk_'))) {
    expect(log()).not.toContain(key);
    expect(ran.out).not.toContain(key);
  }
  expect(log()).toContain('control POST /control/v1/clock/advance 200');
  return ran.out;
}

describe('a client in another language', () => {
  it('foreign: Python lives a whole life, the same in each run', needs('python3'), async () => {
    const first = await live('python3', 'life.py');
    expect(first.split('\n').length).toBeGreaterThan(40);
    expect(await live('python3', 'life.py')).toBe(first);
  });

  it('foreign: bash with curl lives a whole life, the same in each run', needs('bash', 'curl'), async () => {
    const first = await live('bash', 'life.sh');
    expect(first).toMatch(/The whole life: passed\.\n$/);
    expect(await live('bash', 'life.sh')).toBe(first);
  });
});

describe('practice serve --print-env', () => {
  it('print-env: Python reads what it prints', needs('python3'), async () => {
    const { printed } = await serve([...MOCK, '--books', 'a,b', '--print-env', 'python']);
    const script = `${printed}\nprint(BASE_URL, API_KEY, LIVE_KEY, CONTROL_URL, CONTROL_KEY, CA_FILE, sorted(BOOKS), BOOKS["b"]["base_url"])`;
    const ran = await runProgram('python3', ['-c', script], {});
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(
      /^https:\S+\/practice\/v2 hk_test_\w+ hk_live_\w+ https:\S+\/control\/v1 hk_control_\w+ \/\S+ca\.pem \['a', 'b'\] https:\S+\/practice\/b\/v2\n$/,
    );
  });

  it(
    'print-env: the Python example of the help topic runs after what it prints',
    needs('python3'),
    async () => {
      const { printed } = await serve([...MOCK, '--print-env', 'python']);
      const topic = await readFile(file('../../../src/help/mock-server.md'), 'utf8');
      const [, example = 'raise SystemExit("no example")'] = /```python\n([^]*?)```/.exec(topic) ?? [];
      expect(await runProgram('python3', ['-c', `${printed}\n${example}`], {})).toEqual({
        code: 0,
        signal: null,
        out: '',
        err: '',
      });
    },
  );

  it('print-env: the lines for Go are constants and a map of the books', async () => {
    const { printed } = await serve([...MOCK, '--books', 'a', '--print-env', 'go']);
    expect(printed).toMatch(/^const \(\n(?: {4}\w+ += "[^"\\]+"\n){6}\)\n+var Books = map\[string\]struct/);
    expect(printed).toMatch(/ {4}"a": \{"https:[^"]+\/practice\/a\/v2", "hk_test_\w+", "hk_live_\w+"\},\n\}/);
  });

  it('print-env: an unknown language is a usage error, and so are wrong modes', async () => {
    for (const wrong of [
      ['--print-env', 'cobol'],
      ['--seed', '-1'],
      ['--seed', '4294967296'],
      ['--start', '2026-12-01'],
      ['--clock', 'sun'],
      ['--books', 'a,../b'],
      ['--books', 'default'],
      ['--rate-limit', '5'],
      ['--fill-after', '-2'],
      ['--port', '65536'],
    ]) {
      const ran = await runBuilt(['practice', 'serve', ...wrong, '--json']);
      expect({ wrong, code: ran.code }).toEqual({ wrong, code: 2 });
    }
  });
});

describe('a manual clock and the commands', () => {
  it(
    'control: the commands and the control API move the same clock of a stored book',
    needs('curl'),
    async () => {
      const { child, home, printed } = await serve(['--clock', 'manual', '--print-env', 'sh']);
      const variables = variablesOf(printed);
      const env = { HEDGE_HOME: home };
      const moved = await runBuilt(['practice', 'advance', '3d', '--json'], { env });
      expect(JSON.parse(moved.out)).toMatchObject({
        data: { from: '2026-12-01T08:00:00.000Z', to: '2026-12-04T08:00:00.000Z' },
      });
      const { out } = await runProgram(
        'curl',
        [
          '--silent',
          '--cacert',
          variables['HEDGE_CA_FILE'] ?? '',
          '--header',
          `Authorization: Bearer ${variables['HEDGE_CONTROL_KEY']}`,
          `${variables['HEDGE_CONTROL_URL']}/clock`,
        ],
        {},
      );
      expect(JSON.parse(out)).toMatchObject({
        data: { mode: 'manual', book_time: '2026-12-04T08:00:00.000Z' },
      });
      expect((await runBuilt(['practice', 'status'], { env })).out).toContain('(manual clock)');
      child.kill('SIGINT');
      await once(child, 'exit');
      const status = await runBuilt(['practice', 'status', '--json'], { env });
      expect(JSON.parse(status.out)).toMatchObject({
        data: { clock: 'wall', book_time: expect.stringMatching(/^20/) },
      });
    },
  );
});
