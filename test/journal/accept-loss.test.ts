/** A loss of records that a person accepts: recorded once, with a halt, also after a kill. */
import { copyFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoppedError } from '../../src/errors.ts';
import { acceptLoss, findLoss, type Loss } from '../../src/journal/store/accept-loss.ts';
import { examineDatabase } from '../../src/journal/store/examine-database.ts';
import { JournalDamage } from '../../src/journal/store/journal-database.ts';
import { storedRecords } from '../../src/journal/store/record-rows.ts';
import { databaseFile, openJournalFile } from '../../src/journal/store/schema.ts';
import { readWitness, writeWitness } from '../../src/journal/store/witness.ts';
import { openAudit } from '../../src/journal/verify.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { journalAt, machineAt, placesIn } from './journal-at.ts';
import { ACCEPTED, ADA, actionAt, anIntent, at, FILLED, idOf, NOON, SENDING } from './records.ts';

const { host } = testMachine();
const machine = machineAt(() => NOON);
const SIGNATURE = { who: 'Ada O. (ada@desk)', operator: ADA, version: '1.2.3' };
const journalIn = (home: string) => journalAt(home, () => NOON);
const stateIn = (home: string): string => join(home, 'state');
const find = (home: string) => findLoss({ places: placesIn(home), machine });
const accept = (home: string, loss: Loss) =>
  acceptLoss(loss, { places: placesIn(home), machine, signature: SIGNATURE, note: 'disk replaced' });
const recordsIn = (home: string): readonly Record<string, unknown>[] => {
  const db = openJournalFile(databaseFile(stateIn(home)), host);
  return db === undefined ? [] : [...storedRecords(db)].map(({ record }) => JSON.parse(record));
};
const kindsIn = (home: string) => recordsIn(home).map(({ kind }) => kind);
const action = (index: number) => actionAt(at(index), `${index.toString()}aaa`, SENDING, ACCEPTED, FILLED);

/** A home whose journal was put back: it has one action of two. */
async function rewound(): Promise<string> {
  const [before, after, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  await journalIn(before).append(action(0));
  openJournalFile(databaseFile(stateIn(before)), host)?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  cpSync(stateIn(before), stateIn(after), { recursive: true });
  await journalIn(after).append(action(1));
  cpSync(stateIn(before), stateIn(home), { recursive: true });
  for (const end of ['-wal', '-shm']) rmSync(`${databaseFile(stateIn(home))}${end}`, { force: true });
  copyFileSync(join(stateIn(after), 'journal.head'), join(stateIn(home), 'journal.head'));
  return home;
}

function known(loss: Loss | undefined): Loss {
  if (loss === undefined) throw new Error('nothing is lost');
  return loss;
}

describe('findLoss', () => {
  it('finds nothing in a whole journal and in an empty home', async () => {
    const home = temporaryFolder();
    expect(find(home)).toBeUndefined();
    await journalIn(home).append(action(0));
    expect(find(home)).toBeUndefined();
  });

  it('names the record that is expected, and the last that is there', async () => {
    expect(find(await rewound())).toMatchObject({
      trouble: { kind: 'rewound', what: expect.stringContaining('lacks record 8') },
      witness: { seq: 8 },
      head: { seq: 4 },
    });
  });

  it('leaves a damaged journal to the repair', async () => {
    const home = await rewound();
    openJournalFile(databaseFile(stateIn(home)), host)?.exec('CREATE TABLE more (a TEXT)');
    expect(() => find(home)).toThrow(JournalDamage);
  });
});

describe('acceptLoss', () => {
  it('records a halt and the loss, and replaces the witness', async () => {
    const home = await rewound();
    const { head } = await accept(home, known(find(home)));
    expect(recordsIn(home).slice(4)).toMatchObject([
      {
        kind: 'halt',
        who: SIGNATURE.who,
        why: expect.stringContaining('records may be lost: '),
        operator: ADA,
      },
      {
        kind: 'loss',
        who: SIGNATURE.who,
        found: expect.stringContaining('lacks record 8'),
        note: 'disk replaced',
      },
    ]);
    expect([head.seq, readWitness(stateIn(home), host)]).toEqual([6, head]);
    expect(find(home)).toBeUndefined();
    expect(journalIn(home).read()).toMatchObject({
      trouble: undefined,
      halt: { why: expect.stringContaining('lost') },
    });
  });

  it('begins a journal whose file is gone', async () => {
    const home = await rewound();
    rmSync(databaseFile(stateIn(home)));
    const loss = known(find(home));
    expect(loss).toMatchObject({
      trouble: { what: expect.stringContaining('is missing') },
      head: { seq: 0 },
    });
    await accept(home, loss);
    expect(kindsIn(home)).toEqual(['halt', 'loss']);
    expect(find(home)).toBeUndefined();
  });

  it('begins a journal whose file is gone, and whose witness cannot be read', async () => {
    const home = await rewound();
    rmSync(databaseFile(stateIn(home)));
    writeFileSync(join(stateIn(home), 'journal.head'), 'no head', { mode: 0o600 });
    const what = expect.stringContaining('is missing, and its witness, journal.head, cannot be used');
    const ports = { places: placesIn(home), machine };
    expect((await openAudit(ports).verify()).rewound).toEqual(what);
    expect(examineDatabase(ports).witness).toBe('missing');
    const loss = known(find(home));
    expect(loss).toMatchObject({ trouble: { what }, witness: undefined, head: { seq: 0 } });
    await accept(home, loss);
    expect(kindsIn(home)).toEqual(['halt', 'loss']);
    expect(find(home)).toBeUndefined();
    expect(journalIn(home).read().trouble).toBeUndefined();
  });

  it('accepts a witness that is missing', async () => {
    const home = await rewound();
    rmSync(join(stateIn(home), 'journal.head'));
    const loss = known(find(home));
    expect(loss.witness).toBeUndefined();
    await accept(home, loss);
    expect(kindsIn(home).slice(4)).toEqual(['halt', 'loss']);
    expect(find(home)).toBeUndefined();
  });

  it('killed before the witness was replaced: the next one records nothing again', async () => {
    const home = await rewound();
    const loss = known(find(home));
    const { seq, hash } = loss.witness ?? { seq: 0, hash: '' };
    await accept(home, loss);
    writeWitness(stateIn(home), machine, { seq, hash }, { replace: true });
    await accept(home, known(find(home)));
    expect(kindsIn(home).slice(4)).toEqual(['halt', 'loss']);
    expect(find(home)).toBeUndefined();
  });

  it('stops when the witness is another one than the person saw', async () => {
    const home = await rewound();
    const loss = known(find(home));
    await accept(home, loss);
    await expect(accept(home, loss)).rejects.toThrow(StoppedError);
    expect(kindsIn(home).slice(4)).toEqual(['halt', 'loss']);
  });

  it('two at once record it once', async () => {
    const home = await rewound();
    const loss = known(find(home));
    const both = await Promise.allSettled([accept(home, loss), accept(home, loss)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(kindsIn(home).slice(4)).toEqual(['halt', 'loss']);
  });

  it('keeps what was recorded in between, as a close', async () => {
    const home = await rewound();
    const loss = known(find(home));
    await journalIn(home).append([
      anIntent({ action: 'close', action_id: idOf('c105'), idempotency_key: 'k-c' }),
    ]);
    await accept(home, loss);
    expect(kindsIn(home).slice(4)).toEqual(['intent', 'halt', 'loss']);
  });
});
