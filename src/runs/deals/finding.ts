/** The error that a deals file ends with: of the kind of its worst row, with what running the file again would do. Pure. */
import type { Big } from 'big.js';
import { sum } from '../../domain/amounts.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { ownField } from '../../domain/fields.ts';
import { isCommand, shell, step, TO_RETRY, withOperands } from '../../domain/hint.ts';
import { quotedName } from '../../domain/quoted.ts';
import {
  bySeverity,
  HedgeError,
  type HintLine,
  hintLines,
  InterruptedError,
  OrderFailedError,
  PartialFillError,
} from '../../errors.ts';
import { blocksRun, type DealEnd, isBeyondBound, NOT_RUN } from './deal.ts';

/** `check`: none was to be sent. `blocked`: none was sent, because of a row. */
export type DealsStage = 'check' | 'blocked' | 'run';

const AGAIN = 'Run the same file again: it opens only the missing rows, and nothing twice.';
const AFTER_THE_CHECK =
  'Or run the same file again: it looks up that row first, opens only the missing ones, and nothing twice.';
const AGAIN_FOR_OTHERS = 'Run the same file again for the other missing rows: it opens nothing twice.';
const NOTHING_MORE = 'Run as it is, the same file opens nothing more.';
/** Advice of a single action names options that a file does not have. */
const OF_A_FILE: Readonly<Record<string, string>> = {
  implausible_price: 'Correct worst_price of the row.',
  no_reference: 'Try again later, or take the row out of the file.',
};
/** The same in a hint of several reasons. */
const columnsOf = (hint: HintLine): HintLine =>
  typeof hint === 'string'
    ? hint
        .replace('--worst-price', 'worst_price of the row')
        .replace('--max-cost-bps', 'max_cost_bps of the row')
    : hint;
const CHANGE_BOUND = 'Try again at a better price, or change worst_price or max_cost_bps of the row.';

/** One error for all rows, of the kind of the worst; undefined if every row is open or planned as asked. */
export function findingOf(
  ends: readonly DealEnd[],
  { stage, path }: { stage: DealsStage; path: string },
): HedgeError | undefined {
  const isCheck = stage === 'check';
  const failed = ends.flatMap((end) =>
    end.error === undefined || end.error.code === NOT_RUN
      ? []
      : [{ ...end, error: end.error, skipped: isBeyondBound(end.error, end.intent) }],
  );
  const [first] = failed.toSorted(
    (one, other) => bySeverity(one.error, other.error) || Number(one.skipped) - Number(other.skipped),
  );
  if (first === undefined) return interruptionOf(ends);
  const { error: worst, skipped } = first;
  const others = failed.filter((each) => each !== first);
  const waiting = others.filter(({ error }) => error.effect === 'pending').length;
  const wrong = others.length - waiting;
  // A signal ends the waiting for every row, and is of none.
  const isWaiting = worst instanceof InterruptedError && worst.effect === 'pending';
  const where = isWaiting ? '' : `Line ${first.line.toString()}, ${quotedName(first.intent.dealId ?? '')}: `;
  const more = [
    ...(wrong === 0 ? [] : [`${rowsIn(wrong)} ${isCheck ? 'blocked or skipped too' : 'not open either'}.`]),
    ...(waiting === 0 || isWaiting ? [] : [`${rowsIn(waiting)} accepted too, and not filled yet.`]),
  ];
  const own = skipped ? CHANGE_BOUND : (ownField(OF_A_FILE, worst.code) ?? worst.hint);
  // The rows of a partial fill and of a failed order have their commands in `nextCommands`.
  const isOfAll = worst instanceof PartialFillError || worst instanceof OrderFailedError;
  const pending = ends.filter(({ report }) => report?.effect === 'pending').length;
  const effect =
    worst.effect !== 'none' || isCheck
      ? worst.effect
      : pending > 0
        ? 'pending'
        : ends.some(({ plan, report }) => plan !== undefined && report?.effect === 'done')
          ? 'done'
          : 'none';
  const lead = effect === 'none' && worst instanceof OrderFailedError ? TO_RETRY : undefined;
  const hints = [
    ...(isOfAll ? [] : hintLines(own).map(columnsOf)),
    ...nextCommands(ends, { stage, path, lead, again: worst.effect === 'unknown' ? AFTER_THE_CHECK : AGAIN }),
  ];
  return worst.with({
    what: [`${where}${worst.what}`, ...more].join(' '),
    meaning:
      effect === 'none'
        ? (worst.meaning ?? 'Nothing was sent.')
        : [
            openInWords(ends, pending),
            ...(worst.effect === 'none' || worst.meaning === undefined || worst instanceof PartialFillError
              ? []
              : [worst.meaning]),
          ].join(' '),
    hint: hints.length === 0 ? worst.hint : hints,
    details: {
      line: first.line,
      deal_id: first.intent.dealId ?? null,
      rows: failed.length,
      ...(worst.details === undefined ? {} : { cause: worst.details }),
    },
    effect,
  });
}

