import { describe, expect, it } from 'vitest';
import { type ColorFlag, decideColor, overruledVariables } from '../../src/terminal/color.ts';
import { showsUnicode, widthOf } from '../../src/terminal/streams.ts';

type Env = Record<string, string>;

/** The order: the flag, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR, TERM=dumb, the stream itself. */
const TABLE: readonly [said: string, flag: ColorFlag | undefined, env: Env, onTTY: number, inPipe: number][] =
  [
    ['nothing at all', undefined, {}, 1, 0],
    ['--color auto', 'auto', {}, 1, 0],
    ['--no-color', 'never', {}, 0, 0],
    ['--no-color over FORCE_COLOR', 'never', { FORCE_COLOR: '3' }, 0, 0],
    ['--color always', 'always', {}, 1, 1],
    ['--color always over NO_COLOR', 'always', { NO_COLOR: '1' }, 1, 1],
    ['--color always on a dumb terminal', 'always', { TERM: 'dumb' }, 1, 1],
    ['NO_COLOR', undefined, { NO_COLOR: '1' }, 0, 0],
    ['NO_COLOR=0, which is present', undefined, { NO_COLOR: '0' }, 0, 0],
    ['an empty NO_COLOR, which is not', undefined, { NO_COLOR: '' }, 1, 0],
    ['NO_COLOR over FORCE_COLOR', undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, 0, 0],
    ['NO_COLOR over CLICOLOR_FORCE', undefined, { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, 0, 0],
    ['an empty NO_COLOR beside FORCE_COLOR', undefined, { NO_COLOR: '', FORCE_COLOR: '1' }, 1, 1],
    ['FORCE_COLOR=1', undefined, { FORCE_COLOR: '1' }, 1, 1],
    ['FORCE_COLOR=2', undefined, { FORCE_COLOR: '2' }, 2, 2],
    ['FORCE_COLOR=3', undefined, { FORCE_COLOR: '3' }, 3, 3],
    ['FORCE_COLOR=true', undefined, { FORCE_COLOR: 'true' }, 1, 1],
    ['FORCE_COLOR=0', undefined, { FORCE_COLOR: '0' }, 0, 0],
    ['FORCE_COLOR=false', undefined, { FORCE_COLOR: 'false' }, 0, 0],
    ['an empty FORCE_COLOR says nothing', undefined, { FORCE_COLOR: '' }, 1, 0],
    ['FORCE_COLOR=0 over CLICOLOR_FORCE', undefined, { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, 0, 0],
    ['FORCE_COLOR over TERM=dumb', undefined, { FORCE_COLOR: '1', TERM: 'dumb' }, 1, 1],
    ['CLICOLOR_FORCE=1', undefined, { CLICOLOR_FORCE: '1' }, 1, 1],
    ['CLICOLOR_FORCE=0', undefined, { CLICOLOR_FORCE: '0' }, 1, 0],
    ['CLICOLOR_FORCE over CLICOLOR=0', undefined, { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, 1, 1],
    ['CLICOLOR=0', undefined, { CLICOLOR: '0' }, 0, 0],
    ['CLICOLOR=1 colours no pipe', undefined, { CLICOLOR: '1' }, 1, 0],
    ['TERM=dumb', undefined, { TERM: 'dumb' }, 0, 0],
    ['CI changes nothing', undefined, { CI: 'true' }, 1, 0],
    ['256 colours', undefined, { TERM: 'xterm-256color' }, 2, 0],
    ['all colours', undefined, { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 3, 0],
  ];

describe('whether a stream is coloured', () => {
  it.each(TABLE)('is decided by flags and environment: %s', (_, flag, env, onTTY, inPipe) => {
    expect(decideColor({ flag, env, isTTY: true })).toBe(onTTY);
    expect(decideColor({ flag, env, isTTY: false })).toBe(inPipe);
  });

  it.each([
    [{ NO_COLOR: '1' }, []],
    [{ FORCE_COLOR: '1' }, []],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, ['FORCE_COLOR']],
    [{ NO_COLOR: '', FORCE_COLOR: '1' }, ['NO_COLOR']],
    [{ NODE_DISABLE_COLORS: '1', FORCE_COLOR: '1' }, ['NODE_DISABLE_COLORS']],
  ] as [Env, string[]][])('of %o the overruled are %o', (env, overruled) => {
    expect(overruledVariables(env)).toEqual(overruled);
  });
});

describe('the width of a stream', () => {
  it.each([
    ['a terminal knows its own', { isTTY: true, columns: 132 }, { COLUMNS: '50' }, 132],
    ['COLUMNS helps a terminal that does not', { isTTY: true, columns: 0 }, { COLUMNS: '50' }, 50],
    ['nonsense in COLUMNS is 80', { isTTY: true }, { COLUMNS: '-5' }, 80],
    ['a pipe is 80 whatever COLUMNS says', { isTTY: false }, { COLUMNS: '50' }, 80],
  ] as const)('%s', (_, stream, env, width) => {
    expect(widthOf(stream, env)).toBe(width);
  });
});

describe('letters beyond ASCII', () => {
  it.each([
    [{ LANG: 'en_NG.UTF-8' }, 'linux', true],
    [{ LANG: 'C.utf8' }, 'linux', true],
    [{ LANG: 'C' }, 'linux', false],
    [{}, 'linux', false],
    [{ LC_ALL: 'C', LANG: 'en_NG.UTF-8' }, 'linux', false],
    [{ LC_ALL: '', LC_CTYPE: 'C', LANG: 'en_NG.UTF-8' }, 'linux', false],
    [{ LC_CTYPE: 'UTF-8', LANG: 'C' }, 'darwin', true],
    [{ LANG: 'en_NG.UTF-8', TERM: 'linux' }, 'linux', false],
    [{ LANG: 'en_NG.UTF-8', TERM: 'dumb' }, 'linux', false],
    [{}, 'win32', true],
  ] as [Env, string, boolean][])('with %o on %s: %s', (env, platform, shown) => {
    expect(showsUnicode(env, platform)).toBe(shown);
  });
});
