/** A desk: how it began, who follows it, its limits, and what was delivered, as screens and as documents. */

import { Big } from 'big.js';
import type { Adopted, Rewound } from '../../desk/adopt.ts';
import type { DeskMachine, DeskStatus, LastRecord, LimitsChanged } from '../../desk/desk-status.ts';
import type { Joined } from '../../desk/join.ts';
import type { Left } from '../../desk/leave.ts';
import { counted, usdInWords } from '../../domain/exposure.ts';
import { commandText, say, shell } from '../../domain/hint.ts';
import { durationInWords } from '../../domain/instants.ts';
import { identityText } from '../../journal/account-identity.ts';
import { operatorInFull } from '../../journal/describe.ts';
import { DESK_LIMITS, type DeskLimitName, type DeskLimits } from '../../journal/desk-limits.ts';
import type { DeskView } from '../../journal/state.ts';
import type { JournalSummary } from '../../readings/read-journal.ts';
import type {
  DeskAdoptedDocument,
  DeskInitDocument,
  DeskJoinedDocument,
  DeskLeftDocument,
  DeskLimitsDocument,
  DeskStatusDocument,
} from '../../schema/journal-document.ts';
import { dimLine, gap, hintLine, line, messageLine, pair, pairs, type View, warnLine } from '../blocks.ts';
import { message, missing, nameText, text, type Words } from '../cells.ts';
import { listOf } from '../list.ts';
import { pickOrNull } from '../record-table.ts';
import { activeHaltDocument, haltedLine, haltedToCompare, viewActiveHalt } from './halt.ts';
import { viewTrouble, viewUnresolved } from './journal.ts';
import { known, shortTime, time } from './record-columns.ts';

export function viewInit({ name, url, roles, schema, identity }: DeskInitDocument): View {
  const done =
    schema.from === 0
      ? `Desk ${name} is ready.`
      : schema.from === schema.to
        ? `Desk ${name} was there, and is of this version.`
        : `Desk ${name} was brought from schema ${schema.from} to ${schema.to}.`;
  return [
    line(text(done, 'good')),
    pairs(
      pair('Account', message(identityText(identity))),
      pair(
        'Logins',
        `CREATE ROLE ada LOGIN PASSWORD '…' IN ROLE ${roles.dealer}; for an approver IN ROLE ${roles.approver}`,
      ),
    ),
    line(
      'The owner runs that in psql, once for each person. An approver trades like a dealer, and lifts halts and raises limits. Every machine, this one too, then runs:',
    ),
    { kind: 'verbatim', text: commandText(['hedge', 'desk', 'join', url]) },
    hintLine(
      say`with its own login in the address, postgres://ada@…, and with --ca-file if this needed it. More: ${shell`hedge help desk`}`,
    ),
  ];
}

const PROOFS: Readonly<Record<Joined['provedBy'], string>> = {
  key: 'the API key is that with which the desk began',
  hedge: 'the API key reads a hedge of the log',
  label: 'the account label is the same',
  person: 'you said so',
};

export function viewJoined(joined: Joined): View {
  const { name, records, actions, unclear, halts, limitsOf, provedBy, isApprover, login } = joined;
  const own = `${counted(actions, 'action')} from this machine`;
  return [
    line(text(`This machine follows desk ${name}.`, 'good')),
    pairs(
      pair('Login', message(login), isApprover ? '(approver)' : '(dealer)'),
      pair('Account', `the same: ${PROOFS[provedBy]}`),
      pair('Delivered', own, halts !== 0 && `and ${counted(halts, 'halt')} in force`),
      pair('Log', counted(records, 'record')),
    ),
    limitsOf.map((each) =>
      hintLine(
        say`The limits of desk ${each}, which this machine had left, do not hold here. To see and set those of ${name}: ${shell`hedge desk limit`}`,
        'warn',
      ),
    ),
    unclear !== 0 &&
      hintLine(
        say`${counted(unclear, 'action')} of another API key, not confirmed to be of this account, stayed here. To confirm the key: ${shell`hedge profile set NAME --key-stdin`}. Then join again.`,
        'warn',
      ),
  ];
}

export const joinedDocument = ({
  provedBy,
  isApprover,
  limitsOf,
  ...joined
}: Joined): DeskJoinedDocument => ({
  ...joined,
  limits_of: [...limitsOf],
  proved_by: provedBy,
  approver: isApprover,
});

/** For screens that show what the copy has: of which desk, as of when, and what waits here. */
export const deskLine = ({ name, isReached, asOf, pending }: DeskView): View =>
  line(
    `Desk ${name}`,
    asOf !== undefined && ['as of', time(asOf)],
    !isReached && text(', not reached now', 'warn'),
    pending !== 0 && text(`, ${counted(pending, 'record')} not delivered yet`, 'warn'),
  );

