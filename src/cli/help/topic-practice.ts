/** `hedge help practice`: the service on this machine, and how to make trouble on it. */
import { code, type Page, text } from './page.ts';

export const practiceTopic: Page = [
  {
    title: '',
    parts: [
      text(
        "The profile practice is a complete service of the partner's kind on this machine: no key, no network, no money. Every command does on it what it does elsewhere.",
      ),
    ],
  },
  {
    title: 'Begin',
    parts: [
      code(
        'export HEDGE_PROFILE=practice',
        'hedge markets',
        'hedge quote USDTNGN buy 10000',
        'hedge open USDTNGN buy 10k --tenor 3 --deal-id PAY-8841',
        'hedge positions',
      ),
    ],
  },
  {
    title: 'Time',
    parts: [
      code(
        "# the book's time, not yours: what is due settles on the way",
        'hedge practice advance 3d',
        'hedge history',
      ),
    ],
  },
  {
    title: 'Trouble',
    parts: [
      code(
        '# the next two opens act, and their answers are lost',
        'hedge practice weather --lost-after 100% --only open --once 2',
        '# orders that do not land',
        'hedge practice weather --failing-orders 100%',
        '# a calm sky',
        'hedge practice weather clear',
      ),
    ],
  },
  {
    title: 'For other programs',
    parts: [
      code('hedge practice serve --port 4870'),
      text(
        'It speaks HTTPS on loopback, with a certificate of its own, until Ctrl-C, and prints the address, the certificate and both keys. {base}/openapi.json describes it.',
      ),
    ],
  },
  {
    title: 'Anew',
    parts: [code('hedge practice status', 'hedge practice reset --balance 5000')],
  },
];
