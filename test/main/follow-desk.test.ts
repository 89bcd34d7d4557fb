import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deskFolder, type Membership, readMembership, writeMembership } from '../../src/desk/membership.ts';
import { createJournalFile, databaseFile, openJournalFile } from '../../src/journal/store/schema.ts';
import { laterRecords } from '../../src/main/follow-desk.ts';
import type { Machine } from '../../src/platform/host.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { writeJournal } from '../support/written-journal.ts';

const FOLLOWING: Membership = {
  version: 1,
  name: 'lagos',
  state: 'following',
  url: 'postgres://ada@db.example.com/hedge',
  identity: {
    environment: 'sandbox',
    base_url: 'https://127.0.0.1/partner/v2',
    account: null,
    key_fingerprint: '0123abcd',
  },
  keys: ['0123abcd'],
  delivered_to: 0,
};

/** Folders where later records of this machine's own journal wait to be delivered. */
function withLater(): { state: string; machine: Machine } {
  const home = temporaryFolder();
  const [state, machine] = [join(home, 'state'), testMachine()];
  const halt = { halt_id: '00000000000000ee', who: 'ada@one', why: 'venue down' } as const;
  writeJournal(home, [{ schema: 3, kind: 'halt', at: '2026-11-20T09:00:00.000Z', ...halt }]);
  writeMembership(state, FOLLOWING, machine);
  createJournalFile(databaseFile(deskFolder(state, 'lagos')), machine);
  return { state, machine };
}

it.each([
  ['is left', { state: 'left' }],
  ['is joined again', { state: 'joining' }],
  ['is joined again to its end', { delivered_to: 7 }],
] as const)('a desk that %s while later records are delivered stays so', (_what, change) => {
  const { state, machine } = withLater();
  const { done } = laterRecords(FOLLOWING, state, machine);
  writeMembership(state, { ...FOLLOWING, ...change }, machine);
  done();
  expect(readMembership(state, 'lagos', machine.host)).toMatchObject(change);
});

it.each([
  ['joins its desk again', (state: string) => databaseFile(state)],
  ['leaves its desk', (state: string) => databaseFile(deskFolder(state, 'lagos'))],
])('while a machine %s, another process does not say what was delivered', (_what, lockedBy) => {
  const { state, machine } = withLater();
  const { done } = laterRecords(FOLLOWING, state, machine);
  const db = openJournalFile(lockedBy(state), machine.host);
  db?.writing(done);
  expect(readMembership(state, 'lagos', machine.host)).toEqual(FOLLOWING);
  db?.close();
  done();
  expect(readMembership(state, 'lagos', machine.host)).toEqual({ ...FOLLOWING, delivered_to: 1 });
});
