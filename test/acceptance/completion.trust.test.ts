/** Completion as an operator meets it: real, interactive shells on a terminal, names that bite among the good ones. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anIntent, idOf } from '../journal/records.ts';
import { IN_SHELL, runBuilt } from '../support/built.ts';
import { expectHeld } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { openScreen, type Screen } from '../support/pty.ts';
import { needs } from '../support/tools.ts';
import { writeJournal } from '../support/written-journal.ts';

const COMPLETIONS = fileURLToPath(new URL('../../completions', import.meta.url));
const SHELLS = {
  bash: ['--noprofile', '--norc', '-i'],
  zsh: ['-f', '-i'],
  fish: ['--no-config', '-i'],
} as const;
type Shell = keyof typeof SHELLS;

const BEGIN: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    "bind 'set enable-bracketed-paste off'",
    "bind 'set show-all-if-ambiguous on'",
    "bind 'set completion-query-items 0'; bind 'set page-completions off'",
    `source '${COMPLETIONS}/hedge.bash'`,
    "PS1='desk> '",
  ],
  zsh: [
    `fpath=('${COMPLETIONS}' $fpath)`,
    'autoload -Uz compinit && compinit -u -D',
    'unsetopt prompt_sp && zle_bracketed_paste=()',
    "PS1='desk> '",
  ],
  fish: [
    `source '${COMPLETIONS}/hedge.fish'`,
    'set -g fish_autosuggestion_enabled 0; set -g fish_greeting; function fish_right_prompt; end',
    "function fish_prompt; echo -n 'desk> '; end",
  ],
};

/** Two that are fine, and what a service might say to run a program on this machine. */
const HOSTILE = [
  '$(touch BITTEN)',
  '`touch BITTEN`',
  'w-;touch BITTEN',
  "w-';touch BITTEN;'",
  'w-";touch BITTEN;"',
  'w-&touch BITTEN',
  'w-|touch BITTEN',
  'w->BITTEN',
  'w-\n$(touch BITTEN)',
  'w-about\t$(touch BITTEN)`touch BITTEN`',
  'w-\u001b[2J\u001b]0;title\u0007',
  'w- $(touch BITTEN)',
  '(touch BITTEN)',
  '--yes',
  '-rf',
  '~root',
  '=ls',
  'w-*',
  'w-{a,b}',
  'w-!!',
  'w-$HOME',
  'w-%n',
  "w-'",
  'w-"',
  'w-\\',
];

const ASKS_PROGRAM = `exec ${IN_SHELL} "$@"`;

/** Answers with the lines of a file that begin as the last word does. */
const answersFrom = (file: string): string =>
  `for last; do :; done; last=\${last##* }; while IFS= read -r line; do case $line in "$last"*) printf '%s\\n' "$line"; esac; done <'${file}'; exit 0`;

/** A folder with a `hedge` in it that prints its arguments, and for completion runs the built program or gives `answer`. */
function aShop(answer?: readonly string[]) {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  const work = join(folder, 'work');
  for (const each of [bin, work]) mkdirSync(each);
  const told = join(folder, 'answer');
  if (answer !== undefined) writeFileSync(told, answer.map((line) => `${line}\n`).join(''));
  const asks = answer === undefined ? ASKS_PROGRAM : answersFrom(told);
  writeFileSync(
    join(bin, 'hedge'),
    `#!/bin/sh\ncase $1 in __complete*) ${asks};; esac\nprintf 'called'; printf '<%s>' "$@"; echo\n`,
  );
  chmodSync(join(bin, 'hedge'), 0o755);
  return { folder, bin, work };
}

/** Where earlier commands saw a market and a hedge, and two actions are unresolved. */
function aKnowingShop() {
  const shop = aShop();
  const kept = (folder: string, file: string, content: string): void => {
    mkdirSync(join(shop.folder, folder), { recursive: true, mode: 0o700 });
    writeFileSync(join(shop.folder, folder, file), content, { mode: 0o600 });
  };
  const names = { markets: [['USDTNGN', '']], hedges: [['hdg_good-1', '']], deals: [] };
  const owner = { format: 1, identity: '', base_url: '' };
  kept('cache/names', 'practice.json', JSON.stringify({ ...owner, ...names }));
  const actions = ['PAY-1', 'SAL-2'].map((dealId, at) =>
    anIntent({ action_id: idOf(`000${at}`), deal_id: dealId, profile: 'practice' }),
  );
  writeJournal(shop.folder, actions);
  return shop;
}

async function aShell(
  shell: Shell,
  { folder, bin, work }: ReturnType<typeof aShop>,
  begin = BEGIN[shell],
): Promise<Screen> {
  const screen = openScreen(shell, SHELLS[shell], {
    columns: 100,
    rows: 50,
    from: work,
    env: {
      HOME: folder,
      HEDGE_HOME: folder,
      HEDGE_PROFILE: 'practice',
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HISTFILE: null,
    },
  });
  for (const line of begin) screen.send(`${line}\r`);
  await screen.until(/^desk> $/m);
  screen.send('\f');
  return screen;
}

