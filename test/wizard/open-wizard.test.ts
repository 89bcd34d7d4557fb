import { describe, expect, it } from 'vitest';
import { completeOpen } from '../../src/args/read-action.ts';
import type { Quote } from '../../src/client/schemas.ts';
import type { QuoteRequest } from '../../src/client/serialize-request.ts';
import { HedgeError, RefusedError, StoppedError, UnavailableError } from '../../src/errors.ts';
import { askOpen } from '../../src/wizard/open-wizard.ts';
import {
  ACCEPTED,
  anIntent,
  FILLED,
  HALT,
  NOON,
  recordsOf,
  SENDING,
  step,
  UNKNOWN,
} from '../journal/records.ts';
import { account, big, hedge, market } from '../trading/facts.ts';
import { draftOf, type WizardSetup, wizardWith } from './asking.ts';

const ONE_OPEN = [market(), market({ market: 'USDTXYZ', status: 'disabled' })];
const TWO_OPEN = [...ONE_OPEN, market({ market: 'USDTKES' })];
const failure = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const roughly = (line: string): unknown =>
  expect.stringMatching(new RegExp(`^${line.replaceAll(/[.()]/g, '\\$&').replace(/ +/g, ' +')}$`));

describe('hedge open with everything missing', () => {
  it('asks for market, side, notional, tenor, price limit and deal id, and makes the intent of the whole line', async () => {
    const { asking, asked, notes } = wizardWith(['USDTNGN', 'sell', '10k', '3 d', '', 'PAY-1'], {
      service: { markets: TWO_OPEN },
    });
    const intent = await askOpen(draftOf(), asking);
    expect(intent).toEqual(completeOpen(draftOf('USDTNGN sell 10k', { tenor: '3', dealId: 'PAY-1' })));
    expect(asked.map(({ message }) => message)).toEqual([
      'Market',
      'Side: buy or sell',
      'Notional USD: 10k, NGN 45m or max (headroom 425,000.00, free 41,320.00 USDC)',
      'Tenor',
      'Worst price in NGN, or highest cost such as 40bps (optional)',
      'Deal ID (your reference, optional)',
    ]);
    expect(asked.map(({ understood }) => understood)).toEqual([
      undefined,
      undefined,
      '10,000.00 USD',
      undefined,
      'none',
      'PAY-1',
    ]);
    expect(asked[0]?.list).toEqual([
      roughly('MARKET MID MAX BUY USD MAX SELL USD STATUS'),
      roughly('USDTNGN 1,531.50 500,000.00 480,000.50 open'),
      'USDTXYZ  1,531.50   500,000.00    480,000.50  disabled (unavailable)',
      roughly('USDTKES 1,531.50 500,000.00 480,000.50 open'),
    ]);
    expect(notes.slice(0, 3)).toEqual([
      roughly('SIDE MEANS CARRY MAX (USD)'),
      roughly('buy gains when the naira weakens you pay 0.05 %/day 500,000.00'),
      roughly('sell gains when the naira strengthens you earn 0.02 %/day 480,000.50'),
    ]);
    expect(asked[3]?.list).toEqual([
      expect.stringMatching(/^TENOR +MATURES +PRICE +TOTAL COST +BPS +BREAK-EVEN$/),
      expect.stringMatching(/^1 d +Sat 21 Nov \(!\) +1,529\.0820 /),
      expect.stringMatching(/^3 d +Mon 23 Nov +1,529\.0820 +10\.00 +10 +1,528\.47/),
      expect.stringMatching(/^7 d +Fri 27 Nov +1,529\.0820 /),
    ]);
  });

  it.each([
    [{}, ''],
    [{ maxNotional: big('50000') }, 'limit 50,000.00 per trade, '],
    [{ maxDailyNotional: big('100000') }, '75,000.00 left of the daily limit, '],
    [
      { maxNotional: big('50000.5'), maxDailyNotional: big('40000') },
      'limit 50,000.50 per trade, 15,000.00 left of the daily limit, ',
    ],
  ])('names the limits of the profile next to the headroom: %j', async (limits, shown) => {
    const earlier = recordsOf('7c1e', { notional_usd: '25000' }, SENDING, ACCEPTED, FILLED);
    const { asking, asked } = wizardWith(['5k', ''], { limits, journal: earlier });
    await askOpen(draftOf('USDTNGN buy', { tenor: '3', dealId: 'PAY-7' }), asking);
    expect(asked[0]?.message).toBe(
      `Notional USD: 10k, NGN 45m or max (${shown}headroom 425,000.00, free 41,320.00 USDC)`,
    );
  });

  it('shows as MAX and next to the headroom what the limits of a desk allow, also of the open notional', async () => {
    const limit = { kind: 'desk_limit', max_notional_usd: '8000', max_open_usd: '3000' } as const;
    const at = new Date(NOON).toISOString();
    const { asking, asked, notes } = wizardWith(['buy', 'max', '3 d', '', ''], {
      journal: [{ schema: 3, at, who: 'bisi@bisi', ...limit }],
    });
    expect((await askOpen(draftOf(), asking)).notional.toFixed()).toBe('3000');
    expect(notes.join()).toMatch(/buy.*3,000\.00.*sell.*3,000\.00/);
    expect(asked[1]?.message).toContain(
      '(limit 8,000.00 per trade, 3,000.00 left of what the desk may have open, headroom',
    );
  });

  it('chooses the only market that is open, and says so', async () => {
    const { asking, asked, notes } = wizardWith(['buy', '10k', '3 d', '', ''], {
      service: { markets: ONE_OPEN },
    });
    expect((await askOpen(draftOf(), asking)).market).toBe('USDTNGN');
    expect(asked[0]?.message).toBe('Side: buy or sell');
    expect(notes[0]).toBe('Market: USDTNGN, mid 1,531.50 (the only one you can trade now).');
  });

  it('preselects no side: Enter alone chooses none', async () => {
    const { asking, asked } = wizardWith(['', 'long', ' SELL ', '10k', '3 d', '', '']);
    expect((await askOpen(draftOf(), asking)).side).toBe('sell');
    expect(asked[0]?.objections).toEqual(['Type buy or sell.', 'Type buy or sell.']);
  });

  it('names the columns of the tenors that a narrow terminal has no room for', async () => {
    const { asking, notes } = wizardWith(['3 d', '', ''], { width: 56 });
    await askOpen(draftOf('USDTNGN buy 10k'), asking);
    expect(notes).toEqual(['Hidden columns: IMPACT, CARRY, FEE, BREAK-EVEN.']);
  });

  it('writes nothing, and reads what it says', async () => {
    const { asking, requests } = wizardWith(['buy', '10000', '1 d', '', '']);
    const intent = await askOpen(draftOf(), asking);
    expect(intent.dealId).toBeUndefined();
    expect(requests.filter((line) => line.startsWith('POST')).toSorted()).toEqual(
      [1, 1, 3, 7].map((days) => `POST /quotes ${days}`),
    );
    expect(asking.journal.read().count).toBe(0);
  });

  it('names no currency that the market does not', async () => {
    const { asking, asked, notes } = wizardWith(['buy', '10k', '3 d', '', ''], {
      service: {
        markets: [market({ market: 'USDTKES' })],
        quote: (_, usual) => ({ ...usual, market: 'USDTKES' }),
      },
    });
    await askOpen(draftOf(), asking);
    expect(notes.join()).toContain('gains when the KES weakens');
    expect(JSON.stringify([asked, notes])).not.toMatch(/naira|NGN/);
  });

  it('does not take a market that is disabled, nor one that the profile may not deal', async () => {
    const markets = [
      market({ market: 'USDTXYZ', status: 'disabled' }),
      market({ market: 'USDTABC' }),
      market(),
      market({ market: 'USDTKES' }),
    ];
    const { asking, asked } = wizardWith(['USDTXYZ', 'USDTABC', 'USDTNGN', 'buy', '10k', '', ''], {
      service: { markets },
      limits: { markets: ['USDTNGN', 'USDTXYZ', 'USDTKES'] },
    });
    expect((await askOpen(draftOf('', { tenor: '3' }), asking)).market).toBe('USDTNGN');
    expect(asked[0]?.objections).toEqual(['(unavailable)', '(not allowed by this profile)']);
  });
});

