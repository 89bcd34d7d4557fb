/**
 * The script for bash, 3.2 and newer. Names are read line by line and compared as text; nothing that was read is
 * ever expanded, and one with more than letters, digits and `._/-` is passed over.
 */
import { lookups } from './lookups.ts';
import { shellText } from './shell-text.ts';
import type { Tables } from './tables.ts';

/** One option a line: the word, then what withdraws it; a dash alone is never given. */
const optionLines = (offered: Tables['everywhere']): string =>
  offered.map(({ word, unless }) => [word, '-', ...unless].join(' ')).join('\n');

export const bashScript = (
  tables: Tables,
): string => shellText`# bash completion for hedge. Generated: npm run completions.
# shellcheck shell=bash

${lookups(tables, {
  words: (offered) => offered.map(({ word }) => word).join(' '),
  options: optionLines,
})}
# The words before the cursor without their quotes, into words and cur. (COMP_WORDS is split at = and : too.)
_hedge_split() {
  local line=$1 char='' quote='' word='' begun='' at
  words=()
  for ((at = 0; at < $\{#line}; at++)); do
    char=$\{line:at:1}
    if [[ -n $quote ]]; then
      if [[ $char == "$quote" ]]; then quote=''; else word+=$char; fi
    elif [[ $char == \' || $char == \" ]]; then
      quote=$char begun=1
    elif [[ $char == \\ ]]; then
      at=$((at + 1)) begun=1
      word+=$\{line:at:1}
    elif [[ $char == [[:blank:]] ]]; then
      [[ -n $begun ]] && words+=("$word")
      word='' begun=''
    else
      word+=$char begun=1
    fi
  done
  cur=$word
}

# What hedge remembers, into candidates. It asks neither the network nor the key.
_hedge_names() {
  local LC_ALL=C name=''
  while IFS= read -r name; do
    name=$\{name%%$'\t'*}
    case $name in
      '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._/-]*) continue ;;
    esac
    candidates+=("$name")
  done < <(command hedge __complete "$1" "--profile=$profile" "$cur" 2>/dev/null </dev/null)
}

_hedge() {
  local words=() cur='' subs='' options='' takes='' candidates=()
  local path='' pending='' ended='' profile='' given=' ' count=0 before='' chosen='' word='' line='' other='' kept=''
  COMPREPLY=()
  _hedge_split "$\{COMP_LINE:0:COMP_POINT}"
  for word in "$\{words[@]:1}"; do
    if [[ -n $pending ]]; then
      [[ $pending == --profile ]] && profile=$word
      pending=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == --*=* ]]; then
      given+="$\{word%%=*} "
      [[ $word == --profile=* ]] && profile=$\{word#*=}
    elif [[ -z $ended && $word == -?* ]]; then
      given+="$word "
      _hedge_takes "$path" "$word"
      [[ -n $takes ]] && pending=$word
    else
      _hedge_subs "$path"
      if [[ $count == 0 && " $subs " == *" $word "* ]]; then
        path=$\{path:+$path }$word
      else
        count=$((count + 1))
      fi
    fi
  done

  takes=''
  if [[ -n $pending ]]; then
    _hedge_takes "$path" "$pending"
  elif [[ -z $ended && $cur == --*=* ]]; then
    _hedge_takes "$path" "$\{cur%%=*}"
    # Where bash splits words at =, it puts only what follows in its place.
    [[ $COMP_WORDBREAKS == *=* ]] || before=$\{cur%%=*}=
    cur=$\{cur#*=}
  elif [[ -z $ended && $cur == -* ]]; then
    takes=options
  else
    subs=''
    [[ $count == 0 ]] && _hedge_subs "$path"
    read -ra candidates <<<"$subs"
    _hedge_operand "$path" "$count"
    [[ -z $takes && -z $subs && -z $ended ]] && takes=options
  fi

  if [[ $takes == list\ * ]]; then
    takes=$\{takes#list }
    if [[ $cur == *,* ]]; then
      chosen=,$\{cur%,*},
      before+=$\{cur%,*},
      cur=$\{cur##*,}
    fi
  fi
  case $takes in
    words\ *)
      read -ra words <<<"$\{takes#words }"
      candidates+=("$\{words[@]}")
      ;;
    names\ *) _hedge_names "$\{takes#names }" ;;
    files) compopt -o default 2>/dev/null ;;
    options)
      _hedge_options "$path"
      while IFS= read -r line; do
        kept=$\{line%% *}
        for other in $\{line#* }; do
          [[ $given == *" $other "* ]] && kept=''
        done
        [[ -n $kept ]] && candidates+=("$kept")
      done <<<"$options"
      ;;
  esac
  _hedge_offer $\{candidates[@]+"$\{candidates[@]}"}
  # Markets, sides and the like may be typed in any case; options are as they are.
  if [[ $\{#COMPREPLY[@]} == 0 && $takes != options ]] && ! shopt -q nocasematch; then
    shopt -s nocasematch
    _hedge_offer $\{candidates[@]+"$\{candidates[@]}"}
    shopt -u nocasematch
  fi
}

# Those that begin as the word does, into COMPREPLY; none that the list before it has.
_hedge_offer() {
  local word=''
  for word in "$@"; do
    [[ $word == "$cur"* && $chosen != *,"$word",* ]] && COMPREPLY+=("$before$word")
  done
}

complete -o nosort -F _hedge hedge 2>/dev/null || complete -F _hedge hedge
`;
