/** `hedge doctor` */

import { optionGiven } from '../args/option.ts';
import type { DiagnosticReport } from '../diagnostics/checks.ts';
import { runDiagnostics } from '../diagnostics/examine.ts';
import { ConditionError } from '../errors.ts';
import { diagnosticsDocument, viewDiagnostics } from '../output/views/doctor.ts';
import { defineCommand } from './define.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check configuration, connectivity and data files',
  description:
    'Checks Node, data files and their modes, profile, journal, unfinished rolls, halt, completion, proxy, DNS, TLS, one request with the key, the clock, and fields that the specification does not have. Changes nothing. Each check is pass, warn or fail; the exit code is 11 if one fails. Keys are masked and no balances are shown, so the output can be pasted into a ticket. More: hedge help doctor.',
  examples: [
    { line: 'hedge doctor', shows: 'each check, and what to do' },
    { line: 'hedge --profile practice doctor', shows: 'for the practice service' },
    { line: 'hedge doctor --json', shows: 'with all facts, for a ticket' },
  ],
  options: [{ flags: '--deep', summary: 'check the chain of the journal too, as hedge audit verify does' }],
  read: (raw) => ({ deep: optionGiven(raw, 'deep') }),
  async run(context, { deep }) {
    const report = await runDiagnostics(await context.diagnosticSources(), { deep });
    const { place } = await context.profileContext();
    return { value: { ...report, place }, finding: findingOf(report), servedAt: report.servedAt };
  },
  document: diagnosticsDocument,
  view: viewDiagnostics,
});

function findingOf({ checks }: DiagnosticReport): ConditionError | undefined {
  const failed = checks.filter(({ verdict }) => verdict === 'fail').map(({ check }) => check);
  if (failed.length === 0) return undefined;
  return new ConditionError({
    code: 'unhealthy',
    what: `Failed: ${failed.join(', ')}.`,
    hint: 'Each failed check says what to do.',
    details: { failed },
  });
}
