# fish completion for hedge. Generated: npm run completions.

function __hedge_subs
    switch "$argv[1]"
        case ''
            printf '%s\n' \
                'markets|what can be dealt: status, mid, capacity and carry per side' \
                'price|indicative mid of one market, several, or all of yours' \
                'quote|what a hedge would cost, all in; every tenor side by side' \
                'watch|one screen for the corner of a desk' \
                'open|opens a hedge; on a terminal, missing parts are asked for' \
                'add|adds notional to the open hedge on a side; the maturity stays' \
                'reduce|takes notional off a side: an amount, a part, or down to a size' \
                'close|closes everything on a side; shows what comes back first' \
                'check|looks at what is unresolved or in flight; sends nothing' \
                'resume|settles an action: looks, then asks before sending it again' \
                'wait|waits for the end of an action or a hedge' \
                'batch|many command lines, one document a line; safe to run again' \
                'halt|stops opens and adds from this machine; reduce and close go on' \
                'unhalt|lifts the halt' \
                'hedges|the hedges of this account, newest first, or one of them' \
                'history|closed hedges with realised P&L, carry and fees' \
                'positions|what is open per side, and what closing it now would return' \
                'account|free balance, margin in use, exposure and headroom' \
                'journal|what was sent from this machine, and what became of it' \
                'profile|keys and base addresses: add, list, show, use, limit, remove' \
                'practice|the practice desk on this machine: time, weather, books, serve' \
                'doctor|looks at everything that dealing rests on, and says what to mend' \
                'api|a request in the service\'s own words, for what has no command yet' \
                'completion|prints the completion script of bash, zsh, fish or PowerShell' \
                'help|help for a command or a topic'
        case 'journal'
            printf '%s\n' \
                'settle|your word for what became of an action that nobody else knows the end of'
        case 'profile'
            printf '%s\n' \
                'add|keeps a key and its base address under a name' \
                'list|the profiles of this user, keys masked' \
                'show|the profile that is chosen here and which source chose it, or one by name' \
                'use|makes a profile the default; a live one is asked about' \
                'set|Change the API key, account label or base address of a profile' \
                'limit|sets what may be dealt under a profile, or lifts it with none' \
                'remove|forgets a profile and its key'
        case 'practice'
            printf '%s\n' \
                'status|book time, both books and the weather' \
                'advance|moves book time ahead, and tells what happened on the way' \
                'weather|shows or sets chosen trouble: delays, refusals, lost answers, failing orders' \
                'reset|starts both books anew: flat, the opening balance, book time at the wall clock' \
                'serve|keeps the practice service up for other programs, until Ctrl-C'
        case 'api'
            printf '%s\n' \
                'GET|GET or POST' \
                'POST|GET or POST'
        case 'help'
            printf '%s\n' \
                'markets|what can be dealt: status, mid, capacity and carry per side' \
                'price|indicative mid of one market, several, or all of yours' \
                'quote|what a hedge would cost, all in; every tenor side by side' \
                'watch|one screen for the corner of a desk' \
                'open|opens a hedge; on a terminal, missing parts are asked for' \
                'add|adds notional to the open hedge on a side; the maturity stays' \
                'reduce|takes notional off a side: an amount, a part, or down to a size' \
                'close|closes everything on a side; shows what comes back first' \
                'check|looks at what is unresolved or in flight; sends nothing' \
                'resume|settles an action: looks, then asks before sending it again' \
                'wait|waits for the end of an action or a hedge' \
                'batch|many command lines, one document a line; safe to run again' \
                'halt|stops opens and adds from this machine; reduce and close go on' \
                'unhalt|lifts the halt' \
                'hedges|the hedges of this account, newest first, or one of them' \
                'history|closed hedges with realised P&L, carry and fees' \
                'positions|what is open per side, and what closing it now would return' \
                'account|free balance, margin in use, exposure and headroom' \
                'journal|what was sent from this machine, and what became of it' \
                'profile|keys and base addresses: add, list, show, use, limit, remove' \
                'practice|the practice desk on this machine: time, weather, books, serve' \
                'doctor|looks at everything that dealing rests on, and says what to mend' \
                'api|a request in the service\'s own words, for what has no command yet' \
                'completion|prints the completion script of bash, zsh, fish or PowerShell' \
                'exit-codes|what a command ended with, and whether the book changed' \
                'environment|the variables that hedge reads, and where files live' \
                'keys|where keys come from, which profile wins, limits, TLS' \
                'json|the document of --json, its errors, --query, --csv' \
                'practice|learning with no money, and with trouble of your choice' \
                'scripting|dealing from scripts and cron, safe to run again' \
                'topics|which topics there are'
    end
