# bash completion for hedge. Generated: npm run completions.
# shellcheck shell=bash

_hedge_subs() {
  subs=''
  case $1 in
    '') subs='markets price quote watch open add reduce close check resume wait batch halt unhalt hedges history positions account journal profile practice doctor api completion help' ;;
    'journal') subs='settle' ;;
    'profile') subs='add list show use set limit remove' ;;
    'practice') subs='status advance weather reset serve' ;;
    'api') subs='GET POST' ;;
    'help') subs='markets price quote watch open add reduce close check resume wait batch halt unhalt hedges history positions account journal profile practice doctor api completion exit-codes environment keys json practice scripting topics' ;;
  esac
}

_hedge_options() {
  options=''
  case $1 in
    '') options='--version - --version' ;;
    'markets') options='--watch - --watch' ;;
    'price') options='--chart - --chart
--watch - --watch' ;;
    'quote') options='--tenor - --tenor -t
--worst-price - --worst-price
--max-cost-bps - --max-cost-bps
--curve - --curve
--watch - --watch' ;;
    'watch') options='--every - --every' ;;
    'open') options='--tenor - --tenor -t
--deal-id - --deal-id
--ensure - --ensure
--retry-failed - --retry-failed
--worst-price - --worst-price
--max-cost-bps - --max-cost-bps
--any-price - --any-price
--allow-duplicate - --allow-duplicate
--yes - --yes -y
--dry-run - --dry-run
--no-wait - --no-wait
--timeout - --timeout
--idempotency-key - --idempotency-key
--despite - --despite' ;;
    'add') options='--worst-price - --worst-price
--max-cost-bps - --max-cost-bps
--any-price - --any-price
--allow-duplicate - --allow-duplicate
--yes - --yes -y
--dry-run - --dry-run
--no-wait - --no-wait
--timeout - --timeout
--idempotency-key - --idempotency-key
--despite - --despite' ;;
    'reduce') options='--by - --by
--to - --to
--allow-duplicate - --allow-duplicate
--yes - --yes -y
--dry-run - --dry-run
--no-wait - --no-wait
--timeout - --timeout
--idempotency-key - --idempotency-key
--despite - --despite' ;;
    'close') options='--if-open - --if-open
--yes - --yes -y
--dry-run - --dry-run
--no-wait - --no-wait
--timeout - --timeout
--idempotency-key - --idempotency-key
--despite - --despite' ;;
    'resume') options='--yes - --yes -y
--resend - --resend
--dry-run - --dry-run
--no-wait - --no-wait
--timeout - --timeout' ;;
    'wait') options='--timeout - --timeout' ;;
    'batch') options='--name - --name
--parallel - --parallel
--keep-going - --keep-going
--yes - --yes -y
--dry-run - --dry-run' ;;
    'unhalt') options='--yes - --yes -y' ;;
    'hedges') options='--status - --status
--deal-id - --deal-id
--since - --since
--until - --until
--market - --market
--side - --side
--limit - --limit
--watch - --watch' ;;
    'history') options='--since - --since
--until - --until
--market - --market
--side - --side
--by - --by
--chart - --chart' ;;
    'positions') options='--watch - --watch' ;;
    'account') options='--watch - --watch' ;;
    'journal') options='--unresolved - --unresolved
--in-flight - --in-flight
--action - --action
--market - --market
--side - --side
--deal-id - --deal-id
--environment - --environment
--day - --day
--limit - --limit' ;;
    'journal settle') options='--as - --as
--because - --because
--yes - --yes -y' ;;
    'profile add') options='--base-url - --base-url
--key-stdin - --key-stdin
--key-file - --key-file
--key-command - --key-command
--store - --store
--account - --account
--ca-file - --ca-file
--time-zone - --time-zone
--max-notional - --max-notional
--max-daily-notional - --max-daily-notional
--read-only - --read-only
--markets - --markets
--no-check - --no-check' ;;
    'profile use') options='--yes - --yes -y' ;;
    'profile set') options='--key-stdin - --key-stdin
--key-file - --key-file
--key-command - --key-command
--store - --store
--account - --account
--base-url - --base-url
--no-check - --no-check' ;;
    'profile limit') options='--max-notional - --max-notional
--max-daily-notional - --max-daily-notional
--read-only - --read-only --no-read-only
--markets - --markets
--no-read-only - --no-read-only --read-only
--yes - --yes -y' ;;
    'profile remove') options='--leave-key - --leave-key
--yes - --yes -y' ;;
    'practice weather') options='--latency - --latency
--rate-limited - --rate-limited
--fail-before - --fail-before
--fail-after - --fail-after
--lost-before - --lost-before
--lost-after - --lost-after
--in-flight - --in-flight
--slow-fills - --slow-fills
--failing-orders - --failing-orders
--partial-fills - --partial-fills
--disable - --disable
--only - --only
--spare-replays - --spare-replays
--once - --once' ;;
    'practice reset') options='--balance - --balance
--yes - --yes -y' ;;
    'practice serve') options='--port - --port
