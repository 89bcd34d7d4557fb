import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { practiceIdentity } from '../../src/journal/account-identity.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import type { Clock } from '../../src/platform/clock.ts';
import {
  ACCEPTED,
  anIntent,
  DONE,
  FAILED,
  FILLED,
  idOf,
  NOT_SEEN,
  NOT_SENT,
  REFUSED,
  SENDING,
  step,
  UNKNOWN,
} from '../journal/records.ts';
import { SANDBOX_KEY } from '../support/cli-for.ts';
import { csvLines } from '../support/csv.ts';
import { steadyClock } from '../support/steady-clock.ts';
import { ON_A_TERMINAL, quickClock, type TestCli, testCli } from '../support/test-cli.ts';
import {
  damageJournal,
  journalText,
  makeNewerJournal,
  rewindJournal,
  writeJournal,
} from '../support/written-journal.ts';

type Step = Parameters<typeof step>[0];
const PRACTICE = { identity: practiceIdentity('book-1'), profile: 'practice' };

/** An action that took these steps, a second apart. */
const action = (
  id: string,
  parts: Parameters<typeof anIntent>[0],
  ...steps: readonly Step[]
): readonly JournalRecord[] => [
  anIntent({ action_id: idOf(id), ...parts }),
  ...steps.map((each, index) => step(each, id, index + 1)),
];

/** Four actions of the day: a fill, a close without an answer in practice, an addition in flight, a refusal. */
const DAY = [
  ...action('aaaa', { deal_id: 'PAY-1', client_reference: 'PAY-1' }, SENDING, ACCEPTED, FILLED),
  ...action('bbbb', { action: 'close', side: 'sell', ...PRACTICE }, SENDING, UNKNOWN),
  ...action('cccc', { action: 'add', at: '2026-11-21T00:00:00.000Z' }, SENDING, {
    kind: 'accepted',
    by: 'answer',
  }),
  ...action('dddd', { market: 'USDTGHS' }, SENDING, REFUSED),
];

function scriptedClient(records: readonly JournalRecord[], clock?: Clock): TestCli {
  const cli = testCli(clock && { clock });
  writeJournal(cli.home, records);
  return cli;
}

/** Of the week of those actions: a time of another year is wider. */
const THAT_WEEK = quickClock(() => Date.parse('2026-11-22T09:00:00Z'));

const SCREEN = { terminal: { width: 80, isTTY: { stdout: true } }, env: { NO_COLOR: '1' } };
const CHANGED = { kind: 'outcome', outcome: 'changed', facts: {} } as const;

/** A terminal of 110 columns without colour. */
const WIDE = { terminal: { width: 110, isTTY: { stdout: true } }, env: { NO_COLOR: '1' } };

const idsIn = (document: unknown): string[] =>
  [...JSON.stringify(document).matchAll(/"short_id":"([0-9a-f]+)"/g)].map((match) => match[1] ?? '');

