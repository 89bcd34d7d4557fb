/**
 * Accounts, API keys and labels: two keys of one account, two accounts at one address, a key that was replaced. The
 * service is a practice service behind a front that knows further keys; its second account is its other book.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiKey } from '../../src/domain/api-key.ts';
import type { IntentRecord } from '../../src/journal/records.ts';
import { actionsIn, anIntent, SENDING, step, UNKNOWN } from '../journal/records.ts';
import { type Front, frontOf, refusal } from '../support/front.ts';
import { journalAt } from '../support/kill-case.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { type RunOptions, testCli, testKeychain } from '../support/test-cli.ts';
import { journalText, writeJournal } from '../support/written-journal.ts';

/** The first and second key are of one account, the third of another one. */
const FIRST = 'hk_test_forTestsAlone0001';
const SECOND = 'hk_test_forTestsAlone0002';
const OTHERS = 'hk_test_forTestsAlone0003';
const LIVE = 'hk_live_forTestsAlone0004';
const printOf = (key: string): string => ApiKey.of(key).fingerprint;

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook();
});
afterAll(() => served.close());
beforeEach(() => served.reset());

interface Ended {
  code: number;
  error: string | undefined;
  hint: string;
  // The document, read loosely: tests look at whatever field they are about.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
  err: string;
}

async function aHouse() {
  const { test, live } = served.desk.service.keys;
  const front = await frontOf(served, temporaryFolder(), { [FIRST]: test, [SECOND]: test, [OTHERS]: live });
  const { keychain, held } = testKeychain();
  const cli = testCli({ keychain });
  const way = front.way(cli.home);
  const { HEDGE_CA_FILE = '', HEDGE_BASE_URL: address = '' } = way;
  const run = async (line: string | readonly string[], options: RunOptions = {}): Promise<Ended> => {
    const words = typeof line === 'string' ? line.split(' ') : line;
    const env = { HEDGE_CA_FILE, ...options.env };
    const { code, out, err } = await cli.run([...words, '--json'], { ...options, env });
    const { data, error } = JSON.parse(out);
    return { code, error: error?.code, hint: error?.hint ?? '', data, err: err.replaceAll(/\s+/g, ' ') };
  };
  return {
    front,
    home: cli.home,
    held,
    address,
    run,
    /** With the key in the environment, and no profile. */
    withKey: (key: string, line: string, env: Record<string, string> = {}) =>
      run(line, { env: { HEDGE_API_KEY: key, HEDGE_BASE_URL: address, ...env } }),
    add: async (name: string, key: string, ...more: readonly string[]) => {
      const ran = await run(['profile', 'add', name, '--base-url', address, '--key-stdin', ...more], {
        stdin: key,
      });
      expect(ran.code).toBe(0);
      return ran;
    },
    profile: (name: string) =>
      JSON.parse(readFileSync(join(cli.home, 'config', 'profiles.json'), 'utf8')).profiles[name],
    actions: () => actionsIn(journalAt(cli.home).read()),
    keys: () => served.changes().map(({ idempotencyKey }) => idempotencyKey),
  };
}

const PAY_1 = 'open USDTNGN buy 1000 -t 3 --deal-id PAY-1 --yes';

/** Nothing of an open arrives at the service, and no answer comes. */
const lostBefore = (front: Front): void =>
  front.meddle(async (line, pass) => (line === 'POST /hedges' ? 'cut' : pass()));
/** It is done, and no answer comes. */
const lostAfter = (front: Front): void =>
  front.meddle(async (line, pass) => {
    const answer = await pass();
    return line === 'POST /hedges' ? 'cut' : answer;
  });
const untouched = (front: Front): void => front.meddle((_, pass) => pass());

