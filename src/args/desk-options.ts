/** Options of `hedge desk`, and their values. A password is never an argument. */
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { optionGiven, optionText, type RawInput, readOption } from './option.ts';
import { readAmountOrNone, readCommandWords } from './profile-options.ts';
import { readNote } from './shared-options.ts';

/** Address of the log, and the source of its password. */
export const ACCESS_OPTIONS = [
  { flags: '--ca-file <path>', summary: "certificate authority of the database's server (PEM)" },
  { flags: '--password-command <json>', summary: 'run this command for the password each time' },
  { flags: '--password-keychain <entry>', summary: 'entry of the keychain with the password' },
] as const;

export const DESK_LIMIT_OPTIONS = [
  { flags: '--max-notional <usd>', summary: 'per-trade limit: USD of one open or add: 250k' },
  {
    flags: '--max-daily-notional <usd>',
    summary: 'daily limit: USD of all opens and adds of a UTC day, of everybody: 1m',
  },
  { flags: '--max-open <usd>', summary: 'limit of the notional open at a time, of both sides together: 5m' },
] as const;

/** @throws UsageError */
export function readAccess(raw: RawInput) {
  const [url = ''] = raw.operands;
  const entry = optionText(raw, 'passwordKeychain');
  if (optionText(raw, 'passwordCommand') !== undefined && entry !== undefined)
    throw new UsageError(
      'The password can have only one source.',
      'Use --password-command or --password-keychain; without them it is looked for in ~/.pgpass.',
    );
  const command = readOption(raw, 'passwordCommand', readCommandWords);
  const caFile = readOption(raw, 'caFile', (path) => resolve(path));
  return { url, ca_file: caFile, password_command: command, password_keychain: entry };
}

const LIMIT_NAMES = [
  ['maxNotional', 'max_notional_usd'],
  ['maxDailyNotional', 'max_daily_notional_usd'],
  ['maxOpen', 'max_open_usd'],
] as const;
type LimitChanges = Partial<Record<(typeof LIMIT_NAMES)[number][1], string | null>>;

/** Empty without an option: then the limits are shown. @throws UsageError */
export function readDeskLimits(raw: RawInput): { changes: LimitChanges; note: string | undefined } {
  const changes = Object.fromEntries(
    LIMIT_NAMES.flatMap(([name, field]) => {
      const amount = readOption(raw, name, readAmountOrNone);
      return amount === undefined ? [] : [[field, amount]];
    }),
  );
  const note = readNote(raw);
  if (note !== undefined && Object.keys(changes).length === 0)
    throw new UsageError('A note needs a limit.', 'hedge desk limit --max-open 5m --note "as agreed"');
  return { changes, note };
}

export const readYes = (raw: RawInput): { yes: boolean; note: string | undefined } => ({
  yes: optionGiven(raw, 'yes'),
  note: readNote(raw),
});
