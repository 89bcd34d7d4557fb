/** Any login may append records of megabytes: a machine takes them page by page, each in time. */
import { expect, it } from 'vitest';
import { pullLog } from '../../src/desk/log.ts';
import { LONGEST_RECORD } from '../../src/desk/log-schema.ts';
import { aHalt, aLog, recordId } from './a-log.ts';

it('a pull never asks for more than a page of them, and its first page has no large one', async () => {
  const { login, connect } = await aLog();
  const { user, password, client } = await login('ada', 'dealer');
  const large = Array.from({ length: 12 }, (_, at) => ({
    id: recordId(`large ${at.toString()}`),
    record: aHalt(at.toString(), { why: 'y'.repeat(LONGEST_RECORD - 1_000) }),
  }));
  for (const each of large)
    await client.query({
      text: 'SELECT FROM hedge.append(99, NULL, NULL, false, $1)',
      values: [JSON.stringify([each])],
    });
  const connection = await connect(user, password);
  const counts: number[] = [];
  let copy = { seq: 0, hash: '0'.repeat(64) };
  for (let isFirst = true; ; isFirst = false) {
    const { records, head } = await pullLog(connection, { copy, isFirst, withinMs: 60_000 });
    counts.push(records.length);
    copy = records.at(-1) ?? copy;
    if (copy.seq === head.seq) break;
  }
  connection.close();
  expect(counts).toEqual([1, 8, 4]);
});
