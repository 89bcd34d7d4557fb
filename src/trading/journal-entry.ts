/** The journal record of an action: exact bytes, key, the side before it, and the confirmed figures. */

import { digitsFrom } from '../client/json.ts';
import { serializeAction } from '../client/serialize-request.ts';
import { askedOf, dealIdOf, type TypedIntent } from '../domain/action-intent.ts';
import { createsHedge, needsQuote, type RecordedField, rowOf } from '../domain/action-table.ts';
import { exactInstant } from '../domain/instants.ts';
import { hasBound } from '../domain/price-bounds.ts';
import { recordedIdentity } from '../journal/account-identity.ts';
import { type ActionRecord, type IntentRecord, mintId, SCHEMA } from '../journal/records.ts';
import { createKey, dealKey, referenceOf } from './deal-attempts.ts';
import { withTimestamp } from './outcome/append-record.ts';
import type { Plan, PlanFacts } from './plan.ts';
import type { TradingContext } from './trading-context.ts';

type Key = Pick<IntentRecord, 'idempotency_key' | 'key_origin'>;

/** The records on disk before the first byte is sent. `attempt`: under its deal ID. `bytes`: those that its key had. */
export function entryOf(
  plan: Plan,
  {
    context,
    attempt = 1,
    bytes,
  }: { context: TradingContext; attempt?: number; bytes?: (key: string) => string | undefined },
): { id: string; records: [IntentRecord, ActionRecord] } {
  const id = mintId(context.random);
  const key = keyOf(plan, context, attempt);
  const intent = intentRecordOf(plan, { id, key, context });
  const body = bytes?.(key.idempotency_key) ?? intent.body;
  return { id, records: [{ ...intent, body }, sendingOf(id, 1, context)] };
}

/** Written before each sending; `attempt` counts from 1. `line`: the action typed again, with its own note. */
export function sendingOf(
  id: string,
  attempt: number,
  context: TradingContext,
  line?: TypedIntent,
): ActionRecord {
  const { key_fingerprint: key } = context.identity;
  const sentWith = key === null ? {} : { key_fingerprint: key };
  const note = line === undefined ? {} : noteOf(line);
  return withTimestamp(
    id,
    { kind: 'sending', attempt, ...sentWith, ...note, writer: context.writer },
    context,
  );
}

function keyOf(plan: Plan, { identity, random }: TradingContext, attempt: number): Key {
  const { idempotencyKey } = plan.intent.options;
  if (idempotencyKey !== undefined) return { idempotency_key: idempotencyKey, key_origin: 'given' };
  const dealId = dealIdOf(plan.intent);
  return dealId === undefined
    ? { idempotency_key: createKey(random), key_origin: 'minted' }
    : { idempotency_key: dealKey(identity, { id: dealId, attempt }), key_origin: 'deal_id' };
}

function intentRecordOf(
  plan: Plan,
  { id, key, context }: { id: string; key: Key; context: TradingContext },
): IntentRecord {
  const dealId = dealIdOf(plan.intent);
  const reference = createsHedge(plan) ? (dealId ?? referenceOf(key.idempotency_key)) : undefined;
  const asked = askedOf(plan.intent);
  const bounds = boundsOf(plan.intent);
  const quote = figuresOf(plan);
  return {
    schema: SCHEMA,
    kind: 'intent',
    action_id: id,
    at: exactInstant(context.clock.now()),
    action: plan.action,
    identity: recordedIdentity(context.identity),
    profile: context.profile,
    market: plan.market,
    side: plan.side,
    ...recordedOf(plan),
    ...key,
    ...(reference === undefined ? {} : { client_reference: reference }),
    ...(dealId === undefined ? {} : { deal_id: dealId }),
    ...(context.chainId === undefined ? {} : { chain_id: context.chainId }),
    ...noteOf(plan.intent),
    body: serializeAction(plan.action, { ...plan.request, client_reference: reference }).body,
    path: rowOf(plan.action).path,
    before: beforeState(plan.facts),
    ...(asked === undefined ? {} : { asked }),
    ...(bounds === undefined ? {} : { bounds }),
    ...(quote === undefined ? {} : { quote }),
    sent_by: [...context.argv],
    writer: context.writer,
  };
}