describe('parts that were said are not asked', () => {
  it.each([
    ['USDTNGN', {}, ['Side', 'Notional', 'Tenor', 'Worst price', 'Deal ID']],
    ['usdtngn buy', {}, ['Notional', 'Tenor', 'Worst price', 'Deal ID']],
    ['USDTNGN buy 10k', {}, ['Tenor', 'Worst price', 'Deal ID']],
    ['USDTNGN buy', { tenor: '3' }, ['Notional', 'Worst price', 'Deal ID']],
    ['USDTNGN buy 10k', { dealId: 'PAY-7' }, ['Tenor', 'Worst price']],
    ['USDTNGN', { tenor: '3', dealId: 'PAY-7', maxCostBps: '40' }, ['Side', 'Notional']],
  ] as const)('hedge open %s %j asks for %j', async (words, options, questions) => {
    const answers = { Side: 'buy', Notional: '10k', Tenor: '3 d', 'Worst price': '', 'Deal ID': 'PAY-7' };
    const { asking, asked } = wizardWith(questions.map((name) => answers[name]));
    const intent = await askOpen(draftOf(words, options), asking);
    expect(asked.map(({ message }) => message.split(/ \(| in | USD:|:|,/)[0])).toEqual(questions);
    expect(intent).toEqual(
      completeOpen(draftOf('USDTNGN buy 10k', { ...options, tenor: '3', dealId: 'PAY-7' })),
    );
  });

  it('and every option is kept', async () => {
    const options = { worstPrice: '1600', wait: false, idempotencyKey: 'k-9', allowDuplicate: true };
    const { asking } = wizardWith(['10k', '']);
    const intent = await askOpen(draftOf('USDTNGN buy', { ...options, tenor: '3' }), asking);
    expect(intent).toEqual(completeOpen(draftOf('USDTNGN buy 10k', { ...options, tenor: '3' })));
  });
});

describe('the notional', () => {
  const draft = draftOf('USDTNGN buy', { tenor: '3', dealId: 'P' });

  it('that is none is told what forms there are', async () => {
    const { asking, asked } = wizardWith(['lots', '0', '1e3', ' 10,000 ', '']);
    expect((await askOpen(draft, asking)).notional.toFixed()).toBe('10000');
    expect(asked[0]?.objections).toEqual([
      expect.stringContaining('"lots" is not a notional. Write it in USD as 10000, 10_000'),
      expect.stringContaining('The notional must be above zero.'),
      expect.stringMatching(/^"1e3" is not a notional\..* Or in naira as NGN 45m, or max\.$/),
    ]);
  });

  const rich = account({ balance_usdc: 1_000_000, available_exposure_usd: 900_000 });
  const unquotable = (): never => {
    throw new RefusedError({ code: 'capacity_exceeded', what: 'Refused: too much.' });
  };
  const cases: readonly [string, string, WizardSetup, string][] = [
    [
      'headroom',
      '430k',
      { service: { account: account({ balance_usdc: 1_000_000 }) } },
      "430,000.00 USD exceeds the account's headroom of 425,000.00 USD. Largest size that fits: 425,000.00 USD.",
    ],
    [
      'capacity',
      '0.6m',
      { service: { account: rich } },
      '600,000.00 USD exceeds the capacity of USDTNGN buy, 500,000.00 USD. Largest size that fits: 500,000.00 USD.',
    ],
    [
      'capacity, which is not even quoted,',
      '9m',
      {
        service: {
          account: rich,
          quote: (request, usual) => (request.notional_usd.toString() === '9000000' ? unquotable() : usual),
        },
      },
      'Largest size that fits: 500,000.00 USD.',
    ],
    [
      'balance',
      '0.6m',
      {},
      'Upfront cost 60,600.00 USDC exceeds the free balance of 41,320.00 USDC. Largest size that fits: 409,108.91 USD.',
    ],
    [
      'limit of a deal',
      '20k',
      { limits: { maxNotional: big('15000') } },
      'Largest size that fits: 15,000.00 USD.',
    ],
    [
      'limit of a day',
      '20k',
      { limits: { maxDailyNotional: big('15000') } },
      'Largest size that fits: 15,000.00 USD.',
    ],
  ];
  it.each(cases)(
    'beyond the %s is told what would fit, and asked for again',
    async (_, large, desk, message) => {
      const { asking, asked } = wizardWith([large, '5k', ''], desk);
      expect((await askOpen(draft, asking)).notional.toFixed()).toBe('5000');
      expect(asked[0]?.objections).toEqual([expect.stringContaining(message)]);
    },
  );

  it('that the service refuses, or that it cannot be asked about, is reported and asked for again', async () => {
    const quoted: QuoteRequest[] = [];
    const { asking, asked } = wizardWith(['9k', '8k', '7k', ''], {
      service: {
        quote(request, usual) {
          quoted.push(request);
          if (quoted.length === 1)
            throw new RefusedError({ code: 'too_odd', what: 'Refused: no odd sizes today.' });
          if (quoted.length === 2)
            throw new UnavailableError({ code: 'unavailable', what: 'The service could not be reached.' });
          return usual;
        },
      },
    });
    expect((await askOpen(draft, asking)).notional.toFixed()).toBe('7000');
    expect(asked[0]?.objections).toEqual([
      'Refused: no odd sizes today. (too_odd)',
      'The service could not be reached. Type it again.',
    ]);
  });
});

describe('a size in naira, or the largest', () => {
  const draft = draftOf('USDTNGN buy', { tenor: '3', dealId: 'P' });

  it.each([
    ['₦15m', '15,000,000.00 NGN, now 9,798.04 USD'],
    ['NGN 15m', '15,000,000.00 NGN, now 9,798.04 USD'],
    ['max', 'the largest, now 405,017.82 USD'],
  ])('is taken as %s, and shown with its notional', async (answer, understood) => {
    const { asking, asked } = wizardWith([answer, '']);
    const intent = await askOpen(draft, asking);
    expect(asked[0]?.understood).toBe(understood);
    expect(intent.sizing?.by).toBe(answer === 'max' ? 'max' : 'ngn');
  });

  it('without its currency is shown as it can be typed', async () => {
    const { asking, asked } = wizardWith(['60m', '5k', '']);
    await askOpen(draft, asking);
    expect(asked[0]?.objections).toEqual([
      expect.stringContaining('A notional is in USD; for naira: NGN 60000000.'),
    ]);
  });

  it('of the command line is not asked for again', async () => {
    const { asking, asked } = wizardWith(['buy', '3 d', '', '']);
    const intent = await askOpen(draftOf('USDTNGN', { ngn: '15m' }), asking);
    expect(intent.sizing).toEqual({ by: 'ngn', amount: big('15000000') });
    expect(asked.map(({ message }) => message.split(' ')[0])).toEqual(['Side:', 'Tenor', 'Worst', 'Deal']);
  });

  it('that was given is never another currency of a market that is chosen later', async () => {
    const { asking } = wizardWith(['USDTKES', 'buy'], {
      service: { markets: [...ONE_OPEN, market({ market: 'USDTKES' })] },
    });
    await expect(askOpen(draftOf('', { ngn: '15m', tenor: '3' }), asking)).rejects.toThrow(
      'USDTKES is not quoted in naira',
    );
  });

  it('is not asked for in a market of another currency', async () => {
    const { asking, asked } = wizardWith(['NGN 15m', '5k', ''], {
      service: {
        markets: [market({ market: 'USDTKES' })],
        quote: (_, usual) => ({ ...usual, market: 'USDTKES' }),
      },
    });
    await askOpen(draftOf('USDTKES buy', { tenor: '3', dealId: 'P' }), asking);
    expect(asked[0]?.message).toContain('1.5m or max (');
    expect(asked[0]?.objections).toEqual(['USDTKES is not quoted in naira. Type the size in USD.']);
  });
});

describe('the tenor', () => {
  it('beyond a bound that was given cannot be chosen, unless all are: then the guard has the word', async () => {
    // Carry 5 a day, impact 6 and fee 10 on 10,000: 21, 31 and 51 bps.
    const quote = ({ tenor_days: days }: QuoteRequest, usual: Quote) => tenorTerms(usual, days);
    const draft = (bps: string) => draftOf('USDTNGN buy 10k', { maxCostBps: bps, dealId: 'P' });
    const some = wizardWith(['7 d', '3 d'], { service: { quote } });
    expect((await askOpen(draft('31'), some.asking)).tenor).toBe(3);
    expect(some.asked[0]?.objections).toEqual(['(exceeds your limit)']);
    const none = wizardWith(['7 d'], { service: { quote } });
    expect((await askOpen(draft('5'), none.asking)).tenor).toBe(7);
  });

  it.each([58, 78, 118])('fits %i columns', async (width) => {
    const { asking, asked } = wizardWith(['3 d', ''], { width });
    await askOpen(draftOf('USDTNGN buy 10k', { dealId: 'P' }), asking);
    const lines = asked[0]?.list ?? [];
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^TENOR +MATURES +PRICE .*TOTAL COST +BPS/);
  });

  it('on a terminal too narrow for a table is the number of days alone', async () => {
    const { asking, asked } = wizardWith(['3 d', ''], { width: 24 });
    await askOpen(draftOf('USDTNGN buy 10k', { dealId: 'P' }), asking);
    expect(asked[0]?.list).toEqual(['1 d', '3 d', '7 d']);
  });
});

