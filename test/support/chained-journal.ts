/** A journal in segments, written line by line in the format on disk and not by the store, so that both must agree on it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainedLine, hashOfLine, NO_LINE } from '../../src/journal/chain.ts';

export interface WrittenSegment {
  name: string;
  path: string;
  /** Without newlines. */
  lines: Buffer[];
  /** The last line has no newline. */
  endsWithout?: boolean;
}

/** Writes the segments of these records into the state folder of `home`. */
export function writeSegments(
  home: string,
  segments: readonly { name: string; records: readonly object[] }[],
): readonly WrittenSegment[] {
  const state = join(home, 'state');
  const folder = join(state, 'journal');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(state, 'journal.jsonl'),
    `${JSON.stringify({ schema: 3, kind: 'segments', folder: 'journal' })}\n`,
    {
      mode: 0o600,
    },
  );
  let prev = NO_LINE;
  return segments.map(({ name, records }) => {
    const lines = records.map((record) => {
      const line = Buffer.from(chainedLine(JSON.stringify(record), prev));
      prev = hashOfLine(line);
      return line;
    });
    const written = { name, path: join(folder, name), lines };
    writeLinesOf(written);
    return written;
  });
}

export function writeLinesOf({ path, lines, endsWithout }: WrittenSegment): void {
  const bytes = Buffer.concat(lines.flatMap((line) => [line, NEWLINE]));
  writeFileSync(path, endsWithout === true ? bytes.subarray(0, -1) : bytes, { mode: 0o600 });
}

const NEWLINE = Buffer.from('\n');
