/** `hedge doctor`: whether everything that dealing rests on is as it should be. */

import { readNothing } from '../args/operands.ts';
import type { Checkup } from '../diagnostics/checks.ts';
import { runDiagnostics } from '../diagnostics/examine.ts';
import { ConditionError } from '../errors.ts';
import { checkupDocument, viewCheckup } from '../output/views/doctor.ts';
import { defineCommand } from './define.ts';
export const doctor = defineCommand({
  name: 'doctor',
  summary: 'looks at everything that dealing rests on, and says what to mend',
  description:
    'Node, our files and their modes, the profile and what chose it, the journal and whether it can be written, the halt, completion, proxy, DNS, TLS, one reading with the key and how long it took, the clock against that of the service, and what comes in answers that the specification does not have. Changes nothing. Each line is pass, warn or fail; exit 11 when one fails. The key is masked, and no figure of the account is shown: it can be pasted into a ticket.',
  examples: [
    { line: 'hedge doctor', shows: 'a line for each thing, and what to do about it' },
    { line: 'hedge --profile practice doctor', shows: 'the same for the practice desk' },
    { line: 'hedge doctor --json', shows: 'for a ticket, with every fact' },
  ],
  read: readNothing,
  async run(desk) {
    const checkup = await runDiagnostics(await desk.examined());
    return { value: checkup, finding: findingOf(checkup), servedAt: checkup.servedAt };
  },
  document: checkupDocument,
  view: viewCheckup,
});

function findingOf({ checks }: Checkup): ConditionError | undefined {
  const failed = checks.filter(({ verdict }) => verdict === 'fail').map(({ check }) => check);
  if (failed.length === 0) return undefined;
  return new ConditionError({
    code: 'unhealthy',
    what: `Not as it should be: ${failed.join(', ')}.`,
    hint: 'What to do stands with each of them.',
    details: { failed },
  });
}
