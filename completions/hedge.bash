# bash completion for hedge. Generated: npm run completions.
# shellcheck shell=bash

_hedge() {
  local before=${COMP_LINE:0:COMP_POINT} LC_ALL=C line='' word='' typed=''
  typed=${before##*[[:space:]]}
  typed=${typed#--*=}
  COMPREPLY=()
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    if [[ $word == :files ]]; then
      compopt -o default 2>/dev/null
    elif [[ -n $word && $word != *[!A-Za-z0-9:._/=,-]* ]]; then
      # Where bash splits words at = and :, it puts only what follows in its place.
      [[ $COMP_WORDBREAKS == *=* ]] && word=${word#--*=}
      [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && word=${word#"${typed%:*}:"}
      COMPREPLY+=("$word")
    fi
  done < <(command hedge __complete-line "$before" 2>/dev/null </dev/null)
}

complete -o nosort -F _hedge hedge 2>/dev/null || complete -F _hedge hedge
