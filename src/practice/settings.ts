/** The settings of the practice service: schema, defaults, changes, and their values as exact figures. */
import * as z from 'zod';
import { fieldProblems } from './domain/field-problems.ts';
import {
  definedFields,
  hasProtoField,
  PracticeInputError,
  type PracticeSide,
  wrongField,
} from './domain/practice-types.ts';
import { decimalOf, type Fraction, type Micro, MONEY_DECIMALS } from './domain/scaled-decimals.ts';

const percent = (least: number, most: number) => z.number().min(least).max(most);
const dollars = z.number().positive().max(1_000_000_000);

const marketSettings = z.strictObject({
  /** False: the account does not have this market. */
  enabled: z.boolean(),
  /** Level of the reference rate, quote currency per USDT. */
  base_rate: z.number().min(0.01).max(1_000_000),
  /** 1: moves by about ±3 %; 0: flat. */
  swing: z.number().min(0).max(10),
  drift_yearly_pct: percent(-90, 500),
  /** Positive: the account pays. */
  carry_daily_pct: z.strictObject({ buy: percent(-10, 10), sell: percent(-10, 10) }),
  /** Largest exposure on one side. */
  headroom_usd: dollars,
});

export type MarketSettings = z.infer<typeof marketSettings>;

const marketName = z.string().regex(/^[A-Z0-9]{3,20}$/, 'a market is 3 to 20 capital letters and digits');

const practiceSettings = z.strictObject({
  /** Seed of the reference rates. */
  seed: z.string().min(1).max(100),
  markets: z.record(marketName, marketSettings),
  opening_balance_usdc: dollars,
  /** Gross, over all markets and sides, orders in flight included. */
  exposure_cap_usd: dollars,
  impact_base_bps: z.number().min(0).max(1_000),
  impact_bps_per_10k_usd: z.number().min(0).max(100),
  margin_pct: percent(0, 100),
  platform_fee_pct: percent(0, 10),
  close_fee_pct: percent(0, 10),
  fill_seconds: z
    .strictObject({ min: z.number().min(0).max(3_600), max: z.number().min(0).max(3_600) })
    .refine((range) => range.min <= range.max, 'min is above max'),
  rate_limit: z.strictObject({
    burst: z.number().int().min(1).max(1_000_000),
    per_second: z.number().min(0.01).max(1_000_000),
  }),
});

export type PracticeSettings = z.infer<typeof practiceSettings>;

/** Each setting may be left out, and each of a market. */
const givenSettings = practiceSettings
  .extend({ markets: z.record(marketName, marketSettings.partial()) })
  .partial();

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

/** A new market takes what it does not set from USDTNGN, except its base rate. */
function mergeSettings(given: z.infer<typeof givenSettings>): PracticeSettings {
  const { markets: named = {}, ...figures } = given;
  const markets = new Map(Object.entries(defaultSettings.markets));
  for (const [name, market] of Object.entries(named))
    markets.set(name, { ...(markets.get(name) ?? ngn), ...definedFields(market) });
  return { ...defaultSettings, ...definedFields(figures), markets: Object.fromEntries(markets) };
}

/** Fields that `value` lacks are taken from the defaults. Throws a `PracticeInputError`. */
export function parseSettings(value: unknown): PracticeSettings {
  if (hasProtoField(value)) throw wrongField('__proto__', 'is not a setting');
  const parsed = fieldProblems(givenSettings, value, 'is not a setting');
  if ('problems' in parsed) {
    const text = parsed.problems.map(({ field, problem }) => `${field || 'Settings'}: ${problem}`).join('; ');
    throw new PracticeInputError(parsed.problems[0].field, `${text}.`);
  }
  for (const [name, market] of Object.entries(parsed.data.markets ?? {})) {
    if (Object.hasOwn(defaultSettings.markets, name) || market.base_rate !== undefined) continue;
    throw wrongField(`markets.${name}.base_rate`, 'a new market needs one');
  }
  const settings = mergeSettings(parsed.data);
  toTradingConditions(settings, 0);
  return settings;
}

/** One setting by its name, `markets.USDTNGN.carry_daily_pct.buy`: its value, as text or not, or an object of several. */
export interface SettingChange {
  name: string;
  value: unknown;
}

/** Throws a `PracticeInputError` that names the setting. */
export function changeSettings(
  settings: PracticeSettings,
  changes: readonly SettingChange[],
): PracticeSettings {
  return parseSettings(merged(settings, changes));
}

const merged = (into: object, changes: readonly SettingChange[]): object =>
  changes.reduce((so, { name, value }) => withValue(so, name.split('.'), value), into);

export const settingChanges = (values: object): SettingChange[] =>
  Object.entries(values).map(([name, value]: [string, unknown]) => ({ name, value }));

