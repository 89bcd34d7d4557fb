/** Whether a stream is coloured, decided once and from facts alone: the order is clig.dev's and no-color.org's. */

/** 0 none, 1 sixteen colours, 2 two hundred and fifty-six, 3 sixteen million. */
export type ColourLevel = 0 | 1 | 2 | 3;
/** What `--color` says; `--no-color` is `never`. */
export type ColourFlag = 'auto' | 'never' | 'always';
export type Environment = Readonly<Record<string, string | undefined>>;

/** The colours of one stream. `--color`, then the environment, then whether the stream is a terminal. */
export function decideColour(facts: {
  flag?: ColourFlag | undefined;
  env: Environment;
  isTTY: boolean;
}): ColourLevel {
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
 * Names of variables that contradict the decision. Node prints a warning on standard error, and obeys
 * FORCE_COLOR, as soon as a library asks it for colours while FORCE_COLOR stands beside NO_COLOR (even an
 * empty one) or NODE_DISABLE_COLORS.
 */
export function overruledVariables(env: Environment): readonly string[] {
  if (env['FORCE_COLOR'] === undefined) return [];
  if (isSet(env['NO_COLOR'])) return ['FORCE_COLOR'];
  return ['NO_COLOR', 'NODE_DISABLE_COLORS'].filter((name) => env[name] !== undefined);
}

function forcedLevel(value: string, env: Environment): ColourLevel {
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

/** What the terminal says it can show; asked only when there is to be colour at all. */
function levelOf(env: Environment): ColourLevel {
  const depth = env['COLORTERM'];
  if (depth === 'truecolor' || depth === '24bit') return 3;
  return env['TERM']?.includes('256color') === true ? 2 : 1;
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';
