/**
 * Opens that ended while nobody waited for them, told when the next command happens to read the hedges: one
 * line each, and the end goes into the journal. Reads nothing from the service itself.
 */
import type { Hedge } from '../../client/schemas.ts';
import { grouped } from '../../domain/exposure.ts';
import { exactInstant } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { DamagedFileError } from '../../errors.ts';
import { type Action, inFlight } from '../../journal/fold.ts';
import { sameIdentity } from '../../journal/identity.ts';
import { timeInWords } from '../../journal/in-words.ts';
import type { Journal, JournalState } from '../../journal/store.ts';
import type { Looking } from '../dealing.ts';
import { type Ended, endOf } from './await-outcome.ts';
import { hedgeEvidence } from './open-evidence.ts';
import { recordOutcome } from './record-outcome.ts';

type Telling = Pick<Looking, 'journal' | 'clock' | 'watch' | 'identity'>;

/** The actions that were found to have ended, oldest first, as the journal has them now. Never throws. */
export async function lateNews(hedges: readonly Hedge[], telling: Telling): Promise<readonly Action[]> {
  const waiting = readIfItCan(telling.journal)?.actions.filter(
    (action) =>
      action.intent.action === 'open' &&
      inFlight(action) &&
      !action.awaited &&
      sameIdentity(action.intent.identity, telling.identity),
  );
  const ended: Action[] = [];
  for (const action of waiting ?? []) {
    const hedge = hedges.find(({ id }) => id === action.hedgeId);
    const end =
      hedge && endOf(action, { evidence: hedgeEvidence(action.intent, hedge), hedge, servedAt: undefined });
    if (end === undefined) continue;
    telling.watch.news(inWords(action, end, telling.clock.now()));
    ended.push(await recordOutcome(action, end, telling));
  }
  return ended;
}

/** A journal that cannot be read is told of by whatever needs it. */
function readIfItCan(journal: Journal): JournalState | undefined {
  try {
    return journal.read();
  } catch (error) {
    if (error instanceof DamagedFileError) return undefined;
    throw error;
  }
}

/** `FAILED 09:50 UTC PAY-8843: nothing opened`. */
function inWords(action: Action, { outcome, hedge }: Ended, nowMs: number): string {
  const { intent, shortId, sentAt } = action;
  const at = timeInWords(sentAt ?? intent.at);
  const today = timeInWords(exactInstant(nowMs)).slice(0, DAY);
  const when = at.startsWith(today) ? at.slice(DAY + 1) : at;
  const minute = when.replace(/(\d\d:\d\d):\d\d/, '$1');
  const name = intent.deal_id === undefined ? `action ${shortId}` : unquoted(intent.deal_id);
  return `${outcome.toUpperCase()} ${minute} ${name}: ${outcome === 'failed' ? 'nothing opened' : whatStands(outcome, hedge)}`;
}

const DAY = '2026-11-20'.length;

function whatStands(outcome: Ended['outcome'], hedge: Hedge | undefined): string {
  const id = unquoted(hedge?.id ?? '');
  const rate = hedge?.struck_rate ?? undefined;
  const struck = rate === undefined ? '' : `, struck ${grouped(rate)}`;
  return outcome === 'filled' ? `${id}${struck}` : `${id}${struck}, is over since`;
}
