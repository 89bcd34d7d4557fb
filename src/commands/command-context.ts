/**
 * What the world lends a command. Things that can fail or cost are functions, called late, by the command
 * that needs them. main.ts builds it; commands never see a process, a socket or a file.
 */

import type { TextSource } from '../args/api-request.ts';
import type { BatchIntent } from '../args/batch-options.ts';
import type { FaultChange } from '../args/practice-faults.ts';
import type { PriceMemory } from '../cache/seen-prices.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import type { KeyVault } from '../config/keychain.ts';
import type { ProfileStore, StoredProfile } from '../config/profiles.ts';
import type { Selection } from '../config/resolve.ts';
import type { DiagnosticSources } from '../diagnostics/examine.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { HedgeError } from '../errors.ts';
import type { Halt } from '../journal/halt.ts';
import type { Journal } from '../journal/store.ts';
import type { Block } from '../output/blocks.ts';
import type { PracticeAdvance, PracticeFaults, PracticeState } from '../output/views/practice.ts';
import type { Clock } from '../platform/clock.ts';
import type { ReadContext } from '../readings/read-context.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Prompter } from '../terminal/prompter.ts';
import type { BatchLine, LineEnd } from '../trading/batch.ts';
import type { TradingContext } from '../trading/trading-context.ts';
import type { CommandResult } from './command-result.ts';
/** The shells that hedge completes in. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export interface CommandContext {
  program: ProgramInfo;
  clock: Clock;
  progress: Progress;
  prompter: Prompter;
  /** One line for the operator, on standard error; silent with --quiet. `whole`: to be pasted, never broken. */
  note(text: string, options?: { whole?: boolean }): void;
  /**
   * What has to be seen before it is dealt: on standard error, under the environment line. Silent with --quiet
   * only where nobody is there.
   */
  show(blocks: readonly Block[]): Promise<void>;
  /** What makes plain lines of blocks, that fit beside the mark of a list of choices. */
  liner(): Promise<(blocks: readonly Block[]) => readonly string[]>;
  /** Resolves when the operator or the system wants the program to end. */
  untilStopped(): Promise<void>;
  profiles(): Promise<ProfileStore>;
  /** Which profile the options and the environment select, and why. Reads no key, touches no network. */
  selection(): Promise<Selection>;
  /** The same, or undefined when nothing selects one. */
  selectionIfAny(): Promise<Selection | undefined>;
  /** What the options select as far as it can be told: for what has to be shown whatever is wrong. Never throws. */
  vantage(): Promise<ProfileContext>;
  /** The API under the selected profile. Nothing is sent before the first call. */
  api(): Promise<HedgeApi>;
  /** The mids that were seen under the selected profile: for pictures, never to deal at. */
  prices(): Promise<PriceMemory>;
  /** The API under a profile that is not kept yet. */
  candidateApi(candidate: CandidateProfile): Promise<HedgeApi>;
  /** What was sent from this machine and what became of it. Touches no network. */
  journal(): Promise<Journal>;
  /** What looking at an action takes, under the selected profile. */
  looking(): Promise<ReadContext>;
  /** What sending one takes, but for the question that goes before it. */
  dealing(): Promise<Omit<TradingContext, 'confirm'>>;
  /** A key from one of the places it may come from, checked for its shape. Throws CredentialError. */
  keyFrom: {
    standardInput(): Promise<ApiKey>;
    file(path: string): ApiKey;
    command(argv: readonly [string, ...string[]]): Promise<ApiKey>;
    text(text: string): ApiKey;
    /** Of a stored profile, wherever it keeps it. */
    profile(name: string, profile: StoredProfile): Promise<ApiKey>;
  };
  /** Text that the operator hands in. @throws UsageError for what cannot be read. */
  given(source: TextSource): Promise<string>;
  /** Every line of a batch, read and found right; nothing of them has run. @throws UsageError naming each wrong line. */
  batch(intent: BatchIntent): Promise<Batch>;
  /** The script that completes hedge in a shell. */
  completion(shell: Shell): Promise<string>;
  /** Profiles whose key is in the keychain of the platform. */
  vault: KeyVault;
  /** What can be examined; nothing of it has been looked at. */
  examined(): Promise<DiagnosticSources>;
  brake: TradingHalt;
  practice: PracticeControl;
}

/** What stops opens and adds of this user on this machine, whatever the profile. */
export interface TradingHalt {
  /** Undefined while nothing is halted; never throws. */
  read(): Halt | undefined;
  /** Hands back the halt that stood before. Throws UsageError for the reason, DamagedFileError. */
  halt(why: string): Halt | undefined;
  /** Hands back what was lifted. Throws DamagedFileError, and then it is still halted. */
  unhalt(): Halt | undefined;
}

/** A command that runs on this desk as if it had been typed. */
export interface RunnableLine extends BatchLine {
  /** Its name, as `Command` has it. */
  command: string;
  /** Never throws. */
  run: () => Promise<{ result: CommandResult | undefined; error: HedgeError | undefined }>;
}

export interface Batch {
  lines: readonly RunnableLine[];
  /** Aborts when the batch is to end. */
  signal: AbortSignal;
  /** For the line's document: which line it was, and what a program of its own would have ended with. */
  metaOf: (end: LineEnd<RunnableLine, CommandResult>) => Readonly<Record<string, unknown>>;
  /** Tells the operator of a line's end, on standard error. */
  tell: (end: LineEnd<RunnableLine, CommandResult>) => Promise<void>;
}

/** From where a person looks. */
export interface ProfileContext {
  /** What `--profile` says, whether or not there is such a profile. */
  named: string | undefined;
  /** The profile that is selected; undefined when none is, or none can be told. */
  selected: string | undefined;
  /** IANA zone of that profile; UTC where it has none. */
  zone: string;
}

/** What this program is, and what it runs on. */
export interface ProgramInfo {
  version: string;
  /** `20.20.2` */
  node: string;
  /** Of the OpenSSL in it: `3.0.19` */
  openssl: string;
  /** `linux-x64` */
  platform: string;
  /** That it was built from; null where it was not built in a clone. */
  commit: string | null;
  /** Whether it is the single executable, which has its Node in itself. */
  executable: boolean;
}

export interface CandidateProfile {
  baseUrl: string;
  key: ApiKey;
  caFile: string | undefined;
}

/** The practice service as commands see it; main.ts fills it from the island's own door. */
export interface PracticeControl {
  status(): Promise<PracticeState>;
  reset(options: { balance?: string }): Promise<PracticeState>;
  advance(ms: number): Promise<PracticeAdvance>;
  faults(): Promise<PracticeFaults>;
  /** Only what is named changes. */
  setFaults(change: FaultChange): Promise<PracticeFaults>;
  clearFaults(): Promise<PracticeFaults>;
  serve(options: {
    /** Added to the stored faults while it serves. */
    faults: FaultChange;
    port?: number;
    host?: string;
    /** Called with one finished line a request. */
    onRequest: ((line: string) => void) | undefined;
  }): Promise<PracticeServer>;
}

export interface PracticeServer {
  url: string;
  caFile: string;
  keys: { live: string; test: string };
  close(): Promise<void>;
}
