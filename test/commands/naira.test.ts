/** Sizes that are not typed as a notional: naira to cover, the largest that fits, and the size of the side afterwards. */
import { describe, expect, it } from 'vitest';
import {
  aHedge,
  aMarket,
  anAcceptedChange,
  anAcceptedOpen,
  anAccount,
  aPosition,
  type Body,
} from '../spec/bodies.ts';
import { cliFor, LIVE_KEY } from '../support/cli-for.ts';
import {
  type Asked,
  expectUsageError,
  MID,
  type PricedService,
  priced,
  pricedService,
  type Reply,
} from '../support/priced-service.ts';
import { ON_A_TERMINAL, type RunOptions, type TestCli, testCli } from '../support/test-cli.ts';

const QUOTES = 'POST /quotes';
const OPENS = 'POST /hedges';
const MILLION = 1_000_000;

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
/** Opened an hour ago for three days, whenever the test runs. */
const running = () => ({ opened_at: inHours(-1), filled_at: inHours(-1), maturity_at: inHours(71) });

type Answers = Readonly<Record<string, (asked: Asked) => Reply>>;

/** At one price, whatever the size: 1,516.25 unless another one. */
const flat =
  (rate: () => number = () => 1516.25) =>
  ({ body }: Asked): Reply => {
    const quote = priced(body);
    return {
      data: { ...quote, pricing: { market_price: MID, execution_price: rate(), price_impact_usd: -1 } },
    };
  };

const movedAfter =
  (count: number, rate: number) =>
  (asked: Asked): Reply =>
    flat(() => (asked.nth > count ? rate : 1516.25))(asked);

const ATTENDED = { isTTY: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } };
const SAYS_YES: RunOptions = { answer: 'y\r', terminal: ATTENDED };

/** The body of the last request of this line. */
const lastBody = (service: PricedService, line: string): Body => {
  const request = service.requests.findLast((each) => each.line === line);
  if (request === undefined) throw new Error(`no ${line}`);
  return request.body;
};

/** A service that fills what it accepts, and sends the specified fields alone. `changes`: answers in its place. */
async function filling(changes: Answers = {}, filled: Body[] = []): Promise<PricedService> {
  const list = (): Reply => ({ data: filled });
  return pricedService({
    [QUOTES]: flat(),
    'GET /positions': () => ({ data: [] }),
    'GET /hedges?limit=500': list,
    'GET /hedges?client_reference=PAY-1&limit=500': list,
    'GET /hedges/hdg_01JD8K': () => ({ data: filled[0] }),
    [OPENS]: ({ body }) => {
      filled.unshift(aHedge({ ...running(), ...body, struck_rate: 1516.5 }));
      return { data: anAcceptedOpen() };
    },
    ...changes,
  });
}

const OPEN = 'open USDTNGN buy --ngn 800m --tenor 3';

/** What the journal says of its one action. */
async function journaled(cli: TestCli): Promise<Body> {
  const { data }: { data: Body[] } = JSON.parse((await cli.run('journal --json')).out);
  expect(data).toHaveLength(1);
  return data[0] ?? {};
}

