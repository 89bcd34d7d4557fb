/**
 * Judges each request for a change at the moment it leaves, from the model alone: one key an intent, the same bytes
 * every time, written down before, nothing over a stop, a limit, a doubt or the life of a key.
 */
import type { Tells } from '../faults/faults.ts';
import type { Day, Request } from './day.ts';
import { type Asked, goneFrom, type Known, type Model, PATHS, strangersTo, wasUnclear } from './model.ts';
import { bodySchema, recordsIn, recordsSince } from './words.ts';

/** The design's believed life of a key, and what a resend inside one command may add. */
const KEY_LIVES_MS = 3_600_000;
const RESENT_WITHIN_MS = 61_000;
const CORRECTED_MS = 60_000;
const CAME_TO_NOTHING: readonly Tells[] = ['nothing', 'rate'];

/** Adds to the model what is seen, and to its `wrong` what must not be. */
export function judgeSend(model: Model, day: Day, asked: Asked, request: Request): void {
  const { key, line, body } = request;
  const must = (holds: boolean, what: string): void => {
    if (!holds) model.wrong.push(`${line} ${body}: ${what}`);
  };
  if (key === undefined) return must(false, 'without a key');
  const read = bodySchema.parse(JSON.parse(body));
  const before = model.keys.get(key);
  const action = (['open', 'add', 'reduce', 'close'] as const).find((each) => line === `POST ${PATHS[each]}`);
  if (action === undefined) return must(false, 'no such request');

  must(asked.kind !== 'reading', 'a command that only reads has sent it');
  if (asked.kind === 'resume') must(key === asked.key, 'under another key than that of the action');
  // What the journal has lost, the desk cannot heed any more.
  const others = [...model.keys.values()].filter((each) => each.key !== key && !model.lost.has(each.key));
  must(
    !others.some(({ heard }) => heard.some(({ command }) => command === model.command)),
    'a second key in one command',
  );
  // A deal that certainly did not execute, or that a person resolved, may be opened on other terms.
  const isFree =
    before?.isSettled === true ||
    before?.heard.every(({ tells }) => CAME_TO_NOTHING.includes(tells)) ||
    model.lost.has(key);
  must(before === undefined || before.body === body || (isFree ?? false), 'with other bytes than before');
  const text = day.journal.read();
  const records = recordsIn(text);
  const intents = records.filter((each) => each.idempotency_key === key && each.body === body);
  const last = intents.at(-1)?.action_id;
  must(intents.length > 0, 'not written down before');
  must(
    records.some(({ kind, action_id }) => kind === 'sending' && action_id === last),
    'its sending is not written down',
  );

  if (asked.kind === 'deal') {
    const { action: meant, side, size, tenor, dealId } = asked;
    must(action === meant && read.market === 'USDTNGN' && read.side === side, 'not exactly as requested');
    // The same bytes once more are what was asked when a part of the side was worked out.
    const isAgain = before?.body === body;
    must(
      isAgain || size === undefined || near(read.notional_usd ?? 0, size),
      `the size asked is ${String(size)}`,
    );
    must(read.tenor_days === tenor, 'another tenor than was asked');
    must(dealId === undefined || read.client_reference === dealId, 'without its deal id');
  }

  const enlarges = action === 'open' || action === 'add';
  const size = read.notional_usd ?? 0;
  if (enlarges) {
    must(!model.halted, 'while opens and adds are halted');
    must(goneFrom(model, text).size === 0, 'over a journal that lacks records');
  }
  if (asked.kind !== 'reading') {
    const { most, mostDaily, readOnly } = model.limits[asked.profile];
    must(!readOnly, 'under a profile that is read-only');
    must(!enlarges || most === undefined || size <= most, `above the limit of ${String(most)}`);
    const today = dayOf(day);
    const spent = others
      .filter((it) => it.day === today && isSpent(it, day))
      .reduce((sum, it) => sum + it.notional, 0);
    must(
      !enlarges || mostDaily === undefined || spent + size <= mostDaily,
      `above the limit of a day, ${String(mostDaily)}`,
    );
  }
  // What was meant in an earlier command goes on, whatever else is in doubt.
  const isNew = recordsSince(text, model.seen).some((each) => each.idempotency_key === key);
  if (before === undefined && asked.kind === 'deal' && isNew) {
    const { despite } = asked;
    const inDoubt = others.filter((it) => it.doubted && it.side === read.side && !despite.includes(it.key));
    // It may have been settled on the way here, by what was read; what it was settled as is judged elsewhere.
    const open = inDoubt.filter((it) => !SETTLES.includes(lastKindOf(it.key, records)));
    // A journal that lacks its end hides it from a reduction.
    const isSeen = action !== 'close' && (enlarges || !model.mayLack);
    must(!isSeen || open.length === 0, `while ${open.map((it) => it.key).join(', ')} is unresolved`);
    const taken = model.colleague.some(
      (it) => it.dealId !== undefined && it.dealId === read.client_reference,
    );
    must(action !== 'open' || !taken, 'its deal id is used by a colleague');
  }
  if (before !== undefined && !model.lost.has(key)) {
    const clockAge = day.now() - before.firstClock;
    const age = model.clockWasWrong ? clockAge : Math.max(clockAge, day.elapsed() - before.firstMs);
    const since = records.slice(records.findIndex((each) => each.idempotency_key === key));
    const isKnownWrong = since.some(({ at = '' }) => Date.parse(at) - day.now() > CORRECTED_MS);
    must(!before.doubted || !isKnownWrong, 'by a clock that was set back');
    must(
      !before.doubted || age < KEY_LIVES_MS + RESENT_WITHIN_MS,
      `its key is ${String(Math.round(age / 60_000))} min old`,
    );
  }
  // A close that may have come to nothing would fall on whatever stands there now.
  if (before !== undefined && action === 'close' && wasUnclear(before)) {
    const strangers = strangersTo(before, model).map(({ id }) => id);
    must(strangers.length === 0, `once more, over ${strangers.join(', ')}, which it was not meant for`);
  }
  if (before !== undefined) {
    before.body = body;
    return;
  }
  const known: Known = {
    key,
    action,
    side: read.side,
    body,
    notional: size,
    dealId: action === 'open' ? read.client_reference : undefined,
    firstMs: day.elapsed(),
    firstClock: day.now(),
    day: dayOf(day),
    heard: [],
    doubted: false,
    isSettled: false,
    failed: false,
    wasFor: new Map(
      (intents.at(-1)?.before?.hedges ?? []).map((it) => [it.hedge_id, Number(it.notional_usd)]),
    ),
  };
  model.keys.set(key, known);
}

const SETTLES: readonly string[] = ['accepted', 'refused', 'outcome', 'settled'];

function lastKindOf(key: string, records: ReturnType<typeof recordsIn>): string {
  const ids = records.filter((each) => each.idempotency_key === key).map((each) => each.action_id);
  return records.findLast((each) => ids.includes(each.action_id))?.kind ?? '';
}

const near = (one: number, other: number): boolean => Math.abs(one - other) <= 0.01;

const dayOf = (day: Day): string => new Date(day.now()).toISOString().slice(0, 10);

/** It made the book larger today, and the service did it. */
const isSpent = ({ key, action, failed }: Known, day: Day): boolean =>
  (action === 'open' || action === 'add') && !failed && actedUnder(day, key) > 0;

/** How often the service acted under a key. */
export const actedUnder = ({ served }: Pick<Day, 'served'>, key: string): number =>
  served
    .changes()
    .filter((it) => it.idempotencyKey === key && it.status > 0 && it.status < 300 && it.replayed !== true)
    .length;