describe('hedge journal', () => {
  it('shows what was sent from this machine under every profile, newest first, without a key or a profile', async () => {
    const ran = await scriptedClient(DAY).run('journal', WIDE);
    expect(ran.code).toBe(0);
    const rows = ran.out.split('\n').filter((row) => /^[a-d]{4} /.test(row));
    expect(rows.map((row) => row.slice(0, 4))).toEqual(['dddd', 'cccc', 'bbbb', 'aaaa']);
    expect(rows[3]).toMatch(/LIVE · desk +open USDTNGN buy +10,000\.00 +filled +PAY-1 +hdg_1/);
    expect(rows[2]).toMatch(/PRACTICE +close USDTNGN sell +— +UNKNOWN/);
    expect(ran.out).toContain('hedge --profile practice check bbbb');
    expect(ran.out).toContain('hedge --profile desk wait cccc');
    expect(ran.err).toBe('');
  });

  it('stays a table at 80 columns, with deal IDs: the environment and the hedge are hidden first', async () => {
    const lines = [
      ...action('aaaa', { ...PRACTICE, deal_id: 'PAY-1' }, SENDING, ACCEPTED, FILLED),
      ...action('bbbb', { ...PRACTICE, deal_id: 'INV-2026-11-0042' }, SENDING, UNKNOWN),
      ...action('cccc', { ...PRACTICE, action: 'reduce' }, SENDING, ACCEPTED, CHANGED),
      ...action('dddd', { ...PRACTICE, action: 'add' }, SENDING, ACCEPTED, CHANGED),
    ];
    const { out } = await scriptedClient(lines, THAT_WEEK).run('journal', SCREEN);
    expect(out).toMatch(/^ID +TIME UTC +ACTION +NOTIONAL +OUTCOME +DEAL ID$/m);
    expect(out).toMatch(/^aaaa .* PAY-1$/m);
    expect(out).toMatch(/^bbbb .* UNKNOWN +INV-2026-11-0042$/m);
    expect(out).toMatch(/^cccc .* reduced +—$/m);
    expect(out).toMatch(/^dddd .* added +—$/m);
    expect(out).toContain('Hidden columns: ENVIRONMENT, HEDGE. Show them: --wide');
    const data = (await scriptedClient(lines).run('journal --json')).document();
    expect(data).toMatchObject({ data: [{ outcome: 'changed' }, { outcome: 'changed' }, {}, {}] });
  });

  it('keeps the environment where live and practice are in one list', async () => {
    const { out } = await scriptedClient(DAY, THAT_WEEK).run('journal', SCREEN);
    expect(out).toMatch(/^aaaa .* LIVE · desk +open/m);
    expect(out).toMatch(/^bbbb .* PRACTICE +close/m);
    expect(out).toContain('Hidden columns: HEDGE. Show them: --wide');
  });

  it.each([80, 100])('keeps profiles of one environment apart at %i columns, and the time', async (width) => {
    const operator = { name: 'Adaeze Okonkwo', user: 'adaeze', host: 'desk' };
    const by = (profile: string) => ({ ...PRACTICE, profile, operator, deal_id: 'INV-2026-11-0042' });
    const lines = [
      ...action('aaaa', by('practice'), SENDING, ACCEPTED, FILLED),
      ...action('bbbb', by('practice-live'), SENDING, ACCEPTED, FILLED),
    ];
    const { out } = await scriptedClient(lines, THAT_WEEK).run('journal', {
      ...SCREEN,
      terminal: { ...SCREEN.terminal, width },
    });
    expect(out).toMatch(/^ID +TIME UTC +ENVIRONMENT +ACTION/m);
    expect(out).toMatch(/^aaaa .* PRACTICE +open/m);
    expect(out).toMatch(/^bbbb .* PRACTICE ·(?: practice-live)? +open/m);
  });

  it('without a match in a span of time says by which clock the journal goes', async () => {
    const cli = scriptedClient(DAY, THAT_WEEK);
    const CLOCK =
      'The journal goes by the time of this machine, not of the service: now 2026-11-22T09:00:00Z.';
    for (const span of ['--day 2026-12-02', '--since 2026-12-01'])
      expect((await cli.run(`journal ${span}`)).out.replaceAll(/\s+/g, ' ')).toContain(CLOCK);
    expect((await cli.run('journal --deal-id none')).out).toBe('No matching actions\n');
    expect((await cli.run('journal --since 2026-11-20')).out).not.toContain('goes by the time');
  });

  it('shows one action on a screen in about 20 lines, and everything with -v', async () => {
    const bounds = { worst_price: '1535' };
    const cli = scriptedClient(action('aaaa', { deal_id: 'PAY-1', bounds }, SENDING, ACCEPTED, FILLED));
    const { out } = await cli.run('journal aaaa', SCREEN);
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(22);
    for (const part of ['Quoted execution price', 'Limit worst price', 'outcome: filled', 'PAY-1', '-v'])
      expect(out).toContain(part);
    expect(out).not.toContain('k-1 (generated)');
    const whole = (await cli.run('journal aaaa -v', SCREEN)).out;
    for (const part of ['k-1 (generated)', 'no. 1, process 7 on desk', 'Before (position open)'])
      expect(whole).toContain(part);
  });

  it('takes days and times in the zone of the profile, as history does', async () => {
    const cli = scriptedClient([
      ...action('aaaa', { at: '2026-11-20T22:59:59.000Z' }, SENDING),
      ...action('bbbb', { at: '2026-11-20T23:00:00.000Z' }, SENDING),
    ]);
    const add = 'profile add lagos --base-url https://partner.example/v2 --key-stdin --no-check';
    await cli.run(`${add} --time-zone Africa/Lagos`, { stdin: SANDBOX_KEY });
    const ids = async (options: string, env = {}) =>
      idsIn((await cli.run(`journal ${options} --json`, { env })).document());
    const lagos = { HEDGE_PROFILE: 'lagos' };
    expect(await ids('--day 2026-11-20')).toEqual(['bbbb', 'aaaa']);
    expect(await ids('--day 2026-11-20', lagos)).toEqual(['aaaa']);
    expect(await ids('--since 2026-11-21', lagos)).toEqual(['bbbb']);
    expect(await ids('--until 2026-11-21T00:00', lagos)).toEqual(['aaaa']);
  });

  it('says that nothing was traded yet, and makes nothing on disk by looking', async () => {
    const cli = testCli();
    const ran = await cli.run('journal');
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('No matching actions');
    expect((await cli.run('journal --json')).document()).toMatchObject({ data: [], error: null });
    expect(existsSync(join(cli.home, 'state'))).toBe(false);
  });

  it('has the size that a close closed, and the rate of a fill, as far as they were read', async () => {
    const before = {
      hedges: ['12000.50', '8000', null].map((size, at) => ({
        hedge_id: `hdg_${at.toString()}`,
        notional_usd: size,
        status: 'filled',
      })),
      in_positions: true,
      read_at: '2026-11-20T12:00:00.000Z',
    };
    const closed = { kind: 'outcome', outcome: 'closed', facts: { hdg_0: '0', hdg_1: '0' } } as const;
    const cli = scriptedClient([
      ...action('aaaa', {}, SENDING, ACCEPTED, FILLED),
      ...action('bbbb', { action: 'close', notional_usd: undefined, before }, SENDING, ACCEPTED, closed),
      ...action('cccc', { action: 'close', notional_usd: undefined, before }, SENDING, UNKNOWN),
    ]);
    const { data } = JSON.parse((await cli.run('journal --json')).out);
    expect(
      data.map((each: Record<string, unknown>) => [each['closed_notional_usd'], each['struck_rate']]),
    ).toEqual([
      [null, null],
      [20000.5, null],
      [null, 1532.71],
    ]);
    const [header = [], , row = [], last = []] = csvLines((await cli.run('journal --csv')).out);
    const cellsOf = (cells: readonly string[]) =>
      ['closed_notional_usd', 'struck_rate'].map((name) => cells[header.indexOf(name)]);
    expect([row, last].map(cellsOf)).toEqual([
      ['20000.5', ''],
      ['', '1532.71'],
    ]);
    expect((await cli.run('journal', WIDE)).out).toMatch(/^bbbb .*close USDTNGN buy +20,000\.50 +closed/m);
    expect((await cli.run('journal bbbb')).out).toMatch(/^CLOSE USDTNGN buy 20,000\.50 USD · closed$/m);
  });

  it('does not pass over a profile that there is not', async () => {
    const ran = await scriptedClient(DAY).run('--profile dsek journal --unresolved');
    expect([ran.code, ran.out]).toEqual([0, 'No matching actions\n']);
    expect(ran.err).toContain('no profile has this name: hedge profile list');
    expect((await scriptedClient(DAY).run('--profile desk journal --limit 1')).err).toBe('');
    expect((await scriptedClient(DAY).run('--profile practice journal --deal-id none')).err).toBe('');
  });

  it('names the break-even of the quote as every other screen does', async () => {
    const quote = { all_in_rate: '1534.75488722' };
    const { out } = await scriptedClient(action('aaaa', { quote }, SENDING)).run('journal aaaa -v');
    expect(out).toMatch(/^Quoted break-even +1,534\.75488722$/m);
  });

  it.each([
    ['--unresolved', ['bbbb']],
    ['--in-flight', ['cccc']],
    ['--unresolved --in-flight', ['cccc', 'bbbb']],
    ['--action add', ['cccc']],
    ['--market usdtghs', ['dddd']],
    ['--side sell', ['bbbb']],
    ['--deal-id PAY-1', ['aaaa']],
    ['--environment live --side buy', ['dddd', 'cccc', 'aaaa']],
    ['--profile practice', ['bbbb']],
    ['--profile nobody', []],
    ['--day 2026-11-21', ['cccc']],
    ['--since 2026-11-21', ['cccc']],
    ['--until 2026-11-20', ['dddd', 'bbbb', 'aaaa']],
    ['--limit 2', ['dddd', 'cccc']],
    ['--limit all', ['dddd', 'cccc', 'bbbb', 'aaaa']],
  ])('%s leaves %j', async (options, ids) => {
    const ran = await scriptedClient(DAY).run(`journal ${options} --json`);
    expect(ran.code).toBe(0);
    expect(idsIn(ran.document())).toEqual(ids);
  });

  it('knows what day it is', async () => {
    const cli = testCli({ clock: steadyClock('2026-11-21T08:00:00Z') });
    writeJournal(cli.home, DAY);
    expect(idsIn((await cli.run('journal --day today --json')).document())).toEqual(['cccc']);
  });

  it('says how many there are beyond the twenty that it shows', async () => {
    const many = Array.from({ length: 23 }, (_, index) =>
      action(`${(index + 10).toString()}ab`, {}, SENDING, ACCEPTED, FILLED),
    );
    const cli = scriptedClient(many.flat());
    expect((await cli.run('journal')).out).toContain('3 older. Show them: --limit all');
    expect((await cli.run('journal --json')).document()).toMatchObject({
      meta: { covers: { count: 20, fitting: 23, maybe_truncated: true, to: '2026-11-20T12:00:00.000Z' } },
    });
    expect((await cli.run('journal --csv')).err).toBe('20 of 23 matching actions. Show all: --limit all\n');
    expect((await cli.run('journal --limit all --csv')).err).toBe('');
  });

  it('does not read a whole journal to count what a filter leaves', async () => {
    const buys = Array.from({ length: 1_002 }, (_, index) =>
      anIntent({ action_id: (index + 0x10_0000).toString(16).padEnd(16, '0') }),
    );
    const [old, last] = ['feed', 'beef'].map((id) => anIntent({ action_id: idOf(id), side: 'sell' }));
    if (old === undefined || last === undefined) throw new Error('no sells');
    const cli = scriptedClient([old, ...buys, last]);
    const covers = async (line: string) => (await cli.run(`journal ${line} --json`)).document();
    const some = { count: 1, fitting: null, maybe_truncated: true };
    expect(await covers('--side sell --limit 1')).toMatchObject({ meta: { covers: some } });
    expect(await covers('--side sell')).toMatchObject({ meta: { covers: { count: 2, fitting: 2 } } });
    expect(await covers('--side buy --limit 3')).toMatchObject({
      meta: { covers: { count: 3, fitting: 1_002 } },
    });
    expect(await covers('--limit 1')).toMatchObject({ meta: { covers: { count: 1, fitting: 1_004 } } });
    expect((await cli.run('journal --side sell --limit 1')).out).toContain(
      'Older ones may match. Show them: --limit all',
    );
    expect((await cli.run('journal --side sell --limit 1 --csv')).err).toBe(
      'Newest 1 shown; older ones may match. Show all: --limit all\n',
    );
  });

  it.each([['aaaa'], [idOf('aaaa')], ['hdg_1'], ['PAY-1']])(
    'shows one action in full, named by %s: what went out, how the side stood, every step',
    async (word) => {
      const bounds = { worst_price: '1535' };
      const cli = scriptedClient(action('aaaa', { deal_id: 'PAY-1', bounds }, SENDING, ACCEPTED, FILLED));
      const { out, code } = await cli.run(['journal', word]);
      expect(code).toBe(0);
      for (const part of [
        'OPEN USDTNGN buy 10,000.00 USD for 3 days · filled',
        'k-1 (generated)',
        '{"market":"USDTNGN","side":"buy","notional_usd":10000,"tenor_days":3}',
        'Limit worst price',
        'Quoted execution price',
        'hedge open USDTNGN buy 10k',
        'position open',
        'no. 1, process 7 on desk',
      ])
        expect(out).toContain(part);
      expect(out).toMatch(/hdg_0 +25,000\.00 +filled/);
      expect(out).toContain('2026-11-20T12:00:03Z outcome: filled');
      expect(out.trimEnd()).toMatch(/^Deal ID +PAY-1\nOutcome +filled$(?![^])/m);
      expect((await cli.run(['journal', word, '--json'])).document()).toMatchObject({
        data: {
          action: 'open',
          action_id: idOf('aaaa'),
          outcome: 'filled',
          effect: 'done',
          request: { market: 'USDTNGN', notional_usd: 10_000, tenor_days: 3 },
          receipt: { idempotency_key: 'k-1', hedge_id: 'hdg_1', order_tx_hash: '0x9f' },
          steps: [{ kind: 'intent' }, { kind: 'sending' }, { kind: 'accepted' }, { kind: 'outcome' }],
          next: [],
        },
      });
    },
  );

  it('records no outcome where the action is of another environment than was promised', async () => {
    const cli = scriptedClient(action('bbbb', {}, SENDING, UNKNOWN));
    const resolve = 'journal resolve bbbb --as not-executed --reason x --yes --json';
    const ran = await cli.run(`${resolve} --expect-env practice`);
    expect([ran.code, ran.document()]).toMatchObject([
      10,
      { error: { code: 'env_mismatch', effect: 'none' } },
    ]);
    expect(await cli.run(`${resolve} --expect-env prod`)).toMatchObject({ code: 2 });
    expect(await cli.run('journal --expect-env prod')).toMatchObject({ code: 2 });
  });

  it('lists the actions of a deal ID that was traded again after a failure', async () => {
    const deal = { deal_id: 'PAY-1' };
    const failed = { ...ACCEPTED, hedge_id: 'hdg_2' };
    const cli = scriptedClient([
      ...action('aaaa', deal, SENDING, failed, FAILED),
      ...action('bbbb', deal, SENDING, ACCEPTED, FILLED),
    ]);
    expect(idsIn((await cli.run('journal PAY-1 --json')).document())).toEqual(['bbbb', 'aaaa']);
    expect((await cli.run('journal resolve PAY-1 --as executed --reason x --yes')).err).toContain(
      '"PAY-1" matches 2 actions: aaaa, bbbb.',
    );
  });

  it.each([
    ['unresolved', [SENDING, UNKNOWN], 'unknown', 'unknown', 'check bbbb'],
    ['sent by a process that died', [SENDING], 'unknown', 'unknown', 'resume bbbb'],
    ['in flight', [SENDING, ACCEPTED], 'pending', 'pending', 'wait bbbb'],
    ['accepted, never seen', [SENDING, ACCEPTED, NOT_SEEN], 'not_seen', 'unknown', 'check bbbb'],
    ['failed', [SENDING, ACCEPTED, FAILED], 'failed', 'none', undefined],
    ['never sent', [NOT_SENT], 'not_sent', 'none', undefined],
    ['written and left', [], 'not_sent', 'none', undefined],
    ['recorded as executed', [SENDING, UNKNOWN, DONE], 'settled', 'done', undefined],
  ])('says what goes on with one that is %s', async (_what, steps, outcome, effect, next) => {
    const cli = scriptedClient(action('bbbb', {}, ...steps));
    const said: unknown = (await cli.run('journal bbbb --json')).document();
    expect(said).toMatchObject({ data: { outcome, effect } });
    const { out } = await cli.run('journal bbbb');
    if (next === undefined) expect(said).toMatchObject({ data: { next: [] } });
    else expect(out).toContain(`hedge --profile desk ${next}`);
  });

  it.each([
    [[], 'never'],
    [[SENDING, ACCEPTED], 'once, with .*'],
    [[SENDING, UNKNOWN, SENDING, ACCEPTED], '2 times, each with .*'],
  ])('says how often an action was sent', async (steps, words) => {
    const { out } = await scriptedClient(action('bbbb', {}, ...steps)).run('journal bbbb');
    expect(out).toMatch(new RegExp(`^Sent +${words}$`, 'm'));
  });

  /** The day, with an action that cannot be read any more. */
  function damagedClient(): { cli: TestCli; path: string } {
    const cli = scriptedClient([...DAY, ...action('eeee', { deal_id: 'PAY-2' }, SENDING, UNKNOWN)]);
    return { cli, path: damageJournal(cli.home, (record) => record.includes(idOf('eeee'))) };
  }

  it('names a damaged journal, says how to repair it, and shows the rest', async () => {
    const { cli, path } = damagedClient();
    const ran = await cli.run('journal --json');
    expect(ran.code).toBe(0);
    expect(idsIn(ran.document())).toEqual(['dddd', 'cccc', 'bbbb', 'aaaa']);
    expect(ran.err.replaceAll(/\s+/g, ' ')).toMatch(/journal\.sqlite is damaged: .* hedge journal repair/);
    expect(ran.document()).toMatchObject({
      meta: { trouble: { kind: 'damaged', path, what: expect.stringContaining(`${path} is damaged: `) } },
    });
  });

  it('names one that lacks records, and shows the rest', async () => {
    const cli = scriptedClient(DAY);
    const path = rewindJournal(cli.home, 3);
    const ran = await cli.run('journal --json');
    expect([ran.code, idsIn(ran.document())]).toEqual([0, ['cccc', 'bbbb', 'aaaa']]);
    expect(ran.document()).toMatchObject({ meta: { trouble: { kind: 'rewound', path } } });
    expect(ran.err.replaceAll(/\s+/g, ' ')).toMatch(
      /lacks record \d+, .* hedge journal accept-loss --note TEXT/,
    );
    expect((await cli.run('journal --unresolved --json')).document()).toMatchObject({
      error: { code: 'journal_rewound' },
    });
  });

  it.each([
    ['--unresolved', ['bbbb']],
    ['--in-flight', ['cccc']],
    ['--deal-id PAY-1', ['aaaa']],
    ['--deal-id PAY-2', []],
    ['--operator ada', []],
  ])('does not call the list of %s whole where a record cannot be read', async (what, ids) => {
    const { cli } = damagedClient();
    const ran = await cli.run(`journal ${what} -q --json`);
    expect(ran.code).toBe(78);
    expect(ran.document()).toMatchObject({ error: { code: 'damaged_file' } });
    expect(idsIn(ran.document())).toEqual(ids);
    const { code, out } = await cli.run(`journal ${what} -q --csv`);
    expect([code, csvLines(out).length]).toEqual([78, ids.length + 1]);
  });

  it('shows a named action where another cannot be read, and does not deny one that may be there', async () => {
    const { cli } = damagedClient();
    expect((await cli.run('journal aaaa')).code).toBe(0);
    for (const [line, word] of [
      ['journal eeee', 'eeee'],
      ['journal PAY-2', 'PAY-2'],
      ['journal resolve eeee --as executed --reason seen --yes', 'eeee'],
      ['--profile practice roll show PAY-2', 'PAY-2'],
      ['--profile practice check eeee', 'eeee'],
    ] as const) {
      const ran = await cli.run(line);
      expect([ran.code, ran.err.replaceAll(/\s+/g, ' ')]).toEqual([
        78,
        expect.stringContaining(`No record that can be read has "${word}".`),
      ]);
      expect(ran.err).toContain('hedge journal repair');
    }
  });

  it('names the hedges of a side by their ids, with what each holds since', async () => {
    const facts = { hdg_0: '15000', net_margin_usd: '2500' };
    const changed = { kind: 'outcome', outcome: 'changed', facts } as const;
    const { out } = await scriptedClient(
      action('aaaa', { action: 'reduce' }, SENDING, ACCEPTED, changed),
    ).run('journal aaaa');
    expect(out).toMatch(/^hdg_0 +→ 15,000\.00 USD$/m);
    expect(out).toMatch(/^Closing returns \(USD\) +2,500\.00$/m);
  });

  it('shows the times in the zone of the selected profile', async () => {
    const cli = scriptedClient(DAY);
    const add = 'profile add lagos --base-url https://partner.example/v2 --key-stdin --no-check';
    await cli.run(`${add} --time-zone Africa/Lagos`, { stdin: SANDBOX_KEY });
    expect((await cli.run('journal aaaa', ON_A_TERMINAL)).out).toContain('12:00:01 UTC');
    const env = { HEDGE_PROFILE: 'lagos' };
    expect((await cli.run('journal aaaa', { ...ON_A_TERMINAL, env })).out).toContain('13:00:01 WAT');
    expect((await cli.run('journal aaaa', { env })).out).toContain('2026-11-20T12:00:01Z');
  });

  it('is shown whatever is wrong with the credentials', async () => {
    const cli = scriptedClient(DAY);
    const half = await cli.run('journal', { env: { HEDGE_API_KEY: SANDBOX_KEY } });
    expect([half.code, half.out]).toEqual([0, expect.stringContaining('aaaa')]);
  });

  it('makes harmless what others wrote', async () => {
    const cli = scriptedClient(
      action('aaaa', { deal_id: 'P\u001b[2J' }, SENDING, { kind: 'unknown', why: '\u009b2J' }),
    );
    const seen = (await cli.run('journal')).out + (await cli.run('journal aaaa')).out;
    expect([...'\u001b\u009b'].filter((control) => seen.includes(control))).toEqual([]);
  });

  it.each([
    ['journal beef', 'no action "beef"'],
    ['journal aaaa --unresolved', 'takes no filters'],
    ['journal --day 2026-02-30', '2026-11-20'],
    ['journal --day 7d', 'For a time or a span: --since 7d'],
    ['journal --day today --since 7d', 'excludes --since and --until'],
    ['journal --from 7d', 'Did you mean --since?'],
    ['history --day today', 'Did you mean --since?'],
    ['journal --limit 0', '--limit all'],
    ['journal --action deal', 'open, add, reduce, close'],
    ['journal --environment test', 'live, sandbox, practice'],
    ['journal aaaa bbbb', 'oo many arguments'],
    ['journal resolve', 'ACTION'],
    ['journal resolve bbbb --as not-executed', 'hedge journal resolve bbbb --as not-executed --reason '],
    ['journal resolve bbbb', 'hedge journal resolve bbbb --as executed --reason '],
    [
      'journal resolve bbbb --reason gone',
      'hedge journal resolve bbbb --as executed --reason gone, or --as not-executed',
    ],
    ['journal resolve bbbb --as done --reason x', 'executed, not-executed'],
    ['journal resolve bbbb --as perhaps --reason x', 'executed, not-executed'],
    ['journal --unresolved resolve bbbb --as executed --reason x', '--unresolved is no option'],
    ['journal resolve bbbb --as executed --reason x --unresolved', '--unresolved'],
  ])('exits 2 and says what is allowed: %s', async (line, allowed) => {
    const ran = await scriptedClient(DAY).run(line);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(allowed);
  });
});

