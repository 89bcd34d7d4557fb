/** Who sent, halted and decided, with what version and why, in the journal and on screens, on the practice service. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isFields } from '../../src/domain/fields.ts';
import { anIntent, FILLED, SENDING, step } from '../journal/records.ts';
import { SANDBOX_KEY } from '../support/cli-for.ts';
import { csvLines, readCsv } from '../support/csv.ts';
import { type TestCli, testCli } from '../support/test-cli.ts';
import { journalText, writeJournal } from '../support/written-journal.ts';

const SCREEN = { terminal: { width: 80, isTTY: { stdout: true } }, env: { NO_COLOR: '1' } };
const { username: USER } = userInfo();

/** The profile names Ada O. */
async function aDesk(): Promise<TestCli> {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run(['profile', 'set', 'practice', '--operator', 'Ada O.']);
  return cli;
}

const journalOf = ({ home }: TestCli): readonly Readonly<Record<string, unknown>>[] =>
  journalText(home)
    .trim()
    .split('\n')
    .map((line) => Object(JSON.parse(line)));

const dataOf = async (cli: TestCli, words: string | readonly string[]) =>
  JSON.parse((await cli.run(typeof words === 'string' ? `${words} --json` : [...words, '--json'])).out).data;

const OPEN = ['open', 'USDTNGN', 'buy', '10k', '--tenor', '3', '--yes'];

describe('the operator', () => {
  it('of every record is the user, the host and the person of the profile, with the version', async () => {
    const cli = await aDesk();
    expect((await cli.run(OPEN)).code).toBe(0);
    await cli.run('reduce USDTNGN buy --by 50% --yes');
    await cli.run('halt venue down');
    const records = journalOf(cli);
    expect(new Set(records.map(({ kind }) => kind))).toEqual(
      new Set(['intent', 'sending', 'accepted', 'outcome', 'halt']),
    );
    for (const record of records)
      expect(record).toMatchObject({
        schema: 3,
        operator: { name: 'Ada O.', user: USER, host: expect.stringMatching(/./) },
        version: '0.0.0',
      });
  });

  it('is only the user without a name, and HEDGE_OPERATOR wins over the profile', async () => {
    const cli = await aDesk();
    await cli.run(OPEN, { env: { HEDGE_OPERATOR: ' Bo ' } });
    await cli.run('profile set practice --operator none');
    await cli.run('add USDTNGN buy 1k --yes');
    const [add, open] = await dataOf(cli, 'journal');
    expect(open).toMatchObject({ operator: { name: 'Bo', user: USER }, version: '0.0.0' });
    expect(add).toMatchObject({ operator: { name: null, user: USER } });
    expect(Object.keys(Object(journalOf(cli).at(-1)?.['operator']))).toEqual(['user', 'host']);
  });

  it.each([
    ['a key', SANDBOX_KEY, 'The operator name looks like an API key (HEDGE_OPERATOR).'],
    ['too long', 'A'.repeat(65), 'is not an operator name (HEDGE_OPERATOR).'],
    ['with a control character', 'Ada\u001b[2J', 'is not an operator name (HEDGE_OPERATOR).'],
  ])('is never %s: nothing is sent and nothing recorded', async (_what, name, words) => {
    const cli = await aDesk();
    const ran = await cli.run(OPEN, { env: { HEDGE_OPERATOR: name } });
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(ran.err).not.toContain(name);
    expect(await dataOf(cli, 'journal')).toEqual([]);
    expect(await dataOf(cli, 'hedges')).toEqual([]);
  });

  it('is shown by doctor before anything is recorded', async () => {
    const cli = await aDesk();
    const examined = async (env = {}, name = 'operator') => {
      const ran = await cli.run('doctor --json', { env });
      return Object(ran.document()).data.checks.find(({ check }: { check: string }) => check === name);
    };
    expect(await examined()).toMatchObject({
      verdict: 'pass',
      says: expect.stringContaining(`The journal records Ada O. (${USER}@`),
      facts: { name: 'Ada O.', user: USER },
    });
    expect(await examined({ HEDGE_OPERATOR: 'Bo' })).toMatchObject({ facts: { name: 'Bo' } });
    expect(await examined({ HEDGE_OPERATOR: SANDBOX_KEY })).toMatchObject({ verdict: 'fail' });
    expect(await examined({ HEDGE_OPERATOR: SANDBOX_KEY }, 'journal')).toMatchObject({ verdict: 'pass' });
    await cli.run('profile set practice --operator none');
    expect(await examined()).toMatchObject({
      verdict: 'pass',
      says: expect.stringContaining('HEDGE_OPERATOR'),
      facts: { name: null },
    });
  });

  it('of each step is named where another person took it', async () => {
    const cli = await aDesk();
    await cli.run('practice faults --lost-after 100% --only open --once 3');
    expect((await cli.run(OPEN)).code).toBe(7);
    const [{ action_id: id }] = await dataOf(cli, 'journal');
    const resolve = [
      'journal',
      'resolve',
      id,
      '--as',
      'executed',
      '--reason',
      'seen',
      '--note',
      'statement 12',
    ];
    const resolved = await cli.run([...resolve, '--yes', '--json'], { env: { HEDGE_OPERATOR: 'Bo' } });
    expect(Object(resolved.document()).data).toMatchObject({
      operator: { name: 'Ada O.' },
      settled_as: 'done',
      settlement: { operator: { name: 'Bo', user: USER }, at: expect.any(String), note: 'statement 12' },
    });
    const { out } = await cli.run(`journal ${id}`, SCREEN);
    expect(out).toMatch(/^Operator +Ada O\.$/m);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`executed: seen, by Bo (${USER}@`);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('note: statement 12');
    expect((await dataOf(cli, 'journal --operator Bo')).map(Object)).toMatchObject([{ action_id: id }]);
    expect(await dataOf(cli, 'journal --operator Chi')).toEqual([]);
  });
});

