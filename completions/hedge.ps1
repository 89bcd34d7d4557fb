# PowerShell completion for hedge. Generated: npm run completions. Untested.

Register-ArgumentCompleter -Native -CommandName hedge -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $subs = @{
        '' = @(
        , @('markets', 'what can be dealt: status, mid, capacity and carry per side')
        , @('price', 'indicative mid of one market, several, or all of yours')
        , @('quote', 'what a hedge would cost, all in; every tenor side by side')
        , @('watch', 'one screen for the corner of a desk')
        , @('open', 'opens a hedge; on a terminal, missing parts are asked for')
        , @('add', 'adds notional to the open hedge on a side; the maturity stays')
        , @('reduce', 'takes notional off a side: an amount, a part, or down to a size')
        , @('close', 'closes everything on a side; shows what comes back first')
        , @('check', 'looks at what is unresolved or in flight; sends nothing')
        , @('resume', 'settles an action: looks, then asks before sending it again')
        , @('wait', 'waits for the end of an action or a hedge')
        , @('batch', 'many command lines, one document a line; safe to run again')
        , @('halt', 'stops opens and adds from this machine; reduce and close go on')
        , @('unhalt', 'lifts the halt')
        , @('hedges', 'the hedges of this account, newest first, or one of them')
        , @('history', 'closed hedges with realised P&L, carry and fees')
        , @('positions', 'what is open per side, and what closing it now would return')
        , @('account', 'free balance, margin in use, exposure and headroom')
        , @('journal', 'what was sent from this machine, and what became of it')
        , @('profile', 'keys and base addresses: add, list, show, use, limit, remove')
        , @('practice', 'the practice desk on this machine: time, weather, books, serve')
        , @('doctor', 'looks at everything that dealing rests on, and says what to mend')
        , @('api', 'a request in the service''s own words, for what has no command yet')
        , @('completion', 'prints the completion script of bash, zsh, fish or PowerShell')
        , @('help', 'help for a command or a topic')
        )
        'journal' = @(
        , @('settle', 'your word for what became of an action that nobody else knows the end of')
        )
        'profile' = @(
        , @('add', 'keeps a key and its base address under a name')
        , @('list', 'the profiles of this user, keys masked')
        , @('show', 'the profile that is chosen here and which source chose it, or one by name')
        , @('use', 'makes a profile the default; a live one is asked about')
        , @('set', 'Change the API key, account label or base address of a profile')
        , @('limit', 'sets what may be dealt under a profile, or lifts it with none')
        , @('remove', 'forgets a profile and its key')
        )
        'practice' = @(
        , @('status', 'book time, both books and the weather')
        , @('advance', 'moves book time ahead, and tells what happened on the way')
        , @('weather', 'shows or sets chosen trouble: delays, refusals, lost answers, failing orders')
        , @('reset', 'starts both books anew: flat, the opening balance, book time at the wall clock')
        , @('serve', 'keeps the practice service up for other programs, until Ctrl-C')
        )
        'api' = @(
        , @('GET', 'GET or POST')
        , @('POST', 'GET or POST')
        )
        'help' = @(
        , @('markets', 'what can be dealt: status, mid, capacity and carry per side')
        , @('price', 'indicative mid of one market, several, or all of yours')
        , @('quote', 'what a hedge would cost, all in; every tenor side by side')
        , @('watch', 'one screen for the corner of a desk')
        , @('open', 'opens a hedge; on a terminal, missing parts are asked for')
        , @('add', 'adds notional to the open hedge on a side; the maturity stays')
        , @('reduce', 'takes notional off a side: an amount, a part, or down to a size')
        , @('close', 'closes everything on a side; shows what comes back first')
        , @('check', 'looks at what is unresolved or in flight; sends nothing')
        , @('resume', 'settles an action: looks, then asks before sending it again')
        , @('wait', 'waits for the end of an action or a hedge')
        , @('batch', 'many command lines, one document a line; safe to run again')
        , @('halt', 'stops opens and adds from this machine; reduce and close go on')
        , @('unhalt', 'lifts the halt')
        , @('hedges', 'the hedges of this account, newest first, or one of them')
        , @('history', 'closed hedges with realised P&L, carry and fees')
        , @('positions', 'what is open per side, and what closing it now would return')
        , @('account', 'free balance, margin in use, exposure and headroom')
        , @('journal', 'what was sent from this machine, and what became of it')
        , @('profile', 'keys and base addresses: add, list, show, use, limit, remove')
        , @('practice', 'the practice desk on this machine: time, weather, books, serve')
        , @('doctor', 'looks at everything that dealing rests on, and says what to mend')
        , @('api', 'a request in the service''s own words, for what has no command yet')
        , @('completion', 'prints the completion script of bash, zsh, fish or PowerShell')
        , @('exit-codes', 'what a command ended with, and whether the book changed')
        , @('environment', 'the variables that hedge reads, and where files live')
        , @('keys', 'where keys come from, which profile wins, limits, TLS')
        , @('json', 'the document of --json, its errors, --query, --csv')
        , @('practice', 'learning with no money, and with trouble of your choice')
        , @('scripting', 'dealing from scripts and cron, safe to run again')
        , @('topics', 'which topics there are')
        )
    }
    $options = @{
        '' = @(
        , @('--version', @('--version'), 'the version of this program')
        )
        'markets' = @(
        , @('--watch', @('--watch'), 'reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C')
        )
        'price' = @(
        , @('--chart', @('--chart'), 'the mids that were seen from this machine, drawn over time')
        , @('--watch', @('--watch'), 'reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C')
        )
        'quote' = @(
        , @('--tenor', @('--tenor', '-t'), '1, 3, 7 (or 3d), a list such as 1,3, or all')
        , @('--worst-price', @('--worst-price'), 'exit 11 when the execution price is worse')
        , @('--max-cost-bps', @('--max-cost-bps'), 'exit 11 when the whole cost is more, in bps of notional')
        , @('--curve', @('--curve'), 'a tenth to ten times the notional of one tenor, side by side and drawn')
        , @('--watch', @('--watch'), 'reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C')
        )
        'watch' = @(
        , @('--every', @('--every'), 'from one turn to the next: 3 unless said, at least 1.5')
        )
        'open' = @(
        , @('--tenor', @('--tenor', '-t'), '1, 3 or 7 (or 3d)')
        , @('--deal-id', @('--deal-id'), 'the desk''s own id of the deal; one deal each')
        , @('--ensure', @('--ensure'), 'with --deal-id: what is dealt already under it is not dealt again')
        , @('--retry-failed', @('--retry-failed'), 'with --ensure: deals anew when the last one failed')
        , @('--worst-price', @('--worst-price'), 'do not deal at a worse one; checked here, the service has no limit price')
        , @('--max-cost-bps', @('--max-cost-bps'), 'do not deal when the whole cost is more, in bps of notional')
        , @('--any-price', @('--any-price'), 'deal at whatever the price is')
        , @('--allow-duplicate', @('--allow-duplicate'), 'although the same was dealt within the last minute')
        , @('--yes', @('--yes', '-y'), 'deal without asking')
        , @('--dry-run', @('--dry-run'), 'show what would be sent, send nothing; exits as the guards would')
        , @('--no-wait', @('--no-wait'), 'end when the service has accepted it')
        , @('--timeout', @('--timeout'), 'how long to wait for the end, 60 by default; never cuts the sending')
        , @('--idempotency-key', @('--idempotency-key'), 'the key to send; the same key and request never act twice')
        , @('--despite', @('--despite'), 'do it although this action is unresolved or in flight: an id, or a list')
        )
        'add' = @(
        , @('--worst-price', @('--worst-price'), 'do not deal at a worse one; checked here, the service has no limit price')
        , @('--max-cost-bps', @('--max-cost-bps'), 'do not deal when the whole cost is more, in bps of notional')
        , @('--any-price', @('--any-price'), 'deal at whatever the price is')
        , @('--allow-duplicate', @('--allow-duplicate'), 'although the same was dealt within the last minute')
        , @('--yes', @('--yes', '-y'), 'deal without asking')
        , @('--dry-run', @('--dry-run'), 'show what would be sent, send nothing; exits as the guards would')
        , @('--no-wait', @('--no-wait'), 'end when the service has accepted it')
        , @('--timeout', @('--timeout'), 'how long to wait for the end, 60 by default; never cuts the sending')
        , @('--idempotency-key', @('--idempotency-key'), 'the key to send; the same key and request never act twice')
        , @('--despite', @('--despite'), 'do it although this action is unresolved or in flight: an id, or a list')
        )
        'reduce' = @(
        , @('--by', @('--by'), 'this part of what is open: 50%')
        , @('--to', @('--to'), 'down to this size in USD')
        , @('--allow-duplicate', @('--allow-duplicate'), 'although the same was dealt within the last minute')
        , @('--yes', @('--yes', '-y'), 'deal without asking')
        , @('--dry-run', @('--dry-run'), 'show what would be sent, send nothing; exits as the guards would')
        , @('--no-wait', @('--no-wait'), 'end when the service has accepted it')
        , @('--timeout', @('--timeout'), 'how long to wait for the end, 60 by default; never cuts the sending')
        , @('--idempotency-key', @('--idempotency-key'), 'the key to send; the same key and request never act twice')
        , @('--despite', @('--despite'), 'do it although this action is unresolved or in flight: an id, or a list')
        )
        'close' = @(
        , @('--if-open', @('--if-open'), 'exit 0 when nothing is open on that side')
        , @('--yes', @('--yes', '-y'), 'deal without asking')
        , @('--dry-run', @('--dry-run'), 'show what would be sent, send nothing; exits as the guards would')
        , @('--no-wait', @('--no-wait'), 'end when the service has accepted it')
        , @('--timeout', @('--timeout'), 'how long to wait for the end, 60 by default; never cuts the sending')
        , @('--idempotency-key', @('--idempotency-key'), 'the key to send; the same key and request never act twice')
        , @('--despite', @('--despite'), 'do it although this action is unresolved or in flight: an id, or a list')
        )
        'resume' = @(
        , @('--yes', @('--yes', '-y'), 'send it again without asking, where looking does not settle it')
        , @('--resend', @('--resend'), 'send it again also with nobody to ask (with --yes), or where the book is not clear')
        , @('--dry-run', @('--dry-run'), 'look, and show what would be sent; send nothing')
        , @('--no-wait', @('--no-wait'), 'end when the service has accepted it')
        , @('--timeout', @('--timeout'), 'how long to wait for the end, 60 by default')
        )
        'wait' = @(
        , @('--timeout', @('--timeout'), 'how long to wait for the end, 60 by default')
        )
        'batch' = @(
        , @('--name', @('--name'), 'tells this batch from another one of the same actions')
        , @('--parallel', @('--parallel'), 'this many readings at once, 1 to 16 (1); never actions')
        , @('--keep-going', @('--keep-going'), 'goes on after an unknown outcome, or with the service out of reach')
        , @('--yes', @('--yes', '-y'), 'for every line: deal without asking')
        , @('--dry-run', @('--dry-run'), 'for every action: everything but the sending')
        )
        'unhalt' = @(
        , @('--yes', @('--yes', '-y'), 'does not ask')
        )
        'hedges' = @(
        , @('--status', @('--status'), 'submitting, submitted, filled, failed or closed')
        , @('--deal-id', @('--deal-id'), 'those that carry this deal id')
        , @('--since', @('--since'), 'opened then or later (opened_at): 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday, today')
        , @('--until', @('--until'), 'opened before then; a day is meant whole: --until yesterday')
        , @('--market', @('--market'), 'on this market')
        , @('--side', @('--side'), 'buy or sell')
        , @('--limit', @('--limit'), 'how many to ask for, 1 to 500 (100; 500 to pick from)')
        , @('--watch', @('--watch'), 'reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C')
        )
        'history' = @(
        , @('--since', @('--since'), 'closed then or later (closed_at): 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday, today')
        , @('--until', @('--until'), 'closed before then; a day is meant whole: --until yesterday')
        , @('--market', @('--market'), 'on this market')
        , @('--side', @('--side'), 'buy or sell')
        , @('--by', @('--by'), 'sums by day, week, month, market or side')
        , @('--chart', @('--chart'), 'net P&L added up over time, drawn')
        )
        'positions' = @(
        , @('--watch', @('--watch'), 'reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C')
        )
        'account' = @(
        , @('--watch', @('--watch'), 'reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C')
        )
        'journal' = @(
        , @('--unresolved', @('--unresolved'), 'sent without a usable answer')
        , @('--in-flight', @('--in-flight'), 'accepted, or being sent, and not seen to end')
        , @('--action', @('--action'), 'open, add, reduce or close')
        , @('--market', @('--market'), 'on this market')
        , @('--side', @('--side'), 'buy or sell')
        , @('--deal-id', @('--deal-id'), 'dealt under this deal id')
        , @('--environment', @('--environment'), 'live, sandbox or practice')
        , @('--day', @('--day'), 'of this UTC day: 2026-11-20, or today')
        , @('--limit', @('--limit'), 'how many, or all (20)')
        )
        'journal settle' = @(
        , @('--as', @('--as'), 'done (it stands on the book) or nothing (it never happened)')
        , @('--because', @('--because'), 'how you know: kept in the journal')
        , @('--yes', @('--yes', '-y'), 'does not ask')
        )
        'profile add' = @(
        , @('--base-url', @('--base-url'), 'https address of the service, ending in its version')
        , @('--key-stdin', @('--key-stdin'), 'the key comes on standard input')
        , @('--key-file', @('--key-file'), 'the key stands in a file, alone')
        , @('--key-command', @('--key-command'), 'a program that prints the key, run each time, never stored')
        , @('--store', @('--store'), 'where the key is kept: file (plain text, yours alone) or keychain')
        , @('--account', @('--account'), 'label of the account, the same on every machine: payroll')
        , @('--ca-file', @('--ca-file'), 'certificates to trust besides the usual ones (PEM)')
        , @('--time-zone', @('--time-zone'), 'zone that times are shown in (UTC): Africa/Lagos')
        , @('--max-notional', @('--max-notional'), 'the most of one open or add, in USD: 50k')
        , @('--max-daily-notional', @('--max-daily-notional'), 'the most that a UTC day may open and add, in USD: 200k')
        , @('--read-only', @('--read-only'), 'deals nothing at all')
        , @('--markets', @('--markets'), 'opens and adds in these alone: USDTNGN, or a list by commas')
        , @('--no-check', @('--no-check'), 'keeps the key without trying it')
        )
        'profile use' = @(
        , @('--yes', @('--yes', '-y'), 'does not ask')
        )
        'profile set' = @(
        , @('--key-stdin', @('--key-stdin'), 'the key comes on standard input')
        , @('--key-file', @('--key-file'), 'the key stands in a file, alone')
        , @('--key-command', @('--key-command'), 'a program that prints the key, run each time, never stored')
        , @('--store', @('--store'), 'where the key is kept: file (plain text, yours alone) or keychain')
        , @('--account', @('--account'), 'label of the account, the same on every machine: payroll; none removes it')
        , @('--base-url', @('--base-url'), 'https address of the service, ending in its version')
        , @('--no-check', @('--no-check'), 'do not try the key and address on the service')
        )
        'profile limit' = @(
        , @('--max-notional', @('--max-notional'), 'the most of one open or add, in USD: 50k')
        , @('--max-daily-notional', @('--max-daily-notional'), 'the most that a UTC day may open and add, in USD: 200k')
        , @('--read-only', @('--read-only', '--no-read-only'), 'deals nothing at all')
        , @('--markets', @('--markets'), 'opens and adds in these alone: USDTNGN, or a list by commas')
        , @('--no-read-only', @('--no-read-only', '--read-only'), 'deals again')
        , @('--yes', @('--yes', '-y'), 'does not ask')
        )
        'profile remove' = @(
        , @('--leave-key', @('--leave-key'), 'leaves a key of the keychain there: for one that cannot be used any more')
        , @('--yes', @('--yes', '-y'), 'does not ask')
        )
        'practice weather' = @(
        , @('--latency', @('--latency'), 'every answer takes this long')
        , @('--rate-limited', @('--rate-limited'), '429 rate_limited; the book did not act')
        , @('--fail-before', @('--fail-before'), '503 before the book acted')
        , @('--fail-after', @('--fail-after'), '503 after the book acted')
        , @('--lost-before', @('--lost-before'), 'connection cut before the book acted')
        , @('--lost-after', @('--lost-after'), 'connection cut after the book acted')
        , @('--in-flight', @('--in-flight'), 'idempotency_in_flight for this long')
        , @('--slow-fills', @('--slow-fills'), 'added to the time that a fill takes')
        , @('--failing-orders', @('--failing-orders'), 'orders that do not land')
        , @('--partial-fills', @('--partial-fills'), 'opens that are filled for 60 % of their notional')
        , @('--disable', @('--disable'), 'disabled markets: USDTNGN, a list, or none')
        , @('--only', @('--only'), 'falls on all, readings, actions, open, add, reduce, close')
        , @('--spare-replays', @('--spare-replays'), 'a resend under a key that has its answer passes')
        , @('--once', @('--once'), 'for the next so many requests, then clear')
        )
        'practice reset' = @(
        , @('--balance', @('--balance'), 'opening balance of each book (100000)')
        , @('--yes', @('--yes', '-y'), 'does not ask')
        )
        'practice serve' = @(
        , @('--port', @('--port'), 'where to listen; any free port without it')
        , @('--host', @('--host'), 'a loopback address (127.0.0.1)')
        , @('--log', @('--log'), 'one line a request on standard error')
        , @('--latency', @('--latency'), 'every answer takes this long')
        , @('--rate-limited', @('--rate-limited'), '429 rate_limited; the book did not act')
        , @('--fail-before', @('--fail-before'), '503 before the book acted')
        , @('--fail-after', @('--fail-after'), '503 after the book acted')
        , @('--lost-before', @('--lost-before'), 'connection cut before the book acted')
        , @('--lost-after', @('--lost-after'), 'connection cut after the book acted')
        , @('--in-flight', @('--in-flight'), 'idempotency_in_flight for this long')
        , @('--slow-fills', @('--slow-fills'), 'added to the time that a fill takes')
        , @('--failing-orders', @('--failing-orders'), 'orders that do not land')
        , @('--partial-fills', @('--partial-fills'), 'opens that are filled for 60 % of their notional')
        , @('--disable', @('--disable'), 'disabled markets: USDTNGN, a list, or none')
        , @('--only', @('--only'), 'falls on all, readings, actions, open, add, reduce, close')
        , @('--spare-replays', @('--spare-replays'), 'a resend under a key that has its answer passes')
        , @('--once', @('--once'), 'for the next so many requests, then clear')
        )
        'api' = @(
        , @('--raw-field', @(), 'key=value of the body, as text')
        , @('--field', @(), 'key=value: a number, true, false or null')
        , @('--data', @('--data'), 'the whole body: JSON, @FILE, or - for standard input')
        , @('--param', @(), 'key=value of the query of a GET')
        , @('--ensure', @('--ensure'), 'an action: with client_reference: what is dealt already under it is not dealt again')
        , @('--retry-failed', @('--retry-failed'), 'an action: with --ensure: deals anew when the last one failed')
        , @('--worst-price', @('--worst-price'), 'an action: do not deal at a worse one; checked here, the service has no limit price')
        , @('--max-cost-bps', @('--max-cost-bps'), 'an action: do not deal when the whole cost is more, in bps of notional')
        , @('--any-price', @('--any-price'), 'an action: deal at whatever the price is')
        , @('--allow-duplicate', @('--allow-duplicate'), 'an action: although the same was dealt within the last minute')
        , @('--yes', @('--yes', '-y'), 'an action: deal without asking')
        , @('--dry-run', @('--dry-run'), 'an action: show what would be sent, send nothing; exits as the guards would')
        , @('--no-wait', @('--no-wait'), 'an action: end when the service has accepted it')
        , @('--timeout', @('--timeout'), 'an action: how long to wait for the end, 60 by default; never cuts the sending')
        , @('--idempotency-key', @('--idempotency-key'), 'an action: the key to send; the same key and request never act twice')
        , @('--despite', @('--despite'), 'an action: do it although this action is unresolved or in flight: an id, or a list')
        , @('--if-open', @('--if-open'), 'an action: exit 0 when nothing is open on that side')
        )
        'api GET' = @(
        , @('--param', @(), 'key=value of the query of a GET')
        )
        'api POST' = @(
        , @('--raw-field', @(), 'key=value of the body, as text')
        , @('--field', @(), 'key=value: a number, true, false or null')
        , @('--data', @('--data'), 'the whole body: JSON, @FILE, or - for standard input')
        , @('--ensure', @('--ensure'), 'an action: with client_reference: what is dealt already under it is not dealt again')
        , @('--retry-failed', @('--retry-failed'), 'an action: with --ensure: deals anew when the last one failed')
        , @('--worst-price', @('--worst-price'), 'an action: do not deal at a worse one; checked here, the service has no limit price')
        , @('--max-cost-bps', @('--max-cost-bps'), 'an action: do not deal when the whole cost is more, in bps of notional')
        , @('--any-price', @('--any-price'), 'an action: deal at whatever the price is')
        , @('--allow-duplicate', @('--allow-duplicate'), 'an action: although the same was dealt within the last minute')
        , @('--yes', @('--yes', '-y'), 'an action: deal without asking')
        , @('--dry-run', @('--dry-run'), 'an action: show what would be sent, send nothing; exits as the guards would')
        , @('--no-wait', @('--no-wait'), 'an action: end when the service has accepted it')
        , @('--timeout', @('--timeout'), 'an action: how long to wait for the end, 60 by default; never cuts the sending')
        , @('--idempotency-key', @('--idempotency-key'), 'an action: the key to send; the same key and request never act twice')
        , @('--despite', @('--despite'), 'an action: do it although this action is unresolved or in flight: an id, or a list')
        , @('--if-open', @('--if-open'), 'an action: exit 0 when nothing is open on that side')
        )
    }
    $everywhere = @(
        , @('--profile', @('--profile'), 'whose key and base address to use (practice is built in)')
        , @('--expect-env', @('--expect-env'), 'a promise: live, sandbox or practice; broken, nothing is sent')
        , @('--json', @('--json', '--csv', '--output'), 'one document on standard output, on success and on failure')
        , @('--csv', @('--csv', '--json', '--output'), 'a list as CSV: every field and digit, times in UTC; nothing on failure')
        , @('--output', @('--output', '--json', '--csv'), 'table, json (the same as --json), jsonl (a record a line) or csv')
        , @('--query', @('--query'), 'picks from the document (JMESPath), figures exact; nothing on failure')
        , @('--no-color', @('--no-color'), 'no colour')
        , @('--quiet', @('--quiet', '-q'), 'no progress and no notes on standard error')
        , @('--verbose', @('--verbose', '-v'), 'requests and answers on standard error, the key masked')
        , @('--help', @('--help', '-h'), 'help for a command')
    )
    $taken = @{
        'quote --tenor' = 'list words 1 3 7 all'
        'quote -t' = 'list words 1 3 7 all'
        'quote --worst-price' = 'free'
        'quote --max-cost-bps' = 'free'
        'watch --every' = 'free'
        'open --deal-id' = 'free'
        'open --worst-price' = 'free'
        'open --max-cost-bps' = 'free'
        'open --timeout' = 'free'
        'open --idempotency-key' = 'free'
        'add --worst-price' = 'free'
        'add --max-cost-bps' = 'free'
        'add --timeout' = 'free'
        'add --idempotency-key' = 'free'
        'reduce --by' = 'free'
        'reduce --to' = 'free'
        'reduce --timeout' = 'free'
        'reduce --idempotency-key' = 'free'
        'close --timeout' = 'free'
        'close --idempotency-key' = 'free'
        'resume --timeout' = 'free'
        'wait --timeout' = 'free'
        'batch --name' = 'free'
        'batch --parallel' = 'free'
        'hedges --limit' = 'free'
        'journal --limit' = 'free'
        'journal settle --because' = 'free'
        'profile add --base-url' = 'free'
        'profile add --key-command' = 'free'
        'profile add --account' = 'free'
        'profile add --time-zone' = 'free'
        'profile add --max-notional' = 'free'
        'profile add --max-daily-notional' = 'free'
        'profile set --key-command' = 'free'
        'profile set --account' = 'free'
        'profile set --base-url' = 'free'
        'profile limit --max-notional' = 'free'
        'profile limit --max-daily-notional' = 'free'
        'practice weather --latency' = 'free'
        'practice weather --rate-limited' = 'free'
        'practice weather --fail-before' = 'free'
        'practice weather --fail-after' = 'free'
        'practice weather --lost-before' = 'free'
        'practice weather --lost-after' = 'free'
        'practice weather --in-flight' = 'free'
        'practice weather --slow-fills' = 'free'
        'practice weather --failing-orders' = 'free'
        'practice weather --partial-fills' = 'free'
        'practice weather --once' = 'free'
        'practice reset --balance' = 'free'
        'practice serve --port' = 'free'
        'practice serve --latency' = 'free'
        'practice serve --rate-limited' = 'free'
        'practice serve --fail-before' = 'free'
        'practice serve --fail-after' = 'free'
        'practice serve --lost-before' = 'free'
        'practice serve --lost-after' = 'free'
        'practice serve --in-flight' = 'free'
        'practice serve --slow-fills' = 'free'
        'practice serve --failing-orders' = 'free'
        'practice serve --partial-fills' = 'free'
        'practice serve --once' = 'free'
        'api --raw-field' = 'free'
        'api -f' = 'free'
        'api --field' = 'free'
        'api -F' = 'free'
        'api --data' = 'free'
        'api --param' = 'free'
        'api --worst-price' = 'free'
        'api --max-cost-bps' = 'free'
        'api --timeout' = 'free'
        'api --idempotency-key' = 'free'
        'api GET --param' = 'free'
        'api POST --raw-field' = 'free'
        'api POST -f' = 'free'
        'api POST --field' = 'free'
        'api POST -F' = 'free'
        'api POST --data' = 'free'
        'api POST --worst-price' = 'free'
        'api POST --max-cost-bps' = 'free'
        'api POST --timeout' = 'free'
        'api POST --idempotency-key' = 'free'
        '* --query' = 'free'
        'open --tenor' = 'words 1 3 7'
        'open -t' = 'words 1 3 7'
        'open --despite' = 'list names matters'
        'add --despite' = 'list names matters'
        'reduce --despite' = 'list names matters'
        'close --despite' = 'list names matters'
        'api --despite' = 'list names matters'
        'api POST --despite' = 'list names matters'
        'hedges --status' = 'words submitting submitted filled failed closed'
        'hedges --deal-id' = 'names deals'
        'journal --deal-id' = 'names deals'
        'hedges --since' = 'words today yesterday 7d'
        'hedges --until' = 'words today yesterday 7d'
        'history --since' = 'words today yesterday 7d'
        'history --until' = 'words today yesterday 7d'
        'hedges --market' = 'names markets'
        'history --market' = 'names markets'
        'journal --market' = 'names markets'
        'hedges --side' = 'words buy sell'
        'history --side' = 'words buy sell'
        'journal --side' = 'words buy sell'
        'history --by' = 'words day week month market side'
        'journal --action' = 'words open add reduce close'
        'journal --environment' = 'words live sandbox practice'
        '* --expect-env' = 'words live sandbox practice'
        'journal --day' = 'words today'
        'journal settle --as' = 'words done nothing'
        'profile add --key-file' = 'files'
        'profile add --ca-file' = 'files'
        'profile set --key-file' = 'files'
        'profile add --store' = 'words file keychain'
        'profile set --store' = 'words file keychain'
        'profile add --markets' = 'list names markets'
        'profile limit --markets' = 'list names markets'
        'practice weather --disable' = 'list names markets'
        'practice serve --disable' = 'list names markets'
        'practice weather --only' = 'words all readings actions open add reduce close'
        'practice serve --only' = 'words all readings actions open add reduce close'
        'practice serve --host' = 'words 127.0.0.1 ::1'
        '* --profile' = 'names profiles'
        '* --output' = 'words table json jsonl csv'
    }
    $operands = @{
        'price *' = 'names markets'
        'quote 0' = 'names markets'
        'watch *' = 'names markets'
        'open 0' = 'names markets'
        'add 0' = 'names markets'
        'reduce 0' = 'names markets'
        'close 0' = 'names markets'
        'quote 1' = 'words buy sell'
        'open 1' = 'words buy sell'
        'add 1' = 'words buy sell'
        'reduce 1' = 'words buy sell'
        'close 1' = 'words buy sell'
        'quote 2' = 'free'
        'open 2' = 'free'
        'add 2' = 'free'
        'reduce 2' = 'free'
        'halt *' = 'free'
        'profile add 0' = 'free'
        'practice advance 0' = 'free'
        'api 0' = 'free'
        'check 0' = 'names anything'
        'wait 0' = 'names anything'
        'journal 0' = 'names anything'
        'resume 0' = 'names matters'
        'journal settle 0' = 'names matters'
        'batch 0' = 'files'
        'hedges 0' = 'names hedges'
        'profile show 0' = 'names profiles'
        'profile use 0' = 'names profiles'
        'profile set 0' = 'names profiles'
        'profile limit 0' = 'names profiles'
        'profile remove 0' = 'names profiles'
        'practice weather 0' = 'words clear'
        'api 1' = 'words /markets /prices /hedges /hedges/history /positions /account /quotes /hedges/add /hedges/reduce /hedges/close'
        'api GET 0' = 'words /markets /prices /hedges /hedges/history /positions /account'
        'api POST 0' = 'words /quotes /hedges /hedges/add /hedges/reduce /hedges/close'
        'completion 0' = 'words bash zsh fish powershell'
    }
    function Get-Taken($path, $option) {
        if ($taken.ContainsKey("$path $option")) { return $taken["$path $option"] }
        return $taken["* $option"]
    }
    function New-Offer($text, $about) {
        if (-not $about) { $about = $text }
        [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
    }

    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and -not $wordToComplete) } |
        Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text.Trim([char[]]@(39, 34)) })
    $cur = $wordToComplete.Trim([char[]]@(39, 34))
    $path = ''; $pending = ''; $ended = $false; $profileName = ''; $given = @(); $count = 0
    foreach ($word in $words) {
        if ($pending) {
            if ($pending -ceq '--profile') { $profileName = $word }
            $pending = ''
        } elseif (-not $ended -and $word -ceq '--') {
            $ended = $true
        } elseif (-not $ended -and $word -clike '--*=*') {
            $given += $word.Substring(0, $word.IndexOf('='))
            if ($word -clike '--profile=*') { $profileName = $word.Substring('--profile='.Length) }
        } elseif (-not $ended -and $word -clike '-?*') {
            $given += $word
            if (Get-Taken $path $word) { $pending = $word }
        } elseif ($count -eq 0 -and ($subs[$path] | Where-Object { $_[0] -ceq $word })) {
            $path = "$path $word".Trim()
        } else {
            $count++
        }
    }

    $takes = ''; $before = ''; $offers = @()
    if ($pending) {
        $takes = Get-Taken $path $pending
    } elseif (-not $ended -and $cur -clike '--*=*') {
        $before = $cur.Substring(0, $cur.IndexOf('=') + 1)
        $takes = Get-Taken $path $before.TrimEnd('=')
        $cur = $cur.Substring($before.Length)
    } elseif (-not $ended -and $cur -clike '-*') {
        $takes = 'options'
    } else {
        if ($count -eq 0 -and $subs.ContainsKey($path)) { $offers += $subs[$path] }
        $takes = $operands["$path $count"]
        if (-not $takes) { $takes = $operands["$path *"] }
        if (-not $takes -and -not $offers -and -not $ended) { $takes = 'options' }
    }

    $takes = $takes -creplace '^list ', ''

    if ($takes -ceq 'options') {
        foreach ($option in @($options[$path]) + $everywhere) {
            if ($option -and -not ($option[1] | Where-Object { $given -ccontains $_ })) {
                $offers += , @($option[0], $option[2])
            }
        }
    } elseif ($takes -clike 'words *') {
        foreach ($word in $takes.Substring(6).Split(' ')) { $offers += , @($word, '') }
    } elseif ($takes -clike 'names *') {
        $kind = $takes.Substring(6)
        $program = Get-Command hedge -CommandType Application, ExternalScript | Select-Object -First 1
        foreach ($line in @(& $program __complete $kind "--profile=$profileName" 2>$null)) {
            $name, $about = $line -split [char]9, 2
            if ($name -cmatch '\A[A-Za-z0-9][A-Za-z0-9._/-]*\z') { $offers += , @($name, $about) }
        }
    }
    foreach ($offer in $offers) {
        if ($offer[0].StartsWith($cur, [System.StringComparison]::OrdinalIgnoreCase)) {
            New-Offer ($before + $offer[0]) $offer[1]
        }
    }
}
