/** The answer to an action is lost, before or after the book acted: what the desk says of it, and does next. */

import { describe, it, type TestContext } from 'vitest';
import { actionsIn } from '../journal/records.ts';
import { bookFor, EACH_ACTION, type EachAction, wordsOf } from '../support/each-action.ts';
import { runHedge } from '../support/in-process.ts';
import { journalAt } from '../support/kill-case.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { servedBook } from '../support/served-book.ts';

/** One action on a book of its own, where answers are lost; for tests that run at the same time. */
async function deskFor(
  action: EachAction,
  { expect, onTestFinished }: TestContext,
  faults: { share_lost_after?: 1; share_lost_before?: 1; once?: number },
) {
  const served = await servedBook();
  onTestFinished(() => served.close());
  await bookFor(served, action);
  const { admin } = served.desk.service;
  await admin.setFaults({ ...faults, only: action.name });
  const home = temporaryFolder(onTestFinished);
  const keys = () => [...new Set(served.changes().map(({ idempotencyKey }) => idempotencyKey))];
  return {
    /** The one document on standard output, and the exit code. */
    async run(words: string | readonly string[]): Promise<Record<string, unknown>> {
      const argv = typeof words === 'string' ? words.split(' ') : words;
      const { code, out, err } = await runHedge(argv, { env: served.way(home) });
      expect({ documents: out.trim().split('\n').length, out, err }).toMatchObject({ documents: 1 });
      return { code, ...JSON.parse(out) };
    },
    keys,
    sent: () => served.changes().length,
    clearFaults: () => admin.clearFaults(),
    async expectDoneOnce() {
      expect({ acted: served.acted(action.path), keys: keys().length }).toEqual({ acted: 1, keys: 1 });
      expect(await served.openOn('buy')).toBe(action.after);
      expect(actionsIn(journalAt(home).read())).toMatchObject([{ state: 'done' }]);
    },
    acted: () => served.acted(action.path),
  };
}

describe.concurrent.each(EACH_ACTION)('$name, its answer lost', (action) => {
  it('twice after the book acted, is done once, under one key, and ends well', async (context) => {
    const { expect } = context;
    const desk = await deskFor(action, context, { share_lost_after: 1, once: 2 });
    expect(await desk.run(wordsOf(action))).toMatchObject({
      code: 0,
      error: null,
      data: { action: action.name, outcome: action.outcome, effect: 'done' },
    });
    expect(desk.sent()).toBe(3);
    await desk.expectDoneOnce();
  });

  it('every time after the book acted, is unknown, and is settled as the one it was', async (context) => {
    const { expect } = context;
    const desk = await deskFor(action, context, { share_lost_after: 1 });
    expect(await desk.run(wordsOf(action))).toMatchObject({
      code: 7,
      error: { code: 'outcome_unknown', effect: 'unknown', retry: 'after_check' },
      data: {
        action: action.name,
        action_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        outcome: 'unknown',
        effect: 'unknown',
        receipt: {
          idempotency_key: desk.keys()[0],
          client_reference: action.name === 'open' ? expect.any(String) : null,
          sent_at: expect.any(String),
        },
      },
    });
    const sent = desk.sent();
    await desk.run('check --json');
    expect(desk.sent()).toBe(sent);
    await desk.clearFaults();
    expect(await desk.run('resume --yes --resend --json')).toMatchObject({ code: 0, error: null });
    await desk.expectDoneOnce();
  });

  it('every time before the book acted, is done only by a resume that may send', async (context) => {
    const { expect } = context;
    const desk = await deskFor(action, context, { share_lost_before: 1 });
    expect(await desk.run(wordsOf(action))).toMatchObject({ code: 7, error: { effect: 'unknown' } });
    expect(desk.acted()).toBe(0);
    await desk.clearFaults();
    const sent = desk.sent();
    await desk.run('check --json');
    await desk.run('resume --yes --json');
    expect(desk.sent()).toBe(sent);
    expect(await desk.run('resume --yes --resend --json')).toMatchObject({ code: 0, error: null });
    await desk.expectDoneOnce();
  });
});
