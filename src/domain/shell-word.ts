/** A word as it stands in a line to be pasted into a shell, whoever chose it. Knows no line. */

const PLAIN = /^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:=@%+,-]*$/;

/** One word of any POSIX shell, and of fish: quoted where a shell would read more into it. */
export const shellWord = (word: string): string =>
  PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
