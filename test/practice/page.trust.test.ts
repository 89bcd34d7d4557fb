/** The page: who sees it, what is in it, and that neither a string in it nor another site does anything. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Certificates, makeCertificates } from '../../src/practice/index.ts';
import { needs } from '../support/tools.ts';
import { openBrowser } from './support/browser.ts';
import {
  expectAccepted,
  type Reply,
  startPractice,
  type TestPractice,
  type TestPracticeOptions,
  testRandom,
} from './support/practice-service.ts';

const OPEN = { market: 'USDTNGN', side: 'buy', notional_usd: 10_000, tenor_days: 3 };
const HTML = { accept: 'text/html,application/xhtml+xml' };

const mock = (more: TestPracticeOptions['modes'] = {}) =>
  startPractice({ modes: { seed: 7, clockMode: 'manual', memory: true, fillAfterMs: 2_000, ...more } });

const rootOf = ({ service }: TestPractice): string => new URL(service.url).origin;

/** A request of a browser. */
const visit = (practice: TestPractice, at: string, headers: Record<string, string> = {}): Promise<Reply> =>
  practice.control('GET', '', undefined, { at, as: null, headers: { ...HTML, ...headers }, plain: true });

/** Opens the link, and returns the cookie that it gives. */
async function cookieOf(practice: TestPractice, link = practice.service.pageUrl): Promise<string> {
  const { status, headers } = await visit(practice, link);
  expect(status).toBe(200);
  const [cookie = ''] = String(headers['set-cookie']).split(';');
  return cookie;
}

describe('who sees the page', () => {
  it('page: the link works once, and gives a cookie that works on', async () => {
    const practice = await mock();
    const root = rootOf(practice);
    expect(await visit(practice, `${root}/`)).toMatchObject({ status: 401 });
    const first = await visit(practice, practice.service.pageUrl);
    expect(first.status).toBe(200);
    expect(String(first.headers['set-cookie'])).toMatch(
      new RegExp(`^hedge-page-${new URL(root).port}=\\w{32}; Path=/; Secure; HttpOnly; SameSite=Strict$`),
    );
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    for (const path of ['/', '/?book=default'])
      expect(await visit(practice, `${root}${path}`, { cookie })).toMatchObject({ status: 200 });
    expect(await visit(practice, practice.service.pageUrl)).toMatchObject({ status: 401 });
    expect(await visit(practice, `${root}/?token=${'A'.repeat(32)}`)).toMatchObject({ status: 401 });
    expect(await visit(practice, `${root}/`, { cookie: `${cookie}X` })).toMatchObject({ status: 401 });
  });

  it('page: the control API gives another link, and no API key opens it', async () => {
    const practice = await mock();
    const { data } = expectAccepted(await practice.control('POST', '/page')).body;
    expect(await cookieOf(practice, data.page_url)).toContain('hedge-page-');
    for (const key of [practice.service.keys.test, practice.service.control.key])
      expect(await visit(practice, `${rootOf(practice)}/`, { authorization: `Bearer ${key}` })).toMatchObject(
        { status: 401 },
      );
    const cookie = await cookieOf(practice);
    const reset = await practice.control('POST', '/reset', {}, { as: null, headers: { cookie } });
    expect(reset.status).toBe(401);
  });

  it('page: is one file that loads nothing, runs nothing and is in no frame', async () => {
    const practice = await mock();
    const { headers, text } = await visit(practice, practice.service.pageUrl);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(text).not.toMatch(/<script|<form|<iframe|<img|https?:|\bon[a-z]+=/i);
    expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual(['data:,']);
  });

  it('page: shows book, hedges, requests and faults, and no key', async () => {
    const practice = await mock({ books: ['a'] });
    const cookie = await cookieOf(practice);
    const { service } = practice;
    expectAccepted(await practice.post('/hedges', { ...OPEN, client_reference: 'PAY-1' }, { key: 'one' }));
    await practice.control('POST', '/clock/advance', { seconds: 2 });
    await practice.get(`/account?key=${service.keys.test}`);
    await practice.control('PATCH', '/faults', { fail_before: 1, only: 'open', once: 3 });
    const { text } = await visit(practice, `${rootOf(practice)}/`, { cookie });
    for (const shown of [
      'The next 3 opens fail before they execute (503).',
      '<td class="w">PAY-1</td>',
      '<td class="n">10000</td>',
      '<td class="">filled</td>',
      '<td class="w">POST /hedges</td>',
      '<td class="w">one</td>',
      '2026-12-01 08:00:02 UTC',
      'GET /account?key=[API key]',
      '<a href="/?book=a">a</a>',
    ])
      expect(text).toContain(shown);
    for (const { keys } of [service, ...service.books])
      for (const key of Object.values(keys)) expect(text).not.toContain(key);
    expect(text).not.toContain(service.control.key);
    const other = await visit(practice, `${rootOf(practice)}/?book=a`, { cookie });
    expect(other.text).not.toContain('PAY-1');
  });

  it.each([
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])(
    'page: a request that a page of another site sends is rejected, and is not in the log: %j',
    async (headers) => {
      const practice = await mock();
      for (const reply of [
        await practice.post('/hedges', OPEN, { headers }),
        await practice.control('POST', '/reset', {}, { headers }),
        await practice.control('GET', '', undefined, { at: `${rootOf(practice)}/`, headers }),
      ])
        expect(reply).toMatchObject({ status: 403, body: { error: { code: 'invalid_request' } } });
      expect((await practice.control('GET', '/requests')).body.data).toEqual([]);
    },
  );

  it('page: a link in a page of another site leads here', async () => {
    const practice = await mock();
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect(await visit(practice, practice.service.pageUrl, headers)).toMatchObject({ status: 200 });
  });
});

