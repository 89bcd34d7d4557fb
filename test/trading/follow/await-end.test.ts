import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../../src/errors.ts';
import type { Action } from '../../../src/journal/replay.ts';
import type { ReadContext } from '../../../src/readings/read-context.ts';
import { awaitEnd } from '../../../src/trading/follow/await-end.ts';
import { endFrom } from '../../../src/trading/follow/record-outcome.ts';
import { observe } from '../../../src/trading/outcome/observe.ts';
import { anIntent } from '../../journal/records.ts';
import { aHedge, type Body } from '../../spec/bodies.ts';
import { rejection, scriptedClient } from '../../support/scripted-client.ts';
import { type Exchange, no, ok, on, silence } from '../../support/scripted-service.ts';
import { aJournal, inUtc, type LookingDesk, lookingDesk, recordingWatch } from '../read-context.ts';

const MINUTE = { timeoutMs: 60_000 };
const ON = { market: 'USDTNGN', side: 'buy' };

async function standing(...lines: readonly string[]): Promise<LookingDesk> {
  const desk = await lookingDesk();
  for (const line of lines) {
    await desk.deal(line);
    desk.practice.clock.pass(3_000);
  }
  return desk;
}
/** The last reading, with the end that it shows, or why there is none. */
async function awaitOutcome(action: Action, context: ReadContext, options: { timeoutMs: number }) {
  const { observed, waited } = await awaitEnd(action, context, options);
  return { ...observed, ...(observed && endFrom(action, observed)), waited };
}
const changesIn = ({ evidence }: Awaited<ReturnType<typeof awaitOutcome>>): readonly string[] =>
  evidence !== undefined && 'hedges' in evidence
    ? evidence.hedges.map(({ before, after }) => `${before.toFixed()} -> ${after.toFixed()}`)
    : [];

describe('waiting for the end', () => {
  it('of an open sees the fill', async () => {
    const desk = await lookingDesk();
    const action = await desk.deal('open USDTNGN buy 10k', { dealId: 'PAY-1' });
    const awaited = await awaitOutcome(action, desk.readContext, MINUTE);
    expect(awaited).toMatchObject({
      outcome: 'filled',
      hedge: { id: action.hedgeId, status: 'filled' },
      facts: { status: 'filled', notional_usd: '10000', struck_rate: '1530.918' },
      evidence: { hedges: [], message: undefined },
      waited: undefined,
    });
    expect(desk.readContext.progress.said).toEqual([
      expect.stringContaining(`start waiting for the fill of ${action.hedgeId ?? ''}`),
      `update waiting for the fill of ${action.hedgeId ?? ''}, 0 s`,
      `update waiting for the fill of ${action.hedgeId ?? ''}, 2 s`,
      'stop',
    ]);
  });

  it('of an open sees that its order failed', async () => {
    const desk = await lookingDesk();
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const action = await desk.deal('open USDTNGN buy 10k');
    expect(await awaitOutcome(action, desk.readContext, MINUTE)).toMatchObject({
      outcome: 'failed',
      facts: { status: 'failed', struck_rate: null },
    });
  });

  it('of an open that has been closed since says so', async () => {
    const desk = await lookingDesk();
    const action = await desk.deal('open USDTNGN buy 10k');
    desk.practice.clock.pass(3_000);
    await desk.colleague('/hedges/close', ON);
    desk.practice.clock.pass(3_000);
    expect(await awaitOutcome(action, desk.readContext, MINUTE)).toMatchObject({ outcome: 'closed' });
  });

  it.each([
    ['no answer told', undefined],
    ['is another place of the service', 'history'],
    ['leads out of the list', '..'],
  ])('of an open whose id %s finds it by its reference', async (_, hedgeId) => {
    const desk = await lookingDesk();
    const action = await desk.deal('open USDTNGN buy 10k');
    const lost: Action = { ...action, hedgeId };
    expect(await awaitOutcome(lost, desk.readContext, MINUTE)).toMatchObject({
      outcome: 'filled',
      hedge: { id: action.hedgeId },
    });
  });

  it('of an add sees the hedge grown', async () => {
    const desk = await standing('open USDTNGN buy 30k', 'open USDTNGN buy 10k');
    const awaited = await awaitOutcome(await desk.deal('add USDTNGN buy 5k'), desk.readContext, MINUTE);
    expect(awaited).toMatchObject({
      outcome: 'changed',
      position: { side: 'buy' },
      facts: { notional_usd: '45000' },
    });
    expect(changesIn(awaited)).toEqual(['10000 -> 15000', '30000 -> 30000']);
  });

  it('of a reduction sees every hedge smaller', async () => {
    const desk = await standing('open USDTNGN buy 30k', 'open USDTNGN buy 10k');
    const awaited = await awaitOutcome(await desk.deal('reduce USDTNGN buy 10000'), desk.readContext, MINUTE);
    expect(awaited).toMatchObject({ outcome: 'changed', facts: { notional_usd: '30000' } });
    expect(changesIn(awaited)).toEqual(['10000 -> 7500', '30000 -> 22500']);
  });

  it('of a reduction that cannot be divided evenly allows for the rounding', async () => {
    const desk = await standing('open USDTNGN buy 100', 'open USDTNGN buy 100', 'open USDTNGN buy 100');
    const awaited = await awaitOutcome(await desk.deal('reduce USDTNGN buy 100'), desk.readContext, MINUTE);
    expect(awaited).toMatchObject({ outcome: 'changed' });
  });

  it('of a reduction of about everything sees the side gone', async () => {
    const desk = await standing('open USDTNGN buy 30k', 'open USDTNGN buy 10k');
    const awaited = await awaitOutcome(await desk.deal('reduce USDTNGN buy 39700'), desk.readContext, MINUTE);
    expect(awaited).toMatchObject({ outcome: 'closed', position: undefined });
    expect(changesIn(awaited)).toEqual(['10000 -> 0', '30000 -> 0']);
  });

  it('of a close sees the side gone', async () => {
    const desk = await standing('open USDTNGN buy 30k');
    const awaited = await awaitOutcome(await desk.deal('close USDTNGN buy'), desk.readContext, MINUTE);
    expect(awaited).toMatchObject({ outcome: 'closed', position: undefined });
    expect(desk.readContext.progress.said[0]).toMatch(/^start waiting until USDTNGN buy is closed/);
  });

  it('of a close is not hidden by a hedge that a colleague opens at once', async () => {
    const desk = await standing('open USDTNGN buy 30k');
    const action = await desk.deal('close USDTNGN buy');
    desk.practice.clock.pass(2_000);
    await desk.colleague('/hedges', { ...ON, notional_usd: 7_000, tenor_days: 1 });
    desk.practice.clock.pass(3_000);
    const awaited = await awaitOutcome(action, desk.readContext, MINUTE);
    expect(awaited).toMatchObject({
      outcome: 'closed',
      evidence: { message: expect.stringContaining('7,000.00 USD was opened') },
    });
  });
});

