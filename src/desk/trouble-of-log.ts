/** Troubles with a desk's log, in words: for the journal's state, and as the error that ends a conversation with it. */
import { say, shell } from '../domain/hint.ts';
import { nothingChanged, type Sentence, type StoppedError } from '../errors.ts';
import type { DeskTroubleCode, JournalTrouble } from '../journal/trouble.ts';
import { LogFailure, type LogFailureKind } from './connection.ts';
import { LogChanged, NotNext, NotStorable } from './follower.ts';

/** `mayBeAppended`: whether the records are in the log is not known, for the answer to their commit did not come. */
export class DeskTrouble extends Error {
  readonly trouble: JournalTrouble;
  readonly mayBeAppended: boolean;
  constructor(
    { path, code, what }: { path: string; code: DeskTroubleCode; what: string },
    { cause, mayBeAppended = false }: { cause?: unknown; mayBeAppended?: boolean } = {},
  ) {
    super(what, { cause });
    this.trouble = { kind: 'desk', path, what, code };
    this.mayBeAppended = mayBeAppended;
  }
}

/** The records are in the log, and could not be written to the copy. */
export class NotCopied extends Error {}

/** A sentence. */
export const builtAgain = (name: string): string =>
  `Another process is building the copy of desk ${name} again.`;

/** The log can be read, but takes no records now. */
const TAKES_NONE: readonly string[] = ['takes_none', 'busy', 'invalid', 'taken'];

/** Undefined for an error that is none of the log. */
export function troubleOfLog(
  error: unknown,
  { name, path }: { name: string; path: string },
): DeskTrouble | undefined {
  if (error instanceof DeskTrouble) return error;
  const as = (code: DeskTroubleCode, what: string): DeskTrouble =>
    new DeskTrouble({ path, code, what }, { cause: error });
  if (error instanceof LogChanged)
    return as(
      'desk_changed',
      `The history of desk ${name} was changed: record ${error.seq.toString()} of its log ${error.how}.`,
    );
  if (error instanceof NotStorable)
    return as(
      'desk_changed',
      `Record ${error.seq.toString()} of the log of desk ${name} is not one that hedge writes, and no machine can store it: later records are not known here.`,
    );
  if (error instanceof NotNext) return as('desk_unreachable', builtAgain(name));
  if (error instanceof LogFailure)
    return as(
      'desk_unreachable',
      TAKES_NONE.includes(error.kind)
        ? `The log of desk ${name} takes no records: ${error.why}.`
        : `The log of desk ${name} cannot be reached: ${error.why}.`,
    );
  return undefined;
}

const LOGINS = say`Its login, password and role: ${shell`hedge help desk`}`;
const TO_SET_UP: Readonly<Partial<Record<LogFailureKind, Sentence>>> = {
  untrusted: 'If it has its own authority: --ca-file PATH',
  refused: LOGINS,
  forbidden: LOGINS,
  no_desk: say`To begin one, as the owner of the database: ${shell`hedge desk init`}`,
};

/** For a machine that does not follow the log yet. */
export const notSetUp = ({ kind, why }: LogFailure): StoppedError =>
  nothingChanged({
    code: 'desk_unreachable',
    what: `The database of the desk cannot be used: ${why}.`,
    hint:
      TO_SET_UP[kind] ?? 'Check its address, its server and the network, then run the same command again.',
    // Waiting changes no password, right or certificate.
    retry: kind in TO_SET_UP ? 'never' : 'later',
  });