describe('hedge journal resolve', () => {
  const LONG_AGO = { at: '2026-11-20T12:00:00.000Z' };
  const words = (as: string) => [
    'journal',
    'resolve',
    'bbbb',
    '--as',
    as,
    '--reason',
    'seen on the statement',
  ];
  const readings = (cli: TestCli): string => journalText(cli.home);

  it.each([
    ['unresolved', [SENDING, UNKNOWN]],
    ['sent by a process that died', [SENDING]],
    ['accepted and not seen', [SENDING, ACCEPTED, NOT_SEEN]],
    ['accepted long ago', [SENDING, ACCEPTED]],
    ['recorded as the opposite', [SENDING, UNKNOWN, DONE]],
  ])('records the outcome of an action that is %s', async (_what, steps) => {
    const cli = scriptedClient(action('bbbb', LONG_AGO, ...steps));
    const ran = await cli.run([...words('not-executed'), '--yes']);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('recorded as not executed');
    expect(readings(cli).trimEnd().split('\n').at(-1)).toContain('"because":"seen on the statement"');
    expect((await cli.run('journal bbbb --json')).document()).toMatchObject({
      data: {
        outcome: 'settled',
        settled_as: 'nothing',
        effect: 'none',
        unresolved: false,
        in_flight: false,
      },
    });
  });

  it.each([
    ['filled', [SENDING, ACCEPTED, FILLED], 'it was executed'],
    ['failed', [SENDING, ACCEPTED, FAILED], 'nothing was opened'],
    ['refused', [SENDING, REFUSED], 'the service rejected it'],
    ['never sent', [NOT_SENT], 'it was not sent'],
    ['written and left', [], 'it was not sent'],
    ['recorded so before', [SENDING, UNKNOWN, DONE], 'it was recorded so before'],
  ])('stops where the outcome is known: %s', async (_what, steps, known) => {
    const cli = scriptedClient(action('bbbb', LONG_AGO, ...steps));
    const before = readings(cli);
    const ran = await cli.run([...words('executed'), '--yes', '--json']);
    expect(ran.code).toBe(10);
    expect(ran.err).toContain(known);
    expect(ran.document()).toMatchObject({ error: { code: 'end_known', effect: 'none' } });
    expect(readings(cli)).toBe(before);
  });

  it('stops while the outcome of an accepted action may still come', async () => {
    const now = Date.now();
    const cli = scriptedClient([
      anIntent({ action_id: idOf('bbbb') }),
      { ...step(ACCEPTED, 'bbbb'), at: new Date(now - 60_000).toISOString() },
    ]);
    const ran = await cli.run([...words('not-executed'), '--yes']);
    expect(ran.code).toBe(10);
    expect(ran.err).toContain('hedge wait bbbb');
  });

  it('does not record as not executed what may still arrive, unless that is allowed', async () => {
    const at = new Date(Date.now() - 1_000).toISOString();
    const cli = scriptedClient([
      anIntent({ action_id: idOf('bbbb'), at }),
      { ...step(SENDING, 'bbbb'), at },
      { ...step(UNKNOWN, 'bbbb'), at },
    ]);
    const ran = await cli.run([...words('not-executed'), '--yes', '--json']);
    expect(ran.code).toBe(10);
    expect(ran.err).toMatch(/may still arrive and\s+show\s+until\s+2\S+\s+\d\d:\d\d:\d\d UTC/);
    expect(ran.err).toContain('hedge check bbbb');
    expect(ran.err).toContain('--allow-late-arrival');
    expect(ran.document()).toMatchObject({ error: { code: 'in_flight', effect: 'none', retry: 'later' } });
    expect((await cli.run([...words('executed'), '--allow-late-arrival', '--yes'])).code).toBe(2);
    expect((await cli.run([...words('not-executed'), '--allow-late-arrival', '--yes'])).code).toBe(0);
  });

  it('shows the position and until when it may arrive; the same add still stops after not-executed', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 42k --tenor 3 --any-price --yes');
    await cli.run('practice faults --lost-after 100% --only add --once 3');
    const add = 'add USDTNGN buy 4k --any-price --yes';
    const lost = await cli.run(`${add} --json`);
    expect(lost.code).toBe(7);
    const [id = ''] = /(?<="action_id":")[0-9a-f]{4}/.exec(lost.out.replaceAll(/\s/g, '')) ?? [];
    await cli.run('practice advance 1m');
    const resolve = ['journal', 'resolve', id, '--as', 'not-executed', '--reason', 'x'];
    const asked = await cli.run([...resolve, '--allow-late-arrival'], {
      terminal: { isTTY: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } },
      answer: 'y\r',
    });
    expect(asked.err).toMatch(/^It may still arrive and show until .*\d\d:\d\d:\d\d UTC\.$/m);
    expect(asked.err).toContain('USDTNGN buy was 42,000.00 USD before it, is 46,000.00 USD.');
    expect(asked.code).toBe(0);
    await cli.run('profile set practice --time-zone Africa/Lagos');
    const executed = await cli.run([...resolve.with(4, 'executed'), '--yes'], {
      terminal: { isTTY: { stdout: true, stderr: true }, env: { NO_COLOR: '1' } },
    });
    expect(executed.err).toMatch(/^Sent .*\d\d:\d\d:\d\d WAT \(this machine's time\)$/m);
    expect((await cli.run([...resolve, '--allow-late-arrival', '--yes'])).code).toBe(0);
    const again = await cli.run(`${add} --json`);
    expect([again.code, again.document()]).toMatchObject([10, { error: { code: 'duplicate' } }]);
  });

  it('without a terminal shows what is known and exits 2, naming --yes', async () => {
    const cli = scriptedClient(action('bbbb', { ...LONG_AGO, deal_id: 'PAY-1' }, SENDING, UNKNOWN));
    const ran = await cli.run(words('executed'));
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('--yes');
    expect(ran.err).toContain('open USDTNGN buy 10,000.00 USD (PAY-1) · UNKNOWN');
  });
});

describe('an action on several hedges', () => {
  it('has in its row the deal ID and the hedge ID of the same hedge, and in full those of each', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 2k --tenor 3 --yes --deal-id SAL-1');
    await cli.run('open USDTNGN buy 3k --tenor 3 --yes --idempotency-key without-deal-id');
    await cli.run('close USDTNGN buy --yes');
    const { data: hedges } = JSON.parse((await cli.run('hedges --json')).out);
    const [{ id = '' } = {}] = hedges.filter(
      (each: { client_reference: string }) => each.client_reference === 'SAL-1',
    );
    expect((await cli.run('journal --limit 1 --wide')).out).toContain(`SAL-1    ${id} +1`);
    const one = await cli.run([
      'journal',
      /^\w{4}/m.exec((await cli.run('journal --limit 1')).out.split('\n')[1] ?? '')?.[0] ?? '',
    ]);
    expect(one.out).toMatch(new RegExp(`^Hedge +${id} \\(SAL-1\\)$`, 'm'));
    expect(one.out).not.toMatch(/^Deal ID/m);
  });
});

