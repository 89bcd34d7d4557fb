/** `hedge open` without its parts, at a terminal, over the practice service. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startPractice } from '../practice/support/practice-service.ts';
import { openBuilt, openHedge, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const PRACTICE = ['--profile', 'practice'];
const CTRL_C = '\u0003';

/** Each question as the screen shows it, and an answer that leads to the next. */
const QUESTIONS = [
  { name: 'the side', shows: /^\? Side: buy or sell/m, answer: 'buy\r' },
  { name: 'the notional', shows: /^\? Notional/m, answer: '10k\r' },
  { name: 'the tenor', shows: /^\? Tenor\n.*\n❯ 1 d/m, answer: '3\r' },
  { name: 'the price limit', shows: /^\? Worst price/m, answer: '40bps\r' },
  { name: 'the deal id', shows: /^\? Deal ID/m, answer: 'PAY-8841\r' },
  { name: 'the confirmation', shows: /^\? Open this hedge\? \(y\/N\)/m, answer: 'y\r' },
] as const;

function atATerminal(columns: number, words: readonly string[] = [], open = openHedge) {
  const home = temporaryFolder();
  const env = { HEDGE_HOME: home };
  const screen = open(['open', ...words, ...PRACTICE], { env, columns, rows: 50 });
  const read = async (...asked: readonly string[]): Promise<unknown> =>
    JSON.parse((await runHedge([...asked, ...PRACTICE, '--json'], { env })).out);
  return { home, env, screen, read };
}

describe('hedge open at a terminal', () => {
  it.each([60, 80, 120])(
    'leads from the first question to a filled hedge, %i columns wide',
    async (columns) => {
      const { screen, read } = atATerminal(columns, [], columns === 80 ? openBuilt : openHedge);
      for (const { shows, answer } of QUESTIONS) {
        // oxlint-disable-next-line no-await-in-loop
        await screen.until(shows);
        if (answer === '10k\r') {
          screen.send('ten\r');
          // oxlint-disable-next-line no-await-in-loop
          await screen.until('> "ten" is not a notional.');
          screen.send('9m\r');
          // oxlint-disable-next-line no-await-in-loop
          await screen.until(/fits:\s+500,000\.00\s+USD\./);
        }
        screen.send(answer);
      }
      const text = await screen.until(/^As one command:\nhedge open/m);
      expect(await screen.exit).toEqual({ code: 0, signal: null });
      expect(screen.cursorHidden()).toBe(false);
      expect(text).toMatch(/^\? Notional [^?]* 10,000\.00 USD$/m);
      expect(text).toMatch(/^\? Worst price in NGN[^?]* 40 bps$/m);
      expect(text.match(/^PRACTICE · this machine, no money$/gm)).toHaveLength(1);
      expect(text).toMatch(/^OPEN buy USDTNGN 10,000\.00 USD, 3 days, to[ \n]/m);
      expect(text).toMatch(/^FILLED buy USDTNGN 10,000\.00 USD$/m);
      expect(text.split('one command:')[1]?.replaceAll('\n', '')).toBe(
        'hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-8841 --max-cost-bps 40 --profile practice',
      );
      expect(await read('hedges')).toMatchObject({
        data: [
          {
            market: 'USDTNGN',
            side: 'buy',
            notional_usd: 10_000,
            tenor_days: 3,
            status: 'filled',
            client_reference: 'PAY-8841',
          },
        ],
      });
    },
  );

  it('shows every tenor in one row with its price, its cost and where it breaks even', async () => {
    const { screen } = atATerminal(80, ['USDTNGN', 'buy', '10k']);
    await screen.until(/^\? Tenor/m);
    await screen.until(/^ {2}7 d/m);
    const rows = screen.screen().filter((each) => /^(❯| ) (TENOR|[137] d) /.test(each));
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatch(/TENOR +MATURES +PRICE +TOTAL COST +BPS +BREAK-EVEN$/);
    for (const row of rows.slice(1)) expect(row).toMatch(/ 1,\d{3}\.\d+ .* 1,\d{3}\.\d\d$/);
    screen.send(CTRL_C);
    expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
  });

  it.each(QUESTIONS.map(({ name }, at) => [name, at] as const))(
    'Ctrl-C at %s leaves nothing behind',
    async (_, last) => {
      const { home, screen, read } = atATerminal(100);
      for (const [at, { shows, answer }] of QUESTIONS.slice(0, last + 1).entries()) {
        // oxlint-disable-next-line no-await-in-loop
        await screen.until(shows);
        screen.send(at === last ? CTRL_C : answer);
      }
      expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
      expect(screen.cursorHidden()).toBe(false);
      expect(screen.screen().join('\n')).toContain('Nothing was sent');
      expect(existsSync(join(home, 'state', 'journal.sqlite'))).toBe(false);
      expect(await read('hedges')).toMatchObject({ data: [] });
    },
  );

  it('Ctrl-C while a response is being checked ends it at once', async () => {
    const { home, env, screen } = atATerminal(100, ['USDTNGN', 'buy', '--tenor', '3'], openBuilt);
    await screen.until(/^\? Notional/m);
    const slow = ['practice', 'faults', '--delay-before', '20000'];
    expect(await runHedge(slow, { env })).toMatchObject({ code: 0 });
    screen.send('10k\r');
    await screen.until(/^[-\\|/] Notional.* 10k$/m);
    screen.send(CTRL_C);
    expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(screen.cursorHidden()).toBe(false);
    expect(screen.screen().join('\n')).toContain('Nothing was sent');
    expect(existsSync(join(home, 'state', 'journal.sqlite'))).toBe(false);
  });

  it('that is filled in part ends with what was filled, and not with a command that trades again', async () => {
    const { env, screen } = atATerminal(100, ['USDTNGN', 'buy', '10k']);
    await screen.until(/^\? Tenor/m);
    const parts = ['practice', 'faults', '--partial-fills', '100%'];
    expect(await runHedge(parts, { env })).toMatchObject({ code: 0 });
    screen.send('\r');
    await screen.until(/^\? Worst price/m);
    screen.send('\r');
    await screen.until(/^\? Deal ID/m);
    screen.send('\r');
    await screen.until('(y/N)');
    screen.send('y\r');
    expect(await screen.exit).toEqual({ code: 7, signal: null });
    const shown = screen.screen().join('\n');
    expect(shown).toMatch(/^PARTIAL FILL buy USDTNGN 6,000\.00 USD of 10,000\.00 USD$/m);
    expect(shown).not.toContain('As one command');
  });

  it('a no at the end sends nothing either', async () => {
    const { screen, read } = atATerminal(80, ['USDTNGN', 'buy', '10k', '--tenor', '3']);
    await screen.until('(y/N)');
    screen.send('\r');
    expect(await screen.exit).toEqual({ code: 10, signal: null });
    expect(await read('hedges')).toMatchObject({ data: [] });
  });
});

