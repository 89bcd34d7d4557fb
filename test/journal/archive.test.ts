/** Segments that were moved to another folder: read there, registered, and never needed for what their lookups know. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError } from '../../src/errors.ts';
import { openAudit } from '../../src/journal/verify.ts';
import { damagedFileError, temporaryFolder, testMachine } from '../support/own-folder.ts';
import { chainOf } from './chain-of.ts';
import { journalAt } from './journal-at.ts';
import { ACCEPTED, actionsIn, anIntent, aRoll, FILLED, idOf, SENDING, step } from './records.ts';

const MONTHS = ['2025-11', '2025-12', '2026-01', '2026-02'];
const TERMS = { hedge_id: 'hdg_1' } as const;

/** One ended action a month, the last month's still open. */
async function fourMonths() {
  const home = temporaryFolder();
  let nowMs = 0;
  const opened = (archive?: string) => journalAt(home, () => nowMs, { archive });
  const named = (dealIds: readonly string[], archive?: string) => opened(archive).read().find({ dealIds });
  for (const [index, month] of MONTHS.entries()) {
    const at = `${month}-10T12:00:00.000Z`;
    nowMs = Date.parse(at);
    const id = `${index.toString()}aaa`;
    const intent = anIntent({
      action_id: idOf(id),
      at,
      deal_id: `PAY-${month}`,
      idempotency_key: `k-${month}`,
    });
    const steps = [SENDING, { ...ACCEPTED, ...TERMS }, ...(index < 3 ? [FILLED] : [])];
    const rolls =
      index === 0
        ? [aRoll({ at, deal_id: 'PAY-1.r2' }), aRoll({ at, chain_id: 'aaaaaaaa', deal_id: 'PAY-2.r2' })]
        : [];
    await opened().append([intent, ...steps.map((each) => ({ ...step(each, id), at })), ...rolls]);
  }
  const to = join(home, 'archive');
  const move = (before: string) => opened().archive({ before, folder: to, operator: 'ada@desk' });
  const state = join(home, 'state');
  return { home, folder: join(state, 'journal'), state, opened, named, to, move };
}

const names = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

