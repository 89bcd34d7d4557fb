/** `hedge profile show`: a profile, and how much of its limits is used today. */
import { type BuiltInName, isBuiltIn } from '../../config/profile-names.ts';
import type { BuiltInProfile, StoredProfile } from '../../config/profiles.ts';
import { profileSourceInWords, type Selection } from '../../config/resolve.ts';
import { PRACTICE_LIVE } from '../../domain/vocabulary.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import { practiceIdentity } from '../../journal/account-identity.ts';
import type { Journal } from '../../journal/store/journal.ts';
import { type ProfileInFull, viewProfile } from '../../output/views/profiles.ts';
import { keysOfProfile } from '../../readings/known-keys.ts';
import { type LimitUse, limitUse } from '../../trading/guards/limit-use.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../define.ts';
import { builtInSummary, storedProfile, storedSummary, summaryOf } from './describe.ts';

export const profileShow = defineCommand({
  name: 'profile show',
  summary: 'Show the profile in use and its source, or one by name',
  description:
    'With a size limit it also shows the use of today and the largest next open. Counted toward the daily limit: the size that you asked for in every open and add sent from this machine (with a desk: by this login, from any) to this account since 00:00 UTC, whether filled, filled in part, in flight or with an unknown outcome. Not counted: reduces and closes, which give nothing back to the limit; actions that were rejected, failed or not sent; trades from another machine or program. The limits of a desk count every login.',
  operands: [{ name: 'NAME', summary: 'profile; default: the one in use', optional: true }],
  examples: [
    { line: 'hedge profile show', shows: 'the profile of this terminal, and why' },
    { line: 'hedge profile show payouts', shows: 'one profile, key masked' },
  ],
  read: ({ operands }) => ({ name: operands[0] }),
  async run(context, { name }) {
    const store = await context.profiles();
    const { path } = store;
    if (name === undefined) {
      const selection = await context.selection();
      // A corrupt file does not matter if key and address are in the environment.
      const isDefault = selection.kind !== 'pair' && store.defaultName() === selection.name;
      const why = profileSourceInWords(selection.source);
      const used = await usedOf(context, selection);
      return shown({ ...summaryOf(selection, isDefault), used_today: used, why, path });
    }
    const { profiles, builtIn, defaultName } = store.read();
    const isDefault = defaultName === name;
    if (isBuiltIn(name)) {
      const settings = builtIn[name] ?? {};
      const used = await usedInPractice(context, name, {
        profile: settings,
        journalOf: (of) => context.journalOf(of),
      });
      const summary = builtInSummary(name, settings, isDefault);
      return shown({ ...summary, used_today: used, why: undefined, path });
    }
    const profile = storedProfile({ profiles }, name);
    const used = await usedToday(context, name, { profile, journalOf: (of) => context.journalOf(of) });
    return shown({ ...storedSummary(name, profile, isDefault), used_today: used, why: undefined, path });
  },
  view: viewProfile,
});

/** Times are in the zone of the profile that is shown. */
const shown = (value: ProfileInFull) => ({ value, zone: value.time_zone ?? 'UTC' });

async function usedOf(context: CommandContext, selection: Selection): Promise<LimitUse | undefined> {
  switch (selection.kind) {
    case 'practice':
      return usedInPractice(context, selection.name, {
        profile: selection.profile,
        journalOf: () => context.journal(),
      });
    case 'stored':
      return usedToday(context, selection.name, {
        profile: { ...selection.profile, account: selection.account },
        journalOf: () => context.journal(),
      });
    case 'pair':
      return usedByPair(context);
    default:
      return selection satisfies never;
  }
}

/** Only a desk, also one that was left, limits what a key from the environment may do. */
async function usedByPair(context: CommandContext): Promise<LimitUse | undefined> {
  const journal = await context.journal();
  const { desk, limits = {} } = unless(DamagedFileError, () => journal.read()) ?? {};
  if (desk === undefined && Object.keys(limits).length === 0) return undefined;
  const { identity } = await context.readContext();
  return limitUse({}, identity, { journal, nowMs: context.clock.now() });
}

type JournalOf = (name: string) => Promise<Journal>;

async function usedInPractice(
  context: CommandContext,
  name: BuiltInName,
  { profile, journalOf }: { profile: BuiltInProfile; journalOf: JournalOf },
): Promise<LimitUse | undefined> {
  // Without a limit the practice service is not opened.
  if (profile.max_notional_usd === undefined && profile.max_daily_notional_usd === undefined)
    return undefined;
  const { book_id: bookId } = await context.practice.status();
  const identity = practiceIdentity(bookId, name === PRACTICE_LIVE ? 'live' : 'sandbox');
  return limitUse(profile, identity, { journal: await journalOf(name), nowMs: context.clock.now() });
}

async function usedToday(
  context: CommandContext,
  name: string,
  { profile, journalOf }: { profile: StoredProfile; journalOf: JournalOf },
): Promise<LimitUse | undefined> {
  const { profiles } = (await context.profiles()).read();
  const identity = keysOfProfile(name, profile, profiles)?.identity;
  return limitUse(profile, identity, { journal: await journalOf(name), nowMs: context.clock.now() });
}
