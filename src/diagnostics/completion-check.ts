/** The doctor's check of shell completion: looks in the usual folders and runs no shell. */
import { posix } from 'node:path';
import type { Check } from './checks.ts';

/** Where a shell finds completion scripts, and the start-up files that may load one. */
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
  if (paths === undefined)
    return {
      check: 'completion',
      verdict: 'pass',
      says: name === '' ? 'No shell found (SHELL is not set).' : `No completion script for ${name}.`,
      facts: { shell: name === '' ? null : name, found: null },
    };
  const found =
    paths.scripts.find((path) => read(path) !== undefined) ??
    paths.startupFiles.find((path) => LOADS_IT.test(read(path) ?? ''));
  const facts = { shell: name, found: found ?? null };
  if (found !== undefined)
    return { check: 'completion', verdict: 'pass', says: `Installed for ${name}: ${found}.`, facts };
  return {
    check: 'completion',
    verdict: 'warn',
    says: `Not found for ${name}.`,
    todo: `To install it: hedge completion --help`,
    facts,
  };
}
