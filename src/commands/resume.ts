/** `hedge resume`: resolves an unknown outcome, by observation or by sending again with the same key. */

import { RESUME_OPTIONS, readResumeIntent } from '../args/action-options.ts';
import { actionOrNull } from '../output/views/action-document.ts';
import { viewResume } from '../output/views/check.ts';
import { resumeOpenAction } from '../trading/recover/resume-action.ts';
import { defineCommand } from './define.ts';
import { tradingContextOf } from './trade-action.ts';

export const resume = defineCommand({
  name: 'resume',
  summary: 'Resolve an unknown outcome; ask before sending again with the same key',
  description:
    'First looks up the outcome. An open that does not exist five minutes after its last send was not executed. If the outcome stays unknown, resume checks halt, limits and price, asks you, and sends the same request with the same key; the service executes a key once, within an hour of its first send. It does not send again (exit code 7) if the hedges on the side have changed since (other than by a later close of this machine that saw the change), or if the clocks of this machine and the service disagree by more than 5 s. Without an argument: the one pending action. More: hedge help recovery.',
  operands: [
    {
      name: 'ACTION',
      summary: 'action ID or its beginning, hedge ID or deal ID',
      optional: true,
      completes: { names: ['unresolved'] },
    },
  ],
  options: RESUME_OPTIONS,
  examples: [
    { line: 'hedge resume 7c1e', shows: 'look up, ask, send again, wait' },
    {
      line: 'hedge resume 7c1e --yes --resend --expect-env live',
      shows: 'for a script: send again without a terminal',
    },
    { line: 'hedge resume 7c1e --dry-run', shows: 'look up, and show what would be sent' },
  ],
  inBatch: 'step',
  read: readResumeIntent,
  async run(context, intent) {
    const report = await resumeOpenAction(intent, await tradingContextOf(context));
    return { value: report, finding: report?.finding, servedAt: report?.servedAt };
  },
  document: actionOrNull,
  view: viewResume,
});
