/**
 * What the book says about an add, a reduction or a close of ours, together with what this machine's own closes
 * explain of it: a side that one of ours closed since is no colleague's doing, and shows what came before as that
 * close saw it. Pure.
 */
import { Big } from 'big.js';
import { unquoted } from '../../domain/quoted.ts';
import type { Action } from '../../journal/fold.ts';
import { closesAfter } from '../../journal/ledger.ts';
import type { IntentRecord } from '../../journal/record.ts';
import type { SideBook, SideHedge } from '../plan/plan-side.ts';
import { changeEvidence, type Evidence } from './evidence.ts';
import { fatesOf } from './hedge-fates.ts';
import { ourOthers } from './our-others.ts';

/** `lookedAtMs`: when the reading of `now` began. */
export function evidenceOnSide(
  action: Action,
  { now, lookedAtMs, actions }: { now: SideBook; lookedAtMs: number; actions: readonly Action[] },
): Evidence {
  const { intent } = action;
  const direct = changeEvidence(intent, now, ourOthers(action, actions, lookedAtMs));
  const closer = closesAfter(actions, action).at(-1);
  if (
    closer === undefined ||
    !fatesOf(intent.before, now).holding.every(({ fate }) => fate.became === 'left')
  )
    return direct;
  const closedBy = closer.shortId;
  if (direct.kind === 'exact') return { ...direct, closedBy };
  if (intent.action === 'close') return direct;
  const says = `action ${closedBy} of this machine closed ${unquoted(intent.market)} ${intent.side} since`;
  const seenByIt = changeEvidence(
    intent,
    asSeenBy(closer.intent, now),
    ourOthers(action, actions, Date.parse(closer.intent.before.read_at ?? closer.intent.at)),
  );
  if (seenByIt.kind !== 'exact')
    return { kind: 'other', says, hedges: 'hedges' in direct ? direct.hedges : [], closedBy };
  return { ...seenByIt, says: seenByIt.says === undefined ? says : `${seenByIt.says}; ${says}`, closedBy };
}

/** The side as it stood before that close, as far as its evidence goes: hedge by hedge, each at its size. */
function asSeenBy({ before }: IntentRecord, now: SideBook): SideBook {
  const open = before.hedges.flatMap(({ hedge_id: id, notional_usd: notional, status }): SideHedge[] =>
    notional === null || status !== 'filled'
      ? []
      : [
          {
            id,
            status,
            notional: new Big(notional),
            tenorDays: new Big(0),
            maturityAt: undefined,
            reference: undefined,
          },
        ],
  );
  return {
    ...now,
    open,
    listed: open,
    coming: [],
    unread: [],
    inPositions: true,
    unclear: undefined,
    mayBeCut: false,
  };
}
