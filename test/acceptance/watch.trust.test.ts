/** `--watch`: on a terminal, in a pipe and for scripts, over the practice service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../spec/bodies.ts';
import { runShell } from '../support/built.ts';
import { wayTo } from '../support/cli-for.ts';
import { everyDay } from '../support/goal.ts';
import { openBuilt, openHedge, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { no, ok, on, scriptedService } from '../support/scripted-service.ts';
import { needs } from '../support/tools.ts';

const PRACTICE = ['--profile', 'practice'];
const CTRL_C = '\u0003';

function watchAt(
  words: readonly string[],
  size: { columns: number; rows?: number },
  { open = openHedge, env = {} }: { open?: typeof openHedge; env?: Record<string, string> } = {},
) {
  const home = temporaryFolder();
  return open([...words, ...PRACTICE], { env: { HEDGE_HOME: home, ...env }, ...size, inRealTime: true });
}

describe('a watch on a terminal', () => {
  it.each(['price', 'markets', 'hedges', 'positions', 'account', 'quote USDTNGN buy 10k'])(
    '%s is painted within 60, 80 and 120 columns, and quits by q with the last reading left',
    async (command) => {
      const [first = '', ...operands] = command.split(' ');
      const screens = [60, 80, 120].map((columns) => watchAt([first, '--watch', ...operands], { columns }));
      await Promise.all(
        screens.map(async (screen) => {
          await screen.until('Every 5 s; q quits');
          expect(screen.overflowing()).toEqual([]);
          expect(screen.cursorHidden()).toBe(true);
          screen.send('q');
          expect(await screen.exit).toEqual({ code: 0, signal: null });
          expect(screen.cursorHidden()).toBe(false);
          expect(screen.raw().lastIndexOf('[?1049l')).toBeGreaterThan(screen.raw().lastIndexOf('[?1049h'));
          expect(screen.screen().join('\n')).toMatch(/^PRACTICE · this machine, no money/);
          expect(screen.screen().join('\n')).not.toContain('q quits');
        }),
      );
    },
  );

  it('paints again at once when the window changes its size, without a torn line', async () => {
    const screen = watchAt(['markets', '--watch', '60'], { columns: 120, rows: 20 }, { open: openBuilt });
    const wide = await screen.until('q quits');
    expect(wide).toMatch(/^USDTNGN {2}open/m);
    screen.resize(60, 10);
    await screen.until(/^MAX SELL USD {2}500,000\.00$/m);
    expect(screen.screen().length).toBeLessThanOrEqual(10);
    screen.resize(120, 20);
    await screen.until(/^USDTNGN {2}open/m);
    const frame = (text: string): string => text.replaceAll(/\d\d:\d\d:\d\d/g, 'time');
    expect(frame(screen.screen().join('\n'))).toBe(frame(wide));
    screen.send('q');
    await screen.exit;
  });

  it('keeps what ends it in sight where there are few rows, and counts what is not', async () => {
    const screen = watchAt(['account', '--watch'], { columns: 80, rows: 5 });
    await screen.until('q quits');
    expect(screen.screen()).toHaveLength(5);
    expect(screen.screen().join('\n')).toMatch(/… \d more lines/);
    screen.send('q');
    await screen.exit;
  });

  it('gives the window back and dies by the signal at Ctrl-C, and at TERM', async () => {
    const end = async (how: (screen: ReturnType<typeof watchAt>) => void) => {
      const screen = watchAt(['price', '--watch'], { columns: 80 }, { open: openBuilt });
      await screen.until('q quits');
      how(screen);
      const { signal } = await screen.exit;
      return { signal, hidden: screen.cursorHidden(), back: screen.raw().includes('[?1049l') };
    };
    expect(await end((screen) => screen.send(CTRL_C))).toEqual({
      signal: 'SIGINT',
      hidden: false,
      back: true,
    });
    expect(await end((screen) => screen.kill('SIGTERM'))).toEqual({
      signal: 'SIGTERM',
      hidden: false,
      back: true,
    });
  });

  it('spells in ASCII what shows no more', async () => {
    const screen = watchAt(['account', '--watch'], { columns: 60, rows: 5 }, { env: { LANG: 'C' } });
    const text = await screen.until('q quits');
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    screen.send('q');
    await screen.exit;
  });

  it('on a terminal that cannot be painted on says a line for each change, broken between its words', async () => {
    const screen = watchAt(['markets', '--watch', '1'], { columns: 60 }, { env: { TERM: 'dumb' } });
    const text = await screen.until('sell carry');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('sell carry earns 0.02 %');
    expect(screen.overflowing()).toEqual([]);
    screen.send(CTRL_C);
    expect((await screen.exit).signal).toBe('SIGINT');
  });

  it('leaves under what was typed why there were never any figures', async () => {
    const env = { HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice' };
    expect((await runHedge(['practice', 'faults', '--fail-before', '100%'], { env })).code).toBe(0);
    const screen = openHedge(['account', '--watch'], { env, inRealTime: true });
    await screen.until('NO DATA:');
    screen.send('q');
    expect(await screen.exit).toEqual({ code: 0, signal: null });
    expect(screen.screen().join(' ')).toMatch(/The service returned 503 .* Nothing was changed\./);
  });

  it('says how old its figures are while answers fail, and reads on', async () => {
    const service = await scriptedService([
      on('GET /account', ok(anAccount())),
      // Not tried again by itself, so that the screen is seen for a whole turn.
      on('GET /account', no(400, 'unwell')),
      on('GET /account', ok(anAccount())),
    ]);
    const home = temporaryFolder();
    const env = { ...wayTo(service, home), HEDGE_HOME: home };
    const screen = openHedge(['account', '--watch', '3'], { env, inRealTime: true });
    await screen.until('Every 3 s');
    const failing = await screen.until(/STALE \d+ s: .*retrying;/);
    expect(failing).toContain('Free balance');
    await screen.until('Every 3 s');
    screen.send('q');
    expect(await screen.exit).toEqual({ code: 0, signal: null });
  });
});

/** A watch in a pipe, so many requests of which fail after the first line; it is left once it has said that answers come again. */
async function throughAnOutage(line: string, failing: number) {
  const home = temporaryFolder();
  const errors = join(home, 'errors');
  const env = { HEDGE_HOME: home, HEDGE_PROFILE: 'practice', ERRORS: errors };
  const { out } = await runShell(
    `hedge ${line} 2>"$ERRORS" | {
       read -r first
       hedge practice faults --fail-before 100% --once ${failing} >&2
       while read -r each; do if grep -q 'Responding again' "$ERRORS"; then echo "$first"; break; fi; done
     }`,
    { env },
  );
  return { out, err: readFileSync(errors, 'utf8').replaceAll(/\s+/g, ' ') };
}

