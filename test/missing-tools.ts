/** The last line of a run: which tools are missing, and how many tests each kept from running. Under CI that fails. */
import type { Reporter, TestModule } from 'vitest/node';
import { isContinuousIntegration } from '../src/terminal/streams.ts';
export class MissingTools implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules
      .flatMap((module) => [...module.children.allTests('skipped')])
      .map((test) => test.meta().missingTools ?? [])
      .filter((tools) => tools.length > 0);
    if (skipped.length === 0) return;
    const counts = new Map<string, number>();
    for (const tool of skipped.flat()) counts.set(tool, (counts.get(tool) ?? 0) + 1);
    const each = [...counts].toSorted(([, one], [, other]) => other - one);
    const fails = isContinuousIntegration(process.env['CI']);
    if (fails) process.exitCode = 1;
    process.stderr.write(
      `${skipped.length.toString()} ${skipped.length === 1 ? 'test' : 'tests'} did not run, because these tools are missing: ${each
        .map(([tool, count]) => `${tool} ${count.toString()}`)
        .join(', ')}.${fails ? ' With CI set, that is a failure.' : ''}\n`,
    );
  }
}