/** Each would change the title of the page, or send a request that the log shows. */
const HOSTILE = [
  `<script>document.title='PWNED'</script>`,
  `"><img src=/pwned onerror="document.title='PWNED'">`,
  `</td></table></style><svg/onload=document.title='PWNED'>`,
  `'-document.title='PWNED'-'`,
  `<meta http-equiv=refresh content=0;url=/pwned>`,
  `<a href="javascript:document.title='PWNED'">x</a>`,
  `\u202e<b>\u0007&lt;script&gt;\u2066`,
  '&#60;script&#62;document.title=1&#60;/script&#62;',
];

/** In references, keys, paths, queries, bodies, headers and the faults that are set. */
async function fillWithHostileText(practice: TestPractice): Promise<void> {
  for (const text of HOSTILE) {
    expectAccepted(await practice.post('/hedges', { ...OPEN, notional_usd: 1, client_reference: text }));
    await practice.get(`/hedges?client_reference=${encodeURIComponent(text)}`);
    await practice.get(`/hedges/${text.replaceAll(/[^\x21-\x7e]/g, '')}`);
    await practice.send('POST', '/hedges', { raw: text, key: text.replaceAll(/[^\x21-\x7e]/g, '') || 'x' });
  }
  const scripts = HOSTILE.map((text) => ({
    match: { client_reference: text, path: text, key: text },
    steps: ['fail_before'],
  }));
  expectAccepted(await practice.control('PATCH', '/faults', { scripts }));
}

const inBrowser = async (): Promise<Certificates> => makeCertificates(Date.now(), testRandom(1).bytes(32));

