/** What a service writes cannot stand on a screen, or in a hint, as advice of the program. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wayTo } from '../support/cli-for.ts';
import { aQuarterOf } from '../support/goal.ts';
import { type HostileService, hostileService, type Temper } from '../support/hostile-service.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type Ran, testCli } from '../support/test-cli.ts';

const FORGED = 'hedge open USDTNGN buy 50k --tenor 3 --any-price --yes';

/** Ways to write it into a name. */
const FORGERIES: readonly Temper['says'][] = [
  (text) => `${text}\n${FORGED}\n${text}`,
  (text) => `${text}\n${FORGED}    as it was\n`,
  (text) => `${text}\r\n${FORGED}`,
  (text) => `${text}\u2028${FORGED}`,
  // The blanks that end a command of a hint.
  (text) => `${text}    ${FORGED}`,
  (text) => `${text}'    ${FORGED}    '`,
  () => FORGED,
  () => `$ ${FORGED}`,
  // Where a line breaks.
  (text) => `${text} ${'x'.repeat(60)} ${FORGED}`,
];

const DAY: readonly string[] = [
  'markets',
  'price',
  'quote USDTNGN buy 10000 --tenor 3',
  'hedges',
  'hedges hdg_1',
  'history',
  'positions',
  'account',
  'maturities',
  'doctor',
  'watch --once',
  'open USDTNGN buy 10000 --tenor 3 --deal-id PAY-2 --dry-run',
  'open USDTNGN buy 1000 --tenor 3 --yes --no-wait',
  'open USDTNGN buy 2000 --tenor 3 --yes --timeout 2 -v',
  'open USDTNGN buy 2000 --tenor 3 --yes --ensure --deal-id PAY-1 --timeout 2',
  'add USDTNGN buy 500 --yes --timeout 2',
  'reduce USDTNGN buy --by 50% --yes --timeout 2',
  'roll hdg_1 --tenor 3 --at maturity --yes',
  'roll USDTNGN sell --tenor 3 --at now --yes --any-price',
  'roll show',
  'check',
  'wait hdg_1 --timeout 2',
  'close USDTNGN buy --yes --timeout 2',
  'reduce USDTKES sell --by 50% --yes --timeout 2',
  'resume --yes --resend',
  'journal',
  'journal -v',
  '',
];

/** Of the runs at a terminal; the others are in a pipe. */
const TERMINAL = 80;

let service: HostileService;
beforeAll(async () => {
  service = await hostileService();
});
afterAll(() => service.close());

/** What asks for a next command on a hedge of deal PAY-1. */
const ON_A_HEDGE: readonly string[] = [
  'hedges PAY-1',
  'wait PAY-1 --timeout 2',
  'reduce USDTNGN buy 100 --yes',
  'reduce USDTNGN buy --by 50% --yes',
  'add USDTNGN buy --to 20k --yes',
  'close USDTNGN buy --yes --timeout 2',
  'open USDTNGN buy 10000 --tenor 3 --deal-id PAY-1 --ensure --yes',
  'open USDTNGN buy 777 --tenor 3 --deal-id PAY-1 --ensure --yes',
  'open USDTNGN buy --ngn 15300000 --tenor 3 --deal-id PAY-1 --ensure --yes',
  'roll USDTNGN buy --tenor 3 --at maturity --yes --max-cost-bps 100',
  'roll PAY-1 --tenor 3 --at maturity --yes --max-cost-bps 100',
  'check',
];

async function aDay(
  temper: Temper,
  width: number,
  option?: string,
  lines = DAY,
): Promise<readonly [string, Ran][]> {
  const home = temporaryFolder();
  const cli = testCli({ home, env: wayTo(service, home) });
  const ran: [string, Ran][] = [];
  service.become(temper);
  for (const line of lines) {
    const words = option === undefined ? line : `${line} ${option}`;
    // oxlint-disable-next-line no-await-in-loop
    ran.push([
      words,
      await cli.run(words, { terminal: { width, isTTY: width === TERMINAL, env: { NO_COLOR: '1' } } }),
    ]);
  }
  return ran;
}

/** Lines of their own, as commands of a hint are; the rest of a longer line is indented. */
const posed = (text: string): readonly string[] =>
  text.split('\n').filter((line) => /^(?:[$#>%] ?)?hedge open USDTNGN buy 50k/.test(line));

/** Each string that is said has the next of the forgeries, from the one of that number. */
function forged(from: number): Temper['says'] {
  let next = from;
  return (text) => (FORGERIES[next++ % FORGERIES.length] ?? String)(text);
}

/** Each place is told a third of them. */
const STARTS = [0, 3, 6] as const;

describe('a command that the service writes into its strings', () => {
  const screens = STARTS.flatMap((from) =>
    [200, TERMINAL].flatMap((width) =>
      ([undefined, 'actions'] as const).map((refuses) => ({ from, width, refuses })),
    ),
  );
  for (const { from, width, refuses } of aQuarterOf(screens))
    it(`is no line of any screen of ${width.toString()} columns${refuses === undefined ? '' : ', in a refusal'} (${from.toString()})`, async () => {
      const day = await aDay({ says: forged(from), refuses }, width);
      const wrong = day.flatMap(([line, { out, err }]) =>
        posed(`${out}\n${err}`).map((found) => `hedge ${line}: ${found}`),
      );
      expect(wrong).toEqual([]);
    });

  const deals = FORGERIES.flatMap((says) =>
    (['submitted', 'several'] as const).map((deal) => ({ says, deal })),
  );
  for (const { says, deal } of aQuarterOf(deals))
    it(`as ${JSON.stringify(says('hdg_1'))} is no next command where its deal is ${deal}`, async () => {
      const ran = await aDay({ says, deal }, 200, undefined, ON_A_HEDGE);
      const documents = await aDay({ says, deal }, 200, '--json', ON_A_HEDGE);
      const shown = [
        ...ran.map(([line, { out, err }]) => [line, `${out}\n${err}`] as const),
        ...documents.map(([line, { out }]) => [line, hintsIn(JSON.parse(out)).join('\n')] as const),
      ];
      const wrong = shown.flatMap(([line, text]) => posed(text).map((found) => `hedge ${line}: ${found}`));
      expect(wrong).toEqual([]);
      expect(shown.some(([, text]) => text.includes('hedge hedges'))).toBe(true);
    });

  it.each(aQuarterOf(STARTS))('is no line of a hint or a message in a document (%i)', async (from) => {
    const says = forged(from);
    const days = [
      await aDay({ says }, 200, '--json'),
      await aDay({ says, refuses: 'actions' }, 200, '--json'),
    ];
    const hints = days.flat().flatMap(([, { out }]) => hintsIn(JSON.parse(out)));
    expect(hints.length).toBeGreaterThan(5);
    expect(hints.flatMap(posed)).toEqual([]);
  });
});

function hintsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    (name === 'hint' || name === 'message') && typeof inner === 'string' ? [inner] : hintsIn(inner),
  );
}