/** The record and the request name them alike; the type checker names a field that is missing here. */
function recordedOf(plan: Plan): Pick<IntentRecord, RecordedField> {
  const fields: { [Field in RecordedField]-?: IntentRecord[Field] | undefined } = {
    notional_usd: 'notional' in plan ? plan.notional.toFixed() : undefined,
    tenor_days: 'tenor' in plan.intent ? plan.intent.tenor : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const noteOf = ({ options: { note } }: TypedIntent): { note?: string } =>
  note === undefined ? {} : { note };

function boundsOf(intent: TypedIntent): IntentRecord['bounds'] {
  if (!('bounds' in intent && hasBound(intent.bounds))) return undefined;
  const { worstPrice, maxCostBps } = intent.bounds;
  return {
    ...(worstPrice === undefined ? {} : { worst_price: worstPrice.toFixed() }),
    ...(maxCostBps === undefined ? {} : { max_cost_bps: maxCostBps.toFixed() }),
  };
}

/** The confirmed figures: of the quote, or of the amounts returned by a reduce or close. */
function figuresOf(plan: Plan): IntentRecord['quote'] {
  if (!needsQuote(plan)) return plan.comesBack && digitsOf({ ...plan.comesBack });
  const { quote } = plan.facts;
  if (quote === undefined) return undefined;
  const { market_price, execution_price, price_impact_usd } = quote.pricing;
  const { platform_fee_usdc, required_margin_usdc, total_upfront_usdc } = quote.upfront;
  return digitsOf({
    maturity_at: createsHedge(plan) ? quote.maturity : plan.figures?.maturity_at,
    market_price,
    execution_price,
    price_impact_usd,
    // An add keeps the maturity of the hedge, which is not the quote's.
    carry_usdc: createsHedge(plan) ? quote.carry.total_usdc : plan.figures?.carry_usdc,
    platform_fee_usdc,
    required_margin_usdc,
    total_upfront_usdc,
    cost_usdc: plan.figures?.cost_usdc,
    cost_bps: plan.figures?.cost_bps,
    all_in_rate: plan.figures?.all_in_rate,
  });
}

const digitsOf = (figures: Readonly<Record<string, unknown>>): IntentRecord['quote'] =>
  Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, digitsFrom(figure)]));

/** Hedges of the side, open or in flight, and earlier ones with the deal ID, so that a failed attempt is not counted as this one. */
export function beforeState({
  sidePosition: { open, coming, unread, inPositions, servedAt },
  underDealId = [],
  readAtMs,
  clocks,
}: Pick<PlanFacts, 'sidePosition' | 'underDealId' | 'readAtMs' | 'clocks'>): IntentRecord['before'] {
  const hedges = [
    ...[...open, ...coming, ...unread].map(({ id, notional, status, reference, struckRate, filledAt }) => ({
      hedge_id: id,
      notional_usd: notional?.toFixed() ?? null,
      status,
      ...openedUnder(reference),
      ...(struckRate === undefined ? {} : { struck_rate: struckRate.toFixed() }),
      ...(filledAt === undefined ? {} : { filled_at: filledAt }),
    })),
    ...underDealId.map(({ id, notional_usd, status, client_reference: reference }) => ({
      hedge_id: id,
      notional_usd: notional_usd.toFixed(),
      status,
      ...openedUnder(reference),
    })),
  ];
  return {
    hedges: [...new Map(hedges.map((each) => [each.hedge_id, each])).values()],
    in_positions: inPositions ?? null,
    service_at: exactInstant(servedAt.getTime()),
    read_at: exactInstant(readAtMs),
    ...(clocks?.service === undefined
      ? {}
      : { answered_at: exactInstant(clocks.wall), served_at: exactInstant(clocks.service) }),
  };
}

const openedUnder = (reference: string | null | undefined): { client_reference?: string } =>
  typeof reference === 'string' && reference !== ''
    ? { client_reference: reference.slice(0, LONGEST_REFERENCE) }
    : {};

/** A longer reference is of another system. */
const LONGEST_REFERENCE = 255;
