/** Reads all of standard input as text, up to a size. */
import { UsageError } from '../errors.ts';

/**
 * Reads `input` as UTF-8. `signal` stops it with its own reason.
 * @throws UsageError for more than `cap` bytes, or bytes that are not UTF-8.
 */
export async function readStandardInput(
  input: NodeJS.ReadableStream,
  cap: number,
  signal?: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of input) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > cap) throw new UsageError(`Standard input is larger than ${cap} bytes.`);
      chunks.push(part);
    }
  })();
  await (signal === undefined ? reading : Promise.race([reading, abortOf(signal)]));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError('Standard input is not UTF-8 text.');
  }
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
