/** Bare `hedge`: profile, pending actions, next commands; for a person also balance and positions. */

import { readNothing } from '../args/option.ts';
import { ENVIRONMENT_PAIR } from '../config/profile-names.ts';
import type { AccountIdentity } from '../journal/account-identity.ts';
import type { RollChain } from '../journal/roll-chains.ts';
import { homeDocument, viewHome } from '../output/views/home.ts';
import { profileReaching } from '../readings/known-keys.ts';
import type { AccountNow } from '../readings/read-account-now.ts';
import { summarizeJournal } from '../readings/read-journal.ts';
import type { CommandContext } from './command-context.ts';
import { type Command, defineCommand } from './define.ts';
import { describeSelection } from './profile/describe.ts';

export const home: Command = defineCommand({
  name: 'hedge',
  summary: 'Show profile, balance, positions, unknown outcomes and what to do next',
  description:
    'A person at a terminal also sees balance and positions, unless the service does not respond within 2 seconds or a command prints the API key. A script sends no request, nor does --json. P&L is price and carry, before fees.',
  examples: [{ line: 'hedge status', shows: 'balance, positions, unknown outcomes and what to do next' }],
  read: readNothing,
  async run(context) {
    const selected = await describeSelection(context);
    const selection = await context.selectionIfAny();
    const isReadOnly =
      selection !== undefined && selection.kind !== 'pair' && selection.profile.read_only === true;
    const now = selected === undefined ? undefined : await readNow(context);
    const servedAt = now !== undefined && 'account' in now ? now.servedAt : undefined;
    const own = servedAt === undefined ? undefined : (await context.readContext()).identity;
    const journal = summarizeJournal(await context.journal(), {
      nowMs: context.clock.now(),
      servedMs: servedAt?.getTime(),
      servedTo: own,
    });
    const rolls = journal.rolls.length === 0 ? [] : await reached(journal.rolls, own, context);
    const { implied, zone } = await context.profileContext();
    const { version } = context.program;
    return {
      value: { version, selected, implied, isReadOnly, now, journal: { ...journal, rolls } },
      servedAt,
      zone,
      // Without a request no profile is connected.
      meta: { profile: selected?.name, environment: selected?.environment },
    };
  },
  document: homeDocument,
  view: viewHome,
});

/** Adds the profile of each: it may have been removed, or another one has its account. */
async function reached(
  rolls: readonly RollChain[],
  own: AccountIdentity | undefined,
  context: CommandContext,
): Promise<readonly RollChain[]> {
  const { profiles } = (await context.profiles()).read();
  return rolls.map((chain) => {
    const { profile } = chain.plan;
    const kept = profile === ENVIRONMENT_PAIR ? profile : null;
    return { ...chain, reachedBy: profileReaching(chain.plan, { profiles, own }) ?? kept };
  });
}

/** A script sends nothing, nor does a document, which has neither of them. A key command may ask for a fingerprint: only a command that needs the key runs it. */
async function readNow(context: CommandContext): Promise<AccountNow | undefined> {
  if (!context.prompter.attended || context.printsDocument) return undefined;
  if ((await context.selection()).keySource === 'command') return undefined;
  const { readAccountNow } = await import('../readings/read-account-now.ts');
  return readAccountNow(() => context.api(), context.clock);
}

/** The same under a word: people type it. */
export const status: Command = { ...home, name: 'status' };
