/** The checks of `hedge doctor`: each line begins with its verdict. */

import type { Check, DiagnosticReport, Verdict } from '../../diagnostics/checks.ts';
import { counted } from '../../domain/exposure.ts';
import { type Block, line, message, type Tone, text } from '../blocks.ts';

const TONES: Readonly<Record<Verdict, Tone>> = { pass: 'good', warn: 'warn', fail: 'bad' };

function summaryOf({ verdict, checks }: DiagnosticReport): string {
  const count = checks.filter((check) => check.verdict === verdict).length;
  if (verdict === 'pass') return 'Ready to trade.';
  return verdict === 'warn'
    ? `Ready to trade; ${counted(count, 'warning')}.`
    : `Not ready: ${counted(count, 'check')} failed.`;
}

export const viewDiagnostics = (checkup: DiagnosticReport): readonly Block[] => [
  {
    kind: 'pairs',
    pairs: checkup.checks.flatMap(({ check, verdict: each, message: finding, todo }) => [
      {
        name: `${each.toUpperCase()}  ${check}`,
        value: [message(finding, each === 'pass' ? 'plain' : TONES[each])],
      },
      ...(todo?.split('\n').map((step) => ({ name: '', value: [message(`-> ${step}`)] })) ?? []),
    ]),
  },
  { kind: 'gap' },
  line(text(summaryOf(checkup), TONES[checkup.verdict])),
];

export const diagnosticsDocument = ({ verdict, checks }: DiagnosticReport): unknown => ({
  verdict,
  checks: checks.map(({ check, verdict: each, message: says, todo, facts }: Check) => ({
    check,
    verdict: each,
    says,
    todo: todo ?? null,
    facts: facts ?? null,
  })),
});
