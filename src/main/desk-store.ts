/** The desk of the selected account for `hedge desk`: begin one, join, leave, its state, limits, and a log that was put back. */

import type { HedgeApi } from '../client/hedge-api.ts';
import type { DeskStore } from '../commands/command-context.ts';
import { whoOf } from '../config/operator-names.ts';
import type { Selection } from '../config/resolve.ts';
import { addressText } from '../desk/address.ts';
import { adopt, findRewound } from '../desk/adopt.ts';
import { connectedToLog, type LogConnection, LogFailure, type LogLogin, userOf } from '../desk/connection.ts';
import type { FoundDesk } from '../desk/desk-of-account.ts';
import { type DeskStatus, type LimitsChanged, lastRecord, machinesOf } from '../desk/desk-status.ts';
import { Follower } from '../desk/follower.ts';
import { installLog } from '../desk/install-log.ts';
import { foundingRecord, joinDesk } from '../desk/join.ts';
import { leaveDesk } from '../desk/leave.ts';
import { NOTHING_NEW, pullLog } from '../desk/log.ts';
import { APPROVER, DEALER } from '../desk/log-schema.ts';
import { type DeskTalk, LogSession } from '../desk/log-session.ts';
import { type DeskAccess, deskFolder, type Membership, readMembership } from '../desk/membership.ts';
import { ignoredIn } from '../desk/stamped-rows.ts';
import { notSetUp, troubleOfLog } from '../desk/trouble-of-log.ts';
import { say, shell } from '../domain/hint.ts';
import { exactInstant } from '../domain/instants.ts';
import { nothingChanged, RefusedError, type StoppedError, unless } from '../errors.ts';
import { type AccountIdentity, recordedIdentity } from '../journal/account-identity.ts';
import { type DeskLimitChanges, raisedBy } from '../journal/desk-limits.ts';
import { type Operator, type RecordedIdentity, SCHEMA } from '../journal/records.ts';
import { JournalDamage } from '../journal/store/journal-database.ts';
import { recordOfLog } from '../journal/store/record-rows.ts';
import { databaseFile, openJournalFile } from '../journal/store/schema.ts';
import { troubleError } from '../journal/trouble.ts';
import { stillJoining } from './account-desk.ts';
import { followDesk, loginOf, sessionParts } from './follow-desk.ts';
import { type OwnJournal, recordedOperator } from './own-journal.ts';
import type { DeskRuntime } from './runtime-context.ts';

export interface DeskPorts {
  selection: () => Promise<Selection>;
  account(): Promise<{ api: HedgeApi; identity: AccountIdentity & RecordedIdentity; profile: string }>;
  desk(): Promise<FoundDesk | undefined>;
  /** The account's journal, begun, so that its log was asked. */
  journal(): Promise<OwnJournal>;
  asked(question: string): Promise<boolean>;
  progress(text: string): void;
}

