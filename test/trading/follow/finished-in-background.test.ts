import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceIdentity } from '../../../src/journal/account-identity.ts';
import type { IntentRecord, JournalRecord } from '../../../src/journal/records.ts';
import { hostOf } from '../../../src/platform/host.ts';
import { finishedInBackground } from '../../../src/trading/follow/finished-in-background.ts';
import {
  ACCEPTED,
  actionsIn,
  anIntent,
  DESK,
  FAILED,
  idOf,
  NOON,
  SENDING,
  step,
} from '../../journal/records.ts';
import type { Body } from '../../spec/bodies.ts';
import { steadyClock } from '../../support/steady-clock.ts';
import { hedge } from '../facts.ts';
import { aJournal, inUtc, recordingWatch } from '../read-context.ts';

type Step = Parameters<typeof step>[0];

/** An open that was accepted as hdg_1 a second after noon. */
const anOpen = (parts: Partial<IntentRecord> = {}, more: readonly Step[] = []): JournalRecord[] => [
  anIntent({ deal_id: 'PAY-8843', ...parts }),
  ...[SENDING, ACCEPTED, ...more].map((each) => step(each)),
];
const seen = (changes: Body = {}) => hedge('hdg_1', 10_000, changes);

async function told(records: readonly JournalRecord[], hedges = [seen()], isUnseen?: boolean) {
  const clock = steadyClock(new Date(NOON + 10 * 60_000).toISOString());
  const journal = aJournal(clock);
  const [first, ...rest] = records;
  if (first !== undefined) await journal.append([first, ...rest]);
  const progress = recordingWatch();
  const telling = { journal, clock, progress, identity: DESK, timeOfDay: inUtc, isUnseen };
  const news = await finishedInBackground(hedges, telling);
  return { said: progress.said, news, telling, state: actionsIn(journal.read())[0]?.state };
}

describe('an outcome in the background', () => {
  it.each<[string, Body, string, string]>([
    ['a fill', {}, 'FILLED 12:00 UTC PAY-8843: hdg_1, struck 1,532.71', 'done'],
    ['a fill without its rate yet', { struck_rate: null }, 'FILLED 12:00 UTC PAY-8843: hdg_1', 'done'],
    ['a failure', { status: 'failed' }, 'FAILED 12:00 UTC PAY-8843: nothing opened', 'failed'],
    [
      'a hedge that is over',
      { status: 'closed' },
      'CLOSED 12:00 UTC PAY-8843: hdg_1, struck 1,532.71, closed since',
      'done',
    ],
  ])('%s is one line, and in the journal', async (_, changes, line, kind) => {
    const { said, news, state } = await told(anOpen(), [seen(changes)]);
    expect(said).toEqual([`news ${line}`]);
    expect([news.length, state]).toEqual([1, kind]);
  });

  it('names both hedges where another one has its deal ID', async () => {
    const other = hedge('hdg_2', 10_000, { client_reference: 'PAY-8843' });
    const { said } = await told(anOpen(), [seen({ client_reference: 'PAY-8843' }), other]);
    expect(said).toEqual([
      expect.stringContaining('news FILLED'),
      expect.stringMatching(/^news UNKNOWN: 2 hedges carry the reference PAY-8843: hdg_1, hdg_2\./),
    ]);
  });

  it('is left to the next command where nobody sees the line, as of an assistant', async () => {
    const { said, telling, state } = await told(anOpen(), [seen({ status: 'failed' })], true);
    expect([said, state]).toEqual([[], 'accepted']);
    await finishedInBackground([seen({ status: 'failed' })], { ...telling, isUnseen: undefined });
    expect(telling.progress.said).toEqual(['news FAILED 12:00 UTC PAY-8843: nothing opened']);
  });

  it('without a deal ID is named by its action', async () => {
    const { said } = await told(anOpen({ deal_id: undefined }), [seen({ status: 'failed' })]);
    expect(said).toEqual(['news FAILED 12:00 UTC action 7c1e: nothing opened']);
  });

  it('is reported once', async () => {
    const { said, telling } = await told(anOpen());
    expect(await finishedInBackground([seen()], telling)).toEqual([]);
    expect(said).toHaveLength(1);
  });

  const here = hostOf(process).self;
  it.each<[string, readonly JournalRecord[], readonly Body[]]>([
    ['is still on its way', anOpen(), [{ status: 'submitted' }]],
    ['is in unknown status', anOpen(), [{ status: 'rolling' }]],
    ['is not in the list', anOpen(), []],
    ['is not exactly as requested', anOpen(), [{ side: 'sell' }]],
    ['has its end in the journal', anOpen({}, [FAILED]), [{}]],
    [
      'belongs to another book',
      anOpen({
        identity: serviceIdentity('sandbox', {
          baseUrl: 'https://partner.test/v2',
          keyFingerprint: '1a2b3c4d',
        }),
      }),
      [{}],
    ],
    [
      'is waited for by a process that runs',
      [
        anIntent({ writer: here }),
        {
          schema: 3,
          action_id: idOf('7c1e'),
          at: '2026-11-20T12:00:01.000Z',
          kind: 'sending',
          attempt: 1,
          writer: here,
        },
        step(ACCEPTED),
      ],
      [{}],
    ],
    ['is no open', [anIntent({ action: 'add' }), step(SENDING), step(ACCEPTED)], [{}]],
  ])('is nothing to tell of one that %s', async (_, records, hedges) => {
    const { said, news } = await told(records, hedges.map(seen));
    expect([said, news]).toEqual([[], []]);
  });

  it('is reported also where the journal cannot be written', async () => {
    const { telling } = await told(anOpen(), []);
    const read = telling.journal.read();
    chmodSync(dirname(telling.journal.path), 0o777);
    const journal = { ...telling.journal, read: () => read };
    await finishedInBackground([seen()], { ...telling, journal });
    expect(telling.progress.said.map((line) => line.slice(0, 24))).toEqual([
      'news FILLED 12:00 UTC PA',
      'news The outcome of acti',
    ]);
  });

  it('stays untold where the journal cannot be read', async () => {
    const { telling } = await told(anOpen(), []);
    chmodSync(dirname(telling.journal.path), 0o777);
    expect(await finishedInBackground([seen()], telling)).toEqual([]);
    expect(telling.progress.said).toEqual([]);
  });
});