describe('waiting without an end', () => {
  it.each([
    ['open USDTNGN buy 10k', 'is not filled yet after 3 s'],
    ['add USDTNGN buy 5k', 'no change of USDTNGN buy yet after 3 s'],
    ['close USDTNGN buy', 'no change of USDTNGN buy yet after 3 s'],
  ])('of %s is pending at the time limit', async (line, message) => {
    const desk = await standing('open USDTNGN buy 30k');
    await desk.practice.service.admin.setFaults({ slow_fills_seconds: 600 });
    const awaited = await awaitOutcome(await desk.deal(line), desk.readContext, { timeoutMs: 3_000 });
    expect(awaited).toMatchObject({ waited: { how: 'late', message: expect.stringContaining(message) } });
  });

  it.each([
    ['add USDTNGN buy 5k', '/hedges/add', 4_000, ['30000 -> 34000']],
    ['reduce USDTNGN buy 5000', '/hedges/reduce', 4_000, ['30000 -> 26000']],
    ['close USDTNGN buy', '/hedges/reduce', 4_000, ['30000 -> 26000']],
  ])("of %s does not take a colleague's change for ours", async (line, path, notional_usd, changes) => {
    const desk = await standing('open USDTNGN buy 30k');
    await desk.practice.service.admin.setFaults({ slow_fills_seconds: 600 });
    const action = await desk.deal(line);
    await desk.practice.service.admin.clearFaults();
    await desk.colleague(path, { ...ON, notional_usd });
    const awaited = await awaitOutcome(action, desk.readContext, { timeoutMs: 10_000 });
    expect(awaited).toMatchObject({
      evidence: { kind: 'other', message: expect.stringContaining('not exactly as requested') },
      waited: { how: 'late' },
    });
    expect(changesIn(awaited)).toEqual(changes);
  });

  it('rejects at once when the operator stops it, and leaves nothing turning', async () => {
    const desk = await standing('open USDTNGN buy 30k');
    const action = await desk.deal('close USDTNGN buy');
    const reason = new InterruptedError('SIGINT', { what: 'Stopped.' });
    desk.stop(reason);
    expect(await rejection(awaitOutcome(action, desk.readContext, MINUTE))).toBe(reason);
    expect(desk.readContext.progress.said.at(-1)).toBe('stop');
  });
});

/** An open that was taken as hdg_1, awaited against a service that plays a script. */
async function scripted(script: readonly Exchange[], timeoutMs = 3_000, changes: Partial<Action> = {}) {
  const { api, clock } = await scriptedClient(script);
  const progress = recordingWatch();
  const readContext = {
    api,
    clock,
    journal: aJournal(clock),
    identity: ACTION.intent.identity,
    signal: new AbortController().signal,
    progress,
    timeOfDay: inUtc,
  };
  const action = { ...ACTION, ...changes };
  return {
    awaited: await awaitOutcome(action, readContext, { timeoutMs }),
    said: progress.said,
    readContext,
  };
}
const ACTION: Action = {
  id: '7c1e000000000000',
  shortId: '7c1e',
  state: 'accepted',
  underway: false,
  awaited: false,
  intent: anIntent({ client_reference: 'PAY-8841' }),
  notional: undefined,
  attempts: 1,
  unclear: false,
  hedgeId: 'hdg_1',
  operators: [],
  changedAt: '2026-11-20T09:00:00.000Z',
};
const READ = 'GET /hedges/hdg_1';
const one = (changes: Body = {}) => ok(aHedge({ id: 'hdg_1', ...changes }));
const FOR_FILL = 'update waiting for the fill of hdg_1';