export function openDeskStore(parts: DeskRuntime, ports: DeskPorts): DeskStore {
  const { machine, version } = parts;
  const { host, clock } = machine;
  const { state } = parts.places();
  const operator = (): Promise<Operator> => recordedOperator(parts, ports.selection);

  /** @throws StoppedError `no_desk` */
  async function member(): Promise<Membership> {
    const found = await ports.desk();
    if (found !== undefined) return found.member;
    throw nothingChanged({
      code: 'no_desk',
      what: 'The account of this profile has no desk on this machine.',
      hint: say`To join one: ${shell`hedge desk join postgres://HOST/DATABASE`}. More: ${shell`hedge help desk`}`,
    });
  }

  /** @throws StoppedError `no_desk`, also for a desk that was left */
  async function notLeft(): Promise<Membership> {
    const found = await member();
    if (found.state !== 'left') return found;
    throw nothingChanged({
      code: 'no_desk',
      what: `This machine has left desk ${found.name}: its copy is the journal of the account here.`,
      hint: say`To follow it again: ${shell`hedge desk join ${found.url}`}`,
    });
  }

  /** One piece of work with a log that this machine does not follow yet. */
  async function settingUp<T>(
    login: LogLogin,
    withinMs: number,
    work: (connection: LogConnection) => Promise<T>,
  ): Promise<T> {
    try {
      return await connectedToLog(login, { clock, withinMs }, work);
    } catch (error) {
      throw error instanceof LogFailure ? notSetUp(error) : error;
    }
  }

  /** A separate conversation: it does not depend on the desk that this machine follows now. */
  async function talking<T>(
    { name, access }: { name: string; access: DeskAccess },
    work: (talk: DeskTalk) => Promise<T>,
  ): Promise<T> {
    const by = await operator();
    const session = sessionParts({ name, access }, parts, by);
    const follower = new Follower(session.folder, machine);
    const log = new LogSession({ ...session, follower });
    try {
      return await work({ name, machine, session: log, follower, signature: session.signature() });
    } catch (error) {
      const trouble = troubleOfLog(error, { name, path: deskFolder(state, name) });
      throw trouble === undefined ? error : troubleError(trouble.trouble, 'Nothing was changed.');
    } finally {
      log.close();
      follower.close();
    }
  }

  /** The name of the desk whose log is at an address. */
  async function nameAt(access: DeskAccess): Promise<string> {
    const withinMs = parts.settings.deskTimeoutMs ?? FIRST_MS;
    const login = await loginOf(access, parts);
    return settingUp(login, withinMs, async (connection) => {
      const { name } = await pullLog(connection, { copy: NOTHING_NEW, withinMs });
      return name;
    });
  }

  return {
    async init({ name, access }) {
      const identity = recordedIdentity((await ports.account()).identity);
      checkServed(identity);
      const by = await operator();
      const login = await loginOf(access, parts);
      const founding = foundingRecord(
        { name, identity },
        { who: whoOf(by, host), operator: by, version, nowMs: clock.now() },
      );
      const { from, to, ...installed } = await settingUp(login, FIRST_MS, (connection) =>
        installLog(connection, { name, founding }),
      );
      const first = recordOfLog(installed.founding);
      return {
        name,
        url: addressText(login.address),
        owner: userOf(login),
        roles: { dealer: DEALER, approver: APPROVER },
        schema: { from, to },
        identity: first.kind === 'desk' ? first.identity : identity,
      };
    },
    async join(access, { yes }) {
      const { api, identity, profile } = await ports.account();
      checkServed(identity);
      const known = (await ports.desk())?.member;
      const name = await nameAt(access);
      if (known !== undefined && known.name !== name && known.state !== 'left')
        throw oneDesk(known.name, name);
      const joined = await talking({ name, access }, (talk) =>
        joinDesk({
          ...talk,
          places: parts.places(),
          identity,
          profile,
          access,
          reads: (id) => isRead(api, id),
          asked: (question) => (yes ? Promise.resolve(true) : ports.asked(question)),
          progress: (count, of) =>
            ports.progress(`Delivering records: ${count.toString()} of ${of.toString()}`),
        }),
      );
      return { ...joined, records: await deliverPending(name, joined.records) };
    },
    async status() {
      const found = await ports.desk();
      if (found === undefined) return undefined;
      return statusOf(found, await ports.journal());
    },
    async limit(changes, note) {
      const { name, state: joined } = await member();
      if (joined === 'joining') throw stillJoining(name, 'Nothing was changed.');
      const journal = await ports.journal();
      const before = journal.read();
      checkMayRaise(name, before, changes);
      const record = {
        schema: SCHEMA,
        kind: 'desk_limit',
        at: exactInstant(clock.now()),
        who: whoOf(await operator(), host),
        ...changes,
        ...(note === undefined ? {} : { note }),
      } as const;
      const after = await journal.append([record], (now) => checkMayRaise(name, now, changes));
      return {
        name,
        before: before.limits,
        after: after.limits,
        delivery: joined === 'left' ? 'left' : after.desk?.pending === 0 ? 'delivered' : 'waiting',
      } satisfies LimitsChanged;
    },
    async findRewound() {
      const { name, ...access } = await notLeft();
      return talking({ name, access }, (talk) => findRewound(talk));
    },
    async adopt(rewound, note) {
      const { name, ...access } = await notLeft();
      return talking({ name, access }, (talk) => adopt(rewound, note, talk));
    },
    async leave(note, { isLost }) {
      const { name, ...access } = await notLeft();
      const journal = await ports.journal();
      return talking({ name, access }, (talk) =>
        leaveDesk({
          ...talk,
          places: parts.places(),
          journal,
          identity: async () => (await ports.account()).identity,
          note,
          isLost,
        }),
      );
    },
  };

  /** A halt of a machine that had left the log as lost, and decisions, which the log may have overtaken. Returns how many records it has then. */
  async function deliverPending(name: string, before: number): Promise<number> {
    const joined = readMembership(state, name, host);
    if (joined === undefined) return before;
    const journal = followDesk(joined, parts, { operator: await operator() });
    const copy = new Follower(deskFolder(state, name), machine);
    try {
      await journal.deliver();
      return copy.head.seq;
    } finally {
      copy.close();
      journal.close();
    }
  }

  async function statusOf({ member: of }: FoundDesk, journal: OwnJournal): Promise<DeskStatus> {
    const { name, url, identity } = of;
    const { desk, trouble, halt, limits } = journal.read();
    const folder = deskFolder(state, name);
    const copy = unless(JournalDamage, () => openJournalFile(databaseFile(folder), host));
    try {
      return {
        name,
        state: of.state,
        url,
        identity,
        desk,
        trouble,
        halt,
        limits,
        shiftMs: clock.shiftMs,
        machines: copy === undefined ? [] : machinesOf(copy),
        ignored: copy === undefined ? [] : ignoredIn(copy),
        last: copy && lastRecord(copy),
      };
    } finally {
      copy?.close();
    }
  }
}

/** A person waits for it. */
const FIRST_MS = 15_000;

async function isRead(api: HedgeApi, id: string): Promise<boolean> {
  try {
    await api.hedge(id);
    return true;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw error;
  }
}

/** @throws StoppedError for the built-in practice, which is of one machine. */
function checkServed({ environment }: AccountIdentity): void {
  if (environment !== 'practice') return;
  throw nothingChanged({
    code: 'desk_unfit',
    what: 'The built-in practice has no desk: it is of this machine alone.',
    hint: say`To practice with several machines, serve it: ${shell`hedge practice serve`}. Then add a profile for it.`,
  });
}

const oneDesk = (has: string, other: string): StoppedError =>
  nothingChanged({
    code: 'desk_joined',
    what: `This account follows desk ${has} already: an account has one desk, not ${other} too.`,
    hint: say`To leave it first: ${shell`hedge desk leave`}`,
  });

/** @throws StoppedError `not_approver` */
function checkMayRaise(
  name: string,
  { limits, desk }: Pick<DeskStatus, 'limits' | 'desk'>,
  changes: DeskLimitChanges,
): void {
  const raised = raisedBy(limits, changes);
  if (raised.length === 0 || desk === undefined || desk.isApprover || !desk.isReached) return;
  throw nothingChanged({
    code: 'not_approver',
    what: `The login ${desk.login ?? ''} may not raise a limit of desk ${name}.`,
    hint: `An approver can: a login with the role ${APPROVER}. Anyone may lower a limit.`,
    details: { raised },
  });
}