describe('the page in a browser', needs('chromium'), () => {
  it('page: nothing of hostile strings is executed or loaded, and all of them are shown', async () => {
    const certificates = await inBrowser();
    const practice = await mock({ certificates: async () => certificates });
    await fillWithHostileText(practice);
    const browser = await openBrowser(certificates.certificatePem);
    await browser.go(practice.service.pageUrl);
    // It refreshes itself, and the token is no longer in the address.
    await expect.poll(() => browser.evaluate('location.search'), { timeout: 60_000 }).toBe('?book=default');
    expect(await browser.evaluate('document.title')).toBe('hedge practice');
    expect(
      await browser.evaluate(
        `document.querySelectorAll('script,img,svg,iframe,form,[onerror],[onload],a[href^=javascript]').length`,
      ),
    ).toBe(0);
    const shown = String(await browser.evaluate('document.body.textContent'));
    for (const text of HOSTILE)
      expect(shown).toContain(text.replaceAll(/[\p{Cc}\u202e\u2066]/gu, '\u{fffd}'));
    expect((await practice.control('GET', '/requests?path=/pwned')).body.data).toEqual([]);
    expect(await browser.evaluate('performance.getEntriesByType("resource").length')).toBe(0);
    const picture = await browser.picture();
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.length).toBeGreaterThan(20_000);
    if (process.env['HEDGE_PICTURES'] !== undefined)
      writeFileSync(`${process.env['HEDGE_PICTURES']}/hostile.png`, picture);
  });

  it('page: shows a day of trading', async () => {
    const certificates = await inBrowser();
    const practice = await mock({ certificates: async () => certificates, books: ['worker-1'] });
    for (const [index, side] of (['buy', 'sell', 'buy'] as const).entries()) {
      const order = {
        ...OPEN,
        side,
        notional_usd: 25_000 * (index + 1),
        client_reference: `PAY-884${index}`,
      };
      expectAccepted(await practice.post('/hedges', order, { key: `open-${index}`, as: 'test' }));
      await practice.control('POST', '/clock/advance', { seconds: 3_600 });
    }
    await practice.control('PATCH', '/faults', { lost_after: 1, only: 'open', once: 3 });
    await practice.post('/hedges', OPEN, { key: 'lost', as: 'test' }).catch(() => undefined);
    await practice.post('/hedges', OPEN, { key: 'lost', as: 'test' }).catch(() => undefined);
    await practice.get('/positions', { as: 'test' });
    const browser = await openBrowser(certificates.certificatePem);
    await browser.go(practice.service.pageUrl);
    const shown = String(await browser.evaluate('document.body.innerText'));
    for (const text of [
      'PAY-8842',
      'lost_after',
      'The next open executes, but loses the connection',
      'worker-1',
    ])
      expect(shown).toContain(text);
    const picture = await browser.picture();
    if (process.env['HEDGE_PICTURES'] !== undefined)
      writeFileSync(`${process.env['HEDGE_PICTURES']}/page.png`, picture);
  });

  it('page: another site in the same browser reads nothing and changes nothing', async () => {
    const certificates = await inBrowser();
    const practice = await mock({ certificates: async () => certificates });
    expectAccepted(await practice.post('/hedges', { ...OPEN, client_reference: 'PAY-SECRET' }));
    const before = (await practice.control('GET', '/fixture')).text;
    const log = (await practice.control('GET', '/requests')).text;
    const evil = createServer(
      { cert: certificates.certificatePem, key: certificates.privateKeyPem },
      (_request, response) =>
        response.setHeader('content-type', 'text/html').end('<title>another site</title>'),
    ).listen(0, '127.0.0.1');
    onTestFinished(() => void evil.close());
    await once(evil, 'listening');
    const address = evil.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const root = rootOf(practice);
    const browser = await openBrowser(certificates.certificatePem);
    await browser.go(practice.service.pageUrl);
    expect(await browser.evaluate('document.body.innerText')).toContain('PAY-SECRET');
    // The first has the same host, on another port.
    for (const site of [`https://127.0.0.1:${port}/`, `https://localhost:${port}/`]) {
      await browser.go(site);
      expect(await browser.evaluate('document.title')).toBe('another site');
      expect(await browser.evaluate(attack(root, practice.service.keys.live))).toEqual([]);
    }
    expect((await practice.control('GET', '/fixture')).text).toBe(before);
    expect((await practice.control('GET', '/requests')).text).toBe(log);
    // Its cookie still works.
    await browser.go(`${root}/`);
    expect(await browser.evaluate('document.body.innerText')).toContain('PAY-SECRET');
  });
});

/** Everything that a page can try; gives what it could read. */
const attack = (root: string, key: string): string => `(async () => {
  const root = ${JSON.stringify(root)};
  const read = [];
  const tries = [
    () => fetch(root + '/', { credentials: 'include' }).then((r) => r.text()),
    () => fetch(root + '/', { credentials: 'include', mode: 'no-cors' }).then((r) => r.text()),
    () => fetch(root + '/practice/v2/hedges', { headers: { authorization: 'Bearer ${key}' } }).then((r) => r.text()),
    () => fetch(root + '/control/v1/health').then((r) => r.text()),
    () => fetch(root + '/control/v1/reset', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).then((r) => r.text()),
    () => fetch(root + '/practice/v2/hedges', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).then((r) => r.text()),
    () => new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.src = root + '/';
      frame.onload = () => { try { resolve(frame.contentDocument.body.innerText); } catch { resolve(''); } };
      document.body.append(frame);
    }),
    () => new Promise((resolve) => {
      const script = document.createElement('script');
      script.src = root + '/';
      script.onload = () => resolve('it ran'); script.onerror = () => resolve('');
      document.body.append(script);
    }),
    () => new Promise((resolve) => {
      const form = document.createElement('form');
      const frame = document.createElement('iframe');
      frame.name = 'sink'; form.target = 'sink'; form.method = 'post'; form.action = root + '/control/v1/reset';
      frame.onload = () => { try { resolve(frame.contentDocument.body.innerText); } catch { resolve(''); } };
      document.body.append(frame, form);
      form.submit();
    }),
    () => new Promise((resolve) => {
      const opened = new WebSocket(root.replace('https', 'wss') + '/practice/v2/hedges');
      opened.onopen = () => resolve('a socket opened'); opened.onerror = () => resolve('');
    }),
  ];
  for (const each of tries) {
    const text = await each().catch(() => '');
    if (text !== '') read.push(text);
  }
  return read;
})()`;