describe('hedge journal archive', () => {
  it('moves what ended before the month, registers it, and everything is still found', async () => {
    const { folder, opened, to, move, named } = await fourMonths();
    const before = actionsIn(opened().read());
    const bytes = readFileSync(join(folder, '0001-2025-11.jsonl'));
    const { moved, kept } = await move('2026-01');
    expect(moved.map(({ name, operator }) => [name, operator])).toEqual([
      ['0001-2025-11', 'ada@desk'],
      ['0002-2025-12', 'ada@desk'],
    ]);
    expect(kept).toEqual([
      { name: '0003-2026-01', because: 'later', actions: [] },
      { name: '0004-2026-02', because: 'active', actions: [] },
    ]);
    expect(names(folder)).toEqual(['0003-2026-01.jsonl', '0004-2026-02.jsonl']);
    expect(readFileSync(join(to, '0001-2025-11.jsonl'))).toEqual(bytes);
    expect(actionsIn(opened().read())).toEqual(before);
    expect(named(['PAY-2025-11'])).toMatchObject([{ id: idOf('0aaa') }]);
    expect((await move('2026-01')).moved).toEqual([]);
  });

  it('leaves the plans of unfinished rolls at hand, also when the archive is lost and the index is made again', async () => {
    const { folder, opened, to, move } = await fourMonths();
    expect((await move('2026-01')).moved).toHaveLength(2);
    rmSync(to, { recursive: true });
    const planned = (): readonly string[] =>
      opened()
        .read()
        .rolls.map(({ chain_id: id }) => id);
    expect(planned()).toEqual(['3f9a1c2b', 'aaaaaaaa']);
    for (const name of readdirSync(folder).filter((each) => each.startsWith('active.')))
      rmSync(join(folder, name));
    expect(planned()).toEqual(['3f9a1c2b', 'aaaaaaaa']);
    const at = '2026-02-11T12:00:00.000Z';
    await opened().append([{ schema: 3, kind: 'roll_end', at, chain_id: '3f9a1c2b', as: 'dropped' }]);
    expect(planned()).toEqual(['aaaaaaaa']);
  });

  it('keeps a segment with an open action, and goes on appending', async () => {
    const { folder, opened, state, move } = await fourMonths();
    const later = { ...step({ kind: 'unknown', why: 'lost' }, '0aaa'), at: '2026-02-10T12:00:00.000Z' };
    const found = { ...step({ kind: 'outcome', outcome: 'not_told', facts: {} }, '1aaa'), at: later.at };
    await opened().append([
      anIntent({ action_id: idOf('beef'), idempotency_key: 'k-9', at: later.at }),
      later,
      found,
    ]);
    const { moved, kept } = await move('2026-03');
    expect(moved.map(({ name }) => name)).toEqual(['0003-2026-01']);
    expect(kept.map(({ because, actions }) => [because, ...actions])).toEqual([
      ['open', '0aaa'],
      ['open', '1aaa'],
      ['active'],
    ]);
    await opened().append([anIntent({ action_id: idOf('0aab'), idempotency_key: 'k-10', at: later.at })]);
    expect(actionsIn(opened().read())).toHaveLength(6);
    expect(
      opened()
        .read()
        .find({ ids: [idOf('0aab')] }),
    ).toMatchObject([{ shortId: '0aab' }]);
    expect(names(folder)).toHaveLength(3);
    expect(chainOf(state).filter((each) => !each.startsWith('0004-2026-02.jsonl 1:'))).toEqual([]);
  });

  it('does not move a segment whose action is not ended', async () => {
    const home = temporaryFolder();
    let nowMs = Date.parse('2025-11-10T12:00:00.000Z');
    const journal = journalAt(home, () => nowMs);
    const at = '2025-11-10T12:00:00.000Z';
    await journal.append([anIntent({ at }), { ...step(SENDING), at }]);
    nowMs = Date.parse('2026-02-10T12:00:00.000Z');
    await journal.append([
      anIntent({ action_id: idOf('beef'), idempotency_key: 'k-2', at: '2026-02-10T12:00:00.000Z' }),
    ]);
    const { moved, kept } = await journal.archive({
      before: '2026-02',
      folder: join(home, 'a'),
      operator: 'ada',
    });
    expect([moved, kept]).toEqual([
      [],
      [
        { name: '0001-2025-11', because: 'open', actions: ['7c1e'] },
        { name: '0002-2026-02', because: 'active', actions: [] },
      ],
    ]);
  });

  it('names --archive when the folder is gone, and reads where it is then', async () => {
    const { home, opened, to, move, named } = await fourMonths();
    await move('2026-01');
    const elsewhere = join(home, 'elsewhere');
    renameSync(to, elsewhere);
    const error = damagedFileError(() => named(['PAY-2025-11']));
    expect(error.hint).toContain('--archive DIR');
    const wrong = damagedFileError(() => named(['PAY-2025-11'], join(home, 'wrong')));
    expect(wrong.message).toContain(`not in ${join(home, 'wrong')} or ${to} as it was`);
    expect(named(['PAY-2026-01'])).toHaveLength(1);
    expect(named(['PAY-2025-11'], elsewhere)).toHaveLength(1);
    // What the lookups know needs no archive.
    await opened().append([anIntent({ action_id: idOf('0aab'), idempotency_key: 'k-9' })]);
  });

  it('makes a lost lookup again from the archive, and stops everything new without both', async () => {
    const { folder, opened, to, move } = await fourMonths();
    await move('2026-01');
    const lookup = join(folder, '0001-2025-11.lookup');
    const bytes = readFileSync(lookup);
    rmSync(lookup);
    const intent = () => anIntent({ action_id: idOf('beef'), idempotency_key: 'k-9' });
    rmSync(join(folder, 'active.index'));
    await opened().append([intent()]);
    expect(existsSync(lookup)).toBe(true);
    expect(readFileSync(lookup).length).toBe(bytes.length);
    rmSync(lookup);
    rmSync(to, { recursive: true });
    const other = anIntent({ action_id: idOf('cafe'), idempotency_key: 'k-10' });
    const error = await opened()
      .append([other])
      .then(() => undefined)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'damaged_file',
      effect: 'none',
      hint: expect.stringContaining('--archive DIR'),
    });
    expect(
      opened()
        .read()
        .current.map(({ shortId }) => shortId),
    ).toContain('3aaa');
  });

  it('refuses another file of that name, and the folder of the journal itself', async () => {
    const { folder, opened, to, move } = await fourMonths();
    await move('2025-12');
    writeFileSync(join(to, '0002-2025-12.jsonl'), 'another\n', { mode: 0o600 });
    await expect(move('2026-01')).rejects.toMatchObject({ what: expect.stringContaining('already exists') });
    await expect(opened().archive({ before: '2026-01', folder, operator: 'ada' })).rejects.toMatchObject({
      what: expect.stringContaining('the journal itself'),
    });
    expect(names(folder)).toHaveLength(3);
  });
});

