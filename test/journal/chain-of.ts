/** Checks the chain of a journal's segments line by line, by itself. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const hashOf = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** What is wrong with the chain; `folder` is the state folder. */
export function chainOf(folder: string): readonly string[] {
  const segments = join(folder, 'journal');
  if (!existsSync(segments)) return [];
  const wrong: string[] = [];
  let prev = '0'.repeat(64);
  for (const name of readdirSync(segments).toSorted()) {
    if (!name.endsWith('.jsonl')) continue;
    const bytes = readFileSync(join(segments, name));
    if (name === '0000.jsonl') {
      prev = hashOf(bytes);
      continue;
    }
    bytes
      .toString('latin1')
      .split('\n')
      .slice(0, -1)
      .forEach((text, index) => {
        const line = Buffer.from(text, 'latin1');
        const stated = /,"prev":"([0-9a-f]{64})","crc":"[0-9a-f]{8}"\}$/.exec(text)?.[1];
        // A line that a crash cut states nothing.
        if (stated === undefined && line.at(-1) !== 0x18) wrong.push(`${name} ${index + 1}: not chained`);
        if (stated !== undefined && stated !== prev)
          wrong.push(`${name} ${index + 1}: another line before it`);
        prev = hashOf(line);
      });
  }
  return wrong;
}