describe('two profiles with one environment and address, different keys and no labels', () => {
  it('stop every action, naming the lines that label them, and go on reading', async () => {
    const { add, run } = await aHouse();
    await add('one', FIRST);
    const added = await add('two', SECOND);
    expect(added.data.notes.join(' ')).toContain('hedge profile set two --account LABEL');
    for (const line of [
      'open USDTNGN buy 1000 -t 3 --deal-id PAY-1 --yes',
      'add USDTNGN buy 1000 --yes',
      'reduce USDTNGN buy 1000 --yes',
      'close USDTNGN buy --yes',
      'open USDTNGN buy 1000 -t 3 --dry-run',
      'resume',
    ]) {
      const ended = await run(`${line} --profile one`);
      expect({ line, code: ended.code, error: ended.error }).toEqual({
        line,
        code: 10,
        error: 'account_unclear',
      });
      expect(ended.hint).toContain('hedge profile set one --account LABEL');
      expect(ended.hint).toContain('hedge profile set two --account LABEL');
    }
    expect(served.changes()).toEqual([]);
    const { data } = await run('doctor --profile one');
    expect(data.checks).toContainEqual(expect.objectContaining({ check: 'profile', verdict: 'fail' }));
    for (const line of ['markets', 'positions', 'hedges', 'account', 'check', 'journal'])
      expect({ line, code: (await run(`${line} --profile one`)).code }).toEqual({ line, code: 0 });
  });

  it('with one label on one of them alone stop as well, naming the other', async () => {
    const { add, run } = await aHouse();
    await add('one', FIRST, '--account', 'main');
    await add('two', SECOND);
    const ended = await run(`${PAY_1} --profile one`);
    expect([ended.code, ended.error]).toEqual([10, 'account_unclear']);
    expect(ended.hint).not.toContain('profile set one');
    expect(ended.hint).toContain('hedge profile set two --account LABEL');
  });

  it.each([
    ['of another environment', LIVE, []],
    ['that is removed', SECOND, ['profile remove two --yes']],
  ])('are none with a profile %s', async (_what, key, then) => {
    const { add, run } = await aHouse();
    await add('one', FIRST);
    await add('two', key, '--no-check');
    for (const line of then) expect((await run(line)).code).toBe(0);
    expect((await run(`${PAY_1} --profile one`)).code).toBe(0);
  });
});

describe('two keys under one label', () => {
  it('are one account: a deal ID is sent once, under one key, and each sees what the other left unresolved', async () => {
    const { add, run, front, actions, keys } = await aHouse();
    await add('one', FIRST);
    await add('two', SECOND);
    for (const name of ['one', 'two']) await run(`profile set ${name} --account Main`);
    expect((await run(`${PAY_1} --profile one`)).code).toBe(0);
    const [first] = actions();
    expect(first?.intent).toMatchObject({
      schema: 3,
      identity: { account: 'main', key_fingerprint: printOf(FIRST) },
    });
    expect(await run(`${PAY_1} --profile two`)).toMatchObject({ code: 10, error: 'deal_id_used' });
    const ensured = await run(`${PAY_1} --ensure --profile two`);
    expect([ensured.code, ensured.data.receipt.hedge_id]).toEqual([0, first?.hedgeId]);
    expect(keys()).toHaveLength(1);
    lostBefore(front);
    expect((await run(`open USDTNGN buy 2000 -t 3 --deal-id PAY-2 --yes --profile one`)).code).toBe(7);
    untouched(front);
    expect(await run(`open USDTNGN buy 3000 -t 3 --deal-id PAY-3 --yes --profile two`)).toMatchObject({
      code: 10,
      error: 'unresolved',
    });
    const [, lost] = actions();
    expect((await run(`resume ${lost?.shortId} --yes --resend --profile two`)).code).toBe(0);
    expect(keys()).toHaveLength(2);
    expect(keys()[1]).toBe(lost?.intent.idempotency_key);
  });
});

describe('two accounts at one address', () => {
  it('with two labels each open one hedge under a deal ID, and neither is stopped by what the other left unresolved', async () => {
    const { add, run, front, keys } = await aHouse();
    await add('one', FIRST, '--account', 'one');
    await add('two', OTHERS, '--account', 'two');
    expect((await run(`${PAY_1} --profile one`)).code).toBe(0);
    expect((await run(`${PAY_1} --ensure --profile two`)).code).toBe(0);
    expect([await served.openOn('buy', 'test'), await served.openOn('buy', 'live')]).toEqual([1_000, 1_000]);
    expect(new Set(keys()).size).toBe(2);
    lostBefore(front);
    expect((await run(`open USDTNGN buy 2000 -t 3 --deal-id PAY-2 --yes --profile one`)).code).toBe(7);
    untouched(front);
    expect((await run(`open USDTNGN buy 2000 -t 3 --deal-id PAY-2 --yes --profile two`)).code).toBe(0);
    expect((await run('check --profile two')).code).toBe(0);
    expect((await run('check --profile one')).code).toBe(7);
  });

  it('whose labels came after their deals keep their own records apart', async () => {
    const { add, run, front } = await aHouse();
    await add('one', FIRST);
    lostBefore(front);
    expect((await run(`${PAY_1} --profile one`)).code).toBe(7);
    untouched(front);
    await add('two', OTHERS, '--account', 'two');
    expect((await run('profile set one --account one')).code).toBe(0);
    expect((await run(`${PAY_1} --profile two`)).code).toBe(0);
    expect((await run('check --profile one')).code).toBe(7);
  });

  it('by two keys of the environment are never treated as one: what was traded with another key is not this deal', async () => {
    const { withKey, actions } = await aHouse();
    expect((await withKey(FIRST, PAY_1)).code).toBe(0);
    expect(await withKey(OTHERS, `${PAY_1} --ensure`)).toMatchObject({ code: 10, error: 'account_unclear' });
    const key = 'add USDTNGN buy 500 --yes --idempotency-key k-1 --allow-duplicate';
    expect((await withKey(FIRST, key)).code).toBe(0);
    expect(await withKey(OTHERS, key)).toMatchObject({ code: 10, error: 'account_unclear' });
    expect(actions()).toHaveLength(2);
    expect(await served.openOn('buy', 'live')).toBe(0);
  });
});

