/**
 * S5: whatever stands in a string of the service, in whichever answer to whichever command, a terminal shows it and
 * does nothing else: a terminal emulator judges the bytes of the whole program.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { wayTo } from '../support/cli-for.ts';
import { treasuryLines } from '../support/exposure-files.ts';
import { aQuarterOf, expectHeld, howMany } from '../support/goal.ts';
import { type HostileService, hostileService, type Says, type Temper } from '../support/hostile-service.ts';
import { openBuilt, openHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type Screen } from '../support/pty.ts';
import { ATTACKS, FORGERIES, WIDE } from '../support/terminal-attacks.ts';
import { cellsOf, effectsOfRun } from '../support/terminal-effects.ts';
import { type Ran, testCli } from '../support/test-cli.ts';

const GOAL = 'S5 hostile strings × commands on a terminal';
const TEXTS = [...ATTACKS, ...FORGERIES].map(([, text]) => text);
/** Wider than any line: a broken one would begin with whatever word comes next. */
const WIDTH = 390;
const CALM: Temper = { says: (harmless) => harmless };

/** A day's lines, in the order in which each has something to show of those before it. */
const DAY: readonly string[] = [
  'markets',
  'price',
  'quote USDTNGN buy 10000',
  'quote USDTNGN buy 10000 --tenor 3',
  'hedges',
  'hedges hdg_1',
  'hedges --csv',
  'hedges --output jsonl',
  'hedges --json',
  'hedges --query data[].id',
  'history',
  'history --by market',
  'positions',
  ...treasuryLines(),
  'account',
  'account --json',
  'doctor',
  'api GET /account',
  'open USDTNGN buy 10000 --tenor 3 --deal-id PAY-2',
  'open USDTNGN buy 1000 --tenor 3 --yes --no-wait',
  'open USDTNGN buy 2000 --tenor 3 --yes --json -v',
  'add USDTNGN buy 500 --yes',
  'reduce USDTNGN buy 500 --yes',
  'roll hdg_1 --tenor 3 --at maturity --yes',
  'roll show',
  'check',
  'wait hdg_1 --timeout 2',
  'close USDTNGN buy',
  'close USDTNGN buy --yes',
  'resume --yes --resend',
  'journal',
  'journal --json',
  'batch - --yes',
  '',
];
const BATCH = 'quote USDTNGN buy 10k --tenor 3\nhedges\nopen USDTNGN sell 10k --tenor 3\n';

let service: HostileService;
let calm: string;
beforeAll(async () => {
  service = await hostileService();
  calm = (await aDay(CALM)).map(({ out, err }) => err + out).join('');
});
afterAll(() => service.close());

