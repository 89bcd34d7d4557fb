/** Busy clients do not keep new connections waiting. */
import { expect, it } from 'vitest';
import { startPractice } from './support/practice-service.ts';

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
