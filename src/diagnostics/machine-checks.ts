/** Checks of this machine: Node, data files, the journal, the halt, and shell completion without running a shell. Pure. */

import { basename, dirname, join, posix } from 'node:path';
import { counted } from '../domain/exposure.ts';
import { say, shell, step } from '../domain/hint.ts';
import type { Hint, HintLine } from '../errors.ts';
import { type AuditReport, changeInWords, verdictOf } from '../journal/audit-report.ts';
import { liftAdvice, nextSteps, operatorInFull } from '../journal/describe.ts';
import type { Operator } from '../journal/records.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import { isOnCourse, nextInDocument, type RollChain, rollInWords } from '../journal/roll-chains.ts';
import type { JournalState } from '../journal/state.ts';
import { type DatabaseFindings, damageOf } from '../journal/store/examine-database.ts';
import { type JournalTrouble, troubleAdvice } from '../journal/trouble.ts';
import type { FileFacts } from '../platform/file-errors.ts';
import type { OpenParent } from '../platform/parent-folders.ts';
import { type Answered, type Check, checkOf } from './checks.ts';

export interface Installation {
  version: string;
  /** Null when built outside a clone. */
  commit: string | null;
  /** `20.20.2` */
  node: string;
  /** `3.0.19` */
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
  const message = `hedge ${version}${built} on Node ${node}, ${platform}.`;
  const found = checkOf('node', { ...installed });
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    return found('fail', message, `Install Node ${OLDEST.join('.')} or newer.`);
  return TESTED.includes(major)
    ? found('pass', message)
    : found('warn', message, `hedge is tested on Node ${TESTED.join(', ')}. Install one of these.`);
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
  const found = checkOf('files', { files: files.map(({ name, seen }) => ({ name, ...seen })) });
  const [worst] = troubles.toSorted((one, other) => (one.verdict < other.verdict ? -1 : 1));
  if (worst !== undefined)
    return found(
      worst.verdict,
      troubles.map(({ message }) => message).join(' '),
      troubles.map(({ todo }) => todo),
    );
  const sentences = [
    there.length === 0 ? [] : `Private to this user: ${there.join(', ')}.`,
    absent.length === 0 ? [] : `Not created yet: ${absent.join(', ')}.`,
  ];
  return found('pass', sentences.flat().join(' '));
}

interface Trouble {
  verdict: 'warn' | 'fail';
  message: string;
  todo: HintLine;
}

function troubleWith({ kind, seen }: DataFiles): readonly Trouble[] {
  const { path } = seen;
  const fail = (message: string, todo: HintLine): readonly Trouble[] => [
    { verdict: 'fail', message: `${path} ${message}.`, todo },
  ];
  if (seen.is === 'absent') return [];
  if (seen.is === 'hidden')
    return fail(`cannot be inspected: ${seen.why}`, say`Check: ${shell`ls -ld ${path}`}`);
  if (seen.is !== kind) return fail(`is not a ${kind}`, say`Move it away: ${[path]}`);
  if (!seen.ours) return fail('belongs to another user', checkOwner(path));
  const others = seen.mode === undefined ? 0 : Number.parseInt(seen.mode, 8) & 0o077;
  if (others === 0) return [];
  const fix = step(shell`chmod ${kind === 'folder' ? '700' : '600'} ${path}`);
  if (kind === 'file') return fail(`is accessible by other users (${seen.mode ?? ''})`, fix);
  return (others & 0o022) === 0
    ? [{ verdict: 'warn', message: `${path} can be read by other users (${seen.mode ?? ''}).`, todo: fix }]
    : fail(`can be written by other users (${seen.mode ?? ''})`, fix);
}

const troubleAbove = ({ path, risk, how, fix }: OpenParent): Trouble => ({
  verdict: risk === 'group' ? 'warn' : 'fail',
  message: `${path} ${how}, who could replace your hedge folders.`,
  todo: fix === undefined ? checkOwner(path) : step(fix),
});

const checkOwner = (path: string): HintLine => say`Check its owner: ${shell`ls -ld ${path}`}`;

export interface JournalChecks {
  database: Answered<DatabaseFindings>;
  /** Missing: not asked for. */
  chain?: AuditReport | undefined;
  /** On a desk: of this machine's own journal. */
  ownChain?: AuditReport | undefined;
  /** The profile, if one is selected. */
  selected: string | undefined;
}

