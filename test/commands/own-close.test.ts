/**
 * A close of ours that lands on the chain after somebody else's close has taken the hedge: what is opened on the side
 * meanwhile would be taken by it. One clock for the program and the service; the chain is the test's.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDesk, specifiedOnly } from '../support/deals-desk.ts';
import type { Passed } from '../support/front.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { testCli } from '../support/test-cli.ts';

const NOW = 'roll USDTNGN buy --tenor 3 --at now --yes --json';
const OURS = `0x${'a1'.repeat(32)}`;
const THEIRS = `0x${'b2'.repeat(32)}`;
const LANDED_MS = 5_000;

type Fields = Readonly<Record<string, unknown>>;
type Rewrite = (line: string, answer: Passed) => Passed;
const asSent: Rewrite = (_, answer) => answer;

/** Each record of an answer to such a request. */
const rewriting =
  (request: RegExp, change: (sent: Fields) => Fields): Rewrite =>
  (line, answer) => {
    if (!request.test(line) || answer.status >= 300) return answer;
    const document = JSON.parse(answer.body);
    const { data } = document;
    document.data = Array.isArray(data) ? data.map(change) : change(data);
    return { ...answer, body: JSON.stringify(document) };
  };
const inHistory = (fields: Fields): Rewrite =>
  rewriting(/^GET \/hedges\/history/, (sent) => ({ ...sent, ...fields }));

/** The specified fields alone, also of closed hedges. */
const specified: Rewrite = (line, answer) =>
  rewriting(/^GET \/hedges\/history/, ({ net_pnl_usd: net }) => ({ net_pnl_usd: net }))(
    line,
    specifiedOnly(line, answer),
  );

interface Chain {
  /** When ours lands, after it was accepted. */
  afterMs: number;
  /** Who else closes, just before. */
  other?: () => Promise<unknown>;
  rewrite?: Rewrite;
}

/** With a hedge, PAY-1. The next close is accepted at once and lands late. */
async function aChainDesk({ afterMs, other, rewrite = asSent }: Chain) {
  const desk = await aDesk();
  expect((await desk.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes')).code).toBe(0);
  let landsAt: number | undefined;
  let closedAt: number | undefined;
  const openedAt: number[] = [];
  const closeNow = async (): Promise<void> => {
    await desk.served.colleague('/hedges/close', { side: 'buy' }).catch(() => undefined);
    desk.clock.pass(LANDED_MS);
  };
  const landWhatIsDue = async (): Promise<void> => {
    if (landsAt === undefined || desk.clock.now() < landsAt) return;
    landsAt = undefined;
    await closeNow();
  };
  desk.front.meddle(async (line, pass) => {
    await landWhatIsDue();
    if (line === 'POST /hedges') openedAt.push(desk.clock.now());
    if (line !== 'POST /hedges/close' || closedAt !== undefined) return rewrite(line, await pass());
    closedAt = desk.clock.now();
    await (other ?? (() => desk.served.colleague('/hedges/close', { side: 'buy' })))();
    landsAt = desk.clock.now() + afterMs;
    const data = { status: 'submitted', order_tx_hash: OURS };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data, error: null, meta: {} }) };
  });
  return {
    ...desk,
    closeNow,
    /** From our close to the last open. */
    gapMs: () => (openedAt.at(-1) ?? 0) - (closedAt ?? 0),
    /** Once everything has landed. */
    async finallyOpen() {
      desk.clock.pass(120_000);
      await landWhatIsDue();
      return desk.served.openOn('buy');
    },
  };
}

const OTHER: readonly (readonly [string, Rewrite])[] = [
  ['names another order', inHistory({ order_tx_hash: THEIRS })],
  ['names another closing transaction', inHistory({ close_tx_hash: THEIRS })],
  ['has another order inside', inHistory({ closed_by: { order: { hash: THEIRS } } })],
  ['was closed before ours was sent', inHistory({ closed_at: '2020-01-01T00:00:00Z' })],
  ['settled', inHistory({ reason: 'maturity' })],
  [
    'has another order itself',
    rewriting(/^GET \/hedges\?/, (sent) =>
      sent['status'] === 'closed' ? { ...sent, order_tx_hash: THEIRS } : sent,
    ),
  ],
];

describe('roll --at now, where a colleague closed first', () => {
  it.each(OTHER)('and the closed hedge %s: leg 2 waits until ours can no longer land', async (_, rewrite) => {
    const desk = await aChainDesk({ afterMs: 20_000, rewrite });
    const ran = await desk.run(NOW);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('may have been closed by another order');
    expect(desk.gapMs()).toBeGreaterThanOrEqual(60_000);
    expect(await desk.finallyOpen()).toBe(10_000);
  });

  it.each([
    ['names our order', inHistory({ order_tx_hash: OURS, reason: 'close' })],
    ['names our order in capitals elsewhere', inHistory({ exit: { x_hash: OURS.toUpperCase() } })],
    ['names the order that opened it', asSent],
    ['has the specified fields alone', specified],
  ])('and the closed hedge %s: leg 2 is sent at once', async (_, rewrite) => {
    const desk = await aChainDesk({ afterMs: 3_600_000, rewrite });
    const ran = await desk.run(NOW);
    expect([ran.code, desk.gapMs() < 10_000]).toEqual([0, true]);
  });

  it('and ours takes leg 2: it is looked at again, and that is no success', async () => {
    const desk = await aChainDesk({ afterMs: 3_600_000, rewrite: specified });
    const { front } = desk;
    let filled = 0;
    const landing = new Map<string, () => Promise<void>>();
    landing.set('filled', desk.closeNow);
    // Right after the answer that shows leg 2 filled.
    front.watch((line) => {
      if (line.startsWith('GET /hedges/hdg_')) filled += 1;
    });
    const ran = await desk.run(NOW, {});
    expect(filled).toBeGreaterThan(0);
    expect(ran.code).toBe(0);
  });
});
