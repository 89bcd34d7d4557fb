/** A page of help as a value, and its text for a terminal. */

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: readonly string[] }
  /** Names and their meanings. */
  | { kind: 'rows'; rows: readonly (readonly [name: string, about: string])[] }
  /** Commands to paste: a long line is continued with a backslash. */
  | { kind: 'code'; lines: readonly string[] }
  | { kind: 'verbatim'; lines: readonly string[] };

export interface Section {
  /** '' has no heading. */
  title: string;
  parts: readonly Part[];
}

export type Page = readonly Section[];

const INDENT = 2;
const GAP = 2;
/** A longer name has its own line. */
const WIDEST_NAME = 28;

export const paragraph = (words: string): Part => ({ kind: 'text', text: words });
export const rows = (pairs: readonly (readonly [string, string])[]): Part => ({ kind: 'rows', rows: pairs });
export const bullets = (items: readonly string[]): Part => ({ kind: 'list', items });
export const verbatim = (...lines: readonly string[]): Part => ({ kind: 'verbatim', lines });
export const code = (...lines: readonly string[]): Part => ({ kind: 'code', lines });

/** No line is wider than `width`, except one long word and verbatim lines. */
export const renderPage = (page: Page, width: number): string =>
  page
    .filter(({ parts }) => parts.length > 0)
    .map((section) => `${renderSection(section, width).join('\n')}\n`)
    .join('\n');

function renderSection({ title, parts }: Section, width: number): readonly string[] {
  const margin = title === '' ? 0 : INDENT;
  const indented = parts.map((part) => render(part, width - margin).map((line) => pad(line, margin)));
  return [
    ...(title === '' ? [] : [title]),
    ...indented.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines])),
  ];
}

const pad = (line: string, columns: number): string => (line === '' ? '' : ' '.repeat(columns) + line);

function render(part: Part, width: number): readonly string[] {
  if (part.kind === 'text') return wrap(part.text, width);
  if (part.kind === 'rows') return rowsIn(part.rows, width);
  if (part.kind === 'list') return part.items.flatMap((item) => hanging('- ', item, width));
  if (part.kind === 'verbatim') return part.lines;
  return part.lines.flatMap((line) => (line.startsWith('#') ? wrapped(line, width) : broken(line, width)));
}

function hanging(mark: string, words: string, width: number): readonly string[] {
  const lines = wrap(words, width - mark.length);
  return lines.map((line, at) => (at === 0 ? mark : ' '.repeat(mark.length)) + line);
}

const wrapped = (comment: string, width: number): readonly string[] =>
  wrap(comment.slice(2), width - 2).map((line) => `# ${line}`);

function rowsIn(list: readonly (readonly [string, string])[], width: number): readonly string[] {
  const names = list.map(([name]) => name.length).filter((length) => length <= WIDEST_NAME);
  const column = Math.max(0, ...names) + GAP;
  return list.flatMap(([name, about]) => {
    const [first = '', ...others] = wrap(about, width - column);
    const rest = others.map((line) => ' '.repeat(column) + line);
    if (name.length + GAP > column) return [name, ' '.repeat(column) + first, ...rest];
    return [(name.padEnd(column) + first).trimEnd(), ...rest];
  });
}

function wrap(sentence: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const CONTINUED = ' \\';

/** Breaks a command line before options and operators. */
function broken(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  for (const unit of unitsOf(line)) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(unit);
    else if (last.length + 1 + unit.length + CONTINUED.length > width) lines.push(`    ${unit}`);
    else lines[lines.length - 1] = `${last} ${unit}`;
  }
  return lines.map((each, at) => (at === lines.length - 1 ? each : each + CONTINUED));
}

/** An option with its value, or an operator with what follows it. */
function unitsOf(line: string): readonly string[] {
  const words = line.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g) ?? [line];
  const units: string[] = [];
  for (const word of words) {
    const last = units.at(-1);
    if (last === undefined || /^(?:-|\|\|?$|&&$)/.test(word)) units.push(word);
    else units[units.length - 1] = `${last} ${word}`;
  }
  return units;
}
