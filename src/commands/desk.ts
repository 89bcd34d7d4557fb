/** `hedge desk`: several machines on one account follow one log in PostgreSQL. */

import {
  ACCESS_OPTIONS,
  DESK_LIMIT_OPTIONS,
  readAccess,
  readDeskLimits,
  readYes,
} from '../args/desk-options.ts';
import { optionGiven, optionText, readNothing } from '../args/option.ts';
import { NOTE_OPTION, YES_OPTION } from '../args/shared-options.ts';
import { readLogAddress } from '../desk/address.ts';
import { readDeskName } from '../desk/membership.ts';
import { say, shell } from '../domain/hint.ts';
import { UsageError } from '../errors.ts';
import { troubleError } from '../journal/trouble.ts';
import {
  adoptedDocument,
  deskStatusDocument,
  joinedDocument,
  leftDocument,
  limitsDocument,
  viewAdopted,
  viewDeskStatus,
  viewInit,
  viewJoined,
  viewLeft,
  viewLimits,
  viewRewound,
} from '../output/views/desk.ts';
import { askFirst } from './ask-first.ts';
import type { CommandContext } from './command-context.ts';
import { type CommandGroup, defineCommand } from './define.ts';

const URL_OPERAND = {
  name: 'URL',
  summary: 'postgres://HOST/DATABASE, without a password',
  completes: 'nothing',
} as const;
const zoneOf = async (context: CommandContext): Promise<string> => (await context.profileContext()).zone;

const NOTHING_CHANGED = 'Nothing was changed.';

const CANCELED = { what: 'Canceled.', meaning: NOTHING_CHANGED };

/** Only a person at a terminal may confirm this. @throws UsageError, StoppedError */
async function confirmInPerson(context: CommandContext, message: string): Promise<void> {
  if (!context.prompter.attended)
    throw new UsageError(`Only a person at a terminal can confirm this. ${NOTHING_CHANGED}`);
  await askFirst(context, message, CANCELED);
}

const deskInit = defineCommand({
  name: 'desk init',
  summary: 'Create the log of a desk in a PostgreSQL database',
  description:
    'For the owner of the database, once: creates the schema hedge with its tables and functions, and the roles hedge_dealer and hedge_approver. The log is for the account of the selected profile: environment, base URL and account label are fixed. Prints what colleagues run. Joins nothing: every machine joins with a login of its own. Repeated, it brings the schema to this version. More: hedge help desk.',
  operands: [URL_OPERAND],
  options: [{ flags: '--name <name>', summary: 'name of the desk: lagos' }, ...ACCESS_OPTIONS],
  examples: [
    {
      line: 'hedge desk init postgres://postgres@db.example.com/hedge --name lagos',
      shows: 'what colleagues run',
    },
  ],
  read(raw) {
    const name = optionText(raw, 'name');
    if (name === undefined)
      throw new UsageError(
        'Missing --name: the name of the desk.',
        say`${shell`hedge desk init URL --name lagos`}`,
      );
    const access = readAccess(raw);
    readLogAddress(access.url);
    return { name: readDeskName(name), access };
  },
  async run(context, begun) {
    context.progress.start('Creating the log');
    return { value: await (await context.deskStore()).init(begun) };
  },
  view: viewInit,
});

const deskJoin = defineCommand({
  name: 'desk join',
  summary: 'Follow the log of a desk from this machine',
  description:
    'Delivers what this machine has recorded of the account: its actions with all their records, its rolls, and the halts in force. From then on every machine sees them, and this machine sees those of all. The API key must read a hedge of the log, or you confirm that the account is the same. Safe to repeat: after an interruption it goes on, and opens wait until it is done. The password is looked for in PGPASSFILE or ~/.pgpass unless an option names another place. More: hedge help desk.',
  operands: [URL_OPERAND],
  options: [...ACCESS_OPTIONS, YES_OPTION],
  examples: [
    { line: 'hedge desk join postgres://ada@db.example.com/hedge', shows: 'deliver, then follow' },
    {
      line: 'hedge desk join postgres://ada@db.example.com/hedge --ca-file /etc/ssl/db-ca.pem',
      shows: 'a server with a certificate of your own authority',
    },
  ],
  read(raw) {
    const access = readAccess(raw);
    readLogAddress(access.url);
    return { access, yes: optionGiven(raw, 'yes') };
  },
  async run(context, { access, yes }) {
    context.progress.start('Reading the log');
    return { value: await (await context.deskStore()).join(access, { yes }) };
  },
  document: joinedDocument,
  view: viewJoined,
});

const deskStatus = defineCommand({
  name: 'desk status',
  summary: 'Show who follows the desk, its last record, and what waits here',
  examples: [{ line: 'hedge desk status', shows: 'machines, limits, and whether the log can be reached' }],
  read: readNothing,
  async run(context) {
    const value = await (await context.deskStore()).status();
    const { trouble } = value ?? {};
    return {
      value,
      finding: trouble === undefined ? undefined : troubleError(trouble, 'Reduce and close still work here.'),
      zone: await zoneOf(context),
    };
  },
  document: deskStatusDocument,
  view: viewDeskStatus,
});