describe('quote --ngn', () => {
  it('quotes the size that covers the amount, with both figures', async () => {
    const service = await pricedService({ [QUOTES]: flat() });
    const ran = await cliFor(service).run('quote USDTNGN buy --ngn 800m --tenor 3 --json');
    // 800,000,000 / 1,516.25 = 527,617.477…; 527,617.47 × 1,516.25 = 799,999,988.8875.
    expect(ran.document()).toMatchObject({
      data: {
        notional_usd: 527617.47,
        derived: {
          notional_quote: 799999988.8875,
          sized: { ngn_asked: 800 * MILLION, ngn: 799999988.8875, ngn_rest: 11.1125 },
        },
      },
      error: null,
    });
    // At the mid first: 800,000,000 / 1,500.
    expect(
      service.requests.filter(({ line }) => line === QUOTES).map(({ body }) => body['notional_usd']),
    ).toEqual([533333.33, 527617.47]);
  });

  it('shows what was asked and the rest, and a tenor at whose price it is more', async () => {
    const service = await pricedService({
      [QUOTES]: ({ body, nth }) => flat(() => (body['tenor_days'] === 7 ? 1520 : 1516.25))({ body, nth }),
    });
    const { out } = await cliFor(service).run('quote USDTNGN buy --ngn 800m', ON_A_TERMINAL);
    expect(out).toContain('Buy USDTNGN 527,617.47 USD = 799,999,988.89 NGN.');
    expect(out).toContain('Naira, 1 d: 799,999,988.89 NGN of 800,000,000.00 asked; rest 11.11.');
    // 527,617.47 × 1,520 = 801,978,554.40.
    expect(out).toContain('Naira, 7 d: 801,978,554.40 NGN of 800,000,000.00 asked; 1,978,554.40 above');
    expect(out).not.toContain('Naira, 3 d');
  });

  it.each([
    ['800m', 800 * MILLION],
    ['0.8bn', 800 * MILLION],
    ['800,000,000', 800 * MILLION],
    ['₦800m', 800 * MILLION],
    ['NGN800m', 800 * MILLION],
    ['800_000_000.00', 800 * MILLION],
    ['900000K', 900 * MILLION],
  ])('takes %s', async (text, amount) => {
    const service = await pricedService({ [QUOTES]: flat() });
    const ran = await cliFor(service).run(`quote USDTNGN sell --ngn ${text} -t 1 --json`);
    expect(ran.document()).toMatchObject({ data: { derived: { sized: { ngn_asked: amount } } } });
  });

  it.each([
    ['quote USDTNGN buy 10k --ngn 800m', 'given more than once'],
    ['quote USDTNGN buy --ngn 800m --max', 'given more than once'],
    ['open USDTNGN buy 10k --max --tenor 3', 'given more than once'],
    ['add USDTNGN buy 10k --to 20k', 'given more than once'],
    ['add USDTNGN buy --to 20k --ngn 1m', 'given more than once'],
    ['quote USDTNGN buy --ngn 800.000', 'not an amount in naira'],
    ['quote USDTNGN buy --ngn 800mm', 'not an amount in naira'],
    ['open USDTNGN buy --ngn --tenor 3', '--ngn needs a value: "--tenor" is an option'],
    ['quote USDTNGN buy --ngn 0', 'not an amount in naira'],
    ['quote USDTNGN buy --ngn=-5m', 'not an amount in naira'],
    ['quote USDTNGN buy --ngn 1.234', 'not an amount in naira'],
    ['quote USDTNGN buy --ngn 1234.567', 'more than two decimals'],
    ['quote USDTKES buy --ngn 800m', 'not quoted in naira'],
    ['quote USDTNGN buy --ngn 800m --curve', 'needs a notional'],
    ['quote USDTNGN --sizes 10k --ngn 800m', 'no --ngn'],
    ['quote USDTNGN --sizes 10k --max', 'no --max'],
    ['open USDTNGN buy --ngn 800m --yes', 'Missing: --tenor DAYS'],
    ['reduce USDTNGN buy 10.000', 'not a notional'],
    ['reduce USDTNGN buy 1.2345678', 'six decimals'],
    ['open USDTNGN buy 1234.567 --tenor 3', 'two decimals'],
  ])('is exit code 2 before any request: %s', (words, says) => expectUsageError(words, says));

  it('offers only sizes as they were typed: an example would be another trade', async () => {
    const cli = cliFor(await pricedService({}));
    const { err } = await cli.run('add USDTNGN buy 10k --ngn 5m --to 12k');
    expect(err).toMatch(
      /^hedge add USDTNGN buy 10k\nhedge add USDTNGN buy --ngn 5m\nhedge add USDTNGN buy --to 12k$/m,
    );
  });

  it('does not guess while the price moves', async () => {
    const service = await pricedService({
      [QUOTES]: (asked) => flat(() => 1500 + 20 * asked.nth)(asked),
    });
    const ran = await cliFor(service).run('quote USDTNGN buy --ngn 800m -t 1 --json');
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ data: null, error: { code: 'size_not_found', effect: 'none' } });
    expect(service.count(QUOTES)).toBe(4);
  });
});