/** Every line of the day at a terminal, answered no where a question is asked. */
async function aDay(temper: Temper, lines = DAY, width = WIDTH): Promise<readonly Ran[]> {
  const home = mkdtempSync(join(tmpdir(), 'hedge-terminal-'));
  try {
    const cli = testCli({ home, env: wayTo(service, home) });
    const ran: Ran[] = [];
    service.become(temper);
    for (const line of lines) {
      const batch = { stdin: BATCH, terminal: { width, env: { FORCE_COLOR: '1' } } };
      const asks = /^(?:open|close)(?!.*--yes)/.test(line) ? { answer: 'n\r' } : {};
      const given = line.startsWith('batch') ? batch : { ...asks, terminal: { width, isTTY: true } };
      ran.push(await cli.run(line, given));
    }
    return ran;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What the day's bytes did that those of a calm day do not. */
async function wrongIn(day: readonly Ran[], name: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [at, { out, err, code }] of day.entries())
    for (const text of [out, err].filter((each) => each !== '')) {
      const effects = await effectsOfRun(text, { ours: calm });
      const told = `${name}, hedge ${DAY[at] ?? ''} (${code.toString()})`;
      if (effects.length > 0)
        wrong.push(`${told}: ${effects.join('; ')}: ${JSON.stringify(text).slice(0, 600)}`);
    }
  return wrong;
}

/** Each string that is said is the next of the attacks, from the one of that number. */
function attacks(from: number): Says {
  let next = from;
  return (harmless) => harmless + (TEXTS[next++ % TEXTS.length] ?? '');
}

/** What was there shows that it was: a mark in its place, or the character spelled out. */
const showsAttacks = ({ out, err }: Ran): boolean => /\ufffd|\\u/.test(out + err);

async function expectUntouched(tempers: readonly Temper[], fewestThatShow: number): Promise<void> {
  const wrong: string[] = [];
  for (const [number, temper] of tempers.entries()) {
    const day = await aDay(temper);
    wrong.push(...(await wrongIn(day, `day ${number.toString()}`)));
    expect(day.filter(showsAttacks).length).toBeGreaterThanOrEqual(fewestThatShow);
  }
  expectHeld(GOAL, { runs: tempers.length * DAY.length, wrong });
}

/** Each place is told every third of them. */
const MANY = Math.ceil(TEXTS.length / 3);
const days = (few: number, many: number): readonly number[] => [...Array(howMany(few, many)).keys()];

describe('a terminal', () => {
  it('is not touched by any string of any answer', async () => {
    const tempers = days(3, MANY).map((day) => ({ says: attacks(day * 17) }));
    await expectUntouched(tempers, 22);
  });

  it.each(['all', 'actions'] as const)('is not touched by the words of a refusal of %s', async (refuses) => {
    const tempers = days(2, MANY).map((day) => ({ says: attacks(day * 17), refuses }));
    await expectUntouched(tempers, 12);
  });

  it('is not touched by what stands where a number, a side or an instant should', async () => {
    const tempers = days(3, 40).map((day) => ({ says: attacks(day), spoils: day * 7 }));
    await expectUntouched(tempers, 0);
  });

  it('would be seen to be touched by each of them', async () => {
    const [first] = await aDay(CALM, ['markets']);
    if (first === undefined) throw new Error('there is no first line');
    for (const text of TEXTS) {
      const through = { ...first, out: first.out.replace('USDTKES', `USDTKES${text}`) };
      expect({ text, seen: await wrongIn([through], 'let through') }).toEqual({
        text,
        seen: [expect.stringContaining('let through, hedge markets')],
      });
    }
  });

  it.each(WIDE)('keeps its columns where %s stands in one', async (_, wide) => {
    const [list] = await aDay({ says: (harmless) => harmless + wide }, ['hedges'], 300);
    const lines = await cellsOf(list?.out ?? '', 300);
    const wordAt = (line: readonly string[], at: number): string =>
      line
        .slice(at, at + 4)
        .join('')
        .trim();
    const head = lines.findIndex((line) => line.join('').includes('SIDE'));
    const at = lines[head]?.findIndex((_cell, column) => wordAt(lines[head] ?? [], column) === 'SIDE') ?? -1;
    const sides = lines.slice(head + 1).map((line) => wordAt(line, at));
    expect(sides.filter((side) => side === 'buy' || side === 'sell')).toHaveLength(3);
  });
});

const ENTER = '\r';
const SESSIONS: readonly [name: string, words: string, act: (screen: Screen) => Promise<void>][] = [
  [
    'the wizard',
    'open',
    async (screen) => {
      const steps: readonly [RegExp, string][] = [
        [/^\? Market\n/m, ENTER],
        [/^\? Side: buy or sell/m, `buy${ENTER}`],
        [/^\? Notional/m, `10k${ENTER}`],
        [/^\? Tenor\n/m, ENTER],
        [/^\? Worst price/m, ENTER],
        [/^\? Deal ID/m, ENTER],
        [/\(y\/N\)/m, `n${ENTER}`],
      ];
      for (const [shows, answer] of steps) {
        await screen.until(shows);
        screen.send(answer);
      }
    },
  ],
  ['a list that is watched', 'hedges --watch 1', quits(/hdg_2[^]*Every 1 s|q quits/)],
  ['the screen of a desk', 'watch', quits(/q quits/)],
  ['a spinner', 'open USDTNGN buy 1000 --tenor 3 --yes --allow-duplicate --timeout 4', async () => undefined],
  ['a spinner that wait for the outcome', 'close USDTNGN buy --yes --timeout 4', async () => undefined],
];

function quits(shows: RegExp) {
  return async (screen: Screen): Promise<void> => {
    await screen.until(shows);
    screen.send('q');
  };
}

/** Every day the wizard's is a real one, in full all are. */
describe('a whole terminal', () => {
  it.each(SESSIONS)('is not touched under %s, nor by what is completed afterwards', async (_, words, act) => {
    const wrong: string[] = [];
    let ours = '';
    const home = temporaryFolder();
    const env = { ...wayTo(service, home), HEDGE_HOME: home };
    const offsets = days(1, 9);
    for (const day of [undefined, ...offsets]) {
      const says = day === undefined ? CALM.says : attacks(day * 17);
      // Long enough for a spinner to be drawn.
      service.become({ says, slowMs: words === 'open' ? 0 : 200 });
      const screen = (words === 'open' ? openBuilt : openHedge)(words.split(' '), {
        env,
        columns: WIDTH,
        rows: 60,
        inRealTime: true,
      });
      await act(screen);
      await screen.exit;
      if (day === undefined) ours = screen.raw() + calm;
      const effects = await effectsOfRun(screen.raw(), { ours, columns: WIDTH, rows: 60, isCooked: true });
      if (screen.cursorHidden()) effects.push('no cursor');
      wrong.push(...effects.map((effect) => `${effect}: ${JSON.stringify(screen.raw()).slice(0, 900)}`));
    }
    for (const line of aQuarterOf(['quote U', 'hedges h', 'hedges --deal-id=', 'check h'])) {
      const { out } = await runBuilt(['__complete', ...line.split(' ')], { env });
      wrong.push(...(await effectsOfRun(out.replaceAll('\t', ' '))));
    }
    expectHeld(GOAL, { runs: offsets.length, wrong });
  });
});
