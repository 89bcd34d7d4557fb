/** Any of the four actions from what was typed for it, whole: what a line of a batch must say. Pure. */
import type { ActionIntent } from './action-intent.ts';
import { readAddIntent, readCloseIntent, readReduceIntent } from './change-intents.ts';
import { completeOpen, readOpenDraft } from './open-intent.ts';
import type { RawInput } from './raw-input.ts';

const READERS: Readonly<Record<ActionIntent['action'], (raw: RawInput) => ActionIntent>> = {
  open: (raw) => completeOpen(readOpenDraft(raw)),
  add: readAddIntent,
  reduce: readReduceIntent,
  close: readCloseIntent,
};

/** @throws UsageError, also for a part that a terminal would be asked for. */
export const readAction = (action: ActionIntent['action'], raw: RawInput): ActionIntent =>
  READERS[action](raw);
