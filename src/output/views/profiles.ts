/** Profiles, keys masked. */
import { Big } from 'big.js';
import { usdInWords } from '../../domain/exposure.ts';
import { limitsInWords, type ProfileLimits } from '../../domain/profile-limits.ts';
import { ENVIRONMENT_GLOSS, type Environment, hasLiveRules } from '../../domain/vocabulary.ts';
import type { ProfileChange, ProfileSummary } from '../../schema/machine-document.ts';
import type { DeskUse, LimitUse } from '../../trading/guards/limit-use.ts';
import { dimLine, line, type Pair, pair, pairs, type View } from '../blocks.ts';
import { type Cell, missing, nameText, type Parts, partsIn, text } from '../cells.ts';
import { listOf } from '../list.ts';
import { time } from './record-columns.ts';

/** The profile that options and environment select. */
export interface SelectedProfile {
  name: string;
  /** Undefined if only its key command knows. */
  environment: Environment | undefined;
  /** The option or variable that selected it: `--profile`, `HEDGE_PROFILE`, … */
  why: string;
}

export const profileRows = listOf<ProfileSummary>()(
  [
    {
      name: 'name',
      header: 'Profile',
      show: (profile) => text(nameInWords(profile), profile.is_default ? 'strong' : undefined),
    },
    { name: 'environment', header: 'Environment', show: environmentCell },
    { name: 'base_url', header: 'Base URL', optional: true },
    { name: 'key', header: 'Key', optional: 'last', show: ({ key }) => text(key) },
    'is_default time_zone ca_file',
    {
      name: 'limits',
      header: 'Limits',
      parts: ['max_notional_usd', 'max_daily_notional_usd', 'read_only', 'markets'],
      wrap: true,
      show: ({ limits }) => text(limitsInWords(limits)),
    },
    'account operator',
  ],
  { record: (profile) => profile },
);

export interface ProfileInFull extends ProfileSummary {
  used_today?: LimitUse | undefined;
  /** The source of the selection; undefined if it was named. */
  why: string | undefined;
  path: string;
}

export function viewProfile(profile: ProfileInFull): View {
  const { environment, base_url: baseUrl, account, ca_file: caFile, time_zone: zone, why } = profile;
  return pairs(
    pair('Profile', text(nameInWords(profile), 'strong')),
    why !== undefined && pair('Selected', why),
    pair(
      'Environment',
      environment === undefined
        ? 'unknown until its key is read'
        : [environmentCell(profile), `(${ENVIRONMENT_GLOSS[environment]})`],
    ),
    pair('Base URL', baseUrl === null ? missing : baseUrl),
    account !== undefined && pair('Account', account),
    pair('Key', profile.key),
    pair('CA file', caFile ?? 'none of its own'),
    pair('Time zone', zone ?? 'UTC'),
    profile.operator !== undefined && pair('Operator', profile.operator),
    pair('Limits', limitsInWords(profile.limits)),
    usePairs(profile),
    pair('Stored in', text(profile.path, 'dim')),
  );
}

function usePairs({ name, used_today: use, limits }: ProfileInFull): Parts<Pair> {
  if (use === undefined) return [];
  const { notional_usd: used, remaining_usd: remaining, fits_notional_usd: fits, desk } = use;
  const ofDesk = desk && deskPairs(desk);
  const usedToday = desk === undefined ? 'Used today' : 'You used today';
  if (use.unknown !== null || used === null)
    return [
      ofDesk,
      pair(usedToday, text(use.unknown === null ? '' : WHY_UNKNOWN[use.unknown](name), 'warn')),
    ];
  const daily = limits.max_daily_notional_usd;
  const login = desk === undefined ? '' : 'of this login ';
  return [
    ofDesk,
    pair(
      usedToday,
      remaining === null || daily === undefined
        ? `${usd(used)}; no daily limit`
        : `${usd(used)} of ${usd(daily)}; ${usd(remaining)} remaining`,
    ),
    fits !== null && pair('Next open', nextOpen(limits, fits, desk)),
    pair('Counted', text(`opens and adds ${login}since 00:00 UTC, unknown outcomes in full`, 'dim')),
    pair('Not counted', text('reduces, closes, rejected or failed actions, trades from elsewhere', 'dim')),
  ];
}

function deskPairs(desk: DeskUse): Parts<Pair> {
  const { name, as_of: asOf, notional_usd: used, ...limits } = desk;
  const { max_notional_usd: trade, max_daily_notional_usd: daily, max_open_usd: open } = limits;
  const parts = partsIn<string>([
    trade !== null && `${usd(trade)} per trade`,
    daily !== null && `the desk used ${usd(used)} of ${usd(daily)} today`,
    open !== null && `at most ${usd(open)} open`,
  ]);
  return [
    name === null
      ? pair('Desk', text('left; its limits stay on this machine: hedge desk limit', 'warn'))
      : pair('Desk', nameText(name), asOf !== null && ['as of', time(asOf)]),
    pair('Its limits', parts.length === 0 ? 'none' : parts.join('; ')),
  ];
}

const WHY_UNKNOWN: Readonly<Record<NonNullable<LimitUse['unknown']>, (name: string) => string>> = {
  journal_damaged: () => 'unknown: the journal may lack records. Details: hedge journal',
  desk_trouble: () => 'unknown: opens are stopped. Why: hedge desk status',
  key_not_recorded: (name) =>
    `unknown: its key is not recorded. To record it: hedge profile set ${name} --help`,
};

/** Positions are not read for it: the open notional counts toward a limit of the desk. */
function nextOpen({ read_only: isReadOnly }: ProfileLimits, fits: string, desk: DeskUse | undefined): string {
  if (isReadOnly === true) return 'blocked: read-only';
  if (new Big(fits).lte(0)) return 'blocked until 00:00 UTC';
  const mostOpen = desk?.max_open_usd ?? undefined;
  const open =
    mostOpen === undefined ? '' : `, and what ${usd(mostOpen)} less the open positions of the desk leaves`;
  return `at most ${usd(fits)}${open}`;
}

const usd = (digits: string): string => usdInWords(new Big(digits));

export const viewProfileChange = ({ done, notes }: ProfileChange): View => [
  line(done),
  notes.map((note) => dimLine(note)),
];

function environmentCell({ environment, name }: ProfileSummary): Cell {
  if (environment === undefined) return text('set by its key');
  return text(environment.toUpperCase(), hasLiveRules({ environment, profile: name }) ? 'warn' : 'plain');
}

const nameInWords = ({ name, is_default: isDefault }: ProfileSummary): string =>
  isDefault ? `${name} (default)` : name;
