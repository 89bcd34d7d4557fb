/** Opens the journal of a desk for a command: with this machine's passwords, certificates and own journal. */
import { rootCertificates } from 'node:tls';
import { addedCertificates } from '../config/ca-file.ts';
import { printedBy } from '../config/key-origins.ts';
import { whoOf } from '../config/operator-names.ts';
import { readLogAddress } from '../desk/address.ts';
import { connectedToLog, type LogLogin } from '../desk/connection.ts';
import { contactFile } from '../desk/contact.ts';
import { type DeskJournal, type DeskJournalParts, openDeskJournal } from '../desk/desk-journal.ts';
import type { LaterRecords } from '../desk/desk-writer.ts';
import { openLeftJournal } from '../desk/left-journal.ts';
import { MIGRATIONS } from '../desk/log-schema.ts';
import {
  type DeskAccess,
  deskFolder,
  type Membership,
  readMembership,
  writeMembership,
} from '../desk/membership.ts';
import { ownRecords } from '../desk/own-records.ts';
import { withOwnSnapshots } from '../desk/own-snapshots.ts';
import { passwordInFile } from '../desk/password.ts';
import { CredentialError, DamagedFileError } from '../errors.ts';
import type { Operator } from '../journal/records.ts';
import { actionById } from '../journal/state.ts';
import { type Journal, openJournal } from '../journal/store/journal.ts';
import type { JournalDatabase } from '../journal/store/journal-database.ts';
import { headOf } from '../journal/store/record-rows.ts';
import { databaseFile, openJournalFile } from '../journal/store/schema.ts';
import type { Clock } from '../platform/clock.ts';
import type { Machine } from '../platform/host.ts';
import { type JournalSummary, summarizeJournal } from '../readings/read-journal.ts';
import type { CommandRuntime, DeskRuntime } from './runtime-context.ts';

/** @throws CredentialError, DamagedFileError */
export async function loginOf(access: DeskAccess, parts: CommandRuntime): Promise<LogLogin> {
  const { machine, env, home, settings } = parts;
  const { host } = machine;
  const address = readLogAddress(access.url);
  const limitMs = Math.max(PASSWORD_MS, settings.deskTimeoutMs ?? 0);
  const { ca_file: caFile, password_command: command, password_keychain: entry } = access;
  const added = addedCertificates(
    { profile: caFile, hedge: settings.caFile, node: settings.extraCaCerts, system: [] },
    host,
  );
  return {
    address,
    osUser: host.user(),
    env,
    // A desk's own authority is the only one that is asked about its server.
    ca: added === undefined ? undefined : caFile === undefined ? [...rootCertificates, ...added] : added,
    async password(user) {
      if (entry !== undefined) return parts.keychain.read(entry);
      if (command !== undefined) {
        const ports = { ...machine, env, signal: parts.signals.signal };
        return lineOf(await printedBy(command, parts.terminal.canPrompt ? ports : { ...ports, limitMs }));
      }
      return passwordInFile({ ...address, user }, { env, home, host });
    },
  };
}

/** For the password command where no person is there to be asked for anything. */
const PASSWORD_MS = 5_000;

function lineOf(text: string): string {
  const line = text.replace(/\r?\n$/, '');
  if (line !== '' && !/[\r\n]/.test(line)) return line;
  throw new CredentialError({
    code: 'credential_unusable',
    what: 'The password command did not print one line.',
    meaning: 'Nothing was sent.',
    hint: 'It must print the password of the database login, and nothing else.',
  });
}

const REACH_MS = 2_000;

export function sessionParts(
  { name, access }: { name: string; access: DeskAccess },
  parts: DeskRuntime,
  operator: Operator,
): Omit<DeskJournalParts, 'isFollowed' | 'sentHere' | 'laterRecords'> {
  const { machine, version, terminal, settings } = parts;
  const folder = deskFolder(parts.places().state, name);
  return {
    name,
    folder,
    machine,
    version,
    signature: () => ({ who: whoOf(operator, machine.host), operator, version }),
    login: () => loginOf(access, parts),
    contacts: contactFile(folder, machine),
    reachMs: settings.deskTimeoutMs ?? REACH_MS,
    note(text) {
      if (!terminal.quiet) terminal.writeNote(text);
    },
  };
}

