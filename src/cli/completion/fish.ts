/**
 * The script for fish, 3.4 and newer. Names are taken as text, and one with more than letters, digits and `._/-`
 * is passed over; fish itself quotes whatever it puts on the line.
 */
import { shellText } from './shell-text.ts';
import type { Coded, Tables } from './tables.ts';

const single = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

/** Several lines as arguments of printf. */
const lines = (list: readonly string[]): string =>
  list.map((line) => ` \\\n                ${single(line)}`).join('');

const subs = ({ words }: Tables): string =>
  words
    .map(({ path, offered }) => {
      const said = offered.map(({ word, summary }) => `${word}|${summary}`);
      return `        case ${single(path)}\n            printf '%s\\n'${lines(said)}\n`;
    })
    .join('');

/** What withdraws it, a colon, the word, a bar and its summary. */
const optionLines = (offered: Tables['everywhere']): readonly string[] =>
  offered.map(({ word, unless, summary }) => `${unless.join(' ')}:${word}|${summary}`);

const options = ({ options: list }: Tables): string =>
  list
    .map(
      ({ path, offered }) =>
        `        case ${single(path)}\n            printf '%s\\n'${lines(optionLines(offered))}\n`,
    )
    .join('');

const coded = (list: readonly Coded[]): string =>
  list
    .map(
      ({ keys, gives }) => `        case ${keys.map(single).join(' ')}\n            echo ${single(gives)}\n`,
    )
    .join('');

export const fishScript = (
  tables: Tables,
): string => shellText`# fish completion for hedge. Generated: npm run completions.

function __hedge_subs
    switch "$argv[1]"
${subs(tables)}    end
end

function __hedge_options
    switch "$argv[1]"
${options(tables)}    end
    printf '%s\n'${lines(optionLines(tables.everywhere))}
end

function __hedge_takes
    switch "$argv[1] $argv[2]"
${coded(tables.takes)}    end
end

function __hedge_operand
    switch "$argv[1] $argv[2]"
${coded(tables.operands)}    end
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
`;
