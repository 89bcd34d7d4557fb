/** `hedge resume`: settles an action, by looking where that tells, by sending it again where not. */

import { RESUME_OPTIONS, readResumeIntent } from '../args/follow-up-options.ts';
import { resumeDocument, viewResume } from '../output/views/check.ts';
import { resumeActions as resumeAction } from '../trading/recover/resume-action.ts';
import { defineCommand } from './define.ts';
import { tradingContextOf } from './trade-action.ts';
export const resume = defineCommand({
  name: 'resume',
  summary: 'Settle an unknown outcome; ask before sending again with the same key',
  description:
    'What looking finds is written down and awaited; so is, five minutes after the last send without an answer, that an open was not executed. Otherwise the same request goes out again under the same key, which the service acts on once, for an hour after it was sent first; before that halt, limits, price and your agreement are asked for anew. It is not sent again when the clocks of this machine and of the service differ by more than 5 s about how long ago that was, nor for what it was not meant for: other hedges on the side since stop a close, an add and a reduce, a hedge that has left stops an add and a reduce, growth or another close of yours stops a close (7, nothing sent). Without an operand: the one action that is open.',
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
  async run(desk, intent) {
    const report = await resumeAction(intent, await tradingContextOf(desk));
    return { value: report, finding: report?.finding, servedAt: report?.servedAt };
  },
  document: resumeDocument,
  view: viewResume,
});
