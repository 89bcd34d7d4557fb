/** Decides the color level of a stream (in the order of clig.dev and no-color.org), and colors prompts and the spinner. */

/** 0 none, 1: 16 colors, 2: 256, 3: 16 million. */
export type ColorLevel = 0 | 1 | 2 | 3;
/** `--no-color` is `never`. */
export type ColorFlag = 'auto' | 'never' | 'always';
export type ColorVariables = Readonly<Record<string, string | undefined>>;

/** The flag, then the environment, then whether the stream is a terminal. */
export function decideColor(facts: {
  flag?: ColorFlag | undefined;
  env: ColorVariables;
  isTTY: boolean;
}): ColorLevel {
  const { env } = facts;
  if (facts.flag === 'never') return 0;
  if (facts.flag === 'always') return levelOf(env);
  if (isSet(env['NO_COLOR'])) return 0;
  if (isSet(env['FORCE_COLOR'])) return forcedLevel(env['FORCE_COLOR'], env);
  if (isSet(env['CLICOLOR_FORCE']) && env['CLICOLOR_FORCE'] !== '0') return levelOf(env);
  if (env['CLICOLOR'] === '0') return 0;
  if (env['TERM'] === 'dumb') return 0;
  return facts.isTTY ? levelOf(env) : 0;
}

/**
 * Variables to remove: Node warns on standard error, and obeys FORCE_COLOR, when a library asks it for colors while
 * FORCE_COLOR is set with NO_COLOR (even empty) or NODE_DISABLE_COLORS.
 */
export function overruledVariables(env: ColorVariables): readonly string[] {
  if (env['FORCE_COLOR'] === undefined) return [];
  if (isSet(env['NO_COLOR'])) return ['FORCE_COLOR'];
  return ['NO_COLOR', 'NODE_DISABLE_COLORS'].filter((name) => env[name] !== undefined);
}

function forcedLevel(value: string, env: ColorVariables): ColorLevel {
  switch (value.toLowerCase()) {
    case '0':
    case 'false':
      return 0;
    case '1':
      return 1;
    case '2':
      return 2;
    case '3':
      return 3;
    default:
      return levelOf(env);
  }
}

/** The terminal's color support. */
function levelOf(env: ColorVariables): ColorLevel {
  const depth = env['COLORTERM'];
  if (depth === 'truecolor' || depth === '24bit') return 3;
  return env['TERM']?.includes('256color') === true ? 2 : 1;
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  cyan: [36, 39],
} as const;

export type Paint = keyof typeof CODES;

export function paint(colour: ColorLevel, style: Paint, text: string): string {
  if (colour === 0 || text === '') return text;
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