describe('--max', () => {
  it('is the smallest of headroom, capacity and what the balance pays for, less 1 %', async () => {
    const service = await pricedService();
    const ran = await cliFor(service).run('quote USDTNGN buy --max -t 3 --json');
    // 41,320 / 0.101 = 409,108.910891…; × 0.99 = 405,017.8217….
    expect(ran.document()).toMatchObject({
      data: {
        notional_usd: 405017.82,
        derived: { sized: { binding: 'balance', room_usd: 409108.910891 } },
      },
    });
    const { out } = await cliFor(service).run('quote USDTNGN buy --max -t 3', ON_A_TERMINAL);
    expect(out).toContain('Size 405,017.82 USD: 99 % of the 409,108.91 USD that your balance pays for.');
  });

  it.each([
    [{}, { buy: 100_000, sell: 1 }, 99_000, 'capacity'],
    [{ available_exposure_usd: 50_000 }, { buy: 100_000, sell: 1 }, 49_500, 'headroom'],
  ])('opens it and names the limit: %j %j', async (account, capacity, notional, binding) => {
    const service = await filling({
      'GET /account': () => ({ data: anAccount(account) }),
      'GET /markets': () => ({ data: [aMarket({ available_capacity_usd: capacity })] }),
    });
    const cli = cliFor(service);
    const ran = await cli.run('open USDTNGN buy --max --tenor 3 --yes --json');
    expect(ran.code).toBe(0);
    expect(ran.document()).toMatchObject({
      data: { request: { notional_usd: notional }, derived: { asked: 'max', sized: { binding } } },
    });
    expect(await journaled(cli)).toMatchObject({ asked: 'max', request: { notional_usd: notional } });
  });

  it('keeps the limits of the profile, of which it takes all, and names the one that limits it', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const sized = async (words: string) => {
      const ran = await cli.run(`${words} --json`);
      const { data } = JSON.parse(ran.out);
      return [ran.code, data.notional_usd ?? data.request.notional_usd, data.derived.sized];
    };
    await cli.run('profile limit practice --max-notional 50k --max-daily-notional 60k');
    const perTrade = { binding: 'per_trade_limit', room_usd: 50_000 };
    expect(await sized('quote USDTNGN buy --max -t 3')).toEqual([0, 50_000, perTrade]);
    expect(await sized('open USDTNGN buy --max --tenor 3 --dry-run')).toEqual([0, 50_000, perTrade]);
    expect(await sized('open USDTNGN buy --max --tenor 3 --yes')).toEqual([0, 50_000, perTrade]);
    const today = { binding: 'daily_limit', room_usd: 10_000 };
    expect(await sized('quote USDTNGN buy --max -t 3')).toEqual([0, 10_000, today]);
    expect(await sized('add USDTNGN buy --max --yes')).toEqual([0, 10_000, today]);
    const { out } = await cli
      .run('profile limit practice --max-daily-notional 61k')
      .then(() => cli.run('quote USDTNGN buy --max -t 3', ON_A_TERMINAL));
    expect(out).toContain('Size 1,000.00 USD: limited by the daily limit, 1,000.00 USD left today.');
    await cli.run('profile limit practice --max-daily-notional 60k');
    const none = await cli.run('quote USDTNGN buy --max -t 3 --json');
    expect([none.code, none.document()]).toEqual([
      10,
      expect.objectContaining({ error: expect.objectContaining({ code: 'limit_exceeded' }) }),
    ]);
  });

  it('is exit code 10 when nothing fits, with the limit', async () => {
    const service = await filling({
      'GET /account': () => ({ data: anAccount({ available_exposure_usd: 0 }) }),
    });
    const ran = await cliFor(service).run('open USDTNGN buy --max --tenor 3 --yes --json');
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'exposure_exceeded' } });
    expect(service.count(OPENS)).toBe(0);
  });
});

