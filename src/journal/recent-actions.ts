/**
 * The latest actions from the journal's tail, for completion, which must be fast. An action that replay.ts calls open is
 * always open here; others may be too.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isActionName } from '../domain/action-table.ts';
import { fieldsIn, isFields } from '../domain/fields.ts';
import { SIDES } from '../domain/vocabulary.ts';
import { readTail } from '../platform/append-only-file.ts';
import type { Host } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

export interface RecentAction {
  id: string;
  /** The tail contains no record of its end. */
  open: boolean;
  profile: unknown;
  /** Given by the operator. */
  dealId: unknown;
  /** Who sent it: the user, and the words of the name. */
  operator: readonly string[];
  /** `open buy 2026-11-20 09:02` */
  about: string;
}

const TAIL_BYTES = 131_072;
const MOST = 50;

/** Newest first. */
export function recentActions(places: Paths, host: Host): readonly RecentAction[] {
  const found = new Map<string, Known>();
  for (const line of tailOf(filesOf(places), host).split('\n')) {
    const record = fieldsIn(line);
    const { action_id: id } = record;
    if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) continue;
    const known = found.get(id);
    if (known !== undefined) apply(known, record);
    else if (record['kind'] === 'intent') found.set(id, begun(id, record));
  }
  return [...found.values()].toReversed().slice(0, MOST);
}

/** Of several files, the last one first: a segment may have just begun. */
function tailOf(paths: readonly string[], host: Host): string {
  let text = '';
  for (const path of paths) {
    if (text.length >= TAIL_BYTES) break;
    text = `${readTail(path, { host, maxBytes: TAIL_BYTES - text.length }) ?? ''}${text}`;
  }
  return text;
}

/** The last one first. `journal.jsonl` has the records until it is migrated. */
function filesOf({ state }: Paths): readonly string[] {
  const folder = join(state, 'journal');
  const segments = namesIn(folder).filter((name) => /^\d+(-\d{4}-\d\d)?\.jsonl$/.test(name));
  return [
    ...segments
      .toSorted()
      .toReversed()
      .map((name) => join(folder, name)),
    join(state, 'journal.jsonl'),
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

interface Known extends RecentAction {
  /** Its outcome was seen. */
  ended: boolean;
  settledAs: unknown;
  /** Its hedge was found by deal ID and may be of another action. */
  provisional: boolean;
  /** A record named its hedge. */
  hasHedgeId: boolean;
  /** The service accepted it, which is final. */
  accepted: boolean;
  /** A send has no response: a rejection alone does not end it. */
  unclear: boolean;
  /** Its last record is a send. */
  sent: boolean;
}

function begun(id: string, record: Record<string, unknown>): Known {
  const { at, action, side, profile, deal_id: dealId } = record;
  const { name, user } = isFields(record['operator']) ? record['operator'] : {};
  const words = [
    ...(isActionName(action) ? [action] : []),
    ...SIDES.filter((each) => each === side),
    ...(typeof at === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(at)
      ? [at.slice(0, 16).replace('T', ' ')]
      : []),
  ];
  const initial = {
    ended: false,
    accepted: false,
    provisional: false,
    hasHedgeId: false,
    unclear: false,
    sent: false,
  };
  const operator = [user, ...(typeof name === 'string' ? name.split(' ') : [])].filter(
    (each) => typeof each === 'string',
  );
  return {
    id,
    open: true,
    profile,
    dealId,
    operator,
    about: words.join(' '),
    settledAs: undefined,
    ...initial,
  };
}

/** As in replay.ts, for unchecked records whose writer may still run. */
function apply(known: Known, record: Record<string, unknown>): void {
  const { kind, outcome } = record;
  const wasSent = known.sent;
  known.sent = kind === 'sending' || (known.sent && outcome === 'not_seen');
  if (outcome === 'not_told' && known.provisional) {
    known.provisional = false;
    known.hasHedgeId = false;
    if (known.ended) known.settledAs = undefined;
    known.ended = false;
  }
  // An ID from a response is final.
  if (kind === 'accepted' && (record['by'] === 'answer' || !known.hasHedgeId || known.provisional))
    known.provisional = record['provisional_until'] !== undefined;
  if (record['hedge_id'] !== undefined) known.hasHedgeId = true;
  if (known.ended) return;
  switch (kind) {
    case 'sending':
      if (wasSent && record['nothing_done_before'] !== true) known.unclear = true;
      reopen(known);
      return;
    case 'accepted':
      known.accepted = true;
      reopen(known);
      return;
    case 'unknown':
      known.unclear = true;
      known.open ||= known.settledAs === undefined;
      return;
    case 'refused':
    case 'not_sent':
      if (known.accepted || known.settledAs !== undefined) return;
      if (record['looked'] === true) known.unclear = false;
      known.open &&= known.unclear;
      return;
    case 'settled':
      known.settledAs = record['as'];
      known.accepted = false;
      known.open = false;
      return;
    case 'outcome':
      known.ended = outcome !== 'not_seen' && outcome !== 'not_told';
      if (outcome === 'not_seen' || (known.settledAs !== undefined && !known.ended)) return;
      known.accepted = false;
      known.unclear = !known.ended;
      known.open = known.unclear;
  }
}

/** A manual `executed` is final; a manual `not executed` is overruled. */
function reopen(known: Known): void {
  if (known.settledAs === 'done') return;
  known.settledAs = undefined;
  known.open = true;
}