const MAY_BE_CHANGED = 'A colleague may have changed these limits since. Reduce and close still work here.';

const deskLimit = defineCommand({
  name: 'desk limit',
  summary: 'Show or set the limits of the whole desk; the value none removes one',
  description:
    "An open or add beyond a limit is blocked on every machine. A profile's own limits hold too: its daily limit counts what its own login opened. The limit of the notional open compares with all open hedges of the account as read, and actions under way. An intent counts from its record until it is known not to have executed. Anyone may lower a limit; raising or removing one needs a login with the role hedge_approver.",
  options: [...DESK_LIMIT_OPTIONS, NOTE_OPTION],
  examples: [
    {
      line: 'hedge desk limit --max-daily-notional 1m --max-notional 250k --max-open 5m',
      shows: 'set all three',
    },
    { line: 'hedge desk limit', shows: 'the limits' },
    { line: 'hedge desk limit --max-open none', shows: 'remove one' },
  ],
  read: readDeskLimits,
  async run(context, { changes, note }) {
    const store = await context.deskStore();
    if (Object.keys(changes).length > 0) return { value: await store.limit(changes, note) };
    const { name, limits = {}, trouble, state } = (await store.status()) ?? {};
    const known = state === 'left' ? 'left' : 'delivered';
    const delivery = trouble === undefined ? known : 'unknown';
    return {
      value: { name, before: limits, after: limits, delivery },
      finding: trouble && troubleError(trouble, MAY_BE_CHANGED),
    };
  },
  document: limitsDocument,
  view: viewLimits,
});

const deskAdopt = defineCommand({
  name: 'desk adopt',
  summary: 'Deliver what this machine has, after the log was put back',
  description:
    'Only for a log that lacks records which this machine has: an older database was restored, or a replica took over that lacked the last ones. Compare hedge hedges and hedge positions with hedge journal first. A person at a terminal confirms. It halts the desk, delivers every missing record by its ID, and builds the copy again; the other machines do the same by themselves, or adopt what only they have. Lifted halts and raised limits are delivered too, and count only if this login may do that. Then: hedge unhalt.',
  options: [NOTE_OPTION],
  examples: [{ line: 'hedge desk adopt', shows: 'show the missing records, then ask' }],
  read: readYes,
  async run(context, { note }) {
    const store = await context.deskStore();
    const rewound = await store.findRewound();
    const zone = await zoneOf(context);
    if (rewound === undefined) return { value: undefined, zone };
    await context.show(viewRewound(rewound));
    await confirmInPerson(context, 'Deliver these records to the log?');
    return { value: { rewound, adopted: await store.adopt(rewound, note) }, zone };
  },
  document: adoptedDocument,
  view: viewAdopted,
});

const deskLeave = defineCommand({
  name: 'desk leave',
  summary: 'Follow the desk no more; the copy stays the journal of the account',
  description:
    'Delivers what waits, and records that this machine leaves. Deal IDs stay used, unknown outcomes stay open, halts in force and the limits of the desk stay, in a journal of this machine alone. Unfinished rolls are named: the other machines run them, and this one no more (exit code 10, desk_left). If the log is lost for good, --lost leaves without it: a person at a terminal confirms, and opens are halted here until hedge unhalt.',
  options: [NOTE_OPTION, { flags: '--lost', summary: 'the log is lost: leave without it' }, YES_OPTION],
  examples: [{ line: 'hedge desk leave', shows: 'ask, then leave' }],
  read: (raw) => ({ ...readYes(raw), isLost: optionGiven(raw, 'lost') }),
  async run(context, { yes, note, isLost }) {
    const store = await context.deskStore();
    const status = await store.status();
    // The store says it of one that was left already.
    const asks = status !== undefined && status.state !== 'left';
    if (asks && isLost)
      await confirmInPerson(
        context,
        `Leave desk ${status.name} without its log? Records of other machines may be missing here, and opens are halted.`,
      );
    else if (asks && !yes)
      await askFirst(
        context,
        `Leave desk ${status.name}? What the other machines do is not seen here any more, and rolls of the desk are left to them. Deal IDs, halts and the desk's limits as they are now stay on this machine.`,
        CANCELED,
      );
    return { value: await store.leave(note, { isLost }) };
  },
  document: leftDocument,
  view: viewLeft,
});

export const desk: CommandGroup = {
  name: 'desk',
  summary: 'Share one log with other machines: halts, limits, deal IDs',
  main: { ...deskStatus, name: 'desk' },
  commands: [deskInit, deskJoin, deskStatus, deskLimit, deskAdopt, deskLeave],
};
