/** The context that a command runs with, and the result that it returns. Parts that can fail or take time are functions. */

import type { TextSource } from '../args/api-request.ts';
import type { BatchIntent } from '../args/batch-options.ts';
import type { FaultChange } from '../args/practice-faults.ts';
import type { ServeModes } from '../args/practice-serve.ts';
import type { EarlyCloses } from '../cache/early-closes.ts';
import type { PriceCache } from '../cache/seen-prices.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import type { AgentState } from '../client/transport/agent-socket.ts';
import type { KeyVault } from '../config/keychain.ts';
import type { ProfileStore, StoredProfile } from '../config/profiles.ts';
import type { Selection } from '../config/resolve.ts';
import type { Adopted, Rewound } from '../desk/adopt.ts';
import type { DeskStatus, LimitsChanged } from '../desk/desk-status.ts';
import type { Joined } from '../desk/join.ts';
import type { Left } from '../desk/leave.ts';
import type { DeskAccess } from '../desk/membership.ts';
import type { DiagnosticSources } from '../diagnostics/examine.ts';
import type { Installation } from '../diagnostics/machine-checks.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { CommandPlacing } from '../domain/hint.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { HedgeError, Hint, OutputError } from '../errors.ts';
import type { LogComparison } from '../journal/audit-report.ts';
import type { DeskLimitChanges } from '../journal/desk-limits.ts';
import type { Halt } from '../journal/halt.ts';
import type { ImportResult } from '../journal/import/import-journal.ts';
import type { Operator } from '../journal/records.ts';
import type { Loss, LossAccepted } from '../journal/store/accept-loss.ts';
import type { Backup } from '../journal/store/backup.ts';
import type { Journal } from '../journal/store/journal.ts';
import type { RepairResult } from '../journal/store/repair.ts';
import type { JournalTrouble } from '../journal/trouble.ts';
import type { JournalAudit } from '../journal/verify.ts';
import type { Block, View } from '../output/blocks.ts';
import type { ChangeLine, Words } from '../output/cells.ts';
import type { RecordTable } from '../output/record-table.ts';
import type { AgentListed } from '../output/views/agent.ts';
import type { DryRunTotals } from '../output/views/batch.ts';
import type { ExportView } from '../output/views/journal-store.ts';
import type { PracticeFaults } from '../output/views/practice.ts';
import type { Clock } from '../platform/clock.ts';
import type { ReadContext } from '../readings/read-context.ts';
import type { JournalSummary } from '../readings/read-journal.ts';
import type { BatchLine, LineEnd } from '../runs/batch.ts';
import type { RunTotals } from '../runs/tally-batch.ts';
import type { DeskInitDocument } from '../schema/journal-document.ts';
import type {
  PracticeAdvance,
  PracticeSettingsShown,
  PracticeState,
  SchemaDocument,
  ServedDocument,
} from '../schema/machine-document.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Prompter } from '../terminal/prompter.ts';
import type { ActionReport } from '../trading/report.ts';
import type { TradingContext } from '../trading/trading-context.ts';

