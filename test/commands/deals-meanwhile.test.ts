/**
 * `hedge deals run` while the position changes: by a colleague under other keys, after the check and during the run, or by a lookup; and while
 * the limits of its profile do.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDesk, answered, codesOf, LOOSE, outcomesOf } from '../support/deals-desk.ts';
import { everyDay } from '../support/goal.ts';
import type { RunOptions } from '../support/test-cli.ts';

const RUN = 'run FILE --yes --json';
const ON_SCREEN: RunOptions = { terminal: { isTTY: true, env: { NO_COLOR: '1' } }, answer: 'y\r' };
const rows = (size: string, ...ids: readonly string[]) =>
  ids.map((id) => `${id},USDTNGN,buy,${size},3${LOOSE}`);

/** `opens`: the colleague's open of a deal of the file, with a key of its own, and its fill. */
async function withColleague(size: string, ...ids: readonly string[]) {
  const desk = await aDesk();
  desk.write(rows(size, ...ids));
  const opens = async (id: string): Promise<void> => {
    const body = { side: 'buy', notional_usd: 1_000, tenor_days: 3, client_reference: id };
    await desk.served.colleague('/hedges', body);
    desk.clock.pass(5_000);
  };
  return { ...desk, opens };
}

const LONG = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];
/** Of each quote: ten rows take a minute and a half. */
const SLOW_MS = 9_000;

describe('deals run with a colleague', everyDay, () => {
  it('opens no deal ID that the colleague has used since the check, however soon the answer comes', async () => {
    const desk = await withColleague('1k', 'PAY-1', 'PAY-2');
    let isUsed = false;
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      // The check has read the hedges.
      if (line === 'POST /quotes' && !isUsed) {
        isUsed = true;
        await desk.opens('PAY-1');
      }
      return answer;
    });
    const ran = await desk.deals('run FILE', ON_SCREEN);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('1 filled before')]);
    expect((await desk.references()).toSorted()).toEqual(['PAY-1', 'PAY-2']);
    expect(desk.count('POST /hedges')).toBe(1);
  });

  it('in a run of minutes finds the deals that the colleague has opened since it began', async () => {
    const desk = await withColleague('1k', ...LONG);
    let sent = 0;
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      if (line === 'POST /hedges') sent += 1;
      if (line === 'POST /hedges' && sent === 1) await desk.opens('J');
      if (line === 'POST /quotes' && sent > 0) desk.clock.pass(SLOW_MS);
      return answer;
    });
    const ran = await desk.deals(RUN);
    expect([ran.code, new Set(outcomesOf(ran))]).toEqual([0, new Set(['filled'])]);
    expect(answered(ran).data.deals.filter(({ earlier }) => earlier)).toMatchObject([{ deal_id: 'J' }]);
    expect((await desk.references()).toSorted()).toEqual(LONG);
  });

  it('in a run of minutes counts no row twice against the account', async () => {
    // 490,000 of 500,000 USD of headroom.
    const desk = await withColleague('49k', ...LONG);
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      if (line === 'POST /quotes') desk.clock.pass(SLOW_MS);
      return answer;
    });
    const ran = await desk.deals(RUN);
    expect([ran.code, new Set(codesOf(ran))]).toEqual([0, new Set([null])]);
  });

  it('in a run of minutes stops at readings that fail, and says what is open', async () => {
    const desk = await withColleague('1k', ...LONG);
    let sent = 0;
    desk.front.meddle(async (line, pass) => {
      if (sent > 0 && line === 'GET /account') return 'cut';
      const answer = await pass();
      if (line === 'POST /hedges') sent += 1;
      if (line === 'POST /quotes' && sent > 0) desk.clock.pass(SLOW_MS);
      return answer;
    });
    const ran = await desk.deals(RUN);
    expect([ran.code, answered(ran).error?.effect]).toEqual([5, 'done']);
    expect(outcomesOf(ran).slice(sent)).toEqual(['stopped', 'not_run']);
    expect(answered(ran).error?.message).toContain(`${String(sent)} of 10 are open`);
  });
});

