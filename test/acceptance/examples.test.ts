/**
 * Every example of help and README, run as it stands by a shell, each on a practice desk of its own in the middle
 * of its day: hedges on both sides, one settled, one action that nobody knows the end of. What cannot run as it
 * stands says here why, and what is put in its place.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DaysDesk, daysDesk, type Shop } from '../support/days-desk.ts';
import { everyExample } from '../support/examples.ts';
import { needs } from '../support/tools.ts';

/** A fault of hedge, a line that is wrong, an answer that cannot be read: no example ends so. */
const NO_EXAMPLE: readonly (number | null)[] = [1, 2, 6];
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
}

const EXCEPTIONS: readonly Exception[] = [
  { has: /^hedge open$/, because: 'asks part by part: acceptance/wizard.test.ts answers it', leaveOut: true },
  {
    has: /--log > practice.env &$/,
    because: 'serves on in the background, as the one before it',
    leaveOut: true,
  },
  {
    has: /--port 4870$/,
    because: 'the port may be taken here',
    edit: (line) => line.replace(' --port 4870', ''),
  },
  {
    has: /profile add \S+ --base-url/,
    because: 'there is a profile of that name, and no such partner: a practice service is one',
    before: ['hedge profile remove desk --yes'],
    edit: (line) => line.replace(PARTNER, '$PARTNER'),
  },
  {
    has: /^hedge profile add desk --base-url \S+( --store keychain)?( +#.*)?$/,
    because: 'the key is asked for: it comes on standard input instead',
    before: ['hedge profile remove desk --yes'],
    edit: (line) => `pass | ${line.replace(PARTNER, '$PARTNER').replace(/ +#.*/, '')} --key-stdin`,
  },
  {
    has: /^hedge open USDTNGN buy (?:10000 --tenor 3|10k --tenor 3 --dry-run)$/,
    because: 'the same was dealt a moment ago here',
    edit: (line) => `${line} --allow-duplicate`,
  },
  { has: /\b9aad\b/, because: 'the action here is 7c1e', edit: (line) => line.replace('9aad', '7c1e') },
];

/** The last that fits is the most particular. */
const exceptionOf = (line: string): Exception | undefined => EXCEPTIONS.findLast(({ has }) => has.test(line));

/** They ask, on a terminal, unless told not to. */
const ASKS =
  /^hedge (?:open|add|reduce|close|resume|unhalt|journal settle|profile (?:remove|use)|practice reset|api POST \/hedges)(?!.*(?:--yes|--dry-run|--json|\||>))/;
/** They go on until somebody ends them. */
const GOES_ON = /practice serve|--watch|^hedge watch/;

const all = await everyExample();
const examples = all.filter(({ line }) => exceptionOf(line)?.leaveOut !== true);

let desk: DaysDesk;

interface Ended {
  code: number | null;
  said: string;
}

async function piped(shop: Shop, lines: readonly string[]): Promise<Ended> {
  const { code, out, err } = await shop.run(...lines);
  return { code, said: out + err };
}

/** On a terminal: its question is answered with yes, or what it goes on with is ended by Ctrl-C. */
async function onTerminal(shop: Shop, line: string, then: 'answered' | 'interrupted'): Promise<Ended> {
  const screen = shop.show([line]);
  const [waitsFor, keys] = then === 'answered' ? [/\(y\/N\)/, 'y\r'] : [/USD|HEDGE_API_KEY/, '\u0003'];
  const type = (): void => screen.send(keys);
  // Some have nothing to ask here: an action that is found done, a deal id that is used.
  await Promise.race([screen.until(waitsFor).then(type, () => undefined), screen.exit]);
  const { code } = await screen.exit;
  return { code, said: screen.screen().join('\n') };
}

describe('every example', () => {
  it('that cannot run as it stands is still one', () => {
    const unused = EXCEPTIONS.filter(({ has }) => !all.some(({ line }) => has.test(line)));
    expect(unused).toEqual([]);
    expect(examples.length).toBeGreaterThan(100);
  });
});

describe('an example', needs('bash'), () => {
  beforeAll(async () => {
    desk = await daysDesk();
  }, 60_000);
  afterAll(() => desk.close());

  for (const { line, from } of examples) {
    const tools = /\bjq\b/.test(line) ? needs('bash', 'jq') : {};
    it.concurrent(`${line} (${from})`, tools, async ({ onTestFinished }) => {
      const shop = desk.copy(onTestFinished);
      const { before = [], edit } = exceptionOf(line) ?? {};
      const typed = edit?.(line) ?? line;
      const ended = await (GOES_ON.test(line)
        ? onTerminal(shop, typed, 'interrupted')
        : ASKS.test(line)
          ? onTerminal(shop, typed, 'answered')
          : piped(shop, [...before, typed]));
      expect(NO_EXAMPLE.includes(ended.code) ? ended.said : '').toBe('');
    });
  }
});
