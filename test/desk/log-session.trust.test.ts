/** The conversation of one process with the log, while another process of the machine builds the copy again. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { contactFile } from '../../src/desk/contact.ts';
import { Follower } from '../../src/desk/follower.ts';
import { LogSession } from '../../src/desk/log-session.ts';
import { insertRecords } from '../../src/journal/store/new-records.ts';
import { shiftedClock, systemClock } from '../../src/platform/clock.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { aHalt, aLog, heldLog, recordId, type TestLog } from './a-log.ts';

const HALTS = ['one', 'two', 'three'].map((word) => ({ id: recordId(word), record: aHalt(word) }));
const LAST = { id: recordId('last'), record: aHalt('last') };
const OPERATOR = { user: 'ada', host: 'one' };

/** Two processes of one machine: a conversation with a copy that has all of the log, and the copy as the other one sees it. */
async function twoProcesses(): Promise<{
  log: TestLog;
  session: LogSession;
  follower: Follower;
  other: Follower;
}> {
  const log = await aLog();
  const { user, password, client } = await log.login('ada', 'dealer');
  await client.end();
  const folder = temporaryFolder();
  const clock = shiftedClock(systemClock);
  const machine = { ...testMachine(), clock };
  const [follower, other] = [new Follower(folder, machine), new Follower(folder, machine)];
  const session = new LogSession({
    name: 'lagos',
    machine,
    version: '0.0.0',
    signature: () => ({ who: 'ada@one', operator: OPERATOR, version: '0.0.0' }),
    login: async () => ({
      address: { host: '127.0.0.1', port: log.server.port, database: log.database, user },
      osUser: 'nobody',
      env: {},
      password: () => Promise.resolve(password),
      ca: [log.server.ca],
    }),
    follower,
    contacts: contactFile(folder, machine),
    reachMs: 60_000,
    note: () => undefined,
  });
  onTestFinished(() => {
    session.close();
    follower.close();
    other.close();
  });
  await session.pull();
  await session.deliver(HALTS);
  return { log, session, follower, other };
}

const ALL = 1 + HALTS.length;

describe('an append under the lock, while another process builds the copy again', () => {
  it('is decided on the whole copy alone, also if that is whole again when it is decided', async () => {
    const { log, session, follower, other } = await twoProcesses();
    const records = follower.records(1);
    const { waiting, release } = await heldLog(log);
    const seen: number[] = [];
    const appending = session.appendUnderLock(() => {
      seen.push(follower.head.seq);
      const db = other.database();
      if (seen.length === 1 && db !== undefined) db.writing(() => insertRecords(db, records.slice(1)));
      return [LAST];
    });
    await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
    other.putAside('replaced');
    await other.take(records.slice(0, 1));
    await release();
    await appending;
    expect(seen).toEqual([1, ALL]);
    expect(follower.has(LAST.id)).toBe(true);
  });

  it('is decided again if the copy was put aside meanwhile', async () => {
    const { session, follower, other } = await twoProcesses();
    const seen: number[] = [];
    await session.appendUnderLock(() => {
      if (seen.length === 0) other.putAside('replaced');
      seen.push(follower.head.seq);
      return [LAST];
    });
    expect(seen).toEqual([0, ALL]);
    expect(follower.has(LAST.id)).toBe(true);
  });

  it('is there, also if the copy was put aside after the commit', async () => {
    const { session, follower, other } = await twoProcesses();
    await session.appendUnderLock(() => {
      setImmediate(() => other.putAside('replaced'));
      return [LAST];
    });
    expect(follower.head.seq).toBe(ALL + 1);
    expect(follower.has(LAST.id)).toBe(true);
  });

  it('fails as one that the log could not take, if that does not end', async () => {
    const { session, other } = await twoProcesses();
    const appending = session.appendUnderLock(() => {
      other.putAside('replaced');
      return [LAST];
    });
    await expect(appending).rejects.toMatchObject({ trouble: { code: 'desk_unreachable' } });
  });
});
