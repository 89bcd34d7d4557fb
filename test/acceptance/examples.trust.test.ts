/**
 * Every example of help, its topics and the README, run as it stands by a shell, each on a practice desk of its own in the middle
 * of its day: hedges on both sides, one settled, one action that nobody knows the end of. Every day the shell runs one of each
 * command and what takes one to read; in `npm run test:full` it runs all, and those that ask for a price at three rates. It must
 * end with 0. What cannot, or cannot run as it stands, says here why, and what is put in its place.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Example, everyExample, everyScript, TEXTS } from '../support/examples.ts';
import { IN_FULL } from '../support/goal.ts';
import { isStarted } from '../support/in-process.ts';
import { needs } from '../support/tools.ts';
import {
  type DayShell,
  type TradingDay,
  tradingDay,
  USUAL_RATE,
  wordsOfHedge,
} from '../support/trading-day.ts';

const PARTNER = 'https://partner.example/api/v2';

interface Exception {
  /** What the line has in it. */
  has: RegExp;
  because: string;
  /** What is run in its place. */
  edit?: (line: string) => string;
  /** Lines that run before. */
  before?: readonly string[];
  leaveOut?: true;
  /** The exit codes of which it must have one, unless it must be 0. */
  ends?: readonly number[];
}

const keyOnInput = (line: string): string =>
  `pass | ${line.replace(PARTNER, '$PARTNER').replace(/ +#.*/, '')} --key-stdin`;

const confirmedRoll = (line: string): string =>
  /--dry-run|roll (?:show|drop)/.test(line) ? line : `${line} --yes`;

