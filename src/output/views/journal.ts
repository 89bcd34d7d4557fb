/** The list of actions in the journal; and pending actions as other screens show them. */
import { ownField } from '../../domain/fields.ts';
import { nextSteps } from '../../journal/describe.ts';
import { partialFillOf } from '../../journal/queries.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../../journal/replay.ts';
import type { JournalSummary } from '../../readings/read-journal.ts';
import { type Block, type Cell, line, missing, nameText, type Tone, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { outcomeWord } from './journal-document.ts';
export interface JournalPage {
  actions: readonly Action[];
  /** Matching actions, those beyond the page too. */
  fitting: number;
  selected: string | undefined;
}

/** Listed with a next command; the rest is counted. */
const MOST_LISTED = 5;

export function viewJournalPage({ actions, fitting, selected }: JournalPage): readonly Block[] {
  const beyond = fitting - actions.length;
  return [
    {
      kind: 'table',
      columns: [
        { header: 'ID' },
        { header: 'TIME' },
        { header: 'ENVIRONMENT' },
        { header: 'ACTION' },
        { header: 'NOTIONAL', align: 'right' },
        { header: 'OUTCOME' },
        { header: 'DEAL ID', optional: true },
        { header: 'HEDGE', optional: true },
      ],
      rows: actions.map(rowOf),
      empty: 'No matching actions',
    },
    ...(beyond === 0 ? [] : [line(text(`${beyond.toString()} older. Show them: --limit all`, 'dim'))]),
    ...viewUnresolved(actions.filter(isUnresolved), 'unresolved', selected),
    ...viewUnresolved(actions.filter(isAwaitingOutcome), 'in flight', selected),
  ];
}

const rowOf = (action: Action): readonly Cell[] => {
  const { intent, notional, hedgeId } = action;
  return [
    text(action.shortId, 'strong'),
    { kind: 'time', at: intent.at, style: 'minute' },
    environmentCell(action),
    nameText(`${intent.action} ${intent.market} ${intent.side}`),
    notional === undefined ? missing : { kind: 'money', amount: notional },
    outcomeCell(action),
    intent.deal_id === undefined ? missing : nameText(intent.deal_id),
    hedgeId === undefined ? missing : nameText(hedgeId),
  ];
};

/** `LIVE · desk`; practice is both the environment's and the profile's name. */
export function environmentCell({ intent }: Action): Cell {
  const { environment } = intent.identity;
  const upper = environment.toUpperCase();
  return text(
    environment === intent.profile ? upper : `${upper} · ${intent.profile}`,
    environment === 'live' ? 'warn' : 'plain',
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  unknown: 'bad',
  not_seen: 'bad',
  failed: 'bad',
  refused: 'warn',
  pending: 'warn',
  sending: 'warn',
  filled: 'good',
  changed: 'good',
  closed: 'good',
};

const RECORDED = { done: 'recorded as executed', nothing: 'recorded as not executed' } as const;

export function outcomeCell(action: Action): Cell {
  if (action.state === 'done' && partialFillOf(action) !== undefined) return text('partial fill', 'warn');
  const word = outcomeWord(action);
  const away = action.state === 'not_sent' && action.turnedAway !== undefined;
  const became = away ? 'not accepted' : word.replaceAll('_', ' ');
  const said = action.settledAs === undefined ? became : RECORDED[action.settledAs];
  return text(word === 'unknown' ? 'UNKNOWN' : said, ownField(TONES, word) ?? 'plain');
}

/** Pending actions, each with its next command. */
export function viewUnresolved(
  actions: readonly Action[],
  what: 'unresolved' | 'in flight',
  selected: string | undefined,
): readonly Block[] {
  if (actions.length === 0) return [];
  const shown = actions.slice(0, MOST_LISTED);
  const more = actions.length - shown.length;
  const moreOf = `and ${more.toString()} more: hedge journal --${what.replace(' ', '-')} --limit all`;
  return [
    { kind: 'gap' },
    line(
      text(`${actions.length.toString()} ${what}:`, what === 'unresolved' ? 'bad' : 'warn'),
      text(MEANS[what], 'dim'),
    ),
    {
      kind: 'pairs',
      pairs: shown.map((action) => ({
        name: nextSteps(action, selected)[0]?.command ?? `hedge journal ${action.shortId}`,
        value: pendingCells(action),
      })),
    },
    ...(more === 0 ? [] : [line(text(moreOf, 'dim'))]),
  ];
}

/** That the journal is corrupt. */
export function viewDamage(journal: JournalSummary): readonly Block[] {
  const words = damageInWords(journal);
  return words === undefined ? [] : [{ kind: 'gap' }, line(text(words, 'bad'))];
}

/** For a pipe. */
export function damageChanges(journal: JournalSummary): readonly ChangeLine[] {
  const words = damageInWords(journal);
  return words === undefined ? [] : [{ key: 'journal damage', cells: [text(words)] }];
}

const damageInWords = ({ damage, unreadable }: JournalSummary): string | undefined =>
  unreadable?.message ??
  (damage === undefined ? undefined : `Part of ${damage.path} is corrupt. Details: hedge journal`);

const MEANS = {
  unresolved: 'sent; outcome unknown. Do not enter it again.',
  'in flight': 'accepted or being sent; not finished.',
};

const pendingCells = (action: Action): readonly Cell[] => [
  environmentCell(action),
  nameText(`${action.intent.action} ${action.intent.market} ${action.intent.side}`),
  ...(action.notional === undefined
    ? []
    : [{ kind: 'money', amount: action.notional, unit: 'USD' } as const]),
  ...(action.intent.deal_id === undefined ? [] : [nameText(`(${action.intent.deal_id})`)]),
  { kind: 'time', at: action.intent.at, style: 'minute', tone: 'dim' },
];
