/** The halt of this machine: what the records of halts and their ends add up to, in memory and in the journal. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { haltFrom, haltReason } from '../../src/journal/halt.ts';
import type { HaltRecord } from '../../src/journal/records.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { journalAt } from './journal-at.ts';
import { anIntent, at, HALT, NOON } from './records.ts';

const ONE = 'aa00000000000001';
const TWO = 'aa00000000000002';

const halt = (halt_id: string, parts: Partial<typeof HALT> = {}): HaltRecord => ({
  ...HALT,
  halt_id,
  ...parts,
});
const unhalt = (...halt_ids: string[]): HaltRecord => ({ schema: 3, kind: 'unhalt', at: at(60), halt_ids });

const idsOf = (records: readonly HaltRecord[]): readonly string[] => haltFrom(records)?.ids ?? [];

describe('a halt', () => {
  it.each<[string, readonly HaltRecord[], readonly string[]]>([
    ['there is none without records', [], []],
    ['it holds from its record on', [halt(ONE)], [ONE]],
    ['it holds until an unhalt names it', [halt(ONE), unhalt(ONE)], []],
    ['an unhalt of another one does not lift it', [halt(ONE), unhalt(TWO)], [ONE]],
    ['an unhalt that names none lifts none', [halt(ONE), unhalt()], [ONE]],
    ['an unhalt of one of two leaves the other', [halt(ONE), halt(TWO), unhalt(TWO)], [ONE]],
    ['one unhalt lifts all that it names', [halt(ONE), halt(TWO), unhalt(ONE, TWO)], []],
    ['a halt after an unhalt holds', [halt(ONE), unhalt(ONE), halt(TWO)], [TWO]],
    ['an unhalt before a halt does not lift it', [unhalt(ONE), halt(ONE)], [ONE]],
    ['the same halt twice is lifted once', [halt(ONE), halt(ONE), unhalt(ONE)], []],
  ])('halt: %s', (_what, records, ids) => {
    expect(idsOf(records)).toEqual(ids);
  });

  it('halt: shows who, when and why of the last one that holds', () => {
    const records = [halt(ONE), halt(TWO, { who: 'Bo', why: 'audit', note: 'ticket 8' }), unhalt(ONE)];
    expect(haltFrom(records)).toEqual({
      ids: [TWO],
      who: 'Bo',
      why: 'audit',
      note: 'ticket 8',
      at: HALT.at,
      earlier: [],
    });
    expect(haltFrom([...records.slice(0, 2), unhalt(TWO)])).toEqual({
      ids: [ONE],
      who: HALT.who,
      why: HALT.why,
      at: HALT.at,
      earlier: [],
    });
    expect(haltFrom(records.slice(0, 2))).toMatchObject({ why: 'audit', earlier: [{ why: HALT.why }] });
  });

  it.each(['', '  \n', 'x'.repeat(501)])('halt: rejects the reason %j', (why) => {
    expect(() => haltReason(why)).toThrow(UsageError);
  });

  it('halt: rejects a reason that looks like an API key', () => {
    expect(() => haltReason(['my key is sk', 'live', '4eC39HqLyjWDarjtT1zdp7dc'].join('_'))).toThrow(
      'API key',
    );
  });

  it('halt: takes the reason without the spaces around it', () => {
    expect(haltReason('  venue down\n')).toBe('venue down');
    expect(haltReason('x'.repeat(500))).toHaveLength(500);
  });
});

describe('a halt in the journal', () => {
  const aJournal = () => journalAt(temporaryFolder(), () => NOON);

  it('halt: is read with user, time and reason until it is lifted, whatever is recorded in between', async () => {
    const journal = aJournal();
    expect(journal.read().halt).toBeUndefined();
    const held = { ids: [ONE], who: HALT.who, at: HALT.at, why: HALT.why, earlier: [] };
    expect((await journal.append([halt(ONE)])).halt).toEqual(held);
    await journal.append([anIntent()]);
    expect(journal.read().halt).toEqual(held);
    expect((await journal.append([unhalt(ONE)])).halt).toBeUndefined();
    expect([...journal.read().halts()].map(({ kind }) => kind)).toEqual(['unhalt', 'halt']);
  });

  it('halt: two of them hold until both are lifted, in any order', async () => {
    for (const order of [
      [ONE, TWO],
      [TWO, ONE],
    ]) {
      const journal = aJournal();
      await journal.append([halt(ONE)]);
      await journal.append([halt(TWO)]);
      for (const id of order) {
        expect(journal.read().halt?.ids).toContain(id);
        await journal.append([unhalt(id)]);
      }
      expect(journal.read().halt).toBeUndefined();
    }
  });

  it('halt: stores the longest reason in the widest characters', async () => {
    const journal = aJournal();
    const why = '\u0001₦'.repeat(250);
    await journal.append([halt(ONE, { why })]);
    expect(journal.read().halt).toMatchObject({ why });
  });

  it('halt: is seen by a guard in the append that it stops', async () => {
    const journal = aJournal();
    await journal.append([halt(ONE)]);
    const stopped = journal.append([anIntent()], ({ halt: held }) => {
      if (held !== undefined) throw new Error(`halted: ${held.why}`);
    });
    await expect(stopped).rejects.toThrow('halted: venue down');
    expect(journal.read().count).toBe(0);
  });
});