describe('deals run with an unresolved row', everyDay, () => {
  it('goes on past one that turns out not executed while another row is checked', async () => {
    const desk = await withColleague('1k', 'A');
    desk.front.meddle(async (line, pass) => (line === 'POST /hedges' ? 'cut' : pass()));
    expect((await desk.deals(RUN)).code).toBe(7);
    desk.front.meddle((_, pass) => pass());
    // For five minutes it may still arrive.
    desk.clock.pass(360_000);
    desk.write(rows('1k', 'NEW', 'A'));
    const ran = await desk.deals(RUN);
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['filled', 'filled']]);
    expect((await desk.references()).toSorted()).toEqual(['A', 'NEW']);
  });
});

describe('a limit that is set, or a profile that is removed, from another terminal', everyDay, () => {
  /** A desk with a stored profile, the default. */
  async function withProfile() {
    const desk = await aDesk();
    const {
      HEDGE_API_KEY: key = '',
      HEDGE_BASE_URL: url = '',
      HEDGE_CA_FILE: ca = '',
    } = desk.front.way(desk.home);
    const run = (words: string, options: RunOptions = {}) =>
      desk.run(words, { ...options, env: { HEDGE_API_KEY: '', HEDGE_BASE_URL: '', HEDGE_CA_FILE: '' } });
    const must = async (words: string, options?: RunOptions): Promise<void> => {
      expect((await run(words, options)).code).toBe(0);
    };
    await must(`profile add desk --base-url ${url} --key-stdin --ca-file ${ca}`, { stdin: `${key}\n` });
    await must('profile use desk --yes');
    desk.write(rows('1k', 'A', 'B', 'C'));
    /** The first order that arrives lets it happen before its answer. */
    const onFirstOrder = (happens: () => Promise<void>): void => {
      let isDone = false;
      desk.front.meddle(async (line, pass) => {
        const answer = await pass();
        if (line === 'POST /hedges' && !isDone) {
          isDone = true;
          await happens();
        }
        return answer;
      });
    };
    return { ...desk, run, must, onFirstOrder, path: join(desk.home, 'deals.csv') };
  }

  it.each<[string, readonly string[], string]>([
    ['profile limit desk --read-only', ['filled', 'stopped', 'not_run'], 'read_only'],
    ['profile limit desk --max-notional 500', ['filled', 'stopped', 'not_run'], 'limit_exceeded'],
    ['profile limit desk --max-daily-notional 2k', ['filled', 'filled', 'stopped'], 'limit_exceeded'],
    ['profile remove desk --yes', ['filled', 'stopped', 'not_run'], 'account_unclear'],
    ['profile set desk --account payouts', ['filled', 'stopped', 'not_run'], 'account_unclear'],
  ])('%s holds for the next row of a file that runs', async (words, outcomes, code) => {
    const desk = await withProfile();
    desk.onFirstOrder(() => desk.must(words));
    const ran = await desk.run(`deals run ${desk.path} --yes --json`);
    expect([ran.code, outcomesOf(ran)]).toEqual([10, outcomes]);
    expect(codesOf(ran)).toContain(code);
    expect(desk.count('POST /hedges')).toBe(outcomes.filter((each) => each === 'filled').length);
  });

  it('holds for the next line of a batch', async () => {
    const desk = await withProfile();
    const file = join(desk.home, 'batch.txt');
    writeFileSync(
      file,
      'open USDTNGN buy 1k --tenor 3 --any-price --deal-id A\nopen USDTNGN buy 1k --tenor 3 --any-price --deal-id B\n',
    );
    desk.onFirstOrder(() => desk.must('profile limit desk --read-only'));
    expect((await desk.run(`batch ${file} --yes`)).code).toBe(10);
    expect(await desk.references()).toEqual(['A']);
  });

  it('holds for an open that waits for its confirmation', async () => {
    const desk = await withProfile();
    const ran = await desk.run('open USDTNGN buy 1k --tenor 3 --deal-id A', {
      ...ON_SCREEN,
      answer: async () => {
        await desk.must('profile limit desk --read-only');
        return 'y\r';
      },
    });
    expect([ran.code, ran.err]).toEqual([10, expect.stringContaining('This profile is read-only.')]);
    expect(desk.count('POST /hedges')).toBe(0);
  });
});
