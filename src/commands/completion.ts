/** `hedge completion`: the script that completes hedge in a shell. Touches no network and reads no key. */
import { didYouMean } from '../domain/did-you-mean.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { verbatimLines } from '../output/blocks.ts';
import { SHELLS } from './command-context.ts';
import { defineCommand } from './define.ts';
export const completion = defineCommand({
  name: 'completion',
  summary: 'prints the script that completes hedge in bash, zsh, fish or PowerShell',
  description: `bash: put it in ~/.local/share/bash-completion/completions/hedge, where the package bash-completion finds it; without that package, in a file that ~/.bashrc sources.

zsh: put it in a folder of fpath under the name _hedge, such as ~/.zfunc/_hedge with fpath+=~/.zfunc before compinit in ~/.zshrc.

fish (3.4 or newer): put it in ~/.config/fish/completions/hedge.fish.

PowerShell: add its text to the file that $PROFILE names. It is written by the same generator, and untested.

A new shell then completes commands, options where they apply, and their values. Markets, hedge ids, deal ids, action ids and profile names come from what earlier commands saw on this machine: no network, no key. A name that a shell could take for more than a word is not offered.`,
  operands: [{ name: 'SHELL', summary: SHELLS.join(', ') }],
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
        `${quoted(word)} is no shell that hedge completes in.`,
        `${didYouMean(word, SHELLS)}It is one of ${SHELLS.join(', ')}.`,
      );
    return { shell };
  },
  async run(desk, { shell }) {
    return { value: { shell, script: await desk.completion(shell) } };
  },
  view: ({ script }) => verbatimLines(script),
});