describe('a note', () => {
  it('of each action is kept and shown, and never sent', async () => {
    const cli = await aDesk();
    const opened = await dataOf(cli, [...OPEN, '--note', 'invoice 8841']);
    expect(opened).toMatchObject({ note: 'invoice 8841', operator: { name: 'Ada O.' }, version: '0.0.0' });
    expect(JSON.stringify(opened.request)).not.toContain('invoice');
    await cli.run(['add', 'USDTNGN', 'buy', '2k', '--yes', '--note', 'top-up']);
    await cli.run(['reduce', 'USDTNGN', 'buy', '1k', '--yes', '--note', 'less']);
    await cli.run(['close', 'USDTNGN', 'buy', '--yes', '--note', 'paid early']);
    const listed = await dataOf(cli, 'journal');
    expect(listed.map(({ note }: { note: string }) => note)).toEqual([
      'paid early',
      'less',
      'top-up',
      'invoice 8841',
    ]);
    for (const record of journalOf(cli))
      if (typeof record['body'] === 'string') expect(record['body']).not.toMatch(/note|invoice|top-up/);
    const csv = readCsv((await cli.run('journal --csv')).out);
    expect(csv.map((row) => row['note'])).toEqual(['paid early', 'less', 'top-up', 'invoice 8841']);
    expect(csv.map((row) => row['operator.name'])).toEqual(['Ada O.', 'Ada O.', 'Ada O.', 'Ada O.']);
  });

  it('of an action that is typed again and not sent again is said not to be kept', async () => {
    const cli = await aDesk();
    const words = [...OPEN, '--idempotency-key', 'k-1'];
    expect((await cli.run([...words, '--note', 'invoice 8841'])).code).toBe(0);
    const [{ short_id: id }] = await dataOf(cli, 'journal');
    const again = await cli.run([...words, '--note', 'another']);
    expect([again.code, again.err]).toEqual([0, expect.stringMatching(/note +not kept/)]);
    expect(again.err).toContain(id);
    for (const same of [
      words,
      [...words, '--note', 'invoice 8841'],
      [...words, '--note', 'other', '--dry-run'],
    ])
      expect((await cli.run(same)).err).not.toContain('not kept');
  });

  it('is on the preview, on the receipt and in the journal; the operator on the receipt with -v', async () => {
    const cli = await aDesk();
    expect((await cli.run([...OPEN, '--note', 'invoice 8841', '--dry-run'], SCREEN)).out).toContain(
      'Note: invoice 8841',
    );
    const short = (await cli.run([...OPEN, '--note', 'invoice 8841'], SCREEN)).out;
    expect(short).toMatch(/^Note +invoice 8841$/m);
    expect(short).not.toContain('Operator');
    const long = (await cli.run(['add', 'USDTNGN', 'buy', '2k', '--yes', '-v', '--note', 'top-up'], SCREEN))
      .out;
    expect(long).toMatch(/^Note +top-up$/m);
    expect(long).toMatch(new RegExp(String.raw`^Operator +Ada O\. \(${USER}@.+\)$`, 'm'));
    const [{ short_id: id }] = await dataOf(cli, 'journal');
    const shown = (await cli.run(`journal ${id} -v`, SCREEN)).out;
    expect(shown).toMatch(/^Note +top-up$/m);
    expect(shown).toMatch(/^Version +hedge 0\.0\.0$/m);
  });

  it.each([
    ['a key', SANDBOX_KEY, 'The note contains what looks like an API key'],
    ['too long', 'a'.repeat(301), 'A note has 1 to 300 characters.'],
    ['empty', '  ', 'A note has 1 to 300 characters.'],
    ['of two lines', 'invoice\n8841', 'it has line breaks or invisible characters'],
  ])('that is %s stops everything that takes one', async (_what, note, words) => {
    const cli = await aDesk();
    const commands = [
      OPEN,
      ['add', 'USDTNGN', 'buy', '2k', '--yes'],
      ['reduce', 'USDTNGN', 'buy', '1k', '--yes'],
      ['close', 'USDTNGN', 'buy', '--yes'],
      ['journal', 'resolve', '7c1e', '--as', 'executed', '--reason', 'seen'],
      ['halt', 'venue down'],
      ['unhalt'],
    ];
    for (const command of commands) {
      const ran = await cli.run([...command, '--note', note]);
      expect([ran.code, ran.err.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(words)]);
      if (note === SANDBOX_KEY) expect(ran.err).not.toContain(note);
    }
    expect(await dataOf(cli, 'journal')).toEqual([]);
  });

  it('is not a term: the same key or deal ID with another note is the same action', async () => {
    const cli = await aDesk();
    const first = await dataOf(cli, [...OPEN, '--idempotency-key', 'k-1', '--note', 'one']);
    const again = await cli.run([...OPEN, '--idempotency-key', 'k-1', '--note', 'two', '--json']);
    expect(again.code).toBe(0);
    expect(Object(again.document()).data).toMatchObject({ action_id: first.action_id, note: 'one' });
    const named = [
      'open',
      'USDTNGN',
      'sell',
      '10k',
      '--tenor',
      '3',
      '--yes',
      '--deal-id',
      'PAY-1',
      '--ensure',
    ];
    const opened = await dataOf(cli, [...named, '--note', 'one']);
    expect(await dataOf(cli, [...named, '--note', 'two'])).toMatchObject({ action_id: opened.action_id });
    expect(await dataOf(cli, 'hedges')).toHaveLength(2);
  });

  it('of a repeated line that is sent again is kept with that send', async () => {
    const cli = await aDesk();
    const line = ['open', 'USDTNGN', 'buy', '10k', '--tenor', '3', '--idempotency-key', 'k-1', '--yes'];
    await cli.run('practice faults --lost-before 100% --only open --once 3');
    expect((await cli.run([...line, '--note', 'one'])).code).toBe(7);
    await cli.run('practice advance 10m');
    expect((await cli.run([...line, '--note', 'two', '--any-price'])).code).toBe(0);
    const sends = journalOf(cli).filter(({ kind }) => kind === 'sending');
    expect(sends.map(({ note }) => note)).toEqual([undefined, 'two']);
    expect(await dataOf(cli, 'journal')).toMatchObject([{ note: 'one', outcome: 'filled' }]);
  });

  it('in a line of a batch is kept; another note does not execute the line again', async () => {
    const cli = await aDesk();
    const file = join(cli.home, 'lines.txt');
    const batch = async (...lines: readonly string[]) => {
      writeFileSync(file, `${lines.join('\n')}\n`);
      return cli.run(['batch', file, '--yes', '--json']);
    };
    const json = { command: 'add', market: 'USDTNGN', side: 'buy', notional_usd: '1000', note: 'from JSON' };
    const line = 'open USDTNGN buy 10k --tenor 3 --note';
    expect((await batch(`${line} "invoice 8841"`, JSON.stringify(json))).code).toBe(0);
    expect((await batch(`${line} "invoice 8842"`)).code).toBe(0);
    const listed = await dataOf(cli, 'journal');
    expect(listed.map(({ note }: { note: string }) => note)).toEqual(['from JSON', 'invoice 8841']);
  });
});