describe('a watch in a pipe', () => {
  it('says one line for each change, dated in UTC, until the reader closes', {
    ...needs('bash'),
    ...everyDay,
  }, async () => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const ran = await runShell('hedge price --profile practice --watch 1 | head -2', { env });
    expect(ran.out).toMatch(/^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ USDTNGN 1,\d{3}\.\d+\n){2}$/);
    expect(ran.err).toBe('');
  });

  it('gives one envelope a line with --json', { ...needs('bash'), ...everyDay }, async () => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const ran = await runShell('hedge account --profile practice --watch 1 --json | head -2', { env });
    const documents = ran.out
      .trimEnd()
      .split('\n')
      .map((each): unknown => JSON.parse(each));
    expect(documents).toHaveLength(2);
    for (const document of documents)
      expect(document).toMatchObject({ data: { balance_usdc: 100_000 }, error: null });
  });

  it('says once that the service answers 503, reads on, and says when answers come again', {
    ...needs('bash', 'grep'),
    ...everyDay,
  }, async () => {
    // Of one turn: its requests, each tried four times.
    const watched = [
      ['price --watch 1', 4],
      ['account --watch 1 --query data.balance_usdc', 4],
      ['price --watch 1 --output jsonl', 4],
      ['watch --every 1.5', 16],
    ] as const;
    const told = await Promise.all(watched.map(([line, ofATurn]) => throughAnOutage(line, ofATurn * 2)));
    for (const { out, err } of told) {
      expect(out).toMatch(/^\S.*\n$/);
      expect(err).toMatch(
        /^The service returned 503 .* No response at \S+Z, retrying\. Responding again at \S+Z\. ?$/,
      );
      expect(err.match(/503|No response|Responding again/g)).toHaveLength(3);
    }
  });

  it('ends with what was asked when the service rejects it at once', async () => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const ran = await runHedge(['price', 'NOSUCH', '--watch', ...PRACTICE], { env });
    expect(ran).toMatchObject({ code: 3, out: '' });
  });

  it.each([
    ['price --watch 0.2', '"0.2" is not an interval (--watch).'],
    ['markets --watch --csv', 'CSV does not work with a watch.'],
  ])('refuses %s', async (line, says) => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const ran = await runHedge([...line.split(' '), ...PRACTICE], { env });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(says);
  });
});
