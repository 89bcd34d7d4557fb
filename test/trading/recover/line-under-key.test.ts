/** What can be typed where a resume stops: the line of the journal's action, under its key. */

import { describe, expect, it } from 'vitest';
import { commandText, isCommand } from '../../../src/domain/hint.ts';
import { hintLines } from '../../../src/errors.ts';
import type { IntentRecord } from '../../../src/journal/records.ts';
import { replayRecords } from '../../../src/journal/replay.ts';
import { resumeHint } from '../../../src/trading/recover/resend.ts';
import { anIntent } from '../../journal/records.ts';

/** The command of the hint that has nothing to explain: what to type. */
function typedAfter(code: 'worse_price' | 'duplicate' | 'halted', parts: Partial<IntentRecord> = {}) {
  const [action] = replayRecords([anIntent(parts)], () => false);
  if (action === undefined) throw new Error('no action');
  const finding = { level: 'stop', code, message: 'Stopped.', hint: 'As it was.' } as const;
  const alone = hintLines(resumeHint(finding, action).hint).find(
    (line) => isCommand(line) && line.does === '',
  );
  return alone !== undefined && isCommand(alone) ? commandText(alone.command) : undefined;
}

describe('after a resume that stops', () => {
  it.each<[string, Partial<IntentRecord>, string]>([
    ['an open', {}, 'hedge open USDTNGN buy 10000 --tenor 3 --idempotency-key k-1'],
    [
      'an open with a deal id that a shell would take apart',
      { deal_id: "a'b c" },
      String.raw`hedge open USDTNGN buy 10000 --tenor 3 '--deal-id=a'"'"'b c' --idempotency-key k-1`,
    ],
    ['an add', { action: 'add' }, 'hedge add USDTNGN buy 10000 --idempotency-key k-1'],
  ])('%s is typed again under its key, with the word that it lacks', (_what, parts, line) => {
    expect(typedAfter('worse_price', parts)).toBe(`${line} --worst-price PRICE`);
  });

  it.each([
    ['by 50%', '--by 50%'],
    ['to 5000', '--to 5000'],
  ])('a reduction message its size as it was said: %s', (asked, words) => {
    expect(typedAfter('duplicate', { action: 'reduce', asked })).toBe(
      `hedge reduce USDTNGN buy ${words} --idempotency-key k-1 --allow-duplicate`,
    );
  });

  it('what no word on the line would help keeps its own hint', () => {
    expect(typedAfter('halted')).toBeUndefined();
  });
});