describe('open --ngn', () => {
  it('is checked like any other size', async () => {
    const service = await filling();
    const ran = await cliFor(service).run(`${OPEN} --yes --json`);
    // 527,617.47 exceeds the headroom of 425,000.
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'exposure_exceeded' } });
    expect(service.count(OPENS)).toBe(0);
  });

  it('sends the notional that was found, and the journal has how it was asked', async () => {
    const service = await filling();
    const cli = cliFor(service);
    const small = await cli.run('open USDTNGN buy --ngn 80m --tenor 3 --yes --json');
    expect(small.code).toBe(0);
    // 80,000,000 / 1,516.25 = 52,761.747…; 52,761.74 × 1,516.25 = 79,999,988.275, rest 11.725.
    expect(lastBody(service, OPENS)).toMatchObject({ notional_usd: 52761.74 });
    expect(small.document()).toMatchObject({
      data: {
        request: { notional_usd: 52761.74 },
        derived: {
          asked: 'ngn 80000000',
          sized: { ngn_asked: 80 * MILLION, ngn: 79999988.275, ngn_rest: 11.725 },
        },
      },
    });
    expect(await journaled(cli)).toMatchObject({
      asked: 'ngn 80000000',
      request: { notional_usd: 52761.74 },
      sent_by: expect.arrayContaining(['--ngn', '80m']),
    });
    const { data }: { data: readonly { action_id: string }[] } = JSON.parse(
      (await cli.run('journal --json')).out,
    );
    const shown = await cli.run(['journal', data[0]?.action_id ?? ''], ON_A_TERMINAL);
    expect(shown.out).toMatch(/Requested as +80,000,000\.00 NGN/);
  });

  it('has the naira at the struck rate in the document, and all of it again when it is repeated', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const open = 'open USDTNGN buy --ngn 5m --tenor 3 --deal-id N-1 --ensure --yes --json';
    const [first, again] = [await cli.run(open), await cli.run(open)].map(({ out }) => JSON.parse(out).data);
    const { asked, sized, struck_rate: struck, filled_notional_usd: filled } = first.derived;
    expect([asked, sized.ngn_asked]).toEqual(['ngn 5000000', 5_000_000]);
    expect(sized.ngn + sized.ngn_rest).toBeCloseTo(5_000_000, 6);
    expect(sized.ngn_struck).toBeCloseTo(filled * struck, 6);
    expect(again.derived.sized).toEqual(sized);
    const planned = await cli.run('open USDTNGN sell --ngn 5m --tenor 3 --dry-run --json');
    expect(JSON.parse(planned.out).data.derived.sized).toMatchObject({
      ngn_asked: 5_000_000,
      ngn_struck: null,
    });
  });

  it('asks for at most four quotes before the confirmation, whatever the impact', async () => {
    for (const side of ['buy', 'sell']) {
      const service = await filling({ [QUOTES]: ({ body }) => ({ data: priced(body) }) });
      const ran = await cliFor(service).run(`open USDTNGN ${side} --ngn 400m --tenor 3 --dry-run --json`);
      expect(ran.code).toBe(0);
      expect(service.count(QUOTES)).toBeLessThanOrEqual(4);
      const { data }: { data: { derived: { sized: { ngn: number; ngn_rest: number } } } } = JSON.parse(
        ran.out,
      );
      expect(data.derived.sized.ngn).toBeLessThanOrEqual(400 * MILLION);
      expect(data.derived.sized.ngn_rest).toBeLessThan(40_000);
    }
  });

  it('shows both figures in the preview and in the result', async () => {
    const service = await filling();
    const ran = await cliFor(service).run('open USDTNGN buy --ngn 80m --tenor 3', SAYS_YES);
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/OPEN buy USDTNGN 52,761\.74 USD/);
    expect(ran.err).toMatch(/Naira +79,999,988\.28 +NGN +of 80,000,000\.00 asked; rest\s+11\.72/);
    // 52,761.74 × 1,516.50 = 80,013,178.71.
    expect(ran.out).toMatch(
      /Naira +80,013,178\.71 NGN at the struck rate, of 80,000,000\.00\s+asked;\s+13,178\.71\s+above\s+it/,
    );
  });

  it('is fixed when it is confirmed: a price that moves a little changes nothing', async () => {
    // The size is found with two quotes; 1,517 is 4.9 bps worse.
    const service = await filling({ [QUOTES]: movedAfter(2, 1517) });
    const ran = await cliFor(service).run('open USDTNGN buy --ngn 80m --tenor 3', SAYS_YES);
    expect(ran.code).toBe(0);
    expect(lastBody(service, OPENS)).toMatchObject({ notional_usd: 52761.74 });
    expect(lastBody(service, QUOTES)).toMatchObject({ notional_usd: 52761.74 });
  });

  it('asks again at a worse price, for the same size, and says that it is above the amount', async () => {
    const service = await filling({ [QUOTES]: movedAfter(2, 1520) });
    const ran = await cliFor(service).run('open USDTNGN buy --ngn 80m --tenor 3', SAYS_YES);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('CHANGED');
    // 52,761.74 × 1,520 = 80,197,844.80.
    expect(ran.err).toMatch(/80,197,844\.80 +NGN +of 80,000,000\.00 asked;\s+197,844\.80 above/);
    expect(lastBody(service, OPENS)).toMatchObject({ notional_usd: 52761.74 });
  });

  it('is confirmed on live by typing the side and the size in USD', async () => {
    const service = await filling();
    const ran = await cliFor(service, { key: LIVE_KEY }).run('open USDTNGN buy --ngn 80m --tenor 3', {
      answer: 'buy 52761.74\r',
      terminal: ATTENDED,
    });
    expect(ran.code).toBe(0);
    expect(service.count(OPENS)).toBe(1);
  });

  it('needs all other arguments without a terminal', async () => {
    const service = await pricedService();
    const ran = await cliFor(service).run('open USDTNGN --ngn 80m --tenor 3');
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('hedge open USDTNGN SIDE --ngn 80000000 --tenor 3');
  });

  it('within a minute is a duplicate although the price, and so the notional, has moved', async () => {
    let rate = 1516.25;
    const service = await filling({ [QUOTES]: flat(() => rate) });
    const cli = cliFor(service);
    const words = 'open USDTNGN buy --ngn 80m --tenor 3 --yes --json';
    expect((await cli.run(words)).code).toBe(0);
    rate = 1517;
    const again = await cli.run(words);
    expect(again.code).toBe(10);
    expect(again.document()).toMatchObject({ error: { code: 'duplicate' } });
    expect(service.count(OPENS)).toBe(1);
  });

  it('continues under its key with the recorded notional', async () => {
    let rate = 1516.25;
    const service = await filling({ [QUOTES]: flat(() => rate) });
    const cli = cliFor(service);
    const words = 'open USDTNGN buy --ngn 80m --tenor 3 --idempotency-key k-1 --yes --json';
    expect((await cli.run(words)).code).toBe(0);
    rate = 1600;
    const quotes = service.count(QUOTES);
    const again = await cli.run(words);
    expect(again.code).toBe(0);
    expect(again.document()).toMatchObject({ data: { request: { notional_usd: 52761.74 } } });
    expect([service.count(OPENS), service.count(QUOTES)]).toEqual([1, quotes]);
    const other = await cli.run(words.replace('80m', '90m'));
    expect(other.document()).toMatchObject({ error: { code: 'idempotency_key_reuse' } });
  });

  it('names the market that is missing, and asks for no quote', async () => {
    const service = await filling();
    const ran = await cliFor(service).run('open USTDNGN buy --max --tenor 3 --yes --json');
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'market_not_found' } });
    expect(service.count(QUOTES)).toBe(0);
  });

  it('runs in a batch, from a line and from an object', async () => {
    const service = await filling();
    const cli = cliFor(service);
    const lines = [
      'open USDTNGN buy --ngn 15m --tenor 3',
      '{"command":"open","market":"USDTNGN","side":"sell","ngn":15000000,"tenor_days":1}',
      'quote USDTNGN buy --ngn 15m --tenor 1',
    ].join('\n');
    const first = await cli.run('batch - --dry-run --json', { stdin: lines });
    expect(first.code).toBe(0);
    expect(service.count(OPENS)).toBe(0);
    // 15,000,000 / 1,516.25 = 9,892.827….
    const sized = first.out
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each).data?.derived?.sized?.ngn_asked ?? null);
    expect(sized.slice(0, 3)).toEqual([15 * MILLION, 15 * MILLION, 15 * MILLION]);
  });
});

