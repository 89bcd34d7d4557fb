/** What the dealing commands share: the desk as it deals, and a report as an outcome. */
import { deal } from '../flow/deal/deal.ts';
import type { ActionReport, Dealing } from '../flow/dealing.ts';
import { checkAttendance, ON_THE_LINE, type Ways } from '../flow/guard/guard-attendance.ts';
import type { ActionIntent } from '../intent/action-intent.ts';
import { confirmWith } from './confirm.ts';
import type { Desk } from './desk.ts';
import type { Outcome } from './shown.ts';

export async function dealingOf(desk: Desk): Promise<Dealing> {
  const lent = await desk.dealing();
  return { ...lent, confirm: confirmWith(desk, lent) };
}

export const outcomeOf = (report: ActionReport): Outcome<ActionReport> => ({
  value: report,
  servedAt: report.servedAt,
  finding: report.finding,
});

export const dealt = (desk: Desk, intent: ActionIntent): Promise<Outcome<ActionReport>> =>
  dealtAs(desk, intent, ON_THE_LINE);

/** `ways`: how what is missing where nobody is there is said on the line of this command. */
export async function dealtAs(desk: Desk, intent: ActionIntent, ways: Ways): Promise<Outcome<ActionReport>> {
  const dealing = await dealingOf(desk);
  checkAttendance(intent, dealing, ways);
  const report = await deal(intent, dealing);
  const { entry, plan } = report;
  // An earlier action that was continued or told again has no plan of now.
  const original = plan === undefined && entry !== undefined ? { original_at: entry.intent.at } : {};
  return { ...outcomeOf(report), meta: original };
}
