import { describe, expect, expectTypeOf, it } from 'vitest';
import { loadCommands, REGISTRY } from '../../src/commands/registry.ts';
import {
  ACTION_NAMES,
  ACTION_TABLE,
  type ActionName,
  type ActionRow,
  changedWords,
  createsHedge,
  enlarges,
  isActionName,
  needsQuote,
  requires,
  rowOf,
  shrinks,
  takesWholeSide,
} from '../../src/domain/action-table.ts';
import type { AddPlan, ClosePlan, OpenPlan, Plan, ReducePlan } from '../../src/trading/plan.ts';

describe('the table of actions', () => {
  it('names the four actions, and no other word is one', () => {
    expectTypeOf<ActionName>().toEqualTypeOf<'open' | 'add' | 'reduce' | 'close'>();
    expect(ACTION_NAMES).toEqual(['open', 'add', 'reduce', 'close']);
    expect(['quote', 'toString', '__proto__', '', undefined, 4].filter(isActionName)).toEqual([]);
  });

  it('takes no row without all of its facts', () => {
    const roll = { path: '/hedges/roll', body: ['market', 'side'] } as const;
    // @ts-expect-error It has only its path and its body.
    const table: Readonly<Record<string, ActionRow>> = { ...ACTION_TABLE, roll };
    expect(Object.keys(table)).toHaveLength(ACTION_NAMES.length + 1);
  });

  it.each(ACTION_NAMES)('has for %s a path, a command and a place in a batch of its own', async (action) => {
    expect(ACTION_NAMES.filter((name) => rowOf(name).path === rowOf(action).path)).toEqual([action]);
    expect(REGISTRY.filter(({ name }) => name === action)).toHaveLength(1);
    expect((await loadCommands()).find(({ name }) => name === action)?.inBatch).toBe('action');
  });

  it.each(ACTION_NAMES)('says the same of %s in its facts and in its body', (action) => {
    const { effect, optional } = rowOf(action);
    expect(effect.kind === 'side_gone').toBe(!requires({ action }, 'notional_usd'));
    expect(effect.kind === 'new_hedge').toBe(optional.includes('client_reference'));
    expect(enlarges({ action })).toBe(effect.kind === 'new_hedge' || ('sign' in effect && effect.sign === 1));
    expect(needsQuote({ action })).toBe(enlarges({ action }));
  });

  it('makes the position larger, or smaller, or neither', () => {
    expect(ACTION_NAMES.filter((action) => shrinks({ action }))).toEqual(['reduce', 'close']);
    expect(ACTION_NAMES.filter((action) => shrinks({ action }) && enlarges({ action }))).toEqual([]);
  });

  it('has the words of outcome `changed` for each action that ends so, and each its own', () => {
    const ends = ACTION_NAMES.filter((action) => rowOf(action).outcome === 'changed');
    const words = ends.flatMap((action) => Object.values(changedWords({ action }) ?? {}));
    expect(new Set(words).size).toBe(2 * ends.length);
    expect(ACTION_NAMES.filter((action) => changedWords({ action }) !== undefined)).toEqual(ends);
  });

  it('narrows a plan by what it says of the action', () => {
    const parts = (plan: Plan) => {
      if (takesWholeSide(plan)) expectTypeOf(plan).toEqualTypeOf<ClosePlan>();
      else if (!enlarges(plan)) expectTypeOf(plan).toEqualTypeOf<ReducePlan>();
      else if (createsHedge(plan)) expectTypeOf(plan).toEqualTypeOf<OpenPlan>();
      else expectTypeOf(plan).toEqualTypeOf<AddPlan>();
    };
    expectTypeOf(parts).parameter(0).toEqualTypeOf<Plan>();
    expect(ACTION_NAMES.filter((action) => enlarges({ action }))).toEqual(['open', 'add']);
  });
});
