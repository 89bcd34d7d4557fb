/**
 * Where nothing says whether two API keys of one service are of one account: what is said of an action that was sent
 * with another key than the present one, and what stops before two profiles that cannot be told apart. Pure.
 */
import { quoted } from '../domain/quoted.ts';
import { shellWord } from '../domain/shell-word.ts';
import { StoppedError } from '../errors.ts';
import type { Action } from '../journal/fold.ts';
import { isConfirmed } from '../journal/identity.ts';
import { actionInWords, stateInWords } from '../journal/in-words.ts';
import { ENVIRONMENT_PAIR } from '../settings/profile-names.ts';
import { commandLines } from './command-lines.ts';
import type { Dealing } from './dealing.ts';
import type { Looking } from './looking.ts';

/** A line to type, and what it does. */
export type CommandRow = readonly [line: string, does: string];

/** Its outcome cannot be read with the present key: an absence may be that of another account. */
export const isOfAnotherKey = ({ intent }: Action, { identity }: Pick<Looking, 'identity'>): boolean =>
  !isConfirmed(intent.identity, identity);

/** As half a sentence. */
export const otherKeyInWords = ({ intent, sentAt }: Action): string =>
  `it was ${sentAt === undefined ? 'entered' : 'sent'} with another API key (${intent.identity.key_fingerprint ?? 'unknown'}), not confirmed to be of this account`;

/** None where only a person's word about the action is left: a key of the environment, and no label. */
export function confirming({ intent }: Action): readonly CommandRow[] {
  const { account } = intent.identity;
  if (typeof account === 'string')
    return [
      [
        `hedge profile set NAME --account ${shellWord(account)}`,
        `if it is the account ${account} (or HEDGE_ACCOUNT)`,
      ],
    ];
  return intent.profile === ENVIRONMENT_PAIR
    ? []
    : [
        [
          `hedge profile set ${shellWord(intent.profile)} --key-stdin`,
          'if its key was replaced (or --key-command): confirms the account',
        ],
      ];
}

/** An earlier action is not taken for this one while the account is not known to be the same. */
export const earlierOfAnotherKey = (action: Action): StoppedError =>
  new StoppedError({
    code: 'account_unclear',
    what: `${actionInWords(action)}, action ${action.shortId} (${stateInWords(action)}): ${otherKeyInWords(action)}.`,
    book: 'Nothing was sent.',
    hint:
      confirming(action).length === 0
        ? 'If it is another account, give each a label (HEDGE_ACCOUNT); otherwise use a new idempotency key or deal ID.'
        : commandLines(confirming(action)),
    details: { action_id: action.id },
  });

/** @throws StoppedError `account_unclear` where another profile may be the same account, or another one. */
export function checkAccount({
  accountUnclearWith: others,
  identity,
  profile,
}: Pick<Dealing, 'accountUnclearWith' | 'identity' | 'profile'>): void {
  if (others.length === 0) return;
  const own = profile === ENVIRONMENT_PAIR ? 'HEDGE_API_KEY' : `profile ${quoted(profile)}`;
  const names = others.map(({ name }) => quoted(name)).join(', ');
  const unlabeled = others.filter(({ account }) => account === undefined).map(({ name }) => name);
  const [first = '', ...more] = [
    ...(typeof identity.account === 'string' ? [] : [profile]),
    ...unlabeled,
  ].map(labelLine);
  throw new StoppedError({
    code: 'account_unclear',
    what: `The API keys of ${own} and of ${others.length === 1 ? 'profile' : 'profiles'} ${names} differ, for one environment and base address. Nothing says whether they are of one account.`,
    book: 'Nothing was sent.',
    hint: commandLines([
      [first, 'the same label for one account, different labels for two'],
      ...more.map((line) => [line, 'use the same labels on every machine'] as const),
    ]),
    details: { profiles: others.map(({ name }) => name) },
  });
}

const labelLine = (profile: string): string =>
  profile === ENVIRONMENT_PAIR
    ? 'export HEDGE_ACCOUNT=LABEL'
    : `hedge profile set ${shellWord(profile)} --account LABEL`;
