/** The checks of `hedge doctor`: each line begins with its verdict. */
import type { DiagnosticReport, Verdict } from '../../diagnostics/checks.ts';
import { counted } from '../../domain/exposure.ts';
import { type CommandPlacing, hintText } from '../../domain/hint.ts';
import type { DoctorDocument } from '../../schema/machine-document.ts';
import { gap, line, pair, pairs, type View } from '../blocks.ts';
import { message, type Tone, text } from '../cells.ts';

const TONES: Readonly<Record<Verdict, Tone>> = { pass: 'good', warn: 'warn', fail: 'bad' };

function summaryOf({ verdict, checks }: DiagnosticReport): string {
  const count = checks.filter((check) => check.verdict === verdict).length;
  if (verdict === 'pass') return 'Ready to trade.';
  return verdict === 'warn'
    ? `Ready to trade; ${counted(count, 'warning')}.`
    : `Not ready: ${counted(count, 'check')} failed.`;
}

/** The report, and how its commands are shown. */
type ShownReport = DiagnosticReport & { place: CommandPlacing };

export const viewDiagnostics = ({ place, ...checkup }: ShownReport): View => [
  pairs(
    checkup.checks.flatMap(({ check, verdict: each, message: finding, todo }) => [
      pair(`${each.toUpperCase()}  ${check}`, message(finding, each === 'pass' ? 'plain' : TONES[each])),
      ...hintText(todo, place)
        .split('\n')
        .flatMap((step) => (step === '' ? [] : [pair('', message(`-> ${step}`))])),
    ]),
  ),
  gap,
  line(text(summaryOf(checkup), TONES[checkup.verdict])),
];

export const diagnosticsDocument = ({ verdict, checks, place }: ShownReport): DoctorDocument => ({
  verdict,
  checks: checks.map(({ check, verdict: each, message: says, todo, facts }) => ({
    check,
    verdict: each,
    says,
    todo: hintText(todo, place) || null,
    facts: facts ?? null,
  })),
});
