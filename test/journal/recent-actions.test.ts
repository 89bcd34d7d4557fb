/** What completion takes for open, from the journal's end alone, against what the whole of it says. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { recentActions } from '../../src/journal/recent-actions.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { isAwaitingOutcome, isUnresolved, replayRecords } from '../../src/journal/replay.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { aMachine, temporaryFolder } from '../support/own-folder.ts';
import {
  ACCEPTED,
  anIntent,
  DONE,
  FAILED,
  FILLED,
  FOUND,
  NOT_SEEN,
  NOT_SENT,
  NOT_TOLD,
  NOTHING,
  REFUSED,
  SENDING,
  step,
  UNKNOWN,
} from './records.ts';

const STEPS = {
  sending: SENDING,
  'sending anew': { ...SENDING, attempt: 2, nothing_done_before: true },
  accepted: ACCEPTED,
  found: FOUND,
  refused: REFUSED,
  'refused, and looked': { ...REFUSED, looked: true },
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

const journalOf = (steps: readonly Step[]): readonly JournalRecord[] => [
  anIntent({ deal_id: 'PAY-8841' }),
  ...steps.map((each) => step(STEPS[each])),
];

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
  return recentActions(places, aMachine().host);
}

const isOpen = (steps: readonly Step[], isRunning: boolean): boolean =>
  replayRecords(journalOf(steps), () => isRunning).actions.some(
    (action) => isUnresolved(action) || isAwaitingOutcome(action),
  );

describe('the latest actions', () => {
  it.each<[string, boolean, readonly Step[]]>([
    ['sent without an answer', true, ['sending']],
    ['of an unknown end', true, ['sending', 'unknown']],
    ['accepted', true, ['sending', 'accepted']],
    ['accepted and not seen', true, ['sending', 'accepted', 'not seen']],
    ['filled', false, ['sending', 'accepted', 'filled']],
    ['failed', false, ['sending', 'accepted', 'failed']],
    ['refused', false, ['sending', 'refused']],
    ['refused after a lost answer', true, ['sending', 'unknown', 'sending', 'refused']],
    ['settled', false, ['sending', 'unknown', 'nothing']],
    ['found to be one of two after its fill', true, ['sending', 'unknown', 'found', 'filled', 'not told']],
    ['sent again after it was settled', true, ['sending', 'unknown', 'nothing', 'sending']],
    [
      'failed under the hedge ID of its response, whatever was found later',
      false,
      ['sending', 'accepted', 'failed', 'found', 'not told', 'sending'],
    ],
    ['never sent', false, ['not sent']],
  ])('%s: open %s', (_what, open, steps) => {
    expect(recent(steps)).toMatchObject([{ open, profile: 'desk', dealId: 'PAY-8841' }]);
  });

  const names = Object.keys(STEPS).filter((name): name is Step => name in STEPS);
  const someSteps = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 7 });

  it('have among the open ones whatever the whole journal calls unresolved or in flight', () => {
    const missed = (steps: readonly Step[], isRunning: boolean): boolean =>
      isOpen(steps, isRunning) && recent(steps)[0]?.open !== true;
    fc.assert(
      fc.property(someSteps, fc.boolean(), (steps, isRunning) => {
        expect(missed(steps, isRunning)).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it('have none among them that was sent and has ended', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        const sent: readonly Step[] = ['sending', ...steps];
        expect(recent(sent)[0]?.open).toBe(isOpen(sent, false));
      }),
      { numRuns: 400 },
    );
  });
});