/** `taking`: as for the copy of a desk that was left, which this one may become meanwhile. */
export function followDesk(
  member: Membership,
  parts: DeskRuntime,
  { operator, taking }: { operator: Operator; taking?: () => string | undefined },
): DeskJournal {
  const { machine } = parts;
  const { state } = parts.places();
  const { name } = member;
  const session = sessionParts({ name, access: member }, parts, operator);
  const own = openJournal({ places: parts.places(), machine });
  const journal = openDeskJournal({
    ...session,
    isFollowed: () => readMembership(state, name, machine.host)?.state === 'following',
    sentHere: (id) => actionById(own.read(), id) !== undefined,
    laterRecords: () => laterRecords(member, state, machine),
  });
  parts.disconnectAtEnd(journal);
  const left = openLeftJournal(name, { places: parts.places(), machine, ...(taking && { taking }) });
  const isGone = (): boolean => readMembership(state, name, machine.host) === undefined;
  const lasting: DeskJournal = {
    ...journal,
    append: (records, guard) => (isGone() ? left : journal).append(records, guard),
    close() {
      left.close();
      journal.close();
    },
  };
  return withOwnSnapshots(lasting, own);
}

/** Asks the server for its version, and for the TLS of this connection. @throws LogFailure */
export async function examineServer(access: DeskAccess, parts: DeskRuntime) {
  const login = await loginOf(access, parts);
  const options = { clock: parts.machine.clock, withinMs: parts.settings.deskTimeoutMs ?? REACH_MS };
  return connectedToLog(login, options, async (connection) => {
    const [found] = await connection.run(
      "SELECT current_setting('server_version') AS server, (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls, (SELECT schema_version FROM hedge.head) AS schema",
      REACH_MS,
    );
    const { server, tls, schema } = found?.rows[0] ?? {};
    const isOlder = Number(schema) < MIGRATIONS.length;
    return { tls: tls ?? undefined, server: server ?? '', schema: Number(schema), isOlder };
  });
}

const NOTHING_LATER: LaterRecords = { records: [], done: () => undefined };

/** A process that began before this machine joined may still record how its action went. */
export function laterRecords(
  { name }: Pick<Membership, 'name'>,
  state: string,
  machine: Machine,
): LaterRecords {
  const member = readMembership(state, name, machine.host);
  let db: JournalDatabase | undefined;
  try {
    db = openJournalFile(databaseFile(state), machine.host);
    if (member === undefined || db === undefined) return NOTHING_LATER;
    if (headOf(db).seq <= member.delivered_to) return NOTHING_LATER;
    const keys = new Map(member.keys.map((key) => [key, 'same' as const]));
    const { records, last } = ownRecords(db, {
      from: member.delivered_to,
      identity: { ...member.identity, keys },
      haltIds: [],
    });
    return {
      records,
      done() {
        whileUnchanged(name, { state, machine }, () => {
          const now = readMembership(state, name, machine.host);
          // Unless it was left, or joined again, during the delivery.
          if (now?.state === 'following' && now.delivered_to === member.delivered_to)
            writeMembership(state, { ...now, delivered_to: last }, machine);
        });
      },
    };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    // The log and its copy are whole: a close goes on.
    return {
      ...NOTHING_LATER,
      trouble: { kind: 'damaged', path: error.path, what: error.what, code: 'own_journal' },
    };
  } finally {
    db?.close();
  }
}

/** Not while a join, which has the one journal locked, or a leave, which has the other one, changes the file of the desk. */
function whileUnchanged(
  name: string,
  { state, machine: { host } }: { state: string; machine: Machine },
  work: () => void,
): void {
  const open = (folder: string): JournalDatabase | undefined => openJournalFile(databaseFile(folder), host);
  const [own, copy] = [open(state), open(deskFolder(state, name))];
  try {
    own?.writing(() => (copy === undefined ? work() : copy.writing(work)));
  } catch (error) {
    // The next command says it.
    if (!(error instanceof DamagedFileError)) throw error;
  } finally {
    own?.close();
    copy?.close();
  }
}

/** A screen that is drawn each second asks the log no more often. */
const WATCHED_EVERY_MS = 5_000;

/** Its halts and unresolved actions now, while the log is asked in the background. */
export function watchDesk(journal: Journal, clock: Clock): () => JournalSummary {
  let asked = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    if (now - asked >= WATCHED_EVERY_MS) {
      asked = now;
      // A failure is the trouble of the next reading.
      journal.latest().catch(() => undefined);
    }
    return summarizeJournal(journal, { nowMs: clock.now() });
  };
}
