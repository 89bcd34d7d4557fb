/** Where the program keeps things, on every platform. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { hinting } from '../support/hints.ts';

const LINUX = { platform: 'linux', uid: undefined } as const;

describe('places', () => {
  it.each([
    {
      what: "XDG's defaults on Linux",
      from: { platform: 'linux', home: '/home/ada', env: {} },
      to: ['/home/ada/.config/hedge', '/home/ada/.local/state/hedge', '/home/ada/.cache/hedge'],
    },
    {
      what: 'the XDG variables on Linux',
      from: {
        platform: 'linux',
        home: '/home/ada',
        env: { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s/', XDG_CACHE_HOME: '/k' },
      },
      to: ['/c/hedge', '/s/hedge', '/k/hedge'],
    },
    {
      what: 'relative and empty XDG variables are ignored',
      from: {
        platform: 'linux',
        home: '/home/ada',
        env: { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: '', XDG_CACHE_HOME: './k' },
      },
      to: ['/home/ada/.config/hedge', '/home/ada/.local/state/hedge', '/home/ada/.cache/hedge'],
    },
    {
      what: 'XDG on another Unix',
      from: { platform: 'freebsd', home: '/home/ada', env: {} },
      to: ['/home/ada/.config/hedge', '/home/ada/.local/state/hedge', '/home/ada/.cache/hedge'],
    },
    {
      what: 'HEDGE_HOME moves everything, XDG or not',
      from: { platform: 'linux', home: '/home/ada', env: { HEDGE_HOME: '/srv/desk', XDG_CONFIG_HOME: '/c' } },
      to: ['/srv/desk/config', '/srv/desk/state', '/srv/desk/cache'],
    },
    {
      what: 'HEDGE_HOME needs no home folder',
      from: { platform: 'linux', home: '', env: { HEDGE_HOME: '/srv/desk' } },
      to: ['/srv/desk/config', '/srv/desk/state', '/srv/desk/cache'],
    },
    {
      what: 'the Library on macOS',
      from: { platform: 'darwin', home: '/Users/ada', env: { HEDGE_HOME: '' } },
      to: [
        '/Users/ada/Library/Preferences/hedge',
        '/Users/ada/Library/Application Support/hedge',
        '/Users/ada/Library/Caches/hedge',
      ],
    },
    {
      what: 'the application folders on Windows',
      from: {
        platform: 'win32',
        home: 'C:\\Users\\ada',
        env: { APPDATA: 'C:\\Users\\ada\\Roaming', LOCALAPPDATA: 'D:\\Local' },
      },
      to: ['C:\\Users\\ada\\Roaming\\hedge\\config', 'D:\\Local\\hedge\\state', 'D:\\Local\\hedge\\cache'],
    },
    {
      what: 'the usual application folders on Windows when the variables are missing',
      from: { platform: 'win32', home: 'C:\\Users\\ada', env: {} },
      to: [
        'C:\\Users\\ada\\AppData\\Roaming\\hedge\\config',
        'C:\\Users\\ada\\AppData\\Local\\hedge\\state',
        'C:\\Users\\ada\\AppData\\Local\\hedge\\cache',
      ],
    },
  ] as const)('$what', ({ from, to }) => {
    const { config, state, cache } = pathsOf({ ...from, host: { platform: from.platform, uid: undefined } });
    expect([config, state, cache]).toEqual(to);
  });

  it.each(['desk', './desk', '~/desk', '..'])(
    'refuses HEDGE_HOME=%s, which would move with every cd',
    (value) => {
      expect(() => pathsOf({ env: { HEDGE_HOME: value }, host: LINUX, home: '/home/ada' })).toThrow(
        UsageError,
      );
    },
  );

  it('names HEDGE_HOME when the user has no home folder', () => {
    const places = () => pathsOf({ env: {}, host: LINUX, home: '' });
    expect(places).toThrow(expect.objectContaining({ code: 'usage', hint: hinting('HEDGE_HOME') }));
  });
});
