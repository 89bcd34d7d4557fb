/** Many who ask at once take turns, so that whoever comes new is let in between them. */
import { expect, it } from 'vitest';
import { aDesk } from './support/desk.ts';

it('deals with one request a turn, however many are there to be read', async () => {
  const desk = await aDesk();
  const ask = () => Promise.all(Array.from({ length: 60 }, () => desk.get('/account')));
  // So that all connections stand.
  await ask();
  const done: number[] = [];
  let counting = true;
  const count = (): void => {
    done.push(desk.log.length);
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const replies = await ask();
  counting = false;
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const each = done.map((all, turn) => all - (done[turn - 1] ?? 60));
  expect(Math.max(...each)).toBeLessThan(10);
});