/** Names what was not checked. */
export function checkJournal(
  state: JournalState,
  { database, chain, ownChain, selected }: JournalChecks,
): Check {
  const { count, current, path } = state;
  const unresolved = current.filter(isUnresolved);
  const inFlight = current.filter(isAwaitingOutcome);
  const files = 'value' in database ? database.value : undefined;
  const facts = {
    path,
    actions: count,
    records: files?.records ?? null,
    bytes: files?.bytes ?? null,
    unresolved: unresolved.map(({ id }) => id),
    in_flight: inFlight.map(({ id }) => id),
    pending: files?.pending ?? null,
    witness: files?.witness ?? null,
    quick_check: files?.quickCheck ?? null,
    trouble: state.trouble ?? null,
    chain: chain === undefined ? null : chainFacts(chain),
    ...(ownChain && { own_chain: chainFacts(ownChain) }),
  };
  const found = checkOf('journal', facts);
  // That of a desk's log is named by its own check.
  const wrong = (state.trouble?.kind === 'desk' ? undefined : state.trouble) ?? brokenPages(path, files);
  if (wrong !== undefined) return found('fail', wrong.what, troubleAdvice(wrong));
  if ('error' in database) throw database.error;
  const ofOwn = ownChain && faultIn(ownChain);
  const fault = (chain && faultIn(chain)) ?? (ofOwn && `In this machine's own: ${ofOwn}`);
  if (fault !== undefined) return found('fail', fault, say`To see all of it: ${shell`hedge audit verify`}`);
  const open = [...named(unresolved, 'unresolved'), ...named(inFlight, 'in flight')].join('; ');
  const { bytes, pending } = database.value;
  const size = [
    counted(count, 'action'),
    ...(bytes === 0 ? [] : [`${nameOf(path, state)} has ${counted(bytes, 'byte')}`]),
    ...(pending === 0 ? [] : [`${counted(pending, 'record')} in pending.sqlite`]),
    open === '' ? 'nothing unresolved' : open,
  ].join('; ');
  const checked = bytes === 0 ? '' : ` Database pages are sound. ${chainInWords(chain, ownChain)}`;
  return unresolved.length > 0
    ? found('warn', `${size}.${checked}`, checkCommands(unresolved, selected))
    : found('pass', `${size}.${checked}`);
}

/** `journal.sqlite`, or `desk-lagos/journal.sqlite`. */
const nameOf = (path: string, { desk }: JournalState): string =>
  desk === undefined ? basename(path) : join(basename(dirname(path)), basename(path));

function brokenPages(path: string, files: DatabaseFindings | undefined): JournalTrouble | undefined {
  const what = files && damageOf(path, files);
  return what === undefined ? undefined : { kind: 'damaged', path, what };
}

/** Checks actions of any profile: each command selects the one that its action was sent under. */
function checkCommands(unresolved: readonly Action[], selected: string | undefined): Hint {
  const steps = unresolved
    .slice(0, MOST_NAMED)
    .flatMap((action) => nextSteps(action, selected).slice(0, 1))
    .map((check) => say`To check: ${check.command}`);
  const isMore = unresolved.length > MOST_NAMED;
  return isMore ? [...steps, say`To list all: ${shell`hedge journal --unresolved --limit all`}`] : steps;
}

const chainFacts = (chain: AuditReport) => ({
  verdict: verdictOf(chain),
  records: chain.records,
  changes: chain.changeCount,
});

const faultIn = ({ changes: [change], rewound, damage }: AuditReport): string | undefined =>
  change === undefined ? (rewound ?? damage[0]) : `The journal was changed. ${changeInWords(change)}`;

const chainInWords = (chain: AuditReport | undefined, own: AuditReport | undefined): string =>
  chain === undefined
    ? 'Not checked: its chain (hedge audit verify, or --deep).'
    : `Chain unchanged in ${counted(chain.records, 'record')}${own === undefined ? '' : `, and in ${counted(own.records, 'record')} of this machine's own`}.`;

const named = (actions: readonly Action[], what: string): readonly string[] =>
  actions.length === 0
    ? []
    : [`${actions.length.toString()} ${what}: ${actions.map(({ shortId }) => shortId).join(', ')}`];

const MOST_NAMED = 5;

/** `chains`: not finished, oldest first. One that only waits for its maturity is no reason for a warning. */
export function checkRolls(chains: readonly RollChain[], trouble: JournalTrouble | undefined): Check {
  const facts = {
    unfinished_rolls: chains.map((chain) => ({
      chain_id: chain.plan.chain_id,
      state: chain.state,
      profile: chain.plan.profile,
      next: nextInDocument(chain),
    })),
  };
  if (chains.length === 0 && trouble !== undefined) return notKnown('rolls', 'unfinished roll', facts);
  const found = checkOf('rolls', facts);
  if (chains.length === 0) return found('pass', 'No unfinished rolls.');
  const shown = chains.slice(0, MOST_NAMED).map((chain) => `${chain.plan.chain_id} (${rollInWords(chain)})`);
  const rest = chains.length - shown.length;
  const names = [...shown, ...(rest === 0 ? [] : [`and ${rest.toString()} more`])].join(', ');
  return found(
    chains.every(isOnCourse) ? 'pass' : 'warn',
    `${counted(chains.length, 'unfinished roll')}: ${names}.`,
    say`To see what comes next: ${shell`hedge status`}`,
  );
}

