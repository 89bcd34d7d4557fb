/** A desk that deals with the practice service: what `lookingDesk` lends, and a person whose answers are given. */

import type { RawInput } from '../../src/args/option.ts';
import type { Action } from '../../src/journal/replay.ts';
import { actionById } from '../../src/journal/state.ts';
import { hostOf } from '../../src/platform/host.ts';
import { executeAction } from '../../src/trading/execute.ts';
import type { ActionReport } from '../../src/trading/report.ts';
import type { Preview, TradingContext } from '../../src/trading/trading-context.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { intent } from './facts.ts';
import { type LookingDesk, lookingDesk } from './read-context.ts';
export interface DealingDesk extends LookingDesk {
  /** With what a test is about put in. */
  tradingContext(parts?: Partial<TradingContext>): TradingContext;
  /** What the person was shown, in order. */
  shown: readonly Preview[];
  /** Deals a line as `--yes` would. */
  now(line: string, options?: RawInput['options']): Promise<ActionReport>;
  /** The same, every answer of the service lost: before or after it acted. */
  lost(when: 'before' | 'after', line: string, options?: RawInput['options']): Promise<Action>;
  /** Actions that arrived at the service, by their keys. */
  keys(): readonly string[];
  /** The action as the journal has it now. */
  again(action: Action): Action;
}

const NO_LIMITS = {
  maxNotional: undefined,
  maxDailyNotional: undefined,
  readOnly: false,
  markets: undefined,
};

/** Attended, by a person who says yes to everything. */
export async function dealingDesk(...over: Parameters<typeof lookingDesk>): Promise<DealingDesk> {
  const desk = await lookingDesk(...over);
  const { practice, readContext } = desk;
  const shown: Preview[] = [];
  const random = seededRandom(7);
  const tradingContext = (parts: Partial<TradingContext> = {}): TradingContext => ({
    ...readContext,
    random,
    writer: hostOf(process).self,
    environment: 'practice',
    profile: 'practice',
    accountUnclearWith: [],
    limits: () => NO_LIMITS,
    argv: [],
    expected: undefined,
    attended: true,
    confirm: async (preview) => {
      shown.push(preview);
      return true;
    },
    ...parts,
  });
  const now = (line: string, options: RawInput['options'] = {}) =>
    executeAction(intent(line, { yes: true, ...options }), tradingContext());
  const again = (action: Action): Action => {
    const found = actionById(readContext.journal.read(), action.id);
    if (found === undefined) throw new Error(`action ${action.id} is not in the journal`);
    return found;
  };
  return {
    ...desk,
    tradingContext,
    shown,
    now,
    async lost(when, line, options) {
      await practice.service.admin.setFaults({ [`lost_${when}`]: 1, only: 'actions' });
      const { entry } = await now(line, options);
      await practice.service.admin.clearFaults();
      if (entry === undefined) throw new Error('nothing was written down');
      return entry;
    },
    keys: () =>
      practice.log.flatMap(({ idempotencyKey }) => (idempotencyKey === undefined ? [] : [idempotencyKey])),
    again,
  };
}