describe('the hedges of an action', () => {
  it('and the deal IDs under which they were opened are in the list, the CSV and the document', async () => {
    const cli = await aDesk();
    const [first, other] = [
      await dataOf(cli, [...OPEN, '--deal-id', 'PAY-1']),
      await dataOf(cli, ['open', 'USDTNGN', 'buy', '20k', '--tenor', '7', '--yes']),
    ].map(({ hedge }) => hedge.id);
    await cli.run('reduce USDTNGN buy --by 50% --yes');
    await cli.run('close USDTNGN buy --yes');
    const [close, reduce, second, open] = await dataOf(cli, 'journal');
    expect(open).toMatchObject({ hedge_ids: [first], deal_ids: ['PAY-1'], deal_id: 'PAY-1' });
    // The program's own reference is not a deal ID.
    expect(second).toMatchObject({ hedge_ids: [other], deal_ids: [], deal_id: null });
    for (const each of [reduce, close]) {
      expect(each).toMatchObject({ deal_id: null, deal_ids: ['PAY-1'] });
      expect(new Set(each.hedge_ids)).toEqual(new Set([first, other]));
    }
    const ids = (await dataOf(cli, 'journal --deal-id PAY-1')).map(
      ({ action }: { action: string }) => action,
    );
    expect(ids).toEqual(['close', 'reduce', 'open']);
    const { out } = await cli.run('journal --wide', {
      ...SCREEN,
      terminal: { ...SCREEN.terminal, width: 160 },
    });
    const rows = out.split('\n').filter((row) => /USDTNGN buy/.test(row));
    expect(rows.map((row) => row.includes('PAY-1'))).toEqual([true, true, false, true]);
    expect(rows.map((row) => /hdg_\w+/.test(row))).toEqual([true, true, true, true]);
    const [inCsv] = readCsv((await cli.run('journal --csv')).out);
    expect(JSON.parse(inCsv?.['deal_ids'] ?? '')).toEqual(['PAY-1']);
  });
});

