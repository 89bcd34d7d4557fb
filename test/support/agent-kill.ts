/** One action over an agent that is killed at one piece of data, judged from the service's book and the journal. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBuilt } from './built.ts';
import { bookFor, type EachAction, wordsOf } from './each-action.ts';
import { againstJournal } from './kill-case.ts';
import { type Aim, type KillLink, killLink } from './kill-link.ts';
import { type ServedBook, servedBook } from './served-book.ts';

export interface AgentLane {
  book: ServedBook;
  link: KillLink;
  close(): Promise<void>;
}

export async function agentLane(): Promise<AgentLane> {
  const book = await servedBook();
  const link = await killLink(Number(new URL(book.desk.service.url).port));
  return {
    book,
    link,
    async close() {
      await link.close();
      await book.close();
    },
  };
}

export interface AgentVerdict {
  pieces: number;
  isHit: boolean;
  wrong: readonly string[];
}

interface Document {
  data: { effect?: string; connections?: { open: number }; pid?: number; [name: string]: unknown } | null;
  error: { effect?: string } | null;
}

/** Without an aim nobody is killed: every piece is counted. */
export async function agentKilled(
  { book, link }: AgentLane,
  action: EachAction,
  aim: Aim | undefined,
): Promise<AgentVerdict> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'hedge-agent-'));
  const way = book.way(home);
  const url = new URL(way['HEDGE_BASE_URL'] ?? '');
  url.port = link.port.toString();
  const env = { ...way, HEDGE_BASE_URL: url.href };
  const run = async (words: readonly string[]) => {
    const ended = await runBuilt([...words, '--json'], { env });
    const document: Document = JSON.parse(ended.out);
    return { ...ended, document };
  };
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(`${action.name}, ${JSON.stringify(aim ?? 'nobody killed')}: ${what}`);
  };
  let pid = 0;
  try {
    await bookFor(book, action);
    ({ pid = 0 } = (await run(['agent', 'start'])).document.data ?? {});
    must(pid > 1, 'the agent did not start');
    // One connection would do; the others must not be in the middle of their handshake.
    for (let open = 0; open < 8; ) {
      const [own] = Object.values((await run(['agent', 'status'])).document.data ?? {});
      open = isListed(own) ? own.connections.open : 8;
    }
    link.aim(aim, () => process.kill(pid, 'SIGKILL'));
    const sent = await run(wordsOf(action, '--yes'));
    const { isHit, pieces } = { isHit: link.isHit(), pieces: link.pieces() };
    link.aim(undefined, () => undefined);
    must(aim !== undefined || sent.code === 0, `it ended with ${String(sent.code)}: ${sent.out}${sent.err}`);
    must(
      [0, 5, 7, 8].includes(sent.code ?? -1),
      `it ended with ${String(sent.code)}: ${sent.out}${sent.err}`,
    );
    const effect = sent.document.data?.effect ?? sent.document.error?.effect;
    const atEnd = book.acted(action.path);
    must(effect !== 'none' || atEnd === 0, `it says that nothing was done, and ${atEnd.toString()} was`);
    must(effect !== 'done' || atEnd === 1, `it says that it was done, and ${atEnd.toString()} was`);

    const resumed = await run(['resume', '--yes', '--resend']);
    must([0, 8].includes(resumed.code ?? -1), `resume ended with ${String(resumed.code)}: ${resumed.out}`);
    const done = book.acted(action.path);
    const keys = new Set(book.changes().map(({ idempotencyKey }) => idempotencyKey));
    must(done <= 1 && keys.size <= 1, `done ${done.toString()} times, under ${keys.size.toString()} keys`);
    must(
      (await book.openOn('buy')) === (done === 0 ? action.before : action.after),
      'the position is another',
    );
    for (const what of againstJournal(home, done)) must(false, what);
    return { pieces, isHit, wrong };
  } finally {
    if (pid > 1) killedAlready(() => process.kill(pid, 'SIGKILL'));
    rmSync(home, { recursive: true, force: true });
  }
}

const isListed = (found: unknown): found is { connections: { open: number } } =>
  typeof found === 'object' && found !== null && 'connections' in found;

function killedAlready(kill: () => void): void {
  try {
    kill();
  } catch {
    // It was.
  }
}
