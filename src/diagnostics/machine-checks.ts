/** Checks of this machine: Node, data files, the journal, the halt. Pure. */
import { shellWord } from '../domain/quoted.ts';
import type { Halt } from '../journal/halt.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import { type JournalState, MAX_JOURNAL_BYTES } from '../journal/store.ts';
import type { FileFacts } from '../platform/file-errors.ts';
import type { OpenParent } from '../platform/parent-folders.ts';
import { damageInWords, damageOf } from '../readings/read-journal.ts';
import { type Check, pluralize } from './checks.ts';

export interface Installation {
  version: string;
  /** Null when built outside a clone. */
  commit: string | null;
  /** `20.20.2` */
  node: string;
  openssl: string;
  /** `linux-x64` */
  platform: string;
}

const OLDEST = [20, 19] as const;
const TESTED: readonly number[] = [20, 22, 24, 26];

export function checkNode(installed: Installation): Check {
  const { version, commit, node, platform } = installed;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const built = commit === null ? '' : ` (${commit})`;
  const says = `hedge ${version}${built} on Node ${node}, ${platform}.`;
  const facts = { ...installed };
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    return {
      check: 'node',
      verdict: 'fail',
      says,
      todo: `Install Node ${OLDEST.join('.')} or newer.`,
      facts,
    };
  if (!TESTED.includes(major))
    return {
      check: 'node',
      verdict: 'warn',
      says,
      todo: `hedge is tested on Node ${TESTED.join(', ')}. Install one of these.`,
      facts,
    };
  return { check: 'node', verdict: 'pass', says, facts };
}

export interface DataFiles {
  /** `profiles.json` */
  name: string;
  kind: 'folder' | 'file';
  seen: FileFacts;
}

/** `parents`: parent folders that others can change. */
export function checkFiles(files: readonly DataFiles[], parents: readonly OpenParent[] = []): Check {
  const troubles = [...files.flatMap(troubleWith), ...parents.map(troubleAbove)];
  const there = files.flatMap(({ name, seen }) =>
    'mode' in seen ? [seen.mode === undefined ? name : `${name} ${seen.mode}`] : [],
  );
  const absent = files.filter(({ seen }) => seen.is === 'absent').map(({ name }) => name);
  const facts = { files: files.map(({ name, seen }) => ({ name, ...seen })) };
  const [worst] = troubles.toSorted((one, other) => (one.verdict < other.verdict ? -1 : 1));
  if (worst !== undefined)
    return {
      check: 'files',
      verdict: worst.verdict,
      says: troubles.map(({ says }) => says).join(' '),
      todo: troubles.map(({ todo }) => todo).join('\n'),
      facts,
    };
  const says = [
    there.length === 0 ? '' : `Private to this user: ${there.join(', ')}.`,
    absent.length === 0 ? '' : `Not created yet: ${absent.join(', ')}.`,
  ];
  return { check: 'files', verdict: 'pass', says: says.filter((each) => each !== '').join(' '), facts };
}

interface Trouble {
  verdict: 'warn' | 'fail';
  says: string;
  todo: string;
}

function troubleWith({ kind, seen }: DataFiles): readonly Trouble[] {
  const { path } = seen;
  const fail = (says: string, todo: string): readonly Trouble[] => [
    { verdict: 'fail', says: `${path} ${says}.`, todo },
  ];
  if (seen.is === 'absent') return [];
  if (seen.is === 'hidden')
    return fail(`cannot be inspected: ${seen.why}`, `Check: ls -ld ${shellWord(path)}`);
  if (seen.is !== kind) return fail(`is not a ${kind}`, `Move it away: ${shellWord(path)}`);
  if (!seen.ours) return fail('belongs to another user', `Check its owner: ls -ld ${shellWord(path)}`);
  const others = seen.mode === undefined ? 0 : Number.parseInt(seen.mode, 8) & 0o077;
  if (others === 0) return [];
  const fix = `chmod ${kind === 'folder' ? '700' : '600'} ${shellWord(path)}`;
  if (kind === 'file') return fail(`is accessible by other users (${seen.mode ?? ''})`, fix);
  return (others & 0o022) === 0
    ? [{ verdict: 'warn', says: `${path} can be read by other users (${seen.mode ?? ''}).`, todo: fix }]
    : fail(`can be written by other users (${seen.mode ?? ''})`, fix);
}

const troubleAbove = ({ path, risk, how, fix }: OpenParent): Trouble => ({
  verdict: risk === 'group' ? 'warn' : 'fail',
  says: `${path} ${how}, who could replace your hedge folders.`,
  todo: fix ?? `Check its owner: ls -ld ${shellWord(path)}`,
});

const LARGE = MAX_JOURNAL_BYTES * 0.75;

export function checkJournal(state: JournalState, current: readonly Action[]): Check {
  const unresolved = current.filter(isUnresolved);
  const inFlight = current.filter(isAwaitingOutcome);
  const { bytes, actions, cutTail, path } = state;
  const damage = damageOf(path, state);
  const size = `${pluralize(actions.length, 'action')}, ${kilobytes(bytes)}`;
  const facts = {
    path,
    bytes,
    largest_bytes: MAX_JOURNAL_BYTES,
    actions: actions.length,
    unresolved: unresolved.map(({ id }) => id),
    in_flight: inFlight.map(({ id }) => id),
    damaged_lines: state.damage.map(({ line }) => line),
    orphans: state.orphans,
    cut_tail: cutTail,
  };
  const found = (verdict: Check['verdict'], says: string, todo?: string): Check => ({
    check: 'journal',
    verdict,
    says,
    todo,
    facts,
  });
  if (damage !== undefined) {
    const words = damageInWords(damage);
    return found('fail', words.slice(0, -1).join(' '), words.at(-1));
  }
  const open = [...named(unresolved, 'unresolved'), ...named(inFlight, 'in flight')].join('; ');
  if (unresolved.length > 0) return found('warn', `${size}; ${open}.`, 'To check: hedge check');
  if (bytes > LARGE)
    return found(
      'warn',
      `${size}: near its size limit.`,
      `When nothing is in flight, move ${path} to an archive. hedge then starts a new one.`,
    );
  const cut = cutTail ? ' A crash cut its last line; nothing was sent for that line.' : '';
  return found('pass', `${size}, intact; ${open === '' ? 'nothing unresolved' : open}.${cut}`);
}

const named = (actions: readonly Action[], what: string): readonly string[] =>
  actions.length === 0
    ? []
    : [`${actions.length.toString()} ${what}: ${actions.map(({ shortId }) => shortId).join(', ')}`];

const kilobytes = (bytes: number): string =>
  bytes < 1_024 ? pluralize(bytes, 'byte') : `${Math.ceil(bytes / 1_024).toString()} KiB`;

export function checkHalt(halt: Halt | undefined): Check {
  if (halt === undefined) return { check: 'halt', verdict: 'pass', says: 'Trading is not halted.' };
  const todo = 'To lift the halt: hedge unhalt';
  if ('unreadable' in halt) {
    const { what, hint } = halt.unreadable;
    return {
      check: 'halt',
      verdict: 'fail',
      says: `${what} Opens and adds are halted.`,
      todo: hint ?? todo,
    };
  }
  return {
    check: 'halt',
    verdict: 'warn',
    says: `Opens and adds are halted by ${halt.who} since ${halt.at}: ${halt.why}`,
    todo,
    facts: { ...halt },
  };
}