describe('a key in the environment', () => {
  it('with a profile of another key at the same address stops, until both have a label', async () => {
    const { add, withKey, run } = await aHouse();
    await add('desk', FIRST);
    const stopped = await withKey(SECOND, PAY_1);
    expect([stopped.code, stopped.error]).toEqual([10, 'account_unclear']);
    expect(stopped.hint).toContain('export HEDGE_ACCOUNT=LABEL');
    expect(stopped.hint).toContain('hedge profile set desk --account LABEL');
    expect((await withKey(SECOND, 'positions')).code).toBe(0);
    await run('profile set desk --account main');
    expect((await withKey(SECOND, PAY_1, { HEDGE_ACCOUNT: 'MAIN' })).code).toBe(0);
    expect(await run(`${PAY_1} --profile desk`)).toMatchObject({ code: 10, error: 'deal_id_used' });
  });

  it('without any profile needs no label, and one that was replaced goes on where nothing is unresolved', async () => {
    const { withKey, keys } = await aHouse();
    expect((await withKey(FIRST, PAY_1)).code).toBe(0);
    expect((await withKey(SECOND, `${PAY_1} --ensure`)).code).toBe(0);
    expect((await withKey(SECOND, 'open USDTNGN buy 2000 -t 3 --deal-id PAY-2 --yes')).code).toBe(0);
    expect(keys()).toHaveLength(2);
  });

  it('that the service rejects is replaced, and the same line is sent under the same idempotency key', async () => {
    const { withKey, front, actions } = await aHouse();
    const line = 'open USDTNGN buy 1000 -t 3 --yes --idempotency-key batch-line-1';
    front.meddle(async () => refusal(401, 'unauthorized'));
    expect((await withKey(FIRST, PAY_1)).code).toBe(4);
    front.meddle(async (each, pass) => (each === 'POST /hedges' ? refusal(401, 'unauthorized') : pass()));
    for (const each of [PAY_1, line]) expect((await withKey(FIRST, each)).code).toBe(4);
    untouched(front);
    for (const each of [PAY_1, line])
      expect((await withKey(SECOND, `${each} --allow-duplicate`)).code).toBe(0);
    const [rejected, rejectedLine, dealt, dealtLine] = actions().map(({ intent }) => intent.idempotency_key);
    expect([dealt, dealtLine]).toEqual([rejected, rejectedLine]);
  });

  it.each([
    ['a label that is none', 'a label', 2, 'usage'],
    ['an API key', LIVE, 2, 'usage'],
    ['another label than the profile has', 'treasury', 4, 'credential_conflict'],
  ])('as HEDGE_ACCOUNT refuses %s', async (_what, account, code, error) => {
    const { add, run } = await aHouse();
    await add('desk', FIRST, '--account', 'payroll');
    const ended = await run('positions --profile desk', { env: { HEDGE_ACCOUNT: account } });
    expect([ended.code, ended.error]).toEqual([code, error]);
    expect(ended.err).not.toContain(LIVE);
  });
});

