/** The merged lookup of sealed segments: it answers as the single lookups, and is made again when it cannot be used. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JournalFiles } from '../../src/journal/journal-files.ts';
import { mergeLookups } from '../../src/journal/merge-lookups.ts';
import { MergedLookup } from '../../src/journal/merged-lookup.ts';
import type { JournalLayout } from '../../src/journal/segments.ts';
import { type JournalOptions, openJournal } from '../../src/journal/store.ts';
import {
  HALT,
  ID_KINDS,
  KIND,
  type TermKind,
  TermList,
  termOfId,
  termOfText,
} from '../../src/journal/terms.ts';
import { hostOf } from '../../src/platform/host.ts';
import { withLock } from '../../src/platform/lock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { howMany } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { anyJournal, type JournalAppend } from './alike.ts';
import { actionAt, actionsIn, idOf, NOON, SENDING } from './records.ts';

const host = hostOf(process);
const DAY = 86_400_000;

function aDesk(given: Partial<JournalOptions> = {}) {
  const home = temporaryFolder();
  const places = { config: home, state: join(home, 'state'), cache: home };
  const clock = { nowMs: NOON };
  const machine = {
    host,
    random: systemRandom,
    clock: {
      now: () => clock.nowMs,
      monotonic: () => clock.nowMs,
      sleep: async () => undefined,
      after: () => () => undefined,
    },
  };
  const folder = join(places.state, 'journal');
  const all = join(folder, 'lookups.all');
  const filesOf = () => new JournalFiles({ state: places.state, host, now: () => clock.nowMs });
  const open = (more: Partial<JournalOptions> = {}) => openJournal({ places, machine, ...given, ...more });
  return { home, machine, folder, all, clock, filesOf, open };
}
type Desk = ReturnType<typeof aDesk>;

async function append(desk: Desk, appends: readonly JournalAppend[]): Promise<void> {
  for (const { atMs, records } of appends) {
    desk.clock.nowMs = Math.max(desk.clock.nowMs, atMs);
    await desk.open().append(records);
  }
}

const named = (desk: Desk, dealIds: readonly string[]) => desk.open().read().find({ dealIds });

function merge(desk: Desk): void {
  const steps = mergeLookups(desk.filesOf().layout(), host);
  while (steps.next().done !== true);
}

const appendAt = (atMs: number, id: string): JournalAppend => ({
  atMs,
  records: actionAt(new Date(atMs).toISOString(), id, SENDING),
});

/** Six months with an action each, of which five are sealed. */
const MONTHS = Array.from({ length: 6 }, (_, index) =>
  appendAt(NOON + index * 31 * DAY, `a${index.toString()}aa`),
);

async function months(given: Partial<JournalOptions> = {}): Promise<Desk> {
  const desk = aDesk(given);
  await append(desk, MONTHS);
  return desk;
}

/** All names that the journal knows, and some that it does not. */
function termsIn(desk: Desk): readonly { term: Buffer; kinds: readonly TermKind[] }[] {
  const found = [...desk.open().read().newest()].flatMap(({ id, hedgeId, intent }) => [
    { term: termOfId(id), kinds: ID_KINDS },
    { term: termOfId(id), kinds: [KIND.intent] },
    { term: termOfText(KIND.key, intent.idempotency_key), kinds: [KIND.key] },
    ...(intent.deal_id === undefined
      ? []
      : [{ term: termOfText(KIND.deal, intent.deal_id), kinds: [KIND.deal] }]),
    ...(hedgeId === undefined ? [] : [{ term: termOfText(KIND.hedge, hedgeId), kinds: [KIND.hedge] }]),
  ]);
  const absent = ['0000000000000000', 'ffffffffffffffff', '7c1e000000000000'].map((id) => ({
    term: termOfId(id),
    kinds: ID_KINDS,
  }));
  return [...found, ...absent, { term: HALT, kinds: [KIND.halt] }];
}

const fits = (desk: Desk, layout: JournalLayout = desk.filesOf().layout()): boolean =>
  MergedLookup.open(desk.folder, host)?.fits(layout.segments) === true;