let lines = 0;

/** Throws away what is on the line (Ctrl-U), and resolves when the shell has read all that came before. */
async function aNewLine(screen: Screen): Promise<void> {
  lines += 1;
  screen.send(`\u0015echo line ${lines} is done\r`);
  await screen.until(new RegExp(`^line ${lines} is done\ndesk> $`, 'm'));
}

/** Each: what is typed, TAB at its end, and the line it becomes. */
const LINES: readonly (readonly (readonly [typed: string, line: string])[])[] = [
  [
    ['hedge quo\t', 'hedge quote '],
    ['USDT\t', 'hedge quote USDTNGN '],
    ['se\t', 'hedge quote USDTNGN sell '],
    ['10k --ten\t', 'hedge quote USDTNGN sell 10k --tenor '],
    ['al\t', 'hedge quote USDTNGN sell 10k --tenor all '],
    ['--max-\t', 'hedge quote USDTNGN sell 10k --tenor all --max-cost-bps '],
  ],
  [
    ['hedge hedges --stat\t', 'hedge hedges --status '],
    ['fil\t', 'hedge hedges --status filled '],
    ['hdg_good\t', 'hedge hedges --status filled hdg_good-1 '],
  ],
  [
    ['hedge --prof\t', 'hedge --profile '],
    ['practice jour\t', 'hedge --profile practice journal '],
    ['res\t', 'hedge --profile practice journal resolve '],
    ['x --as\t', 'hedge --profile practice journal resolve x --as '],
    ['no\t', 'hedge --profile practice journal resolve x --as not-executed '],
  ],
  [
    ['hedge markets --expect-env=pra\t', 'hedge markets --expect-env=practice '],
    ['--js\t', 'hedge markets --expect-env=practice --json '],
  ],
  [['hedge help exi\t', 'hedge help exit-codes ']],
  [
    ["hedge 'quote' \"USD\t", `hedge 'quote' "USDTNGN" `],
    ['se\t', `hedge 'quote' "USDTNGN" sell `],
  ],
  [
    ['hedge batch line\t', 'hedge batch lines.txt '],
    ['--na\t', 'hedge batch lines.txt --name '],
  ],
  [['hedge profile add x --key-file=line\t', 'hedge profile add x --key-file=lines.txt ']],
  // In any case, as hedge takes it.
  [
    ['hedge quote usd\t', 'hedge quote USDTNGN '],
    ['BU\t', 'hedge quote USDTNGN buy '],
    ['10k --tenor 1,a\t', 'hedge quote USDTNGN buy 10k --tenor 1,all '],
  ],
  [['hedge quote USDTNGN buy 10k --tenor=1,3,a\t', 'hedge quote USDTNGN buy 10k --tenor=1,3,all ']],
  [
    ['hedge close USDTNGN buy --despite PA\t', 'hedge close USDTNGN buy --despite PAY-1 '],
    ['\u007f,SA\t', 'hedge close USDTNGN buy --despite PAY-1,SAL-2 '],
  ],
  [
    ['hedge api P\t', 'hedge api POST '],
    ['/hedges/cl\t', 'hedge api POST /hedges/close '],
    ['--raw\t', 'hedge api POST /hedges/close --raw-field '],
  ],
  [
    ['hedge api GET /mar\t', 'hedge api GET /markets '],
    ['--par\t', 'hedge api GET /markets --param '],
  ],
];

describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (shell) => {
  const tools = needs(shell);

  it('TAB writes the same lines as in any other shell, and Enter runs the line', tools, async () => {
    const shop = aKnowingShop();
    writeFileSync(join(shop.work, 'lines.txt'), '');
    const screen = await aShell(shell, shop);
    for (const steps of LINES) {
      for (const [typed, line] of steps) {
        screen.send(typed);
        await screen.until(`desk> ${line}`);
      }
      const said = (steps.at(-1)?.[1] ?? '').replaceAll(/['"]/g, '').trim().split(' ').slice(1);
      screen.send('\r');
      await screen.until(`called${said.map((word) => `<${word}>`).join('')}`);
    }
    screen.send('exit\r');
    expect(await screen.exit).toMatchObject({ code: 0 });
  });

  it('options are offered where they apply, and not once they are given', tools, async () => {
    const screen = await aShell(shell, aKnowingShop());
    screen.send('hedge close USDTNGN buy --yes --\t\t');
    // Both, in any order: the shell may draw the list in several steps.
    const offered = await screen.until(/--if-open[\s\S]*--dry-run|--dry-run[\s\S]*--if-open/);
    expect(offered).not.toMatch(/--tenor|--deal-id|--by\b/);
    const listed = offered.split('\n').filter((line) => !line.startsWith('desk> '));
    expect(listed.join('\n')).not.toContain('--yes');
    screen.kill('SIGKILL');
    await screen.exit;
  });

  it('what is offered after a word goes by that word, and a list has nothing twice', tools, async () => {
    const screen = await aShell(shell, aKnowingShop());
    const listed = async (typed: string, wanted: string | RegExp): Promise<string> => {
      await aNewLine(screen);
      screen.send(`\f${typed}\t\t`);
      const shown = await screen.until(wanted);
      return shown
        .split('\n')
        .filter((line) => !line.startsWith('desk> '))
        .join('\n');
    };
    expect(await listed('hedge api ', /^(?!desk).*POST/m)).toContain('GET');
    expect(await listed('hedge api POST /', '/quotes')).not.toMatch(/markets|account/);
    expect(await listed('hedge api GET /', '/account')).not.toMatch(/quotes|close/);
    expect(await listed('hedge api GET /markets --', '--param')).not.toMatch(/--data|--field/);
    const more = await listed('hedge quote USDTNGN buy 10k --tenor 1,', 'all');
    expect(more).toMatch(/^(?:1,)?3\s+(?:1,)?7\s+(?:1,)?all/m);
    screen.kill('SIGKILL');
    await screen.exit;
  });

  it('names that bite are not offered, not run on TAB and not on Enter', tools, async () => {
    const shop = aShop([...HOSTILE, 'w-good-1', 'w-good-2']);
    const screen = await aShell(shell, shop);
    screen.send('hedge wait w-\t\t');
    const offered = await screen.until(/w-good-1[\s\S]*w-good-2/);
    expect(offered).not.toMatch(/touch|BITTEN|root|ls\b/);
    await aNewLine(screen);
    screen.send('hedge wait w-good-2\t');
    await screen.until(/desk> hedge wait w-good-2 $/m);
    screen.send('\r');
    await screen.until('called<wait><w-good-2>');

    const beginnings = ['$', '`', "'w;", '"w', 'w\\', '(', 'w', '-', '~', '=', 'w{', 'w!'];
    for (const begun of beginnings) {
      await aNewLine(screen);
      screen.send(`hedge wait ${begun}\t\t`);
      await aNewLine(screen);
      screen.send(`hedge close USDTNGN buy --despite w-good-1,${begun}\t\t`);
    }
    await aNewLine(screen);
    expect(readdirSync(shop.work)).toEqual([]);
    expect(existsSync(join(shop.folder, 'BITTEN'))).toBe(false);
    screen.kill('SIGKILL');
    await screen.exit;
    expectHeld('S6 names that bite in real shells', {
      runs: HOSTILE.length + 2 * beginnings.length,
      wrong: [],
    });
  });

  it('earlier commands are what it knows ids and markets from', tools, async () => {
    const shop = aShop();
    const env = { HEDGE_HOME: shop.folder, HEDGE_PROFILE: 'practice' };
    const words = 'open USDTNGN buy 10k --tenor 3 --deal-id PAY-8841 --yes --json'.split(' ');
    const opened = await runBuilt(words, { env });
    const { data }: { data: { action_id: string; hedge: { id: string } } } = JSON.parse(opened.out);
    const screen = await aShell(shell, shop);
    for (const [typed, line] of [
      ['hedge close U\t', 'hedge close USDTNGN '],
      ['\u0015hedge hedges PAY\t', 'hedge hedges PAY-8841 '],
      [`\u0015hedge hedges ${data.hedge.id.slice(0, 6)}\t`, `hedge hedges ${data.hedge.id} `],
      [`\u0015hedge check ${data.action_id.slice(0, 6)}\t`, `hedge check ${data.action_id} `],
      ['\u0015hedge --profile practice-\t', 'hedge --profile practice-live '],
    ] as const) {
      screen.send(typed);
      await screen.until(`desk> ${line}`);
    }
    screen.kill('SIGKILL');
    expect(await screen.exit).toEqual({ code: null, signal: 'SIGKILL' });
  });
});

it('zsh takes the script where ~/.zshrc sources it too', needs('zsh'), async () => {
  const screen = await aShell('zsh', aKnowingShop(), [
    'autoload -Uz compinit && compinit -u -D',
    `source '${COMPLETIONS}/_hedge'`,
    'unsetopt prompt_sp && zle_bracketed_paste=()',
    "PS1='desk> '",
  ]);
  screen.send('hedge quo\t');
  await screen.until('desk> hedge quote ');
  screen.send('usd\t');
  await screen.until('desk> hedge quote USDTNGN ');
  screen.kill('SIGKILL');
  expect(await screen.exit).toEqual({ code: null, signal: 'SIGKILL' });
});

const LOADER = '/usr/share/bash-completion/bash_completion';

it('bash finds the script by itself where help says to put it', needs('bash', LOADER), async () => {
  const shop = aKnowingShop();
  const folder = join(shop.folder, '.local', 'share', 'bash-completion', 'completions');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(COMPLETIONS, 'hedge.bash'), join(folder, 'hedge'));
  const screen = await aShell('bash', shop, [`source ${LOADER}`, "PS1='desk> '"]);
  screen.send('hedge quo\t');
  await screen.until('desk> hedge quote ');
  screen.send('USDT\t');
  await screen.until('desk> hedge quote USDTNGN ');
  screen.kill('SIGKILL');
  expect(await screen.exit).toEqual({ code: null, signal: 'SIGKILL' });
});
