/**
 * Notices an answer that was pasted with its line end: lines meant for a shell must not say yes to a deal.
 * Most terminals mark what is pasted when they are asked to; elsewhere a line end with more behind it, all
 * come at once, gives it away. Knows no question.
 */
import type { Key } from 'node:readline';

const MARK_PASTES = '\u001b[?2004h';
const NO_MORE_MARKS = '\u001b[?2004l';

export interface PasteWatch {
  /** Aborts once a line end was pasted. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Watches until `end`, which leaves the terminal as it was. */
export function watchPastedLines(input: NodeJS.ReadableStream, drawing: NodeJS.WritableStream): PasteWatch {
  const found = new AbortController();
  let pasting = false;
  let last: string | undefined;
  const onKey = (_: string | undefined, { name }: Key): void => {
    const lineEnd = name === 'return' || name === 'enter';
    if (name === 'paste-start' || name === 'paste-end') pasting = name === 'paste-start';
    else if (pasting && lineEnd) found.abort();
    // What follows a line end before the program could answer it; CR LF is one line end.
    else if (last === 'return' && name !== 'enter') found.abort();
    last = name;
    queueMicrotask(() => {
      last = undefined;
    });
  };
  input.on('keypress', onKey);
  drawing.write(MARK_PASTES);
  return {
    signal: found.signal,
    end() {
      input.removeListener('keypress', onKey);
      drawing.write(NO_MORE_MARKS);
    },
  };
}
