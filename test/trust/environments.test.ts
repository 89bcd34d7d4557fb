/**
 * S9: real money and none are never taken for one another: what is promised is held before anything is sent, what a
 * profile is called says nothing, a key of no known kind goes nowhere, and every result says whose it is.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectHeld } from '../support/goal.ts';
import { keyHome } from '../support/key-home.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { type Ran, testCli } from '../support/test-cli.ts';

const GOAL = 'S9 environments mixed up';

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook(WITHOUT_LIMIT);
});
beforeEach(() => served.reset());
afterAll(() => served.close());

const KINDS = [
  { book: 'live', environment: 'live', says: 'LIVE' },
  { book: 'test', environment: 'sandbox', says: 'SANDBOX' },
] as const;

const LINES: readonly string[] = [
  'account',
  'markets',
  'quote USDTNGN buy 10k --tenor 3',
  'hedges',
  'positions',
  'history',
  'api GET /account',
  'check',
  'open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --any-price --yes',
  'close USDTNGN buy --yes',
];
const ACTIONS = LINES.filter((line) => line.endsWith('--yes'));

const asked = (): number => served.desk.log.length;
const environmentIn = (ran: Ran): unknown => JSON.parse(ran.out).meta.environment;

describe('an environment', () => {
  it.each(KINDS)(
    'of $environment is named by every result and above every question',
    async ({ book, environment, says }) => {
      const cli = testCli({ env: served.way(temporaryFolder(), book) });
      const wrong: string[] = [];
      for (const line of LINES) {
        const shown = await cli.run(line.replace('--yes', '').trim(), {
          terminal: { isTTY: true },
          answer: '\r',
        });
        const text = shown.out + shown.err;
        if (!text.includes(says) || KINDS.some((other) => other.says !== says && text.includes(other.says)))
          wrong.push(`${line}: ${text.slice(0, 300)}`);
        const document = await cli.run(`${line} --json --expect-env ${environment}`);
        if (environmentIn(document) !== environment)
          wrong.push(`${line} --json: ${document.out.slice(0, 300)}`);
      }
      expectHeld(GOAL, { runs: LINES.length * 2, wrong });
    },
  );

  it.each(
    KINDS.flatMap((kind) => ['live', 'sandbox', 'practice'].map((promised) => ({ ...kind, promised }))),
  )(
    '$environment, $promised having been promised, is held to the promise before anything is sent',
    async ({ book, environment, promised }) => {
      const wrong: string[] = [];
      for (const line of LINES)
        for (const by of ['option', 'variable'] as const) {
          const env = {
            ...served.way(temporaryFolder(), book),
            ...(by === 'variable' ? { HEDGE_EXPECT_ENV: promised } : {}),
          };
          const before = asked();
          const ran = await testCli({ env }).run(
            `${line} --json${by === 'option' ? ` --expect-env ${promised}` : ''}`,
          );
          const isKept = environment === promised;
          const told = `${line} by ${by}: ${ran.code.toString()} ${ran.err}`;
          if (isKept ? ran.code === 10 && ran.out.includes('env_mismatch') : ran.code !== 10)
            wrong.push(told);
          if (!isKept && asked() > before) wrong.push(`it was sent: ${told}`);
        }
      expectHeld(GOAL, { runs: LINES.length * 2, wrong });
    },
  );

  it.each(['live', 'LIVE-desk', 'production', 'real-money'])(
    'does not follow from the name of a profile: %s',
    async (name) => {
      const way = served.way('');
      const home = keyHome(way);
      const env = { HEDGE_HOME: home, HEDGE_CA_FILE: way['HEDGE_CA_FILE'] ?? '' };
      const cli = testCli({ home, env });
      const added = await cli.run(
        `profile add ${name} --base-url ${way['HEDGE_BASE_URL'] ?? ''} --key-stdin`,
        {
          stdin: way['HEDGE_API_KEY'] ?? '',
        },
      );
      expect(added).toMatchObject({ code: 0, out: expect.stringContaining('sandbox') });
      const ran = await cli.run(`account --profile ${name} --json`);
      const promised = await cli.run(`account --profile ${name} --json --expect-env live`);
      const wrong = [
        ...(environmentIn(ran) === 'sandbox' ? [] : [ran.out]),
        ...(promised.code === 10 ? [] : [promised.err]),
      ];
      expectHeld(GOAL, { runs: 2, wrong });
    },
  );

  it.each(['practice', 'env'])('cannot be hidden behind the name of another: %s', async (name) => {
    const way = served.way('');
    const ran = await testCli().run(
      `profile add ${name} --base-url ${way['HEDGE_BASE_URL'] ?? ''} --key-stdin`,
      {
        stdin: way['HEDGE_API_KEY'] ?? '',
      },
    );
    expectHeld(GOAL, {
      runs: 1,
      wrong: ran.code === 2 && asked() === 0 ? [] : [`${ran.code.toString()} ${ran.err}`],
    });
  });
});

describe('a key', () => {
  it.each([
    'hk_prod_forTestsAlone0001',
    'hk_demo_forTestsAlone0001',
    'hk_livetest_forTestsAlone01',
    'sk-forTestsAlone0001',
    'live',
    'hk_LIVE_forTestsAlone0001',
    '_live_forTestsAlone0001',
    'hk_live_',
  ])('of no known kind goes nowhere: %s', async (key) => {
    const wrong: string[] = [];
    for (const line of LINES) {
      const env = { ...served.way(temporaryFolder()), HEDGE_API_KEY: key };
      const ran = await testCli({ env }).run(`${line} --json`);
      if (ran.code !== 4 && ran.code !== 2) wrong.push(`${line}: ${ran.code.toString()} ${ran.err}`);
    }
    if (asked() > 0) wrong.push(`${asked().toString()} requests came`);
    expectHeld(GOAL, { runs: LINES.length, wrong });
  });

  it.each<[string, (way: Record<string, string>) => Record<string, string>]>([
    ['its address alone', ({ HEDGE_BASE_URL: url = '' }) => ({ HEDGE_BASE_URL: url })],
    ['the key alone', ({ HEDGE_API_KEY: key = '' }) => ({ HEDGE_API_KEY: key })],
    ['both, and a profile', (way) => ({ ...way, HEDGE_PROFILE: 'desk' })],
    ['both, and practice', (way) => ({ ...way, HEDGE_PROFILE: 'practice' })],
    ['nothing', () => ({})],
  ])('is not made up of two: %s', async (_, given) => {
    const wrong: string[] = [];
    for (const line of LINES) {
      const { HEDGE_HOME: _home, ...way } = served.way('', 'live');
      const ran = await testCli({ env: given(way) }).run(`${line} --json`);
      if (ran.code !== 4 && ran.code !== 2) wrong.push(`${line}: ${ran.code.toString()} ${ran.err}`);
    }
    if (asked() > 0) wrong.push(`${asked().toString()} requests came`);
    expectHeld(GOAL, { runs: LINES.length, wrong });
  });

  it('to real money trades unattended only where live was promised, and more than its --yes was said', async () => {
    const wrong: string[] = [];
    const env = served.way(temporaryFolder(), 'live');
    const lines = [
      ...ACTIONS,
      ...ACTIONS.map((line) => `${line.replace(/ --(?:deal-id PAY-1|any-price)/g, '')} --expect-env live`),
    ];
    for (const line of lines.filter((each) => !(each.startsWith('close') && each.includes('expect')))) {
      const ran = await testCli({ env }).run(`${line} --json`);
      if (ran.code !== 2) wrong.push(`${line}: ${ran.code.toString()} ${ran.err}`);
    }
    if (served.changes().length > 0) wrong.push('something was dealt');
    expectHeld(GOAL, { runs: lines.length, wrong });
  });
});
