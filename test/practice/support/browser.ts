/** Debian's chromium, driven over its own pipe: pages, what is in them, and pictures of them. */
import { spawn } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { expectNeeded } from '../../support/tools.ts';

export interface Browser {
  /** Loads the address in the one page that there is. */
  go(url: string): Promise<void>;
  /** The value of an expression in the page; of a promise, what it resolves to. */
  evaluate(expression: string): Promise<unknown>;
  /** A PNG of the whole page. */
  picture(): Promise<Buffer>;
}

const SWITCHES = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-pipe',
  '--window-size=1280,900',
];

interface Message {
  id?: number;
  method?: string;
  params?: object;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** It ends with the test. `certificate`: the one that it trusts, in PEM. */
export async function openBrowser(certificate: string): Promise<Browser> {
  expectNeeded('chromium');
  const profile = mkdtempSync(join(tmpdir(), 'hedge-browser-'));
  const { publicKey } = new X509Certificate(certificate);
  const spki = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  const words = [
    ...SWITCHES,
    `--user-data-dir=${profile}`,
    `--ignore-certificate-errors-spki-list=${spki}`,
    'about:blank',
  ];
  const child = spawn('chromium', words, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const gone = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
  const [, , , input, output] = child.stdio;
  if (!(input instanceof Writable) || !(output instanceof Readable)) throw new Error('chromium has no pipe');
  const waiting = new Map<number, (message: Message) => void>();
  let onEvent = (_message: Message): void => undefined;
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (text + chunk).split('\0');
    text = messages.pop() ?? '';
    for (const each of messages) {
      const message: Message = JSON.parse(each);
      if (message.id === undefined) onEvent(message);
      else waiting.get(message.id)?.(message);
    }
  });
  let last = 0;
  const call = (method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id);
        if (result === undefined) reject(new Error(`${method}: ${error?.message ?? 'no result'}`));
        else resolve(result);
      });
      input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
      void gone.then(() => reject(new Error('chromium has ended')));
    });
  onTestFinished(async () => {
    // Its other processes end with it, and write to its profile until then.
    await call('Browser.close').catch(() => undefined);
    await gone;
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
  const attached = await call('Target.attachToTarget', { targetId, flatten: true });
  const session = String(attached['sessionId']);
  await call('Page.enable', {}, session);
  return {
    async go(url) {
      const loaded = new Promise<void>((resolve) => {
        onEvent = ({ method }) => {
          if (method === 'Page.loadEventFired') resolve();
        };
      });
      const { errorText } = await call('Page.navigate', { url }, session);
      if (errorText !== undefined) throw new Error(`${url}: ${JSON.stringify(errorText)}`);
      await loaded;
    },
    async evaluate(expression) {
      const asked = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await call('Runtime.evaluate', asked, session);
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return typeof result === 'object' && result !== null && 'value' in result ? result.value : undefined;
    },
    async picture() {
      const { data } = await call('Page.captureScreenshot', { captureBeyondViewport: true }, session);
      return Buffer.from(String(data), 'base64');
    },
  };
}