end

function __hedge_options
    switch "$argv[1]"
        case ''
            printf '%s\n' \
                '--version:--version|the version of this program'
        case 'markets'
            printf '%s\n' \
                '--watch:--watch|reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C'
        case 'price'
            printf '%s\n' \
                '--chart:--chart|the mids that were seen from this machine, drawn over time' \
                '--watch:--watch|reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C'
        case 'quote'
            printf '%s\n' \
                '--tenor -t:--tenor|1, 3, 7 (or 3d), a list such as 1,3, or all' \
                '--worst-price:--worst-price|exit 11 when the execution price is worse' \
                '--max-cost-bps:--max-cost-bps|exit 11 when the whole cost is more, in bps of notional' \
                '--curve:--curve|a tenth to ten times the notional of one tenor, side by side and drawn' \
                '--watch:--watch|reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C'
        case 'watch'
            printf '%s\n' \
                '--every:--every|from one turn to the next: 3 unless said, at least 1.5'
        case 'open'
            printf '%s\n' \
                '--tenor -t:--tenor|1, 3 or 7 (or 3d)' \
                '--deal-id:--deal-id|the desk\'s own id of the deal; one deal each' \
                '--ensure:--ensure|with --deal-id: what is dealt already under it is not dealt again' \
                '--retry-failed:--retry-failed|with --ensure: deals anew when the last one failed' \
                '--worst-price:--worst-price|do not deal at a worse one; checked here, the service has no limit price' \
                '--max-cost-bps:--max-cost-bps|do not deal when the whole cost is more, in bps of notional' \
                '--any-price:--any-price|deal at whatever the price is' \
                '--allow-duplicate:--allow-duplicate|although the same was dealt within the last minute' \
                '--yes -y:--yes|deal without asking' \
                '--dry-run:--dry-run|show what would be sent, send nothing; exits as the guards would' \
                '--no-wait:--no-wait|end when the service has accepted it' \
                '--timeout:--timeout|how long to wait for the end, 60 by default; never cuts the sending' \
                '--idempotency-key:--idempotency-key|the key to send; the same key and request never act twice' \
                '--despite:--despite|do it although this action is unresolved or in flight: an id, or a list'
        case 'add'
            printf '%s\n' \
                '--worst-price:--worst-price|do not deal at a worse one; checked here, the service has no limit price' \
                '--max-cost-bps:--max-cost-bps|do not deal when the whole cost is more, in bps of notional' \
                '--any-price:--any-price|deal at whatever the price is' \
                '--allow-duplicate:--allow-duplicate|although the same was dealt within the last minute' \
                '--yes -y:--yes|deal without asking' \
                '--dry-run:--dry-run|show what would be sent, send nothing; exits as the guards would' \
                '--no-wait:--no-wait|end when the service has accepted it' \
                '--timeout:--timeout|how long to wait for the end, 60 by default; never cuts the sending' \
                '--idempotency-key:--idempotency-key|the key to send; the same key and request never act twice' \
                '--despite:--despite|do it although this action is unresolved or in flight: an id, or a list'
        case 'reduce'
            printf '%s\n' \
                '--by:--by|this part of what is open: 50%' \
                '--to:--to|down to this size in USD' \
                '--allow-duplicate:--allow-duplicate|although the same was dealt within the last minute' \
                '--yes -y:--yes|deal without asking' \
                '--dry-run:--dry-run|show what would be sent, send nothing; exits as the guards would' \
                '--no-wait:--no-wait|end when the service has accepted it' \
                '--timeout:--timeout|how long to wait for the end, 60 by default; never cuts the sending' \
                '--idempotency-key:--idempotency-key|the key to send; the same key and request never act twice' \
                '--despite:--despite|do it although this action is unresolved or in flight: an id, or a list'
        case 'close'
            printf '%s\n' \
                '--if-open:--if-open|exit 0 when nothing is open on that side' \
                '--yes -y:--yes|deal without asking' \
                '--dry-run:--dry-run|show what would be sent, send nothing; exits as the guards would' \
                '--no-wait:--no-wait|end when the service has accepted it' \
                '--timeout:--timeout|how long to wait for the end, 60 by default; never cuts the sending' \
                '--idempotency-key:--idempotency-key|the key to send; the same key and request never act twice' \
                '--despite:--despite|do it although this action is unresolved or in flight: an id, or a list'
        case 'resume'
            printf '%s\n' \
                '--yes -y:--yes|send it again without asking, where looking does not settle it' \
                '--resend:--resend|send it again also with nobody to ask (with --yes), or where the book is not clear' \
                '--dry-run:--dry-run|look, and show what would be sent; send nothing' \
                '--no-wait:--no-wait|end when the service has accepted it' \
                '--timeout:--timeout|how long to wait for the end, 60 by default'
        case 'wait'
            printf '%s\n' \
                '--timeout:--timeout|how long to wait for the end, 60 by default'
        case 'batch'
            printf '%s\n' \
                '--name:--name|tells this batch from another one of the same actions' \
                '--parallel:--parallel|this many readings at once, 1 to 16 (1); never actions' \
                '--keep-going:--keep-going|goes on after an unknown outcome, or with the service out of reach' \
                '--yes -y:--yes|for every line: deal without asking' \
                '--dry-run:--dry-run|for every action: everything but the sending'
        case 'unhalt'
            printf '%s\n' \
                '--yes -y:--yes|does not ask'
        case 'hedges'
            printf '%s\n' \
                '--status:--status|submitting, submitted, filled, failed or closed' \
                '--deal-id:--deal-id|those that carry this deal id' \
                '--since:--since|opened then or later (opened_at): 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday, today' \
                '--until:--until|opened before then; a day is meant whole: --until yesterday' \
                '--market:--market|on this market' \
                '--side:--side|buy or sell' \
                '--limit:--limit|how many to ask for, 1 to 500 (100; 500 to pick from)' \
                '--watch:--watch|reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C'
        case 'history'
            printf '%s\n' \
                '--since:--since|closed then or later (closed_at): 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday, today' \
                '--until:--until|closed before then; a day is meant whole: --until yesterday' \
                '--market:--market|on this market' \
                '--side:--side|buy or sell' \
                '--by:--by|sums by day, week, month, market or side' \
                '--chart:--chart|net P&L added up over time, drawn'
        case 'positions'
            printf '%s\n' \
                '--watch:--watch|reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C'
        case 'account'
            printf '%s\n' \
                '--watch:--watch|reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C'
        case 'journal'
            printf '%s\n' \
                '--unresolved:--unresolved|sent without a usable answer' \
                '--in-flight:--in-flight|accepted, or being sent, and not seen to end' \
                '--action:--action|open, add, reduce or close' \
                '--market:--market|on this market' \
                '--side:--side|buy or sell' \
                '--deal-id:--deal-id|dealt under this deal id' \
                '--environment:--environment|live, sandbox or practice' \
                '--day:--day|of this UTC day: 2026-11-20, or today' \
                '--limit:--limit|how many, or all (20)'
        case 'journal settle'
            printf '%s\n' \
                '--as:--as|done (it stands on the book) or nothing (it never happened)' \
                '--because:--because|how you know: kept in the journal' \
                '--yes -y:--yes|does not ask'
        case 'profile add'
            printf '%s\n' \
                '--base-url:--base-url|https address of the service, ending in its version' \
                '--key-stdin:--key-stdin|the key comes on standard input' \
                '--key-file:--key-file|the key stands in a file, alone' \
                '--key-command:--key-command|a program that prints the key, run each time, never stored' \
                '--store:--store|where the key is kept: file (plain text, yours alone) or keychain' \
                '--account:--account|label of the account, the same on every machine: payroll' \
                '--ca-file:--ca-file|certificates to trust besides the usual ones (PEM)' \
                '--time-zone:--time-zone|zone that times are shown in (UTC): Africa/Lagos' \
                '--max-notional:--max-notional|the most of one open or add, in USD: 50k' \
                '--max-daily-notional:--max-daily-notional|the most that a UTC day may open and add, in USD: 200k' \
                '--read-only:--read-only|deals nothing at all' \
                '--markets:--markets|opens and adds in these alone: USDTNGN, or a list by commas' \
                '--no-check:--no-check|keeps the key without trying it'
        case 'profile use'
            printf '%s\n' \
                '--yes -y:--yes|does not ask'
        case 'profile set'
            printf '%s\n' \
                '--key-stdin:--key-stdin|the key comes on standard input' \
                '--key-file:--key-file|the key stands in a file, alone' \
                '--key-command:--key-command|a program that prints the key, run each time, never stored' \
                '--store:--store|where the key is kept: file (plain text, yours alone) or keychain' \
                '--account:--account|label of the account, the same on every machine: payroll; none removes it' \
                '--base-url:--base-url|https address of the service, ending in its version' \
                '--no-check:--no-check|do not try the key and address on the service'
        case 'profile limit'
            printf '%s\n' \
                '--max-notional:--max-notional|the most of one open or add, in USD: 50k' \
                '--max-daily-notional:--max-daily-notional|the most that a UTC day may open and add, in USD: 200k' \
                '--read-only --no-read-only:--read-only|deals nothing at all' \
                '--markets:--markets|opens and adds in these alone: USDTNGN, or a list by commas' \
                '--no-read-only --read-only:--no-read-only|deals again' \
                '--yes -y:--yes|does not ask'
        case 'profile remove'
            printf '%s\n' \
                '--leave-key:--leave-key|leaves a key of the keychain there: for one that cannot be used any more' \
                '--yes -y:--yes|does not ask'
        case 'practice weather'
            printf '%s\n' \
                '--latency:--latency|every answer takes this long' \
                '--rate-limited:--rate-limited|429 rate_limited; the book did not act' \
                '--fail-before:--fail-before|503 before the book acted' \
                '--fail-after:--fail-after|503 after the book acted' \
                '--lost-before:--lost-before|connection cut before the book acted' \
                '--lost-after:--lost-after|connection cut after the book acted' \
                '--in-flight:--in-flight|idempotency_in_flight for this long' \
                '--slow-fills:--slow-fills|added to the time that a fill takes' \
                '--failing-orders:--failing-orders|orders that do not land' \
                '--partial-fills:--partial-fills|opens that are filled for 60 % of their notional' \
                '--disable:--disable|disabled markets: USDTNGN, a list, or none' \
                '--only:--only|falls on all, readings, actions, open, add, reduce, close' \
                '--spare-replays:--spare-replays|a resend under a key that has its answer passes' \
                '--once:--once|for the next so many requests, then clear'
        case 'practice reset'
            printf '%s\n' \
                '--balance:--balance|opening balance of each book (100000)' \
                '--yes -y:--yes|does not ask'
        case 'practice serve'
            printf '%s\n' \
                '--port:--port|where to listen; any free port without it' \
                '--host:--host|a loopback address (127.0.0.1)' \
                '--log:--log|one line a request on standard error' \
                '--latency:--latency|every answer takes this long' \
                '--rate-limited:--rate-limited|429 rate_limited; the book did not act' \
                '--fail-before:--fail-before|503 before the book acted' \
                '--fail-after:--fail-after|503 after the book acted' \
                '--lost-before:--lost-before|connection cut before the book acted' \
                '--lost-after:--lost-after|connection cut after the book acted' \
                '--in-flight:--in-flight|idempotency_in_flight for this long' \
                '--slow-fills:--slow-fills|added to the time that a fill takes' \
                '--failing-orders:--failing-orders|orders that do not land' \
                '--partial-fills:--partial-fills|opens that are filled for 60 % of their notional' \
                '--disable:--disable|disabled markets: USDTNGN, a list, or none' \
                '--only:--only|falls on all, readings, actions, open, add, reduce, close' \
                '--spare-replays:--spare-replays|a resend under a key that has its answer passes' \
                '--once:--once|for the next so many requests, then clear'
        case 'api'
            printf '%s\n' \
                ':--raw-field|key=value of the body, as text' \
                ':--field|key=value: a number, true, false or null' \
                '--data:--data|the whole body: JSON, @FILE, or - for standard input' \
                ':--param|key=value of the query of a GET' \
                '--ensure:--ensure|an action: with client_reference: what is dealt already under it is not dealt again' \
                '--retry-failed:--retry-failed|an action: with --ensure: deals anew when the last one failed' \
                '--worst-price:--worst-price|an action: do not deal at a worse one; checked here, the service has no limit price' \
                '--max-cost-bps:--max-cost-bps|an action: do not deal when the whole cost is more, in bps of notional' \
                '--any-price:--any-price|an action: deal at whatever the price is' \
                '--allow-duplicate:--allow-duplicate|an action: although the same was dealt within the last minute' \
                '--yes -y:--yes|an action: deal without asking' \
                '--dry-run:--dry-run|an action: show what would be sent, send nothing; exits as the guards would' \
                '--no-wait:--no-wait|an action: end when the service has accepted it' \
                '--timeout:--timeout|an action: how long to wait for the end, 60 by default; never cuts the sending' \
                '--idempotency-key:--idempotency-key|an action: the key to send; the same key and request never act twice' \
                '--despite:--despite|an action: do it although this action is unresolved or in flight: an id, or a list' \
                '--if-open:--if-open|an action: exit 0 when nothing is open on that side'
        case 'api GET'
            printf '%s\n' \
                ':--param|key=value of the query of a GET'
        case 'api POST'
            printf '%s\n' \
                ':--raw-field|key=value of the body, as text' \
                ':--field|key=value: a number, true, false or null' \
                '--data:--data|the whole body: JSON, @FILE, or - for standard input' \
                '--ensure:--ensure|an action: with client_reference: what is dealt already under it is not dealt again' \
                '--retry-failed:--retry-failed|an action: with --ensure: deals anew when the last one failed' \
                '--worst-price:--worst-price|an action: do not deal at a worse one; checked here, the service has no limit price' \
                '--max-cost-bps:--max-cost-bps|an action: do not deal when the whole cost is more, in bps of notional' \
                '--any-price:--any-price|an action: deal at whatever the price is' \
                '--allow-duplicate:--allow-duplicate|an action: although the same was dealt within the last minute' \
                '--yes -y:--yes|an action: deal without asking' \
                '--dry-run:--dry-run|an action: show what would be sent, send nothing; exits as the guards would' \
                '--no-wait:--no-wait|an action: end when the service has accepted it' \
                '--timeout:--timeout|an action: how long to wait for the end, 60 by default; never cuts the sending' \
                '--idempotency-key:--idempotency-key|an action: the key to send; the same key and request never act twice' \
                '--despite:--despite|an action: do it although this action is unresolved or in flight: an id, or a list' \
                '--if-open:--if-open|an action: exit 0 when nothing is open on that side'
    end
    printf '%s\n' \
                '--profile:--profile|whose key and base address to use (practice is built in)' \
                '--expect-env:--expect-env|a promise: live, sandbox or practice; broken, nothing is sent' \
                '--json --csv --output:--json|one document on standard output, on success and on failure' \
                '--csv --json --output:--csv|a list as CSV: every field and digit, times in UTC; nothing on failure' \
                '--output --json --csv:--output|table, json (the same as --json), jsonl (a record a line) or csv' \
                '--query:--query|picks from the document (JMESPath), figures exact; nothing on failure' \
                '--no-color:--no-color|no colour' \
                '--quiet -q:--quiet|no progress and no notes on standard error' \
                '--verbose -v:--verbose|requests and answers on standard error, the key masked' \
                '--help -h:--help|help for a command'
