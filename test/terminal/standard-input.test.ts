import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InterruptedError, UsageError } from '../../src/errors.ts';
import { readStandardInput } from '../../src/terminal/streams.ts';

const sent = (...chunks: Uint8Array[]): Readable => Readable.from(chunks);
const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('reading all of standard input', () => {
  it('joins what comes in pieces, a letter cut in two among them', async () => {
    const naira = bytes('₦10');
    expect(await readStandardInput(sent(naira.subarray(0, 1), naira.subarray(1)), 100)).toBe('₦10');
  });

  it('is empty when nothing comes', async () => {
    expect(await readStandardInput(sent(), 100)).toBe('');
  });

  it('takes exactly the cap and refuses one byte more', async () => {
    expect(await readStandardInput(sent(bytes('12345')), 5)).toBe('12345');
    await expect(readStandardInput(sent(bytes('123'), bytes('456')), 5)).rejects.toThrow(UsageError);
  });

  it('stops reading an endless input at the cap', async () => {
    let pieces = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          pieces += 1;
          yield bytes('x'.repeat(1000));
        }
      })(),
    );
    await expect(readStandardInput(endless, 10_000)).rejects.toThrow('larger than 10000 bytes');
    expect(pieces).toBeLessThan(100);
  });

  it('refuses what is not text', async () => {
    await expect(readStandardInput(sent(Buffer.from([0xff, 0xfe])), 100)).rejects.toThrow('not UTF-8');
  });

  it('ends with the reason of the signal', async () => {
    const controller = new AbortController();
    const reading = readStandardInput(new PassThrough(), 100, controller.signal);
    controller.abort(new InterruptedError('SIGTERM', { what: 'Stopped.' }));
    await expect(reading).rejects.toMatchObject({ signal: 'SIGTERM' });
  });
});
