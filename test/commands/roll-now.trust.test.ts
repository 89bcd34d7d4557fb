/** `hedge roll --at now` where the journal fails, leg 2 fails, a colleague closes, or another machine rolls the same hedge. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { aDesk } from '../support/deals-desk.ts';
import { type Passed, refusal } from '../support/front.ts';
import { ON_A_TERMINAL, type Ran } from '../support/test-cli.ts';
import { holdJournal } from '../support/written-journal.ts';

const NOW = 'roll USDTNGN buy --tenor 3 --at now --yes';

interface Told {
  data: { chain_id: string; state: string; next: string | null; legs: { open: unknown } };
  error: { code: string; effect: string; message: string; hint?: string } | null;
}
const told = (ran: Ran): Told => JSON.parse(ran.out);

const showsFlat = (line: string, { body }: Passed): boolean =>
  line === 'GET /positions' && JSON.parse(body).data.length === 0;
const isLine = (wanted: string) => (line: string) => line === wanted;

/** With one hedge, PAY-1, that was opened from this machine. */
async function aRollDesk() {
  const desk = await aDesk();
  expect((await desk.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes')).code).toBe(0);
  const state = join(desk.home, 'state');
  return {
    ...desk,
    /** The folder of the journal is gone until `restore`. */
    loseJournal() {
      renameSync(state, `${state}.lost`);
      writeFileSync(state, '');
    },
    restore() {
      rmSync(state);
      renameSync(`${state}.lost`, state);
    },
    /** Each once, in order, before the first answer that shows it. */
    before(...steps: readonly (readonly [(line: string, answer: Passed) => boolean, () => unknown])[]) {
      const left = [...steps];
      desk.front.meddle(async (line, pass) => {
        const answer = await pass();
        if (left[0]?.[0](line, answer) === true) await left.shift()?.[1]();
        return answer;
      });
    },
  };
}

it('a roll that is stopped while its close is awaited names the roll, which would open leg 2 later', async () => {
  const desk = await aRollDesk();
  const stop = new AbortController();
  const reason = new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' });
  desk.before([(line) => line.endsWith('/close'), () => stop.abort(reason)]);
  const ran = await desk.run(`${NOW} --json`, { signal: stop.signal });
  const { data, error } = told(ran);
  expect([data.state, error?.code]).toEqual(['closing', 'interrupted']);
  expect(error?.hint).toMatch(/hedge (?:check|roll run) \w+ .*hedge roll drop \w+ --note TEXT .*would open/s);
});

it('a roll whose close was accepted and never showed leads to its check, where a person records it', async () => {
  const desk = await aRollDesk();
  await desk.served.desk.service.admin.setFaults({ failing_orders: 1 });
  const first = await desk.run(`${NOW} --json`);
  expect([first.code, told(first).error?.hint]).toEqual([8, expect.stringMatching(/^hedge roll run \w+ /)]);
  desk.clock.pass(6 * 60_000);
  expect((await desk.run('check')).err).toContain('NOT SEEN');
  const again = await desk.run('roll run --due --yes');
  expect([again.code, again.err]).toEqual([
    8,
    expect.stringMatching(/hedge check \w{4} +look up leg 1; then run/),
  ]);
  expect(again.err).not.toContain('hedge roll run');
});

describe.each([
  { how: 'reduced', path: '/hedges/reduce', amount: 4_000, open: 6_000, note: 'Leg 2 has what was closed.' },
  {
    how: 'added to',
    path: '/hedges/add',
    amount: 5_000,
    open: 10_000,
    note: '5,000.00 USD that were closed are not hedged. hedge add USDTNGN buy 5000',
  },
] as const)(
  'a roll whose hedge is $how by a colleague just before the close',
  ({ path, amount, open, note }) => {
    it.each(['closed', 'filled'])(
      `opens leg 2 at ${open} USD, says why, and ends with 10, also where a closed hedge is listed as %s`,
      async (status) => {
        const desk = await aRollDesk();
        desk.front.meddle(async (line, pass) => {
          if (line === 'POST /hedges/close') {
            await desk.served.colleague(path, { side: 'buy', notional_usd: amount });
            desk.clock.pass(5_000);
          }
          const answer = await pass();
          return { ...answer, body: answer.body.replaceAll('"status":"closed"', `"status":"${status}"`) };
        });
        const ran = await desk.run(NOW);
        expect([ran.code, ran.err.replaceAll(/\s+/g, ' ')]).toEqual([10, expect.stringContaining(note)]);
        expect(await desk.served.openOn('buy')).toBe(open);
        expect((await desk.run('roll show --json')).document()).toMatchObject({
          data: [
            {
              state: 'done',
              note: expect.stringContaining(`Leg 2 is open at ${open === 6_000 ? '6' : '10'},000.00`),
            },
          ],
        });
      },
    );
  },
);

describe('a roll whose journal fails after the close was sent', () => {
  it('says that the side is flat (78), and the next run opens leg 2', async () => {
    const desk = await aRollDesk();
    desk.before([showsFlat, desk.loseJournal]);
    const ran = await desk.run(`${NOW} --json`);
    desk.restore();
    const { data, error } = told(ran);
    expect([ran.code, error?.code, error?.effect]).toEqual([78, 'damaged_file', 'done']);
    expect(error?.message).toContain('USDTNGN buy is flat');
    expect(data.state).toBe('flat_open_due');
    expect(error?.hint).toContain(`hedge roll run ${data.chain_id}`);
    expect(await desk.served.openOn('buy')).toBe(0);
    expect((await desk.run(`roll run ${data.chain_id} --yes`)).code).toBe(0);
    expect(await desk.served.openOn('buy')).toBe(10_000);
  });

  it('opens leg 2 where another process wrote to the journal for a while', async () => {
    const desk = await aRollDesk();
    let release = (): void => undefined;
    // Leg 2 reads its market once the outcome is in pending.sqlite.
    desk.before(
      [
        showsFlat,
        () => {
          release = holdJournal(desk.home);
        },
      ],
      [isLine('GET /markets'), () => release()],
    );
    const ran = await desk.run(`${NOW} --json`);
    expect([ran.code, told(ran).data.state]).toEqual([0, 'done']);
    expect(ran.err).not.toContain('is not in the journal');
    expect(await desk.served.openOn('buy')).toBe(10_000);
  });

  it('is done where only the outcome of leg 2 could not be recorded', async () => {
    const desk = await aRollDesk();
    desk.before([isLine('POST /hedges'), desk.loseJournal]);
    const ran = await desk.run(`${NOW} --json`);
    desk.restore();
    expect([ran.code, told(ran).data.state]).toEqual([0, 'done']);
    expect(await desk.served.openOn('buy')).toBe(10_000);
  });
});

describe('a roll whose leg 2 fails', () => {
  const FAILURES: readonly (readonly [string, number, () => Passed | undefined])[] = [
    ['is rejected', 3, () => refusal(400, 'insufficient_balance')],
    ['has a rejected key', 4, () => refusal(401, 'unauthorized')],
  ];
  it.each(FAILURES)('and %s has one next command, and the effect of both legs', async (_, code, answer) => {
    const desk = await aRollDesk();
    desk.front.meddle(async (line, pass) => (line === 'POST /hedges' ? (answer() ?? pass()) : pass()));
    const ran = await desk.run(NOW, ON_A_TERMINAL);
    expect(ran.code).toBe(code);
    const all = `${ran.out}${ran.err}`;
    expect(all.match(/^\s*hedge .*/gm)).toHaveLength(1);
    expect(all).toContain('USDTNGN buy is flat');
    expect(all).not.toContain('Nothing was executed');
  });

  it('on the chain has one next command, which opens it', async () => {
    const desk = await aRollDesk();
    await desk.served.desk.service.admin.setFaults({ failing_orders: 1, only: 'open' });
    const ran = await desk.run(`${NOW} --json`);
    const { data, error } = told(ran);
    expect([ran.code, error?.effect]).toEqual([9, 'done']);
    expect(error?.hint?.trim()).toMatch(new RegExp(`^hedge roll run ${data.chain_id} +open leg 2$`));
    expect(data.next).toContain(`roll run ${data.chain_id}`);
  });
});

describe('a roll of which leg 2 cannot be looked at again', () => {
  /** Once leg 2 was seen filled; `lacksFirst`: after one more reading, in which the positions lack it. */
  async function aFailingDesk(lacksFirst: boolean, outage: () => Passed | 'cut', command = `${NOW} --json`) {
    const desk = await aRollDesk();
    let looks = 0;
    let lacked = false;
    desk.front.meddle(async (line, pass) => {
      if (lacksFirst ? looks > 1 && lacked : looks > 0) return outage();
      const answer = await pass();
      if (
        line.startsWith('GET /hedges/hdg_') &&
        answer.body.includes('.r2') &&
        answer.body.includes('"filled"')
      )
        looks += 1;
      if (looks === 0 || line !== 'GET /positions') return answer;
      lacked = true;
      return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), data: [] }) };
    });
    const ran = await desk.run(command);
    desk.front.meddle((_, pass) => pass());
    return { ...desk, ran };
  }

  it.each([
    ['the network fails', false, (): 'cut' => 'cut'],
    ['the service fails', false, () => refusal(503, 'unavailable')],
    ['one reading lags and the network fails then', true, (): 'cut' => 'cut'],
  ])('as %s: that is not known, and the same command looks again', async (_, lacksFirst, outage) => {
    const desk = await aFailingDesk(lacksFirst, outage);
    const { data, error } = told(desk.ran);
    expect([desk.ran.code, error?.code, error?.effect, data.state]).toEqual([
      8,
      'pending',
      'pending',
      'done',
    ]);
    expect(error?.message).not.toContain('the positions do not show');
    expect(error?.hint).toContain(`hedge roll run ${data.chain_id}`);
    expect((await desk.run('roll show --json')).out).not.toContain('closed again');
    for (const again of [`${NOW} --json`, 'roll run --due --yes --json']) {
      desk.clock.pass(600_000);
      expect((await desk.run(again)).code).toBe(0);
      expect(await desk.references()).toEqual(['PAY-1.r2', 'PAY-1']);
    }
    expect(await desk.served.openOn('buy')).toBe(10_000);
  });

  it('is looked at again by roll run --due', async () => {
    const desk = await aFailingDesk(false, () => 'cut', NOW);
    expect(desk.ran.out).toContain('PENDING buy USDTNGN 10,000.00 USD');
    const ran = await desk.run('roll run --due --yes');
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('ROLLED buy USDTNGN 10,000.00 USD')]);
    expect((await desk.run('roll run --due --yes')).out).toContain('No roll is due.');
  });
});