const tenorTerms = (usual: Quote, days: number): Quote => ({
  ...usual,
  carry: { ...usual.carry, total_usdc: big(String(5 * days)) },
});

describe('the price limit', () => {
  const WHOLE = ['USDTNGN buy 10k', { tenor: '3', dealId: 'PAY-1' }] as const;
  it.each([
    ['1532', { worstPrice: '1532' }, '1,532.00 NGN'],
    ['31bps', { maxCostBps: '31' }, '31 bps'],
    ['40 bps', { maxCostBps: '40' }, '40 bps'],
  ])('is a worst price, or a cost with its unit: %s', async (answer, limit, understood) => {
    const { asking, asked } = wizardWith([answer]);
    const [words, options] = WHOLE;
    expect(await askOpen(draftOf(...WHOLE), asking)).toEqual(
      completeOpen(draftOf(words, { ...options, ...limit })),
    );
    expect(asked[0]?.understood).toBe(understood);
  });

  it.each([
    [
      '15300',
      'A price of 15,300.00 is more than 5 % from the mid of 1,530.00. Type a price closer to the mid, or press Enter for none.',
    ],
    ['40', 'A price of 40.00 is more than 5 % from the mid of 1,530.00. For a cost of 40 bps, type 40bps.'],
    ['1530', 'above your worst price'],
    ['30bps', 'exceeds your limit of 30 bps'],
    [
      'cheap',
      '"cheap" is neither a price nor a cost. Type a price in NGN per USDT, or a cost such as 40bps.',
    ],
    ['xbps', 'neither a price nor a cost'],
  ])('that would stop the open, or is none, is asked for again: %s', async (answer, objection) => {
    const { asking, asked } = wizardWith([answer, '']);
    expect((await askOpen(draftOf(...WHOLE), asking)).bounds).toEqual({});
    expect(asked[0]?.objections[0]).toContain(objection);
    expect(asked[0]?.objections[0]).not.toContain('--');
  });

  it('is not asked for after --any-price', async () => {
    const { asking } = wizardWith([]);
    const [words, options] = WHOLE;
    expect((await askOpen(draftOf(words, { ...options, anyPrice: true }), asking)).anyPrice).toBe(true);
  });
});

