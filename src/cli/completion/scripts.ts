/** The completion scripts, one a shell, and the files they ship in. The same registry gives the same bytes. */
import { SHELLS, type Shell } from '../../commands/command-context.ts';
import { HELP_TOPICS, TOPICS } from '../help/topics.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { commandLineModel } from './model.ts';
import { powershellScript } from './powershell.ts';
import { type Tables, tablesOf } from './tables.ts';
import { zshScript } from './zsh.ts';

const WRITERS: Readonly<Record<Shell, { file: string; write: (tables: Tables) => string }>> = {
  bash: { file: 'hedge.bash', write: bashScript },
  zsh: { file: '_hedge', write: zshScript },
  fish: { file: 'hedge.fish', write: fishScript },
  powershell: { file: 'hedge.ps1', write: powershellScript },
};

export async function completionScript(shell: Shell): Promise<string> {
  return WRITERS[shell].write(tablesOf(await commandLineModel([...HELP_TOPICS, TOPICS])));
}

/** All of them, by the name of the file in `completions/`. */
export async function completionFiles(): Promise<readonly { file: string; content: string }[]> {
  const tables = tablesOf(await commandLineModel([...HELP_TOPICS, TOPICS]));
  return SHELLS.map((shell) => ({ file: WRITERS[shell].file, content: WRITERS[shell].write(tables) }));
}