describe('a journal with an unresolved open of the old key', () => {
  const OLD = 'hedge-deal-0123456789abcdef0123456789abcdef';
  const body =
    '{"market":"USDTNGN","side":"buy","notional_usd":1000,"tenor_days":3,"client_reference":"PAY-1"}';

  /** As the version before wrote it, a minute ago. */
  async function withOldJournal(parts: Partial<IntentRecord> = {}) {
    const house = await aHouse();
    const at = new Date(Date.now() - 60_000).toISOString();
    const identity = {
      environment: 'sandbox',
      base_url: house.address,
      key_fingerprint: printOf(FIRST),
    } as const;
    const intent = anIntent({
      at,
      identity,
      notional_usd: '1000',
      deal_id: 'PAY-1',
      client_reference: 'PAY-1',
      idempotency_key: OLD,
      key_origin: 'deal_id',
      body,
      before: { hedges: [], in_positions: false },
      sent_by: ['open', '--any-price'],
      ...parts,
    });
    const steps = [SENDING, UNKNOWN].map((each) => ({ ...step(each), at }));
    writeJournal(house.home, [intent, ...steps]);
    await house.add('desk', SECOND);
    return house;
  }

  it('is seen and blocks with the new key; its absence settles nothing and nothing is sent again', async () => {
    const { run, actions, keys } = await withOldJournal();
    const stopped = await run('open USDTNGN buy 2000 -t 3 --deal-id PAY-2 --yes --profile desk');
    expect([stopped.code, stopped.error]).toEqual([10, 'unresolved']);
    expect(stopped.hint).toContain('hedge profile set desk --key-stdin');
    const checked = await run('check --profile desk');
    expect(checked.code).toBe(7);
    expect(checked.err).toContain(`it was sent with another API key (${printOf(FIRST)})`);
    expect(checked.err).toContain('hedge profile set desk --key-stdin');
    expect((await run('resume 7c1e --yes --resend --profile desk')).code).toBe(7);
    expect((await run(`${PAY_1} --ensure --profile desk`)).code).toBe(7);
    expect([keys(), actions()[0]?.state]).toEqual([[], 'unknown']);
  });

  it('found under its deal ID settles nothing either: it may be of another account', async () => {
    const { run, actions } = await withOldJournal();
    await served.colleague('/hedges', { ...JSON.parse(body) });
    const checked = await run('check 7c1e --profile desk');
    expect([checked.code, actions()[0]?.state]).toEqual([7, 'unknown']);
    expect((await run(['profile', 'set', 'desk', '--key-stdin'], { stdin: SECOND })).code).toBe(0);
    await run('check 7c1e --profile desk');
    expect(actions()[0]?.hedgeId).toMatch(/^hdg_/);
  });

  it('goes on under its recorded key once the new key is confirmed to be of the same account', async () => {
    const { run, actions, keys, profile } = await withOldJournal();
    const set = await run(['profile', 'set', 'desk', '--key-stdin'], { stdin: SECOND });
    expect(set.code).toBe(0);
    expect(set.data.notes.join(' ')).toContain(printOf(FIRST));
    expect(profile('desk')).toMatchObject({ replaced_keys: [printOf(FIRST)] });
    expect((await run(`${PAY_1} --ensure --any-price --profile desk`)).code).toBe(0);
    expect(keys()).toEqual([OLD]);
    expect(actions()).toHaveLength(1);
    expect(actions()[0]).toMatchObject({ state: 'done', intent: { idempotency_key: OLD } });
    expect((await run('open USDTNGN buy 2000 -t 3 --deal-id PAY-2 --yes --profile desk')).code).toBe(0);
  });

  it('and a reference made from its own key is found with any key that sees it', async () => {
    const reference = 'hedge-0123456789abcdef';
    const { run, actions } = await withOldJournal({
      deal_id: undefined,
      client_reference: reference,
      key_origin: 'minted',
    });
    await served.colleague('/hedges', { ...JSON.parse(body), client_reference: reference });
    await run('check 7c1e --profile desk');
    expect(actions()[0]?.hedgeId).toMatch(/^hdg_/);
  });
});

describe('an action that was accepted with another key', () => {
  it('is followed by its hedge ID, and a close of it is not reported as executed where its side may be of another account', async () => {
    const { withKey, run, add, actions } = await aHouse();
    expect((await withKey(FIRST, `${PAY_1} --no-wait`)).code).toBe(0);
    expect((await withKey(SECOND, 'wait PAY-1')).code).toBe(0);
    expect((await withKey(FIRST, 'close USDTNGN buy --yes --no-wait')).code).toBe(0);
    const [, close] = actions();
    const waited = await withKey(OTHERS, `wait ${close?.shortId}`);
    expect([waited.code, actions()[1]?.state]).toEqual([8, 'accepted']);
    expect(waited.err).toContain('not confirmed to be of this account');
    await add('desk', FIRST);
    expect((await run(`wait ${close?.shortId} --profile desk`)).code).toBe(0);
  });
});