describe('a record of a version that named no operator', () => {
  it('has no operator, version or note', async () => {
    const cli = testCli();
    writeJournal(cli.home, [anIntent(), step(SENDING), step(FILLED)]);
    expect(await dataOf(cli, 'journal')).toMatchObject([
      { operator: null, version: null, note: null, settlement: null, outcome: 'filled' },
    ]);
    const { out } = await cli.run('journal 7c1e -v', SCREEN);
    expect(out).not.toMatch(/Operator|Version|Note|undefined/);
    expect((await cli.run('journal', SCREEN)).out).not.toMatch(/OPERATOR|NOTE/);
    expect(await dataOf(cli, 'journal --operator ada')).toEqual([]);
  });
});

describe('a halt', () => {
  it('and its end are in the journal with who, when, why and the note', async () => {
    const cli = await aDesk();
    const halted = await dataOf(cli, ['halt', 'venue down', '--note', 'call 14:02']);
    expect(halted).toMatchObject({
      halt: { who: expect.stringMatching(/^Ada O\. \(.+@.+\)$/), why: 'venue down', note: 'call 14:02' },
    });
    expect((await cli.run('unhalt --yes', { env: { HEDGE_OPERATOR: 'Bo' } })).code).toBe(0);
    expect(await dataOf(cli, 'journal halts')).toMatchObject([
      {
        event: 'unhalt',
        who: expect.stringMatching(/^Bo \(/),
        why: 'venue down',
        note: null,
        lifted: { who: expect.stringMatching(/^Ada O\. /), at: halted.halt.at },
      },
      {
        event: 'halt',
        who: expect.stringMatching(/^Ada O\. /),
        why: 'venue down',
        note: 'call 14:02',
        lifted: null,
      },
    ]);
    expect(readCsv((await cli.run('journal halts --csv')).out).map((row) => row['event'])).toEqual([
      'unhalt',
      'halt',
    ]);
    // The columns are those of a list without the end of a halt.
    const headerOf = async (line: string) => csvLines((await cli.run(`journal halts ${line} --csv`)).out)[0];
    expect(await headerOf('')).toEqual(await headerOf('--until 2020-01-01'));
    expect(await dataOf(cli, 'journal halts --limit 1')).toHaveLength(1);
    expect((await cli.run('journal halts --limit x')).err).toContain('is not a number of records');
    expect(await dataOf(cli, 'journal halts --until yesterday')).toEqual([]);
    expect(await dataOf(cli, 'journal')).toEqual([]);
    expect((await cli.run('journal halts', SCREEN)).out).toMatch(/HALTED +Ada O\. .*venue down/);
  });

  it('is not in effect where it cannot be recorded, and says so', async () => {
    const cli = await aDesk();
    mkdirSync(join(cli.home, 'state'), { mode: 0o700 });
    writeFileSync(join(cli.home, 'state', 'journal.jsonl'), '{"schema":99}\n', { mode: 0o600 });
    const ran = await cli.run(['halt', 'venue down', '--json']);
    expect(ran.code).toBe(78);
    expect(Object(ran.document()).error).toMatchObject({
      code: 'journal_earlier',
      message: expect.stringMatching(/NOT HALTED: opens and adds from this machine continue\.$/),
      hint: expect.stringContaining('hedge journal import'),
    });
  });

  it('takes effect with a wrong HEDGE_OPERATOR, signed by the user', async () => {
    const cli = await aDesk();
    const ran = await cli.run(['halt', 'venue down', '--json'], { env: { HEDGE_OPERATOR: SANDBOX_KEY } });
    expect(ran.code).toBe(0);
    const { data } = Object(ran.document());
    expect(data).toMatchObject({ halted: true });
    expect(data.halt.who).toMatch(new RegExp(`^${USER}@`));
    expect(`${ran.out}${ran.err}${journalText(cli.home)}`).not.toContain(SANDBOX_KEY);
  });

  it('that stops an open names the person', async () => {
    const cli = await aDesk();
    await cli.run(['halt', 'venue down']);
    const ran = await cli.run([...OPEN, '--json']);
    expect(ran.code).toBe(10);
    const { error } = Object(ran.document());
    expect(isFields(error) && String(error['message'])).toContain('halted by Ada O. (');
  });
});