describe('the deal id', () => {
  it('that has no shape, or is used here or elsewhere, is asked for again', async () => {
    const { asking, asked } = wizardWith(['10k', '', 'a\tb', 'PAY-1', 'PAY-2', 'PAY-3'], {
      journal: [
        anIntent({ deal_id: 'PAY-1' }),
        step(SENDING),
        step({ kind: 'accepted', hedge_id: 'hdg_1', by: 'answer' }),
      ],
      service: {
        hedges: [
          hedge('hdg_9', 10_000, { client_reference: 'PAY-2', side: 'sell' }),
          hedge('hdg_8', 10_000, { client_reference: 'PAY-3', side: 'sell', status: 'failed' }),
        ],
      },
    });
    expect((await askOpen(draftOf('USDTNGN buy', { tenor: '3' }), asking)).dealId).toBe('PAY-3');
    expect(asked.at(-1)?.objections).toEqual([
      expect.stringContaining('is not a deal ID.'),
      expect.stringContaining('Deal ID "PAY-1" is used by OPEN buy USDTNGN 10,000.00 USD'),
      'Deal ID "PAY-2" is used by hedge "hdg_9" ("filled").',
    ]);
  });
});

describe('a stop that no answer would change comes before the first question', () => {
  const unresolved = [anIntent({ deal_id: 'PAY-1' }), step(SENDING), step(UNKNOWN)];
  const cases: readonly [string, ReturnType<typeof draftOf>, WizardSetup, string][] = [
    ['a halt', draftOf(), { journal: [HALT] }, 'halted'],
    ['a market that is disabled', draftOf('USDTXYZ'), { service: { markets: ONE_OPEN } }, 'market_disabled'],
    ['a market that is not there', draftOf('USDTABC'), {}, 'market_not_found'],
    ['an account without a market', draftOf(), { service: { markets: [] } }, 'market_not_found'],
    ['a profile that only reads', draftOf(), { limits: { readOnly: true } }, 'read_only'],
    ['an unresolved action on the side', draftOf('USDTNGN buy'), { journal: unresolved }, 'unresolved'],
    ['a deal id that is used', draftOf('', { dealId: 'PAY-1' }), { journal: unresolved }, 'deal_id_used'],
  ];
  it.each(cases)('such as %s', async (_, draft, setup, code) => {
    const { asking, asked } = wizardWith([], setup);
    const error = await failure(askOpen(draft, asking));
    expect(error).toBeInstanceOf(StoppedError);
    expect(error instanceof HedgeError && error.code).toBe(code);
    expect(asked).toEqual([]);
  });

  it('an unresolved action as soon as the side is known, but not the one that --despite names', async () => {
    const { asking } = wizardWith(['buy'], { journal: unresolved });
    expect(await failure(askOpen(draftOf('USDTNGN'), asking))).toMatchObject({ code: 'unresolved' });
    const despite = wizardWith(['10k', '', ''], { journal: unresolved });
    const draft = draftOf('USDTNGN buy', { tenor: '3', despite: '7c1e' });
    expect((await askOpen(draft, despite.asking)).options.despite).toEqual(['7c1e']);
  });

  it('a deal id that is used is what --ensure is for', async () => {
    const { asking } = wizardWith(['10k', ''], {
      journal: [anIntent({ deal_id: 'PAY-1' }), step(SENDING)].slice(0, 1),
    });
    const draft = draftOf('USDTNGN sell', { tenor: '3', dealId: 'PAY-1', ensure: true });
    expect((await askOpen(draft, asking)).dealId).toBe('PAY-1');
  });
});