describe('profile set', () => {
  it('records which key replaces which, and what was unresolved goes on', async () => {
    const { add, run, front, profile, actions, keys } = await aHouse();
    await add('desk', FIRST);
    lostAfter(front);
    expect((await run(`${PAY_1} --profile desk`)).code).toBe(7);
    untouched(front);
    const set = await run(['profile', 'set', 'desk', '--key-stdin'], { stdin: SECOND });
    expect(set.code).toBe(0);
    expect(JSON.stringify(set)).not.toContain(SECOND);
    expect(profile('desk')).toMatchObject({ api_key: SECOND, replaced_keys: [printOf(FIRST)] });
    expect((await run('check --profile desk')).code).toBe(0);
    expect(actions()[0]?.state).toBe('done');
    expect(new Set(keys()).size).toBe(1);
    await run(['profile', 'set', 'desk', '--key-stdin'], { stdin: FIRST });
    expect(profile('desk').replaced_keys).toEqual([printOf(SECOND)]);
  });

  it('counts two profiles as one account where one has the key that the other replaced', async () => {
    const { add, run } = await aHouse();
    await add('desk', FIRST);
    await run(['profile', 'set', 'desk', '--key-stdin'], { stdin: SECOND });
    await add('old', FIRST);
    for (const name of ['desk', 'old'])
      expect(
        (await run(`open USDTNGN buy 1000 -t 3 --deal-id OF-${name} --yes --profile ${name}`)).code,
      ).toBe(0);
  });

  it('refuses another base URL while an outcome at the old one is not known, and takes it afterwards', async () => {
    const { add, run, front, address, profile } = await aHouse();
    await add('desk', FIRST);
    lostAfter(front);
    expect((await run(`${PAY_1} --profile desk`)).code).toBe(7);
    untouched(front);
    const other = address.replace('127.0.0.1', 'localhost');
    const refused = await run(`profile set desk --base-url ${other}`);
    expect([refused.code, refused.error, profile('desk').base_url]).toEqual([10, 'unresolved', address]);
    expect(refused.hint).toContain('hedge --profile desk check');
    // The label of the account is as much a part of it.
    expect((await run('profile set desk --account main')).code).toBe(0);
    expect((await run('check --profile desk')).code).toBe(0);
    expect((await run(`profile set desk --base-url ${other}`)).code).toBe(0);
    expect(profile('desk').base_url).toBe(other);
  });

  it('refuses another label while what was sent under the old one with another key is not known', async () => {
    const { add, run, withKey, front } = await aHouse();
    await add('desk', FIRST, '--account', 'main');
    lostBefore(front);
    expect((await withKey(SECOND, PAY_1, { HEDGE_ACCOUNT: 'main' })).code).toBe(7);
    untouched(front);
    expect(await run('profile set desk --account payroll')).toMatchObject({ code: 10, error: 'unresolved' });
    expect((await run('resume PAY-1 --yes --resend --profile desk')).code).toBe(0);
    expect((await run('profile set desk --account payroll')).code).toBe(0);
  });

  it('keeps a key where the one before was kept, and leaves that one nowhere', async () => {
    const { add, run, held, profile, home } = await aHouse();
    await add('desk', FIRST, '--store', 'keychain');
    await run(['profile', 'set', 'desk', '--key-stdin'], { stdin: SECOND });
    expect([...held.values()]).toEqual([SECOND]);
    expect(profile('desk')).toMatchObject({
      known_key: { fingerprint: printOf(SECOND) },
      replaced_keys: [printOf(FIRST)],
    });
    const keyFile = join(home, 'key');
    writeFileSync(keyFile, FIRST, { mode: 0o600 });
    await run(['profile', 'set', 'desk', '--key-command', JSON.stringify(['cat', keyFile])]);
    expect(held.size).toBe(0);
    expect(profile('desk')).not.toHaveProperty('api_key_keychain');
    expect((await run('positions --profile desk')).code).toBe(0);
  });

  it('of a key that a command prints records the key that it printed before', async () => {
    const { run, home, address, profile, front } = await aHouse();
    const keyFile = join(home, 'key');
    writeFileSync(keyFile, FIRST, { mode: 0o600 });
    const command = JSON.stringify(['cat', keyFile]);
    await run(['profile', 'add', 'desk', '--base-url', address, '--key-command', command]);
    lostBefore(front);
    expect((await run(`${PAY_1} --profile desk`)).code).toBe(7);
    untouched(front);
    writeFileSync(keyFile, SECOND, { mode: 0o600 });
    expect((await run('resume PAY-1 --yes --resend --profile desk')).code).toBe(7);
    expect((await run(['profile', 'set', 'desk', '--key-command', command])).code).toBe(0);
    expect(profile('desk').replaced_keys).toEqual([printOf(FIRST)]);
    expect((await run('resume PAY-1 --yes --resend --profile desk')).code).toBe(0);
  });

  it.each<[string, readonly string[], string, number]>([
    ['nothing to change', ['desk'], '', 2],
    ['the built-in profile', ['practice', '--account', 'main'], '', 2],
    ['a profile that is not there', ['nobody', '--account', 'main'], '', 4],
    ['a key of another environment', ['desk', '--key-stdin', '--no-check'], LIVE, 2],
    ['a key that the service rejects', ['desk', '--key-stdin'], 'hk_test_forTestsAlone0009', 4],
    ['a label with a blank', ['desk', '--account', 'two words'], '', 2],
    ['an API key as a label', ['desk', '--account', LIVE], '', 2],
  ])('refuses %s and changes nothing', async (_what, words, stdin, code) => {
    const { add, run, profile } = await aHouse();
    await add('desk', FIRST);
    const before = profile('desk');
    const ended = await run(['profile', 'set', ...words], { stdin });
    expect([ended.code, profile('desk')]).toEqual([code, before]);
    expect(JSON.stringify(ended)).not.toContain(LIVE);
  });

  it('takes a label away again, and shows it where profiles are shown', async () => {
    const { add, run, profile } = await aHouse();
    await add('desk', FIRST, '--account', 'Payroll');
    expect((await run('profile show desk')).data.account).toBe('payroll');
    await run('profile set desk --account none');
    expect(profile('desk')).not.toHaveProperty('account');
  });
});

