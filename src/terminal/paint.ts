/** The few colours of what the terminal draws by itself: prompts and the spinner. Views have their own. */
import type { ColourLevel } from './colour.ts';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  cyan: [36, 39],
} as const;

export type Paint = keyof typeof CODES;

export function paint(colour: ColourLevel, style: Paint, text: string): string {
  if (colour === 0 || text === '') return text;
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
