/** The result of `hedge check` and `hedge resume`. */

import { shell } from '../../domain/hint.ts';
import type { Action } from '../../journal/replay.ts';
import { partialFillOf } from '../../journal/results.ts';
import type { LookedUpDocument } from '../../schema/action-document.ts';
import type { CheckedAction } from '../../trading/recover/check-action.ts';
import type { ActionReport } from '../../trading/report.ts';
import { type Block, dimLine, gap, hintBlocks, line, meaningOf, messageLine, type View } from '../blocks.ts';
import { hintCell, nameText, partsIn, text } from '../cells.ts';
import { viewAction, whenConclusive } from './action.ts';
import { actionDocument } from './action-document.ts';
import { usd } from './record-columns.ts';
import { unfinishedRollDocument, viewUnfinishedRolls } from './unfinished-rolls.ts';

/** One object if an action was named, else a list. */
export function checkDocument({ looked, asked }: CheckedAction) {
  const documents = looked.map((report): LookedUpDocument => {
    const { derived, ...document } = actionDocument(report);
    return { ...document, derived: { ...derived, evidence: evidenceDocument(report.evidence) } };
  });
  return asked === undefined ? documents : documents[0];
}

/** `kind`: `exact`, `none`, `other` or `unclear`. Null where no evidence was needed. */
const evidenceDocument = (evidence: ActionReport['evidence']): LookedUpDocument['derived']['evidence'] =>
  evidence ? { kind: evidence.kind, says: 'message' in evidence ? (evidence.message ?? null) : null } : null;

export function viewCheck(checked: CheckedAction): View {
  const { looked, asked, toConfirm, inPart, elsewhere, rolls, trouble, finding } = checked;
  const others = [
    toConfirm.filter(({ id }) => looked.every(({ entry }) => entry?.id !== id)).map(confirmationLine),
    inPart.filter(({ id }) => looked.every(({ entry }) => entry?.id !== id)).map(partLine),
    elsewhere !== 0 &&
      asked === undefined &&
      dimLine(`${elsewhere} more in other profiles: hedge journal --unresolved --in-flight`),
    viewUnfinishedRolls(rolls),
  ];
  // The finding alone: the journal is corrupt, or an open lacks its rest.
  if (looked.length === 0 && finding !== undefined) return others;
  if (looked.length === 0) return [line(trouble === undefined ? NOTHING_PENDING : NOTHING_KNOWN), others];
  const several = looked.length > 1;
  return [looked.map((report, index) => [index > 0 && gap, viewLooked(report, several)]), others];
}

const confirmationLine = (action: Action): Block =>
  line(
    nameText(action.intent.deal_id ?? `action ${action.shortId}`),
    'was found by its deal ID. To confirm after',
    whenConclusive(action),
  );

const partLine = (action: Action): Block =>
  line(
    nameText(action.intent.deal_id ?? `action ${action.shortId}`),
    'was filled in part,',
    usd(partialFillOf(action), 'USD'),
    'of',
    usd(action.notional, 'USD'),
    '; the rest:',
    hintCell(shell`hedge check ${action.shortId}`),
  );

const NOTHING_PENDING = 'No unknown outcomes and nothing in flight for this profile.';
const NOTHING_KNOWN =
  'No unknown outcomes and nothing in flight among the records that this machine has. It may lack some.';

/** For `meta`: undefined where an action was named. */
export const checkMeta = ({
  rolls,
  toConfirm,
  inPart,
  asked,
}: CheckedAction): Readonly<Record<string, unknown>> =>
  asked === undefined
    ? {
        provisional: toConfirm.map(({ id, intent: { deal_id: dealId }, provisionalUntil: until }) => ({
          action_id: id,
          deal_id: dealId ?? null,
          provisional_until: until ?? null,
        })),
        partial_fills: inPart.map((action) => ({
          action_id: action.id,
          deal_id: action.intent.deal_id ?? null,
          notional_usd: action.notional ?? null,
          filled_notional_usd: partialFillOf(action) ?? null,
        })),
        unfinished_rolls: rolls.map((chain) => unfinishedRollDocument(chain)),
      }
    : {};

/** A failure is shown here only among several actions; the error on standard error shows a single one. */
function viewLooked(report: ActionReport, several: boolean): View {
  const { finding, entry } = report;
  const ended = viewAction(report);
  if (partsIn(ended).length > 0) return [ended, several && whatItMeans(finding)];
  if (finding === undefined)
    return line(text(entry?.shortId ?? '', 'strong'), 'was not sent; nothing was executed.');
  if (!several) return [];
  return [messageLine(finding.what, 'bad'), whatItMeans(finding)];
}

/** Needed for a partial fill too: its headline is that of a fill. */
function whatItMeans(finding: ActionReport['finding']): View {
  const meaning = finding && meaningOf(finding);
  return [meaning !== undefined && messageLine(meaning), hintBlocks(finding?.hint)];
}

export const viewResume = (report: ActionReport | undefined): View =>
  report === undefined ? line(NOTHING_PENDING) : viewAction(report);