describe('the merged lookup', () => {
  it('has what the single lookups have, made at once or piece by piece', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyJournal(host.self).filter((appends) => appends.length > 3),
        fc.constantFrom(1, 3_000, 8_000),
        fc.nat(),
        async (appends, sealBytes, cut) => {
          const desk = aDesk({ sealBytes });
          const at = cut % appends.length;
          await append(desk, appends.slice(0, at));
          merge(desk);
          await append(desk, appends.slice(at));
          merge(desk);
          const merged = desk.filesOf();
          const layout = merged.layout();
          const none = new TermList();
          expect(merged.terms.merged(layout)?.covered.map(({ name }) => name) ?? []).toEqual(
            layout.segments.slice(0, -1).map(({ name }) => name),
          );
          const wanted = termsIn(desk);
          const ids = [...desk.open().read().newest()].map(({ id }) => id);
          const answers = (files: JournalFiles) => [
            ...wanted.map((each) => files.terms.find([each], { layout, own: none })),
            files.terms.find(wanted, { layout, own: none, among: layout.segments.slice(1) }),
            ...[...ids, '7c1e0', 'aaaa', '0000'].map((id) =>
              files.terms.idsFrom(id.slice(0, 5), layout, none).toSorted(),
            ),
            ...ids
              .map((id) => files.terms.shared(id, layout, none))
              .map((shared) => (shared < 4 ? 0 : shared)),
            ...layout.segments.slice(0, -1).map((each) => files.timesOf(each, layout).latestMs),
          ];
          const together = answers(merged);
          const bytes = readFileSync(desk.all);
          rmSync(desk.all);
          expect(desk.filesOf().terms.merged(layout)).toBeUndefined();
          expect(together).toEqual(answers(desk.filesOf()));
          // All at once it has the same bytes as in pieces.
          merge(desk);
          expect(readFileSync(desk.all).equals(bytes)).toBe(true);
          rmSync(desk.home, { recursive: true });
        },
      ),
      { numRuns: howMany(10, 300), seed: 20_261_123 },
    );
  });

  it('is made by the next command once more than three lookups are searched one by one', async () => {
    const desk = aDesk();
    await append(desk, MONTHS.slice(0, 4));
    await desk.open().prepare();
    expect(existsSync(desk.all)).toBe(false);
    await append(desk, MONTHS.slice(4));
    await desk.open().prepare();
    expect(fits(desk)).toBe(true);
    expect(statSync(desk.all).mode & 0o777).toBe(0o600);
    expect(readdirSync(desk.folder).filter((name) => name.includes('tmp'))).toEqual([]);
    const { mtimeMs } = statSync(desk.all);
    await desk.open().prepare();
    expect(statSync(desk.all).mtimeMs).toBe(mtimeMs);
  });

  it('is left to the process that holds the lock', async () => {
    const desk = await months();
    const path = join(desk.folder, '..', 'journal.lock');
    await withLock(path, desk.machine, () => desk.open().prepare());
    expect(existsSync(desk.all)).toBe(false);
    expect(named(desk, ['PAY-a1aa'])).toHaveLength(1);
  });

  const WRONG: readonly [string, (desk: Desk, bytes: Buffer) => void][] = [
    ['cut', ({ all }, bytes) => writeFileSync(all, bytes.subarray(0, -1))],
    ['empty', ({ all }) => writeFileSync(all, '')],
    [
      'of another version',
      ({ all }, bytes) => writeFileSync(all, Buffer.concat([Buffer.from('x'), bytes.subarray(1)])),
    ],
    [
      'with other segments',
      ({ all }, bytes) =>
        writeFileSync(all, Buffer.from(bytes.toString('latin1').replace('0001', '0009'), 'latin1')),
    ],
    ['absent', ({ all }) => rmSync(all)],
  ];
  it.each(WRONG)('that is %s is not used, and is made again', async (_what, damage) => {
    const desk = await months();
    await desk.open().prepare();
    damage(desk, readFileSync(desk.all));
    expect(fits(desk)).toBe(false);
    const before = desk.open().read();
    expect(actionsIn(before)).toHaveLength(MONTHS.length);
    for (const id of ['a0aa', 'a4aa', 'a5aa']) {
      expect(before.find({ dealIds: [`PAY-${id}`] })).toHaveLength(1);
      expect(before.find({ ids: [id] })).toHaveLength(1);
    }
    await desk.open().prepare();
    expect(fits(desk)).toBe(true);
  });

  it.each<[string, (desk: Desk) => void]>([
    ['a link', ({ all }) => symlinkSync('/dev/null', all)],
    ['a folder', ({ all }) => mkdirSync(all)],
    [
      'open to others',
      ({ all }) => {
        writeFileSync(all, '');
        chmodSync(all, 0o644);
      },
    ],
  ])('that is %s is not read, and is made again', async (_what, put) => {
    const desk = await months();
    await desk.open().prepare();
    rmSync(desk.all);
    put(desk);
    expect(named(desk, ['PAY-a0aa'])).toHaveLength(1);
    await append(desk, [appendAt(desk.clock.nowMs, 'b0bb')]);
    await desk.open().prepare();
    expect(fits(desk)).toBe(true);
    expect(lstatSync(desk.all)).toMatchObject({ mode: 0o100600, nlink: 1 });
  });

  it('whose place a folder with other files has is done without, and the folder stays', async () => {
    const desk = await months();
    await desk.open().prepare();
    rmSync(desk.all);
    mkdirSync(desk.all);
    writeFileSync(join(desk.all, 'notes'), 'a note');
    await desk.open().prepare();
    await append(desk, [appendAt(desk.clock.nowMs, 'b0bb')]);
    const state = desk.open().read();
    expect(state.find({ dealIds: ['PAY-a0aa', 'PAY-b0bb'] })).toHaveLength(2);
    expect(readFileSync(join(desk.all, 'notes'), 'utf8')).toBe('a note');
  });

  it('is searched no further where a block is damaged, and is removed by the next append', async () => {
    const desk = await months();
    await desk.open().prepare();
    const bytes = readFileSync(desk.all);
    bytes.fill(0, 4_096);
    writeFileSync(desk.all, bytes);
    expect(fits(desk)).toBe(true);
    expect(named(desk, ['PAY-a0aa', 'PAY-a5aa'])).toHaveLength(2);
    expect(existsSync(desk.all)).toBe(true);
    await append(desk, [appendAt(desk.clock.nowMs, 'b0bb')]);
    expect(existsSync(desk.all)).toBe(false);
    await desk.open().prepare();
    expect(named(desk, ['PAY-a0aa', 'PAY-b0bb'])).toHaveLength(2);
    expect(fits(desk)).toBe(true);
  });

  it('is found to be another file when it was replaced while a command ran', async () => {
    const desk = await months({ mostLookups: 0 });
    await desk.open().prepare();
    const running = desk.open();
    const before = running.read();
    expect(before.find({ dealIds: ['PAY-a0aa'] })).toHaveLength(1);
    rmSync(desk.all);
    await append(desk, [appendAt(NOON + 200 * DAY, 'b0bb'), appendAt(NOON + 240 * DAY, 'c0cc')]);
    await desk.open().prepare();
    expect(before.find({ dealIds: ['PAY-a0aa', 'PAY-a3aa'] })).toHaveLength(2);
    expect(running.read().find({ dealIds: ['PAY-b0bb', 'PAY-a3aa'] })).toHaveLength(2);
    expect(fits(desk)).toBe(true);
  });

  it('is removed before a lookup that it covers is made again', async () => {
    const desk = await months();
    await desk.open().prepare();
    const lookup = readdirSync(desk.folder).find((name) => /^0002.*lookup$/.test(name)) ?? '';
    rmSync(join(desk.folder, lookup));
    expect(fits(desk)).toBe(false);
    await append(desk, [appendAt(desk.clock.nowMs, 'b0bb')]);
    expect(existsSync(join(desk.folder, lookup))).toBe(true);
    expect(existsSync(desk.all)).toBe(false);
    await desk.open().prepare();
    expect(fits(desk)).toBe(true);
  });

  it('is made again of all lookups when one of them is not as it was', async () => {
    const desk = await months({ mostLookups: 0 });
    await desk.open().prepare();
    const before = MergedLookup.open(desk.folder, host);
    const [first = ''] = readdirSync(desk.folder).filter((name) => name.endsWith('.lookup'));
    const other = aDesk();
    await append(other, [appendAt(NOON, 'dddd'), appendAt(NOON + 31 * DAY, 'eeee')]);
    writeFileSync(join(desk.folder, first), readFileSync(join(other.folder, first)));
    merge(desk);
    const after = MergedLookup.open(desk.folder, host);
    expect(after?.covered[0]?.crc).not.toBe(before?.covered[0]?.crc);
    expect(after?.sorted.idsFrom('dddd')).toEqual([idOf('dddd')]);
    expect(after?.sorted.idsFrom('a0aa')).toEqual([]);
  });

  it('keeps what archived segments have', async () => {
    const desk = await months();
    await desk.open().prepare();
    const { mtimeMs } = statSync(desk.all);
    const ended = desk.open();
    const { moved } = await ended.archive({
      before: '2027-01',
      folder: join(desk.home, 'archive'),
      operator: 'ada@desk',
    });
    await desk.open().prepare();
    expect(statSync(desk.all).mtimeMs).toBe(mtimeMs);
    expect(fits(desk)).toBe(true);
    for (const { name } of moved) expect(existsSync(join(desk.folder, `${name}.jsonl`))).toBe(false);
    expect(named(desk, ['PAY-a0aa'])).toHaveLength(1);
  });

  it('that another process left unfinished is overwritten', async () => {
    const desk = await months();
    writeFileSync(`${desk.all}.tmp`, 'half', { mode: 0o600 });
    utimesSync(`${desk.all}.tmp`, 0, 0);
    await desk.open().prepare();
    expect(fits(desk)).toBe(true);
    expect(existsSync(`${desk.all}.tmp`)).toBe(false);
  });
});
