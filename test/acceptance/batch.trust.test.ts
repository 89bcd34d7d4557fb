/** The built program over a whole batch: an answer that never comes, a signal half-way, a person at a terminal. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createBook } from '../practice/support/practice-service.ts';
import { bareEnvironment, IN_SHELL, runBuilt, toStart } from '../support/built.ts';
import { everyDay } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { openScreen } from '../support/pty.ts';
import { needs } from '../support/tools.ts';

interface Envelope {
  data: { outcome: string; action_id: string } | null;
  error: { code: string; effect: string } | null;
  meta: { line: number; exit_code: number; original_at?: string };
}

interface ListedHedge {
  client_reference: string;
  notional_usd: number;
  status: string;
}

const envelopesOf = (out: string): readonly Envelope[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Envelope => JSON.parse(line));

const codesOf = (out: string) => envelopesOf(out).map(({ meta }) => meta.exit_code);

/** Settings of the practice service under which thirty deals take no longer than they have to. */
const WITHOUT_LIMIT = { rate_limit: { burst: 100_000, per_second: 100_000 } };

async function aBatch(lines: readonly string[]) {
  const home = temporaryFolder();
  const env = { HEDGE_HOME: home, HEDGE_PROFILE: 'practice' };
  await createBook(join(home, 'state', 'practice'), WITHOUT_LIMIT);
  const file = join(home, 'payouts.txt');
  writeFileSync(file, lines.join('\n'));
  const hedge = (...words: readonly string[]) => runHedge(words, { env });
  const hedges = async (): Promise<readonly ListedHedge[]> =>
    JSON.parse((await hedge('hedges', '--limit', '500', '--json')).out).data;
  return { env, file, hedge, hedges };
}

const open = (notional: number): string => `open USDTNGN buy ${notional.toString()} -t 7 --no-wait`;
const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('thirty lines of which the answer to the twelfth is lost on every try', () => {
  const LOST = 12;
  const sizeOf = (line: number): number => 1_000 + line;
  /** Every second line has a deal id of its own. */
  const lineOf = (line: number): string =>
    line === LOST
      ? `open USDTNGN sell ${sizeOf(line).toString()} -t 7`
      : `${open(sizeOf(line))}${line % 2 === 0 ? ` --deal-id PAY-${line.toString()}` : ''}`;
  const LINES = numbers(1, 30).map(lineOf);

  it('stop there, and send each exactly once when it is settled and they are run again', async () => {
    const { file, hedge, hedges } = await aBatch(LINES);
    const before = LINES.slice(0, LOST - 1).join('\n');
    writeFileSync(file, before);
    expect((await hedge('batch', file, '--yes')).code).toBe(0);

    writeFileSync(file, LINES.join('\n'));
    await hedge(...'practice faults --lost-after 100% --only open --once 3'.split(' '));
    const stopped = await hedge('batch', file, '--yes');
    expect(stopped.code).toBe(7);
    expect(codesOf(stopped.out)).toEqual(
      numbers(1, 30).map((line) => [0, 7, 10][Math.sign(line - LOST) + 1]),
    );
    expect(
      envelopesOf(stopped.out)
        .slice(LOST)
        .every(({ error }) => error?.code === 'not_run'),
    ).toBe(true);
    expect(await hedges()).toHaveLength(LOST);

    const id = envelopesOf(stopped.out)[LOST - 1]?.data?.action_id ?? '';
    expect((await hedge('resume', id, '--yes', '--resend')).code).toBe(0);
    for (const again of ['first', 'second']) {
      // oxlint-disable-next-line no-await-in-loop
      const ran = await hedge('batch', file, '--yes');
      expect([again, ran.code, codesOf(ran.out)]).toEqual([again, 0, LINES.map(() => 0)]);
    }
    const sizes = (await hedges()).map(({ notional_usd }) => notional_usd);
    expect(sizes.toSorted((one, other) => one - other)).toEqual(numbers(1, 30).map(sizeOf));
  });
});

