import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Membership, readMembership, writeMembership } from '../../src/desk/membership.ts';
import { laterRecords } from '../../src/main/follow-desk.ts';
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

it.each([
  ['is left', { state: 'left' }],
  ['is joined again', { state: 'joining' }],
  ['is joined again to its end', { delivered_to: 7 }],
] as const)('a desk that %s while later records are delivered stays so', (_what, change) => {
  const home = temporaryFolder();
  const [state, machine] = [join(home, 'state'), testMachine()];
  const halt = { halt_id: '00000000000000ee', who: 'ada@one', why: 'venue down' } as const;
  writeJournal(home, [{ schema: 3, kind: 'halt', at: '2026-11-20T09:00:00.000Z', ...halt }]);
  writeMembership(state, FOLLOWING, machine);
  const { done } = laterRecords(FOLLOWING, state, machine);
  writeMembership(state, { ...FOLLOWING, ...change }, machine);
  done();
  expect(readMembership(state, 'lagos', machine.host)).toMatchObject(change);
});
