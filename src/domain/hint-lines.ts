/** The lines of a hint: sentences, and commands with what they do. A command stays on one line of any screen. */

/** `does`: empty for a command that needs no description. */
export type HintLine = { sentence: string } | { command: string; does: string };

/** Four blanks end a command, also one without a description: no other line of a hint ends in blanks. */
const AFTER_COMMAND = ' '.repeat(4);

/** Commands as lines of a hint, with aligned descriptions. */
export function commandLines(rows: readonly (readonly [command: string, does: string])[]): string {
  const width = Math.max(0, ...rows.map(([command]) => command.length));
  return rows.map(([command, does]) => `${command.padEnd(width)}${AFTER_COMMAND}${does}`).join('\n');
}

/** A command as a line of a hint. */
export const commandLine = (command: string): string => commandLines([[command, '']]);

export const readHint = (hint: string): readonly HintLine[] =>
  hint.split('\n').map((line): HintLine => {
    const [, command, does] = COMMAND.exec(line) ?? [];
    return command === undefined || does === undefined ? { sentence: line } : { command, does };
  });

/** A quoted deal ID in the command may have as many blanks. */
const COMMAND = new RegExp(`^(\\S(?:.*\\S)?)${AFTER_COMMAND} *(\\S.*|)$`);
