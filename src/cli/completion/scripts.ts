/**
 * The completion scripts. They run `hedge __complete` (answer.ts) and contain no list. No shell expands the output;
 * a word with characters that no name or option has is skipped.
 */
import type { Shell } from '../../commands/command-context.ts';

/** The text unchanged, except that `$\{` becomes the shell's `${`. */
const shellText = ({ raw }: TemplateStringsArray): string => raw.join('').replaceAll(String.raw`$\{`, '${');

/** For bash 3.2 and newer. */
const BASH = shellText`# bash completion for hedge. Generated: npm run completions.
# shellcheck shell=bash

_hedge() {
  local before=$\{COMP_LINE:0:COMP_POINT} LC_ALL=C line='' word='' typed=''
  typed=$\{before##*[[:space:]]}
  typed=$\{typed#--*=}
  COMPREPLY=()
  while IFS= read -r line; do
    word=$\{line%%$'\t'*}
    if [[ $word == :files ]]; then
      compopt -o default 2>/dev/null
    elif [[ -n $word && $word != *[!A-Za-z0-9:._/=,-]* ]]; then
      # Where bash splits words at = and :, it puts only what follows in its place.
      [[ $COMP_WORDBREAKS == *=* ]] && word=$\{word#--*=}
      [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && word=$\{word#"$\{typed%:*}:"}
      COMPREPLY+=("$word")
    fi
  done < <(command hedge __complete-line "$before" 2>/dev/null </dev/null)
}

complete -o nosort -F _hedge hedge 2>/dev/null || complete -F _hedge hedge
`;

/** For a folder of fpath, or to be sourced after compinit. */
const ZSH = shellText`#compdef hedge
# zsh completion for hedge. Generated: npm run completions.

_hedge() {
  local line word about
  local -a lines offered matching
  lines=("$\{(@f)$(command hedge __complete "$\{(@Q)words[2,CURRENT-1]}" "$\{(Q)PREFIX}" 2>/dev/null </dev/null)}")
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  [[ $\{lines[-1]} == :files ]] && { _files; return }
  compset -P '*,'
  [[ $PREFIX == -* ]] || matching=(-M 'm:{a-zA-Z}={A-Za-z}')
  for line in $lines; do
    word=$\{line%%$'\t'*} about=''
    [[ -n $word && $word != *[^A-Za-z0-9:._/=,-]* ]] || continue
    [[ $line == *$'\t'* ]] && about=$\{line#*$'\t'}
    [[ $about == *[$'$\x60\\'[:cntrl:]]* ]] && about=''
    # zsh replaces only what follows the = and the last comma.
    word=$\{$\{word#--*=}##*,}
    offered+=("$\{word//:/\\:}$\{about:+:$\{about//:/\\:}}")
  done
  (( $#offered )) && _describe -V hedge offered $matching
}

if [[ $\{funcstack[1]} == _hedge ]]; then
  _hedge "$@"
else
  compdef _hedge hedge
fi
`;

/** For fish 3.4 and newer. */
const FISH = shellText`# fish completion for hedge. Generated: npm run completions.

# Keeps the answer; false where fish completes files.
function __hedge_ask
    set -l words (commandline -opc)
    set -g __hedge_answer (command hedge __complete $words[2..-1] "$(commandline -ct)" 2>/dev/null </dev/null)
    test "$__hedge_answer[-1]" != :files
end

function __hedge_offer
    string match -r '^[A-Za-z0-9:._/=,-]+(?:\t[^[:cntrl:]$\x60\\\\]*)?$' -- $__hedge_answer
end

complete -c hedge -f -k -n __hedge_ask -a '(__hedge_offer)'
`;

const SCRIPTS: Readonly<Record<Shell, { file: string; content: string }>> = {
  bash: { file: 'hedge.bash', content: BASH },
  zsh: { file: '_hedge', content: ZSH },
  fish: { file: 'hedge.fish', content: FISH },
};

export const completionScript = (shell: Shell): string => SCRIPTS[shell].content;

/** All of them, by the name of the file in `completions/`. */
export const completionFiles = (): readonly { file: string; content: string }[] => Object.values(SCRIPTS);