describe('a roll whose leg 2 is more than 24 hours late', () => {
  it('is opened by the same command only with --late: the desk may have hedged by hand', async () => {
    const desk = await aRollDesk();
    desk.front.meddle(async (line, pass) =>
      line === 'POST /hedges' ? refusal(400, 'insufficient_balance') : pass(),
    );
    const { chain_id: id } = told(await desk.run(`${NOW} --json`)).data;
    desk.front.meddle((_, pass) => pass());
    desk.clock.pass(25 * 3_600_000);
    expect((await desk.run('open USDTNGN buy 10k --tenor 7 --yes')).code).toBe(0);
    for (const command of [NOW, `${NOW} --dry-run`, 'roll PAY-1 --tenor 3 --at now --yes']) {
      const { code, out } = await desk.run(`${command} --json`);
      expect([code, JSON.parse(out)]).toMatchObject([
        10,
        { data: { state: 'missed' }, error: { code: 'roll_missed', effect: 'none' } },
      ]);
    }
    expect(await desk.served.openOn('buy')).toBe(10_000);
    const { out } = await desk.run(NOW, ON_A_TERMINAL);
    expect(out).toContain(`NOT ROLLED buy USDTNGN 10,000.00 USD, roll ${id}: leg 2 more than 24 h late`);
    expect((await desk.run(`roll run ${id} --late --yes`)).code).toBe(10);
    expect((await desk.run(`roll run ${id} --late --allow-duplicate --yes`)).code).toBe(0);
    expect(await desk.served.openOn('buy')).toBe(20_000);
  });
});