end

function __hedge_takes
    switch "$argv[1] $argv[2]"
        case 'quote --tenor' 'quote -t'
            echo 'list words 1 3 7 all'
        case 'quote --worst-price' 'quote --max-cost-bps' 'watch --every' 'open --deal-id' 'open --worst-price' 'open --max-cost-bps' 'open --timeout' 'open --idempotency-key' 'add --worst-price' 'add --max-cost-bps' 'add --timeout' 'add --idempotency-key' 'reduce --by' 'reduce --to' 'reduce --timeout' 'reduce --idempotency-key' 'close --timeout' 'close --idempotency-key' 'resume --timeout' 'wait --timeout' 'batch --name' 'batch --parallel' 'hedges --limit' 'journal --limit' 'journal settle --because' 'profile add --base-url' 'profile add --key-command' 'profile add --account' 'profile add --time-zone' 'profile add --max-notional' 'profile add --max-daily-notional' 'profile set --key-command' 'profile set --account' 'profile set --base-url' 'profile limit --max-notional' 'profile limit --max-daily-notional' 'practice weather --latency' 'practice weather --rate-limited' 'practice weather --fail-before' 'practice weather --fail-after' 'practice weather --lost-before' 'practice weather --lost-after' 'practice weather --in-flight' 'practice weather --slow-fills' 'practice weather --failing-orders' 'practice weather --partial-fills' 'practice weather --once' 'practice reset --balance' 'practice serve --port' 'practice serve --latency' 'practice serve --rate-limited' 'practice serve --fail-before' 'practice serve --fail-after' 'practice serve --lost-before' 'practice serve --lost-after' 'practice serve --in-flight' 'practice serve --slow-fills' 'practice serve --failing-orders' 'practice serve --partial-fills' 'practice serve --once' 'api --raw-field' 'api -f' 'api --field' 'api -F' 'api --data' 'api --param' 'api --worst-price' 'api --max-cost-bps' 'api --timeout' 'api --idempotency-key' 'api GET --param' 'api POST --raw-field' 'api POST -f' 'api POST --field' 'api POST -F' 'api POST --data' 'api POST --worst-price' 'api POST --max-cost-bps' 'api POST --timeout' 'api POST --idempotency-key' '* --query'
            echo 'free'
        case 'open --tenor' 'open -t'
            echo 'words 1 3 7'
        case 'open --despite' 'add --despite' 'reduce --despite' 'close --despite' 'api --despite' 'api POST --despite'
            echo 'list names matters'
        case 'hedges --status'
            echo 'words submitting submitted filled failed closed'
        case 'hedges --deal-id' 'journal --deal-id'
            echo 'names deals'
        case 'hedges --since' 'hedges --until' 'history --since' 'history --until'
            echo 'words today yesterday 7d'
        case 'hedges --market' 'history --market' 'journal --market'
            echo 'names markets'
        case 'hedges --side' 'history --side' 'journal --side'
            echo 'words buy sell'
        case 'history --by'
            echo 'words day week month market side'
        case 'journal --action'
            echo 'words open add reduce close'
        case 'journal --environment' '* --expect-env'
            echo 'words live sandbox practice'
        case 'journal --day'
            echo 'words today'
        case 'journal settle --as'
            echo 'words done nothing'
        case 'profile add --key-file' 'profile add --ca-file' 'profile set --key-file'
            echo 'files'
        case 'profile add --store' 'profile set --store'
            echo 'words file keychain'
        case 'profile add --markets' 'profile limit --markets' 'practice weather --disable' 'practice serve --disable'
            echo 'list names markets'
        case 'practice weather --only' 'practice serve --only'
            echo 'words all readings actions open add reduce close'
        case 'practice serve --host'
            echo 'words 127.0.0.1 ::1'
        case '* --profile'
            echo 'names profiles'
        case '* --output'
            echo 'words table json jsonl csv'
    end