/** A live book of a practice service in this process, and the wizard on it; `acts` counts what would change it. */
async function live(words: readonly string[] = []) {
  const clock = { now: () => Date.now(), sleep: async () => undefined, pass: () => undefined };
  const { service, log } = await startPractice({ clock });
  const home = temporaryFolder();
  const ca = join(home, 'ca.pem');
  writeFileSync(ca, service.ca);
  const env = {
    HEDGE_HOME: join(home, 'hedge'),
    HEDGE_BASE_URL: service.url,
    HEDGE_API_KEY: service.keys.live,
    HEDGE_CA_FILE: ca,
  };
  const screen = openHedge(['open', ...words], { env, columns: 100, rows: 50 });
  const acts = () => log.filter(({ method, path }) => method === 'POST' && !path.endsWith('/quotes')).length;
  return { screen, acts };
}

describe('hedge open at a terminal, with a live key', () => {
  it('says LIVE before the first question and above the order, and trades only on the typed words', async () => {
    const { screen, acts } = await live(['--no-wait']);
    expect((await screen.until(/^\? Side/m)).split('\n')[0]).toBe('LIVE · env · real money');
    for (const { shows, answer } of QUESTIONS.slice(0, -1)) {
      // oxlint-disable-next-line no-await-in-loop
      await screen.until(shows);
      screen.send(answer);
    }
    await screen.until('Type "buy 10000"');
    expect(screen.screen().filter((each) => each.startsWith('LIVE'))).toHaveLength(2);
    screen.send('y\r');
    await screen.until('or press Enter to cancel');
    expect(acts()).toBe(0);
    screen.send('BUY 10k\r');
    const text = await screen.until(/one command:\nhedge open/);
    expect(await screen.exit).toEqual({ code: 0, signal: null });
    expect(text).toMatch(/^SUBMITTED open buy USDTNGN 10,000\.00 USD;/m);
    expect(text.replaceAll('\n', '')).toContain('--no-wait --expect-env live');
    expect(acts()).toBe(1);
  });

  it.each([
    ['Enter', '\r', { code: 10, signal: null }],
    ['Ctrl-C', CTRL_C, { code: null, signal: 'SIGINT' }],
    ['pasted lines', '\u001b[200~buy 10000\rbuy 10000\r\u001b[201~', { code: 10, signal: null }],
  ])('%s at the last question sends nothing that changes the book', async (_, answer, end) => {
    const { screen, acts } = await live(['USDTNGN', 'buy', '10k', '--tenor', '3']);
    await screen.until('Type "buy 10000"');
    screen.send(answer);
    expect(await screen.exit).toEqual(end);
    expect(acts()).toBe(0);
  });
});

describe('hedge open with no terminal', () => {
  it('names the parts that are missing, and asks nothing of the service', async () => {
    const ran = await runHedge(['open', 'USDTNGN', ...PRACTICE], { env: { HEDGE_HOME: temporaryFolder() } });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('Missing: SIDE, NOTIONAL, --tenor DAYS.');
    expect(ran.out).toBe('');
  });
});
