/** `hedge help environment`: every variable that is read. */
import { type Page, rows, text } from './page.ts';

export const environmentTopic: Page = [
  {
    title: '',
    parts: [
      text('An empty variable counts as absent. Options win over variables, variables over what is stored.'),
    ],
  },
  {
    title: 'Whose account',
    parts: [
      rows([
        ['HEDGE_PROFILE', 'the profile, as --profile has it'],
        [
          'HEDGE_API_KEY',
          'a key, together with HEDGE_BASE_URL; taken out of the environment once it is read',
        ],
        ['HEDGE_BASE_URL', 'https address of the service, ending in its version'],
        ['HEDGE_ACCOUNT', 'label of the account, where the profile has none; the same on every machine'],
        ['HEDGE_EXPECT_ENV', 'a promise, as --expect-env has it: live, sandbox or practice'],
      ]),
      text(
        'Key and address only count together, and not beside HEDGE_PROFILE: that is exit code 4, never a guess.',
      ),
    ],
  },
  {
    title: 'The way to the service',
    parts: [
      rows([
        ['HEDGE_CA_FILE', 'certificates to trust besides the usual ones (PEM)'],
        ['NODE_EXTRA_CA_CERTS', 'the same; Node 20 reads it at every start, which takes its time'],
        ['HEDGE_TLS_SESSIONS', 'off keeps no TLS session for the next command'],
        ['SSL_CERT_FILE, SSL_CERT_DIR', 'set: no TLS session is kept'],
        ['NODE_OPTIONS', 'the same with --use-openssl-ca or --use-system-ca in it'],
        ['HTTPS_PROXY, https_proxy', 'the proxy to go through'],
        ['NO_PROXY, no_proxy', 'hosts that are reached without it'],
      ]),
    ],
  },
  {
    title: 'Files',
    parts: [
      text(
        "A folder that another user could replace is refused (78): every folder above it must be yours or root's, and not writable for every user unless it has the sticky bit, as /tmp has.",
      ),
      rows([
        ['HEDGE_HOME', 'one folder for everything that is kept: config, state, cache in it'],
        ['XDG_CONFIG_HOME', 'otherwise, on Linux: profiles (~/.config), in hedge'],
        ['XDG_STATE_HOME', 'journal, halt and practice books (~/.local/state), in hedge'],
        ['XDG_CACHE_HOME', 'what may be lost (~/.cache), in hedge'],
        ['APPDATA, LOCALAPPDATA', 'the same on Windows; macOS has its own places in ~/Library'],
        ['HEDGE_COMPILED_CODE', 'off keeps no compiled code for the next start'],
        ['SHELL, XDG_DATA_HOME, ZDOTDIR', 'where hedge doctor looks for completion'],
      ]),
    ],
  },
  {
    title: 'The screen',
    parts: [
      rows([
        ['NO_COLOR, CLICOLOR=0', 'no colour, as --no-color'],
        ['FORCE_COLOR, CLICOLOR_FORCE', 'colour in a pipe too'],
        ['COLUMNS', 'how wide, where the terminal does not say'],
        ['TERM, COLORTERM', 'which colours the terminal can show'],
        ['LC_ALL, LC_CTYPE, LANG', 'which characters it can show'],
        ['CI', 'set: progress is not drawn'],
      ]),
    ],
  },
];
