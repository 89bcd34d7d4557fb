/**
 * Makes the picture of the README: runs the built program on a new practice database in a terminal of 100 columns and
 * draws the screen. Run it with `npm run pictures`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, '.pictures');
const COLUMNS = 100;
const ROWS = 40;
const LIMIT_MS = 30_000;

/** Each line typed, and what has to stand on the screen before the next one. */
const PICTURES = [
  {
    name: 'open',
    steps: [
      ['hedge open USDTNGN buy 50k --tenor 3 --deal-id PAY-8841 --max-cost-bps 45', /y\/N/],
      ['y', /FILLED[^]*Action/],
    ],
  },
];

/** The screen after the steps, as lines of cells. */
async function played(steps) {
  const hedge = `hedge() { "${process.execPath}" "${join(ROOT, 'bin', 'hedge.js')}" "$@"; }`;
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const shell = spawn('bash', ['--norc', '--noprofile'], {
    cols: COLUMNS,
    rows: ROWS,
    env: {
      PATH: process.env.PATH,
      HEDGE_HOME: home,
      HEDGE_PROFILE: 'practice',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      COLORTERM: 'truecolor',
      PS1: '$ ',
    },
  });
  shell.onData((text) => terminal.write(text));
  terminal.onData((answer) => shell.write(answer));
  shell.write(`${hedge}; clear\r`);
  await pause(1_000);
  for (const [line, shown] of steps) {
    shell.write(`${line}\r`);
    await until(terminal, shown);
  }
  const cells = cellsOf(terminal);
  const ended = new Promise((resolve) => shell.onExit(resolve));
  shell.write('\u0003');
  await pause(1_000);
  shell.write('exit\r');
  await ended;
  return cells;
}

async function until(terminal, shown) {
  for (let waited = 0; waited < LIMIT_MS; waited += 100) {
    if (shown.test(textOf(cellsOf(terminal)))) return;
    await pause(100);
  }
  throw new Error(`never shown: ${shown}\n${textOf(cellsOf(terminal))}`);
}

function cellsOf({ buffer }) {
  const lines = upTo(ROWS).map((row) => {
    const line = buffer.active.getLine(row);
    return upTo(COLUMNS).map((column) => {
      const cell = line.getCell(column);
      const colour = cell.isFgDefault()
        ? undefined
        : cell.isFgRGB()
          ? rgb(cell.getFgColor())
          : PALETTE[cell.getFgColor()];
      return { text: cell.getChars() || ' ', colour, bold: cell.isBold() !== 0, dim: cell.isDim() !== 0 };
    });
  });
  while (lines.length > 0 && lines.at(-1).every(({ text }) => text === ' ' || text === '$')) lines.pop();
  return lines;
}

const upTo = (count) => Array.from({ length: count }, (_, at) => at);
const textOf = (lines) => lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
const rgb = (number) => `#${number.toString(16).padStart(6, '0')}`;

const PALETTE = [
  '#484f58',
  '#ff7b72',
  '#3fb950',
  '#d29922',
  '#58a6ff',
  '#bc8cff',
  '#39c5cf',
  '#b1bac4',
  '#6e7681',
  '#ffa198',
  '#56d364',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#56d4dd',
  '#f0f6fc',
];
const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;

function draw(lines) {
  const width = COLUMNS * CELL.width + 2 * MARGIN;
  const height = lines.length * CELL.height + 2 * MARGIN;
  const rows = lines.map((line, row) => {
    const y = MARGIN + (row + 0.75) * CELL.height;
    return runsOf(line)
      .map(({ text, at, colour, bold, dim }) => {
        const style = `${colour ? ` fill="${colour}"` : ''}${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity=".6"' : ''}`;
        const length = (text.length * CELL.width).toFixed(1);
        return `<text x="${(MARGIN + at * CELL.width).toFixed(1)}" y="${y.toFixed(1)}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style}>${escaped(text)}</text>`;
      })
      .join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height.toFixed(0)}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3" xml:space="preserve">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.filter((row) => row !== '').join('\n')}
</svg>
`;
}

/** Cells of one look, side by side; blanks at either end of a run are nobody's. */
function runsOf(line) {
  const runs = [];
  line.forEach((cell, at) => {
    const last = runs.at(-1);
    const same = last && last.colour === cell.colour && last.bold === cell.bold && last.dim === cell.dim;
    if (same) last.text += cell.text;
    else runs.push({ ...cell, at });
  });
  return runs
    .map((run) => ({
      ...run,
      at: run.at + run.text.length - run.text.trimStart().length,
      text: run.text.trim(),
    }))
    .filter(({ text }) => text !== '');
}

const escaped = (text) =>
  text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]);

const home = mkdtempSync(join(tmpdir(), 'hedge-pictures-'));
mkdirSync(FOLDER, { recursive: true });
try {
  for (const { name, steps } of PICTURES)
    writeFileSync(join(FOLDER, `${name}.svg`), draw(await played(steps)));
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
