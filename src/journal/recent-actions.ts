/**
 * The ids of the latest actions, from the journal's end alone: for completion, which must not wait for the whole
 * of it to be read and checked. What is no intent of an action is passed over. Decides nothing.
 */
import { join } from 'node:path';
import { SIDES } from '../domain/vocabulary.ts';
import { readTail } from '../platform/file-tail.ts';
import type { Host } from '../platform/host.ts';
import type { Places } from '../platform/places.ts';

export interface RecentAction {
  id: string;
  profile: unknown;
  /** `open buy 2026-11-20 09:02` */
  about: string;
}

const TAIL_BYTES = 131_072;
const MOST = 50;
const ACTIONS: readonly unknown[] = ['open', 'add', 'reduce', 'close'];

/** Newest first. */
export function recentActions(places: Places, host: Host): readonly RecentAction[] {
  const tail = readTail(join(places.state, 'journal.jsonl'), { host, maxBytes: TAIL_BYTES });
  if (tail === undefined) return [];
  return tail.split('\n').flatMap(actionOn).toReversed().slice(0, MOST);
}

function actionOn(line: string): readonly RecentAction[] {
  if (!line.includes('"kind":"intent"')) return [];
  const { action_id: id, at, action, side, profile } = recordOn(line);
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) return [];
  const words = [
    ...(ACTIONS.includes(action) ? [String(action)] : []),
    ...SIDES.filter((each) => each === side),
    ...(typeof at === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(at)
      ? [at.slice(0, 16).replace('T', ' ')]
      : []),
  ];
  return [{ id, profile, about: words.join(' ') }];
}

function recordOn(line: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null ? { ...record } : {};
  } catch {
    return {};
  }
}
