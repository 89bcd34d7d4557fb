/** What `check`, `resume` and `wait` were asked. Text to value; which action a word means is the journal's to know. */
import { UsageError } from '../errors.ts';
import { readActionOptions } from './action-options.ts';
import { optionGiven, type RawInput, readDealId } from './operands.ts';
/** An action id or its beginning, a hedge id or a deal id; undefined: whatever is open. */
export const readCheckIntent = ({ operands: [word] }: RawInput): { word: string | undefined } => ({
  word: word === undefined ? undefined : readDealId(word),
});

export interface ResumeIntent {
  word: string | undefined;
  yes: boolean;
  /** Send it again although nobody is there to be asked, or what is seen on the book is not clear. */
  resend: boolean;
  dryRun: boolean;
  wait: boolean;
  timeoutMs: number;
}

export const WAIT_OPTIONS = [
  { flags: '--timeout <seconds>', summary: 'seconds to wait for the outcome (default 60)' },
] as const;

export const RESUME_OPTIONS = [
  { flags: '-y, --yes', summary: 'send again without confirmation if the lookup does not settle it' },
  {
    flags: '--resend',
    summary: 'send again also without a terminal (with --yes), or if the position is not clear',
  },
  { flags: '--dry-run', summary: 'look up, and show what would be sent; send nothing' },
  { flags: '--no-wait', summary: 'return when the service has accepted it' },
  ...WAIT_OPTIONS,
] as const;

export function readResumeIntent(raw: RawInput): ResumeIntent {
  const { yes, dryRun, wait, timeoutMs } = readActionOptions(raw);
  const resend = optionGiven(raw, 'resend');
  if (resend && dryRun) throw new UsageError('--dry-run sends nothing.', 'Leave out --resend or --dry-run.');
  return { ...readCheckIntent(raw), yes, resend, dryRun, wait, timeoutMs };
}

export const readWaitIntent = (raw: RawInput): { word: string; timeoutMs: number } => ({
  word: readDealId(raw.operands[0] ?? ''),
  timeoutMs: readActionOptions(raw).timeoutMs,
});
