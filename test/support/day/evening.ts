/** The end of a day: no faults, everything looked at and settled, and the books held against one another. */
import { MAX_RATE_LIMIT_WAIT_MS } from '../../../src/cache/rate-limit-state.ts';
import { dealt } from './commands.ts';
import type { Day } from './day.ts';
import { mend } from './journal-harm.ts';
import { actedUnder } from './judge-wire.ts';
import { isShared, type Model } from './model.ts';

/** Longer than any fill takes, and than any word to slow down is heeded. */
const SETTLES_MS = MAX_RATE_LIMIT_WAIT_MS + 10_000;
const KEY_LIVES_MS = 3_600_000;

export async function evening(model: Model, day: Day): Promise<void> {
  await mend.run(model, day);
  day.rightClock();
  day.pass(SETTLES_MS);
  await dealt(model, day, { kind: 'reading' }, { words: ['check', '--profile', 'desk'] });
  for (const [id, { key, sinceMs }] of [...model.shown].filter(([, { unresolved }]) => unresolved)) {
    const before = day.served.changes().length;
    const words = ['resume', id, '--yes', '--resend', '--profile', 'other-desk'];
    const { out } = await dealt(
      model,
      day,
      { kind: 'resume', profile: 'other-desk', key, waits: true },
      { words },
    );
    // By a clock that was wrong when it was sent, it may look old.
    const isOld = model.clockWasWrong || day.elapsed() - sinceMs >= KEY_LIVES_MS;
    // Done, and not told from a colleague's; stopped by what the book has become; or turned away by it.
    const known = model.keys.get(key);
    const isOneOfSeveral = known !== undefined && isShared(model, known);
    const isAnswered = isOneOfSeveral || actedUnder(day, key) === 1 || day.served.changes().length > before;
    if (model.shown.get(id)?.unresolved === true && !isAnswered && !isOld && !out.includes('"stopped":'))
      model.wrong.push(`${words.join(' ')}: not settled at last: ${out}`);
  }
  await onceEach(model, day);
}

/** One deal id, one deal. */
async function onceEach(model: Model, { served }: Day): Promise<void> {
  const { body } = await served.desk.get('/hedges?limit=500', { as: 'test' });
  const hedges: { client_reference?: string; status: string }[] = body.data;
  // A deal ID is free again where the journal has lost it.
  const known = [...model.keys.values()].filter(({ key }) => !model.lost.has(key));
  const lost = [...model.keys.values()].filter(({ key }) => model.lost.has(key));
  const ids = new Set(known.flatMap(({ dealId }) => dealId ?? []));
  for (const { dealId } of lost) if (dealId !== undefined) ids.delete(dealId);
  for (const dealId of ids) {
    const theirs = model.colleague.filter((each) => each.dealId === dealId).length;
    const stand = hedges.filter((it) => it.client_reference === dealId && it.status !== 'failed').length;
    if (stand > Math.max(1, theirs + (theirs > 0 ? 1 : 0)))
      model.wrong.push(`the deal ${dealId} stands ${String(stand)} times`);
  }
}
