/**
 * A service gone mad, over all commands that ask one: no stack, no hang, an exit code that is documented, one
 * document, and no action called not done that was done. What an answer may weigh is held in memory too.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT_CODES, EXIT_INTERNAL_ERROR } from '../../src/cli/exit-codes.ts';
import { coverLine, dealsFile } from '../support/exposure-files.ts';
import { type FaultSetup, faultSetup, isDocument, told } from '../support/faults/fault-case.ts';
import { type Rewriting, type Road, TRANSPORTS } from '../support/faults/fault-proxy.ts';
import { CALM } from '../support/faults/faults.ts';
import { mutated } from '../support/faults/mutations.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { type Ran, testCli } from '../support/test-cli.ts';

/** Of the machine's own time; the program's costs nothing. */
const HANGS_MS = 300_000;
const DOCUMENTED = EXIT_CODES.filter((code) => code !== EXIT_INTERNAL_ERROR);

const LINES: readonly string[] = [
  'markets',
  'price',
  'price USDTNGN',
  'quote USDTNGN buy 10000',
  'quote USDTNGN sell 10000 --tenor 3 --worst-price 1500',
  'hedges',
  'hedges PAY-1',
  'history',
  'positions',
  'maturities',
  'what-if --move +10%',
  coverLine(),
  'quote USDTNGN buy --ngn 15m --tenor 3',
  'quote USDTNGN sell --max',
  'quote USDTNGN --sizes 1k,2k --tenor all',
  'deals check DEALS',
  'deals run DEALS --yes',
  'open USDTNGN buy --ngn 3m --tenor 3 --deal-id PAY-2 --ensure --yes',
  'add USDTNGN buy --to 20k --yes',
  'account',
  'doctor',
  'api GET /account',
  'open USDTNGN buy 1000 --tenor 3 --deal-id PAY-2 --ensure --yes',
  'open USDTNGN sell 1000 --tenor 1 --yes --no-wait',
  'add USDTNGN buy 500 --yes',
  'reduce USDTNGN buy 500 --yes',
  'reduce USDTNGN buy --by 50% --yes',
  'roll USDTNGN buy --tenor 3 --at now --yes',
  'roll PAY-1 --tenor 3 --at maturity --yes',
  'roll run --due --yes',
  'roll show',
  'close USDTNGN buy --yes',
  'close USDTNGN sell --if-open --yes',
  'check',
  'resume --yes --resend',
];

const files = temporaryFolder(afterAll);
let desk: FaultSetup;
beforeAll(async () => {
  desk = await faultSetup();
});
beforeEach(() => desk.served.reset());
afterAll(() => desk.close());

interface Asked {
  line: string;
  road: Road;
  /** The answer of this number goes mad, and those after it where `onward`. */
  nth: number;
  onward: boolean;
  seed: number;
}

const askedOf = (seed: number): Asked => {
  const { fraction } = seededRandom(seed);
  const below = (count: number): number => Math.floor(fraction() * count);
  return {
    line: (LINES[seed % LINES.length] ?? 'account')
      .replace('PAY-2', `PAY-${seed.toString()}`)
      .replace('DEALS', () => dealsFile(`DEAL-${seed.toString()}`, files)),
    road: TRANSPORTS[below(TRANSPORTS.length)] ?? 'direct',
    nth: below(4),
    onward: below(4) > 0,
    seed,
  };
};

const acts = (): number =>
  desk.served.changes().filter(({ status, replayed }) => status < 300 && replayed !== true).length;

async function answered(
  asked: Pick<Asked, 'line' | 'road' | 'seed'>,
  rewriting: Rewriting,
  run = (program: ReturnType<typeof testCli>, words: string) => program.run(words),
): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), 'hedge-hostile-'));
  try {
    const caFile = join(home, 'ca.pem');
    writeFileSync(caFile, desk.proxy.ca, { mode: 0o600 });
    const env = { ...desk.proxy.way(home, asked.road), HEDGE_CA_FILE: caFile };
    const program = testCli({ home, clock: desk.clock, random: seededRandom(asked.seed), env });
    // Something to look at, and to resume.
    if (asked.line.startsWith('check') || asked.line.startsWith('resume')) {
      desk.proxy.begin({ faults: { ...CALM.faults, send: ['reset before'] }, forever: true }, () => true);
      await program.run('open USDTNGN buy 1000 --tenor 3 --yes --json');
    }
    const before = acts();
    desk.proxy.begin(CALM, () => false);
    desk.proxy.rewrite(rewriting);
    const ran = await unlessItHangs(run(program, `${asked.line} --json`));
    return ran === undefined ? ['it hangs'] : against(ran, acts() - before);
  } finally {
    desk.proxy.rewrite(undefined);
    rmSync(home, { recursive: true, force: true });
  }
}

