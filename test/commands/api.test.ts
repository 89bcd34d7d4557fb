import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aMarket, anAcceptedOpen, anAccount, aQuote } from '../spec/bodies.ts';
import { cliFor, LIVE_KEY } from '../support/cli-for.ts';
import { type Exchange, html, no, ok, on, raw, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

async function scriptedClient(...script: readonly Exchange[]) {
  const service = await scriptedService(script);
  return { ...cliFor(service), requests: service.requests };
}

const QUOTE = ['-f', 'market=USDTNGN', '-f', 'side=buy', '-F', 'notional_usd=10000', '-F', 'tenor_days=3'];
const OPEN = ['api', 'POST', '/hedges', ...QUOTE];

/** What an open reads before it is sent. */
const READ = [
  on('POST /quotes', ok(aQuote())),
  on('GET /account', ok(anAccount())),
  on('GET /positions', ok([])),
  on('GET /hedges?limit=500', ok([])),
  on('GET /markets', ok([aMarket()])),
];

describe('api GET', () => {
  it("prints the service's own data: every field, every digit", async () => {
    const body =
      '{"data":{"new_figure_usd":10.10,"deep":[{"tiny":0.00000000000000001}]},"error":null,"meta":{"page":2}}';
    const desk = await scriptedClient(
      on('GET /news/of-the-day', raw(200, body)),
      on('GET /news', raw(200, body)),
    );
    const program = await desk.run('api get /news/of-the-day --json');
    expect(program.out).toContain('"tiny":0.00000000000000001');
    expect(program.document()).toMatchObject({
      data: { new_figure_usd: 10.1 },
      error: null,
      meta: { page: 2, command: 'api', environment: 'sandbox' },
    });
    const person = await desk.run('api GET /news');
    expect(person.out).toContain('    {\n      "tiny": 0.00000000000000001\n    }');
  });

  it('asks again like any reading, and says what the query is', async () => {
    const desk = await scriptedClient(
      on('GET /prices?symbols=USD%26NGN&at=', html(503)),
      on('GET /prices?symbols=USD%26NGN&at=', ok(1530.1)),
    );
    const ran = await desk.run('api GET /prices --param symbols=USD&NGN --param at= --json');
    expect(ran.document()).toMatchObject({ data: 1530.1 });
  });

  it('ends as the service refuses', async () => {
    const desk = await scriptedClient(on('GET /nowhere', no(404, 'not_found')));
    const ran = await desk.run('api GET /nowhere --json');
    expect(ran.code).toBe(3);
    expect(ran.document()).toMatchObject({ data: null, error: { code: 'not_found', effect: 'none' } });
  });

  it.each([
    ['https://elsewhere.example/markets'],
    ['//elsewhere.example/markets'],
    ['/../../admin'],
    ['/hedges/..'],
    ['/hedges/%2e%2E/x'],
    ['/hedges/%2f/x'],
    ['/hedges/%252e%252e'],
    ['/hedges\\x'],
    ['/hedges/./x'],
    ['/hedges/'],
    ['/a b'],
    ['/hedges?limit=1'],
    ['/hedges#x'],
    ['markets'],
    ['@elsewhere.example/'],
    ['/a\u000d\u000aHost:x'],
  ])('goes nowhere but below the base URL: %j', async (path) => {
    const desk = await scriptedClient();
    const ran = await desk.run(['api', 'GET', path, '--json']);
    expect(ran.code).toBe(2);
    expect(ran.document()).toMatchObject({ error: { code: 'usage' } });
  });
});

describe('api POST', () => {
  it('reads a quote: text and numbers as they were said', async () => {
    const desk = await scriptedClient(on('POST /quotes', ok(aQuote())));
    const words = [
      'api',
      'POST',
      '/quotes',
      ...QUOTE,
      '-F',
      'x=10.10',
      '-F',
      'y=null',
      '-f',
      'z=1',
      '--json',
    ];
    expect((await desk.run(words)).document()).toMatchObject({ data: aQuote() });
    expect(desk.requests[0]?.body).toBe(
      '{"market":"USDTNGN","side":"buy","z":"1","notional_usd":10000,"tenor_days":3,"x":10.1,"y":null}',
    );
  });

  it('takes a body from a file, from standard input, or from the line', async () => {
    const quoted = on('POST /quotes', ok(aQuote()));
    const desk = await scriptedClient(quoted, quoted, quoted);
    const body = '{"notional_usd":12345678901234.5}';
    const file = join(desk.home, 'body.json');
    writeFileSync(file, body);
    for (const [data, stdin] of [
      [`@${file}`, ''],
      ['-', body],
      [body, ''],
    ] as const)
      expect((await desk.run(['api', 'POST', '/quotes', '--data', data], { stdin })).code).toBe(0);
    expect(desk.requests.map((request) => request.body)).toEqual([body, body, body]);
  });

  it('opens as hedge open does: read, guarded, sent under a key, in the journal', async () => {
    const unused = on('GET /hedges?client_reference=PAY-1&limit=500', ok([]));
    const desk = await scriptedClient(...READ, unused, on('POST /hedges', ok(anAcceptedOpen())));
    const words = [...OPEN, '-f', 'client_reference=PAY-1', '--no-wait', '--yes', '--json'];
    const ran = await desk.run(words);
    expect(ran.code).toBe(0);
    expect(ran.document()).toMatchObject({
      data: { action: 'open', outcome: 'submitted', request: { client_reference: 'PAY-1' } },
      meta: { command: 'api' },
    });
    const sent = desk.requests.at(-1);
    expect(sent?.headers['idempotency-key']).toEqual(expect.stringMatching(/^.{8,}/));
    expect(sent?.body).toBe(
      '{"market":"USDTNGN","side":"buy","notional_usd":10000,"tenor_days":3,"client_reference":"PAY-1"}',
    );
    expect((await desk.run('journal --json')).document()).toMatchObject({
      data: [{ action: 'open', request: { market: 'USDTNGN' } }],
    });
  });

  it('is stopped by the halt, and asks without --yes', async () => {
    const desk = await scriptedClient(...READ, ...READ);
    expect((await desk.run([...OPEN, '--json'])).document()).toMatchObject({ error: { code: 'usage' } });
    const dry = await desk.run([...OPEN, '--dry-run', '--json']);
    expect(dry.document()).toMatchObject({ data: { outcome: 'planned' } });
    await desk.run('halt venue down');
    const halted = await desk.run([...OPEN, '--yes', '--json']);
    expect([halted.code, halted.document()]).toMatchObject([10, { error: { code: 'halted' } }]);
    expect(desk.requests.filter(({ line }) => line === 'POST /hedges')).toEqual([]);
  });

  it.each<[string, readonly string[], string]>([
    ['fields', OPEN, '--yes --expect-env live -f client_reference=ID --worst-price PRICE'],
    [
      'a body',
      [...OPEN.slice(0, 3), '--data', '{"market":"USDTNGN","side":"buy","notional_usd":1000,"tenor_days":3}'],
      '--yes --expect-env live "client_reference":"ID" (in the body) --worst-price PRICE',
    ],
  ])('says what a live one lacks as its own line says it: %s', async (_what, words, missing) => {
    const service = await scriptedService([]);
    const ran = await cliFor(service, { key: LIVE_KEY }).run([...words, '--json']);
    expect([ran.code, ran.document()]).toMatchObject([
      2,
      { error: { code: 'usage', hint: `Pass: ${missing}` } },
    ]);
  });

  it('keeps the limits of the price that were given', async () => {
    const desk = await scriptedClient(...READ);
    const ran = await desk.run([...OPEN, '--yes', '--max-cost-bps', '1', '--json']);
    expect([ran.code, ran.document()]).toMatchObject([10, { error: { code: 'cost_too_high' } }]);
  });

  it('closes a side that is flat as hedge close does', async () => {
    const desk = await scriptedClient(
      on('GET /positions', ok([])),
      on('GET /hedges?limit=500', ok([])),
      on('GET /markets', ok([aMarket()])),
    );
    const words = ['api', 'POST', '/hedges/close', '-f', 'market=USDTNGN', '-f', 'side=buy'];
    const ran = await desk.run([...words, '--if-open', '--yes', '--json']);
    expect([ran.code, ran.document()]).toMatchObject([0, { data: { action: 'close', outcome: 'flat' } }]);
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      'what it does not know',
      ['POST', '/hedges/roll', '-f', 'a=b'],
      /may change a position\. Nothing was sent/,
    ],
    [
      'an acting path written otherwise',
      ['POST', '/hedges/add%20'],
      /may change a position\. Nothing was sent/,
    ],
    ['a method that it does not know', ['DELETE', '/hedges/hdg_1'], /not a supported method/],
    ['a field that it does not know', [...OPEN.slice(1), '-f', 'leverage=10'], /"leverage".* not known/],
    [
      'a size that is text',
      ['POST', '/hedges/add', ...QUOTE.slice(0, 4), '-f', 'notional_usd=1'],
      /not a number/,
    ],
    ['a missing field', ['POST', '/hedges/add', ...QUOTE.slice(0, 4)], /"notional_usd" is missing/],
    ['a field given twice', ['POST', '/quotes', '-f', 'a=1', '-F', 'a=2'], /"a" is given twice/],
    ['a number that is none', ['POST', '/quotes', '-F', 'a=1e999'], /neither a number/],
    ['two bodies', ['POST', '/quotes', '-f', 'a=1', '--data', '{}'], /body is given twice/],
    ['a body that is a list', ['POST', '/quotes', '--data', '[]'], /not one JSON object/],
    ['a key twice', ['POST', '/quotes', '--data', '{"a":1,"a":1}'], /not one JSON object/],
    ['a file that is not there', ['POST', '/quotes', '--data', '@/nowhere'], /no such file/],
    ['a body with a GET', ['GET', '/markets', '-f', 'a=b'], /has no body/],
    ['a query with a POST', ['POST', '/quotes', '--param', 'a=b'], /has no query/],
    [
      'a bound that a close has not',
      ['POST', '/hedges/close', '--worst-price', '1'],
      /--worst-price is not an option of close/,
    ],
    ['an option of actions with a reading', ['GET', '/markets', '--yes'], /--yes needs an action/],
    ['the same, the other way', ['GET', '/markets', '--no-wait'], /--no-wait needs an action/],
    ['what is not key=value', ['POST', '/quotes', '-f', 'market'], /key=value/],
  ])('refuses %s, before anything is asked', async (_what, words, says) => {
    const desk = await scriptedClient();
    const ran = await desk.run(['api', ...words]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(says)]);
  });
});

describe('api on the practice desk', () => {
  it('sends an order and reads it back', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    expect((await cli.run([...OPEN, '--yes', '--json'])).document()).toMatchObject({
      data: { outcome: 'filled', hedge: { notional_usd: 10000 } },
    });
    expect((await cli.run('api GET /positions --json')).document()).toMatchObject({
      data: [{ side: 'buy', notional_usd: 10000 }],
    });
  });
});
