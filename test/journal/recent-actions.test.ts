/** The latest actions by the journal's tail, compared with the replay of the whole journal. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { recentActions } from '../../src/journal/recent-actions.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { isAwaitingOutcome, isUnresolved } from '../../src/journal/replay.ts';
import { openJournal } from '../../src/journal/store.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { machineAt } from './journal-at.ts';
import {
  ACCEPTED,
  actionsOf,
  anIntent,
  DONE,
  FAILED,
  FILLED,
  FOUND,
  idOf,
  NOON,
  NOT_SEEN,
  NOT_SENT,
  NOT_TOLD,
  NOTHING,
  REFUSED,
  recordsOf,
  SENDING,
  UNKNOWN,
} from './records.ts';

const STEPS = {
  sending: SENDING,
  'sending again': { ...SENDING, attempt: 2, nothing_done_before: true },
  accepted: ACCEPTED,
  found: FOUND,
  refused: REFUSED,
  'refused, not found': { ...REFUSED, looked: true },
  unknown: UNKNOWN,
  filled: FILLED,
  failed: FAILED,
  'not seen': NOT_SEEN,
  'not told': NOT_TOLD,
  'not sent': NOT_SENT,
  nothing: NOTHING,
  done: DONE,
} as const;
type Step = keyof typeof STEPS;

const journalOf = (steps: readonly Step[]): readonly JournalRecord[] =>
  recordsOf('7c1e', { deal_id: 'PAY-8841' }, ...steps.map((each) => STEPS[each]));

const home = temporaryFolder(afterAll);
const places = pathsOf({
  env: { HEDGE_HOME: home },
  host: { platform: 'linux', uid: process.geteuid?.() },
  home,
});
mkdirSync(places.state, { mode: 0o700 });

function recent(steps: readonly Step[]) {
  const lines = journalOf(steps).map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(places.state, 'journal.jsonl'), lines.join(''), { mode: 0o600 });
  return recentActions(places, testMachine().host);
}

it('the latest actions are offered from segments too, those of the months before included', async () => {
  const own = pathsOf({
    env: { HEDGE_HOME: temporaryFolder() },
    host: { platform: 'linux', uid: process.geteuid?.() },
    home,
  });
  let now = NOON;
  const machine = machineAt(() => now);
  const [first, ...steps] = journalOf(['sending', 'unknown']);
  if (first === undefined) throw new Error('no intent');
  mkdirSync(own.state, { mode: 0o700 });
  const begun = [first, ...steps.slice(0, 1)].map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(own.state, 'journal.jsonl'), begun.join(''), { mode: 0o600 });
  const journal = openJournal({ places: own, machine });
  for (const record of steps.slice(1)) await journal.append([record]);
  now += 40 * 86_400_000;
  await journal.append([anIntent({ action_id: idOf('beef') })]);
  expect(recentActions(own, machine.host).map(({ id, open }) => [id, open])).toEqual([
    [idOf('beef'), true],
    [idOf('7c1e'), true],
  ]);
});

const isOpen = (steps: readonly Step[], isRunning: boolean): boolean =>
  actionsOf(journalOf(steps), isRunning).some((action) => isUnresolved(action) || isAwaitingOutcome(action));

describe('the latest actions', () => {
  it.each<[string, boolean, readonly Step[]]>([
    ['sent without a response', true, ['sending']],
    ['of unknown outcome', true, ['sending', 'unknown']],
    ['accepted', true, ['sending', 'accepted']],
    ['accepted and not seen', true, ['sending', 'accepted', 'not seen']],
    ['filled', false, ['sending', 'accepted', 'filled']],
    ['failed', false, ['sending', 'accepted', 'failed']],
    ['rejected', false, ['sending', 'refused']],
    ['rejected after a lost response', true, ['sending', 'unknown', 'sending', 'refused']],
    ['resolved manually', false, ['sending', 'unknown', 'nothing']],
    ['found to be one of two after its fill', true, ['sending', 'unknown', 'found', 'filled', 'not told']],
    ['sent again after it was resolved manually', true, ['sending', 'unknown', 'nothing', 'sending']],
    [
      'failed under the hedge ID of its response, whatever was found later',
      false,
      ['sending', 'accepted', 'failed', 'found', 'not told', 'sending'],
    ],
    ['never sent', false, ['not sent']],
  ])('recent actions: one that was %s has open %s', (_what, open, steps) => {
    expect(recent(steps)).toMatchObject([{ open, profile: 'desk', dealId: 'PAY-8841' }]);
  });

  const names = Object.keys(STEPS).filter((name): name is Step => name in STEPS);
  const someSteps = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 7 });

  it('recent actions: every unresolved or in-flight action is open', () => {
    const missed = (steps: readonly Step[], isRunning: boolean): boolean =>
      isOpen(steps, isRunning) && recent(steps)[0]?.open !== true;
    fc.assert(
      fc.property(someSteps, fc.boolean(), (steps, isRunning) => {
        expect(missed(steps, isRunning)).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it('recent actions: an action that was sent and has ended is not open', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        const sent: readonly Step[] = ['sending', ...steps];
        expect(recent(sent)[0]?.open).toBe(isOpen(sent, false));
      }),
      { numRuns: 400 },
    );
  });
});
