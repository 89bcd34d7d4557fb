/**
 * Judges what a command said and what its journal holds afterwards: exit code and effect against the service's own
 * log and what the client could know, nothing done that the journal does not know, nothing called what it is not.
 */

import { isDocument, told as shown } from '../faults/fault-case.ts';
import type { Ran } from '../test-cli.ts';
import type { Day, Ended } from './day.ts';
import { actedUnder } from './judge-wire.ts';
import {
  type Asked,
  goneFrom,
  hear,
  isAccepted,
  type Known,
  type Model,
  mayBeUnknown,
  PATHS,
  wasUnclear,
} from './model.ts';
import { entriesIn, recordsIn, recordsSince, type ToldAction, toldIn, troubleIn } from './words.ts';

/** Exit codes that are written down, without that of a fault of ours. */
const CODES = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 78];
/** What an exit code says about the book, of one action. */
const EFFECTS: Readonly<Record<number, readonly string[]>> = {
  0: ['done', 'pending', 'none'],
  7: ['unknown'],
  8: ['pending'],
};
const LONG_AGO_MS = 20 * 3_600_000;

interface Judging {
  model: Model;
  day: Day;
  must(holds: boolean, what: string): void;
}

export async function judgeEnd(model: Model, day: Day, asked: Asked, ended: Ended): Promise<void> {
  const { ran, sent, words } = ended;
  const must = (holds: boolean, what: string): void => {
    if (!holds) model.wrong.push(`${words.join(' ')}: ${what}${ran === undefined ? '' : `: ${shown(ran)}`}`);
  };
  const it: Judging = { model, day, must };
  if (ran === undefined) touchedByDeath(model, day);
  const lacks = goneFrom(model, day.journal.read());
  for (const key of lacks) model.lost.add(key);
  hear(model, sent, ran === undefined);
  await seeFates(model, day);
  const keyless = day.served.changes().filter((each) => each.idempotencyKey === undefined).length;
  must(keyless === 0, `done ${String(keyless)} times under no key`);
  for (const key of model.keys.keys())
    must(actedUnder(day, key) <= 1, `done ${String(actedUnder(day, key))} times under ${key}`);
  const told = ran === undefined ? [] : judgeWords(it, asked, { ran, sent });
  await judgeJournal(it, told);
  must(
    lacks.size === 0 || model.trouble !== undefined || model.isMending,
    `the journal lacks records of ${[...lacks].join(', ')}, and does not say so`,
  );
}

/** What was written in a command that died, and its key. */
function touchedByDeath(model: Model, day: Day): void {
  const text = day.journal.read();
  const touched = new Set(recordsSince(text, model.seen).map((each) => each.action_id));
  for (const { action_id: id, idempotency_key: key } of recordsIn(text)) {
    if (!touched.has(id)) continue;
    model.touchedByDeath.add(id);
    if (key !== undefined) model.touchedByDeath.add(key);
  }
}

/** Opens that turn out not to have landed, by the service's own book: it lists them in the order they came, newest first. */
async function seeFates(model: Model, { served, firstHedge }: Day): Promise<void> {
  const { body } = await served.desk.get('/hedges?limit=500', { as: 'test' });
  const listed: { id: string; status: string; notional_usd: number }[] = body.data;
  const own = listed.toReversed().filter(({ id }) => id !== firstHedge && !model.colleagueIds.has(id));
  const keys = served
    .changes()
    .filter((it) => it.path === PATHS.open && it.status < 300 && it.replayed !== true);
  for (const [index, { idempotencyKey: key = '' }] of keys.entries()) {
    const known = model.keys.get(key);
    if (known !== undefined) known.failed = own[index]?.status === 'failed';
  }
}

