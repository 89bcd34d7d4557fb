/**
 * What every command shows a person on the desk of a day, on a terminal of 60 columns, and in `npm run test:full` on a real
 * one of 60, 80 and 120: no line over the edge, and nothing that only a colour says. A command without a scene here fails.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isGroup } from '../../src/commands/define.ts';
import { REGISTRY } from '../../src/commands/registry.ts';
import { IN_FULL } from '../support/goal.ts';
import { isStarted } from '../support/in-process.ts';
import { needs } from '../support/tools.ts';
import { type TradingDay, tradingDay } from '../support/trading-day.ts';

const WIDTHS = IN_FULL ? [60, 80, 120] : [60];

interface Scene {
  line: string;
  /** Answers a question, or ends what goes on, once it shows this. */
  answer?: readonly [shows: string | RegExp, keys: string];
  /** Lines that run before, unseen. */
  before?: readonly string[];
  /** Lines to be pasted, which no edge may break. */
  verbatim?: RegExp;
}

const YES = [/\(y\/N\)/, 'y\r'] as const;
const QUIT = ['q quits', 'q'] as const;
const only = (...lines: readonly string[]): readonly Scene[] => lines.map((line) => ({ line }));

/** One row is beyond its price limit. */
const NAIRA_DEALS =
  'printf "deal_id,side,ngn,notional_usd,tenor_days,max_cost_bps\\nN-1,buy,8m,,3,300\\nN-2,buy,,2k,1,\\nN-3,buy,900k,,7,1\\n" > naira.csv';
