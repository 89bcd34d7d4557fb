/** What others send is harmless on a terminal: the judge is a terminal emulator, not our own regular expressions. */
import xterm from '@xterm/headless';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean, escapeJson, escapeJsonToAscii } from '../../src/domain/clean.ts';

const ESC = '\u001b';

/** Each as a service could send it inside a name, an id or a message. */
const ATTACKS: readonly [name: string, text: string][] = [
  ['a window title', `${ESC}]0;owned\u0007`],
  ['a window title ended by ST', `${ESC}]2;owned${ESC}\\`],
  ['a window title without an end', `${ESC}]0;owned`],
  ['an 8-bit window title', '\u009d0;owned\u009c'],
  ['the bell', '\u0007'],
  ['three bells', 'a\u0007\u0007\u0007'],
  ['the clipboard (OSC 52)', `${ESC}]52;c;b3duZWQ=\u0007`],
  ['the clipboard in 8 bits', '\u009d52;c;b3duZWQ=\u0007'],
  ['a link (OSC 8)', `${ESC}]8;;https://evil.test\u0007USDTNGN${ESC}]8;;\u0007`],
  ['the other screen', `${ESC}[?1049h`],
  ['a cleared screen', `${ESC}[2J${ESC}[H`],
  ['an 8-bit clear', '\u009b2J\u009bH'],
  ['a full reset', `${ESC}c`],
  ['an overwritten line', 'rejected\rfilled  '],
  ['an overwritten start (backspaces)', 'buy\b\b\bsell'],
  ['a cursor sent up', `${ESC}[1A${ESC}[2Kfilled`],
  ['a cursor sent anywhere', `${ESC}[1;1Hfilled`],
  ['colour', `${ESC}[32mfilled${ESC}[0m`],
  ['8-bit colour', '\u009b31mfailed'],
  ['hidden text', `${ESC}[8msecret${ESC}[0m`],
  ['a newline with a line of its own', 'ok\nFILLED 100,000.00'],
  ['a Windows line end', 'ok\r\nFILLED'],
  ['vertical tab and form feed', 'ok\u000bFILLED\u000cFILLED'],
  ['next line (NEL)', 'ok\u0085FILLED'],
  ['index and reverse index', `ok${ESC}DFILLED${ESC}M`],
  ['line and paragraph separators', 'ok\u2028FILLED\u2029FILLED'],
  ['a tab', 'ok\tFILLED'],
  ['a device query', `${ESC}[6n${ESC}[c`],
  ['a DCS string', `${ESC}P$q"p${ESC}\\`],
  ['an APC string', `${ESC}_Gf=24;AAAA${ESC}\\`],
  ['a scroll region', `${ESC}[1;2r`],
  ['the line-drawing alphabet', `${ESC}(0lqqk`],
  ['shift out', '\u000elqqk'],
  ['insert mode', `${ESC}[4hxx`],
  ['right-to-left override', 'order \u202e00.001 dellif'],
  ['bidi isolates', '\u2066abc\u2069\u2067def\u2069'],
  ['directional marks', 'a\u200fb\u200ec\u061cd'],
  ['zero-width space', 'USDT\u200bNGN'],
  ['zero-width joiners', 'USDT\u200dN\u200cGN'],
  ['a byte order mark inside', 'USDT\ufeffNGN'],
  ['word joiner and invisible operators', 'a\u2060b\u2061c\u2064d'],
  ['tag characters', 'hdg\u{e0068}\u{e0069}\u{e007f}'],
  ['Hangul fillers', 'a\u3164b\u115fc\uffa0d'],
  ['the blank braille cell', 'a\u2800b'],
  ['variation selectors', 'a\ufe0fb\u{e0100}c'],
  ['a soft hyphen', 'USDT\u00adNGN'],
  ['lone surrogates', 'a\ud800b\udc00c'],
  ['NUL and DEL', 'a\u0000b\u007fc'],
  ['an escape at the very end', `ok${ESC}`],
  ['a control sequence without an end', `ok${ESC}[31`],
  ['private use', 'a\ue000b\u{f0000}c'],
  ['interlinear annotation', 'a\ufff9b\ufffac\ufffbd'],
];