describe('reduce --ngn', () => {
  const desk = async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 10k --tenor 3 --yes');
    const { data }: { data: readonly { struck_rate: number }[] } = JSON.parse(
      (await cli.run('hedges --json')).out,
    );
    return { cli, struck: data[0]?.struck_rate ?? 0 };
  };

  it('takes off what covers that many naira at the struck rate', async () => {
    const { cli, struck } = await desk();
    const ran = await cli.run('reduce USDTNGN buy --ngn 5m --yes --json');
    expect(ran.code).toBe(0);
    const { request, derived } = JSON.parse(ran.out).data;
    expect(request.notional_usd).toBe(Math.floor((5 * MILLION * 100) / struck) / 100);
    expect(derived).toMatchObject({ asked: 'ngn 5000000', sized: { ngn_asked: 5 * MILLION } });
    expect(derived.sized.ngn).toBeCloseTo(request.notional_usd * struck, 6);
    expect(derived.sized.ngn + derived.sized.ngn_rest).toBeCloseTo(5 * MILLION, 6);
  });

  it('shows the naira in the preview', async () => {
    const { cli } = await desk();
    const { err } = await cli.run('reduce USDTNGN buy --ngn 5m', SAYS_YES);
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      '(5,000,000.00 NGN of cover taken off, at the struck rate)',
    );
  });

  it.each([
    ['20m', 'more_than_open'],
    ['1', 'nothing_to_reduce'],
  ])('of %s is exit code 10, %s', async (amount, code) => {
    const { cli } = await desk();
    const ran = await cli.run(`reduce USDTNGN buy --ngn ${amount} --yes --json`);
    expect([ran.code, ran.document()]).toEqual([
      10,
      expect.objectContaining({ error: expect.objectContaining({ code }) }),
    ]);
  });
});

