/** `hedge markets` */
import { readNothing } from '../args/option.ts';
import { marketList, viewMarkets } from '../output/views/markets.ts';
import { defineCommand } from './define.ts';

export const markets = defineCommand({
  name: 'markets',
  summary: 'List markets: status, mid, capacity and carry per side',
  description:
    'The mid is indicative; hedge quote gives a price. Capacity is the maximum that can be opened on a side now. Carry is per day: what holding costs or earns.',
  aside: 'indicative',
  examples: [
    { line: 'hedge --profile practice markets', shows: 'markets of the practice account' },
    { line: 'hedge markets --json | jq -r ".data[].market"', shows: 'market names, for a script' },
  ],
  inBatch: 'reading',
  read: readNothing,
  async run(context) {
    const { data, meta, servedAt } = await (await context.api()).markets();
    return { value: data, meta, servedAt };
  },
  list: marketList,
  view: viewMarkets,
});
