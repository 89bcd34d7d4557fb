/** Texts that act on a terminal, hide in it or forge lines of it, as a service could send them in any of its strings. */

const ESC = '\u001b';

/** Each as a service could send it inside a name, an id or a message. */
export const ATTACKS: readonly [name: string, text: string][] = [
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
  ['a hidden cursor', `${ESC}[?25lgone`],
  ['reports of the mouse', `${ESC}[?1000h${ESC}[?1006hx`],
  ['another way to paste', `${ESC}[?2004lx`],
  ['a name of the terminal asked for', `${ESC}[>0q${ESC}Z`],
  ['a notification (OSC 9, 777)', `${ESC}]9;owned\u0007${ESC}]777;notify;a;b\u0007`],
  ['a file for the terminal (OSC 1337)', `${ESC}]1337;File=inline=1:AAAA\u0007`],
  ['other colours for all (OSC 4, 11)', `${ESC}]4;1;#000\u0007${ESC}]11;#f00\u0007`],
  ['a picture (sixel)', `${ESC}Pq#0;2;0;0;0~${ESC}\\`],
  ['text said again', `x${ESC}[20b`],
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

/** Begins with the words that are attacked, so that what is looked for by its beginning is still found. */
export const FORGED = 'FORGED';

/** Forgeries of a line of its own, told by that word where lines begin. */
export const FORGERIES: readonly [name: string, text: string][] = [
  ['a forged line', `ok\n${FORGED} line`],
  ['a forged line of Windows', `ok\r\n${FORGED} line`],
  ['a forged line over its own', `ok\r${FORGED} line`],
  ['a forged line by NEL', `ok\u0085${FORGED} line`],
  ['a forged line by IND', `ok${ESC}D${ESC}[1G${FORGED} line`],
  ['a forged line by a vertical tab', `ok\u000b\r${FORGED} line`],
];

/** What is no control and is as wide as its columns or none: it must not push what stands beside it. */
export const WIDE: readonly [name: string, text: string][] = [
  ['Chinese', '人民币汇率'],
  ['full width', 'ＵＳＤＴＮＧＮ'],
  ['Korean', '나이라'],
  ['a tower of marks', `a${'\u0300'.repeat(60)}b`],
  ['marks alone', '\u0301\u0301\u0301'],
  ['Devanagari', 'नमस्ते'],
  ['Arabic', 'سعر الصرف'],
];
