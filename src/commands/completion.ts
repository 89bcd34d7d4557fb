/** `hedge completion`: prints the completion script of a shell. */
import { didYouMean } from '../domain/did-you-mean.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { verbatimLines } from '../output/blocks.ts';
import { SHELLS } from './command-context.ts';
import { defineCommand } from './define.ts';

export const completion = defineCommand({
  name: 'completion',
  summary: 'Print the completion script for bash, zsh or fish',
  description: `bash: save it as ~/.local/share/bash-completion/completions/hedge if the package bash-completion is installed; otherwise source it in ~/.bashrc.

zsh: save it as _hedge in a folder of fpath, for example ~/.zfunc/_hedge with fpath+=~/.zfunc before compinit in ~/.zshrc.

fish (3.4 or newer): save it as ~/.config/fish/completions/hedge.fish.

Start a new shell afterwards. TAB completes commands, options and their values. The script asks hedge at each TAB. Markets, hedge IDs, deal IDs, action IDs and profile names come from earlier commands on this machine: completion uses no network and no key.`,
  operands: [{ name: 'SHELL', summary: SHELLS.join(', '), completes: { words: SHELLS } }],
  examples: [
    {
      line: 'hedge completion bash > ~/.local/share/bash-completion/completions/hedge',
      shows: 'for bash (mkdir -p that folder first)',
    },
    { line: 'hedge completion zsh > ~/.zfunc/_hedge', shows: 'for zsh' },
    { line: 'hedge completion fish > ~/.config/fish/completions/hedge.fish', shows: 'for fish' },
  ],
  read({ operands: [word = ''] }) {
    const shell = SHELLS.find((each) => each === word.toLowerCase());
    if (shell === undefined)
      throw new UsageError(
        `hedge has no completion for the shell ${quoted(word)}.`,
        `${didYouMean(word, SHELLS)}Use one of ${SHELLS.join(', ')}.`,
      );
    return { shell };
  },
  async run(context, { shell }) {
    return { value: { shell, script: await context.completion(shell) } };
  },
  view: ({ script }) => verbatimLines(script),
});
