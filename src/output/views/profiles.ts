/** Profiles as a person reads them. Keys come masked or not at all. */
import { limitsInWords, type ProfileLimits } from '../../domain/profile-limits.ts';
import { ENVIRONMENT_GLOSS, type Environment } from '../../domain/vocabulary.ts';
import { type Block, type Cell, line, missing, text } from '../blocks.ts';
/** The profile that the options and the environment select, and why that one. */
export interface SelectedProfile {
  name: string;
  /** Undefined when only its key command could tell. */
  environment: Environment | undefined;
  /** `--profile`, `HEDGE_PROFILE`, … in words. */
  why: string;
}

export interface ProfileSummary {
  name: string;
  environment: Environment | undefined;
  base_url: string | null;
  /** The account label. */
  account?: string | undefined;
  /** Masked, or in words where it comes from. */
  key: string;
  ca_file?: string | undefined;
  time_zone?: string | undefined;
  limits: ProfileLimits;
  is_default: boolean;
}

/** The columns of `--csv`, in order. */
export const PROFILE_COLUMNS = [
  'name',
  'environment',
  'base_url',
  'key',
  'is_default',
  'time_zone',
  'ca_file',
  'limits.max_notional_usd',
  'limits.max_daily_notional_usd',
  'limits.read_only',
  'limits.markets',
  'account',
] as const;

export function viewProfiles(profiles: readonly ProfileSummary[]): readonly Block[] {
  return [
    {
      kind: 'table',
      columns: [
        { header: 'PROFILE' },
        { header: 'ENVIRONMENT' },
        { header: 'BASE ADDRESS' },
        { header: 'KEY' },
        { header: 'LIMITS', optional: true },
      ],
      rows: profiles.map(
        ({ name, environment, base_url: baseUrl, key, limits, is_default: isDefault }): readonly Cell[] => [
          text(isDefault ? `${name} (default)` : name, isDefault ? 'strong' : 'plain'),
          environmentCell(environment),
          baseUrl === null ? missing : text(baseUrl),
          text(key),
          text(limitsInWords(limits)),
        ],
      ),
    },
  ];
}

export interface ProfileInFull extends ProfileSummary {
  /** Which source selected it, in words; undefined when it was asked for by name. */
  why: string | undefined;
  path: string;
}

export function viewProfile(profile: ProfileInFull): readonly Block[] {
  const { environment, base_url: baseUrl, account, ca_file: caFile, time_zone: zone, why } = profile;
  return [
    {
      kind: 'pairs',
      pairs: [
        {
          name: 'Profile',
          value: [text(profile.is_default ? `${profile.name} (default)` : profile.name, 'strong')],
        },
        ...(why === undefined ? [] : [{ name: 'Chosen by', value: [text(why)] }]),
        {
          name: 'Environment',
          value:
            environment === undefined
              ? [text('known once its key has been read')]
              : [environmentCell(environment), text(`(${ENVIRONMENT_GLOSS[environment]})`)],
        },
        { name: 'Base address', value: [baseUrl === null ? missing : text(baseUrl)] },
        ...(account === undefined ? [] : [{ name: 'Account', value: [text(account)] }]),
        { name: 'Key', value: [text(profile.key)] },
        { name: 'CA file', value: [caFile === undefined ? text('none of its own') : text(caFile)] },
        { name: 'Time zone', value: [text(zone ?? 'UTC')] },
        { name: 'Limits', value: [text(limitsInWords(profile.limits))] },
        { name: 'Kept in', value: [text(profile.path, 'dim')] },
      ],
    },
  ];
}

export interface ProfileChange {
  name: string;
  environment: Environment | undefined;
  /** What was done, as a sentence. */
  done: string;
  /** What the operator should know or do next. */
  notes: readonly string[];
  /** Where they are what changed, or came with it. */
  limits?: ProfileLimits;
}

export const viewProfileChange = ({ done, notes }: ProfileChange): readonly Block[] => [
  line(text(done)),
  ...notes.map((note) => line(text(note, 'dim'))),
];

function environmentCell(environment: Environment | undefined): Cell {
  if (environment === undefined) return text('by its key');
  return text(environment.toUpperCase(), environment === 'live' ? 'warn' : 'plain');
}