/** The shells that hedge completes in. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export interface CommandContext {
  program: ProgramInfo;
  clock: Clock;
  progress: Progress;
  prompter: Prompter;
  /** The result is printed in a format for programs, or by --query, and has no screen. */
  printsDocument: boolean;
  /** One line on standard error; silent with --quiet. `whole`: never wrapped. */
  note(text: string, options?: { whole?: boolean }): void;
  /** A preview on standard error, below the environment line. With --quiet it is silent only without a terminal. */
  show(blocks: View): Promise<void>;
  /** Lays out blocks as plain lines for a list of choices. */
  liner(): Promise<(blocks: View) => readonly string[]>;
  /** Resolves at Ctrl-C, TERM or HUP; `orInputCloses`: also when standard input ends. */
  untilStopped(options?: { orInputCloses?: boolean }): Promise<void>;
  /**
   * Runs a program on the terminal of this one, with these variables more, to its end; a signal reaches it too. Its exit
   * code; 128 and more: a signal ended it. @throws UsageError for one that cannot be started
   */
  runProgram(
    argv: readonly [string, ...string[]],
    variables: Readonly<Record<string, string>>,
  ): Promise<number>;
  profiles(): Promise<ProfileStore>;
  /** The selected profile, and why. Reads no key and sends no request. */
  selection(): Promise<Selection>;
  /** Undefined when no profile is selected. */
  selectionIfAny(): Promise<Selection | undefined>;
  /** The selected profile as far as known, for errors and lists. @throws UsageError for a word that is no environment. */
  profileContext(): Promise<ProfileContext>;
  /** The API under the selected profile. Nothing is sent before the first call. */
  api(): Promise<HedgeApi>;
  /** Locally recorded mids of the selected profile: for charts, never to trade at. */
  prices(): Promise<PriceCache>;
  /** The selected account's. */
  earlyCloses(): Promise<EarlyCloses>;
  /** The API under a profile that is not stored yet. */
  candidateApi(candidate: CandidateProfile): Promise<HedgeApi>;
  /** Who is recorded in the journal. @throws UsageError for HEDGE_OPERATOR. */
  operator(): Promise<Operator>;
  /** Sends no request; its records are signed by the operator. @throws UsageError for HEDGE_OPERATOR. */
  journal(): Promise<Journal>;
  /** The same of another profile. */
  journalOf(name: string): Promise<Journal>;
  /** Sends no request and changes nothing. */
  audit(): Promise<JournalAudit>;
  /** Compares the whole copy with the log of the desk; undefined without a desk. */
  logComparison(): Promise<LogComparison | undefined>;
  /** Backup, export, import and repair of the journal. Sends no request. */
  journalStore(): Promise<JournalStore>;
  /** The desk's halts and unresolved actions as last read, asked for each second; undefined without a desk. */
  watchedDesk(): Promise<(() => JournalSummary) | undefined>;
  /** The desk of the selected account. */
  deskStore(): Promise<DeskStore>;
  readContext(): Promise<ReadContext>;
  /** Without the confirmation, which the command adds. `pullsLater`: with a desk, its log is read while the service is. */
  tradingContext(options?: { pullsLater?: boolean }): Promise<Omit<TradingContext, 'confirm'>>;
  /** A key, checked for its shape. @throws CredentialError */
  keyFrom: {
    standardInput(): Promise<ApiKey>;
    file(path: string): Promise<ApiKey>;
    command(argv: readonly [string, ...string[]]): Promise<ApiKey>;
    text(text: string): ApiKey;
    profile(name: string, profile: StoredProfile): Promise<ApiKey>;
  };
  /** @throws UsageError for unreadable input. */
  readInput(source: TextSource): Promise<string>;
  /** A file that the operator names. */
  userFile(path: string): Promise<UserFileAccess>;
  /** A checked batch; no line has run. @throws UsageError that names each wrong line. */
  batch(intent: BatchIntent): Promise<Batch>;
  /** Input and document of the commands that the words name; of all without words. @throws UsageError */
  schemas(words: readonly string[]): Promise<SchemaDocument>;
  /** Tools for a client on standard input and output, until it closes them. @throws StoppedError */
  serveTools(): Promise<void>;
  /** The script that completes hedge in a shell. */
  completion(shell: Shell): Promise<string>;
  /** Profiles whose key is in the keychain of the platform. */
  vault: KeyVault;
  diagnosticSources(): Promise<DiagnosticSources>;
  tradingHalt: TradingHalt;
  practice: PracticeControl;
  agents(): Promise<AgentControl>;
}

export interface UserFileAccess {
  /** Undefined: there is none. @throws UsageError for an unreadable one. */
  read(): string | undefined;
  /** `named`: the option or operand that names it. @throws UsageError also if there is none. */
  readGiven(named: string, example: Hint): string;
  /** Atomically. `kind`: `calendar file`. `isSecret`: for this user alone. Undefined: written; otherwise why not. */
  write(
    content: string | Uint8Array,
    words: { kind: string; option: string; meaning: string; isSecret?: boolean },
  ): OutputError | undefined;
  /** Absent is fine. */
  remove(): void;
}