function against(ran: Ran, done: number): readonly string[] {
  const wrong: string[] = [];
  if (!DOCUMENTED.includes(ran.code)) wrong.push(`its exit code is not documented: ${told(ran)}`);
  if (!isDocument(ran)) wrong.push(`it prints no document: ${told(ran)}`);
  if (/\n\s+at .+:\d+:\d+|node:internal/.test(ran.out + ran.err))
    wrong.push(`it shows a stack: ${told(ran)}`);
  if (/"effect":"none"/.test(ran.out) && done > 0) wrong.push(`done, and said not to be: ${told(ran)}`);
  if ('polluted' in {}) wrong.push('what every object is made from was changed');
  return wrong;
}

function unlessItHangs<T>(running: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), HANGS_MS);
  });
  return Promise.race([running, hung]).finally(() => clearTimeout(timer));
}

describe('a hostile service', () => {
  it('gets from every command one document and an exit code that is documented', async () => {
    const wrong: string[] = [];
    const wanted = howMany(300, 10_500);
    let mad = 0;
    for (let seed = 0; mad < wanted; seed++) {
      const asked = askedOf(seed);
      const names: string[] = [];
      let answers = 0;
      const found = await answered(asked, (reply) => {
        const number = answers++;
        if (number < asked.nth || (number > asked.nth && !asked.onward)) return undefined;
        const { name, bytes } = mutated(reply, seed * 101 + number);
        names.push(name);
        return bytes;
      });
      mad += names.length;
      wrong.push(...found.map((what) => `${JSON.stringify(asked)}, ${names.join(', ')}: ${what}`));
      if (seed % 500 === 499) await desk.served.reset();
    }
    expectHeld('R11 S8 hostile answers × commands', { runs: mad, wrong });
  });

  it.each(['', '.', '..', 'history', 'close'])(
    'cannot have an open called undone by the id %j, which nobody could ask for',
    async (id) => {
      const line = 'open USDTNGN buy 1000 --tenor 3 --yes';
      const found = await answered({ line, road: 'direct', seed: 1 }, (reply) => {
        const body = reply.body.toString().replaceAll(/"hdg_\w+"/g, JSON.stringify(id));
        const head = `HTTP/1.1 ${String(reply.status)} X\r\ncontent-length: ${String(Buffer.byteLength(body))}`;
        return Buffer.from(`${head}\r\nconnection: close\r\n\r\n${body}`);
      });
      expect(found).toEqual([]);
    },
  );

  it.each(TRANSPORTS)(
    'cannot fill the memory by a response without end, over the %s transport',
    async (road) => {
      const piece = Buffer.alloc(65_536, 0x20);
      let pieces = 0;
      function* endless() {
        yield Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n');
        for (; pieces < 10_000; pieces++) yield piece;
      }
      const before = process.memoryUsage().rss;
      expect(await answered({ line: 'account', road, seed: 1 }, endless)).toEqual([]);
      const mb = (bytes: number): number => bytes / 1_048_576;
      // Each of four tries may leave some megabytes in the buffers of the system.
      expect(mb(pieces * piece.length)).toBeLessThan(64);
      expect(mb(process.memoryUsage().rss - before)).toBeLessThan(150);
    },
  );

  it.each([
    ['lists in lists', '['.repeat(500_000)],
    ['objects in objects', '{"a":'.repeat(200_000)],
    ['a million names', `{${Array.from({ length: 90_000 }, (_, at) => `"k${at.toString()}":0`).join(',')}}`],
  ])('is not followed into %s', async (_, body) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length.toString()}\r\n\r\n`;
    const before = process.cpuUsage();
    const found = await answered({ line: 'account', road: 'direct', seed: 1 }, () =>
      Buffer.from(`${head}${body}`),
    );
    expect(found).toEqual([]);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });

  it.each<[string, RegExp, (ran: Ran) => Ran]>([
    ['dies of it', /not documented/, (ran) => ({ ...ran, code: 1 })],
    ['shows its stack', /shows a stack/, (ran) => ({ ...ran, err: '\n    at read (/a/b.js:1:2)\n' })],
    ['prints nothing', /no document/, (ran) => ({ ...ran, out: '' })],
    ['prints two documents', /no document/, (ran) => ({ ...ran, out: ran.out + ran.out })],
    [
      'calls done what is not',
      /said not to be/,
      (ran) => ({ ...ran, out: ran.out.replaceAll('"unknown"', '"none"') }),
    ],
  ])('is caught in a program that %s', async (_, says, broken) => {
    const asked = (seed: number) =>
      ({ line: 'open USDTNGN buy 1000 --tenor 3 --yes', road: 'direct', seed }) as const;
    const mad: Rewriting = (_reply, line) =>
      line === 'POST /hedges' ? Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}') : undefined;
    expect(await answered(asked(says.source.length), mad)).toEqual([]);
    const found = await answered(asked(1_000 + says.source.length), mad, async (program, words) =>
      broken(await program.run(words)),
    );
    expect({ found: found.join('\n'), changes: desk.served.changes().slice(-5) }).toMatchObject({
      found: expect.stringMatching(says),
    });
  });
});
