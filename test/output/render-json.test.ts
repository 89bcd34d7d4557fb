import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { documentOf } from '../../src/cli/printer.ts';
import { say, shell, step } from '../../src/domain/hint.ts';
import { InterruptedError, RefusedError, UsageError } from '../../src/errors.ts';
import { type HumanView, renderErrorHuman } from '../../src/output/render-human.ts';
import { errorDocument, renderJson } from '../../src/output/render-json.ts';

const refused = new RefusedError({
  code: 'exposure_exceeded',
  what: 'Refused: 250,000.00 USD would exceed the exposure cap.',
  meaning: 'Nothing was opened.',
  hint: [
    say`Headroom now: ${shell`hedge account`}`,
    step(shell`hedge quote USDTNGN buy 10k`, 'a smaller one'),
  ],
  httpStatus: 400,
  details: { cap_usd: new Big('500000.10') },
});

describe('the document', () => {
  const meta = { schema: 1, command: 'price' };

  it('is the envelope, on one line in a pipe, with the digits as sent', () => {
    const data = { price: new Big('1530.1234567890123456789'), units: new Big('1e3'), name: 'a\u009bb' };
    expect(renderJson({ data, error: null, meta }, { pretty: false })).toBe(
      '{"data":{"price":1530.1234567890123456789,"units":1000,"name":"a\\u009bb"},"error":null,"meta":{"schema":1,"command":"price"}}\n',
    );
  });

  it('is indented for a person, and in ASCII where the terminal shows no more', () => {
    const json = renderJson({ data: ['é'], error: null, meta: {} }, { pretty: true, unicode: false });
    expect(json).toBe('{\n  "data": [\n    "\\u00e9"\n  ],\n  "error": null,\n  "meta": {}\n}\n');
  });

  it('has data null where there is none', () => {
    const context = { command: 'price', aside: undefined, identity: undefined, named: undefined };
    const document = documentOf(
      { ...context, headed: false, list: undefined, now: 0 },
      undefined,
      new UsageError('No.'),
    );
    expect(JSON.parse(renderJson(document, {}))).toMatchObject({
      data: null,
      error: { code: 'usage', message: 'No.', effect: 'none', retry: 'never' },
      meta,
    });
  });

  it('carries all of an error: code, message, effect, retry, hint, details, status', () => {
    const json = renderJson({ data: null, error: errorDocument(refused), meta }, { pretty: false });
    expect(JSON.parse(json).error).toEqual({
      code: 'exposure_exceeded',
      message: 'Refused: 250,000.00 USD would exceed the exposure cap. Nothing was opened.',
      effect: 'none',
      retry: 'never',
      hint: 'Headroom now: hedge account\nhedge quote USDTNGN buy 10k    a smaller one',
      details: { cap_usd: 500000.1 },
      http_status: 400,
    });
    expect(json).toContain('"cap_usd":500000.1}');
  });
});

describe('an error for a person', () => {
  const view: HumanView = { width: 80, colour: 0, unicode: true, zone: 'UTC', now: 0 };

  it('says what happened with the code of the service, what it means, what to do', () => {
    expect(renderErrorHuman(refused, view)).toBe(
      [
        'Refused: 250,000.00 USD would exceed the exposure cap (exposure_exceeded).',
        'Nothing was opened.',
        'Headroom now: hedge account',
        'hedge quote USDTNGN buy 10k    a smaller one',
        '',
      ].join('\n'),
    );
  });

  it('does not print an internal code, nor one that is said already', () => {
    expect(renderErrorHuman(new UsageError('NOTIONAL is not an amount.'), view)).toBe(
      'NOTIONAL is not an amount.\n',
    );
    const said = new RefusedError({ code: 'no_open_hedge', what: 'Refused (no_open_hedge).' });
    expect(renderErrorHuman(said, view)).toBe('Refused (no_open_hedge).\n');
  });

  it('says that the book is unclear when nothing else does', () => {
    const unknown = new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.', effect: 'unknown' });
    expect(renderErrorHuman(unknown, view)).toContain('it may have executed');
  });

  it('cannot be made to say more by a message or a code of the service', () => {
    const hostile = new RefusedError({
      code: 'x\u001b[2J\nFILLED',
      what: 'No\nFILLED 100,000.00 USD\u202e.',
    });
    const lines = renderErrorHuman(hostile, view).split('\n');
    expect(lines).toEqual(['No FILLED 100,000.00 USD\ufffd (x\ufffd FILLED).', '']);
  });

  it('wraps at the width and is red where there is colour', () => {
    const lines = renderErrorHuman(refused, { ...view, width: 40 }).split('\n');
    expect(Math.max(...lines.map((each) => each.length))).toBeLessThanOrEqual(40);
    expect(renderErrorHuman(refused, { ...view, colour: 1 })).toMatch(/^\p{Cc}\[31mRefused/u);
  });
});
