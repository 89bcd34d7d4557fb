/** Columns as a terminal counts them: the emulator's cursor is the judge for what it knows. */
import xterm from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { cutToWidth, textWidth, wrapWords } from '../../src/domain/text-width.ts';

async function columnsTaken(text: string): Promise<number> {
  const terminal = new xterm.Terminal({ cols: 200, rows: 2, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(text, done));
  return terminal.buffer.active.cursorX;
}

describe('the width of a text', () => {
  it.each([
    'USDTNGN buy',
    'Société Zürich',
    'e\u0301',
    'Ọ̀yọ́',
    '人民币',
    'ナイラ',
    'ﾅｲﾗ',
    '나이라',
    'ＦＵＬＬ',
    '…—·�₦→',
    'नमस्ते',
    'سعر שלום',
    '「」、。',
  ])('%s takes the columns that a terminal gives it', async (text) => {
    expect(textWidth(text)).toBe(await columnsTaken(text));
  });

  it('counts an emoji, with or without a skin tone, and a flag as two', () => {
    expect(['👍', '👍🏽', '🇳🇬'].map(textWidth)).toEqual([2, 2, 2]);
  });
});

describe('cutting to a width', () => {
  it.each([
    ['fits', 'fits', 4],
    ['waiting for the fill', 'waiting f…', 10],
    ['waiting for', 'waiting…', 9],
    ['人民币人民币', '人民…', 6],
    ['anything', '', 1],
  ])('%s becomes %s', (text, cut, width) => {
    expect(cutToWidth(text, width, '…')).toBe(cut);
    expect(textWidth(cutToWidth(text, width, '…'))).toBeLessThanOrEqual(width);
  });
});

describe('words in lines', () => {
  it.each([
    ['one two three', 9, 0, ['one two', 'three']],
    ['a longest-of-all b', 6, 2, ['a', '  long', '  est-', '  of-a', '  ll b']],
    ['longest-of-all b', 8, 2, ['longest-', '  of-all', '  b']],
    ['kept   apart here', 12, 0, ['kept   apart', 'here']],
    ['通貨 通貨 x', 9, 0, ['通貨 通貨', 'x']],
    ['', 9, 4, ['']],
  ])('%j within %i columns, %i in', (text, width, indent, lines) => {
    expect(wrapWords(text, width, indent)).toEqual(lines);
  });
});