export function viewDeskStatus(status: DeskStatus | undefined): View {
  if (status === undefined)
    return [
      line('The account of this profile has no desk on this machine.'),
      hintLine(
        say`To join one: ${shell`hedge desk join postgres://HOST/DATABASE`}. More: ${shell`hedge help desk`}`,
      ),
    ];
  const { name, state, url, identity, desk, trouble, halt, limits, shiftMs, machines, last, ignored } =
    status;
  return [
    line(text(`Desk ${name}`, 'strong'), text(STATES[state], state === 'following' ? 'good' : 'warn')),
    trouble !== undefined && messageLine(trouble.what, 'warn'),
    pairs(
      pair('Account', message(identityText(identity))),
      pair('Log', message(url)),
      desk !== undefined && deskPairs(desk, shiftMs),
      pair('Last record', last ? lastCells(last) : missing),
      DESK_LIMITS.map((each) => pair(LIMIT_WORDS[each], limitInWords(limits[each]))),
    ),
    halt !== undefined && viewActiveHalt(halt, desk),
    ignored.length > 0 && gap,
    ignored.slice(-5).map((each) => messageLine(each.what, 'warn')),
    gap,
    machineList.block(machines, {
      only: (field) => field.name !== 'left_at' || machines.some(({ leftAt }) => leftAt !== undefined),
    }),
  ];
}

const STATES: Readonly<Record<DeskStatus['state'], string>> = {
  joining: 'is being joined: run hedge desk join again if that was interrupted. Opens wait until then.',
  following: 'is followed by this machine',
  left: 'was left: its copy is the journal of the account on this machine',
};

function deskPairs({ isReached, asOf, login, isApprover, pending }: DeskView, shiftMs: number) {
  const apart = Math.abs(shiftMs);
  const clock = `that of the database${isReached ? '' : ' at the last contact'}`;
  const skew = `${durationInWords(apart)} ${shiftMs > 0 ? 'behind' : 'ahead of'}`;
  return [
    pair('Reached', isReached ? text('yes', 'good') : text('NO', 'warn'), 'as of', known(asOf, time)),
    pair('Login', known(login, message), isApprover ? '(approver)' : '(dealer)'),
    pair(
      'Pending here',
      pending === 0
        ? 'nothing'
        : text(`${counted(pending, 'record')}, delivered by the next command that reaches the log`, 'warn'),
    ),
    pair('Clock', apart < SKEW_MS ? `agrees with ${clock}` : text(`${skew} ${clock}, which counts`, 'warn')),
  ];
}

const SKEW_MS = 2_000;

function lastCells({ seq, kind, at, operator, login }: LastRecord): Words {
  const by = operator === undefined ? login : operatorInFull(operator);
  return [`${seq}, ${kind},`, known(at, time), by !== undefined && message(`by ${by}`)];
}

type MachineDocument = NonNullable<DeskStatusDocument>['machines'][number];

const machineList = listOf<DeskMachine, MachineDocument>()(
  [
    { name: 'who', header: 'Machine', wrap: true, show: ({ who }) => message(who) },
    { name: 'login', header: 'Login', show: ({ login }) => known(login, message) },
    { name: 'version', header: 'Version', optional: true, show: ({ version }) => known(version, message) },
    { name: 'joined_at', header: 'Joined', of: ({ joinedAt }) => joinedAt, cell: shortTime },
    { name: 'last_at', header: 'Last record', of: ({ lastAt }) => lastAt, cell: shortTime },
    { name: 'left_at', header: 'Left', of: ({ leftAt }) => leftAt, cell: shortTime },
  ],
  { empty: 'No machine follows it' },
);

export function deskStatusDocument(status: DeskStatus | undefined): DeskStatusDocument {
  if (status === undefined) return null;
  const { name, state, url, identity, desk, trouble, halt, limits, shiftMs, machines, last, ignored } =
    status;
  return {
    name,
    state,
    url,
    identity,
    ...(desk === undefined ? NOT_FOLLOWED : deskFields(desk)),
    trouble: trouble === undefined ? null : { code: trouble.code ?? trouble.kind, what: trouble.what },
    halt: activeHaltDocument(halt),
    limits: limitFields(limits),
    clock_offset_ms: shiftMs,
    machines: machineList.document(machines),
    ignored: ignored.map((each) => pickOrNull(each, ['at', 'login', 'kind', 'limits'])),
    last_record: last === undefined ? null : pickOrNull(last, ['seq', 'at', 'kind', 'login', 'operator']),
  };
}

const NOT_FOLLOWED = { reached: null, as_of: null, login: null, approver: null, pending: null };

/** For documents that differ with a desk. */
const deskFields = (desk: DeskView) => ({
  reached: desk.isReached,
  as_of: desk.asOf ?? null,
  login: desk.login ?? null,
  approver: desk.isApprover,
  pending: desk.pending,
});

/** The halt in force, and the desk where there is one. */
export const sharedDocuments = ({ halt, desk }: JournalSummary) => ({
  halt: activeHaltDocument(halt),
  ...(desk && { desk: { name: desk.name, ...deskFields(desk) } }),
});