--host - --host
--log - --log
--latency - --latency
--rate-limited - --rate-limited
--fail-before - --fail-before
--fail-after - --fail-after
--lost-before - --lost-before
--lost-after - --lost-after
--in-flight - --in-flight
--slow-fills - --slow-fills
--failing-orders - --failing-orders
--partial-fills - --partial-fills
--disable - --disable
--only - --only
--spare-replays - --spare-replays
--once - --once' ;;
    'api') options='--raw-field -
--field -
--data - --data
--param -
--ensure - --ensure
--retry-failed - --retry-failed
--worst-price - --worst-price
--max-cost-bps - --max-cost-bps
--any-price - --any-price
--allow-duplicate - --allow-duplicate
--yes - --yes -y
--dry-run - --dry-run
--no-wait - --no-wait
--timeout - --timeout
--idempotency-key - --idempotency-key
--despite - --despite
--if-open - --if-open' ;;
    'api GET') options='--param -' ;;
    'api POST') options='--raw-field -
--field -
--data - --data
--ensure - --ensure
--retry-failed - --retry-failed
--worst-price - --worst-price
--max-cost-bps - --max-cost-bps
--any-price - --any-price
--allow-duplicate - --allow-duplicate
--yes - --yes -y
--dry-run - --dry-run
--no-wait - --no-wait
--timeout - --timeout
--idempotency-key - --idempotency-key
--despite - --despite
--if-open - --if-open' ;;
  esac
  options+=$'\n''--profile - --profile
--expect-env - --expect-env
--json - --json --csv --output
--csv - --csv --json --output
--output - --output --json --csv
--query - --query
--no-color - --no-color
--quiet - --quiet -q
--verbose - --verbose -v
--help - --help -h'
}

_hedge_takes() {
  takes=''
  case "$1 $2" in
    'quote --tenor' | 'quote -t') takes='list words 1 3 7 all' ;;
    'quote --worst-price' | 'quote --max-cost-bps' | 'watch --every' | 'open --deal-id' | 'open --worst-price' | 'open --max-cost-bps' | 'open --timeout' | 'open --idempotency-key' | 'add --worst-price' | 'add --max-cost-bps' | 'add --timeout' | 'add --idempotency-key' | 'reduce --by' | 'reduce --to' | 'reduce --timeout' | 'reduce --idempotency-key' | 'close --timeout' | 'close --idempotency-key' | 'resume --timeout' | 'wait --timeout' | 'batch --name' | 'batch --parallel' | 'hedges --limit' | 'journal --limit' | 'journal settle --because' | 'profile add --base-url' | 'profile add --key-command' | 'profile add --account' | 'profile add --time-zone' | 'profile add --max-notional' | 'profile add --max-daily-notional' | 'profile set --key-command' | 'profile set --account' | 'profile set --base-url' | 'profile limit --max-notional' | 'profile limit --max-daily-notional' | 'practice weather --latency' | 'practice weather --rate-limited' | 'practice weather --fail-before' | 'practice weather --fail-after' | 'practice weather --lost-before' | 'practice weather --lost-after' | 'practice weather --in-flight' | 'practice weather --slow-fills' | 'practice weather --failing-orders' | 'practice weather --partial-fills' | 'practice weather --once' | 'practice reset --balance' | 'practice serve --port' | 'practice serve --latency' | 'practice serve --rate-limited' | 'practice serve --fail-before' | 'practice serve --fail-after' | 'practice serve --lost-before' | 'practice serve --lost-after' | 'practice serve --in-flight' | 'practice serve --slow-fills' | 'practice serve --failing-orders' | 'practice serve --partial-fills' | 'practice serve --once' | 'api --raw-field' | 'api -f' | 'api --field' | 'api -F' | 'api --data' | 'api --param' | 'api --worst-price' | 'api --max-cost-bps' | 'api --timeout' | 'api --idempotency-key' | 'api GET --param' | 'api POST --raw-field' | 'api POST -f' | 'api POST --field' | 'api POST -F' | 'api POST --data' | 'api POST --worst-price' | 'api POST --max-cost-bps' | 'api POST --timeout' | 'api POST --idempotency-key' | *' --query') takes='free' ;;
    'open --tenor' | 'open -t') takes='words 1 3 7' ;;
    'open --despite' | 'add --despite' | 'reduce --despite' | 'close --despite' | 'api --despite' | 'api POST --despite') takes='list names matters' ;;
    'hedges --status') takes='words submitting submitted filled failed closed' ;;
    'hedges --deal-id' | 'journal --deal-id') takes='names deals' ;;
    'hedges --since' | 'hedges --until' | 'history --since' | 'history --until') takes='words today yesterday 7d' ;;
    'hedges --market' | 'history --market' | 'journal --market') takes='names markets' ;;
    'hedges --side' | 'history --side' | 'journal --side') takes='words buy sell' ;;
    'history --by') takes='words day week month market side' ;;
    'journal --action') takes='words open add reduce close' ;;
    'journal --environment' | *' --expect-env') takes='words live sandbox practice' ;;
    'journal --day') takes='words today' ;;
    'journal settle --as') takes='words done nothing' ;;
    'profile add --key-file' | 'profile add --ca-file' | 'profile set --key-file') takes='files' ;;
    'profile add --store' | 'profile set --store') takes='words file keychain' ;;
    'profile add --markets' | 'profile limit --markets' | 'practice weather --disable' | 'practice serve --disable') takes='list names markets' ;;
    'practice weather --only' | 'practice serve --only') takes='words all readings actions open add reduce close' ;;
    'practice serve --host') takes='words 127.0.0.1 ::1' ;;
    *' --profile') takes='names profiles' ;;
    *' --output') takes='words table json jsonl csv' ;;
  esac
}

