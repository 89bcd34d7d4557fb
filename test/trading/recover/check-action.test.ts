import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hintText } from '../../../src/domain/hint.ts';
import type { Action } from '../../../src/journal/replay.ts';
import { hostOf } from '../../../src/platform/host.ts';
import { checkActions } from '../../../src/trading/recover/check-action.ts';
import { resumeOpenAction } from '../../../src/trading/recover/resume-action.ts';
import {
  anIntent,
  FAILED,
  FILLED,
  FOUND,
  idOf,
  NOTHING,
  REFUSED,
  SENDING,
  step,
  UNKNOWN,
} from '../../journal/records.ts';
import { hinting } from '../../support/hints.ts';
import { rewindJournal } from '../../support/written-journal.ts';
import { type DealingDesk, dealingDesk } from '../trading-context.ts';

const FIVE_MINUTES = 5 * 60_000;
const LONGER_THAN_A_HEDGE = 8 * 86_400_000;
const OPEN = 'open USDTNGN buy 10k';

/** 10,000 bought and filled, its action done. */
async function standing(): Promise<DealingDesk> {
  const desk = await dealingDesk();
  await desk.now(OPEN);
  return desk;
}

/** What the check found of the only open action, and that it sent nothing. */
async function checked(desk: DealingDesk, word?: string) {
  const sent = desk.keys().length;
  const found = await checkActions(word, desk.readContext);
  expect(desk.keys()).toHaveLength(sent);
  const [only] = found.looked;
  return { ...found, report: only, evidence: only?.evidence };
}

