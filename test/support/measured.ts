/** The built program in a process of its own, and what it cost: memory, the processor's time, and all objects. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuiltRun, isExecutable, runBuilt } from './built.ts';
import { temporaryFolder } from './own-folder.ts';

export interface Cost {
  peakMb: number;
  cpuMs: number;
  polluted: boolean;
}

export type Measured = BuiltRun & { cost: Cost | undefined };

/** Runs the built program and says what it cost, where Node can be told to look. */
export async function measured(
  words: readonly string[],
  options: { env: Record<string, string>; stdin?: string },
): Promise<Measured> {
  const folder = temporaryFolder(() => undefined);
  try {
    const atEnd = join(folder, 'at-end.json');
    const preload = fileURLToPath(new URL('./preload/at-end.cjs', import.meta.url));
    const env = { ...options.env, NODE_OPTIONS: `--require=${preload}`, AT_END: atEnd };
    const ran = await runBuilt(words, { ...options, env });
    return { ...ran, cost: isExecutable ? undefined : JSON.parse(readFileSync(atEnd, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
