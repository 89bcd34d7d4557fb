/** Rolls that are not finished, as other screens and documents name them, and actions that may still change figures. */
import { say, shell } from '../../domain/hint.ts';
import {
  CHAIN_WORDS,
  chainNotional,
  isFinished,
  isOnCourse,
  nextInDocument,
  nextOfChain,
  type RollChain,
} from '../../journal/roll-chains.ts';
import type { PendingActions } from '../../readings/pending-actions.ts';
import type { KnownRolls } from '../../readings/read-journal.ts';
import type { UnfinishedRollDocument } from '../../schema/action-document.ts';
import { andMore, commandRows, gap, line, type View, warnLine } from '../blocks.ts';
import { type Cell, hintCell, nameText, partsIn, phrase, type Tone, text, type Words } from '../cells.ts';
import { maturityCell, usd } from './record-columns.ts';

export const CHAIN_TONES: Readonly<Record<RollChain['state'], Tone>> = {
  planned: 'plain',
  closing: 'bad',
  flat_open_due: 'warn',
  due: 'warn',
  missed: 'bad',
  closed_early: 'warn',
  opening: 'bad',
  done: 'good',
  dropped: 'dim',
};

const nameOf = ({ plan }: RollChain): Cell => nameText(`roll ${plan.chain_id}: ${plan.side} ${plan.market}`);

/** `roll 3f9a1c2b: buy USDTNGN 10,000.00 USD` */
export function rollCells(chain: RollChain): Words {
  const size = chainNotional(chain);
  const now = chain.state === 'planned' ? chain.legOne.size : undefined;
  return now === undefined || now.eq(size)
    ? [nameOf(chain), usd(size, 'USD')]
    : phrase`${nameOf(chain)} ${usd(now, 'USD')} now ( ${usd(size)} when planned)`;
}

/**
 * `roll 3f9a1c2b: buy USDTNGN 10,000.00 USD, planned, settles Mon 23 Nov 10:02 UTC`. Leg 2 of a planned roll takes the size that
 * its leg 1 settles at, not that of the plan.
 */
export function chainCells(chain: RollChain): Words {
  const { plan, state } = chain;
  return [
    rollCells(chain),
    `, ${CHAIN_WORDS[state]}`,
    state === 'planned' &&
      plan.when === 'maturity' &&
      plan.maturity_at !== undefined && [', settles', maturityCell(plan.maturity_at, 'minute')],
  ];
}

export const viewNext = (chain: RollChain, selected?: string): View => {
  const next = isFinished(chain) ? undefined : nextOfChain(chain, selected);
  return next !== undefined && commandRows(next);
};

/** Each with the next command. `selected`: the profile that commands use without an option. */
export const viewUnfinishedRolls = (chains: readonly RollChain[], selected?: string): View =>
  chains.length > 0 && [
    gap,
    line(
      text(
        `${chains.length} unfinished ${chains.length === 1 ? 'roll' : 'rolls'}:`,
        chains.every((chain) => isOnCourse(chain)) ? 'strong' : 'warn',
      ),
      // It lists those of one account.
      chains.every(({ plan }) => (selected ?? plan.profile) === plan.profile) &&
        hintCell(shell`hedge roll show`, 'dim'),
    ),
    chains.slice(0, MOST_LISTED).map((chain) => [line(chainCells(chain)), viewNext(chain, selected)]),
    chains.length > MOST_LISTED && andMore(chains.length - MOST_LISTED, shell`hedge roll show`),
  ];

/** `undefined`: the journal cannot be read. */
export function viewKnownRolls(rolls: KnownRolls | undefined): View {
  if (rolls === undefined)
    return warnLine('Unfinished rolls are not known: the journal cannot be read. See hedge doctor.');
  const { chains, trouble } = rolls;
  return [
    viewUnfinishedRolls(chains),
    trouble !== undefined && warnLine(`Unfinished rolls may be missing: ${trouble.what} See hedge doctor.`),
  ];
}

const MOST_LISTED = 5;

/** `1 unresolved, 2 in flight: these figures may change. To look them up: hedge check`, and rolls to finish. */
export function pendingLine(pending: PendingActions | undefined): View {
  if (pending === undefined) return [];
  const { unresolved, inFlight, rolls } = pending;
  const counts = partsIn([
    unresolved !== 0 && `${unresolved} unresolved`,
    inFlight !== 0 && `${inFlight} in flight`,
  ]);
  return [
    counts.length > 0 &&
      line(
        text(`${counts.join(', ')}:`, unresolved === 0 ? 'warn' : 'bad'),
        hintCell(say`these figures may change. To look them up: ${shell`hedge check`}`),
      ),
    viewUnfinishedRolls(rolls),
  ];
}

export const unfinishedRollDocument = (chain: RollChain): UnfinishedRollDocument => ({
  chain_id: chain.plan.chain_id,
  state: chain.state,
  when: chain.plan.when,
  market: chain.plan.market,
  side: chain.plan.side,
  notional_usd: chainNotional(chain),
  from_hedge_id: chain.plan.hedge_id,
  to_deal_id: chain.plan.deal_id,
  maturity_at: chain.plan.maturity_at ?? null,
  profile: chain.plan.profile,
  next: nextInDocument(chain),
});
