/** Reads the arguments of `check`, `resume` and `wait`. */
import { UsageError } from '../errors.ts';
import { readActionOptions } from './action-options.ts';
import { optionGiven, type RawInput, readDealId } from './operands.ts';
/** An action ID or its beginning, a hedge ID or a deal ID; undefined: all open actions. */
export const readCheckIntent = ({ operands: [word] }: RawInput): { word: string | undefined } => ({
  word: word === undefined ? undefined : readDealId(word),
});

export interface ResumeIntent {
  word: string | undefined;
  yes: boolean;
  /** Send it again also without a terminal, or if the position is unclear. */
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
  if (resend && dryRun)
    throw new UsageError('--resend has no effect with --dry-run.', 'Leave out --resend or --dry-run.');
  return { ...readCheckIntent(raw), yes, resend, dryRun, wait, timeoutMs };
}

export const readWaitIntent = (raw: RawInput): { word: string; timeoutMs: number } => ({
  word: readDealId(raw.operands[0] ?? ''),
  timeoutMs: readActionOptions(raw).timeoutMs,
});
