/**
 * After a whole run with HEDGE_BRANCHES=FILE: which branches of the documents' schemas no test has seen. A branch is an
 * alternative, null, or a field that may be absent. One that is not among the exceptions fails the run, and so does an
 * exception that was seen. `HEDGE_BRANCHES=seen.txt npm test`
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';
import { documentedCommands, documentSchemaOf } from '../src/schema/catalogue.ts';
import { declaredBranches } from './support/documents.ts';
import { UNSEEN } from './unseen-branches.ts';

const { HEDGE_BRANCHES: file } = process.env;

export class SeenBranches implements Reporter {
  onTestRunStart(): void {
    if (file !== undefined) writeFileSync(file, '');
  }

  onTestRunEnd(): void {
    if (file === undefined || !existsSync(file)) return;
    const seen = new Set(readFileSync(file, 'utf8').split('\n'));
    const declared = new Map<string, string>();
    for (const command of documentedCommands())
      for (const branch of declaredBranches(documentSchemaOf(command) ?? {}))
        if (!declared.has(branch)) declared.set(branch, command);
    const excepted = new Set(UNSEEN.flatMap(({ branches }) => branches));
    const unseen = [...declared].filter(([branch]) => !seen.has(branch) && !excepted.has(branch));
    const needless = [...excepted].filter((branch) => seen.has(branch) || !declared.has(branch));
    if (unseen.length + needless.length > 0) process.exitCode = 1;
    process.stderr.write(
      [
        `Branches of documents: ${declared.size.toString()}, of which ${excepted.size.toString()} need not be seen.`,
        ...unseen.map(([branch, command]) => `  not seen, ${command}: ${branch}`),
        ...needless.map((branch) => `  an exception for nothing: ${branch}`),
        '',
      ].join('\n'),
    );
  }
}