/** main/journal-store.ts implements it. Each throws a DamagedFileError where its files cannot be used. */
export interface JournalStore {
  /** Paths of the files of an earlier version. */
  earlier(): readonly string[];
  /** To a new file. @throws UsageError */
  backup(to: string): Promise<Backup | OutputError>;
  /** `since`: ISO 8601 UTC. */
  exportToOutput(since: string | undefined): Promise<unknown>;
  /** To a new file. @throws UsageError */
  exportToFile(to: string, since: string | undefined): Promise<ExportView | OutputError>;
  /** Without files: those of an earlier version. @throws UsageError */
  import(files: readonly string[]): Promise<ImportResult>;
  repair(): Promise<RepairResult>;
  /** Undefined when the journal has every record that its witness names. */
  findLoss(): Loss | undefined;
  /** @throws StoppedError when the journal has changed */
  acceptLoss(loss: Loss, note: string): Promise<LossAccepted>;
}

/** main/desk-store.ts implements it. Each throws a StoppedError where the log cannot be reached. */
export interface DeskStore {
  init(begun: { name: string; access: DeskAccess }): Promise<DeskInitDocument>;
  /** `yes`: nobody is asked whether the account is the same. */
  join(access: DeskAccess, options: { yes: boolean }): Promise<Joined>;
  /** Undefined: the account has none. */
  status(): Promise<DeskStatus | undefined>;
  limit(changes: DeskLimitChanges, note: string | undefined): Promise<LimitsChanged>;
  /** Undefined when the log continues what this machine has. */
  findRewound(): Promise<Rewound | undefined>;
  adopt(rewound: Rewound, note: string | undefined): Promise<Adopted>;
  /** `isLost`: a person says that the log is lost for good. */
  leave(note: string | undefined, options: { isLost: boolean }): Promise<Left>;
}

/** Blocks opens and adds of this user on this machine, for every profile. */
export interface TradingHalt {
  /**
   * `timeoutMs`: how long to try to deliver it to a desk.
   * @throws UsageError for the reason; DamagedFileError that says whether trading is halted.
   */
  halt(words: { why: string; note: string | undefined; timeoutMs: number }): Promise<HaltEffect>;
  /** Lifts the halts that were read; one that was set since holds. @throws DamagedFileError, StoppedError: still halted. */
  unhalt(words: { halt: Halt; note: string | undefined }): Promise<HaltEffect>;
  /** The halt in force for the profiles of this machine that do not follow the desk; undefined without a desk. */
  ofOtherProfiles(): Promise<Halt | undefined>;
}

export interface HaltEffect {
  /** Just before it. */
  before: Halt | undefined;
  now: Halt | undefined;
  /** The desks of this machine; absent for an unhalt. */
  desks?: readonly HaltDelivery[];
  /** Set for an unhalt with a desk. `isSetHere`: it was lifted for the other profiles of this machine too. */
  liftedOn?: { desk: string; isSetHere: boolean };
  /** Names the desks that could not store it. */
  failed?: HedgeError | undefined;
}

export interface HaltDelivery {
  name: string;
  isDelivered: boolean;
  /** Why not. */
  trouble: JournalTrouble | undefined;
}

/** A line of a batch, ready to run. */
export interface RunnableLine extends BatchLine {
  command: string;
  /** The line as it was written. */
  typed: string;
  /** Never throws. */
  run: () => Promise<{ result: CommandResult | undefined; error: HedgeError | undefined }>;
}

export interface Batch {
  lines: readonly RunnableLine[];
  /** Aborts at a signal. */
  signal: AbortSignal;
  /** False once standard output is a closed pipe. */
  isRead: () => boolean;
  /** Line number and exit code, for the document of the line. */
  metaOf: (end: LineEnd<RunnableLine, CommandResult>) => Readonly<Record<string, unknown>>;
  /** Reports a finished line on standard error. */
  report: (end: LineEnd<RunnableLine, CommandResult>) => Promise<void>;
  /** After the last line: of a dry run, or of what ran. */
  totals: () => { planned: DryRunTotals } | { ran: RunTotals };
}

