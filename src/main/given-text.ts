/** Text that the operator hands to a command: on the line, in a file, or on standard input. */

import type { TextSource } from '../args/api-request.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { readUserFile } from '../platform/user-file.ts';
import { readStandardInput } from '../terminal/standard-input.ts';

const LARGEST_BYTES = 1_048_576;

/** @throws UsageError for what cannot be read. */
export async function givenText(
  source: TextSource,
  { input, signal }: { input: NodeJS.ReadableStream; signal: AbortSignal },
): Promise<string> {
  switch (source.from) {
    case 'line':
      return source.text;
    case 'standard input':
      return readStandardInput(input, LARGEST_BYTES, signal);
    case 'file': {
      const given = readUserFile(source.path, { maxBytes: LARGEST_BYTES });
      if ('bytes' in given) return given.bytes.toString('utf8');
      throw new UsageError(
        `${quoted(source.path)} cannot be read: ${given.why}.`,
        'Name a file after @, or - for standard input.',
      );
    }
    default:
      return source satisfies never;
  }
}
