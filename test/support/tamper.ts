/** Changes records of a journal as somebody would who does not want it to be seen, and tells where that must be found. */
import { NO_RECORD, recordHash } from '../../src/journal/chain.ts';
import type { StoredRecord } from '../../src/journal/store/record-rows.ts';
import type { Random } from '../../src/platform/random.ts';

export interface Tampering {
  what: string;
  rows: readonly StoredRecord[];
  /** Number of the record that must be named first; undefined: only a witness or a checkpoint shows it. */
  at: number | undefined;
}

interface Draw {
  below(count: number): number;
  of<T>(all: readonly T[]): T;
}

const drawFrom = ({ fraction }: Random): Draw => {
  const below = (count: number): number => Math.floor(fraction() * count);
  return {
    below,
    of(all) {
      const [chosen] = all.slice(below(all.length));
      if (chosen === undefined) throw new Error('nothing to choose from');
      return chosen;
    },
  };
};

type Change = (rows: readonly StoredRecord[], draw: Draw) => Tampering | undefined;

/** Undefined when the change drawn would change nothing; draw again. */
export function tamper(rows: readonly StoredRecord[], random: Random): Tampering {
  const draw = drawFrom(random);
  for (;;) {
    const done = draw.of(CHANGES)(rows, draw);
    if (done !== undefined) return done;
  }
}

const numbered = (rows: readonly StoredRecord[]): readonly StoredRecord[] =>
  rows.map((row, at) => ({ ...row, seq: at + 1 }));

/** The hashes from `index` on, made again; `count` of them. */
function chained(rows: readonly StoredRecord[], index: number, count = rows.length): readonly StoredRecord[] {
  let prev = rows[index - 1]?.hash ?? NO_RECORD;
  return rows.map((row, at) => {
    if (at < index || at >= index + count) return row;
    prev = recordHash(prev, row);
    return { ...row, hash: prev };
  });
}

const drawn = (rows: readonly StoredRecord[], draw: Draw): [StoredRecord, number] => {
  const row = draw.of(rows);
  return [row, rows.indexOf(row)];
};

const editedAmount = (text: string): string =>
  text.replace(/\d(?=[^\d]*$)/, (digit) => (9 - Number(digit)).toString());

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** One character, in any column. */
const edit: Change = (rows, draw) => {
  const [row, index] = drawn(rows, draw);
  const other = (text: string): string => {
    const at = draw.below(text.length);
    return `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`;
  };
  const hash = Buffer.from(row.hash, 'hex');
  const flipped = draw.below(hash.length);
  hash[flipped] = (hash[flipped] ?? 0) ^ (1 << draw.below(8));
  const changed = draw.of<Partial<StoredRecord>>([
    // SQLite's indexes take no other text.
    { record: draw.of([other(row.record), other(row.record), `${row.record} `].filter(isJson)) },
    { id: `x${row.id.slice(1)}` },
    { stamp: 'x' },
    { hash: hash.toString('hex') },
  ]);
  return {
    what: `${Object.keys(changed).join()} of record ${row.seq.toString()} edited`,
    rows: rows.with(index, { ...row, ...changed }),
    at: row.seq,
  };
};

/** With its own hash made again, or those of all records from it on. */
const editAndHash: Change = (rows, draw) => {
  const [row, index] = drawn(rows, draw);
  const edited = rows.with(index, { ...row, record: editedAmount(row.record) });
  const isWhole = draw.below(3) === 0;
  return {
    what: `record ${row.seq.toString()} edited, with ${isWhole ? 'all hashes' : 'its hash'} made again`,
    rows: chained(edited, index, isWhole ? rows.length : 1),
    at: isWhole || index === rows.length - 1 ? undefined : row.seq + 1,
  };
};

const remove: Change = (rows, draw) => {
  const [row, index] = drawn(rows, draw);
  const count = 1 + draw.below(3);
  const rest = rows.toSpliced(index, count);
  const [isNumbered, isChained] = [draw.below(2) === 0, draw.below(3) === 0];
  const isEnd = index + count >= rows.length;
  return {
    what: `${count.toString()} records from ${row.seq.toString()} removed${isNumbered ? ', renumbered' : ''}${isChained ? ', all hashes made again' : ''}`,
    rows: isChained ? numbered(chained(rest, index)) : isNumbered ? numbered(rest) : rest,
    at: isEnd || isChained ? undefined : row.seq,
  };
};

const insert: Change = (rows, draw) => {
  const index = draw.below(rows.length + 1);
  const copy = { ...draw.of(rows), id: 'ffffffffffffffff' };
  const isHashed = draw.below(2) === 0;
  // As hedge writes it: at the end nothing tells it from a record of hedge.
  if (isHashed && index === rows.length) return undefined;
  const more = numbered(rows.toSpliced(index, 0, copy));
  return {
    what: `a record inserted as ${(index + 1).toString()}${isHashed ? ', with its hash' : ''}`,
    rows: isHashed ? chained(more, index, 1) : more,
    at: index + 1,
  };
};

const swap: Change = (rows, draw) => {
  const [one, first] = drawn(rows, draw);
  const [other, second] = drawn(rows, draw);
  if (first >= second) return undefined;
  return {
    what: `records ${one.seq.toString()} and ${other.seq.toString()} swapped`,
    rows: rows.with(first, { ...other, seq: one.seq }).with(second, { ...one, seq: other.seq }),
    at: one.seq,
  };
};

const cut: Change = (rows, draw) => {
  const index = draw.below(rows.length);
  return { what: `cut before record ${(index + 1).toString()}`, rows: rows.slice(0, index), at: undefined };
};

const CHANGES: readonly Change[] = [edit, editAndHash, remove, insert, swap, cut];