describe('the same batch run by two processes at once', everyDay, () => {
  it('sends each line once', async () => {
    const { env, file, hedges } = await aBatch(numbers(1, 8).map((line) => open(1_000 + line)));
    const run = () => runBuilt(['batch', file, '--yes'], { env });
    const runs = await Promise.all([run(), run()]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(await hedges()).toHaveLength(8);
  });
});

describe('a batch that is stopped', everyDay, () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'by %s ends the line under way truthfully, answers for every line, and dies by it',
    async (signal, code) => {
      const { env, file, hedge, hedges } = await aBatch([
        open(1_001),
        'open USDTNGN buy 1002 -t 7',
        open(1_003),
        'account',
      ]);
      await hedge('practice', 'faults', '--slow-fills', '600');
      const child = spawn(...toStart('batch', file, '--yes'), { env: bareEnvironment(env) });
      const out = text(child.stdout);
      const err = text(child.stderr);
      const ended = new Promise((resolve) => child.on('close', (_, by) => resolve(by)));
      // The second line waits for a fill that does not come: it is under way once its hedge stands.
      await expect.poll(hedges, { interval: 300 }).toHaveLength(2);
      child.kill(signal);
      expect(await ended).toBe(signal);
      expect(codesOf(await out)).toEqual([0, code, 10, 10]);
      expect(envelopesOf(await out).map(({ error }) => [error?.code, error?.effect])).toEqual([
        [undefined, undefined],
        ['interrupted', 'pending'],
        ['not_run', 'none'],
        ['not_run', 'none'],
      ]);
      expect(await err).toContain('2 lines were not run.');
      expect(await hedges()).toHaveLength(2);
    },
  );
});

describe('a batch of readings in parallel', () => {
  it('says nothing on standard error, however many are under way', async () => {
    const { file, hedge } = await aBatch(
      numbers(1, 48).map((size) => `quote USDTNGN buy ${size.toString()}k -t 3`),
    );
    const ran = await hedge('batch', file, '--parallel', '16');
    expect([ran.code, ran.err, codesOf(ran.out)]).toEqual([0, '', numbers(1, 48).map(() => 0)]);
  });
});

describe('a batch that is killed', everyDay, () => {
  it('sends what is missing and nothing twice when it is run again, however often it was killed', async () => {
    const lines = numbers(1, 6).map((line) => `${open(1_000 + line)}${line === 3 ? ' --deal-id PAY-3' : ''}`);
    const { env, file, hedge, hedges } = await aBatch(lines);
    for (const dealt of [1, 3, 5]) {
      const child = spawn(...toStart('batch', file, '--yes'), { env: bareEnvironment(env), stdio: 'ignore' });
      const ended = new Promise((resolve) => child.on('close', resolve));
      // oxlint-disable-next-line no-await-in-loop -- each run goes on where the one before was killed
      await expect.poll(async () => (await hedges()).length, { interval: 20 }).toBeGreaterThan(dealt);
      child.kill('SIGKILL');
      // oxlint-disable-next-line no-await-in-loop
      await ended;
    }
    const ran = await hedge('batch', file, '--yes');
    expect([ran.code, codesOf(ran.out)]).toEqual([0, lines.map(() => 0)]);
    const sizes = (await hedges()).map(({ notional_usd }) => notional_usd);
    expect(sizes.toSorted((one, other) => one - other)).toEqual(numbers(1_001, 1_006));
  });
});

describe('a batch at a terminal', { ...needs('bash'), ...everyDay }, () => {
  it('shows and asks before each action, and shows how far it is', async () => {
    const { env, file, hedges } = await aBatch(['account', open(1_001), open(1_002), open(1_003)]);
    const screen = openScreen('bash', ['-c', `${IN_SHELL} batch "${file}" > /dev/null`], {
      env,
      columns: 100,
      rows: 60,
    });
    await screen.until(/OPEN buy USDTNGN 1,001\.00 USD[\s\S]*\? .*\(y\/N\)/);
    screen.send('y\r');
    await screen.until(
      /line 3: open USDTNGN buy 1002 -t 7[\s\S]*OPEN buy USDTNGN 1,002\.00 USD[\s\S]*\(y\/N\)/,
    );
    screen.send('n\r');
    await screen.until(/OPEN buy USDTNGN 1,003\.00 USD[\s\S]*\(y\/N\)/);
    screen.send('y\r');
    expect(await screen.exit).toEqual({ code: 10, signal: null });
    expect(screen.screen().join('\n')).toContain('line 3: declined: Canceled.');
    expect(screen.cursorHidden()).toBe(false);
    expect((await hedges()).map(({ notional_usd }) => notional_usd)).toEqual([1_003, 1_001]);
  });

  it('draws a bar while a line takes its time', async () => {
    const { env, file } = await aBatch(['account', 'open USDTNGN buy 1001 -t 7', 'account']);
    const screen = openScreen('bash', ['-c', `${IN_SHELL} batch "${file}" --yes > /dev/null`], {
      env,
      columns: 100,
    });
    await screen.until('[######--------------] 1/3');
    expect(await screen.exit).toEqual({ code: 0, signal: null });
    expect(screen.screen().join('\n')).not.toContain('1/3');
  });
});