const EXCEPTIONS: readonly Exception[] = [
  {
    has: /^npm ci && npx hedge/,
    because: 'it installs: acceptance/pipes.test.ts runs its command',
    leaveOut: true,
  },
  { has: /^hedge open$/, because: 'asks part by part: acceptance/wizard.test.ts answers it', leaveOut: true },
  {
    has: /--log > practice.env &$/,
    because: 'serves on in the background, as the one before it',
    leaveOut: true,
  },
  {
    has: /practice serve .*-- python3 -m (?:pytest|unittest)$/,
    because: 'there are no tests here: the command shows what they would find',
    edit: (line) => line.replace(/-- .*/, '-- env'),
  },
  {
    has: /--port 4870$/,
    because: 'the port may be taken here',
    edit: (line) => line.replace(' --port 4870', ''),
  },
  {
    has: /profile add \S+ --base-url/,
    because: 'there is a profile of that name, and no such partner: a practice service is one',
    before: ['hedge profile remove payouts --yes'],
    edit: (line) => line.replace(PARTNER, '$PARTNER'),
  },
  {
    has: /^hedge profile add payouts --base-url \S+( +#.*)?$/,
    because: 'the key is asked for: it comes on standard input instead',
    before: ['hedge profile remove payouts --yes'],
    edit: keyOnInput,
  },
  {
    has: /^hedge open USDTNGN buy (?:10000 --tenor 3|10k --tenor 3 --dry-run)$/,
    because: 'the same was dealt a moment ago here',
    edit: (line) => `${line} --allow-duplicate`,
  },
  {
    has: /^hedge open .*--deal-id PAY-8841/,
    because: 'this deal id is used here',
    edit: (line) => line.replace('PAY-8841', 'PAY-8899'),
  },
  {
    has: /^hedge desk (?:init|join|limit --|adopt|leave)/,
    because: 'there is no PostgreSQL here, and so no desk: test/desk/ has both',
    ends: [10],
  },
  {
    has: /--store keychain/,
    because: 'there may be no keychain here, and the key is asked for: it comes on standard input instead',
    before: ['hedge profile remove payouts --yes'],
    edit: keyOnInput,
    ends: [0, 4],
  },
  {
    has: /^hedge --profile practice-live open \S+ buy 10k --tenor 3$/,
    because: 'it asks for a typed confirmation, at a terminal only',
    ends: [2],
  },
  {
    has: /^hedge agent start/,
    because: 'practice needs no agent: acceptance/agent.test.ts starts one',
    leaveOut: true,
  },
  {
    has: /^hedge journal import$/,
    because: 'there are no files of an earlier version: test/journal/import.test.ts imports some',
    leaveOut: true,
  },
  {
    has: /^hedge journal import journal\.jsonl/,
    because: 'the export must be there, and is imported into an empty folder',
    before: ['hedge journal export journal.jsonl'],
    edit: (line) => `HEDGE_HOME="$PWD/other" ${line} --yes`,
  },
  {
    has: /^hedge audit verify \S+\.jsonl/,
    because: 'the export must be there',
    before: ['hedge journal export export.jsonl', 'hedge journal export journal.jsonl'],
  },
  {
    has: /audit checkpoint \| ssh vault/,
    because: 'there is no such machine: this one takes it',
    edit: (line) => line.replace('ssh vault', 'sh -c'),
  },
  {
    has: /audit verify --checkpoint head\.json/,
    because: 'it needs the checkpoint of the example before it',
    before: ['hedge audit checkpoint --to head.json'],
  },
  {
    has: /^hedge roll USDTNGN buy .*--at now/,
    because: 'it asks, and two hedges are open on the side here',
    before: [
      'hedge close USDTNGN buy --yes',
      'hedge open USDTNGN buy 10k --tenor 3 --deal-id PAY-8850 --yes',
    ],
    edit: confirmedRoll,
  },
  { has: /^hedge roll \S+ .*--at maturity/, because: 'it asks', edit: confirmedRoll },
  {
    has: /^hedge roll (?:run|show|drop) (?:3f9a1c2b|PAY-8841)/,
    because: 'there is no roll here, and the ID of one is random',
    before: ['hedge roll PAY-8841 --tenor 7 --at maturity --max-cost-bps 60 --yes'],
    edit: (line) => confirmedRoll(line.replace('3f9a1c2b', 'PAY-8841')),
  },
  {
    has: /^hedge cover exposures\.csv/,
    because: 'the outcome of an action is unknown here: until it is settled, no deals are proposed',
    ends: [11],
  },
  {
    has: /^hedge deals (?:check|run) cover\.csv/,
    because: 'the file is written by the line before it',
    edit: (line) => `cp deals.csv cover.csv; ${line}`,
  },
  {
    has: /^hedge reconcile(?! PAY)/,
    because: 'the outcome of an action is unknown here, and the file of finance is not that of this desk',
    ends: [7],
  },
  {
    has: /^hedge export .*--until/,
    because: 'the first snapshot of this desk may be later than that month',
    ends: [0, 11],
  },
  { has: /--expect-env live/, because: 'this is practice', ends: [10] },
];

/** The last that fits is the most particular. */
const exceptionOf = (line: string): Exception | undefined => EXCEPTIONS.findLast(({ has }) => has.test(line));

/** They ask, on a terminal, unless told not to. */
const ASKS =
  /^hedge (?:open|add|reduce|close|resume|deals run|unhalt|journal resolve|profile (?:remove|use)|practice reset|api POST \/hedges)(?!.*(?:--yes|--dry-run|--json|\||>))/;
/** They go on until somebody ends them. */
const GOES_ON = /practice serve|--watch|^hedge watch/;

const all = await everyExample();
const examples = all.filter(({ line }) => exceptionOf(line)?.leaveOut !== true);
const takesAShell = ({ line }: Example): boolean => wordsOfHedge(line) === undefined;
/** One of each command whose help shows none that takes a shell to read. */
const started = new Set(
  examples
    .filter(({ from }, at) => examples.findIndex((each) => each.from === from) === at)
    .filter(({ from }) => from.endsWith(' --help'))
    .filter(({ from }) => !examples.some((each) => each.from === from && takesAShell(each)))
    .map(({ line }) => line),
);

/** NGN per USDT: what an example comes to must not depend on the rate of the day. */
const RATES = [USUAL_RATE, 890, 2_400] as const;
/** What a deal costs now is part of it. */
const PRICED = /\bhedge (?:quote|open|add|resume|batch|deals)\b|\bapi POST \//;

interface Ended {
  end: number | NodeJS.Signals | null;
  said: string;
}

/** As it stands, or as its exception says. */
async function ends(line: string, shop: DayShell['started']): Promise<Ended> {
  const { before = [], edit } = exceptionOf(line) ?? {};
  const typed = edit?.(line) ?? line;
  if (GOES_ON.test(line)) return onTerminal(shop, typed, 'interrupted');
  if (ASKS.test(line)) return onTerminal(shop, typed, 'answered');
  return piped(shop, [...before, typed]);
}

async function piped(shop: DayShell['started'], lines: readonly string[]): Promise<Ended> {
  const { code, signal, out, err } = await shop.run(...lines);
  return { end: code ?? signal, said: out + err };
}

/** On a terminal: its question is answered with yes, or what it goes on with is ended by Ctrl-C. */
async function onTerminal(
  shop: DayShell['started'],
  line: string,
  then: 'answered' | 'interrupted',
): Promise<Ended> {
  const screen = shop.show(line);
  const [waitsFor, keys] = then === 'answered' ? [/\(y\/N\)/, 'y\r'] : [/USD|API_KEY/, '\u0003'];
  const type = (): void => screen.send(keys);
  // Some have nothing to ask here: an action that is found done, a deal id that is used.
  await Promise.race([screen.until(waitsFor).then(type, () => undefined), screen.exit]);
  const { code, signal } = await screen.exit;
  return { end: code ?? signal, said: screen.screen().join('\n') };
}

describe('every example', () => {
  it('that cannot run as printed is still one', () => {
    const unused = EXCEPTIONS.filter(({ has }) => !all.some(({ line }) => has.test(line)));
    expect(unused).toEqual([]);
    expect(examples.length).toBeGreaterThan(100);
  });

  it('names no price: it would go stale with the rate', () => {
    const texts = [...all.map(({ line }) => line), ...TEXTS.map(([, text]) => text)];
    expect(texts.flatMap((text) => text.match(/worst.price\W{1,4}\d.*/g) ?? [])).toEqual([]);
  });
});

describe('an example', { ...needs('bash'), concurrent: isStarted }, () => {
  let desks: readonly TradingDay[];
  beforeAll(async () => {
    desks = await Promise.all((IN_FULL ? RATES : RATES.slice(0, 1)).map(tradingDay));
  });
  afterAll(() => Promise.all(desks.map((desk) => desk.close())));

  for (const { line, from } of examples) {
    const tools = /\bjq\b/.test(line) ? needs('bash', 'jq') : {};
    it(`runs: ${line} (${from})`, tools, async ({ onTestFinished }) => {
      const wanted: readonly Ended['end'][] = GOES_ON.test(line)
        ? [0, 'SIGINT']
        : (exceptionOf(line)?.ends ?? [0]);
      const found: Ended[] = [];
      // oxlint-disable-next-line no-await-in-loop
      for (const desk of IN_FULL && PRICED.test(line) ? desks : desks.slice(0, 1)) {
        const shop = desk.copy(onTestFinished);
        found.push(await ends(line, started.has(line) ? shop.started : shop));
      }
      expect(found.filter(({ end }) => !wanted.includes(end))).toEqual([]);
    });
  }
});

describe('a script of the documentation', needs('bash', 'jq'), () => {
  let desk: TradingDay;
  beforeAll(async () => {
    desk = await tradingDay();
  });
  afterAll(() => desk.close());

  for (const { script, from } of everyScript())
    it(`${from} runs on practice as it is printed, and runs again`, async ({ onTestFinished }) => {
      const shop = desk.copy(onTestFinished);
      const practised = script.replace(
        'HEDGE_PROFILE=payouts HEDGE_EXPECT_ENV=live',
        'HEDGE_PROFILE=practice HEDGE_EXPECT_ENV=practice',
      );
      const payouts = "printf 'PAY-9001,10000\\nPAY-9002,5000' > payouts.csv";
      // The desk has a sell whose outcome is unknown, and payouts in naira are sells.
      const first = await shop.run('hedge check > settled.txt', payouts, practised);
      const again = await shop.run(practised);
      expect([first, again]).toMatchObject([{ code: 0 }, { code: 0 }]);
      expect(first.out).toMatch(/^\d+|hdg_/);
      if (first.out.includes('hdg_')) expect(again.out).toBe(first.out);
    });
});