const rowsIn = (count: number): string =>
  count === 1 ? '1 more row is' : `${count.toString()} more rows are`;

/** `3 of 5 are open, 1 in part: 789.956 USD is not open.` */
function openInWords(ends: readonly DealEnd[], pending: number): string {
  const parts = ends.flatMap((end) => unfilledOf(end) ?? []);
  const open = ends.filter(({ report }) => report?.effect === 'done').length;
  return [
    `${open.toString()} of ${ends.length.toString()} are open`,
    ...(parts.length === 0
      ? []
      : [`, ${parts.length.toString()} of them in part: ${usdInWords(sum(parts))} is not open`]),
    ...(pending === 0
      ? []
      : [`${parts.length === 0 ? ',' : ';'} ${pending.toString()} accepted and waiting for a fill`]),
    '.',
  ].join('');
}

/** USD of a partial fill. */
function unfilledOf({ report, error }: DealEnd): Big | undefined {
  const { filled_notional_usd: filled } = report?.derived ?? {};
  return error instanceof PartialFillError && filled !== undefined
    ? report?.entry?.notional?.minus(filled)
    : undefined;
}

/** Stops that no change of the file lifts: their hint says what does. */
const OF_THE_PROFILE: readonly string[] = ['halted', 'read_only', 'account_unclear'];

const MOST_RESTS = 5;
const MOST_LINES = 10;

/** Commands for the rows that are not open: the same run, if it opens any, else the step that each needs. */
function nextCommands(
  ends: readonly DealEnd[],
  { stage, path, lead, again }: { stage: DealsStage; path: string; lead: string | undefined; again: string },
): readonly HintLine[] {
  const stopped = stage === 'run' ? [] : ends.filter(blocksRun);
  const blocked = stopped.filter(({ error }) => !OF_THE_PROFILE.includes(error?.code ?? ''));
  const partial = ends.filter(({ error }) => error instanceof PartialFillError);
  const failed = ends.filter(({ report }) => report?.outcome === 'failed');
  const isMissing = ends.some(
    ({ error, report }) =>
      error !== undefined && !(error instanceof PartialFillError) && report?.outcome !== 'failed',
  );
  const commands = [
    ...partial.slice(0, MOST_RESTS).flatMap(({ error, line }) =>
      (error?.hint ?? []).filter(isCommand).map(({ command, lead: when }) => {
        const row = `line ${line.toString()}`;
        return when === undefined
          ? step(command, `${row}, in a minute: the rest may still fill`)
          : step(command, `open the rest of ${row}`, when);
      }),
    ),
    ...(failed.length === 0
      ? []
      : [
          step(
            withOperands(shell`hedge deals run`, [path], ['--retry-failed']),
            `open ${failed.length === 1 ? 'the failed row' : 'the failed rows'} again`,
            lead,
          ),
        ]),
  ];
  return [
    ...commands,
    ...(partial.length > MOST_RESTS
      ? [`${(partial.length - MOST_RESTS).toString()} more partial fills: column filled_notional_usd.`]
      : []),
    ...(blocked.length === 0
      ? stage === 'check' && stopped.length === 0
        ? []
        : [isMissing ? (commands.length === 0 ? again : AGAIN_FOR_OTHERS) : NOTHING_MORE]
      : [`No row is opened until ${linesThatFit(blocked)} out of the file.`]),
  ];
}

/** `line 3 fits or is`, `lines 3, 5 fit or are`. */
function linesThatFit(rows: readonly DealEnd[]): string {
  const shown = rows.slice(0, MOST_LINES).map(({ line }) => line.toString());
  return rows.length === 1
    ? `line ${shown.join('')} fits or is`
    : `lines ${shown.join(', ')}${rows.length > shown.length ? ', …' : ''} fit or are`;
}

/** The run was stopped between two rows: no row has an error of its own. */
function interruptionOf(ends: readonly DealEnd[]): HedgeError | undefined {
  const cause = ends.find(({ error }) => error?.code === NOT_RUN)?.error?.cause;
  if (!(cause instanceof HedgeError)) return undefined;
  const effects = ends.map(({ plan, report }) => (plan === undefined ? undefined : report?.effect));
  return cause.with({
    meaning: `${effects.filter((effect) => effect !== undefined).length.toString()} of ${ends.length.toString()} rows were sent in this run.`,
    hint: AGAIN,
    details: {},
    effect: effects.includes('pending') ? 'pending' : effects.includes('done') ? 'done' : 'none',
    retry: 'later',
  });
}
