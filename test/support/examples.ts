/** Every command line that help, its topics and the README show, and the scripts in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { isGroup } from '../../src/commands/define.ts';
import { REGISTRY } from '../../src/commands/registry.ts';

export interface Example {
  line: string;
  /** `quote --help`, `recovery.md line 12`, `README.md line 37`. */
  from: string;
}

interface Fence {
  language: string;
  lines: readonly string[];
  /** Of its first line. */
  at: number;
  from: string;
}

const ROOT = new URL('../../', import.meta.url);
const TOPICS = new URL('src/help/', ROOT);

/** The README and the topics, by file name. */
export const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['README.md', readFileSync(new URL('README.md', ROOT), 'utf8')],
  ...readdirSync(TOPICS)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, readFileSync(new URL(name, TOPICS), 'utf8')] as const),
];

/** None twice. */
export async function everyExample(): Promise<readonly Example[]> {
  const all = [...(await ofCommands()), ...fences().flatMap(linesIn)];
  return [...new Map(all.toReversed().map((each) => [each.line, each])).values()].toReversed();
}

/** Whole scripts: fences of bash. */
export const everyScript = (): readonly { script: string; from: string }[] =>
  fences()
    .filter(({ language }) => language === 'bash')
    .map(({ lines, from, at }) => ({ script: lines.join('\n'), from: `${from} line ${at.toString()}` }));

/** A file that a help topic shows. */
export function fileOfHelp(name: 'payouts.txt' | 'deals.csv' | 'finance.csv'): string {
  const shown = fences().find(({ lines }) => lines[0] === `$ cat ${name}`);
  if (shown === undefined) throw new Error(`no topic shows ${name}`);
  return `${shown.lines.slice(1).join('\n')}\n`;
}

async function ofCommands(): Promise<readonly Example[]> {
  const entries = await Promise.all(REGISTRY.map((entry) => entry.load()));
  const commands = entries.flatMap((entry) =>
    isGroup(entry) ? [...(entry.main === undefined ? [] : [entry.main]), ...entry.commands] : [entry],
  );
  return commands.flatMap(({ name, examples }) =>
    examples.map(({ line }) => ({ line, from: `${name} --help` })),
  );
}

function fences(): readonly Fence[] {
  return TEXTS.flatMap(([from, text]) => {
    const found: { language: string; lines: string[]; at: number; from: string }[] = [];
    let open = false;
    text.split('\n').forEach((line, index) => {
      const language = /^```(\w*)$/.exec(line)?.[1];
      if (language === undefined) {
        if (open) found.at(-1)?.lines.push(line);
        return;
      }
      open = !open;
      if (open) found.push({ language, lines: [], at: index + 2, from });
    });
    return found;
  });
}

/** In a fence of sh every line of hedge; in one without a language the lines after a `$`. A line that ends in \ goes on. */
function linesIn({ language, lines, at, from }: Fence): readonly Example[] {
  const typed = language === 'sh' ? /^(?!#)(.*\bhedge .*)$/ : /^\$ (.*\bhedge .*)$/;
  if (!['', 'sh'].includes(language)) return [];
  return lines.flatMap((text, index) => {
    let line = typed.exec(text)?.[1];
    for (let next = index + 1; line?.endsWith('\\') === true; next += 1)
      line = `${line.slice(0, -1).trimEnd()} ${lines[next]?.trim() ?? ''}`;
    return line === undefined ? [] : [{ line, from: `${from} line ${(at + index).toString()}` }];
  });
}
