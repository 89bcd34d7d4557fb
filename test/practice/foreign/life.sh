#!/usr/bin/env bash
# The life of a hedge against the practice service, with curl. Start
#   hedge practice serve --memory --seed 7 --clock manual --fill-after 2 --print-env sh
# set the variables that it prints, and run this file. It prints every response, so that two runs can be compared.
set -euo pipefail

# call URL KEY METHOD PATH [BODY] [IDEMPOTENCY-KEY]: prints status, Date and body; leaves them in $status and $body.
call() {
  local url=$1 key=$2 method=$3 path=$4 answer
  local options=(--silent --show-error --max-time 30 --cacert "$HEDGE_CA_FILE" --request "$method")
  # The key is read from standard input: arguments are visible to every user of the machine.
  options+=(--config - --write-out '\n%{http_code} %header{date}')
  if [ $# -gt 4 ]; then options+=(--header 'Content-Type: application/json' --data "$5"); fi
  if [ $# -gt 5 ]; then options+=(--header "Idempotency-Key: $6"); fi
  answer=$(printf 'header = "Authorization: Bearer %s"\n' "$key" | curl "${options[@]}" "$url$path") || return 1
  body=${answer%$'\n'*}
  status=${answer##*$'\n'}
  printf '%s %s %s %s\n' "$method" "$path" "$status" "$body"
  status=${status%% *}
}
partner() { call "$HEDGE_BASE_URL" "$HEDGE_API_KEY" "$@"; }
control() { call "$HEDGE_CONTROL_URL" "$HEDGE_CONTROL_KEY" "$@"; }

fail() {
  printf 'FAILED, line %s: %s\nlast response: %s %s\n' "${BASH_LINENO[1]}" "$1" "$status" "$body" >&2
  exit 1
}
expect_status() { [ "$status" = "$1" ] || fail "expected status $1"; }
expect() { [[ $body == *"$1"* ]] || fail "expected $1"; }
# field NAME: the first value of that name.
field() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/" <<<"${body/\"$1\"/$'\n'\"$1\"}" | sed -n 2p; }
count() { grep -o "$1" <<<"$body" | wc -l; }
advance() { control POST /clock/advance "{\"seconds\":$1}" && expect_status 200; }

buy='"market":"USDTNGN","side":"buy"'
sell='"market":"USDTNGN","side":"sell"'

control GET /health
expect '"status":"ok"'
control DELETE /faults
control DELETE /prices
control POST /reset
expect_status 200

# Quote, open, and lose the response after the service acted.
partner POST /quotes "{$buy,\"notional_usd\":10000,\"tenor_days\":3}"
expect '"total_upfront_usdc":1010'
control PATCH /faults '{"lost_after":1,"only":"open","once":1}'
order="{$buy,\"notional_usd\":10000,\"tenor_days\":3,\"client_reference\":\"PAY-8841\"}"
if partner POST /hedges "$order" open-1 2>/dev/null; then fail 'the response should be lost'; fi

# The same key gives the first response; nothing is opened twice.
partner POST /hedges "$order" open-1
expect_status 201
hedge=$(field hedge_id)
partner GET '/hedges?client_reference=PAY-8841'
[ "$(count '"id"')" -eq 1 ] || fail 'opened twice'

# Fill, add, reduce, close.
advance 2
expect '"what":"filled"'
partner GET "/hedges/$hedge"
[ "$(field status)" = filled ] || fail 'not filled'
partner POST /hedges/add "{$buy,\"notional_usd\":5000}" add-1
advance 2
partner POST /hedges/reduce "{$buy,\"notional_usd\":3000}" reduce-1
advance 2
partner GET "/hedges/$hedge"
[ "$(field notional_usd)" = 12000 ] || fail 'expected 12000'
partner POST /hedges/close "{$buy}" close-1
advance 2
partner GET /positions
expect '"data":[]'

# Settle another one at a price of our choice.
partner POST /hedges "{$sell,\"notional_usd\":2000,\"tenor_days\":1}" open-2
advance 2
partner GET '/hedges?status=filled'
matures=$(field maturity_at)
control PUT /prices "{\"market\":\"USDTNGN\",\"points\":[{\"at\":\"$matures\",\"price\":1600}]}"
advance 86400
expect '"what":"settled"'
partner GET /hedges/history
expect '"reason":"maturity"'
expect '"exit_price":1600'
expect '"reason":"close"'
partner GET /account
expect '"open_positions":0'

# What the service received: the lost response, then the stored one.
control GET /requests
expect '"fault":"lost_after"'
[ "$(count '"replayed":true')" -eq 1 ] || fail 'expected one stored response'

partner DELETE /account
expect_status 405
partner GET /nowhere
expect_status 404
echo 'The whole life: passed.'
