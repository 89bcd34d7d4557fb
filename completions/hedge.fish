# fish completion for hedge. Generated: npm run completions.

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
