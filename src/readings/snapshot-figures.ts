/** A snapshot as figures: the account's value, each side, and what each open hedge has of it. Pure. */
import type { Big } from 'big.js';
import type { Position } from '../client/schemas.ts';
import { readDecimal, readFigures, sum, sumIfAll } from '../domain/amounts.ts';
import type { CutSnapshot } from '../domain/deal-pnl.ts';
import { instantOf } from '../domain/instants.ts';
import type { NetAssetValue } from '../domain/net-asset-value.ts';
import { type HedgeShare, type SideLeg, shareSide } from '../domain/side-shares.ts';
import { SIDES, type Side } from '../domain/vocabulary.ts';
import type { SnapshotRecord } from '../journal/records.ts';
import { positionCarry, positionFee, positionMargin } from './position-figures.ts';
import type { RecordedFields } from './take-snapshot.ts';

export interface SnapshotFigures extends CutSnapshot {
  record: SnapshotRecord;
  /** The service's time, in milliseconds since the epoch. */
  ms: number;
  value: NetAssetValue;
  /** USDC locked in positions; undefined: the service does not say. */
  margin: Big | undefined;
}

export function snapshotFigures(record: SnapshotRecord): SnapshotFigures {
  const { account, positions, hedges } = record;
  const ms = Date.parse(record.service_at);
  const filled = hedges.filter((hedge) => hedge['status'] === 'filled' && isOnSideOf(hedge, positions));
  const margins = positions.map((each) => positionMargin(asPosition(each)));
  return {
    record,
    ms,
    recordedAt: record.at,
    value: {
      balance_usdc: figure(account, 'balance_usdc') ?? sum([]),
      net_margin_usd: sum(positions.flatMap((each) => figure(each, 'net_margin_usd') ?? [])),
      reserved_usdc: figure(account, 'reserved_usdc'),
    },
    margin: figure(account, 'margin_in_use_usdc') ?? sumIfAll(margins),
    held: new Map(filled.map((hedge) => [hedge['id'] ?? '', figure(hedge, 'notional_usd') ?? sum([])])),
    shares: new Map(
      positions.flatMap((position) => sharesOf(position, filled, ms)).map((share) => [share.leg.id, share]),
    ),
  };
}

const figure = (of: RecordedFields, name: string): Big | undefined => readDecimal(of[name]);

/** ASSUMED: a hedge that was closed early may still be listed as filled; its side is then absent from positions. */
const isOnSideOf = (hedge: RecordedFields, positions: readonly RecordedFields[]): boolean =>
  !positions.every((each) => sideOf(each) !== undefined) || positions.some((each) => isOf(hedge, each));

const sideOf = (position: RecordedFields): Side | undefined =>
  SIDES.find((side) => side === position['side']);

const isOf = (hedge: RecordedFields, position: RecordedFields): boolean =>
  hedge['side'] === position['side'] && (position['market'] ?? hedge['market']) === hedge['market'];

/** Empty unless the service sends the figures of the side, and its hedges are all listed. */
function sharesOf(
  recorded: RecordedFields,
  filled: readonly RecordedFields[],
  ms: number,
): readonly HedgeShare[] {
  const side = sideOf(recorded);
  const position = asPosition(recorded);
  const [gross, carry, closeFee] = [
    figure(recorded, 'gross_pnl_usd'),
    positionCarry(position),
    positionFee(position),
  ];
  if (side === undefined || gross === undefined || carry === undefined || closeFee === undefined) return [];
  const legs = filled.filter((hedge) => isOf(hedge, recorded)).map((hedge) => legOf(hedge, ms));
  const stated = figure(recorded, 'notional_usd');
  if (legs.length === 0 || stated?.eq(sum(legs.map(({ notional }) => notional))) === false) return [];
  const margin = positionMargin(position);
  // The rounding of the service is in the carry, so that the parts add up to what closing returns.
  const exact = margin && position.net_margin_usd?.minus(margin).minus(gross).plus(closeFee);
  const mark = figure(recorded, 'mark_price');
  return shareSide({ side, mark, gross, carry: exact ?? carry, closeFee }, legs);
}

const legOf = (hedge: RecordedFields, ms: number): SideLeg => ({
  id: hedge['id'] ?? '',
  notional: figure(hedge, 'notional_usd') ?? sum([]),
  struck: figure(hedge, 'struck_rate'),
  heldMs: ms - (instantOf(hedge['filled_at'] ?? hedge['opened_at'] ?? '') ?? ms),
});

/** The position that the service sent. */
const asPosition = (recorded: RecordedFields): Position => ({
  ...readFigures(recorded),
  net_margin_usd: figure(recorded, 'net_margin_usd'),
});