end

function __hedge_operand
    switch "$argv[1] $argv[2]"
        case 'price *' 'quote 0' 'watch *' 'open 0' 'add 0' 'reduce 0' 'close 0'
            echo 'names markets'
        case 'quote 1' 'open 1' 'add 1' 'reduce 1' 'close 1'
            echo 'words buy sell'
        case 'quote 2' 'open 2' 'add 2' 'reduce 2' 'halt *' 'profile add 0' 'practice advance 0' 'api 0'
            echo 'free'
        case 'check 0' 'wait 0' 'journal 0'
            echo 'names anything'
        case 'resume 0' 'journal settle 0'
            echo 'names matters'
        case 'batch 0'
            echo 'files'
        case 'hedges 0'
            echo 'names hedges'
        case 'profile show 0' 'profile use 0' 'profile set 0' 'profile limit 0' 'profile remove 0'
            echo 'names profiles'
        case 'practice weather 0'
            echo 'words clear'
        case 'api 1'
            echo 'words /markets /prices /hedges /hedges/history /positions /account /quotes /hedges/add /hedges/reduce /hedges/close'
        case 'api GET 0'
            echo 'words /markets /prices /hedges /hedges/history /positions /account'
        case 'api POST 0'
            echo 'words /quotes /hedges /hedges/add /hedges/reduce /hedges/close'
        case 'completion 0'
            echo 'words bash zsh fish powershell'
    end