/** An open that never arrives. */
const LOST_OPENS = 'hedge practice faults --lost-before 100% --only open';
const LOST = [LOST_OPENS, 'hedge open USDTNGN buy 4k --tenor 7 --deal-id PAY-8860 --yes'];
/** One hedge on the side. */
const ALONE = [
  'hedge close USDTNGN buy --yes',
  'hedge open USDTNGN buy 10k --tenor 3 --deal-id PAY-8850 --yes',
];
const NOW = 'hedge roll USDTNGN buy --tenor 3 --at now --yes';
const LATER = 'hedge roll PAY-8841 --tenor 7 --at maturity --max-cost-bps 60 --yes';
const FAILING_OPENS = 'hedge practice faults --failing-orders 100% --only open';
/** A document, or the body of a request. */
const JSON_TEXT = /^\{/;

const SCENES: Readonly<Record<string, readonly Scene[]>> = {
  '': only('hedge', 'hedge --help', 'hedge help exit-codes', 'hedge nonsense', 'hedge --version'),
  status: only('hedge status'),
  version: only('hedge version'),
  markets: [...only('hedge markets'), { line: 'hedge markets --watch', answer: QUIT }],
  price: only('hedge price', 'hedge price --chart', 'hedge price NOSUCH'),
  quote: only(
    'hedge quote USDTNGN buy 10k',
    'hedge quote USDTNGN sell 1234567.89 --tenor 3',
    'hedge quote USDTNGN buy 10k --tenor 1 --curve',
    'hedge quote USDTNGN buy 10k --tenor 3 --worst-price 1',
    'hedge quote USDTNGN buy --ngn 80m',
    'hedge quote USDTNGN --sides buy,sell --sizes 5k,10k,450k --tenor all --markup-bps 35',
  ),
  watch: [{ line: 'hedge watch', answer: QUIT }],
  open: [
    { line: 'hedge open USDTNGN buy 50k --tenor 3 --deal-id PAY-8850 --max-cost-bps 45', answer: YES },
    { line: 'hedge open USDTNGN sell 3k --tenor 3 --yes' },
    { line: 'hedge open USDTNGN buy 2m --tenor 3 --yes' },
    { line: 'hedge open USDTNGN buy --ngn 8m --tenor 3 --deal-id PAY-8851', answer: YES },
    { line: 'hedge open USDTNGN sell --max --tenor 1 --dry-run' },
    { line: 'hedge open USDTNGN buy 10k --tenor 7 --dry-run' },
    {
      line: 'hedge open USDTNGN buy 2k --tenor 3 --yes',
      before: ['hedge practice faults --failing-orders 100%'],
    },
    { line: 'hedge open USDTNGN buy 4k --tenor 7 --deal-id PAY-8860 --yes', before: [LOST_OPENS] },
  ],
  add: [
    { line: 'hedge add USDTNGN buy 5k', answer: YES },
    { line: 'hedge add USDTNGN buy --to 200k --dry-run' },
  ],
  reduce: [
    { line: 'hedge reduce USDTNGN buy --by 50%', answer: YES },
    { line: 'hedge reduce USDTNGN buy 90m' },
  ],
  close: [{ line: 'hedge close USDTNGN buy', answer: YES }, { line: 'hedge close USDTNGN buy 5000' }],
  roll: [
    { line: 'hedge roll USDTNGN buy --tenor 3 --at now' },
    {
      line: 'hedge roll USDTNGN buy --tenor 3 --at now --max-cost-bps 60 --note "invoice 8850 was moved"',
      before: ALONE,
      answer: YES,
    },
    { line: 'hedge roll PAY-8841 --tenor 7 --at maturity --max-cost-bps 60', answer: YES },
    { line: 'hedge roll USDTNGN buy --tenor 3 --at now --yes', before: [...ALONE, LOST_OPENS] },
    { line: 'hedge', before: [...ALONE, FAILING_OPENS, NOW] },
    { line: 'hedge check', before: [...ALONE, FAILING_OPENS, NOW] },
  ],
  'roll run': [
    ...only('hedge roll run --due'),
    { line: 'hedge roll run --due --yes', before: [LATER, 'hedge practice advance 74h'] },
    { line: 'hedge roll run --due --yes', before: [LATER, 'hedge practice advance 5d'] },
  ],
  'roll show': [
    { line: 'hedge roll show', before: [LATER, ...ALONE, NOW] },
    { line: 'hedge roll show PAY-8850', before: [...ALONE, NOW] },
  ],
  'roll drop': [{ line: 'hedge roll drop PAY-8841 --note "paid early"', before: [LATER], answer: YES }],
  check: only('hedge check', 'hedge check PAY-8841'),
  resume: [
    { line: 'hedge resume 7c1e' },
    { line: 'hedge resume', before: ['hedge check', ...LOST, 'hedge practice faults clear'], answer: YES },
  ],
  wait: only('hedge wait PAY-8841'),
  batch: only('hedge batch payouts.txt --dry-run', 'hedge batch payouts.txt --yes'),
  halt: only('hedge halt "venue down, nobody answers the telephone; ask Ada before you lift this"'),
  unhalt: [
    { line: 'hedge unhalt', before: ['hedge halt "venue down"'], answer: YES },
    { line: 'hedge open USDTNGN buy 1k --tenor 3', before: ['hedge halt "venue down"'] },
  ],
  hedges: only('hedge hedges', 'hedge hedges PAY-8841', 'hedge hedges --since today --side sell'),
  history: only('hedge history', 'hedge history --by day', 'hedge history --chart'),
  positions: only('hedge positions'),
  snapshot: only('hedge snapshot'),
  report: only('hedge report --week', 'hedge report --month --by side'),
  reconcile: only('hedge reconcile', 'hedge reconcile PAY-8841 --note "dealt by phone"'),
  export: [{ line: 'hedge export november.journal --format hledger' }],
  maturities: only('hedge maturities', 'hedge maturities --within 1d --ics day.ics'),
  'what-if': only('hedge what-if --move -10%,+30%', 'hedge what-if --move -20%..+20% --at maturity'),
  'deals check': only('hedge deals check deals.csv'),
  'deals run': [
    { line: 'hedge deals run deals.csv', answer: YES },
    { line: 'hedge deals run naira.csv', before: [NAIRA_DEALS], answer: YES },
  ],
  cover: only('hedge cover exposures.csv --policy policy.json --deals cover.csv'),
  account: only('hedge account'),
  journal: [...only('hedge journal'), { line: 'hedge journal 7c1e', verbatim: JSON_TEXT }],
  'journal resolve': [
    {
      line: 'hedge journal resolve 7c1e --as executed --reason "the venue says that it has executed, by telephone"',
      answer: YES,
    },
  ],
  'journal halts': [
    {
      line: 'hedge journal halts',
      before: [
        'hedge halt "venue down" --note "asked by the venue itself, on the telephone"',
        'hedge unhalt --yes',
      ],
    },
  ],
  'journal backup': only('hedge journal backup copy.sqlite'),
  'journal export': [{ line: 'hedge journal export day.jsonl' }],
  'journal import': only('hedge journal import'),
  'journal repair': only('hedge journal repair'),
  'journal accept-loss': only('hedge journal accept-loss --note "restored from last night"'),
  'audit verify': only('hedge audit verify'),
  'audit checkpoint': [{ line: 'hedge audit checkpoint', verbatim: /^ *"hash"/ }],
  'profile add': [
    {
      line: 'pass | hedge profile add other-desk --base-url "$PARTNER" --key-stdin --max-notional 100k',
    },
  ],
  'profile list': only('hedge profile list'),
  'profile show': only('hedge profile show payouts'),
  'profile use': [{ line: 'hedge profile use payouts' }],
  'profile set': [
    ...only('hedge profile set payouts --time-zone Africa/Lagos --max-daily-notional 200k'),
    ...only(
      'hedge profile set payouts --account treasury',
      'hedge profile set payouts --base-url "$PARTNER"',
    ),
    { line: 'pass | hedge profile set payouts --key-stdin' },
  ],
  'profile limit': only('hedge profile limit payouts --max-notional 50k --markets USDTNGN'),
  'profile remove': [{ line: 'hedge profile remove payouts', answer: YES }],
  'practice advance': only('hedge practice advance 3d'),
  'practice reset': [{ line: 'hedge practice reset', answer: YES }],
  'practice serve': [
    {
      line: 'hedge practice serve',
      answer: ['HEDGE_API_KEY', '\u0003'],
      verbatim: /^(?:# )?export |^# Page for a browser/,
    },
  ],
  'practice status': only('hedge practice status'),
  'practice faults': only('hedge practice faults', 'hedge practice faults --lost-after 30% --only open'),
  'practice settings': only('hedge practice settings', 'hedge practice settings margin_pct=12'),
  // Those of a desk that there is: test/desk/screens.test.ts.
  desk: only('hedge desk'),
  'desk status': only('hedge desk status'),
  'desk init': only('hedge desk init postgres://127.0.0.1:9/hedge --name lagos'),
  'desk join': only('hedge desk join postgres://127.0.0.1:9/hedge', 'hedge desk join postgres://a:b@h/d'),
  'desk limit': only('hedge desk limit', 'hedge desk limit --max-open 5m'),
  'desk adopt': only('hedge desk adopt'),
  'desk leave': only('hedge desk leave'),
  // Practice needs none.
  'agent start': only('hedge agent start', 'hedge agent start --for 25h'),
  'agent status': only('hedge agent status'),
  'agent stop': only('hedge agent stop'),
  doctor: only('hedge doctor', 'hedge doctor --profile payouts'),
  api: [
    ...only('hedge api GET /markets', 'hedge api GET /nonsense'),
    { line: `hedge api POST /hedges/close --data '{"market":"USDTNGN","side":"buy"}'`, answer: YES },
  ],
  schema: [{ line: 'hedge schema journal', verbatim: /./ }, { line: 'hedge schema nonsense' }],
  mcp: [
    { line: 'hedge mcp --print-config claude', verbatim: /./ },
    { line: 'hedge mcp --print-config emacs' },
  ],
  completion: [{ line: 'hedge completion fish', verbatim: /./ }],
};

const entries = await Promise.all(REGISTRY.map((entry) => entry.load()));
const commands = entries.flatMap((entry) =>
  isGroup(entry) ? [...(entry.main === undefined ? [] : [entry.main]), ...entry.commands] : [entry],
);
const scenes = Object.values(SCENES).flat();

let desk: TradingDay;
/** A fault of hedge, or an answer that cannot be read. */
const NO_ENDS: readonly (number | null)[] = [1, 6];

describe('what a person sees', () => {
  it('is looked at for every command', () => {
    expect(Object.keys(SCENES).toSorted()).toEqual(['', ...commands.map(({ name }) => name)].toSorted());
  });
});

describe('what a person sees of a command', { ...needs('bash'), concurrent: isStarted }, () => {
  beforeAll(async () => {
    desk = await tradingDay();
  });
  afterAll(() => desk.close());

  it.each(scenes)(
    'fits the window and needs no colour: $line',
    async ({ line, answer, before = [], verbatim }) => {
      await Promise.all(
        WIDTHS.map(async (columns) => {
          const ended: (() => void)[] = [];
          const shop = desk.copy((done) => ended.push(done));
          for (const each of before) await shop.run(each);
          const screen = shop.show(line, { columns, rows: 50 });
          const shown: string[] = [];
          if (answer !== undefined) {
            await screen.until(answer[0]);
            shown.push(...screen.coloured());
            screen.send(answer[1]);
          }
          const { code } = await screen.exit;
          const wrong = [
            ...(NO_ENDS.includes(code) ? [`ended with ${String(code)}`] : []),
            ...screen
              .overflowing()
              .filter((each) => verbatim?.test(each) !== true)
              .map((each) => `over the edge of ${columns.toString()}: ${each}`),
            ...[...shown, ...screen.coloured()]
              .filter((each) => !SAYS_IT.test(each))
              .map((each) => `a colour alone: ${each}`),
          ];
          expect(wrong.length === 0 ? '' : [...wrong, ...screen.screen()].join('\n')).toBe('');
          ended.forEach((done) => done());
        }),
      );
    },
  );
});

/** A word, a sign of a figure, or a mark of its own. */
const SAYS_IT = /\p{L}|[+\-−?!✔❯›>▁-█─-╿]/u;
