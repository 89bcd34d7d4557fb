import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { decimalFrom, midOf, readJson, textFrom } from '../../src/client/json.ts';
import {
  acceptedChangeSchema,
  acceptedOpenSchema,
  accountSchema,
  closedHedgeSchema,
  hedgeSchema,
  marketSchema,
  positionSchema,
  quoteSchema,
} from '../../src/client/schemas.ts';
import { validate } from '../../src/client/transport/read-response.ts';
import { RequestFailure } from '../../src/client/transport/request-failure.ts';
import {
  aClosedHedge,
  aHedge,
  aMarket,
  anAcceptedClose,
  anAcceptedOpen,
  anAccount,
  aPosition,
  aQuote,
  aSellQuote,
  type Body,
  unspecified,
} from '../spec/bodies.ts';
import { conformsTo } from '../spec/conforms-to.ts';
import { HEDGE_STATUSES } from '../spec/rules.ts';

/** As it comes off the wire: numbers as big.js decimals. */
const sent = (value: unknown): unknown => readJson(JSON.stringify(value));

const judge = (schema: z.ZodMiniType, value: unknown): string => {
  try {
    validate(schema, { status: 200, data: sent(value) });
    return 'fits';
  } catch (error) {
    return error instanceof RequestFailure ? error.parts.reason : String(error);
  }
};

const RESOURCES = {
  market: { schema: marketSchema(), samples: [aMarket()] },
  quote: { schema: quoteSchema(), samples: [aQuote(), aSellQuote()] },
  hedge: { schema: hedgeSchema(), samples: HEDGE_STATUSES.map((status) => aHedge({ status })) },
  position: { schema: positionSchema(), samples: [aPosition(unspecified.position)] },
  account: { schema: accountSchema(), samples: [anAccount(unspecified.account)] },
  'closed hedge': { schema: closedHedgeSchema(), samples: [aClosedHedge(unspecified['closed hedge'])] },
  'accepted open': { schema: acceptedOpenSchema(), samples: [anAcceptedOpen()] },
  'accepted close': { schema: acceptedChangeSchema(), samples: [anAcceptedClose()] },
} as const satisfies Readonly<Record<string, { schema: z.ZodMiniObject; samples: readonly Body[] }>>;
const cases = Object.entries(RESOURCES).map(([name, resource]) => ({ name, ...resource }));

/** Every name a schema declares, nested ones with their path. */
function declared(schema: z.ZodMiniObject, prefix = ''): string[] {
  return Object.entries(schema.shape).flatMap(([name, inner]) => [
    `${prefix}${name}`,
    ...(inner instanceof z.ZodMiniObject ? declared(inner, `${prefix}${name}.`) : []),
  ]);
}
function shown(body: Body, prefix = ''): string[] {
  return Object.entries(body).flatMap(([name, inner]) => [
    `${prefix}${name}`,
    ...(typeof inner === 'object' && inner !== null ? shown({ ...inner }, `${prefix}${name}.`) : []),
  ]);
}

describe('the schemas', () => {
  it.each(cases)(
    'declare no field of $name that is never seen, and miss none that is',
    ({ schema, samples }) => {
      const seen = new Set(samples.flatMap((body) => shown(body)));
      expect(declared(schema).toSorted()).toEqual([...seen].toSorted());
    },
  );

  it.each(cases)('let every sample of $name through as it was sent', ({ schema, samples }) => {
    for (const sample of samples) {
      const data = sent({ ...sample, unknown_field: [1, null], another: null });
      expect(validate<unknown>(schema, { status: 200, data })).toBe(data);
    }
  });

  it.each(['market', 'quote', 'hedge', 'position', 'account', 'closed hedge'] as const)(
    'and the referee agree on what a %s is',
    (name) => {
      const { schema, samples } = RESOURCES[name];
      for (const sample of samples) {
        expect(conformsTo(name, validate<unknown>(schema, { status: 200, data: sent(sample) }))).toEqual([]);
      }
    },
  );
});