describe('the limits of a profile used today', () => {
  it('are opens and adds as the daily limit counts them, under whatever key of the account', async () => {
    const { add, run, front } = await aHouse();
    await add('desk', FIRST, '--max-notional', '5k', '--max-daily-notional', '10k');
    const used = async () => (await run('profile show desk')).data.used_today;
    expect(await used()).toMatchObject({
      notional_usd: '0',
      remaining_usd: '10000',
      fits_notional_usd: '5000',
    });
    for (const line of [
      'open USDTNGN buy 4000 -t 3 --yes',
      'add USDTNGN buy 1000.5 --yes',
      'reduce USDTNGN buy 2000 --yes',
    ])
      expect((await run(`${line} --profile desk`)).code).toBe(0);
    front.meddle(async (line, pass) =>
      line === 'POST /hedges' ? refusal(400, 'exposure_exceeded') : pass(),
    );
    expect((await run('open USDTNGN buy 900 -t 3 --yes --profile desk')).code).toBe(3);
    lostBefore(front);
    expect((await run('open USDTNGN buy 800 -t 3 --yes --profile desk')).code).toBe(7);
    untouched(front);
    await run(['profile', 'set', 'desk', '--key-stdin'], { stdin: SECOND });
    expect(await used()).toMatchObject({
      notional_usd: '5800.5',
      remaining_usd: '4199.5',
      fits_notional_usd: '4199.5',
    });
    const blocked = await run('open USDTNGN sell 4500 -t 3 --yes --profile desk');
    expect([blocked.error, blocked.err]).toEqual([
      'limit_exceeded',
      expect.stringContaining('Largest size that fits: 4,199.50 USD'),
    ]);
    await run('profile set desk --read-only');
    expect(await used()).toMatchObject({ remaining_usd: '4199.5', fits_notional_usd: '0' });
    await run('profile set desk --max-notional none --max-daily-notional none');
    expect((await run('profile show desk')).data).not.toHaveProperty('used_today');
  });
});

describe('an earlier version of hedge', () => {
  it('is distinguished from this one by the format of its records', async () => {
    const { add, run, home } = await aHouse();
    await add('desk', FIRST);
    expect((await run(`${PAY_1} --profile desk`)).code).toBe(0);
    const lines = journalText(home).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).schema)).toEqual(lines.map(() => 3));
  });
});
