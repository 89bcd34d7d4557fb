/**
 * The economics an operator may set in `settings.json`: shape, limits and defaults.
 * A file names only what it changes. Refuses to know what the figures are used for.
 */
import * as z from 'zod';
import type { MarketSettings, PracticeSettings } from '../door.ts';

const percent = (least: number, most: number) => z.number().min(least).max(most);
const dollars = z.number().positive().max(1_000_000_000);

const marketSettings = z.strictObject({
  enabled: z.boolean(),
  base_rate: z.number().min(0.01).max(1_000_000),
  swing: z.number().min(0).max(10),
  drift_yearly_pct: percent(-90, 500),
  carry_daily_pct: z.strictObject({ buy: percent(-10, 10), sell: percent(-10, 10) }),
  headroom_usd: dollars,
});

const marketName = z.string().regex(/^[A-Z0-9]{3,20}$/, 'a market is 3 to 20 capital letters and digits');

/** The file: every field may be left out, at every level. */
export const settingsFile = z.strictObject({
  seed: z.string().min(1).max(100).optional(),
  markets: z.record(marketName, marketSettings.partial()).optional(),
  opening_balance_usdc: dollars.optional(),
  exposure_cap_usd: dollars.optional(),
  impact_base_bps: z.number().min(0).max(1_000).optional(),
  impact_bps_per_10k_usd: z.number().min(0).max(100).optional(),
  margin_pct: percent(0, 100).optional(),
  platform_fee_pct: percent(0, 10).optional(),
  close_fee_pct: percent(0, 10).optional(),
  fill_seconds: z
    .strictObject({ min: z.number().min(0).max(3_600), max: z.number().min(0).max(3_600) })
    .refine((range) => range.min <= range.max, 'min is above max')
    .optional(),
  rate_limit: z
    .strictObject({
      burst: z.number().int().min(1).max(1_000_000),
      per_second: z.number().min(0.01).max(1_000_000),
    })
    .optional(),
});

export type SettingsFile = z.infer<typeof settingsFile>;

const ngn: MarketSettings = {
  enabled: true,
  base_rate: 1530,
  swing: 1,
  drift_yearly_pct: 3,
  carry_daily_pct: { buy: 0.05, sell: -0.02 },
  headroom_usd: 2_000_000,
};

const kes: MarketSettings = {
  enabled: false,
  base_rate: 129.5,
  swing: 0.5,
  drift_yearly_pct: 3,
  carry_daily_pct: { buy: 0.03, sell: -0.01 },
  headroom_usd: 1_000_000,
};

const ghs: MarketSettings = { ...kes, base_rate: 11.2, swing: 0.8, drift_yearly_pct: 5 };

export const defaultSettings: PracticeSettings = {
  seed: 'practice',
  markets: { USDTNGN: ngn, USDTKES: kes, USDTGHS: ghs },
  opening_balance_usdc: 100_000,
  exposure_cap_usd: 500_000,
  impact_base_bps: 4,
  impact_bps_per_10k_usd: 2,
  margin_pct: 10,
  platform_fee_pct: 0.1,
  close_fee_pct: 0.05,
  fill_seconds: { min: 1.5, max: 4 },
  rate_limit: { burst: 20, per_second: 10 },
};

/** A market that the defaults do not know must bring its own base rate; the rest it takes from USDTNGN's. */
export function settle(file: SettingsFile): PracticeSettings {
  const { markets: named = {}, ...figures } = file;
  const markets = new Map(Object.entries(defaultSettings.markets));
  for (const [name, market] of Object.entries(named))
    markets.set(name, { ...(markets.get(name) ?? ngn), ...present(market) });
  return { ...defaultSettings, ...present(figures), markets: Object.fromEntries(markets) };
}

/** Only the fields that are there: an absent one must not cover its default. */
function present<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name of keysOf(value)) {
    const field = value[name];
    if (isPresent(field)) kept[name] = field;
  }
  return kept;
}

function keysOf<T extends object>(value: T): (keyof T)[] {
  const keys: (keyof T)[] = [];
  for (const key in value) keys.push(key);
  return keys;
}

function isPresent<V>(field: V): field is Exclude<V, undefined> {
  return field !== undefined;
}