describe('a roll despite an unresolved action', () => {
  /** An open without a response, which did not arrive. */
  async function unresolved({ front, run }: Awaited<ReturnType<typeof aRollDesk>>): Promise<string> {
    front.meddle(async (line, pass) => (line === 'POST /hedges' ? 'cut' : pass()));
    const ran = await run('open USDTNGN buy 777 --tenor 7 --yes --json');
    front.meddle((_, pass) => pass());
    return JSON.parse(ran.out).data.action_id;
  }

  it('of one side runs the due rolls of every side', async () => {
    const desk = await aRollDesk();
    expect((await desk.run('open USDTNGN sell 2k --tenor 3 --deal-id PAY-2 --yes')).code).toBe(0);
    for (const id of ['PAY-1', 'PAY-2'])
      expect((await desk.run(`roll ${id} --tenor 1 --at maturity --yes`)).code).toBe(0);
    desk.clock.pass(73 * 3_600_000);
    const id = await unresolved(desk);
    const ran = await desk.run(`roll run --due --yes --despite ${id} --json`);
    expect([ran.code, ran.document()]).toMatchObject([0, { data: [{ state: 'done' }, { state: 'done' }] }]);
    expect((await desk.run(`roll run --due --yes --despite ${id}`)).code).toBe(0);
  });

  it('or stopped by it: names first what to look up, and then the roll', async () => {
    const desk = await aRollDesk();
    expect((await desk.run('roll PAY-1 --tenor 1 --at maturity --yes')).code).toBe(0);
    desk.clock.pass(73 * 3_600_000);
    const id = await unresolved(desk);
    const ran = await desk.run('roll run --due --yes --json');
    expect([ran.code, ran.document()]).toMatchObject([
      10,
      {
        error: {
          code: 'unresolved',
          hint: expect.stringMatching(
            new RegExp(`hedge check ${id.slice(0, 4)} +first\\n.*hedge roll run \\w+ +open leg 2`),
          ),
        },
      },
    ]);
  });

  it('opens leg 2 also where that action turns out not executed after the close of leg 1', async () => {
    const desk = await aRollDesk();
    const id = await unresolved(desk);
    // For five minutes it may still arrive.
    desk.clock.pass(294_000);
    desk.before([showsFlat, () => desk.clock.pass(8_000)]);
    const ran = await desk.run(`${NOW} --despite ${id} --json`);
    expect([ran.code, told(ran).data.state]).toEqual([0, 'done']);
    expect((await desk.run(`journal ${id} --json`)).document()).toMatchObject({ data: { state: 'failed' } });
    expect(await desk.served.openOn('buy')).toBe(10_000);
    // Nothing was sent yet: a word that names no unresolved action of the side is a mistake.
    expect((await desk.run(`roll PAY-1.r2 --tenor 1 --at now --yes --despite ${id}`)).code).toBe(2);
  });
});

