/** Many requests at once: busy clients do not keep new connections waiting, and nothing accumulates. */
import { once } from 'node:events';
import { request } from 'node:https';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startPractice, testClock } from './support/practice-service.ts';

it('fair queue: handles one request per turn of the event loop, however many are waiting', async () => {
  const practice = await startPractice();
  const ask = () => Promise.all(Array.from({ length: 60 }, () => practice.get('/account')));
  // Opens all connections.
  await ask();
  const done: number[] = [];
  let counting = true;
  const count = (): void => {
    done.push(practice.log.length);
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const replies = await ask();
  counting = false;
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const each = done.map((all, turn) => all - (done[turn - 1] ?? 60));
  expect(Math.max(...each)).toBeLessThan(10);
});

it('many requests at once: the service waits for their bodies and latencies without a warning', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const machine = {
    ...testClock(),
    sleep: (ms: number, signal?: AbortSignal) => wait(ms, undefined, signal === undefined ? {} : { signal }),
  };
  const practice = await startPractice({ clock: machine, faults: { delay_before_ms: 1 } });
  const { url, ca, keys } = practice.service;
  const calls = Array.from({ length: 40 }, () => {
    const headers = { authorization: `Bearer ${keys.live}`, 'content-type': 'application/json' };
    return request(`${url}/quotes`, { method: 'POST', ca, agent: false, headers });
  });
  const responses = calls.map(async (call) => once(call, 'response'));
  await Promise.all(calls.map((call) => new Promise((sent) => call.write('{', sent))));
  // Comes after them: the service waits for the rest of their bodies.
  await practice.get('/account');
  for (const call of calls) call.end('}');
  await Promise.all(responses);
  await nextTurn();
  expect(warnings).toEqual([]);
});
