/** What the questions are lent: somebody to ask, the service to read, and what this machine knows. Sends nothing. */
import type { Dealing } from '../flow/dealing.ts';
import type { Block } from '../present/blocks.ts';
import type { Prompter } from '../terminal/prompter.ts';

type Lent = 'api' | 'clock' | 'signal' | 'journal' | 'identity' | 'limits' | 'halted' | 'watch';

export interface Asking extends Pick<Dealing, Lent> {
  prompter: Prompter;
  /** Blocks as plain lines that fit into a list of choices. */
  lines: (blocks: readonly Block[]) => readonly string[];
}

/** What `reading` comes to, with a word about it for as long as it takes. */
export async function reading<T>({ watch }: Asking, about: string, read: Promise<T>): Promise<T> {
  watch.start(about);
  try {
    return await read;
  } finally {
    watch.stop();
  }
}
