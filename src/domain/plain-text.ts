/**
 * Text of which nothing has to be asked: every character stands by itself, takes one column and does nothing to a
 * terminal. Most of what is shown is such text, and Unicode's own tables take longer to load than a quote.
 */

/** ASCII, Latin letters, dashes and dots, currencies, arrows, mathematics, lines and blocks, braille but its blank. */
const PLAIN =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u22ff\u2500-\u259f\u2801-\u28ff]*$/;

export const isPlain = (text: string): boolean => PLAIN.test(text);
