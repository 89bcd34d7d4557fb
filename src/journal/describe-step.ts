/** A step of an action in words. */
import { spelledName } from '../domain/sanitize.ts';
import { changeWord, operatorInFull } from './describe.ts';
import type { ActionRecord } from './records.ts';
import type { Action } from './replay.ts';
import { PARTIAL_FILL } from './results.ts';

export type Length = 'in full' | 'short';

export const stepWord = (record: ActionRecord): string =>
  record.kind === 'not_sent' && record.code !== undefined
    ? `not accepted (${record.code})`
    : WORDS[record.kind];

/** The detail of a step, and its signature. In short a sending, which may be several attempts, has only its number. */
export function stepInWords(record: ActionRecord, action: Action, length: Length): string {
  const isBrief = length === 'short' && record.kind === 'sending';
  const detail = isBrief ? `no. ${record.attempt.toString()}` : detailOf(record, action);
  return `${detail}${signatureOf(record, action)}`;
}

/** Who wrote a step, if another person than who sent the action, and the note of the step: `, by Bo, note: late`. */
function signatureOf(record: ActionRecord, { intent }: Action): string {
  const { operator } = record;
  const sender = intent.operator && operatorInFull(intent.operator);
  const by =
    operator === undefined || operatorInFull(operator) === sender ? '' : `, by ${operatorInFull(operator)}`;
  const note = record.kind !== 'intent' && 'note' in record ? record.note : undefined;
  return `${by}${note === undefined ? '' : `, note: ${note}`}`;
}

const WORDS: Readonly<Record<ActionRecord['kind'], string>> = {
  intent: 'recorded',
  sending: 'sending',
  accepted: 'accepted',
  refused: 'rejected',
  unknown: 'no response',
  outcome: 'outcome',
  settled: 'recorded',
  not_sent: 'not sent',
};

function detailOf(record: ActionRecord, { intent }: Action): string {
  switch (record.kind) {
    case 'intent':
      return 'request saved before sending';
    case 'sending':
      return `no. ${record.attempt.toString()}${record.nothing_done_before === true ? ', no earlier one executed' : ''}, process ${record.writer.pid.toString()} on ${record.writer.hostname}`;
    case 'accepted': {
      const by = record.by === 'looking' ? 'found at the service' : 'by the service';
      return record.hedge_id === undefined ? by : `${by}, ${spelledName(record.hedge_id)}`;
    }
    case 'refused':
      return `${record.code} (HTTP ${record.http_status.toString()})${record.looked === true ? ', and the positions do not show it' : ''}`;
    case 'outcome':
      if (PARTIAL_FILL in record.facts) return 'partial fill';
      return record.outcome === 'changed' ? changeWord(intent) : record.outcome.replaceAll('_', ' ');
    case 'settled':
      return `${record.as === 'done' ? 'executed' : 'not executed'}: ${record.because}`;
    case 'unknown':
    case 'not_sent':
      return record.why;
    default:
      return record satisfies never;
  }
}
