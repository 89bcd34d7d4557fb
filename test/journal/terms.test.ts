/** The terms of the active segment: sorted in part, they are found as if they were not. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, ID_KINDS, KIND, TermList, termOfId, termOfText } from '../../src/journal/terms.ts';
import { howMany } from '../support/goal.ts';
import { anIntent, step, UNKNOWN } from './records.ts';

const action = fc.tuple(
  fc.constantFrom('7c1e', '7c1f', '0000', 'ffff'),
  fc.bigInt(0n, 2n ** 48n - 1n),
  fc.nat(3),
);

/** Entries as the journal adds them: of each record, at later and later places. */
function entriesFor(actions: readonly (readonly [string, bigint, number])[]) {
  let offset = 0;
  const ids = actions.map(([first, rest]) => `${first}${rest.toString(16).padStart(12, '0')}`);
  const entries = actions.flatMap(([, , deal], index) => {
    const id = ids[index] ?? '';
    const intent = anIntent({ action_id: id, idempotency_key: `k-${id}`, deal_id: `PAY-${deal.toString()}` });
    return [intent, step(UNKNOWN, id)].map((record) => entriesOf(record, (offset += 500), id.slice(0, 6)));
  });
  return { ids, entries };
}

describe('the terms of the active segment', () => {
  it('are found in the order of the records, however many of them are sorted', () => {
    fc.assert(
      fc.property(
        fc.array(action, { minLength: 1, maxLength: 600, size: 'max' }),
        fc.array(fc.nat(1_200), { maxLength: 4 }),
        (actions, sorts) => {
          const { ids, entries } = entriesFor(actions);
          const [plain, sorted] = [new TermList(), new TermList()];
          entries.forEach((each, index) => {
            plain.add(each);
            sorted.add(each);
            if (sorts.includes(index)) sorted.settle();
          });
          const answers = (terms: TermList) => [
            ...ids.map((id) => terms.find([{ term: termOfId(id), kinds: ID_KINDS }])),
            ...['0', '1', '2', '3'].map((deal) =>
              terms.find([{ term: termOfText(KIND.deal, `PAY-${deal}`), kinds: [KIND.deal] }]),
            ),
            ...['7c1e', '7c1f0', 'ffff', 'abcd'].map((prefix) => terms.idsFrom(prefix).toSorted()),
            ...ids.map((id) => terms.shared(id)),
          ];
          const read = TermList.read(
            { readInto: (buffer) => sorted.bytes.copy(buffer) },
            sorted.bytes.length,
            sorted.sorted,
          );
          expect(answers(sorted)).toEqual(answers(plain));
          expect(answers(read ?? new TermList())).toEqual(answers(plain));
        },
      ),
      { numRuns: howMany(20, 500), seed: 20_261_123 },
    );
  });

  it('are sorted once they are many, and then only the later ones are cut off', () => {
    const { entries } = entriesFor(
      Array.from({ length: 300 }, (_, index) => ['7c1e', BigInt(index * 977), 0]),
    );
    const terms = new TermList();
    terms.add(entries[0] ?? Buffer.alloc(0));
    expect(terms.settle()).toBe(false);
    for (const each of entries.slice(1)) terms.add(each);
    expect(terms.settle()).toBe(true);
    const { length } = terms.bytes;
    expect(terms.sorted).toBe(length);
    terms.add(entries[0] ?? Buffer.alloc(0));
    expect(terms.copy().sorted).toBe(length);
    terms.cut(length);
    expect(terms.bytes).toHaveLength(length);
    expect(() => {
      terms.cut(length - 16);
    }).toThrow('sorted entries');
  });
});