/** A person is optional: the user and the host are always recorded. */
export const checkOperator = (operator: Operator): Check => ({
  check: 'operator',
  verdict: 'pass',
  message:
    operator.name === undefined
      ? `The journal records ${operatorInFull(operator)}. To name a person: hedge profile set NAME --operator "Ada O.", or HEDGE_OPERATOR.`
      : `The journal records ${operatorInFull(operator)}.`,
  facts: { name: operator.name ?? null, user: operator.user, host: operator.host },
});

export function checkHalt({ halt, trouble, desk }: Pick<JournalState, 'halt' | 'trouble' | 'desk'>): Check {
  if (halt === undefined)
    return trouble === undefined
      ? checkOf('halt')('pass', 'Trading is not halted.')
      : notKnown('halt', 'halt');
  const message = `Opens and adds are halted by ${halt.who} since ${halt.at}: ${halt.why}`;
  return checkOf('halt', { ...halt })('warn', message, liftAdvice(desk));
}

/** The journal lacks records, which its own check says. */
const notKnown = (check: Check['check'], what: string, facts?: Check['facts']): Check =>
  checkOf(check, facts)('warn', `No ${what} is known here; records of one may be missing.`);

/** The places of completion scripts for a shell, and the start-up files that may load one. */
interface CompletionPaths {
  scripts: readonly string[];
  startupFiles: readonly string[];
}

export interface ShellAt {
  /** SHELL: `/bin/zsh`. */
  shell: string | undefined;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

const SYSTEM = ['/usr/share', '/usr/local/share'] as const;

/** Undefined for a shell without a completion script. */
function completionPathsOf(name: string, { home, env }: ShellAt): CompletionPaths | undefined {
  const at = (...parts: readonly string[]): string => posix.join(home, ...parts);
  const data = env['XDG_DATA_HOME'] ?? at('.local', 'share');
  const config = env['XDG_CONFIG_HOME'] ?? at('.config');
  switch (name) {
    case 'bash':
      return {
        scripts: [
          ...[data, ...SYSTEM].map((each) => posix.join(each, 'bash-completion', 'completions', 'hedge')),
          ...[data, ...SYSTEM].map((each) =>
            posix.join(each, 'bash-completion', 'completions', 'hedge.bash'),
          ),
          '/etc/bash_completion.d/hedge',
        ],
        startupFiles: [at('.bashrc'), at('.bash_profile'), at('.bash_completion')],
      };
    case 'zsh':
      return {
        scripts: [
          ...SYSTEM.map((each) => posix.join(each, 'zsh', 'site-functions', '_hedge')),
          posix.join(data, 'zsh', 'site-functions', '_hedge'),
          ...['.zfunc', '.zsh', '.zsh/completions', '.zsh/functions'].map((each) => at(each, '_hedge')),
        ],
        startupFiles: [posix.join(env['ZDOTDIR'] ?? home, '.zshrc')],
      };
    case 'fish':
      return {
        scripts: [
          posix.join(config, 'fish', 'completions', 'hedge.fish'),
          ...SYSTEM.map((each) => posix.join(each, 'fish', 'vendor_completions.d', 'hedge.fish')),
        ],
        startupFiles: [posix.join(config, 'fish', 'config.fish')],
      };
    default:
      return undefined;
  }
}

const LOADS_IT = /hedge completion|hedge\.bash|_hedge|hedge\.fish/;

/** `read`: the text of a file; undefined if it cannot be read. */
export function checkCompletion(at: ShellAt, read: (path: string) => string | undefined): Check {
  const name = (at.shell ?? '').split('/').at(-1) ?? '';
  const paths = completionPathsOf(name, at);
  if (paths === undefined) {
    const message = name === '' ? 'No shell found (SHELL is not set).' : `No completion script for ${name}.`;
    return checkOf('completion', { shell: name === '' ? null : name, found: null })('pass', message);
  }
  const script =
    paths.scripts.find((path) => read(path) !== undefined) ??
    paths.startupFiles.find((path) => LOADS_IT.test(read(path) ?? ''));
  const found = checkOf('completion', { shell: name, found: script ?? null });
  return script === undefined
    ? found('warn', `Not found for ${name}.`, say`To install it: ${shell`hedge completion --help`}`)
    : found('pass', `Installed for ${name}: ${script}.`);
}