function withValue(into: object, [name = '', ...rest]: readonly string[], value: unknown): object {
  const known: unknown = Object.entries(into).find(([each]) => each === name)?.[1];
  const inner = isObject(known) ? known : {};
  if (rest.length > 0) return { ...into, [name]: withValue(inner, rest, value) };
  return {
    ...into,
    [name]: isObject(value) ? merged(inner, settingChanges(value)) : settingValue(name, value),
  };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The settings in a document of `GET /settings` or of `hedge practice settings --json`; any other value as it is. */
export const settingsIn = <Given>(given: Given): Given | object =>
  contentOf(contentOf(given, 'data', ['error', 'meta']), 'settings', ['version']);

function contentOf<D>(document: D, field: string, others: readonly string[]): D | object {
  if (!isObject(document)) return document;
  const { [field]: content, ...rest } = Object.fromEntries<unknown>(Object.entries(document));
  return isObject(content) && Object.keys(rest).every((name) => others.includes(name)) ? content : document;
}

/** Text as it is typed on a command line. */
function settingValue(name: string, value: unknown): unknown {
  if (name === 'seed' || typeof value !== 'string') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** Price impact of an order: a base plus a slope per 10,000 USD. */
export interface ImpactSettings {
  base: Fraction;
  per10kUsd: Fraction;
}

/** `swing` scales the movement: 1 is about ±3 %, 0 is flat. `driftYearly` is a fraction. */
export interface RateModel {
  seed: string;
  market: string;
  baseRate: number;
  swing: number;
  driftYearly: number;
}

export interface MarketConditions {
  market: string;
  enabled: boolean;
  rateModel: RateModel;
  /** Positive: the account pays. */
  carryDaily: Record<PracticeSide, Fraction>;
  headroom: Micro;
}

export interface TradingConditions {
  /** Version of the settings. */
  version: number;
  markets: ReadonlyMap<string, MarketConditions>;
  openingBalance: Micro;
  cap: Micro;
  impact: ImpactSettings;
  margin: Fraction;
  platformFee: Fraction;
  closeFee: Fraction;
  fillMs: { min: number; max: number };
  rateLimit: { burst: number; perSecond: number };
}

export function toTradingConditions(settings: PracticeSettings, version: number): TradingConditions {
  const markets = new Map<string, MarketConditions>();
  for (const [market, of] of Object.entries(settings.markets)) {
    const at = `markets.${market}`;
    markets.set(market, {
      market,
      enabled: of.enabled,
      rateModel: {
        seed: settings.seed,
        market,
        baseRate: of.base_rate,
        swing: of.swing,
        driftYearly: of.drift_yearly_pct / 100,
      },
      carryDaily: {
        buy: exactSetting(`${at}.carry_daily_pct.buy`, of.carry_daily_pct.buy, PERCENT_PLACES),
        sell: exactSetting(`${at}.carry_daily_pct.sell`, of.carry_daily_pct.sell, PERCENT_PLACES),
      },
      headroom: exactSetting(`${at}.headroom_usd`, of.headroom_usd, MONEY_DECIMALS),
    });
    checkLargestImpact(settings, market, of.headroom_usd);
  }
  return {
    version,
    markets,
    openingBalance: exactSetting('opening_balance_usdc', settings.opening_balance_usdc, MONEY_DECIMALS),
    cap: exactSetting('exposure_cap_usd', settings.exposure_cap_usd, MONEY_DECIMALS),
    impact: {
      base: exactSetting('impact_base_bps', settings.impact_base_bps, BPS_PLACES),
      per10kUsd: exactSetting('impact_bps_per_10k_usd', settings.impact_bps_per_10k_usd, BPS_PLACES),
    },
    margin: exactSetting('margin_pct', settings.margin_pct, PERCENT_PLACES),
    platformFee: exactSetting('platform_fee_pct', settings.platform_fee_pct, PERCENT_PLACES),
    closeFee: exactSetting('close_fee_pct', settings.close_fee_pct, PERCENT_PLACES),
    fillMs: {
      min: Math.round(settings.fill_seconds.min * 1000),
      max: Math.round(settings.fill_seconds.max * 1000),
    },
    rateLimit: { burst: settings.rate_limit.burst, perSecond: settings.rate_limit.per_second },
  };
}

/** A percentage with 6 places and basis points with 4 are whole multiples of 1e-8. */
const PERCENT_PLACES = 6;
const BPS_PLACES = 4;

function exactSetting(field: string, value: number, places: number): bigint {
  const exact = decimalOf(String(value), places);
  if (exact === undefined) throw wrongField(field, `at most ${places} decimals`);
  return exact;
}

/** The largest order must not move the price to zero or below. */
function checkLargestImpact(settings: PracticeSettings, market: string, headroomUsd: number): void {
  const bps = settings.impact_base_bps + (settings.impact_bps_per_10k_usd * headroomUsd) / 10_000;
  if (bps < 9_000) return;
  throw wrongField(
    `markets.${market}.headroom_usd`,
    `an order of that size would move the price by ${bps} bps; lower it or the impact`,
  );
}
