/** `hedge practice`: the practice service on this machine. */
import type { CommandGroup } from '../define.ts';
import { practiceAdvance } from './advance.ts';
import { practiceReset } from './reset.ts';
import { practiceServe } from './serve.ts';
import { practiceStatus } from './status.ts';
import { practiceWeather } from './weather.ts';

export const practice: CommandGroup = {
  name: 'practice',
  summary:
    'A complete practice service on this machine: no money, no network. Use it with --profile practice; these commands look after it.',
  commands: [practiceStatus, practiceAdvance, practiceWeather, practiceReset, practiceServe],
};
