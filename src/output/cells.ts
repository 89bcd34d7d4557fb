/** The parts of a line and of a row: typed cells, and words between them. */
import type { Big } from 'big.js';
import { say } from '../domain/hint.ts';
import { cutField, spelledName } from '../domain/sanitize.ts';
import type { CommandWords, Sentence } from '../errors.ts';

/** An exact decimal amount, never a computed float. */
export type Amount = Big | string | number;

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'warn';

export type Cell = {
  tone?: Tone | undefined;
} /** Text of the service is cut at 300 characters; text of the program (`isOurs`) is not. */ & (
  | { kind: 'text'; text: string; isOurs?: boolean }
  | { kind: 'hint'; sentence: Sentence }
  /** Money or size with at least two decimals. `word`: in front of it, `paid 1.20`. */
  | { kind: 'money'; amount: Amount; unit?: string | undefined; signed?: boolean; word?: string }
  /** A rate in quote currency per USDT with at least two decimals, or `decimals`. */
  | { kind: 'rate'; amount: Amount; decimals?: number }
  | { kind: 'percent'; amount: Amount; signed?: boolean }
  | { kind: 'number'; amount: Amount; unit?: string }
  /**
   * An instant, ISO 8601 UTC, shown in the profile's zone. `short`: without weekday and zone, and the header of its
   * column names the zone; `matures`: `(!)` marks a weekend or a public holiday there, which is `holiday` where a file names
   * them (null: none); `relative`: how far off it is.
   */
  | {
      kind: 'time';
      at: string;
      style?: 'date' | 'short' | 'minute' | 'second';
      matures?: boolean;
      holiday?: string | null;
      relative?: boolean;
    }
  /** The time left until an instant, to the second in the last hour. */
  | { kind: 'until'; at: string }
  /** A transaction hash: shortened on a terminal, in full with -v. */
  | { kind: 'hash'; text: string }
  /** The service did not send it. */
  | { kind: 'missing' }
);

export const text = (value: string, tone?: Tone): Cell => ({ kind: 'text', text: value, tone });
/** An ID, a market, or text with one in it: non-ASCII letters are escaped. */
export const nameText = (value: string, tone?: Tone): Cell => text(spelledName(value), tone);
/** A sentence of the program; its quotes are already short. */
export const message = (value: string, tone: Tone = 'plain'): Cell => ({
  kind: 'text',
  text: cutField(value),
  tone,
  isOurs: true,
});
export const hintCell = (hint: Sentence | CommandWords, tone: Tone = 'plain'): Cell => ({
  kind: 'hint',
  sentence: say`${hint}`,
  tone,
});
export const missing: Cell = { kind: 'missing' };

/** One, several or none: a part that is not shown is `false` or `undefined`. */
export type Parts<Part> = Part | false | undefined | readonly Parts<Part>[];

const isSeveral = <Part>(parts: Parts<Part>): parts is readonly Parts<Part>[] => Array.isArray(parts);

/** Those that are shown, in their order. */
export function partsIn<Part>(parts: Parts<Part>): readonly Part[] {
  if (parts === undefined || parts === false) return [];
  return isSeveral(parts) ? parts.flatMap((each) => partsIn(each)) : [parts];
}

/** Cells of a line. A plain text is a cell without a tone. */
export type Words = Parts<Cell | string>;

/** Watching in a pipe: one line for each thing that changed. */
export interface ChangeLine {
  /** Identifies it at every reading: `USDTNGN buy`. */
  key: string;
  cells: Words;
  /** The line once it is there no more; default `gone`. */
  ending?: string;
}

export const inline = (...words: readonly Words[]): readonly Cell[] =>
  partsIn(words).map((each) => (typeof each === 'string' ? text(each) : each));

/** Between before and after. In the text of a template it would stay a letter that is not ASCII, for which V8 takes twice the memory. */
export const ARROW = '→';

type Phrase = (between: TemplateStringsArray, ...given: readonly (Words | number)[]) => readonly Cell[];

const phraseIn =
  (tone?: Tone): Phrase =>
  (between, ...given) => {
    const cells: Cell[] = [];
    let plain = '';
    const endPlain = (): void => {
      if (plain.trim() !== '') cells.push(text(plain.trim(), tone));
      plain = '';
    };
    for (const [at, words] of between.entries()) {
      plain += words;
      const part = given[at];
      if (typeof part === 'string' || typeof part === 'number') plain += String(part);
      else {
        endPlain();
        cells.push(...inline(part));
      }
    }
    endPlain();
    return cells;
  };

/** Cells among plain words: phrase`Until ${time}, ${count} hedges`. A text or a number between them is one of the words. */
export const phrase = phraseIn();
export const dimPhrase = phraseIn('dim');
export const warnPhrase = phraseIn('warn');