const LIMIT_WORDS: Readonly<Record<DeskLimitName, string>> = {
  max_notional_usd: 'Per trade',
  max_daily_notional_usd: 'Per day',
  max_open_usd: 'Open at most',
};

const limitInWords = (digits: string | undefined): string =>
  digits === undefined ? 'no limit' : usdInWords(new Big(digits));

const limitFields = (limits: DeskLimits): Readonly<Record<DeskLimitName, string | null>> =>
  pickOrNull(limits, DESK_LIMITS);

/** `unknown`: they are shown as this machine has them. */
type LimitsView = Omit<LimitsChanged, 'name' | 'delivery'> & {
  name: string | undefined;
  delivery: LimitsChanged['delivery'] | 'unknown';
};

export function viewLimits({ name, before, after, delivery }: LimitsView): View {
  if (name === undefined) return viewDeskStatus(undefined);
  const rows = DESK_LIMITS.map((each) => {
    const [was, is] = [limitInWords(before[each]), limitInWords(after[each])];
    return pair(LIMIT_WORDS[each], was === is ? is : `${is} (was: ${was})`);
  });
  return [
    line(text(`Limits of desk ${name}`, 'strong')),
    pairs(rows),
    delivery === 'waiting' &&
      warnLine(
        'THIS MACHINE ONLY: the log could not be reached. It is delivered by the next command that reaches it.',
      ),
    delivery === 'left' &&
      warnLine(
        'THIS MACHINE ONLY: it has left the desk, which may have other limits by now and does not get these.',
      ),
  ];
}

export const limitsDocument = ({ name, before, after, delivery }: LimitsView): DeskLimitsDocument => ({
  desk: name ?? null,
  limits: limitFields(after),
  before: limitFields(before),
  delivered: delivery === 'delivered',
});

export const viewRewound = ({ found, missing: lacking, fork, lost, decisions }: Rewound): View => [
  messageLine(found, 'warn'),
  pairs(
    pair('Both have', fork === 0 ? 'no record' : `records 1 to ${fork}`),
    pair('To deliver', counted(lacking.length, 'record')),
    lost !== undefined &&
      pair('Lost', text(`record ${lost.seq} and those before it that this machine does not have`, 'warn')),
  ),
  decisions.length > 0 && [
    warnLine('Decisions among them. Once delivered, they count in place of what the desk decided since:'),
    decisions.slice(0, MOST_DECISIONS).map((each) => line(nameText(each))),
    decisions.length > MOST_DECISIONS && dimLine(`And ${decisions.length - MOST_DECISIONS} more.`),
    line('Set limits and outcomes again afterwards where the later ones are right.'),
  ],
];

const MOST_DECISIONS = 20;

interface AdoptedView {
  rewound: Rewound;
  adopted: Adopted;
}

export function viewAdopted(view: AdoptedView | undefined): View {
  if (view === undefined) return line('Nothing to adopt: the log has every record of this machine.');
  const { delivered, records, relaxing } = view.adopted;
  return [
    line(
      text('Delivered', 'good'),
      `${counted(delivered, 'record')}; the log has ${counted(records, 'record')}.`,
    ),
    relaxing !== 0 &&
      warnLine(
        `${counted(relaxing, 'record')} among them lifted a halt or changed a limit: they count only if your login may do that.`,
      ),
    haltedToCompare('Opens and adds of the desk'),
  ];
}

export function adoptedDocument(view: AdoptedView | undefined): DeskAdoptedDocument {
  if (view === undefined) return null;
  const { delivered, records, aside } = view.adopted;
  return { found: view.rewound.found, delivered, records, old_copy: aside ?? null };
}

export const viewLeft = ({ name, path, records, rolls, isUnknown }: Left): View => [
  line(`This machine has left desk ${name}.`),
  pairs(pair('Journal', message(path)), pair('Records', records.toString())),
  hintLine(
    say`Deal IDs, halts and the limits of the desk stay here. To see and change those limits: ${shell`hedge desk limit`}`,
  ),
  rolls.length > 0 &&
    warnLine(
      `Unfinished rolls: ${rolls.join(', ')}. From now on the other machines of desk ${name} run them, with hedge roll run --due, and this one does not.`,
    ),
  isUnknown &&
    haltedLine(
      say`The desk does not know it, and records may be missing here: opens and adds are blocked. Then: ${shell`hedge unhalt`}`,
    ),
];

export const leftDocument = ({ isUnknown, ...left }: Left): DeskLeftDocument => ({
  ...left,
  known_to_the_desk: !isUnknown,
});

/** Above the figures of a watched screen: a halt, unknown outcomes of every machine, and a log that cannot be reached. */
export const viewDeskAlerts = (summary: JournalSummary, selected: string | undefined): View => [
  summary.halt !== undefined && viewActiveHalt(summary.halt, summary.desk),
  viewUnresolved(summary.unresolved, 'unresolved', selected),
  viewTrouble(summary),
];
