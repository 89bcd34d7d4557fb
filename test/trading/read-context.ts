/** What looking at an action takes, over the practice service: real HTTPS, a journal of its own, one clock for all. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { ApiKey } from '../../src/domain/api-key.ts';
import { exactInstant } from '../../src/domain/instants.ts';
import { practiceIdentity } from '../../src/journal/account-identity.ts';
import type { IntentRecord, JournalRecord } from '../../src/journal/records.ts';
import type { Action } from '../../src/journal/replay.ts';
import { actionById } from '../../src/journal/state.ts';
import { type Journal, openJournal } from '../../src/journal/store/journal.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { hostOf } from '../../src/platform/host.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { ProgressReporter, ReadContext } from '../../src/readings/read-context.ts';
import { NO_LIMITS } from '../../src/trading/guards/guard-plan.ts';
import { beforeState } from '../../src/trading/journal-entry.ts';
import { readFacts } from '../../src/trading/read-facts.ts';
import { anIntent, idOf, WRITER } from '../journal/records.ts';
import { flatAt, startPractice, type TestPractice } from '../practice/support/practice-service.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { steadyRandom } from '../support/steady-clock.ts';
import { intent } from './facts.ts';
export interface Watching extends ProgressReporter {
  /** Every line, in order: `start waiting …`. */
  readonly said: readonly string[];
}

export function recordingWatch(): Watching {
  const said: string[] = [];
  return {
    said,
    start: (text) => said.push(`start ${text}`),
    update: (text) => said.push(`update ${text}`),
    note: (line) => said.push(`note ${line}`),
    news: (line) => said.push(`news ${line}`),
    stop: () => said.push('stop'),
  };
}

export function aJournal(clock: Clock): Journal {
  const home = temporaryFolder();
  const places = { config: join(home, 'config'), state: join(home, 'state'), cache: join(home, 'cache') };
  return openJournal({ places, machine: { clock, random: systemRandom, host: hostOf(process) } });
}

/** As where no person reads. */
export const inUtc = (ms: number): string => `${exactInstant(ms).slice(11, 19)} UTC`;

export interface LookingDesk {
  practice: TestPractice;
  readContext: ReadContext & { progress: Watching };
  stop(reason: Error): void;
  /** Reads what stands, sends the line to the service and writes it down, as far as the service's answer. */
  deal(line: string, options?: { dealId?: string; tenor?: string; id?: string }): Promise<Action>;
  /** A colleague's action on the same account: sent, and nothing written down here. */
  colleague(path: string, body: object): Promise<void>;
}

export const oneClock = ({ clock }: TestPractice): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.now(),
  sleep: (ms) => clock.sleep(ms),
  after: () => () => undefined,
});

/** A practice service whose market stands still at 1,530 and fills after two seconds. */
export async function lookingDesk(
  settings: Record<string, unknown> = {},
  {
    clockOf = oneClock,
    wayTo = async ({ service }) => service,
  }: {
    /** This machine's; that of the service unless said. */
    clockOf?: (practice: TestPractice) => Clock;
    /** Where requests go; straight to the service unless said. */
    wayTo?: (practice: TestPractice) => Promise<{ url: string; ca: string }>;
  } = {},
): Promise<LookingDesk> {
  const practice = await startPractice({ settings: flatAt(1530, settings) });
  const clock = clockOf(practice);
  const controller = new AbortController();
  const { service } = practice;
  const { url, ca } = await wayTo(practice);
  const { api, close } = connect({
    baseUrl: url,
    key: ApiKey.of(service.keys.test),
    ca: [ca],
    clock,
    random: steadyRandom(0.5),
    signal: controller.signal,
  });
  onTestFinished(close);
  const readContext = {
    api,
    journal: aJournal(clock),
    clock,
    identity: practiceIdentity(service.bookId),
    signal: controller.signal,
    progress: recordingWatch(),
    timeOfDay: inUtc,
  };
  let dealt = 0;
  return {
    practice,
    readContext,
    stop: (reason) => controller.abort(reason),
    async deal(line, { id = `a${((dealt += 1)).toString()}`.padEnd(4, '0'), ...options } = {}) {
      const meant = intent(line, options);
      const facts = await readFacts(meant, { ...readContext, limits: () => NO_LIMITS });
      const at = exactInstant(clock.now());
      const base = { schema: 3, action_id: idOf(id), at } as const;
      const size = 'notional' in meant ? meant.notional : undefined;
      const notional_usd = meant.action === 'reduce' ? line.split(' ')[3] : size?.toFixed();
      const reference = options.dealId ?? `ref-${id}`;
      const record: IntentRecord = anIntent({
        ...base,
        action: meant.action,
        identity: readContext.identity,
        market: meant.market,
        side: meant.side,
        ...(notional_usd === undefined ? {} : { notional_usd }),
        ...(meant.action === 'open' ? { tenor_days: meant.tenor, client_reference: reference } : {}),
        ...(options.dealId === undefined ? {} : { deal_id: options.dealId }),
        idempotency_key: `key-${id}`,
        before: beforeState(facts),
      });
      const on = { market: meant.market, side: meant.side };
      const sized = { ...on, notional_usd: notional_usd ?? '' };
      const key = record.idempotency_key;
      const { data } = await (meant.action === 'open'
        ? api.open({ ...sized, tenor_days: meant.tenor, client_reference: reference }, key)
        : meant.action === 'close'
          ? api.close(on, key)
          : api[meant.action](sized, key));
      const hedgeId = 'hedge_id' in data ? data.hedge_id : undefined;
      const accepted: JournalRecord = {
        ...base,
        kind: 'accepted',
        ...(typeof hedgeId === 'string' ? { hedge_id: hedgeId } : {}),
        by: 'answer',
      };
      const sending: JournalRecord = { ...base, kind: 'sending', attempt: 1, writer: WRITER };
      const state = await readContext.journal.append([record, sending, accepted]);
      const action = actionById(state, record.action_id);
      if (action === undefined) throw new Error('the action was not written');
      return action;
    },
    async colleague(path, body) {
      const reply = await practice.post(path, body, { as: 'test' });
      if (reply.body.error !== null) throw new Error(`the colleague was refused: ${reply.text}`);
    },
  };
}