describe('an archived segment', () => {
  it.each<[string, (path: string) => void, string]>([
    ['a link', (path) => (renameSync(path, `${path}.real`), symlinkSync(`${path}.real`, path)), 'archived'],
    ['a folder', (path) => (rmSync(path), mkdirSync(path)), 'archived'],
    ['a pipe', (path) => (rmSync(path), execFileSync('mkfifo', ['-m', '600', path])), 'archived'],
    ['open to others', (path) => chmodSync(path, 0o644), 'other users'],
    ['another file', (path) => writeFileSync(path, 'another\n', { mode: 0o600 }), 'archived'],
  ])('that is %s now stops what needs it, and is named by the audit', async (_what, harm, words) => {
    const { home, state, opened, to, move, named } = await fourMonths();
    await move('2025-12');
    const path = join(to, '0001-2025-11.jsonl');
    harm(path);
    const error = damagedFileError(() => named(['PAY-2025-11']));
    expect([error.message, error.effect]).toEqual([expect.stringContaining('0001-2025-11'), 'none']);
    expect(error.message).toContain(words);
    await opened().append([anIntent({ action_id: idOf('beef'), idempotency_key: 'k-9' })]);
    const places = { config: home, state, cache: home };
    const audited = await openAudit({ places, machine: testMachine() })
      .verify()
      .then(({ changes }) => changes.map(({ segment }) => segment).join())
      .catch((thrown: unknown) => (thrown instanceof DamagedFileError ? thrown.what : String(thrown)));
    expect(audited).toMatch(/0001-2025-11\.jsonl(?: is not a| is a symbolic| can be read|$)/);
  });
});

describe('a sealed segment', () => {
  it('that is missing with its lookup stops what needs it; without, it stops everything new', async () => {
    const { folder, opened, named } = await fourMonths();
    rmSync(join(folder, '0002-2025-12.jsonl'));
    expect(damagedFileError(() => named(['PAY-2025-12'])).message).toContain('0002-2025-12.jsonl');
    await opened().append([anIntent({ action_id: idOf('beef'), idempotency_key: 'k-9' })]);
    rmSync(join(folder, '0002-2025-12.lookup'));
    const work = opened().append([anIntent({ action_id: idOf('cafe'), idempotency_key: 'k-10' })]);
    await expect(work).rejects.toMatchObject({ code: 'damaged_file', effect: 'none' });
    expect(opened().read().current).not.toEqual([]);
  });
});

describe('the active segment', () => {
  it('that the index names and that is gone stops everything, and is named by the audit', async () => {
    const { home, folder, state, opened } = await fourMonths();
    const path = join(folder, '0004-2026-02.jsonl');
    const audit = openAudit({ places: { config: home, state, cache: home }, machine: testMachine() });
    const bytes = readFileSync(path);
    rmSync(path);
    expect(damagedFileError(() => opened().read()).what).toContain('0004-*.jsonl');
    const intent = anIntent({ action_id: idOf('beef'), idempotency_key: 'k-9' });
    await expect(opened().append([intent])).rejects.toMatchObject({ code: 'damaged_file', effect: 'none' });
    expect((await audit.verify()).changes).toMatchObject([{ segment: '0004-*.jsonl', kind: 'missing' }]);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, bytes, { mode: 0o600 });
    expect((await audit.verify()).changes).toEqual([]);
    await opened().append([intent]);
    expect(actionsIn(opened().read())).toHaveLength(5);
    // With the whole folder gone but for its index, no new journal begins.
    for (const name of readdirSync(folder)) if (name !== 'active.index') rmSync(join(folder, name));
    rmSync(join(state, 'journal.jsonl'));
    const next = anIntent({ action_id: idOf('cafe'), idempotency_key: 'k-10' });
    await expect(opened().append([next])).rejects.toMatchObject({ code: 'damaged_file', effect: 'none' });
    expect(readdirSync(folder)).toEqual(['active.index']);
  });
});
