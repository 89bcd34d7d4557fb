/**
 * S14, S15, S16: what a service writes is text and nothing more. It repeats the key in any spelling and nobody sees the
 * key; its words are names that every object has and nothing breaks; it writes without end or break and nothing hangs,
 * fills the memory, or looks like a line of the program.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { EXIT_CODES, EXIT_INTERNAL_ERROR } from '../../src/cli/exit-codes.ts';
import { filesWithCanary, holdsCanary } from '../support/canary.ts';
import { SANDBOX_KEY, wayTo } from '../support/cli-for.ts';
import { treasuryLines } from '../support/exposure-files.ts';
import { expectHeld, SOAKING, spread } from '../support/goal.ts';
import { type HostileService, hostileService, type Temper } from '../support/hostile-service.ts';
import { openHedge, runHedge } from '../support/in-process.ts';
import { IN_JSON, IN_TEXT } from '../support/key-spellings.ts';
import { measured } from '../support/measured.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type Screen } from '../support/pty.ts';
import { type Ran, testCli } from '../support/test-cli.ts';

/** What the service refuses. */
const REFUSING = ['actions', 'all', undefined] as const;
const document = z.looseObject({ error: z.nullable(z.looseObject({ message: z.string() })) });
const documentIn = (text: string): z.infer<typeof document> => document.parse(JSON.parse(text));

const OPEN = 'open USDTNGN buy 10000 --tenor 3';

let service: HostileService;
beforeAll(async () => {
  service = await hostileService();
});
afterAll(() => service.close());

/** A day's lines, in the order in which each has something to show of those before it. */
const DAY: readonly string[] = [
  'markets',
  'price',
  'quote USDTNGN buy 10000',
  'hedges',
  'hedges hdg_1',
  'hedges --market USDTNGN',
  'history',
  'history --by market',
  'positions',
  ...treasuryLines(),
  'account',
  'doctor',
  `${OPEN} --deal-id PAY-2 --yes`,
  'open USDTNGN sell 1000 --tenor 3 --yes --no-wait',
  `${OPEN} --ensure --deal-id PAY-1 --yes`,
  'add USDTNGN buy 500 --yes',
  'reduce USDTNGN buy 500 --yes',
  'check',
  'wait hdg_1 --timeout 2',
  'roll USDTNGN buy --tenor 3 --at now --dry-run',
  'roll hdg_1 --tenor 3 --at maturity --yes',
  'roll run --due --yes',
  'roll show',
  'close USDTNGN buy --yes',
  'resume --yes --resend',
  'journal',
  'batch - --yes',
  '',
];
const BATCH = 'quote USDTNGN buy 10k --tenor 3\nhedges\nopen USDTNGN sell 10k --tenor 3\n';

interface Line {
  line: string;
  ran: Ran;
}

