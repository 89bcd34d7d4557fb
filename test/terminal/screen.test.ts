/** Frames as they arrive in a window: the program's own screen over a real terminal emulator. */
import xterm from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { openScreen } from '../../src/terminal/screen.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';

/** The bytes of these frames for a window of 20 by 24. */
function written(...frames: readonly (readonly string[])[]): string {
  const { terminal, out } = recordingTerminal({ isTTY: true, width: 20 });
  const events = { onResize: () => undefined, onQuit: () => undefined, signal: new AbortController().signal };
  const screen = openScreen(terminal, events);
  for (const frame of frames) screen.paint(frame);
  return out();
}

/** What the window then shows. */
async function shown(...frames: readonly (readonly string[])[]): Promise<readonly string[]> {
  const window = new xterm.Terminal({ cols: 20, rows: 24, allowProposedApi: true });
  await new Promise<void>((resolve) => window.write(written(...frames), resolve));
  const { active } = window.buffer;
  return Array.from({ length: 24 }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
}

const WIDE = 'as wide as a window.';
const full = (word: string): readonly string[] => Array.from({ length: 24 }, (_, row) => `${word} ${row}`);

describe('a frame', () => {
  it('fits a line as wide as the window, in its last row too', async () => {
    expect(WIDE).toHaveLength(20);
    expect((await shown([WIDE, WIDE])).slice(0, 3)).toEqual([WIDE, WIDE, '']);
    const lines = [...full('line').slice(1), WIDE];
    expect(await shown(lines)).toEqual(lines);
  });

  it.each([
    ['few rows', [WIDE, WIDE]],
    ['every row', [...full('line').slice(1), WIDE]],
  ])(
    'of %s empties only from the beginning of a line: at its end a terminal takes the last letter',
    (_, lines) => {
      const bytes = written(lines);
      const emptied = [...bytes.matchAll(/\p{Cc}\[\d?[JK]/gu)].map(({ index }) => bytes.slice(0, index));
      expect(emptied.length).toBeGreaterThan(lines.length);
      for (const before of emptied) expect(before).toMatch(/(?:\p{Cc}\[H|\n)$/u);
    },
  );

  it('leaves nothing of a longer one before it', async () => {
    expect(await shown(full('before'), ['one', 'two'])).toEqual(['one', 'two', ...Array(22).fill('')]);
  });

  it('leaves out what does not fit the window, and scrolls nothing away', async () => {
    expect(await shown([...full('line'), 'one too many'])).toEqual(full('line'));
  });
});