describe('a look at an open without a response', () => {
  it('finds it by its reference, takes it for accepted, and later sees its end', async () => {
    const desk = await dealingDesk();
    const lost = await desk.lost('after', OPEN, { dealId: 'PAY-1' });
    expect(lost.state).toBe('unknown');
    const first = await checked(desk);
    expect(first).toMatchObject({ finding: { code: 'pending' }, report: { outcome: 'pending' } });
    expect(desk.again(lost)).toMatchObject({ state: 'accepted', orderTxHash: /^0x/ });
    desk.practice.clock.pass(3_000);
    const then = await checked(desk);
    expect(then).toMatchObject({ finding: undefined, report: { outcome: 'filled', effect: 'done' } });
    expect(desk.again(lost)).toMatchObject({ state: 'done', outcome: { kind: 'filled' } });
  });

  it('counts the open actions of other profiles, not those that it ends itself', async () => {
    const desk = await dealingDesk();
    await desk.lost('after', OPEN);
    desk.practice.clock.pass(3_000);
    expect(await checked(desk)).toMatchObject({ report: { outcome: 'filled' }, elsewhere: 0 });
    await desk.readContext.journal.append([anIntent(), step(SENDING), step(UNKNOWN)]);
    expect(await checked(desk)).toMatchObject({ looked: [], elsewhere: 1 });
  });

  it.each(['PAY-1', undefined])(
    'finds one of %s that was accepted and enlarged by a colleague since: it is ours, and nothing stays unknown',
    async (dealId) => {
      const desk = await dealingDesk();
      const { entry } = await desk.now(OPEN, { wait: false, dealId });
      desk.practice.clock.pass(3_000);
      await desk.colleague('/hedges/add', { market: 'USDTNGN', side: 'buy', notional_usd: 5_000 });
      desk.practice.clock.pass(70_000);
      expect(await checked(desk)).toMatchObject({
        finding: undefined,
        report: { outcome: 'filled', effect: 'done', hedge: { id: entry?.hedgeId } },
      });
      expect(desk.readContext.progress.said.join()).toContain('is 15,000.00 USD, requested 10,000.00 USD');
      const { state, hedgeId } = desk.again(entry ?? expect.fail('no action'));
      expect([state, hedgeId]).toEqual(['done', entry?.hedgeId]);
    },
  );

  it.each([
    ['without a deal ID is ours: its reference comes from its own key', undefined, 'filled', 'done'],
    ["under a deal ID may be somebody else's deal", 'PAY-1', 'unknown', 'unknown'],
  ])('finds one without a response enlarged by a colleague since: %s', async (_, dealId, outcome, state) => {
    const desk = await dealingDesk();
    const lost = await desk.lost('after', OPEN, { dealId });
    desk.practice.clock.pass(3_000);
    await desk.colleague('/hedges/add', { market: 'USDTNGN', side: 'buy', notional_usd: 5_000 });
    desk.practice.clock.pass(70_000);
    await checked(desk);
    expect(await checked(desk, lost.shortId)).toMatchObject({ report: { outcome } });
    expect(desk.again(lost).state).toBe(state);
  });

  it('sees that its order failed', async () => {
    const desk = await dealingDesk();
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const lost = await desk.lost('after', OPEN);
    desk.practice.clock.pass(3_000);
    expect(await checked(desk)).toMatchObject({
      finding: { code: 'order_failed', effect: 'none' },
      report: { outcome: 'failed' },
    });
    expect(desk.again(lost).state).toBe('failed');
  });

  it('does not call one of which the service shows no hedge not done: it may be late', async () => {
    const desk = await dealingDesk();
    const lost = await desk.lost('before', OPEN);
    desk.practice.clock.pass(4 * 60_000);
    const { finding, evidence } = await checked(desk);
    expect(evidence).toEqual({ kind: 'none' });
    expect(finding).toMatchObject({ code: 'outcome_unknown', effect: 'unknown' });
    expect(finding?.what).toContain('the service shows no such hedge');
    expect(finding?.meaning).toMatch(
      /^It may still arrive until \d\d:\d\d:\d\d UTC \(this machine's time\)\. /,
    );
    expect(hintText(finding?.hint)).toContain(`hedge resume ${lost.shortId}`);
    expect(desk.again(lost)).toEqual(lost);
  });

  it('after an hour tells to settle it, and no more to send it again', async () => {
    const desk = await standing();
    await desk.lost('before', 'add USDTNGN buy 2000');
    desk.practice.clock.pass(61 * 60_000);
    const { finding } = await checked(desk);
    expect(finding?.meaning).toContain('unlikely to arrive now');
    expect(hintText(finding?.hint)).toContain('--as not-executed');
    expect(hintText(finding?.hint)).not.toContain('hedge resume');
  });
});

describe('a look at an addition, a reduction or a close without a response', () => {
  it.each([
    ['add USDTNGN buy 2000', '10,000.00 -> 12,000.00 USD'],
    ['reduce USDTNGN buy 4000', '10,000.00 -> 6,000.00 USD'],
    ['close USDTNGN buy', 'the side is flat (was 10,000.00 USD)'],
  ])('%s: what was asked has happened, and a person has to say whose it is', async (line, seen) => {
    const desk = await standing();
    const lost = await desk.lost('after', line);
    desk.practice.clock.pass(5_000);
    const { finding, evidence, report } = await checked(desk);
    expect(evidence).toMatchObject({ kind: 'exact' });
    expect(report).toMatchObject({ outcome: 'unknown', effect: 'unknown' });
    expect(finding?.what).toContain(seen);
    expect(finding?.what).toMatch(/, as asked|or by others/);
    expect(hintText(finding?.hint)).toContain('hedge resume');
    expect(hintText(finding?.hint)).not.toContain('journal resolve');
    expect(desk.again(lost)).toEqual(lost);
    desk.practice.clock.pass(FIVE_MINUTES + 61_000);
    const later = hintText((await checked(desk)).finding?.hint);
    expect(later).toMatch(
      /After the partner has confirmed it:\nhedge journal resolve .*--as executed .*--as not-executed/,
    );
  });

  it('names another change as what it is', async () => {
    const desk = await standing();
    await desk.lost('before', 'add USDTNGN buy 2000');
    await desk.colleague('/hedges/add', { market: 'USDTNGN', side: 'buy', notional_usd: 500 });
    desk.practice.clock.pass(5_000);
    const { finding, evidence } = await checked(desk);
    expect(evidence).toMatchObject({ kind: 'other' });
    expect(finding?.what).toContain('10,000.00 USD -> 10,500.00 USD: not exactly as requested');
  });
});

describe('a look at what was accepted', () => {
  it('sees the end, and writes it down', async () => {
    const desk = await standing();
    const added = await desk.deal('add USDTNGN buy 2000');
    expect(await checked(desk)).toMatchObject({ finding: { code: 'pending', effect: 'pending' } });
    desk.practice.clock.pass(5_000);
    expect(await checked(desk)).toMatchObject({ finding: undefined, report: { outcome: 'changed' } });
    expect(desk.again(added)).toMatchObject({ state: 'done', outcome: { kind: 'changed' } });
  });

  it('calls it not seen after five minutes without any change, and keeps it open', async () => {
    const desk = await standing();
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const added = await desk.deal('add USDTNGN buy 2000');
    desk.practice.clock.pass(FIVE_MINUTES);
    const { finding } = await checked(desk);
    expect(finding).toMatchObject({ code: 'outcome_unknown' });
    expect(hintText(finding?.hint)).toMatch(
      new RegExp(
        `^After the partner .*:\nhedge journal resolve ${added.shortId} --as executed .*--as not-executed$`,
      ),
    );
    expect(desk.again(added)).toMatchObject({ state: 'accepted', outcome: { kind: 'not_seen' } });
    expect(await checked(desk)).toMatchObject({ finding: { code: 'outcome_unknown' } });
  });

  const takenByAColleague = async (desk: DealingDesk, late: Action): Promise<void> => {
    await checked(desk, late.shortId);
    await desk.colleague('/hedges/close', { market: 'USDTNGN', side: 'buy' });
  };
  const takenByALaterClose = async (desk: DealingDesk): Promise<void> => {
    await desk.now('close USDTNGN buy');
  };
  it.each([
    ['close USDTNGN buy', 'a check found nothing of it, and a colleague closed', takenByAColleague],
    ['close USDTNGN buy', 'a later close from here found the side open', takenByALaterClose],
    ['reduce USDTNGN buy 10000', 'a later close from here found the side open', takenByALaterClose],
  ])('does not take %s for what closed the side, where %s', async (line, _, taken) => {
    const desk = await standing();
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const late = await desk.deal(line);
    await desk.practice.service.admin.clearFaults();
    desk.practice.clock.pass(FIVE_MINUTES);
    await taken(desk, late);
    desk.practice.clock.pass(5_000);
    const { finding } = await checked(desk, late.shortId);
    expect(finding?.what).toMatch(/the side is flat \(was 10,000\.00 USD\), by this (close|reduce) or by /);
    if (line.startsWith('close'))
      expect(finding?.meaning).toContain('still land and close hedges opened there');
    expect(hintText(finding?.hint)).toContain('hedge journal resolve');
    expect(desk.again(late)).toMatchObject({ state: 'unknown', outcome: { kind: 'not_told' } });
    expect((await checked(desk, late.shortId)).finding?.code).toBe('outcome_unknown');
    await expect(desk.now(OPEN)).rejects.toMatchObject({ code: 'unresolved' });
  });

  it('does not call a change its own that is not exactly that', async () => {
    const desk = await standing();
    const added = await desk.deal('add USDTNGN buy 2000');
    await desk.colleague('/hedges/add', { market: 'USDTNGN', side: 'buy', notional_usd: 500 });
    desk.practice.clock.pass(5_000);
    expect(await checked(desk)).toMatchObject({ finding: { code: 'outcome_unknown' } });
    expect(desk.again(added)).toEqual(added);
  });

  it('does not distinguish two of the same size where only one has executed', async () => {
    const desk = await standing();
    const one = await desk.deal('add USDTNGN buy 2000');
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const other = await desk.deal('add USDTNGN buy 2000');
    desk.practice.clock.pass(5_000);
    const { looked } = await checked(desk);
    expect(looked.map(({ evidence }) => evidence)).toMatchObject([
      { kind: 'unclear', message: expect.stringContaining(other.shortId) },
      { kind: 'unclear', message: expect.stringContaining(one.shortId) },
    ]);
    expect([desk.again(one).state, desk.again(other).state]).toEqual(['accepted', 'accepted']);
  });

  it('tells an addition from one of the same size that was over before it began', async () => {
    const desk = await standing();
    await desk.now('add USDTNGN buy 2000');
    desk.practice.clock.pass(10_000);
    const later = await desk.deal('add USDTNGN buy 2000');
    desk.practice.clock.pass(5_000);
    expect(await checked(desk)).toMatchObject({ finding: undefined, report: { outcome: 'changed' } });
    expect(desk.again(later).state).toBe('done');
  });
});

describe('a check after an own close', () => {
  const closed = async (desk: DealingDesk) => {
    const { entry } = await desk.now('close USDTNGN buy');
    return entry?.shortId ?? '';
  };

  it('names that close, and no colleague, for what an earlier close without a response asked', async () => {
    const desk = await standing();
    await desk.lost('before', 'close USDTNGN buy');
    const closer = await closed(desk);
    const { finding } = await checked(desk);
    expect(finding?.what).toContain(`by action ${closer}`);
    expect(hintText(finding?.hint)).toMatch(/^hedge check /);
    desk.practice.clock.pass(FIVE_MINUTES + 61_000);
    expect(hintText((await checked(desk)).finding?.hint)).toContain('--as not-executed');
  });

  it('offers no resending of a reduction that the close did not see: nothing is left to reduce', async () => {
    const desk = await standing();
    await desk.lost('before', 'reduce USDTNGN buy 4000');
    const closer = await closed(desk);
    const { finding } = await checked(desk);
    expect(finding?.what).toContain(`action ${closer} of this machine closed USDTNGN buy afterwards`);
    expect(finding?.meaning).toMatch(
      /^It may have executed before that close\. It may still arrive and show until .*, and reduce what you open there\. Do not send it again\.$/,
    );
    expect(hintText(finding?.hint)).toMatch(/^hedge check /);
    const how = { word: undefined, yes: true, resend: true, dryRun: false, wait: true, timeoutMs: 9_000 };
    const sent = desk.keys().length;
    const report = await resumeOpenAction(how, desk.tradingContext({ attended: false }));
    expect(report?.finding?.what).toMatch(/^Nothing is left for action \w+ to reduce/);
    expect(desk.keys()).toHaveLength(sent);
    desk.practice.clock.pass(FIVE_MINUTES + 61_000);
    expect(hintText((await checked(desk)).finding?.hint)).toContain('--as not-executed');
  });

  it.each([
    ['add USDTNGN buy 2000', '10,000.00 -> 12,000.00 USD'],
    ['reduce USDTNGN buy 4000', '10,000.00 -> 6,000.00 USD'],
  ])(
    'sees %s without a response as that close saw it, and settles it by its own answer',
    async (line, seen) => {
      const desk = await standing();
      const lost = await desk.lost('after', line);
      desk.practice.clock.pass(5_000);
      const closer = await closed(desk);
      for (const passes of [0, LONGER_THAN_A_HEDGE]) {
        desk.practice.clock.pass(passes);
        const { finding, evidence } = await checked(desk);
        expect(evidence).toMatchObject({ kind: 'exact', closedBy: `${closer} of this machine` });
        expect(finding?.what).toContain(seen);
        expect(desk.again(lost)).toEqual(lost);
      }
    },
  );

  it('offers no resending of a close once all that it could close is past its maturity', async () => {
    const desk = await standing();
    await desk.lost('after', 'close USDTNGN buy');
    desk.practice.clock.pass(LONGER_THAN_A_HEDGE);
    const { finding } = await checked(desk);
    expect(finding?.what).toMatch(/hdg_\w+ [\d,.]+ USD is past its maturity/);
    expect(finding?.meaning).toContain('How each of them ended: hedge history.');
    const advice = hintText(finding?.hint);
    expect(advice).toContain('hedge journal resolve');
    expect(advice).not.toContain('hedge resume');
  });

  it('says of an earlier close without a response what it said before the hedge would have matured', async () => {
    const desk = await standing();
    await desk.lost('before', 'close USDTNGN buy');
    const closer = await closed(desk);
    const before = await checked(desk);
    desk.practice.clock.pass(LONGER_THAN_A_HEDGE);
    const { finding, evidence } = await checked(desk);
    expect(evidence).toEqual(before.evidence);
    expect(finding?.what).toContain(`by action ${closer}`);
  });

  it('settles a reduction that the close saw by its own answer, and calls it no colleague’s', async () => {
    const desk = await standing();
    const lost = await desk.lost('after', 'reduce USDTNGN buy 4000');
    desk.practice.clock.pass(5_000);
    const closer = await closed(desk);
    const how = { word: undefined, yes: true, resend: true, dryRun: false, wait: true, timeoutMs: 9_000 };
    const report = await resumeOpenAction(how, desk.tradingContext({ attended: false }));
    expect(report).toMatchObject({ outcome: 'changed', effect: 'done', finding: undefined });
    expect(desk.readContext.progress.said).toContain(
      `note note       action ${closer} of this machine closed USDTNGN buy afterwards`,
    );
    expect(desk.again(lost).state).toBe('done');
  });

  it('names it for an accepted addition that it did not see, and calls that no colleague’s', async () => {
    const desk = await standing();
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const added = await desk.deal('add USDTNGN buy 2000');
    await desk.practice.service.admin.clearFaults();
    desk.practice.clock.pass(FIVE_MINUTES);
    const closer = await closed(desk);
    const { finding } = await checked(desk, added.shortId);
    expect(finding?.what).toContain(`action ${closer} of this machine closed`);
    expect(finding?.meaning).toContain('It may have executed before that close');
    expect(finding?.meaning).not.toContain('olleague');
  });
});

describe('a check that the service does not answer', () => {
  const down = (desk: DealingDesk) =>
    desk.practice.service.admin.setFaults({ fail_before: 1, only: 'readings' });

  it('leaves what is unknown as unknown as it was, names it and the lines that go on', async () => {
    const desk = await standing();
    const lost = await desk.lost('before', 'add USDTNGN buy 2000');
    await down(desk);
    for (const word of [undefined, lost.shortId]) {
      const { finding, report } = await checked(desk, word);
      expect(report).toMatchObject({ outcome: 'unknown', entry: { id: lost.id } });
      expect(finding).toMatchObject({ code: 'outcome_unknown', effect: 'unknown' });
      expect(finding?.what).toContain('lookup failed');
      expect(hintText(finding?.hint)).toContain(`hedge check ${lost.shortId}`);
    }
    expect(desk.again(lost)).toEqual(lost);
  });

  it('leaves what is in flight in flight, and names each of several', async () => {
    const desk = await dealingDesk();
    const coming = await desk.deal('open USDTNGN sell 1000');
    await down(desk);
    expect(await checked(desk)).toMatchObject({
      report: { outcome: 'pending' },
      finding: { code: 'pending', what: expect.stringContaining('lookup failed') },
    });
    await desk.practice.service.admin.clearFaults();
    const lost = await desk.lost('before', OPEN);
    await down(desk);
    const { finding } = await checked(desk);
    expect(finding?.what).toBe(
      `Of 2 actions 1 is unknown (${lost.shortId}), 1 is still in flight (${coming.shortId}).`,
    );
  });

  it('tells what has ended as the journal keeps it, and says that nothing could be read', async () => {
    const desk = await dealingDesk();
    const { entry } = await desk.now(OPEN);
    await down(desk);
    const { finding, report } = await checked(desk, entry?.shortId);
    expect([finding, report?.outcome]).toEqual([undefined, 'filled']);
    expect(desk.readContext.progress.said.at(-1)).toMatch(
      /^news not read .*Action \w+ is shown as recorded in the journal\.$/,
    );
  });
});

describe('a check', () => {
  it('of everything says the worst of what it found, and names each', async () => {
    const desk = await standing();
    const lost = await desk.lost('before', 'add USDTNGN buy 2000');
    const coming = await desk.deal('open USDTNGN sell 1000');
    const { finding, looked } = await checked(desk);
    expect(looked).toHaveLength(2);
    expect(finding).toMatchObject({
      code: 'outcome_unknown',
      what: `Of 2 actions 1 is unknown (${lost.shortId}), 1 is still in flight (${coming.shortId}).`,
      details: { actions: [{ outcome: 'unknown' }, { outcome: 'pending', code: 'pending' }] },
    });
  });

  it('of several that are merely slow says so, and not that anything went wrong', async () => {
    const desk = await dealingDesk();
    await desk.practice.service.admin.setFaults({ slow_fills_seconds: 600 });
    const one = await desk.deal('open USDTNGN sell 1000');
    const other = await desk.deal('open USDTNGN buy 2000');
    const { finding } = await checked(desk);
    expect(finding).toMatchObject({
      code: 'pending',
      what: `Of 2 actions 2 are still in flight (${one.shortId}, ${other.shortId}).`,
      meaning: expect.stringContaining('Do not send them again.'),
    });
  });

  it.each([['add USDTNGN buy 2000'], ['reduce USDTNGN buy 2000'], ['close USDTNGN buy']])(
    'of %s says from the start until when to wait',
    async (line) => {
      const desk = await standing();
      await desk.practice.service.admin.setFaults({ failing_orders: 1 });
      const action = await desk.deal(line);
      const { finding } = await checked(desk);
      const until = new Date(Math.ceil((Date.parse(action.changedAt) + 300_000) / 60_000) * 60_000);
      const at = until.toISOString().slice(11, 16);
      expect(finding).toMatchObject({
        code: 'pending',
        meaning: `If the position is still unchanged at ${at} UTC, it most likely failed.`,
        hint: hinting('do not send it again'),
      });
    },
  );

  it('of nothing finds nothing, and says what is open elsewhere', async () => {
    const desk = await standing();
    await desk.readContext.journal.append([anIntent(), step(SENDING), step(UNKNOWN)]);
    expect(await checked(desk)).toMatchObject({ looked: [], finding: undefined, elsewhere: 1 });
  });

  it('counts nothing elsewhere that the journal does not list as open there', async () => {
    const desk = await standing();
    const found = step({ ...FOUND, provisional_until: '2020-01-01T00:00:00.000Z' });
    await desk.readContext.journal.append([anIntent(), step(SENDING), step(UNKNOWN), found, step(FILLED)]);
    expect((await checked(desk)).elsewhere).toBe(0);
  });

  it('says first that the journal lacks records, and that its answer is not complete', async () => {
    const desk = await standing();
    const home = join(desk.readContext.journal.path, '../..');
    rewindJournal(home);
    expect(await checked(desk)).toMatchObject({ finding: { code: 'journal_rewound' } });
    const [what, advice] = desk.readContext.progress.said.slice(-2);
    expect(what).toMatch(/^news .*journal\.sqlite lacks record \d+, which was written on this machine/);
    expect(advice).toContain('hedge journal accept-loss --note TEXT');
    await expect(checked(desk, 'dead')).rejects.toMatchObject({
      code: 'journal_rewound',
      what: expect.stringMatching(/^No record that can be read has "dead"\. /),
    });
  });

  /** By a process that still runs. */
  async function sendingSince(ms: number) {
    const desk = await dealingDesk();
    const { identity, journal, clock } = desk.readContext;
    const writer = hostOf(process).self;
    const at = new Date(clock.now() - ms).toISOString();
    await journal.append([anIntent({ identity, writer, at }), { ...step(SENDING, '7c1e', 1, writer), at }]);
    return desk;
  }

  it('leaves alone what a running process is sending', async () => {
    const desk = await sendingSince(119_000);
    const readings = desk.practice.log.length;
    expect(await checked(desk)).toMatchObject({ finding: { code: 'pending' }, evidence: undefined });
    expect(desk.practice.log).toHaveLength(readings);
  });

  it('looks up what a process has been sending for two minutes, for it may be stopped', async () => {
    const desk = await sendingSince(120_000);
    expect(await checked(desk)).toMatchObject({ finding: { code: 'outcome_unknown' }, looked: [{}] });
  });

  it.each([
    ['filled', [SENDING, FILLED], 'filled', undefined],
    ['failed', [SENDING, FAILED], 'failed', 'order_failed'],
    ['refused', [SENDING, REFUSED], 'refused', 'exposure_exceeded'],
    ['settled as nothing', [SENDING, UNKNOWN, NOTHING], 'not_sent', 'settled'],
    ['never sent', [], 'not_sent', 'not_sent'],
  ])('of one that is %s tells how it ended', async (_what, steps, outcome, code) => {
    const desk = await dealingDesk();
    await desk.readContext.journal.append([
      anIntent({ identity: desk.readContext.identity }),
      ...steps.map((each) => step(each)),
    ]);
    const { report, finding } = await checked(desk, '7c1e');
    expect([report?.outcome, finding?.code]).toEqual([outcome, code]);
  });

  it('of one that was traded under another profile names that profile', async () => {
    const desk = await dealingDesk();
    await desk.readContext.journal.append([anIntent({ action_id: idOf('7c1e') })]);
    await expect(checkActions('7c1e', desk.readContext)).rejects.toMatchObject({
      code: 'usage',
      hint: hinting('Use its profile: --profile desk'),
    });
    await expect(checkActions('beef', desk.readContext)).rejects.toMatchObject({ code: 'usage' });
  });
});
