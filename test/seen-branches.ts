/**
 * After a whole run with HEDGE_BRANCHES=FILE: which branches of the documents' schemas no test has seen. A branch is an
 * alternative, null, or a field that may be absent. `HEDGE_BRANCHES=seen.txt npm test`
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';
import { documentedCommands, documentSchemaOf } from '../src/schema/catalogue.ts';
import { declaredBranches } from './support/documents.ts';

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
    const unseen = [...declared].filter(([branch]) => !seen.has(branch));
    process.stderr.write(
      `${unseen.length.toString()} of ${declared.size.toString()} branches of documents were not seen.\n${unseen
        .map(([branch, command]) => `  ${command}: ${branch}\n`)
        .join('')}`,
    );
  }
}