function judgeWords(
  it: Judging,
  asked: Asked,
  { ran, sent }: { ran: Ran; sent: Ended['sent'] },
): readonly ToldAction[] {
  const { model, must } = it;
  const told = toldIn(ran.out);
  if (told === undefined || !isDocument(ran)) {
    must(false, 'it printed no document');
    return [];
  }
  must(CODES.includes(ran.code), 'not an exit code that is written down');
  for (const action of told.actions) judgeEffect(it, action);
  const [only] = told.actions;
  const keys = new Set(sent.map(({ key }) => key));
  if (asked.kind !== 'reading') {
    must(
      keys.size === 0 || keys.has(only?.receipt.idempotency_key ?? undefined),
      'it tells nothing of what it sent',
    );
    must(told.error === null || ran.code !== 0, 'an error, and exit 0');
    if (told.error !== null && only !== undefined)
      must(told.error.effect === only.effect, 'two effects of one action');
    const effect = only?.effect ?? told.error?.effect ?? 'none';
    must(
      (EFFECTS[ran.code] ?? ['none']).includes(effect),
      `exit ${String(ran.code)} with the effect ${effect}`,
    );
    must(effect !== 'pending' || ran.code === 8 || !asked.waits, 'pending, and exit 0 although it waits');
    const known = model.keys.get(only?.receipt.idempotency_key ?? '');
    if (known !== undefined && sent.length > 0 && !model.lost.has(known.key))
      judgeSent(it, known, { code: ran.code, effect, sent });
  }
  if (asked.kind === 'deal') {
    // A close is never kept from being flat by a doubt.
    must(asked.action !== 'close' || told.error?.code !== 'unresolved', 'a close that a doubt stops');
    if (only === undefined && sent.length === 0)
      must(ran.code !== 7 && ran.code !== 8, 'in doubt, and nothing was sent');
  }
  for (const { effect, receipt } of told.actions) {
    const known = model.keys.get(receipt.idempotency_key ?? '');
    if (known !== undefined && effect !== 'unknown') known.doubted = false;
  }
  return told.actions;
}

/** A deal id is one deal, whoever of the desk dealt it. */
const isDealt = ({ model, day }: Judging, key: string): boolean => {
  const dealId = model.keys.get(key)?.dealId;
  const isByColleague = dealId !== undefined && model.colleague.some((each) => each.dealId === dealId);
  return actedUnder(day, key) === 1 || isByColleague;
};

/** The one truth of an action, whatever said it. */
function judgeEffect(it: Judging, { action_id: actionId, effect, receipt }: ToldAction): void {
  const { model, day, must } = it;
  const key = receipt.idempotency_key;
  if (key === null || actionId === null || model.lost.has(key)) return;
  const known = model.keys.get(key);
  const acted = actedUnder(day, key);
  const failed = known?.failed === true;
  if (effect === 'none') must(acted === 0 || failed, `${actionId} was done, and is called not done`);
  if (effect === 'pending') must(isDealt(it, key), `${actionId} was not done, and is called pending`);
  if (effect === 'done') must(isDealt(it, key) && !failed, `${actionId} was not done, and is called done`);
  const longAgo = known !== undefined && day.elapsed() - known.firstMs > LONG_AGO_MS;
  if (effect === 'unknown')
    must(
      mayBeUnknown(model, { actionId, known, longAgo }),
      `${actionId} is called unknown, and could be known`,
    );
}

/** The exit code and effect of a command that sent, by what came back of it. */
function judgeSent(
  it: Judging,
  known: Known,
  { code, effect, sent }: { code: number; effect: string; sent: Ended['sent'] },
): void {
  const { model, day, must } = it;
  const last = sent.at(-1);
  if (last === undefined) return;
  const heard = known.heard.at(-1);
  const acted = actedUnder(day, known.key);
  const says = `${String(code)} ${effect}`;
  const mayDoubt = model.touchedByDeath.has(known.key) || model.wasHarmed;
  const longAgo = day.elapsed() - known.firstMs > LONG_AGO_MS;
  const looked = [
    ...(isDealt(it, known.key) ? ['0 done', '8 pending', '0 pending', '9 none'] : []),
    ...(acted === 0 ? ['3 none', '4 none'] : []),
  ];
  const allowed = ((): readonly string[] => {
    if (heard !== undefined && isAccepted(heard)) {
      const unsure = mayBeUnknown(model, { actionId: null, known, longAgo }) ? ['7 unknown'] : [];
      return ['0 done', '0 pending', '8 pending', '9 none', ...unsure];
    }
    if (last.tells === 'unclear') return ['7 unknown'];
    const inDoubt = ['7 unknown', ...looked];
    if (wasUnclear(known)) return inDoubt;
    const isTurnedAway = last.tells === 'nothing' || last.tells === 'rate';
    const clear = last.tells === 'key' ? '4 none' : isTurnedAway ? '5 none' : '3 none';
    return mayDoubt ? [clear, ...inDoubt] : [clear];
  })();
  const came = known.heard.map(({ tells, status }) => `${tells} ${String(status ?? '')}`.trim()).join(', ');
  must(allowed.includes(says), `it ends with ${says}; true is one of ${allowed.join(', ')} after ${came}`);
}

