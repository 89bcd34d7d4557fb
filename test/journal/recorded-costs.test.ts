/** Which adds belong to the cost of a hedge. */
import { expect, it } from 'vitest';
import { addsTo } from '../../src/journal/recorded-costs.ts';
import { actionsOf, recordsOf, type StepParts } from './records.ts';

const CHANGED = (facts: Record<string, string>): StepParts => ({
  kind: 'outcome',
  outcome: 'changed',
  facts,
});

it.each([
  ['that enlarged it alone is one of them', [CHANGED({ hdg_0: '35000' })], ['7c1e']],
  [
    'that enlarged another hedge too has a share that is not known',
    [CHANGED({ hdg_0: '30000', hdg_1: '10000' })],
    [undefined],
  ],
  ['that enlarged another hedge is none of them', [CHANGED({ hdg_1: '15000' })], []],
  ['whose outcome is not known may have enlarged it', [], [undefined]],
])('an add %s', (_, steps, expected) => {
  const hedges = [
    { hedge_id: 'hdg_0', notional_usd: '25000', status: 'filled' },
    { hedge_id: 'hdg_1', notional_usd: '5000', status: 'filled' },
  ];
  const before = { hedges, in_positions: true };
  const adds = actionsOf(recordsOf('7c1e', { action: 'add', before }, ...steps));
  expect(addsTo('hdg_0', adds).map((add) => add?.shortId)).toEqual(expected);
  expect(addsTo('hdg_2', adds)).toEqual([]);
});
