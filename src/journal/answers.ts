/**
 * What the answers to an action's sends told, and what they left open: when the last send left that got no usable
 * answer, what a later one was rejected with, and whether the hedge that was found is this action's for certain. Pure.
 */
import type { JournalRecord } from './record.ts';

export interface Answers {
  /**
   * When the last send ended that got no usable answer: it may arrive for some time from then on, whatever a later one
   * was told. Undefined where there is none, or the journal does not tell when it was. ISO 8601 UTC.
   */
  unclearAt: string | undefined;
  /** When the run of sends began whose end is not on record. ISO 8601 UTC. */
  openRunAt: string | undefined;
  /** Of the last run of sends. `looked`: the book was read after it, and shows nothing of the action. */
  refusal: { code: string; httpStatus: number; looked?: boolean } | undefined;
  /** The hedge was found under a deal id, and may be a colleague's until then. ISO 8601 UTC. */
  provisionalUntil: string | undefined;
}

export const NO_ANSWERS: Answers = {
  unclearAt: undefined,
  openRunAt: undefined,
  refusal: undefined,
  provisionalUntil: undefined,
};

/** The client makes its last attempt within this time of the record that stands before the first. */
export const LONGEST_RUN_MS = 30_000;

/** Before the record changes anything else of the action. */
export function followAnswers(
  action: Answers & { hedgeId: string | undefined; state: string },
  record: JournalRecord,
): void {
  switch (record.kind) {
    case 'sending':
      if (record.nothing_done_before !== true) action.unclearAt = lastUnclearAt(action);
      action.openRunAt = record.at;
      return;
    case 'unknown': {
      const { rejected } = record;
      // A record without the instant was written when the last attempt had ended.
      action.unclearAt = record.unclear_at ?? record.at;
      action.openRunAt = undefined;
      action.refusal = rejected && { code: rejected.code, httpStatus: rejected.http_status };
      return;
    }
    case 'refused':
      action.openRunAt = undefined;
      action.refusal = { code: record.code, httpStatus: record.http_status };
      if (record.looked === true) action.refusal.looked = true;
      return;
    case 'not_sent':
      action.openRunAt = undefined;
      return;
    case 'intent':
    case 'settled':
      return;
    case 'accepted':
      if (record.by === 'answer') action.openRunAt = undefined;
      // An id that an answer told is final.
      if (record.by === 'answer' || action.hedgeId === undefined || action.provisionalUntil !== undefined)
        action.provisionalUntil = record.provisional_until;
      return;
    case 'outcome':
      // The hedge that was found is one of several, and another may be this action's.
      if (record.outcome !== 'not_told' || action.provisionalUntil === undefined) return;
      action.provisionalUntil = undefined;
      action.hedgeId = undefined;
      if (action.state === 'done' || action.state === 'failed') action.state = 'accepted';
  }
}

/** A process that ended while it was sending may have sent to the end of its time. */
export function lastUnclearAt({ unclearAt, openRunAt }: Answers): string | undefined {
  if (openRunAt === undefined) return unclearAt;
  return new Date(Date.parse(openRunAt) + LONGEST_RUN_MS).toISOString();
}

/** Of an action whose last record stands before a damaged line: a later send may be written there. */
export function forgetSends(action: Answers): void {
  action.unclearAt = undefined;
  action.openRunAt = undefined;
}
