/**
 * `hedge watch` on a terminal, over a service that always says the same at the same time:
 * whole screens, kept under golden/ and read by a person whenever they change (`vitest -u` writes them).
 */
import { describe, expect, it, vi } from 'vitest';
import { aHedge, aMarket, anAccount, MARKETS_META } from '../spec/bodies.ts';
import { runShell } from '../support/built.ts';
import { wayTo } from '../support/cli-for.ts';
import { openBuilt, openHedge, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { no, ok, on, scriptedService } from '../support/scripted-service.ts';
import { needs } from '../support/tools.ts';
import { damageJournal, journalFile } from '../support/written-journal.ts';

const AT = { date: 'Fri, 20 Nov 2026 09:02:11 GMT' };

const POSITIONS = [
  { market: 'USDTNGN', side: 'buy', notional_usd: 75_000, net_pnl_usd: -73.379467, net_margin_usd: 7_399.12 },
  { market: 'USDTNGN', side: 'sell', notional_usd: 20_000, net_pnl_usd: 15.6, net_margin_usd: 2_015.6 },
];
const ACCOUNT = anAccount({
  balance_usdc: 41_320,
  available_exposure_usd: 405_000,
  open_exposure_usd: 95_000,
  unrealized_pnl_usd: -57.779467,
});
const running = (id: string, side: string, notional_usd: number, maturity_at: string) =>
  aHedge({ id, side, notional_usd, maturity_at, status: 'filled', client_reference: null });
const HEDGES = [
  {
    ...running('hdg_3', 'sell', 20_000, '2026-11-27T09:00:00Z'),
    client_reference: 'PAY-8841',
  },
  running('hdg_2', 'buy', 50_000, '2026-11-21T10:02:58Z'),
  running('hdg_1', 'buy', 25_000, '2026-11-20T09:30:16Z'),
];

const turn = (mid: number) => [
  on('GET /markets', ok([aMarket({ price: mid })], MARKETS_META, AT)),
  on('GET /account', ok(ACCOUNT, {}, AT)),
  on('GET /positions', ok(POSITIONS, {}, AT)),
  on('GET /hedges?limit=500', ok(HEDGES, {}, AT)),
];

async function deskAtATerminal(
  size: { columns: number; rows: number },
  { lang = 'C.UTF-8', open = openHedge }: { lang?: string; open?: typeof openHedge } = {},
) {
  const home = temporaryFolder();
  const service = await scriptedService(turn(1532.56));
  const env = { ...wayTo(service, home), HEDGE_HOME: home, LANG: lang };
  return { screen: open(['watch', '--every', '600'], { env, ...size, inRealTime: true }), env };
}

/** Between two readings the clock goes on: a second more or less is the same screen. */
const still = (text: string): string => text.replaceAll(/in 28 min 0\d s/g, 'in 28 min 0? s');

describe('the screen of a desk', () => {
  it.each([
    { columns: 60, rows: 24, lang: 'C.UTF-8' },
    { columns: 80, rows: 24, lang: 'C.UTF-8' },
    { columns: 120, rows: 24, lang: 'C.UTF-8' },
    { columns: 80, rows: 10, lang: 'C.UTF-8' },
    { columns: 80, rows: 24, lang: 'C' },
  ])('is as it was reviewed: %o', async ({ lang, ...size }) => {
    const { screen } = await deskAtATerminal(size, { lang });
    const text = await screen.until('q quits');
    const lines = text.split('\n');
    expect(screen.overflowing()).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(size.rows);
    const name = `desk-${size.columns.toString()}x${size.rows.toString()}${lang === 'C' ? '-ascii' : ''}.txt`;
    await expect(`${still(text)}\n`).toMatchFileSnapshot(`golden/${name}`);
    screen.send('q');
    expect(await screen.exit).toEqual({ code: 0, signal: null });
    expect(screen.cursorHidden()).toBe(false);
  });

  it('moves with the window without tearing', async () => {
    const { screen } = await deskAtATerminal({ columns: 120, rows: 24 }, { open: openBuilt });
    await screen.until('q quits');
    const wide = still(screen.screen().join('\n'));
    screen.resize(60, 12);
    await screen.until(/more lines/);
    expect(screen.screen().length).toBeLessThanOrEqual(12);
    screen.resize(120, 24);
    await screen.until(/^USDTNGN buy +75,000\.00 .*Capacity buy/m);
    expect(still(screen.screen().join('\n'))).toBe(wide);
    screen.send('q');
    await screen.exit;
  });

  it('goes through an outage with its figures in sight and their age, and comes back', async () => {
    const home = temporaryFolder();
    // What is not tried again by itself: the screen is seen for a whole turn before the next reading.
    const unwell = turn(0).map((exchange) => ({ ...exchange, answer: no(404, 'unwell') }));
    const service = await scriptedService([...turn(1532.56), ...unwell, ...turn(1533.06)]);
    const env = { ...wayTo(service, home), HEDGE_HOME: home };
    const screen = openHedge(['watch', '--every', '3'], { env, columns: 80, inRealTime: true });
    await screen.until('USDTNGN 1,532.56');
    const during = await screen.until(/STALE \d+ s: .*retrying;/);
    expect(during).toContain('USDTNGN 1,532.56');
    await screen.until(/USDTNGN 1,533\.06 \+0\.50 \(\+0\.033 %\) since/);
    screen.send('q');
    await screen.exit;
  });

  it('goes on while the service answers 503, its figures in sight and their age growing', async () => {
    const env = { HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice' };
    const screen = openHedge(['watch', '--every', '1.5'], { env, columns: 80, inRealTime: true });
    const [mid = ''] = /USDTNGN [\d,.]+/.exec(await screen.until('q quits')) ?? [];
    expect((await runHedge(['practice', 'faults', '--fail-before', '100%'], { env })).code).toBe(0);
    const during = await screen.until(/STALE \d+ s: .*retrying; q\s+quits$/s);
    expect(during).toMatch(/failed:\s+the\s+service\s+returned\s+503|HTTP 503/);
    expect(during).toContain(mid.slice(0, 'USDTNGN 1,5'.length));
    const age = Number(/STALE (\d+) s/.exec(during)?.[1]);
    await screen.until(new RegExp(`STALE ${(age + 2).toString()} s`));
    expect((await runHedge(['practice', 'faults', 'clear'], { env })).code).toBe(0);
    await screen.until('Every 1.5 s; q quits');
    screen.send('q');
    expect(await screen.exit).toEqual({ code: 0, signal: null });
  });
});

/** A home where opens are halted, with a damaged journal. */
async function aTroubledHome(): Promise<{ HEDGE_HOME: string; HEDGE_PROFILE: string }> {
  const env = { HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice' };
  expect((await runHedge(['halt', 'venue down'], { env })).code).toBe(0);
  damageJournal(env.HEDGE_HOME);
  return env;
}

describe('a desk that is halted and has a damaged journal', () => {
  it('says so on its screen', async () => {
    const env = await aTroubledHome();
    const screen = openHedge(['watch'], { env, columns: 80, inRealTime: true });
    const text = await screen.until('q quits');
    expect(text).toMatch(/^HALTED by \S+, .* UTC: venue down$/m);
    expect(text.replace(/\s+/g, ' ')).toContain(`${journalFile(env.HEDGE_HOME)} is damaged: `);
    expect(text.replace(/\s+/g, ' ')).toContain('Then: hedge journal repair');
    screen.send('q');
    await screen.exit;
  });

  it('shows a halt at once, and its end, also while the service does not respond', async () => {
    const env = {
      HEDGE_HOME: temporaryFolder(),
      HEDGE_BASE_URL: 'https://127.0.0.1:9/v2',
      HEDGE_API_KEY: 'hk_test_forTestsAlone0001',
    };
    const screen = openHedge(['watch'], { env, columns: 80, inRealTime: true });
    await screen.until('NO DATA');
    expect((await runHedge(['halt', 'venue down'], { env })).code).toBe(0);
    await screen.until(/^HALTED by \S+, .* UTC: venue down$/m);
    expect((await runHedge(['unhalt', '--yes'], { env })).code).toBe(0);
    await vi.waitFor(() => expect(screen.screen().join('\n')).not.toContain('HALTED'), { timeout: 300_000 });
    screen.send('q');
    await screen.exit;
  });

  it('says so in a pipe, and in the envelope', needs('bash'), async () => {
    const env = await aTroubledHome();
    const { out } = await runShell('hedge watch --every 1.5 | head -4', { env });
    expect(out).toMatch(/^\S+Z halt by \S+, \S+Z: venue down$/m);
    expect(out).toMatch(/^\S+Z journal \S+ is damaged: /m);
    const document: unknown = JSON.parse(
      (await runShell('hedge watch --every 1.5 --json | head -1', { env })).out,
    );
    expect(document).toMatchObject({
      data: {
        derived: { halt: { why: 'venue down' }, journal_trouble: { kind: 'damaged' } },
      },
    });
  });
});

describe('the desk in a pipe', () => {
  it('is a line for each thing that changed', needs('bash'), async () => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const ran = await runShell('hedge watch --profile practice --every 1.5 | head -2', { env });
    expect(ran.out).toMatch(
      /^\S+Z USDTNGN status open, mid 1,\d+\.\d+, .*\n\S+Z account free balance \(USDC\) 100,000\.00, /,
    );
  });

  it('is an envelope a turn for a script', needs('bash'), async () => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const ran = await runShell('hedge watch --profile practice --every 1.5 --json | head -1', { env });
    expect(JSON.parse(ran.out)).toMatchObject({
      data: {
        markets: [{ market: 'USDTNGN' }],
        account: { balance_usdc: 100_000 },
        positions: [],
        derived: { maturing: [], unresolved: [], in_flight: [] },
      },
      error: null,
      meta: { command: 'watch', environment: 'practice' },
    });
  });

  it('refuses a pace that a service would not like, and a market that is none', async () => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const run = (...words: readonly string[]) =>
      runHedge(['watch', ...words, '--profile', 'practice'], { env });
    expect((await run('--every', '1')).code).toBe(2);
    expect(await run('NOSUCH')).toMatchObject({ code: 3, out: '' });
  });
});