/** The day in this process: what is said in a pipe, on a terminal, or as documents. */
async function aDay(temper: Temper, form: 'pipe' | 'terminal' | '--json'): Promise<readonly Line[]> {
  const home = mkdtempSync(join(tmpdir(), 'hedge-words-'));
  try {
    const cli = testCli({ home, env: wayTo(service, home) });
    service.become(temper);
    const day: Line[] = [];
    for (const line of DAY) {
      const words = form === '--json' && line !== '' ? `${line} --json` : `${line} -v`;
      const terminal = form === 'terminal' ? { terminal: { isTTY: true, width: 80 } } : {};
      const given = line.startsWith('batch') ? { stdin: BATCH } : terminal;
      day.push({ line: words, ran: await cli.run(words, given) });
    }
    return day;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const DOCUMENTED = EXIT_CODES.filter((code) => code !== EXIT_INTERNAL_ERROR);

const brokenIn = ({ line, ran }: Line): readonly string[] => [
  ...(DOCUMENTED.includes(ran.code) ? [] : [`hedge ${line} ends with ${ran.code.toString()}: ${ran.err}`]),
  ...(/\n\s+at .+:\d+/.test(ran.err) ? [`hedge ${line} shows a stack: ${ran.err}`] : []),
];

describe('an echo of the key', () => {
  const key = 'hk_test_for/Tests+Alone&~0003';
  const lines = [
    'hedges --json -v',
    `${OPEN} --yes -v`,
    `${OPEN} --yes --json --no-wait`,
    'hedges',
    'markets',
    'account --output jsonl',
    'api GET /account -v',
    'add USDTNGN buy 500 --yes --timeout 3',
    '__complete hedges hdg',
    'journal --json',
    'check --json',
  ];
  const inText = ([name, spelled]: (typeof IN_TEXT)[number]): [string, Temper] => [
    name,
    { says: (harmless) => `${harmless} ${spelled(key)}` },
  ];
  const inJson = ([name, spelled]: (typeof IN_JSON)[number]): [string, Temper] => [
    name,
    {
      says: (harmless) => harmless + key,
      spells: (json) => json.replaceAll(key, () => spelled(key)),
      header: `Bearer ${spelled(key)}`,
    },
  ];
  const tempers = [...IN_JSON.map(inJson), ...IN_TEXT.map(inText)].flatMap(([name, temper]) =>
    REFUSING.map((refuses) => ({
      name: `${name}, refusing ${refuses ?? 'nothing'}`,
      temper: { ...temper, refuses },
    })),
  );

  it('is in no word, document, file or trace, however it is spelled', async () => {
    const wrong: string[] = [];
    const tried = spread(tempers, 5, 2);
    for (const { name, temper } of tried) {
      const home = temporaryFolder();
      const way = wayTo(service, home, key);
      service.become(temper);
      for (const line of [...lines.slice(0, 2), ...spread(lines.slice(2), 3, 2)]) {
        const ran = await runHedge(line.split(' '), { env: { ...way, HEDGE_HOME: home } });
        if (holdsCanary(key, ran.out + ran.err)) wrong.push(`${name}, hedge ${line}: ${ran.out}${ran.err}`);
        if (decoded(ran.out + ran.err).includes(key.slice(8)))
          wrong.push(`${name}, hedge ${line}, decoded: ${ran.out}${ran.err}`);
      }
      wrong.push(...filesWithCanary(key, home).map((path) => `${name}: ${path}`));
    }
    expectHeld('S14 escaped echoes of the key', { runs: tried.length, wrong });
  });

  it.each([...IN_JSON, ...IN_TEXT])('would be known where it is let through %s', (_, spelled) => {
    const let_through = `x ${spelled(key)} y`;
    expect(holdsCanary(key, let_through) || decoded(let_through).includes(key.slice(8))).toBe(true);
  });

  /** What a reader who knows the usual escapes makes of it. */
  function decoded(text: string): string {
    let last = '';
    let now = text.replace(/\u00ad|\u200d|\ufe0f/g, '');
    while (now !== last) {
      last = now;
      now = now
        .replace(/\\+u\{?([0-9a-f]{2,4})\}?|\\+x([0-9a-f]{2})/gi, (_, long: string, short: string) =>
          String.fromCharCode(Number.parseInt(long ?? short, 16)),
        )
        .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
        .replace(/&#(x?)([0-9a-f]+);/gi, (_, x: string, digits: string) =>
          String.fromCharCode(Number.parseInt(digits, x === '' ? 10 : 16)),
        )
        .replaceAll('\\/', '/');
    }
    return now;
  }
});

describe('a word that every object has', () => {
  const WORDS = [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'prototype',
    'isPrototypeOf',
    '__defineGetter__',
  ];
  const forms = ['pipe', 'terminal', '--json'] as const;
  const cases = WORDS.flatMap((word) =>
    REFUSING.flatMap((refuses) => forms.map((form) => ({ word, refuses, form }))),
  );

  it('is a word like any other, as a code, a name, an id, a status and a market', async () => {
    const wrong: string[] = [];
    const tried = spread(cases, 12, 2);
    for (const { word, refuses, form } of tried) {
      const day = await aDay({ says: () => word, refuses }, form);
      for (const each of day) {
        const told = brokenIn(each);
        const seen = each.ran.out + each.ran.err;
        const inherited = /native code|\[object |function [A-Z(]/.test(seen)
          ? [`hedge ${each.line}: ${seen}`]
          : [];
        wrong.push(...[...told, ...inherited].map((what) => `${word}, ${refuses ?? 'none'}: ${what}`));
      }
    }
    expectHeld('S15 words that every object has', { runs: tried.length * DAY.length, wrong });
  });

  it.each(WORDS.slice(0, 3))('is an exit 3 as the code of a refusal: %s', async (word) => {
    service.become({ says: () => word, refuses: 'actions' });
    const home = temporaryFolder();
    const ran = await runHedge([...OPEN.split(' '), '--yes', '--json'], {
      env: { ...wayTo(service, home, SANDBOX_KEY), HEDGE_HOME: home },
    });
    expect(ran.code).toBe(3);
    expect(JSON.parse(ran.out)).toMatchObject({ error: { code: word, effect: 'none' } });
  });
});

/** As in a table of the world's scripts: one letter of three bytes, marks without end, letters of many parts, none. */
const UNBROKEN: readonly [name: string, text: string][] = [
  ['letters', 'x'.repeat(60_000)],
  ['Chinese', '漢'.repeat(20_000)],
  ['marks', `a${'\u0301'.repeat(20_000)}`],
  ['syllables', 'क्'.repeat(10_000)],
  ['families', '👨‍👩‍👧‍👦'.repeat(2_000)],
  ['half flags', '🇳'.repeat(10_000)],
  ['joiners', `a\u200d`.repeat(10_000)],
  ['fillers', '\u3164\u00ad'.repeat(10_000)],
  ['blanks', `a${' '.repeat(60_000)}b`],
  ['blanks with marks that vanish', ' \u00ad'.repeat(20_000)],
  ['escapes', '\u001b['.repeat(20_000)],
];

const LARGEST_PEAK_MB = 200;
const MOST_CPU_MS = 4_000;
/** Of a text in words, and of a field in a document of an error. */
const MOST_IN_WORDS = 300;
const MOST_IN_FIELD = 4_096;

describe('a text without a break', () => {
  /** One string of an answer is long: with all of them, it would be larger than an answer may be. */
  const oneOf = (text: string, nth: number): Temper['says'] => {
    let at = 0;
    return (harmless) => (at++ % 20 === nth ? harmless + text : harmless);
  };
  const lines = [
    'hedges',
    `${OPEN} --yes`,
    'history',
    `${OPEN} --yes --json`,
    'positions',
    'doctor',
    'markets',
    '',
  ];
  const cases = UNBROKEN.flatMap(([name, text]) =>
    lines.flatMap((line) => [1, 2, 3, 8].map((nth) => ({ name, text, line, nth }))),
  );

  it('takes neither the memory nor the time of the machine, in a refusal or in a list', async () => {
    const wrong: string[] = [];
    const tried = spread(cases, 22, 4);
    for (const { name, text, line, nth } of tried) {
      const home = temporaryFolder();
      const env = { ...wayTo(service, home), HEDGE_HOME: home };
      service.become({ says: oneOf(text, nth), refuses: line.startsWith('open') ? 'actions' : undefined });
      const ran = await measured(line.split(' ').filter(Boolean), { env });
      const { peakMb, cpuMs } = ran.cost ?? { peakMb: 0, cpuMs: 0 };
      if (
        peakMb > LARGEST_PEAK_MB ||
        cpuMs > MOST_CPU_MS ||
        ran.code === null ||
        ran.code === EXIT_INTERNAL_ERROR
      )
        wrong.push(
          `${name}, hedge ${line}: ${JSON.stringify(ran.cost)}, ${String(ran.code)} ${ran.err.slice(0, 500)}`,
        );
    }
    expectHeld('S16 texts without a break', { runs: tried.length, wrong });
  });

  it('has an end on every screen, and in every document of an error', async () => {
    const wrong: string[] = [];
    const tried = spread(
      UNBROKEN.flatMap(([name, text]) =>
        REFUSING.flatMap((refuses) =>
          (['pipe', '--json'] as const).map((form) => ({ name, text, refuses, form })),
        ),
      ),
      10,
      3,
    );
    for (const { name, text, refuses, form } of tried) {
      // In several texts of an answer, and small enough for it.
      const day = await aDay({ says: (harmless) => harmless + text.slice(0, 5_000), refuses }, form);
      for (const each of day) {
        const long = form === 'pipe' ? longIn(each) : longFieldsIn(each);
        wrong.push(...[...brokenIn(each), ...long].map((what) => `${name}: ${what}`));
      }
    }
    expectHeld('S16 texts without a break', { runs: tried.length * DAY.length, wrong });
  });

  /** The same few characters again and again, whatever lines they were broken into. */
  function longIn({ line, ran }: Line): readonly string[] {
    // Each line of a batch is a document, which has what the service sent.
    const text = (line.startsWith('batch') ? ran.err : ran.out + ran.err).replace(/\s+/g, '');
    const [run] = /(x|漢|क्|क|🇳|a|\ufffd|\u0301)\1{400,}/u.exec(text) ?? [];
    return run === undefined ? [] : [`hedge ${line}: ${run.length.toString()} × ${run.slice(0, 2)}`];
  }

  function longFieldsIn({ line, ran }: Line): readonly string[] {
    const documents = ran.out.split('\n').filter((each) => each.startsWith('{"'));
    return documents.flatMap((text) => {
      const fields = leavesOf(documentIn(text).error);
      const long = fields.filter((each) => Buffer.byteLength(each) > MOST_IN_FIELD);
      return long.map(
        (each) =>
          `hedge ${line}: a field of ${Buffer.byteLength(each).toString()} bytes, ${each.slice(0, 60)}`,
      );
    });
  }

  const leavesOf = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return [value];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => [name, ...leavesOf(inner)]);
  };

  it(`is cut after ${MOST_IN_WORDS.toString()} characters in words, and after 4 KB in a document`, async () => {
    service.become({
      says: (harmless) => (harmless.includes(' ') ? '漢'.repeat(20_000) : harmless),
      refuses: 'actions',
    });
    const home = temporaryFolder();
    const ran = await runHedge([...OPEN.split(' '), '--yes', '--json'], {
      env: { ...wayTo(service, home), HEDGE_HOME: home },
    });
    const message = documentIn(ran.out).error?.message ?? '';
    const written = (text: string): number => text.split('漢').length - 1;
    expect(written(ran.err)).toBe(MOST_IN_WORDS - 1);
    expect(written(message)).toBeGreaterThan(1_300);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(MOST_IN_FIELD);
  });
});

/** Wherever a line is broken, this word may come next. */
const FORGED = 'FORGED';
const FORGERIES: readonly [name: string, text: string][] = [
  ['words', ` ${'FORGED '.repeat(35)}`],
  ['blanks before it', `cap${' '.repeat(70)}FORGED buy USDTNGN 10,000.00 USD`],
  ['blanks with marks before it', `cap${' \u00ad'.repeat(70)}FORGED buy USDTNGN 10,000.00 USD`],
  ['no blank before it', `${'x'.repeat(79)}${'FORGED'.repeat(30)}`],
];

describe('a text that looks like a line of the program', () => {
  it('never begins a line', async () => {
    const wrong: string[] = [];
    const tried = spread(
      FORGERIES.flatMap(([name, text]) =>
        REFUSING.flatMap((refuses) =>
          (['pipe', 'terminal'] as const).map((form) => ({ name, text, refuses, form })),
        ),
      ),
      4,
    );
    for (const { name, text, refuses, form } of tried) {
      const day = await aDay({ says: (harmless) => harmless + text, refuses }, form);
      for (const { line, ran } of day) {
        const forged = (ran.out + ran.err)
          .split('\n')
          .filter((each) => each.toUpperCase().startsWith(FORGED));
        wrong.push(...forged.map((each) => `${name}, ${form}, hedge ${line}: ${each}`));
      }
    }
    expectHeld('S5 texts that look like a line of the program', { runs: tried.length * DAY.length, wrong });
  });

  const SESSIONS: readonly [name: string, words: string, act: (screen: Screen) => Promise<void>][] = [
    ['the screen of a desk', 'watch', quits(/q quits/)],
    ['a list that is watched', 'hedges --watch 1', quits(/Every 1 s/)],
    ['a spinner and its refusal', `${OPEN} --yes`, async () => undefined],
    [
      'the wizard',
      'open',
      async (screen) => {
        await screen.until(/^\? Market\n/m);
        screen.send('\x03');
      },
    ],
  ];

  it.each(SESSIONS)('never begins a line of a whole terminal under %s', async (_, words, act) => {
    const wrong: string[] = [];
    const texts = SOAKING ? FORGERIES : FORGERIES.slice(0, 1);
    for (const [name, text] of texts) {
      const home = temporaryFolder();
      const env = { ...wayTo(service, home), HEDGE_HOME: home };
      const refuses = words.startsWith(OPEN) ? 'actions' : undefined;
      service.become({
        says: (harmless) => harmless + text,
        refuses,
        slowMs: refuses === undefined ? 0 : 200,
      });
      const screen = openHedge(words.split(' '), { env, columns: 80, rows: 40, inRealTime: true });
      await act(screen);
      await screen.exit;
      const forged = screen.screen().filter((each) => each.startsWith(FORGED));
      wrong.push(...forged.map((each) => `${name}: ${each}\n${screen.screen().join('\n')}`));
    }
    expectHeld('S5 texts that look like a line of the program', { runs: texts.length, wrong });
  });

  function quits(shows: RegExp) {
    return async (screen: Screen): Promise<void> => {
      await screen.until(shows);
      screen.send('q');
    };
  }
});