describe('a departure is named by its path', () => {
  const pricing = { market_price: 1530, execution_price: 1530.918, price_impact_usd: -6 };
  it.each([
    [
      'data.pricing.execution_price is missing',
      quoteSchema(),
      aQuote({ pricing: { ...pricing, execution_price: undefined } }),
    ],
    [
      'data.pricing.execution_price is missing',
      quoteSchema(),
      aQuote({ pricing: { ...pricing, execution_price: null } }),
    ],
    [
      'data.pricing.market_price is not a number above zero',
      quoteSchema(),
      aQuote({ pricing: { ...pricing, market_price: '1530' } }),
    ],
    [
      'data.pricing.market_price is not a number above zero',
      quoteSchema(),
      aQuote({ pricing: { ...pricing, market_price: 0 } }),
    ],
    ['data.carry is not an object', quoteSchema(), aQuote({ carry: 'five' })],
    ['data.upfront is missing', quoteSchema(), aQuote({ upfront: undefined })],
    ['data.side is not one of buy, sell', quoteSchema(), aQuote({ side: 'long' })],
    ['data.tenor_days is not a whole number above zero', quoteSchema(), aQuote({ tenor_days: 2.5 })],
    ['data.maturity is not a timestamp', quoteSchema(), aQuote({ maturity: 'Monday' })],
    ['data.market is not text', quoteSchema(), aQuote({ market: 7 })],
    [
      'data[2].price is not a number',
      z.array(marketSchema()),
      [aMarket(), aMarket(), aMarket({ price: '1' })],
    ],
    ['data is not a list', z.array(marketSchema()), aMarket()],
    ['data[0].net_margin_usd is not a number', z.array(positionSchema()), [{ net_margin_usd: '1' }]],
    ['data.balance_usdc is missing', accountSchema(), anAccount({ balance_usdc: null })],
    ['data.net_pnl_usd is missing', closedHedgeSchema(), { pnl: 1 }],
    ['data.maturity_at is missing', hedgeSchema(), aHedge({ status: 'filled', maturity_at: undefined })],
    ['data.struck_rate is not a number', hedgeSchema(), aHedge({ struck_rate: '1532.71' })],
    ['data.hedge_id is missing', acceptedOpenSchema(), anAcceptedOpen({ hedge_id: undefined })],
  ])('%s', (says, schema, value) => {
    expect(judge(schema, value)).toBe(says);
  });

  it('and so is a response about something else than was asked', () => {
    const echoed = (data: Body, echo: Readonly<Record<string, string>>) => () =>
      validate(quoteSchema(), { status: 200, data: sent(data) }, { echo });
    expect(echoed(aQuote(), { side: 'sell' })).toThrow('data.side is buy, but the request had sell');
    expect(echoed(aQuote(), { notional_usd: '10000.5' })).toThrow(
      'data.notional_usd is 10000, but the request had 10000.5',
    );
    expect(echoed(aQuote(), { notional_usd: '10000', tenor_days: '3', market: 'USDTNGN' })).not.toThrow();
  });
});

describe('tolerance', () => {
  it.each(HEDGE_STATUSES)(
    'a hedge that is %s needs only what tells it from another, and its life span',
    (status) => {
      const { id, market, side, notional_usd, tenor_days, opened_at, maturity_at } = aHedge();
      const least = { id, market, side, notional_usd, tenor_days, status };
      const held = status === 'filled' || status === 'closed';
      expect(judge(hedgeSchema(), held ? { ...least, opened_at, maturity_at } : least)).toBe('fits');
    },
  );

  it('an unknown status is a status', () => {
    expect(judge(hedgeSchema(), aHedge({ status: 'settling' }))).toBe('fits');
    expect(judge(marketSchema(), aMarket({ status: 'halted' }))).toBe('fits');
  });

  it('null counts as absent where a field may be absent, and stays null', () => {
    const data = sent(
      aHedge({ status: 'submitted', client_reference: null, struck_rate: null, filled_at: null }),
    );
    expect(validate(hedgeSchema(), { status: 200, data })).toMatchObject({
      client_reference: null,
      struck_rate: null,
    });
  });

  it('any value in a field whose name we guessed is no departure', () => {
    for (const value of ['text', 1, null, { nested: [] }]) {
      expect(judge(positionSchema(), aPosition({ side: value, entry_price: value }))).toBe('fits');
      expect(judge(accountSchema(), anAccount({ open_positions: value }))).toBe('fits');
      expect(judge(closedHedgeSchema(), aClosedHedge({ reason: value }))).toBe('fits');
    }
    expect(decimalFrom(sent(5))?.toFixed()).toBe('5');
    expect([decimalFrom('5'), textFrom(null), textFrom('buy')]).toEqual([undefined, undefined, 'buy']);
  });
});

describe('the mid in a response of prices', () => {
  it.each([
    ['an object', { market: 'USDTNGN', price: 1530.1 }, '1530.1'],
    [
      'a list',
      [
        { market: 'USDTKES', price: 129 },
        { market: 'USDTNGN', price: 1530.1 },
      ],
      '1530.1',
    ],
    ['a map', { USDTKES: 129, USDTNGN: 1530.1 }, '1530.1'],
    ['a bare number', 1530.1, '1530.1'],
    ['another market', { market: 'USDTKES', price: 129 }, undefined],
    ['a list without it', [{ market: 'USDTKES', price: 129 }], undefined],
    ['a price that is text', { market: 'USDTNGN', price: '1530.1' }, undefined],
    ['another name', { symbol: 'USDTNGN', mid: 1530.1 }, undefined],
    ['text', 'USDTNGN', undefined],
    ['nothing', [], undefined],
  ])('is found in %s', (_, data, mid) => {
    expect(midOf(sent(data), 'USDTNGN')?.toFixed()).toBe(mid);
  });
});
