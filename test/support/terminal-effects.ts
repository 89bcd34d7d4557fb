/**
 * The judge of what text does to a terminal: a terminal emulator that is written to and looked at afterwards, and
 * Unicode's own properties for what a screen cannot show. It knows none of the program's means against any of it.
 */
import xterm from '@xterm/headless';
import { ATTACKS, FORGED, FORGERIES } from './terminal-attacks.ts';

/** Besides line end and what begins a control sequence, which are told apart. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u2800]/u;
const OSC_CODES = [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 104, 110, 111, 112, 133, 633, 777, 1337];
const OSC_NAMES: Readonly<Record<number, string>> = { 0: 'title', 2: 'title', 8: 'link', 52: 'clipboard' };

type Emulator = InstanceType<typeof xterm.Terminal>;

/** An emulator, and what it was made to do besides showing text. */
function watched(columns: number, rows: number): { terminal: Emulator; effects: Set<string> } {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 5_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  const effects = new Set<string>();
  terminal.onBell(() => effects.add('bell'));
  terminal.onTitleChange(() => effects.add('title'));
  terminal.onData(() => effects.add('reply'));
  for (const code of OSC_CODES)
    terminal.parser.registerOscHandler(code, () => {
      effects.add(OSC_NAMES[code] ?? `OSC ${code.toString()}`);
      return true;
    });
  return { terminal, effects };
}

const written = (terminal: Emulator, text: string): Promise<void> =>
  new Promise((done) => terminal.write(text, done));

/** Everything a terminal could be made to do by `text`, printed between two marks on its second line. */
export async function effectsOf(text: string): Promise<readonly string[]> {
  const { terminal, effects } = watched(200, 10);
  await written(terminal, `first line\r\n[${text}]`);
  const { active } = terminal.buffer;
  if (active.type !== 'normal') effects.add('other screen');
  const row = (at: number): string => active.getLine(at)?.translateToString(true) ?? '';
  if (row(0) !== 'first line') effects.add('overwrote the line above');
  if (!row(1).startsWith('[')) effects.add('overwrote its own line');
  if (!row(1).endsWith(']')) effects.add('moved');
  for (let at = 2; at < 10; at += 1) if (row(at) !== '') effects.add('wrote below');
  const line = active.getLine(1);
  for (let at = 0; at < 200; at += 1) {
    const cell = line?.getCell(at);
    if (cell !== undefined && (!cell.isAttributeDefault() || cell.isInvisible() !== 0))
      effects.add('attributes');
  }
  terminal.dispose();
  // A screen cannot show what is not there to be seen: this part is judged by Unicode's own properties.
  if (UNSEEN.test(text)) effects.add('invisible');
  return [...effects];
}

export interface Session {
  /** The same program's bytes where everybody's words were harmless; nothing in a pipe, where it has no means. */
  ours?: string;
  columns?: number;
  rows?: number;
  /** The bytes went through a pseudo-terminal, which has made line ends of its own of them. */
  isCooked?: boolean;
}

/**
 * What all the bytes of a run did to a terminal that the program does not do by itself. Lines must be shorter than the
 * terminal is wide, or a word of a broken line is taken for the beginning of one.
 */
export async function effectsOfRun(
  raw: string,
  { ours = '', columns = 400, rows = 50, isCooked = false }: Session = {},
): Promise<string[]> {
  const { terminal, effects } = watched(columns, rows);
  await written(terminal, isCooked ? raw : raw.replaceAll('\n', '\r\n'));
  const { active } = terminal.buffer;
  if (active.type !== 'normal') effects.add('other screen');
  if (terminal.modes.insertMode || terminal.modes.originMode || !terminal.modes.wraparoundMode)
    effects.add('another mode');
  for (let at = 0; at < active.length; at += 1) {
    const line = active.getLine(at);
    const text = line?.translateToString(true) ?? '';
    if (line?.isWrapped !== true && text.startsWith(FORGED)) effects.add(`a line of its own: ${text}`);
  }
  terminal.dispose();
  const [seen, known] = [meansIn(raw), meansIn(ours)];
  for (const means of seen) if (!known.has(means)) effects.add(`${JSON.stringify(means)}, not ours`);
  for (const [name, attack] of [...ATTACKS, ...FORGERIES])
    if (UNSEEN.test(attack) && raw.includes(attack) && !ours.includes(attack))
      effects.add(`${name}, as it came`);
  return [...effects];
}

// Moves by any number of columns and lines are one means; a colour or a mode is itself.
const MOVES = /^(\p{Cc}\[)[\d;]*([A-HJKSTfd])$/u;

/** Control sequences and unseen characters in there, each once. */
function meansIn(raw: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [means] of raw.matchAll(/\p{Cc}\[[0-?]*[ -/]*[@-~]|[^ -~\n]/gu))
    if (UNSEEN.test(means)) found.add(means.replace(MOVES, '$1$2'));
  return found;
}

/** The screen once `raw` was written to it, line by line, without blanks at the ends; columns are cells. */
export async function cellsOf(raw: string, columns = 400): Promise<readonly (readonly string[])[]> {
  const { terminal } = watched(columns, 50);
  await written(terminal, raw.replaceAll('\n', '\r\n'));
  const { active } = terminal.buffer;
  const lines: string[][] = [];
  for (let at = 0; at < active.length; at += 1) {
    const line = active.getLine(at);
    lines.push(Array.from({ length: columns }, (_, column) => line?.getCell(column)?.getChars() ?? ''));
  }
  terminal.dispose();
  return lines;
}
