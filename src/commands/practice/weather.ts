/** `hedge practice weather`: chosen trouble, shown, set or cleared. */

import { readWeather, WEATHER_OPTIONS } from '../../args/weather-intent.ts';
import { quoted } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { viewPracticeWeather } from '../../output/views/practice.ts';
import { defineCommand } from '../define.ts';
export const practiceWeather = defineCommand({
  name: 'practice weather',
  summary: 'shows or sets chosen trouble: delays, refusals, lost answers, failing orders',
  description:
    'Only what is named changes, and it lasts until it is cleared or --once is used up. A share is 0 to 1, or a percentage.',
  operands: [
    { name: 'clear', summary: 'back to a calm sky', optional: true, completes: { words: ['clear'] } },
  ],
  options: WEATHER_OPTIONS,
  examples: [
    { line: 'hedge practice weather', shows: 'the weather now' },
    {
      line: 'hedge practice weather --lost-after 100% --only open --once 2',
      shows: 'the answers of the next two opens are lost after the book acted',
    },
    { line: 'hedge practice weather clear', shows: 'calm again' },
  ],
  read(raw) {
    const [word] = raw.operands;
    const change = readWeather(raw);
    const changes = Object.keys(change).length > 0;
    if (word === undefined) return { change: changes ? change : undefined, clear: false };
    if (word !== 'clear')
      throw new UsageError(
        `${quoted(word)} is not known here.`,
        'The only word is clear; trouble is set by options.',
      );
    if (changes) throw new UsageError('Clearing takes no options.', 'First clear, then set.');
    return { change: undefined, clear: true };
  },
  async run({ practice }, { change, clear }) {
    if (clear) return { value: await practice.clearWeather() };
    return { value: change === undefined ? await practice.weather() : await practice.setWeather(change) };
  },
  view: viewPracticeWeather,
});