/** The selected profile, as far as known. */
export interface ProfileContext {
  /** `--profile`, whether or not it exists. */
  named: string | undefined;
  /** Undefined when none is selected or known. */
  selected: string | undefined;
  /** The profile of a command that is copied without an option: undefined with --profile, which the next line does not have. */
  implied: string | undefined;
  /** IANA zone of that profile; default UTC. */
  zone: string;
  /** The environment that must be used: --expect-env or HEDGE_EXPECT_ENV. */
  expected: Environment | undefined;
  /** How commands to copy are shown. */
  place: CommandPlacing;
}

export interface ProgramInfo extends Installation {
  /** Whether it is the single executable, with its own Node. */
  executable: boolean;
}

export interface CandidateProfile {
  baseUrl: string;
  key: ApiKey;
  caFile: string | undefined;
}

/** The agents of this user; main/agent-control.ts implements it. */
export interface AgentControl {
  /** For the selected profile. `wasRunning`: nothing was started. @throws UsageError, UnavailableError */
  start(forMs: number): Promise<{ state: AgentState; wasRunning: boolean }>;
  /** `isUsed`: by the selected profile. */
  status(): Promise<readonly AgentListed[]>;
  /** All of them; returns those that stopped. */
  stop(): Promise<readonly AgentState[]>;
}

/** The practice service as commands use it; main/practice-launcher.ts implements it. */
export interface PracticeControl {
  status(): Promise<PracticeState>;
  reset(options: { balance?: string }): Promise<PracticeState>;
  advance(ms: number): Promise<PracticeAdvance>;
  faults(): Promise<PracticeFaults>;
  /** Absent fields stay unchanged. */
  setFaults(change: FaultChange): Promise<PracticeFaults>;
  clearFaults(): Promise<PracticeFaults>;
  settings(): Promise<PracticeSettingsShown>;
  changeSettings(changes: readonly { name: string; value: string }[]): Promise<PracticeSettingsShown>;
  serve(
    options: ServeModes & {
      /** Settings of books in memory; default: the defaults. @throws UsageError */
      settings?: unknown;
      /** Called with one finished line per request. */
      onRequest: ((line: string) => void) | undefined;
    },
  ): Promise<RunningPractice>;
}

export interface RunningPractice {
  served: ServedDocument;
  close(): Promise<void>;
}

/** The value that a command returns, with extra fields for the document's `meta`. */
export interface CommandOutcome<Value> {
  value: Value;
  meta?: Readonly<Record<string, unknown>>;
  /** The service's time of the response; without it, this machine's clock dates the result. */
  servedAt?: Date | undefined;
  /** Lines of the screen about its figures, for formats that have only these: on standard error. */
  notes?: readonly string[] | undefined;
  /** A condition that is not met: the value is shown, and the error sets the exit code. */
  finding?: HedgeError | undefined;
  /** Only confirms a change that was asked for: --quiet leaves its screen out. */
  confirmsChange?: boolean | undefined;
  /** IANA zone of the times on screen, if no profile was connected; default UTC. */
  zone?: string | undefined;
  /** The command that made the result, if one command runs others. */
  command?: string | undefined;
  /** The report of an action, which a batch adds up. */
  report?: ActionReport | undefined;
  /** Exit code of the program that the command ran; then there is nothing to print. */
  programExit?: number | undefined;
}

/** An outcome with its document and screen, each computed only when needed. */
export interface CommandResult extends Omit<CommandOutcome<unknown>, 'value'> {
  meta: Readonly<Record<string, unknown>>;
  document(): unknown;
  /** Undefined if the command is not a list. */
  table(): RecordTable | undefined;
  /** The list is printed with an error too. */
  tableWithError?: boolean;
  blocks(): readonly Block[];
  /** A file for standard output, in place of the screen: written as it is. */
  file?(): string | undefined;
  /** In a batch on a terminal: the result in one line, its outcome first. Undefined: the view. */
  brief(): Words;
  changes(): readonly ChangeLine[];
}
