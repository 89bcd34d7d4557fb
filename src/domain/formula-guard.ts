/** Text in a CSV cell that a spreadsheet would run as a formula: it gets an apostrophe in front, and loses it where a file is read. */

const FORMULA = '[=+\\-@\\t\\r\\n\\uff1d\\uff0b\\uff0d\\uff20]';
/** Guarded already, so that the two differ; or a line feed, which csv-stringify's `escape_formulas` leaves. */
const LEFT_OUT = new RegExp(`^(?:\\n|'+${FORMULA})`, 'u');
const GUARDED = new RegExp(`^'(?='*${FORMULA})`, 'u');

/** The part that csv-stringify's `escape_formulas` does not do. */
export const guardRest = (text: string): string => (LEFT_OUT.test(text) ? `'${text}` : text);

export const withoutGuard = (text: string): string => text.replace(GUARDED, '');