describe('an open that failed', () => {
  it('was never open: no maturity, and in the list of hedges the size that was asked for', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice faults --failing-orders 100%');
    await cli.run('open USDTNGN buy 3k --tenor 1 --yes --deal-id PAY-F1');
    const list = (await cli.run('hedges --status failed')).out;
    expect(list).toContain('Failed: never open; notional is the size asked for.');
    expect(list).not.toContain('closed');
    const one = (await cli.run('hedges PAY-F1')).out;
    expect(one).toMatch(/^Size asked for \(USD\) +3,000\.00$/m);
    expect(one).toMatch(/^Maturity +—$/m);
    expect((await cli.run('journal PAY-F1')).out).not.toMatch(/^Maturity/m);
  });
});

describe('bare hedge', () => {
  it('says what is unresolved and in flight on this machine, and what goes on with it', async () => {
    const cli = scriptedClient(DAY);
    const { out, code } = await cli.run('', WIDE);
    expect(code).toBe(0);
    expect(out).toMatch(
      /1 unresolved: .*Do not send it again\.\nhedge --profile practice check bbbb +PRACTICE/,
    );
    expect(out).toMatch(/1 in flight: .*\nhedge --profile desk wait cccc +LIVE · desk add USDTNGN buy/);
    expect((await cli.run('--json')).document()).toMatchObject({
      data: { unresolved: [{ short_id: 'bbbb' }], in_flight: [{ short_id: 'cccc' }], halt: null },
    });
  });

  it('counts what is beyond a screenful', async () => {
    const many = Array.from({ length: 7 }, (_, index) =>
      action(`${index.toString()}bbb`, {}, SENDING, UNKNOWN),
    );
    const { out } = await scriptedClient(many.flat()).run('');
    expect(out).toContain('7 unresolved');
    expect(out).toContain('and 2 more: hedge journal --unresolved --limit all');
  });

  it('says that this machine is halted, by whom and why', async () => {
    const cli = testCli();
    await cli.run('halt venue down');
    const { out } = await cli.run('');
    expect(out).toMatch(/HALTED by .*venue down/);
    expect(out).toContain('hedge unhalt');
  });

  it.each([
    ['a damaged journal', damageJournal, /journal\.sqlite is damaged: .* hedge journal repair/],
    [
      'one of a newer version',
      makeNewerJournal,
      /was written by a newer version of hedge .* Use that version/,
    ],
  ])('says %s in a line, and shows the rest', async (_what, change, said) => {
    const cli = scriptedClient(DAY.slice(0, 4));
    change(cli.home);
    const { out, code } = await cli.run('', WIDE);
    expect(code).toBe(0);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(said);
    expect(out).toContain('hedge --profile practice quote');
    const selected = await cli.run('--profile practice', WIDE);
    expect(selected.out).toMatch(/^hedge --profile practice hedges +open hedges, as the service has them/m);
    expect(selected.out).not.toMatch(/^hedge (?:--profile practice )?open /m);
  });
});
