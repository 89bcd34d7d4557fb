/**
 * Looks at everything that dealing rests on, and changes nothing. Every look has a time limit, and none that
 * fails keeps another from being taken. Verdicts are the other doctor files'.
 */
import type { HedgeApi } from '../../client/hedge-api.ts';
import type { Handshake } from '../../client/probe.ts';
import type { Environment } from '../../domain/vocabulary.ts';
import type { Halt } from '../../journal/halt.ts';
import type { Journal } from '../../journal/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OpenParent } from '../../platform/parent-folders.ts';
import { profileSourceInWords, type Selection } from '../../settings/resolve.ts';
import { type Check, type CheckName, type Checkup, checkupOf, notLookedAt } from './doctor-check.ts';
import { looked, type Settled, settled, within } from './doctor-look.ts';
import {
  type Installation,
  judgeFiles,
  judgeHalt,
  judgeJournal,
  judgeNode,
  type Ours,
} from './doctor-machine.ts';
import { checkReadings } from './doctor-readings.ts';
import { judgeDns, judgeProxy, judgeTls } from './doctor-service.ts';

/** The service, before any key. */
export interface Address {
  /** `https://host/partner/v2` */
  baseUrl: string;
  /** Usable, but unlikely to be right. */
  warning: string | undefined;
  host: string;
  /** Name of the proxy, without its password; undefined: none. @throws CredentialError on one that cannot be used. */
  proxy(): string | undefined;
  lookUp(): Promise<readonly string[]>;
  shakeHands(signal: AbortSignal): Promise<Handshake>;
}

export interface Account {
  api: HedgeApi;
  environment: Environment;
  /** Masked. */
  key: string;
}

/** What is lent to the examination. Each may throw. */
export interface Examined {
  clock: Clock;
  installed: Installation;
  files(): readonly Ours[];
  /** The folders above ours that others can change. */
  parents(): readonly OpenParent[];
  journal(): Promise<Journal>;
  /** @throws DamagedFileError where it could not be added to; leaves nothing behind. */
  tryJournal(): Promise<void>;
  halt(): Halt | undefined;
  completion(): Check;
  selection(): Promise<Selection>;
  /** The stored profiles, whether or not one of them is used. @throws DamagedFileError */
  profiles(): unknown;
  address(): Promise<Address>;
  account(): Promise<Account>;
  /** @throws StoppedError `account_unclear`, as every action would. */
  checkAccount(): Promise<void>;
}

const DNS_MS = 5_000;
const TLS_MS = 12_000;

export async function examine(it: Examined): Promise<Checkup> {
  const [address, account] = await Promise.all([settled(() => it.address()), settled(() => it.account())]);
  const [proxy, dns, tls, [reading, clock, answers]] = await Promise.all([
    atService('proxy', address, async (where) => judgeProxy(where.proxy())),
    atService('dns', address, (where) => checkDns(where, it.clock)),
    atService('tls', address, async (where) => {
      const shaken = await within(it.clock, TLS_MS, (signal) => where.shakeHands(signal));
      return judgeTls(shaken, where.host, it.clock.now());
    }),
    checkReadings(account, 'value' in address ? address.value.host : undefined, it.clock),
  ]);
  return checkupOf([
    await looked('node', () => judgeNode(it.installed)),
    await looked('files', () => judgeFiles(it.files(), it.parents())),
    await looked('profile', () => checkProfile(it, { address, account })),
    await looked('journal', async () => {
      const state = (await it.journal()).read();
      const verdict = judgeJournal(state, state.actions);
      if (verdict.verdict !== 'fail') await it.tryJournal();
      return verdict;
    }),
    await looked('halt', () => judgeHalt(it.halt())),
    await looked('completion', () => it.completion()),
    proxy,
    dns,
    tls,
    reading,
    clock,
    answers,
  ]);
}

async function atService(
  check: CheckName,
  address: Settled<Address>,
  look: (where: Address) => Promise<Check>,
): Promise<Check> {
  if ('error' in address) return notLookedAt(check, 'no address of a service is known');
  return looked(check, () => look(address.value));
}

async function checkProfile(
  it: Examined,
  { address, account }: { address: Settled<Address>; account: Settled<Account> },
): Promise<Check> {
  const { name, source, keySource } = await it.selection();
  // With practice or the pair nothing else has read them.
  it.profiles();
  if ('error' in address) throw address.error;
  if ('error' in account) throw account.error;
  await it.checkAccount();
  const { baseUrl, warning } = address.value;
  const { environment, key } = account.value;
  return {
    check: 'profile',
    verdict: warning === undefined ? 'pass' : 'warn',
    says: `${name}, ${profileSourceInWords(source)}: ${environment}, ${baseUrl}, key ${key}.`,
    todo: warning,
    facts: { name, source, environment, base_url: baseUrl, key, key_source: keySource },
  };
}

async function checkDns(where: Address, clock: Clock): Promise<Check> {
  const { host } = where;
  if (/^[\d.]+$|:/.test(host))
    return {
      check: 'dns',
      verdict: 'pass',
      says: `${host} is an address: nothing to look up.`,
      facts: { host },
    };
  if (where.proxy() !== undefined)
    return { check: 'dns', verdict: 'pass', says: `The proxy looks up ${host}.`, facts: { host } };
  return judgeDns(host, await within(clock, DNS_MS, () => where.lookUp()));
}
