/** `hedge help keys`: where a key comes from, and what stands between it and the book. */
import { code, type Page, rows, text } from './page.ts';

export const keysTopic: Page = [
  {
    title: '',
    parts: [
      text(
        'A key is never an argument: others could read it in the list of processes. It is never printed, not with -v either.',
      ),
    ],
  },
  {
    title: 'Keeping one',
    parts: [
      code(
        '# asks for the key without showing it, and tries it before it is kept',
        'hedge profile add desk --base-url https://partner.example/api/v2',
        '# from a password store',
        'pass show hedge/test | hedge profile add desk --base-url https://partner.example/api/v2 --key-stdin',
        '# in the keychain of this machine, and in no file',
        'hedge profile add desk --base-url https://partner.example/api/v2 --store keychain',
        '# never stored: a program prints it each time',
        'hedge profile add vault --base-url https://partner.example/api/v2 --key-command \'["pass","show","hedge/test"]\'',
      ),
      text(
        'A key file (--key-file) that another user can write, replace or read is refused; one of root that others can read, as mounted secrets are, is taken with a warning.',
      ),
    ],
  },
  {
    title: 'Which one is used',
    parts: [
      rows([
        ['1', '--profile NAME'],
        ['2', 'HEDGE_API_KEY with HEDGE_BASE_URL, or HEDGE_PROFILE; both are a conflict'],
        ['3', 'the default, which only hedge profile use sets'],
        ['none', 'exit code 4; nothing ever falls back to practice by itself'],
      ]),
      code('# which profile is chosen here, and by what', 'hedge profile show'),
    ],
  },
  {
    title: 'Replacing one, and labels',
    parts: [
      code(
        '# the new key of the same account: what was sent with the old one can be checked and resumed',
        'pass show hedge/test | hedge profile set desk --key-stdin',
        '# two accounts at one base address, or two keys of one account: label them',
        'hedge profile set desk --account payroll',
      ),
      text(
        'The account label must be the same on every machine: idempotency keys of deal IDs follow from environment, label and deal ID. HEDGE_ACCOUNT is the label of HEDGE_API_KEY. Two profiles with one environment and base address, different keys and no labels stop every action: exit code 10, account_unclear.',
      ),
      text(
        'An action that was sent with another key blocks like any unresolved one. Until the account is confirmed to be the same, its absence proves nothing and hedge resume does not send it.',
      ),
    ],
  },
  {
    title: 'Live or not',
    parts: [
      text(
        'The key says it: _live_ in it is real money, _test_ the sandbox. Output always names the environment, and --expect-env (HEDGE_EXPECT_ENV) is a promise that is checked before anything is sent.',
      ),
      text(
        'Live and with no terminal, an action needs --yes and --expect-env live; open and add also --deal-id or --idempotency-key, and a bound on the price (or --any-price).',
      ),
    ],
  },
  {
    title: 'Limits',
    parts: [
      code(
        '# at most 100,000 USD a deal and 1,000,000 a day',
        'hedge profile limit desk --max-notional 100k --max-daily-notional 1m',
        '# no open and no add from this machine, whatever the profile',
        'hedge halt "venue down"',
        'hedge unhalt --yes',
      ),
      text(
        'No limit of size and no halt keeps reduce and close from making the book smaller. --read-only does: such a profile deals nothing at all.',
      ),
    ],
  },
  {
    title: 'TLS and proxies',
    parts: [
      text(
        'HTTPS only; verification cannot be switched off. To trust an authority besides the usual ones: --ca-file of hedge profile add, HEDGE_CA_FILE or NODE_EXTRA_CA_CERTS. Proxies: HTTPS_PROXY, NO_PROXY.',
      ),
    ],
  },
];
