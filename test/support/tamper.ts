/** Changes a journal in segments as somebody would who does not want it to be seen, and tells where that must be found. */
import { chainedLine, hashOfLine, linkOf, NO_LINE } from '../../src/journal/chain.ts';
import type { Random } from '../../src/platform/random.ts';
import { type WrittenSegment, writeLinesOf } from './chained-journal.ts';

export interface Tampering {
  what: string;
  /** Where `verify` must find it, lines from 1. */
  at: readonly { segment: string; lines: readonly [number, number] }[];
  /** Only the index of the active segment or a checkpoint shows it. */
  isTail?: boolean;
  /** A line that a crash could have cut. */
  isDamage?: boolean;
}

type Change = (segments: readonly WrittenSegment[], draw: Draw) => Tampering | undefined;

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

/** Undefined when the change drawn would change nothing; draw again. */
export function tamper(segments: readonly WrittenSegment[], random: Random): Tampering | undefined {
  const draw = drawFrom(random);
  const done = draw.of(CHANGES)(segments, draw);
  if (done !== undefined) for (const segment of segments) writeLinesOf(segment);
  return done;
}

const place = (segment: WrittenSegment, from: number, to = from): Tampering['at'] => [
  { segment: segment.name, lines: [from + 1, to + 1] },
];

/** At the end of a segment: with a lookup it is found there, without one at the first line after it. */
function endOf(
  segments: readonly WrittenSegment[],
  segment: WrittenSegment,
  index: number,
): Pick<Tampering, 'at' | 'isTail'> {
  const next = segments.slice(segments.indexOf(segment) + 1).find(({ lines }) => lines.length > 0);
  const own = place(segment, Math.max(0, index - 1), index);
  return next === undefined ? { at: own, isTail: true } : { at: [...own, ...place(next, 0)] };
}

const isActive = (segments: readonly WrittenSegment[], segment: WrittenSegment): boolean =>
  segments.at(-1) === segment;

/** The record of a line without its chain. */
const recordText = (line: Buffer): string => `${line.toString('utf8', 0, line.length - 92)}}`;

const editedAmount = (line: Buffer): string =>
  recordText(line).replace(/\d(?=[^\d]*$)/, (digit) => (9 - Number(digit)).toString());

const flip: Change = (segments, draw) => {
  const segment = draw.of(segments);
  const index = draw.below(segment.lines.length);
  const line = Buffer.from(segment.lines[index] ?? '');
  const at = draw.below(line.length);
  line[at] = (line[at] ?? 0) ^ (1 << draw.below(8));
  segment.lines[index] = line;
  return { what: `one bit of line ${(index + 1).toString()} of ${segment.name}`, at: place(segment, index) };
};

/** With a new checksum, and the hash of the line before. */
const editRecord: Change = (segments, draw) => {
  const segment = draw.of(segments);
  const index = draw.below(segment.lines.length);
  const line = segment.lines[index] ?? Buffer.alloc(0);
  segment.lines[index] = Buffer.from(chainedLine(editedAmount(line), linkOf(line)?.prev ?? NO_LINE));
  const isLast = index === segment.lines.length - 1;
  return {
    what: `a digit of line ${(index + 1).toString()} of ${segment.name}, with a new checksum`,
    ...(isLast ? endOf(segments, segment, index) : { at: place(segment, index, index + 1) }),
  };
};

/** The same JSON value in other bytes. */
const serializeAgain: Change = (segments, draw) => {
  const segment = draw.of(segments);
  const index = draw.below(segment.lines.length);
  const value: unknown = JSON.parse(String(segment.lines[index]));
  const text = JSON.stringify(value);
  const others = [
    JSON.stringify(value, null, 1).replaceAll('\n', ''),
    `${text} `,
    text.replace('"schema"', '"\\u0073chema"'),
    JSON.stringify(Object.fromEntries(Object.entries(Object(value)).toReversed())),
  ];
  segment.lines[index] = Buffer.from(draw.of(others));
  return {
    what: `line ${(index + 1).toString()} of ${segment.name}, serialized again`,
    at: place(segment, index),
  };
};

const remove: Change = (segments, draw) => {
  const segment = draw.of(segments);
  const index = draw.below(segment.lines.length);
  const removed = segment.lines.splice(index, 1 + draw.below(3)).length;
  const what = `${removed.toString()} lines from line ${(index + 1).toString()} of ${segment.name} removed`;
  if (index < segment.lines.length) return { what, at: place(segment, Math.max(0, index - 1), index) };
  return { what, ...endOf(segments, segment, index) };
};

const insert: Change = (segments, draw) => {
  const segment = draw.of(segments);
  const index = draw.below(segment.lines.length + 1);
  const before = segment.lines[index - 1];
  const copied = draw.of(draw.of(segments).lines);
  const isEnd = index === segment.lines.length;
  const lines = [
    copied,
    Buffer.from(recordText(copied)),
    Buffer.alloc(0),
    // As hedge writes it: at the end of the journal nothing tells it from a record of hedge.
    ...(before === undefined || (isEnd && isActive(segments, segment))
      ? []
      : [Buffer.from(chainedLine(recordText(copied), hashOfLine(before)))]),
  ];
  segment.lines.splice(index, 0, draw.of(lines));
  return {
    what: `a line inserted as line ${(index + 1).toString()} of ${segment.name}`,
    at: isEnd
      ? [...place(segment, index), ...endOf(segments, segment, index).at]
      : place(segment, index, index + 1),
  };
};

const swap: Change = (segments, draw) => {
  const [one, other] = [draw.of(segments), draw.of(segments)];
  const [first, second] = [draw.below(one.lines.length), draw.below(other.lines.length)];
  const [left, right] = [one.lines[first], other.lines[second]];
  if (left === undefined || right === undefined || left === right) return undefined;
  one.lines[first] = right;
  other.lines[second] = left;
  const isFirst = segments.indexOf(one) < segments.indexOf(other) || (one === other && first < second);
  return {
    what: `line ${(first + 1).toString()} of ${one.name} and line ${(second + 1).toString()} of ${other.name} swapped`,
    at: isFirst ? place(one, first) : place(other, second),
  };
};

/** At the end of a line. */
const cutLines: Change = (segments, draw) => {
  const segment = draw.of(segments);
  const index = draw.below(segment.lines.length);
  segment.lines.splice(index);
  return {
    what: `${segment.name} cut before line ${(index + 1).toString()}`,
    ...endOf(segments, segment, index),
  };
};

/** Inside of the last line. */
const cutLast: Change = (segments, draw) => {
  const segment = draw.of(segments);
  const last = segment.lines.at(-1);
  if (last === undefined || segment.endsWithout === true) return undefined;
  segment.lines[segment.lines.length - 1] = last.subarray(0, 1 + draw.below(last.length - 1));
  segment.endsWithout = true;
  const what = `the last line of ${segment.name} cut`;
  if (isActive(segments, segment)) return { what, at: [], isDamage: true };
  return { what, at: place(segment, segment.lines.length - 1) };
};

/** The content of two segments. */
const swapFiles: Change = (segments, draw) => {
  const [one, other] = [draw.of(segments), draw.of(segments)];
  if (one === other) return undefined;
  [one.lines, other.lines] = [other.lines, one.lines];
  const first = segments.indexOf(one) < segments.indexOf(other) ? one : other;
  return { what: `the contents of ${one.name} and ${other.name} swapped`, at: place(first, 0) };
};

const CHANGES: readonly Change[] = [
  flip,
  editRecord,
  serializeAgain,
  remove,
  insert,
  swap,
  cutLines,
  cutLast,
  swapFiles,
];