describe('open --ngn under a deal ID', () => {
  const DEAL = 'open USDTNGN buy --ngn 80m --tenor 3 --deal-id PAY-1 --ensure --yes --json';
  const LOOKUP = 'GET /hedges?client_reference=PAY-1&limit=500';

  it('goes on with the recorded notional and body after an unclear answer, at any price', async () => {
    let rate = 1516.25;
    let isDown = true;
    const bodies: Body[] = [];
    const filled: Body[] = [];
    const service = await filling(
      {
        [QUOTES]: (asked) => flat(() => rate)(asked),
        [OPENS]: ({ body }) => {
          bodies.push(body);
          if (isDown) return { status: 500, code: 'internal' };
          filled.unshift(aHedge({ ...running(), ...body, struck_rate: 1600 }));
          return { data: anAcceptedOpen() };
        },
      },
      filled,
    );
    const cli = cliFor(service);
    const first = await cli.run(DEAL);
    expect(first.code).toBe(7);
    isDown = false;
    rate = 1600;
    const quotes = service.count(QUOTES);
    const second = await cli.run(DEAL);
    expect(second.code).toBe(0);
    expect(second.document()).toMatchObject({
      data: { outcome: 'filled', request: { notional_usd: 52761.74 }, derived: { asked: 'ngn 80000000' } },
    });
    // Every attempt had the same bytes.
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ notional_usd: 52761.74, client_reference: 'PAY-1' });
    // A resend is priced for the recorded size, and for no other.
    const since = service.requests.filter(({ line }) => line === QUOTES).slice(quotes);
    expect(since.every(({ body }) => body['notional_usd'] === 52761.74)).toBe(true);
  });

  it('is the same deal when it is run again, at another price, without a quote', async () => {
    let rate = 1516.25;
    const service = await filling({ [QUOTES]: (asked) => flat(() => rate)(asked) });
    const cli = cliFor(service);
    expect((await cli.run(DEAL)).code).toBe(0);
    rate = 1450;
    const quotes = service.count(QUOTES);
    const again = await cli.run(DEAL);
    expect(again.code).toBe(0);
    expect(again.document()).toMatchObject({ data: { outcome: 'filled' } });
    expect([service.count(OPENS), service.count(QUOTES)]).toEqual([1, quotes]);
  });

  it.each([
    ['another amount', DEAL.replace('80m', '80.01m'), '80,010,000.00 NGN'],
    ['the largest size', DEAL.replace('--ngn 80m', '--max'), 'max'],
    ['another tenor', DEAL.replace('--tenor 3', '--tenor 1'), '1 day'],
  ])('has other terms with %s: the naira that were asked are compared', async (_name, words, says) => {
    const service = await filling();
    const cli = cliFor(service);
    expect((await cli.run(DEAL)).code).toBe(0);
    const quotes = service.count(QUOTES);
    const other = await cli.run(words);
    expect(other.code).toBe(10);
    expect(other.document()).toMatchObject({
      error: { code: 'deal_id_used', message: expect.stringContaining(says) },
    });
    expect(other.err + other.out).toContain('(80,000,000.00 NGN)');
    expect([service.count(OPENS), service.count(QUOTES)]).toEqual([1, quotes]);
  });

  it('is the same deal when the recorded notional is typed', async () => {
    const service = await filling();
    const cli = cliFor(service);
    expect((await cli.run(DEAL)).code).toBe(0);
    const again = await cli.run(DEAL.replace('--ngn 80m', '52761.74'));
    expect(again.code).toBe(0);
    expect(service.count(OPENS)).toBe(1);
  });

  it.each([
    ['with --ensure', DEAL],
    ['without --ensure', DEAL.replace(' --ensure', '')],
  ])('known only at the service is exit code 10, %s, before any quote', async (_name, words) => {
    const elsewhere = aHedge({ ...running(), client_reference: 'PAY-1', notional_usd: 52761.74 });
    const service = await filling({ [LOOKUP]: () => ({ data: [elsewhere] }) });
    const ran = await cliFor(service).run(words);
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'deal_id_used', effect: 'none' } });
    expect([service.count(OPENS), service.count(QUOTES)]).toEqual([0, 0]);
  });

  it('used here stops without --ensure, before any quote', async () => {
    const service = await filling();
    const cli = cliFor(service);
    expect((await cli.run(DEAL)).code).toBe(0);
    const quotes = service.count(QUOTES);
    const again = await cli.run(DEAL.replace(' --ensure', ''));
    expect(again.code).toBe(10);
    expect(again.document()).toMatchObject({ error: { code: 'deal_id_used' } });
    expect(service.count(QUOTES)).toBe(quotes);
  });

  it('whose order failed is sized again by --retry-failed', async () => {
    let rate = 1516.25;
    const failed: Body[] = [];
    const service = await filling(
      {
        [QUOTES]: (asked) => flat(() => rate)(asked),
        [OPENS]: ({ body, nth }) => {
          const id = `hdg_01JD8K${nth === 1 ? '' : nth}`;
          failed.unshift(aHedge({ ...running(), ...body, id, status: nth === 1 ? 'failed' : 'filled' }));
          return { data: anAcceptedOpen({ hedge_id: id }) };
        },
        'GET /hedges/hdg_01JD8K2': () => ({ data: failed[0] }),
        'GET /hedges/hdg_01JD8K': () => ({ data: failed.at(-1) }),
      },
      failed,
    );
    const cli = cliFor(service);
    expect((await cli.run(DEAL)).code).toBe(9);
    rate = 1600;
    const again = await cli.run(`${DEAL} --note inv-5`);
    expect([again.code, again.err]).toEqual([9, expect.stringMatching(/--retry-failed[^]*--note inv-5/)]);
    const retried = await cli.run(`${DEAL} --retry-failed`);
    expect(retried.code).toBe(0);
    // 80,000,000 / 1,600.
    expect(lastBody(service, OPENS)).toMatchObject({ notional_usd: 50_000 });
  });
});

