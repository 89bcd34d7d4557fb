/**
 * The script for PowerShell, 5.1 and newer. Names are taken as text, and one with more than letters, digits and
 * `._/-` is passed over. Nobody has run it yet: the tests have no PowerShell.
 */
import { shellText } from './shell-text.ts';
import type { Coded, Tables } from './tables.ts';

const single = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const list = (words: readonly string[]): string => words.map(single).join(', ');

/** Word, what withdraws it, summary: one entry. */
const options = (offered: Tables['everywhere']): string =>
  offered
    .map(
      ({ word, unless, summary }) => `        , @(${single(word)}, @(${list(unless)}), ${single(summary)})\n`,
    )
    .join('');

const coded = (entries: readonly Coded[]): string =>
  entries
    .flatMap(({ keys, gives }) => keys.map((key) => `        ${single(key)} = ${single(gives)}\n`))
    .join('');

export const powershellScript = (
  tables: Tables,
): string => shellText`# PowerShell completion for hedge. Generated: npm run completions. Untested.

Register-ArgumentCompleter -Native -CommandName hedge -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $subs = @{
${tables.words
  .map(({ path, offered }) => {
    const entries = offered.map(({ word, summary }) => `        , @(${single(word)}, ${single(summary)})\n`);
    return `        ${single(path)} = @(\n${entries.join('')}        )\n`;
  })
  .join('')}    }
    $options = @{
${tables.options
  .map(({ path, offered }) => `        ${single(path)} = @(\n${options(offered)}        )\n`)
  .join('')}    }
    $everywhere = @(
${options(tables.everywhere)}    )
    $taken = @{
${coded(tables.takes)}    }
    $operands = @{
${coded(tables.operands)}    }
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
`;
