/** The log of strace, as calls: which thread made each of them, with which bytes or paths, and what it returned. */

export interface SystemCall {
  thread: number;
  name: string;
  /** The first argument, where it is a descriptor. */
  fd: number | undefined;
  /** The arguments in quotes: paths, or the bytes that are written. */
  quoted: readonly Buffer[];
  /** All arguments, the quoted ones left out. */
  text: string;
  /** Undefined: it never returned. */
  result: number | undefined;
  /** strace answered in the place of the system. */
  isInjected: boolean;
}

/** Strings in full and in hexadecimal; `?`: this machine need not have that call. */
export const LOG_OPTIONS: readonly string[] = ['-f', '-qq', '-xx', '-s', '16777216'];

const LINE = /^(\d+) +(?:(\w+)\(|<\.\.\. (\w+) resumed>)(.*)$/;
const QUOTED = /"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g;
const UNFINISHED = ' <unfinished ...>';
const RESULT = /\) += (-?\d+|\?)(?: .*)?$/;

/**
 * In the order in which they returned, the ones that never did last. A descriptor is free as soon as its `close` begins:
 * another thread may have it before that returns.
 */
export function callsIn(log: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const unfinished = new Map<number, SystemCall>();
  for (const line of log.split('\n')) {
    const [, thread, name, resumed, rest = ''] = LINE.exec(line) ?? [];
    if (thread === undefined) continue;
    if (resumed !== undefined) {
      const call = unfinished.get(Number(thread));
      unfinished.delete(Number(thread));
      if (call === undefined) continue;
      Object.assign(call, returned(rest));
      if (call.name !== 'close') calls.push(call);
    } else if (name !== undefined) {
      const call = { thread: Number(thread), name, ...argumentsIn(rest), ...returned(rest) };
      const isUnfinished = rest.endsWith(UNFINISHED);
      if (isUnfinished) unfinished.set(call.thread, call);
      if (!isUnfinished || name === 'close') calls.push(call);
    }
  }
  return [...calls, ...[...unfinished.values()].filter(({ name }) => name !== 'close')];
}

function returned(text: string): Pick<SystemCall, 'result' | 'isInjected'> {
  const [whole = '', result = '?'] = RESULT.exec(text) ?? [];
  return { result: result === '?' ? undefined : Number(result), isInjected: whole.endsWith('(INJECTED)') };
}

function argumentsIn(text: string): Pick<SystemCall, 'fd' | 'quoted' | 'text'> {
  const quoted: Buffer[] = [];
  const others = text
    .replace(UNFINISHED, '')
    .replaceAll(QUOTED, (_, hex: string, isCut: string | undefined) => {
      if (isCut !== undefined) throw new Error(`strace cut a string of ${hex.length.toString()} characters`);
      quoted.push(Buffer.from(hex.replaceAll('\\x', ''), 'hex'));
      return '""';
    });
  const fd = /^(\d+)\b/.exec(others)?.[1];
  return { fd: fd === undefined ? undefined : Number(fd), quoted, text: others.replace(RESULT, '') };
}
