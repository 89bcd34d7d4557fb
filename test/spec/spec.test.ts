import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
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
  failed,
  MARKETS_META,
  QUOTE_META,
  succeeded,
} from './bodies.ts';
import { conformsTo, envelopeConforms, listConformsTo } from './conforms-to.ts';
import { FIELDS, type Field, RESOURCES, type Resource } from './fields.ts';
import {
  ENDPOINTS,
  ERROR_CODES,
  FINAL_STATUSES,
  HEDGE_STATUSES,
  MARKET_STATUSES,
  TRANSITIONS,
} from './rules.ts';

const SAMPLES: Readonly<Record<Resource, readonly Body[]>> = {
  error: ERROR_CODES.map(({ code }) => ({ code, message: 'in words', details: { hint: 'an object' } })),
  'markets meta': [MARKETS_META],
  'quote meta': [QUOTE_META],
  market: MARKET_STATUSES.map((status) => aMarket({ status })),
  quote: [aQuote({ tenor_days: 1 }), aQuote({ tenor_days: 3 }), aSellQuote({ tenor_days: 7 })],
  hedge: HEDGE_STATUSES.map((status) => aHedge({ status })),
  position: [aPosition()],
  account: [anAccount()],
  'closed hedge': [aClosedHedge()],
  'accepted open': [anAcceptedOpen()],
  'accepted close': [anAcceptedClose()],
};

