/** The commands that run in a batch, and their kind. */

import { ACTION_NAMES } from '../../domain/action-table.ts';
import { ownField } from '../../domain/fields.ts';
import type { BatchLine } from '../../trading/batch.ts';

const IN_BATCH: Readonly<Record<string, BatchLine['kind']>> = {
  markets: 'reading',
  price: 'reading',
  quote: 'reading',
  hedges: 'reading',
  history: 'reading',
  positions: 'reading',
  account: 'reading',
  journal: 'reading',
  check: 'step',
  wait: 'step',
  resume: 'step',
  ...Object.fromEntries(ACTION_NAMES.map((action) => [action, 'action'] as const)),
};

export const kindInBatch = (command: string): BatchLine['kind'] | undefined => ownField(IN_BATCH, command);

export const COMMANDS_IN_BATCH: readonly string[] = Object.keys(IN_BATCH);
