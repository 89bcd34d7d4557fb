/** Bare `hedge`: profile, halt, balance and positions, pending actions, and what to do next. */

import type { Position } from '../../client/schemas.ts';
import { say, shell, step } from '../../domain/hint.ts';
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import type { NextStep } from '../../errors.ts';
import type { AccountNow } from '../../readings/read-account-now.ts';
import type { JournalSummary } from '../../readings/read-journal.ts';
import type { HomeDocument } from '../../schema/reading-document.ts';
import { commandRows, gap, line, phraseLine, tableOf, type View, warnLine } from '../blocks.ts';
import { hintCell, message, phrase, text, type Words } from '../cells.ts';
import { cellOf } from '../field-labels.ts';
import { deskLine, sharedDocuments } from './desk.ts';
import { viewActiveHalt } from './halt.ts';
import { pendingDocuments, summaryTrouble, viewPending, viewTrouble } from './journal.ts';
import { lossesBeyondMargin, positionCell } from './positions.ts';
import type { SelectedProfile } from './profiles.ts';
import { signedCell, usd } from './record-columns.ts';
import { unfinishedRollDocument, viewUnfinishedRolls } from './unfinished-rolls.ts';

export interface Home {
  version: string;
  /** Undefined when no profile is selected. */
  selected: SelectedProfile | undefined;
  /** The profile of a command without --profile. */
  implied: string | undefined;
  /** Its profile blocks every action. */
  isReadOnly: boolean;
  /** Undefined when it is not read: in a script, for a document, without a profile, or with a key command. */
  now: AccountNow | undefined;
  /** Summary over every profile on this machine. */
  journal: JournalSummary;
}

const OPEN = step(shell`hedge open`, 'open a hedge step by step; you confirm before it is sent');
const POSITIONS = step(shell`hedge positions`, 'open positions, and what closing returns');
const HELP = step(shell`hedge --help`, 'all commands');

const WITH_PROFILE: readonly NextStep[] = [
  step(shell`hedge quote USDTNGN buy 10000`, 'price a hedge for every tenor'),
  OPEN,
  POSITIONS,
  HELP,
];

/** An open would be blocked, or entered twice. */
const WITH_PENDING: readonly NextStep[] = [
  step(shell`hedge check`, 'look up unknown outcomes and actions in flight; send nothing'),
  POSITIONS,
  HELP,
];

/** An open would be blocked. */
const WITH_TROUBLE: readonly NextStep[] = [
  step(shell`hedge hedges`, 'open hedges, as the service has them'),
  POSITIONS,
  HELP,
];

const WITHOUT_OPEN: readonly NextStep[] = WITH_PROFILE.filter((each) => each !== OPEN);

const WITHOUT_PROFILE: readonly NextStep[] = [
  step(shell`hedge --profile practice quote USDTNGN buy 10000`, 'a practice quote: no money, no key'),
  step(shell`hedge --profile practice open`, 'a practice hedge, step by step'),
  step(shell`export HEDGE_PROFILE=practice`, 'use the practice profile in this shell'),
  step(shell`hedge profile add payouts --base-url https://…`, 'store your API key (hidden prompt)'),
  step(shell`hedge profile use NAME`, 'make a stored profile the default'),
  HELP,
];

export const homeDocument = ({ version, selected, implied, journal }: Home): HomeDocument => ({
  version,
  selected: selected ?? null,
  ...sharedDocuments(journal),
  ...pendingDocuments(journal, implied),
  unfinished_rolls: journal.rolls.map(unfinishedRollDocument),
  journal_trouble: summaryTrouble(journal),
});

export function viewHome(home: Home): View {
  const { version, selected, implied, isReadOnly, now, journal } = home;
  // The heading above has the environment once the account is read.
  const isHeaded = now !== undefined && 'account' in now;
  return [
    line(text(`hedge ${version}`, 'strong'), 'Price, open, increase, reduce and close naira hedges'),
    selected === undefined
      ? line('No profile selected. Choose one before trading.')
      : line(
          phrase`Profile ${text(selected.name, 'strong')} ${!isHeaded && whereTo(selected)}`,
          text(`(${selected.why})`, 'dim'),
        ),
    isReadOnly && warnLine('Read-only: every action of this profile is blocked.'),
    journal.desk && deskLine(journal.desk),
    now &&
      viewNow(
        now,
        pendingOf(journal).some(({ intent }) => intent.profile === selected?.name),
      ),
    journal.halt && viewActiveHalt(journal.halt, journal.desk),
    viewPending(journal, implied),
    viewUnfinishedRolls(journal.rolls, selected?.name ?? ''),
    viewTrouble(journal),
    gap,
    commandRows(nextSteps(home)),
  ];
}

const pendingOf = ({ unresolved, inFlight }: JournalSummary) => [...unresolved, ...inFlight];

const MATURITIES = step(shell`hedge maturities`, 'when each hedge matures');

const named = (word: unknown, otherwise: string): string => (typeof word === 'string' ? word : otherwise);

/** Leads with the side that is open. */
function withOpen([position]: readonly Position[], first: readonly NextStep[]): readonly NextStep[] {
  const [market, side] = [named(position?.market, 'MARKET'), named(position?.side, 'SIDE')];
  return [
    MATURITIES,
    step(shell`hedge reduce ${market} ${side} --by 50%`, 'take off a part'),
    step(shell`hedge close ${market} ${side}`, 'close the side; you confirm first'),
    ...first.filter((each) => each === OPEN || each === HELP),
  ];
}

function nextSteps({ selected, isReadOnly, journal, now }: Home): readonly NextStep[] {
  if (selected === undefined) return WITHOUT_PROFILE;
  if (pendingOf(journal).length > 0) return WITH_PENDING;
  if (journal.trouble !== undefined || journal.unreadable !== undefined) return WITH_TROUBLE;
  const steps = journal.halt === undefined && !isReadOnly ? WITH_PROFILE : WITHOUT_OPEN;
  const open = now !== undefined && 'positions' in now ? now.positions : [];
  return open.length === 0 || isReadOnly ? steps : withOpen(open, steps);
}

function viewNow(now: AccountNow, isPending: boolean): View {
  if ('notRead' in now)
    return phraseLine`${text('Balance and positions not read:', 'warn')} ${message(now.notRead)} ${hintCell(say`Try: ${shell`hedge doctor`}`, 'dim')}`;
  const { account, positions } = now;
  return [
    line(
      'Free balance',
      usd(account.balance_usdc, 'USDC'),
      isPending && '. The actions below may already be in these figures.',
    ),
    gap,
    tableOf(
      positions,
      [
        { header: 'POSITION', show: positionCell },
        { header: 'NOTIONAL USD', align: 'right', show: (each) => cellOf('notional_usd', each.notional_usd) },
        { header: 'AVERAGE ENTRY', align: 'right', show: (each) => cellOf('entry_price', each.entry_price) },
        { header: 'P&L BEFORE FEES', align: 'right', show: (each) => signedCell(each.net_pnl_usd) },
      ],
      { empty: 'No open positions' },
    ),
    lossesBeyondMargin(positions),
  ];
}

function whereTo({ environment }: SelectedProfile): Words {
  if (environment === undefined) return '· environment unknown until its key command runs';
  return [text(`· ${environment.toUpperCase()}`, 'strong'), ENVIRONMENT_GLOSS[environment]];
}