/** Everything a terminal could be made to do by `text`, printed between two marks on its second line. */
async function effectsOf(text: string): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: 200, rows: 10, allowProposedApi: true, logLevel: 'off' });
  const effects: string[] = [];
  terminal.onBell(() => effects.push('bell'));
  terminal.onTitleChange(() => effects.push('title'));
  terminal.onData(() => effects.push('answer'));
  for (const code of [8, 52])
    terminal.parser.registerOscHandler(code, () => {
      effects.push(`OSC ${code}`);
      return true;
    });
  await new Promise<void>((done) => terminal.write(`first line\r\n[${text}]`, done));
  const { active } = terminal.buffer;
  if (active.type !== 'normal') effects.push('other screen');
  const row = (at: number): string => active.getLine(at)?.translateToString(true) ?? '';
  if (row(0) !== 'first line') effects.push('overwrote the line above');
  if (!row(1).startsWith('[')) effects.push('overwrote its own line');
  if (!row(1).endsWith(']')) effects.push('moved');
  for (let at = 2; at < 10; at += 1) if (row(at) !== '') effects.push('wrote below');
  const line = active.getLine(1);
  for (let at = 0; at < 200; at += 1) {
    const cell = line?.getCell(at);
    if (cell !== undefined && (!cell.isAttributeDefault() || cell.isInvisible() !== 0))
      effects.push('attributes');
  }
  // A screen cannot show what is not there to be seen: this part is judged by Unicode's own properties.
  if (/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u2800]/u.test(text))
    effects.push('invisible');
  return [...new Set(effects)];
}

describe('text from the service on a terminal', () => {
  it.each(ATTACKS)('%s has no effect', async (_, attack) => {
    expect(await effectsOf(attack), 'the attack itself must be seen by the judge').not.toEqual([]);
    expect(await effectsOf(clean(attack))).toEqual([]);
  });

  it('any string at all is one harmless line', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(...ATTACKS.map(([, attack]) => attack), ESC, '\u009b', '\u009d', '[', ']', ';', '\\'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        expect(await effectsOf(clean(pieces.join('')))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['plain', 'USDTNGN buy 10,000.00'],
    ['accents', 'Société Générale, Zürich, Ọ̀yọ́'],
    ['Arabic and Hebrew letters', 'سعر שלום'],
    ['Devanagari with its vowel signs', 'नमस्ते'],
    ['Chinese, Japanese, Korean', '人民币 ナイラ 나이라'],
    ['emoji with a skin tone and a flag', '👍🏽 🇳🇬'],
    ['signs of the trade', '₦1,530.10 — 0.05 % ± 4 bps …'],
  ])('%s stays as it is', (_, text) => {
    expect(clean(text)).toBe(text);
  });

  it('shows that something was there, once for a run', () => {
    expect(clean(`a${ESC}[31m${ESC}[1mb\u202e\u202ec`)).toBe('a\ufffdb\ufffdc');
  });

  it('turns every kind of blank into one space each', () => {
    expect(clean('a\nb\r\nc\td\u00a0e\u3000f\u2028g')).toBe('a b c d e f g');
  });

  it('gives a mark with nothing under it a ring, so that it leaves the text before it alone', () => {
    expect(clean('\u0301x')).toBe('\u25cc\u0301x');
  });

  it('cuts a tower of marks down to what a script could need', () => {
    expect(clean(`a${'\u0300'.repeat(50)}b`)).toBe(`a${'\u0300'.repeat(4)}b`);
  });

  it('cleaning twice is cleaning once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(clean(clean(text))).toBe(clean(text));
      }),
    );
  });

  it('takes a megabyte of openers in well under a second', () => {
    const started = performance.now();
    for (const opener of [`${ESC}]`, '\u009d', `${ESC}[`, '\u009b', `${ESC}P`, 'a\u0300'])
      clean(opener.repeat(500_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('JSON printed to a terminal', () => {
  it.each(ATTACKS)('%s has no effect and the value is unchanged', async (_, attack) => {
    const json = JSON.stringify({ [attack]: attack });
    const escaped = escapeJson(json);
    expect(JSON.parse(escaped)).toEqual({ [attack]: attack });
    expect(await effectsOf(escaped)).toEqual([]);
  });

  it('leaves ordinary letters raw, or spells them in ASCII when asked', () => {
    expect(escapeJson('{"a":"Ọ̀yọ́ 👍"}')).toBe('{"a":"Ọ̀yọ́ 👍"}');
    expect(escapeJsonToAscii('{"a":"é👍\u009b"}')).toBe(String.raw`{"a":"\u00e9\ud83d\udc4d\u009b"}`);
  });

  it('keeps every value, whatever the strings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(escapeJson(JSON.stringify(text)))).toBe(text);
        expect(JSON.parse(escapeJsonToAscii(JSON.stringify(text)))).toBe(text);
      }),
    );
  });
});