describe('an error while waiting', () => {
  it('unknown status is shown and waited through', async () => {
    const { awaited, said } = await scripted([on(READ, one({ status: 'rolling' })), on(READ, one())]);
    expect(awaited).toMatchObject({ outcome: 'filled' });
    expect(said).toContain(`${FOR_FILL}, 0 s: hdg_1 has an unknown status, "rolling"`);
  });

  it('a reading that fails is said and waited through', async () => {
    const { awaited, said } = await scripted([
      on(READ, no(400, 'invalid_request', { message: 'Not today' })),
      on(READ, one()),
    ]);
    expect(awaited).toMatchObject({ outcome: 'filled' });
    expect(said).toContainEqual(expect.stringMatching(/, 0 s: .*retrying: .*Not today\.$/));
  });

  it('readings that all fail leave it pending, never failed', async () => {
    const refusal = on(READ, no(400, 'invalid_request'));
    const { awaited } = await scripted([refusal, refusal, refusal]);
    expect(awaited).toMatchObject({ waited: { how: 'late', message: 'nothing could be read after 3 s' } });
  });

  it('a key that is rejected ends the waiting, and not the hedge', async () => {
    const { awaited } = await scripted([
      on(READ, one({ status: 'submitted' })),
      on(READ, no(401, 'unauthorized')),
    ]);
    expect(awaited).toMatchObject({
      waited: { how: 'stopped', message: 'waiting ended after 2 s: the service rejected the API key' },
      hedge: { id: 'hdg_1' },
    });
  });

  it('a hedge that the service does not know by its id is looked for by its reference', async () => {
    const list = 'GET /hedges?client_reference=PAY-8841&limit=500';
    const missing = on(READ, no(404, 'hedge_not_found'));
    const { awaited, said } = await scripted([missing, on(list, ok([])), missing, on(list, ok([aHedge()]))]);
    expect(awaited).toMatchObject({ hedge: { id: 'hdg_01JD8K' } });
    expect(said[1]).toMatch(/, 0 s: .* accepted it as hdg_1 but no longer knows/);
  });

  it('a hedge of other terms is not ours', async () => {
    const { awaited } = await scripted([on(READ, one({ side: 'sell' }))], 0);
    expect(awaited).toMatchObject({
      evidence: {
        kind: 'other',
        message: expect.stringMatching(/: hdg_1 is sell .*: not exactly as requested \(side\)$/),
        notOurs: 'hdg_1',
      },
      waited: { how: 'late' },
    });
  });

  it('a service that does not answer is left behind at a Ctrl-C', async () => {
    const { api, clock, service } = await scriptedClient([on(READ, silence)]);
    const controller = new AbortController();
    const reason = new InterruptedError('SIGINT', { what: 'Stopped.' });
    const { identity } = ACTION.intent;
    const readContext = { api, clock, journal: aJournal(clock), identity, timeOfDay: inUtc };
    const waiting = rejection(
      awaitOutcome(ACTION, { ...readContext, signal: controller.signal, progress: recordingWatch() }, MINUTE),
    );
    await service.arrived(1);
    controller.abort(reason);
    expect(await waiting).toBe(reason);
  });
});

describe('a look', () => {
  it('for a reference on a list that may be cut does not say that nothing is there', async () => {
    const page = Array.from({ length: 500 }, (_, at) => aHedge({ id: `hdg_${at}`, client_reference: null }));
    const { api, clock } = await scriptedClient([
      on('GET /hedges?client_reference=PAY-8841&limit=500', ok(page)),
    ]);
    const { identity } = ACTION.intent;
    const reading = { api, clock, identity, journal: aJournal(clock), signal: new AbortController().signal };
    const { evidence } = await observe({ ...ACTION, hedgeId: undefined }, reading);
    expect(evidence).toMatchObject({
      kind: 'unclear',
      message: expect.stringContaining('may be incomplete'),
    });
  });

  it('at a side tells its line and the time of the service', async () => {
    const desk = await standing('open USDTNGN buy 30k');
    const action = await desk.deal('add USDTNGN buy 5k');
    const { evidence, sidePosition, position, servedAt } = await observe(action, desk.readContext);
    expect([evidence.kind, sidePosition?.total?.toFixed(), position?.side]).toEqual(['none', '30000', 'buy']);
    // The Date header tells whole seconds.
    expect(servedAt?.getTime()).toBe(Math.floor(desk.practice.clock.now() / 1_000) * 1_000);
  });
});
