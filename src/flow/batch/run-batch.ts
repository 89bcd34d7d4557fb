/**
 * Many lines, one after the other: in which order they run, what runs beside what, and after which ends nothing
 * more is begun. It knows neither what a line does nor how its end is shown.
 */
import {
  CredentialError,
  DamagedFileError,
  type HedgeError,
  InterruptedError,
  OutputError,
  StoppedError,
  UnavailableError,
} from '../../errors.ts';

export interface BatchLine {
  /** Of the input, from 1. */
  number: number;
  /** `reading` changes nothing and may run beside others; an `action` has a key; a `step` runs alone. */
  kind: 'reading' | 'step' | 'action';
}

/** What a line came to. A line that did not run has an error and nothing else. */
export interface LineEnd<Line, Result> {
  line: Line;
  result: Result | undefined;
  error: HedgeError | undefined;
}

export interface BatchRun<Line, Result> {
  /** How many readings between two other lines may run at once. */
  parallel: number;
  keepGoing: boolean;
  signal: AbortSignal;
  /** Never throws. */
  run(line: Line): Promise<Omit<LineEnd<Line, Result>, 'line'>>;
  /** Each line's end, in the order of the lines; every line has one. */
  ended(end: LineEnd<Line, Result>): Promise<void>;
}

/** @throws only what `ended` throws; nothing more is begun then. */
export async function runBatch<Line extends BatchLine, Result>(
  lines: readonly Line[],
  batch: BatchRun<Line, Result>,
): Promise<void> {
  let stop: HedgeError | undefined;
  const runOne = async (line: Line): Promise<LineEnd<Line, Result>> => {
    stop ??= interruption(batch.signal);
    if (stop !== undefined) return { line, result: undefined, error: stop };
    const end = { line, ...(await batch.run(line)) };
    if (end.error !== undefined && endsBatch(end.error, batch.keepGoing))
      stop ??= notRun(end.error, `the batch stopped at line ${line.number.toString()}`);
    return end;
  };
  for (const together of groupsOf(lines)) {
    const width = Math.min(together.length, batch.parallel);
    await inOrder(together, { width, run: runOne, ended: (end) => batch.ended(end) });
  }
}

interface Handing<Item, End> {
  width: number;
  run: (item: Item) => Promise<End>;
  ended: (end: End) => Promise<void>;
}

/** Runs `width` at a time; hands the ends on in order, each as soon as all before it are there. */
async function inOrder<Item, End>(
  items: readonly Item[],
  { width, run, ended }: Handing<Item, End>,
): Promise<void> {
  const running: Promise<End>[] = [];
  try {
    for (const item of items) {
      if (running.length === width) await handOn(running, ended);
      running.push(run(item));
    }
    while (running.length > 0) await handOn(running, ended);
  } catch (error) {
    // What could not be shown must not leave anything running behind it.
    await Promise.allSettled(running);
    throw error;
  }
}

async function handOn<End>(running: Promise<End>[], ended: (end: End) => Promise<void>): Promise<void> {
  const first = running.shift();
  if (first !== undefined) await ended(await first);
}

/** Neighbouring readings make a group; everything else is alone. */
function groupsOf<Line extends BatchLine>(lines: readonly Line[]): readonly (readonly Line[])[] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (line.kind === 'reading' && last?.at(-1)?.kind === 'reading') last.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** Whatever the operator wants, nothing more is begun: every further line would end in the same way, or unseen. */
const ALWAYS_ENDS = [CredentialError, DamagedFileError, OutputError, InterruptedError] as const;
const ALWAYS_ENDS_CODES: readonly string[] = ['internal', 'env_mismatch'];

/** Whether nothing more is begun after this end. */
export function endsBatch(error: HedgeError, keepGoing: boolean): boolean {
  if (ALWAYS_ENDS_CODES.includes(error.code) || ALWAYS_ENDS.some((kind) => error instanceof kind))
    return true;
  // The book is in doubt, or nobody is there to deal with.
  return !keepGoing && (error.effect === 'unknown' || error instanceof UnavailableError);
}

const interruption = (signal: AbortSignal): HedgeError | undefined =>
  signal.reason instanceof InterruptedError ? notRun(signal.reason, 'the batch was stopped') : undefined;

const notRun = (cause: HedgeError, says: string): StoppedError =>
  new StoppedError({
    code: 'not_run',
    what: `This line did not run: ${says} (${cause.code}).`,
    book: 'Nothing was sent.',
    hint: 'Once that is settled, run the same batch again: what is done already is not done twice.',
    retry: 'later',
    details: { stopped_by: cause.code },
  });