/** A deep copy of `body` without the field at `path`, or with another value there. */
function without(body: Body, path: string, value?: unknown): Body {
  const copy: Body = structuredClone(body);
  const names = path.split('.');
  const last = names.pop() ?? '';
  let at: unknown = copy;
  for (const name of names) at = isBody(at) ? at[name] : undefined;
  if (!isBody(at)) throw new Error(`no ${path} in the sample`);
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null;

const everyField = RESOURCES.flatMap((resource) =>
  (FIELDS[resource] as readonly Field[]).map((field) => ({ resource, field, path: field.path })),
);

describe('the specification in tables', () => {
  it.each(RESOURCES)('has sample bodies of %s that conform', (resource) => {
    expect(SAMPLES[resource].flatMap((body) => conformsTo(resource, body))).toEqual([]);
  });

  it.each(everyField)(
    'shows the $path of $resource in a sample, and misses it when it is promised',
    ({ resource, field }) => {
      const holders = SAMPLES[resource].filter((body) => valueAt(body, field.path) !== undefined);
      const [holder] = holders.toReversed();
      if (holder === undefined) throw new Error(`no sample of ${resource} has ${field.path}`);
      const missed = conformsTo(resource, without(holder, field.path)).includes(`${field.path} is missing`);
      expect(missed).toBe(field.when !== 'optional');
    },
  );

  it.each(everyField)('notices a the $path of $resource of the wrong type', ({ resource, field }) => {
    const holder = SAMPLES[resource].findLast((body) => valueAt(body, field.path) !== undefined) ?? {};
    expect(conformsTo(resource, without(holder, field.path, true))).toContain(
      `${field.path} is not a ${field.type}`,
    );
  });

  it.each(everyField.filter(({ field }) => field.oneOf !== undefined))(
    'shows every value of the $path of $resource, and notices another',
    ({ resource, field }) => {
      const seen = SAMPLES[resource].map((body) => valueAt(body, field.path));
      const oneOf = field.oneOf ?? [];
      const uncovered = oneOf.filter((value) => !seen.includes(value));
      // The quote samples show both sides and all tenors; a hedge needs only its statuses shown.
      expect(resource === 'hedge' && field.path !== 'status' ? [] : uncovered).toEqual([]);
      const holder = SAMPLES[resource].at(-1) ?? {};
      const other = field.type === 'integer' ? 2 : 'otherwise';
      expect(conformsTo(resource, without(holder, field.path, other))).toHaveLength(1);
    },
  );

  it('asks for no fill of a hedge that was never filled, and for one of a closed hedge', () => {
    const never = ['submitting', 'submitted', 'failed'].map((status) => aHedge({ status }));
    expect(never.every((hedge) => hedge['struck_rate'] === undefined)).toBe(true);
    expect(conformsTo('hedge', { ...aHedge({ status: 'submitted' }), status: 'closed' })).toEqual([
      'fill_tx_hash is missing',
      'struck_rate is missing',
      'filled_at is missing',
    ]);
  });

  it('reads a number as JSON.parse or as big.js made it, and no other', () => {
    expect(conformsTo('account', anAccount({ balance_usdc: new Big('41320.5') }))).toEqual([]);
    expect(conformsTo('quote', aQuote({ tenor_days: new Big(3) }))).toEqual([]);
    for (const wrong of ['41320', Number.NaN, [1], {}]) {
      expect(conformsTo('account', anAccount({ balance_usdc: wrong }))).toEqual([
        'balance_usdc is not a number',
      ]);
    }
  });

  it('takes only ISO 8601 in UTC as a timestamp', () => {
    for (const wrong of ['2026-11-23', '2026-11-23T09:02:11+01:00', 'tomorrow', '2026-13-23T09:02:11Z']) {
      expect(conformsTo('quote', aQuote({ maturity: wrong }))).toEqual(['maturity is not a timestamp']);
    }
  });

  it('names the element of a list that departs', () => {
    expect(listConformsTo('position', [aPosition(), {}])).toEqual(['[1] net_margin_usd is missing']);
    expect(listConformsTo('position', { 0: aPosition() })).toEqual(['list of position is not an array']);
  });
});

describe('the envelope', () => {
  it('has data or an error, never both, and always a meta', () => {
    expect(envelopeConforms(succeeded([]), true)).toEqual([]);
    expect(envelopeConforms(failed('rate_limited'), false)).toEqual([]);
    expect(envelopeConforms(failed('rate_limited'), true)).toHaveLength(2);
    expect(envelopeConforms(succeeded({}), false)).toHaveLength(2);
    expect(envelopeConforms({ data: {}, error: null }, true)).toEqual([
      'meta is missing',
      'meta is not an object',
    ]);
  });
});

describe('statuses, endpoints and codes', () => {
  it('leads to every status but submitting, and out of no final one', () => {
    const reached: readonly string[] = TRANSITIONS.map(({ to }) => to);
    expect(HEDGE_STATUSES.filter((status) => !reached.includes(status))).toEqual(['submitting']);
    const left: readonly (string | undefined)[] = TRANSITIONS.map(({ from }) => from);
    expect(FINAL_STATUSES.filter((status) => left.includes(status))).toEqual([]);
  });

  it('has twelve endpoints, four of them with an idempotency key', () => {
    expect(new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`)).size).toBe(12);
    expect(ENDPOINTS.filter(({ idempotent }) => idempotent).map(({ path }) => path)).toEqual([
      '/hedges',
      '/hedges/add',
      '/hedges/reduce',
      '/hedges/close',
    ]);
  });

  it('shows a resource of the tables wherever it shows an answer', () => {
    const shown = ENDPOINTS.flatMap(({ data }) => (data === 'not shown' ? [] : [data.of]));
    expect(shown.filter((name) => !(RESOURCES as readonly string[]).includes(name))).toEqual([]);
  });

  it('treats the two 409 codes in opposite ways', () => {
    const conflict = ERROR_CODES.filter(({ status }) => status === 409);
    expect(conflict.map(({ code, again }) => [code, again])).toEqual([
      ['idempotency_key_reuse', 'never'],
      ['idempotency_in_flight', 'same key and body'],
    ]);
  });
});

function valueAt(body: Body, path: string): unknown {
  let at: unknown = body;
  for (const name of path.split('.')) at = isBody(at) ? at[name] : undefined;
  return at;
}