describe('roll run --due of several rolls', () => {
  /** Two hedges that have settled, each with a plan. */
  async function dueDesk() {
    const desk = await aRollDesk();
    expect((await desk.run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes')).code).toBe(0);
    for (const id of ['PAY-1', 'PAY-2'])
      expect((await desk.run(`roll ${id} --tenor 1 --at maturity --yes`)).code).toBe(0);
    desk.clock.pass(73 * 3_600_000);
    return desk;
  }

  const RUN = 'roll run --due --yes --json';
  const isOpen = (line: string): boolean => line === 'POST /hedges';

  it('says what the whole run did where the last leg 2 is rejected', async () => {
    const desk = await dueDesk();
    let opens = 0;
    desk.front.meddle(async (line, pass) => {
      opens += isOpen(line) ? 1 : 0;
      return isOpen(line) && opens === 2 ? refusal(400, 'insufficient_balance') : pass();
    });
    const ran = await desk.run(RUN);
    const { error } = JSON.parse(ran.out);
    expect([ran.code, error.code, error.effect]).toEqual([3, 'insufficient_balance', 'done']);
    expect(error.message).toContain('1 of 2 rolls done');
    expect(error.message).not.toContain('Nothing was executed');
  });

  it.each([
    ['a halt', 10, 'halt venue'],
    ['an operator who drops the next one', 10, 'roll drop PAY-2 --note paid --yes'],
  ])('says so after %s half-way', async (_, code, command) => {
    const desk = await dueDesk();
    desk.before([isOpen, () => desk.run(command)]);
    const ran = await desk.run(RUN);
    const { error } = JSON.parse(ran.out);
    expect([ran.code, error.effect]).toEqual([code, 'done']);
    expect(error.message).toContain('1 of 2 rolls done');
    expect(error.message).not.toMatch(/Nothing was (executed|sent)/);
  });

  it('shows a leg 2 that was opened and closed at once (7), and ends its roll', async () => {
    const desk = await dueDesk();
    desk.before([
      isOpen,
      async () => {
        desk.clock.pass(4_500);
        await desk.served.colleague('/hedges/close', { side: 'buy' });
        desk.clock.pass(4_500);
      },
    ]);
    const ran = await desk.run('roll run PAY-1 --yes --json');
    const { data, error } = JSON.parse(ran.out);
    expect([ran.code, error.code, error.effect]).toEqual([7, 'outcome_unknown', 'unknown']);
    expect(error.message).toMatch(/^NOT ROLLED: leg 2 of roll .* was filled and is closed again\. Another/);
    expect(data).toMatchObject([{ state: 'dropped', legs: { open: { outcome: 'closed' } } }]);
    expect((await desk.run('roll run PAY-1 --yes --json')).document()).toMatchObject({
      data: [{ outcome: 'not_due', state: 'dropped' }],
      error: null,
    });
    expect(desk.count(/^POST \/hedges$/)).toBe(3);
  });

  it('says nothing of the kind where nothing was done', async () => {
    const desk = await dueDesk();
    await desk.run('halt venue');
    const ran = await desk.run(RUN);
    const { error } = JSON.parse(ran.out);
    expect([ran.code, error.code, error.effect]).toEqual([10, 'halted', 'none']);
    expect(error.message).toContain('Leg 2 was not sent');
  });

  it('stopped by the operator half-way says what was done', async () => {
    const desk = await dueDesk();
    const stop = new AbortController();
    const reason = new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' });
    desk.before([isOpen, () => undefined], [(line) => line === 'POST /quotes', () => stop.abort(reason)]);
    const ran = await desk.run(RUN, { signal: stop.signal });
    const { error } = JSON.parse(ran.out);
    expect([error.code, error.effect]).toEqual(['interrupted', 'done']);
    expect(error.message).not.toMatch(/Nothing was (executed|sent)/);
  });
});