/** What a mended journal has not. */
function seeLost(model: Model, { ids, inIt }: { ids: ReadonlySet<string>; inIt: ReadonlySet<string> }): void {
  for (const [id, { key }] of model.shown)
    if (!ids.has(id)) {
      model.lost.add(key);
      model.shown.delete(id);
    }
  for (const key of model.keys.keys()) if (!inIt.has(key)) model.lost.add(key);
}

/** What `hedge journal` shows, against the truth, what was just told, and what it showed before. */
async function judgeJournal(it: Judging, told: readonly ToldAction[]): Promise<void> {
  const { model, day, must } = it;
  const { ran } = await day.run(['journal', '--limit', 'all', '--json']);
  const entries = ran === undefined ? undefined : entriesIn(ran.out);
  if (ran === undefined || entries === undefined)
    return must(false, `no journal: ${ran?.out ?? ''}${ran?.err ?? ''}`);
  must(ran.code === 0, `the journal ends with ${String(ran.code)}`);
  const trouble = troubleIn(ran.out);
  model.trouble = trouble?.kind;
  if (trouble !== undefined) model.wasHarmed = true;
  const isWhole = trouble === undefined;
  const ids = new Set(entries.map((each) => each.action_id));
  const inIt = new Set(entries.map((each) => each.receipt.idempotency_key));
  if (isWhole) {
    if (model.isMending) seeLost(model, { ids, inIt });
    for (const [id, { key }] of model.shown)
      must(ids.has(id) || model.lost.has(key), `the journal has lost ${id}`);
    for (const key of model.keys.keys())
      must(inIt.has(key) || model.lost.has(key), `${key} was sent, and is not in the journal`);
  }
  const latest = new Map(entries.toReversed().map((each) => [each.receipt.idempotency_key, each]));
  for (const entry of entries) {
    const { action_id: id, effect, receipt, unresolved, request } = entry;
    const key = receipt.idempotency_key;
    const sinceMs = model.shown.get(id)?.sinceMs ?? day.elapsed();
    model.shown.set(id, { key, unresolved, side: request.side, sinceMs });
    if (model.lost.has(key)) continue;
    const known = model.keys.get(key);
    const acted = actedUnder(day, key);
    const failed = known?.failed === true;
    // A deal that came to nothing goes on under its key in an entry of its own.
    if (effect === 'none' && latest.get(key) === entry)
      must(acted === 0 || failed, `${id} is ${entry.state} in the journal, and was done`);
    if (effect === 'done')
      must(isDealt(it, key) && !failed, `${id} is ${entry.state} in the journal, and was not done`);
    const longAgo = known !== undefined && day.elapsed() - known.firstMs > LONG_AGO_MS;
    if (effect === 'unknown')
      must(
        mayBeUnknown(model, { actionId: id, known, longAgo }),
        `${id} is unknown in the journal, and could be known`,
      );
    const [said] = told.filter((each) => each.action_id === id);
    // What only a look could not tell from a colleague's may still come, and stays what it is in the journal.
    const isMatch = said?.effect === effect || (said?.effect === 'unknown' && effect === 'pending');
    if (said !== undefined && isWhole)
      must(isMatch, `${id} was told as ${said.effect}, and is ${effect} in the journal`);
  }
  for (const line of day.journal.read().split('\n')) model.seen.add(line);
}
