/**
 * The script for zsh: a function of the name `_hedge` for its fpath. Names are taken as text, and one with more
 * than letters, digits and `._/-` is passed over; zsh itself quotes whatever it puts on the line.
 */
import { lookups } from './lookups.ts';
import { shellText } from './shell-text.ts';
import type { Tables } from './tables.ts';

const described = (word: string, summary: string): string =>
  `${word}:${summary.replaceAll(':', String.raw`\:`)}`;

const subLines = (offered: readonly { word: string; summary: string }[]): string =>
  offered.map(({ word, summary }) => described(word, summary)).join('\n');

/** What withdraws it, a bar, the word and its summary. */
const optionLines = (offered: Tables['everywhere']): string =>
  offered.map(({ word, unless, summary }) => `${unless.join(' ')}|${described(word, summary)}`).join('\n');

export const zshScript = (tables: Tables): string => shellText`#compdef hedge
# zsh completion for hedge. Generated: npm run completions.

${lookups(tables, { words: subLines, options: optionLines })}
# What hedge remembers, into offered. It asks neither the network nor the key.
_hedge_names() {
  local line name about
  for line in "$\{(@f)$(command hedge __complete "$1" "--profile=$profile" "$\{(Q)PREFIX}" 2>/dev/null </dev/null)}"; do
    name=$\{line%%$'\t'*} about=''
    [[ $line == *$'\t'* ]] && about=$\{line#*$'\t'}
    [[ $name == [A-Za-z0-9]* && $name != *[^A-Za-z0-9._/-]* ]] || continue
    [[ $about == *[^A-Za-z0-9._/:\ -]* ]] && about=''
    offered+=("$name$\{about:+:$\{about//:/\\:}}")
  done
}

_hedge() {
  local cur subs options takes word line other kept chosen=''
  local -a matching
  local place='' pending='' ended='' profile='' given=' ' count=0
  local -a before offered
  before=("$\{(@Q)words[2,CURRENT-1]}")
  cur=$\{(Q)PREFIX}
  for word in "$\{(@)before}"; do
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
      _hedge_takes "$place" "$word"
      [[ -n $takes ]] && pending=$word
    else
      _hedge_subs "$place"
      if [[ $count == 0 && -n $word && $'\n'$subs == *$'\n'"$word:"* ]]; then
        place=$\{place:+$place }$word
      else
        count=$((count + 1))
      fi
    fi
  done

  takes='' subs=''
  if [[ -n $pending ]]; then
    _hedge_takes "$place" "$pending"
  elif [[ -z $ended && $cur == --*=* ]]; then
    _hedge_takes "$place" "$\{cur%%=*}"
    compset -P 1 '*='
  elif [[ -z $ended && $cur == -* ]]; then
    takes=options
  else
    [[ $count == 0 ]] && _hedge_subs "$place"
    offered=("$\{(@f)subs}")
    _hedge_operand "$place" "$count"
    [[ -z $takes && -z $subs && -z $ended ]] && takes=options
  fi

  [[ $takes == options ]] || matching=(-M 'm:{a-zA-Z}={A-Za-z}')
  if [[ $takes == list\ * ]]; then
    takes=$\{takes#list }
    [[ $cur == *,* ]] && chosen=$\{cur%,*} && compset -P '*,'
  fi
  case $takes in
    words\ *) offered+=("$\{(@s: :)$\{takes#words }//:/\\:}") ;;
    names\ *) _hedge_names "$\{takes#names }" ;;
    files) _files && return ;;
    options)
      _hedge_options "$place"
      for line in "$\{(@f)options}"; do
        kept=$\{line#*\|}
        for other in "$\{(@s: :)$\{line%%\|*}}"; do
          [[ $given == *" $other "* ]] && kept=''
        done
        [[ -n $kept ]] && offered+=("$kept")
      done
      ;;
  esac
  offered=("$\{(@)offered:#}")
  for word in "$\{(@s:,:)chosen}"; do
    offered=("$\{(@)offered:#$\{word}}")
    offered=("$\{(@)offered:#$\{word}:*}")
  done
  (( $#offered )) && _describe -V 'hedge' offered $matching
}

if [[ $\{funcstack[1]} == _hedge ]]; then
  _hedge "$@"
else
  compdef _hedge hedge
fi
`;