end

# What hedge remembers. It asks neither the network nor the key.
function __hedge_names
    command hedge __complete $argv[1] --profile="$argv[2]" 2>/dev/null </dev/null | string match -r '^[A-Za-z0-9][A-Za-z0-9._/-]*(?:\t[A-Za-z0-9._/: -]*)?$'
end

# Where the cursor is: the place, what it takes, the words given, the profile, how many operands, whether options ended.
function __hedge_where
    set -l words (commandline -opc)
    set -l place ''
    set -l pending ''
    set -l ended ''
    set -l profile ''
    set -l given
    set -l count 0
    for word in $words[2..-1]
        if test -n "$pending"
            test "$pending" = --profile; and set profile $word
            set pending ''
        else if test -z "$ended" -a "x$word" = x--
            set ended 1
        else if test -z "$ended"; and string match -q -- '--*=*' $word
            set -a given (string replace -r '=.*' '' -- $word)[1]
            string match -q -- '--profile=*' $word; and set profile (string replace -- --profile= '' $word)
        else if test -z "$ended"; and string match -q -- '-?*' $word
            set -a given $word
            test -n "$(__hedge_takes "$place" "$word")"; and set pending $word
        else if test $count = 0; and contains -- "$word" (__hedge_subs "$place" | string replace -r '\\|.*' '')
            set place (string trim -- "$place $word")
        else
            set count (math $count + 1)
        end
    end
    set -l cur (commandline -ct)
    set -l takes ''
    set -l opens ''
    set -l before ''
    if test -n "$pending"
        set takes (__hedge_takes "$place" "$pending")
    else if test -z "$ended"; and string match -q -- '--*=*' $cur
        set before (string replace -r '=.*' '' -- $cur)[1]
        set takes (__hedge_takes "$place" "$before")
        set before $before=
    else if test -z "$ended"; and string match -q -- '-*' $cur
        set takes options
    else
        test $count = 0; and test -n "$(__hedge_subs "$place")"; and set opens subs
        set takes (__hedge_operand "$place" $count)
        test -z "$takes$opens$ended"; and set takes options
    end
    if string match -q 'list *' -- $takes
        set takes (string replace 'list ' '' -- $takes)
        set -l chosen (string match -r '^.*,' -- (string replace -- "$before" '' $cur))
        set before "$before$chosen"
    end
    printf '%s\n' "$place" "$takes" "$opens" "$before" "$profile" "$given"
