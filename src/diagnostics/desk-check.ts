/** The check of the desk: whether its log can be reached, its clock and version, and what waits on this machine. Pure. */
import { counted } from '../domain/exposure.ts';
import { say, shell, step } from '../domain/hint.ts';
import { durationInWords } from '../domain/instants.ts';
import type { DeskView } from '../journal/state.ts';
import { type JournalTrouble, troubleAdvice } from '../journal/trouble.ts';
import { type Check, checkOf } from './checks.ts';

export interface DeskFindings {
  name: string;
  state: 'joining' | 'following' | 'left';
  url: string;
  /** Undefined unless the log is followed. */
  desk: DeskView | undefined;
  trouble: JournalTrouble | undefined;
  /** Damage of this machine's own journal, which is another file than the copy of the log; a sentence. */
  ownFault: string | undefined;
  /** The database's clock less this machine's. */
  offsetMs: number;
  /** How the connection is protected; undefined where it was not reached. */
  connection: { tls: string | undefined; server: string; schema: number; isOlder: boolean } | undefined;
}

const SKEW_MS = 2_000;

export function checkDesk(findings: DeskFindings): Check {
  const { name, state, url, desk, trouble, ownFault, offsetMs, connection } = findings;
  const facts = {
    name,
    state,
    url,
    reached: desk?.isReached ?? null,
    as_of: desk?.asOf ?? null,
    login: desk?.login ?? null,
    approver: desk?.isApprover ?? null,
    pending: desk?.pending ?? null,
    clock_offset_ms: offsetMs,
    tls: connection?.tls ?? null,
    server_version: connection?.server ?? null,
    schema_version: connection?.schema ?? null,
    trouble: trouble === undefined ? null : (trouble.code ?? trouble.kind),
  };
  const found = checkOf('desk', facts);
  if (state === 'left')
    return found('pass', `This machine has left desk ${name}: its copy is the account's journal.`);
  if (state === 'joining')
    return found(
      'fail',
      `This machine is joining desk ${name}; opens wait.`,
      step(shell`hedge desk join ${url}`),
    );
  const waits =
    desk === undefined || desk.pending === 0 ? [] : [`${counted(desk.pending, 'record')} not delivered yet.`];
  if (trouble !== undefined)
    return found(
      'fail',
      [trouble.what, ...waits].join(' '),
      trouble.code === 'desk_unreachable'
        ? `Check the server, the network, the certificate and the login: ${url}`
        : troubleAdvice(trouble),
    );
  if (ownFault !== undefined)
    return found(
      'fail',
      `${ownFault} It has the halts of this machine, and the actions of other accounts.`,
      step(shell`hedge --profile practice journal repair`),
    );
  if (connection?.isOlder === true)
    return found(
      'warn',
      [
        `The log of desk ${name} was made by an earlier version of hedge, and does not check all that this one checks.`,
        ...waits,
      ].join(' '),
      say`The owner of the database brings it up to date: ${shell`hedge desk init URL --name ${name}`}`,
    );
  const apart = Math.abs(offsetMs);
  const clock =
    apart < SKEW_MS
      ? 'clocks agree'
      : `this machine's clock is ${durationInWords(apart)} ${offsetMs > 0 ? 'behind' : 'ahead of'} the database's, which counts`;
  const how = connection?.tls === undefined ? 'local socket' : connection.tls;
  const message = `Desk ${name}: reached as ${desk?.login ?? ''}${desk?.isApprover === true ? ' (approver)' : ''}, ${how}, PostgreSQL ${connection?.server ?? ''}; ${clock}.`;
  return found(waits.length === 0 && apart < SKEW_MS ? 'pass' : 'warn', [message, ...waits].join(' '));
}