_hedge_operand() {
  takes=''
  case "$1 $2" in
    'price '* | 'quote 0' | 'watch '* | 'open 0' | 'add 0' | 'reduce 0' | 'close 0') takes='names markets' ;;
    'quote 1' | 'open 1' | 'add 1' | 'reduce 1' | 'close 1') takes='words buy sell' ;;
    'quote 2' | 'open 2' | 'add 2' | 'reduce 2' | 'halt '* | 'profile add 0' | 'practice advance 0' | 'api 0') takes='free' ;;
    'check 0' | 'wait 0' | 'journal 0') takes='names anything' ;;
    'resume 0' | 'journal settle 0') takes='names matters' ;;
    'batch 0') takes='files' ;;
    'hedges 0') takes='names hedges' ;;
    'profile show 0' | 'profile use 0' | 'profile set 0' | 'profile limit 0' | 'profile remove 0') takes='names profiles' ;;
    'practice weather 0') takes='words clear' ;;
    'api 1') takes='words /markets /prices /hedges /hedges/history /positions /account /quotes /hedges/add /hedges/reduce /hedges/close' ;;
    'api GET 0') takes='words /markets /prices /hedges /hedges/history /positions /account' ;;
    'api POST 0') takes='words /quotes /hedges /hedges/add /hedges/reduce /hedges/close' ;;
    'completion 0') takes='words bash zsh fish powershell' ;;
  esac
}

# The words before the cursor without their quotes, into words and cur. (COMP_WORDS is split at = and : too.)
_hedge_split() {
  local line=$1 char='' quote='' word='' begun='' at
  words=()
  for ((at = 0; at < ${#line}; at++)); do
    char=${line:at:1}
    if [[ -n $quote ]]; then
      if [[ $char == "$quote" ]]; then quote=''; else word+=$char; fi
    elif [[ $char == \' || $char == \" ]]; then
      quote=$char begun=1
    elif [[ $char == \\ ]]; then
      at=$((at + 1)) begun=1
      word+=${line:at:1}
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
    name=${name%%$'\t'*}
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
  _hedge_split "${COMP_LINE:0:COMP_POINT}"
  for word in "${words[@]:1}"; do
    if [[ -n $pending ]]; then
      [[ $pending == --profile ]] && profile=$word
      pending=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == --*=* ]]; then
      given+="${word%%=*} "
      [[ $word == --profile=* ]] && profile=${word#*=}
    elif [[ -z $ended && $word == -?* ]]; then
      given+="$word "
      _hedge_takes "$path" "$word"
      [[ -n $takes ]] && pending=$word
    else
      _hedge_subs "$path"
      if [[ $count == 0 && " $subs " == *" $word "* ]]; then
        path=${path:+$path }$word
      else
        count=$((count + 1))
      fi
    fi
  done

  takes=''
  if [[ -n $pending ]]; then
    _hedge_takes "$path" "$pending"
  elif [[ -z $ended && $cur == --*=* ]]; then
    _hedge_takes "$path" "${cur%%=*}"
    # Where bash splits words at =, it puts only what follows in its place.
    [[ $COMP_WORDBREAKS == *=* ]] || before=${cur%%=*}=
    cur=${cur#*=}
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
    takes=${takes#list }
    if [[ $cur == *,* ]]; then
      chosen=,${cur%,*},
      before+=${cur%,*},
      cur=${cur##*,}
    fi
  fi
  case $takes in
    words\ *)
      read -ra words <<<"${takes#words }"
      candidates+=("${words[@]}")
      ;;
    names\ *) _hedge_names "${takes#names }" ;;
    files) compopt -o default 2>/dev/null ;;
    options)
      _hedge_options "$path"
      while IFS= read -r line; do
        kept=${line%% *}
        for other in ${line#* }; do
          [[ $given == *" $other "* ]] && kept=''
        done
        [[ -n $kept ]] && candidates+=("$kept")
      done <<<"$options"
      ;;
  esac
  _hedge_offer ${candidates[@]+"${candidates[@]}"}
  # Markets, sides and the like may be typed in any case; options are as they are.
  if [[ ${#COMPREPLY[@]} == 0 && $takes != options ]] && ! shopt -q nocasematch; then
    shopt -s nocasematch
    _hedge_offer ${candidates[@]+"${candidates[@]}"}
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