end

function __hedge_wants_files
    set -l where (__hedge_where)
    test "$where[2]" = files
end

function __hedge_complete
    set -l where (__hedge_where)
    set -l place $where[1]
    set -l takes $where[2]
    set -l before $where[4]
    set -l chosen (string split , -- (string replace -r '^--[^=]*=' '' -- "$before"))
    test "$where[3]" = subs; and __hedge_subs "$place" | string replace '|' \t
    switch "$takes"
        case 'words *'
            for word in (string split ' ' -- (string replace 'words ' '' -- $takes))
                contains -- $word $chosen; or printf '%s%s\n' "$before" $word
            end
        case 'names *'
            for name in (__hedge_names (string replace 'names ' '' -- $takes) "$where[5]")
                contains -- (string split \t -- $name)[1] $chosen; or printf '%s%s\n' "$before" $name
            end
        case options
            set -l given (string split ' ' -- "$where[6]")
            for line in (__hedge_options "$place")
                set -l parts (string split -m 1 : -- $line)
                set -l kept 1
                for other in (string split ' ' -- $parts[1])
                    test -n "$other"; and contains -- $other $given; and set kept 0
                end
                test $kept = 1; and string replace '|' \t -- $parts[2]
            end
    end
end

complete -c hedge -f
complete -c hedge -n __hedge_wants_files -F
complete -c hedge -f -k -a '(__hedge_complete)'
