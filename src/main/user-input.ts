/** Text and files that the operator names. Loaded only by commands that read or write them. */
import type { TextSource } from '../args/api-request.ts';
import type { UserFileAccess } from '../commands/command-context.ts';
import { quoted } from '../domain/quoted.ts';
import { OutputError, UsageError } from '../errors.ts';
import { readUserFile, removeLeft } from '../platform/atomic-file.ts';
import type { Machine } from '../platform/host.ts';
import { writeUserFile } from '../platform/write-user-file.ts';
import { readStandardInput } from '../terminal/streams.ts';

const MAX_TEXT_BYTES = 1_048_576;
/** The limit of a file that hedge wrote before: a page of a year grows with the journal. */
const MAX_WRITTEN_BYTES = 64 * 1_048_576;

/** @throws UsageError for a file that cannot be read. */
export async function readInput(
  source: TextSource,
  { input, signal }: { input: NodeJS.ReadableStream; signal: AbortSignal },
): Promise<string> {
  switch (source.from) {
    case 'line':
      return source.text;
    case 'standard input':
      return readStandardInput(input, MAX_TEXT_BYTES, signal);
    case 'file': {
      const read = readUserFile(source.path, { maxBytes: MAX_TEXT_BYTES });
      if ('bytes' in read) return read.bytes.toString('utf8');
      throw new UsageError(
        `${quoted(source.path)} cannot be read: ${read.why}.`,
        'Give a file name after @, or - for standard input.',
      );
    }
    default:
      return source satisfies never;
  }
}

export function userFile(path: string, { random }: Pick<Machine, 'random'>): UserFileAccess {
  const read = (maxBytes: number): string | undefined => {
    const file = readUserFile(path, { maxBytes });
    if ('bytes' in file) return file.bytes.toString('utf8');
    if (file.absent === true) return undefined;
    throw new UsageError(
      `${quoted(path)} cannot be read: ${file.why}.`,
      'Nothing was sent. Use another file.',
    );
  };
  return {
    read: () => read(MAX_WRITTEN_BYTES),
    readGiven(named, example) {
      const text = read(MAX_TEXT_BYTES);
      if (text === undefined) throw new UsageError(`There is no file ${quoted(path)} (${named}).`, example);
      return text;
    },
    write(content, { kind, option, meaning, isSecret = false }) {
      const why = writeUserFile(path, content, { random, isSecret });
      if (why === undefined) return undefined;
      const what = `The ${kind} ${quoted(path)} cannot be written: ${why}.`;
      return new OutputError({
        code: 'output_failed',
        what,
        meaning,
        hint: `Use another name: ${option} FILE`,
      });
    },
    remove: () => removeLeft(path),
  };
}
