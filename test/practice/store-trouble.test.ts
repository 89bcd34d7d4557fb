/** What is wrong with the store is named: a full or read-only disk, damage met while serving. Nothing is changed by it. */
import { copyFile, open, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mapPracticeError } from '../../src/main/practice-errors.ts';
import { failedRequest } from '../../src/practice/http/handle-request.ts';
import { PracticeInputError, PracticeStoreError, startPracticeService } from '../../src/practice/index.ts';
import { openDatabase } from '../../src/practice/store/database.ts';
import {
  opened,
  openPractice,
  startPractice,
  storeFolder,
  testClock,
  testRandom,
} from './support/practice-service.ts';

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite');

const BOOK = 'practice.sqlite';
const PAGE = 4_096;

function thrownBy(work: () => unknown): PracticeStoreError {
  try {
    work();
  } catch (error) {
    if (error instanceof PracticeStoreError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a disk that fails', () => {
  it.each([
    ['full', 'PRAGMA max_page_count = 4', 'cannot be written: the disk is full'],
    ['read-only', 'PRAGMA query_only = 1', 'cannot be written: the file or its disk is read-only'],
  ])('%s: is named, and the transaction before it stays as it was', async (_name, limit, words) => {
    const path = join(await storeFolder(), 'book.sqlite');
    const db = openDatabase(path);
    db.exec('CREATE TABLE lines (text)');
    db.exec(limit);
    const error = thrownBy(() =>
      db.transaction(() => {
        for (let at = 0; at < 100; at += 1) db.run('INSERT INTO lines VALUES (?)', 'x'.repeat(1_000));
      }),
    );
    expect([error.path, error.trouble]).toEqual([path, 'disk']);
    expect(error.message).toBe(`The practice book ${path} ${words}. Nothing in it was changed.`);
    expect(db.all('SELECT * FROM lines')).toEqual([]);
    db.close();
  });

  it('that refuses the folder is no reason to move a file away', async () => {
    const folder = await storeFolder();
    await (await open(join(folder, 'file'), 'w')).close();
    const error: unknown = await startPracticeService({
      store: join(folder, 'file', 'practice'),
      clock: testClock(),
      random: testRandom(1),
    }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'PracticeStoreError', trouble: 'disk' });
  });
});

describe('a book that another process holds for too long', () => {
  it('is busy, not damaged: a command ends as unavailable, and a request is answered with 503', async () => {
    const path = join(await storeFolder(), 'book.sqlite');
    const db = openDatabase(path);
    db.exec('CREATE TABLE lines (text); PRAGMA busy_timeout = 0');
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const error = thrownBy(() => db.transaction(() => db.run('DELETE FROM lines')));
    expect(error).toMatchObject({ path, trouble: 'busy' });
    expect(mapPracticeError(error, { PracticeStoreError, PracticeInputError })).toMatchObject({
      code: 'unavailable',
      retry: 'later',
      what: `The practice book ${path} is busy: another process has held it for 5 s. Nothing in it was changed.`,
    });
    const { response, cause } = failedRequest(error);
    expect(response).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    expect(cause).toBeUndefined();
    other.close();
    db.close();
  });
});

describe('damage met while serving', () => {
  it('an unknown word in a record is a 500 that says so, with its cause in the log, until it is repaired', async () => {
    const practice = await startPractice();
    const { id } = await opened(practice);
    const other = new DatabaseSync(join(practice.store, BOOK));
    other.prepare('UPDATE hedge_records SET status = ?').run('lost');

    const response = await practice.get('/hedges');
    expect(response.status).toBe(500);
    expect(response.body.error).toMatchObject({
      code: 'internal_error',
      message: 'The practice book is damaged: an unknown word in status. Nothing in it was changed.',
    });
    expect(practice.log.at(-1)).toMatchObject({
      status: 500,
      cause: expect.stringMatching(
        /^PracticeStoreError: The practice book .* is damaged: .*; DamagedRecordError:/,
      ),
    });
    await expect(practice.admin.status()).rejects.toMatchObject({ trouble: 'file' });

    other.prepare('UPDATE hedge_records SET status = ?').run('filled');
    other.close();
    expect((await practice.get(`/hedges/${id}`)).body.data.id).toBe(id);
  });

  it('unreadable faults are damage too', async () => {
    const practice = await startPractice();
    const other = new DatabaseSync(join(practice.store, BOOK));
    other.prepare('UPDATE service SET faults = ?').run('{"once": "');
    other.close();
    expect((await practice.get('/account')).body.error.message).toContain('is damaged: unreadable faults');
  });

  it('a zeroed page is named as damage at the start or in the response, whichever page it is', async () => {
    const store = await storeFolder();
    const practice = await openPractice(store);
    for (let count = 0; count < 60; count += 1) await opened(practice, { notional_usd: 100 });
    await practice.close();
    const { size } = await stat(join(store, BOOK));
    const named: string[] = [];
    for (let page = 1; page < size / PAGE; page += 1) {
      const folder = await storeFolder();
      await copyFile(join(store, BOOK), join(folder, BOOK));
      const file = await open(join(folder, BOOK), 'r+');
      await file.write(Buffer.alloc(PAGE), 0, PAGE, page * PAGE);
      await file.close();
      const service = await openPractice(folder, { settings: null }).catch((error: unknown) => {
        expect(error, `page ${page}`).toMatchObject({ name: 'PracticeStoreError', trouble: 'file' });
      });
      if (service === undefined) {
        named.push('start');
        continue;
      }
      for (const path of ['/hedges', '/positions', '/account', '/hedges/history', '/markets']) {
        const response = await service.get(path);
        if (response.status === 200) continue;
        expect(
          `${response.body.error.message} (${String(service.log.at(-1)?.cause)})`,
          `page ${page}, ${path}`,
        ).toMatch(/^The practice book is damaged/);
        expect(service.log.at(-1)?.cause).toContain('PracticeStoreError');
        named.push(path);
      }
      await service.close();
    }
    expect(named).toContain('start');
    expect(named).toContain('/hedges');
    expect(await readFile(join(store, BOOK))).toHaveLength(size);
  });
});