describe('add --to, and a reduce with six decimals', () => {
  const held = (size: number): Answers => {
    const hedge = aHedge({ ...running(), notional_usd: size });
    return {
      'GET /positions': () => ({ data: [aPosition({ market: 'USDTNGN', side: 'buy', notional_usd: size })] }),
      'GET /hedges?limit=500': () => ({ data: [hedge] }),
      'POST /hedges/add': () => ({ data: anAcceptedChange() }),
      'POST /hedges/reduce': () => ({ data: anAcceptedChange() }),
    };
  };
  const ADD = 'add USDTNGN buy --to 50k --yes --no-wait --json';

  it('adds what the side lacks, to the last digit', async () => {
    const service = await filling(held(12_345.678912));
    const cli = cliFor(service);
    const ran = await cli.run(ADD);
    expect(ran.code).toBe(0);
    // 50,000 − 12,345.678912.
    expect(lastBody(service, 'POST /hedges/add')).toMatchObject({ notional_usd: 37654.321088 });
    expect(ran.document()).toMatchObject({
      data: { derived: { asked: 'to 50000', sized: { target_usd: 50_000 } } },
    });
    expect(await journaled(cli)).toMatchObject({ asked: 'to 50000' });
  });

  it.each([50_000, 60_000])('has nothing to add to a side of %i', async (size) => {
    const service = await filling(held(size));
    const ran = await cliFor(service).run(ADD);
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'nothing_to_add' } });
    expect(service.count('POST /hedges/add')).toBe(0);
  });

  it.each(['--to 50k', '--ngn 80m', '--max'])(
    'has nothing to add to where nothing is open: %s',
    async (size) => {
      const service = await filling();
      const ran = await cliFor(service).run(`add USDTNGN buy ${size} --yes --json`);
      expect(ran.code).toBe(10);
      expect(ran.document()).toMatchObject({ error: { code: 'no_open_hedge' } });
      expect(service.count(QUOTES)).toBe(0);
    },
  );

  it('adds naira at the tenor of the open hedge', async () => {
    const service = await filling(held(10_000));
    const ran = await cliFor(service).run('add USDTNGN buy --ngn 80m --yes --no-wait --any-price --json');
    expect(ran.code).toBe(0);
    expect(lastBody(service, 'POST /hedges/add')).toMatchObject({ notional_usd: 52761.74 });
    expect(lastBody(service, QUOTES)).toMatchObject({ tenor_days: 3, notional_usd: 52761.74 });
    const shown = await cliFor(service).run(
      'add USDTNGN buy --ngn 80m --yes --no-wait --any-price',
      ON_A_TERMINAL,
    );
    expect(shown.out).toContain('79,999,988.28 NGN at the quoted price, of 80,000,000.00 asked');
  });

  it('does not add to a side that may be flat: the service shows neither its side nor its hedges', async () => {
    const service = await filling({
      ...held(10_000),
      'GET /positions': () => ({ data: [aPosition()] }),
      'GET /hedges?limit=500': () => ({ data: [] }),
    });
    const ran = await cliFor(service).run(ADD);
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'no_open_hedge' } });
  });

  it.each(['1234.567891', '0.000001', '1234.56', '123.4560'])('reduces by %s', async (size) => {
    const service = await filling(held(20_000));
    const ran = await cliFor(service).run(`reduce USDTNGN buy ${size} --yes --no-wait --json`);
    expect(ran.code).toBe(0);
    expect(lastBody(service, 'POST /hedges/reduce')).toMatchObject({ notional_usd: Number(size) });
  });

  it('reduces to a size with six decimals', async () => {
    const service = await filling(held(20_000));
    const ran = await cliFor(service).run('reduce USDTNGN buy --to 1234.567891 --yes --no-wait --json');
    expect(ran.code).toBe(0);
    expect(lastBody(service, 'POST /hedges/reduce')).toMatchObject({ notional_usd: 18765.432109 });
  });
});

describe('on practice, which names its other fields otherwise than a service may', () => {
  it('opens for naira, adds up to a size, and the size that came can be typed to reduce', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const opened = await cli.run('open USDTNGN sell --ngn 30m --tenor 1 --yes --json');
    expect(opened.code).toBe(0);
    const { data }: { data: { hedge: { notional_usd: number } } } = JSON.parse(opened.out);
    expect((await cli.run('add USDTNGN sell --to 30000.5 --yes --json')).code).toBe(0);
    const reduced = await cli.run(`reduce USDTNGN sell ${data.hedge.notional_usd.toFixed(6)} --yes --json`);
    expect(reduced.code).toBe(0);
  });
});
