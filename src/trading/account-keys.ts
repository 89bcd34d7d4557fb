/** Stops where an action or a profile may be of another account. Pure. */

import { ENVIRONMENT_PAIR } from '../config/profile-names.ts';
import { shell, step } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { type NextStep, nothingSent, type StoppedError } from '../errors.ts';
import { isConfirmed } from '../journal/account-identity.ts';
import { actionInWords } from '../journal/describe.ts';
import type { Action } from '../journal/replay.ts';
import type { ReadContext } from '../readings/read-context.ts';
import type { TradingContext } from './trading-context.ts';

/** The current key may belong to another account, so a missing hedge proves nothing. */
export const isOfAnotherKey = ({ intent }: Action, { identity }: Pick<ReadContext, 'identity'>): boolean =>
  !isConfirmed(intent.identity, identity);

/** A clause without a full stop. */
export const otherKeyInWords = ({ intent, sentAt }: Action): string =>
  `it was ${sentAt === undefined ? 'entered' : 'sent'} with another API key (${intent.identity.key_fingerprint ?? 'unknown'}), not confirmed to be of this account`;

/** Commands that confirm the account; empty for an unlabeled key from the environment. */
export function confirmationCommands({ intent }: Action): readonly NextStep[] {
  const { account } = intent.identity;
  if (typeof account === 'string')
    return [
      step(
        shell`hedge profile set NAME --account ${account}`,
        `confirm account ${account} (or HEDGE_ACCOUNT)`,
      ),
    ];
  return intent.profile === ENVIRONMENT_PAIR
    ? []
    : [step(shell`hedge profile set ${intent.profile} --key-stdin`, 'confirm that the account is the same')];
}

/** Stops while the earlier action may belong to another account. */
export const earlierOfAnotherKey = (action: Action): StoppedError =>
  nothingSent({
    code: 'account_unclear',
    what: `${actionInWords(action)}, action ${action.shortId}, had another API key: perhaps another account.`,
    hint:
      confirmationCommands(action).length === 0
        ? 'Label each account (HEDGE_ACCOUNT), or use a new idempotency key or deal ID.'
        : confirmationCommands(action),
    details: { action_id: action.id, state: action.state, why: otherKeyInWords(action) },
  });

/** @throws StoppedError `account_unclear` when another profile may or may not be the same account. */
export function checkAccount({
  accountUnclearWith: others,
  identity,
  profile,
}: Pick<TradingContext, 'accountUnclearWith' | 'identity' | 'profile'>): void {
  if (others.length === 0) return;
  const own = profile === ENVIRONMENT_PAIR ? 'HEDGE_API_KEY' : quoted(profile);
  const names = others.map(({ name }) => quoted(name)).join(', ');
  const unlabeled = others.filter(({ account }) => account === undefined).map(({ name }) => name);
  const [first = profile, ...more] = [
    ...(typeof identity.account === 'string' ? [] : [profile]),
    ...unlabeled,
  ];
  throw nothingSent({
    code: 'account_unclear',
    what: `Are ${own} and ${names} one account? Their keys differ.`,
    hint: [
      step(labelLine(first), more.length > 1 ? 'label each of them' : 'one label per account'),
      ...(more.length === 1 ? more : []).map((name) => step(labelLine(name), 'on every machine')),
    ],
    details: { profiles: others.map(({ name }) => name) },
  });
}

const labelLine = (profile: string) =>
  profile === ENVIRONMENT_PAIR
    ? shell`export HEDGE_ACCOUNT=LABEL`
    : shell`hedge profile set ${profile} --account LABEL`;
