/**
 * Looks at everything that dealing rests on, and changes nothing. Every look has a time limit, and none that
 * fails keeps another from being taken. Verdicts are the other doctor files'.
 */
import type { HedgeApi } from '../client/hedge-api.ts';
import type { Handshake } from '../client/tls-probe.ts';
import { profileSourceInWords, type Selection } from '../config/resolve.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { Halt } from '../journal/halt.ts';
import type { Journal } from '../journal/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { OpenParent } from '../platform/parent-folders.ts';
import {
  attemptWithin,
  type Check,
  type CheckName,
  type Checkup,
  checkupOf,
  notChecked,
  type Settled,
  settled,
  within,
} from './checks.ts';
import {
  type DataFiles,
  type Installation,
  judgeFiles,
  judgeHalt,
  judgeJournal,
  judgeNode,
} from './machine-checks.ts';
import { checkReadings } from './reading-checks.ts';
import { judgeDns, judgeProxy, judgeTls } from './service-checks.ts';
/** The service, before any key. */
export interface ServiceAddress {
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

export interface CheckedProfile {
  api: HedgeApi;
  environment: Environment;
  /** Masked. */
  key: string;
}

/** What is lent to the examination. Each may throw. */
export interface DiagnosticSources {
  clock: Clock;
  installed: Installation;
  files(): readonly DataFiles[];
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
  address(): Promise<ServiceAddress>;
  account(): Promise<CheckedProfile>;
  /** @throws StoppedError `account_unclear`, as every action would. */
  checkAccount(): Promise<void>;
}

const DNS_MS = 5_000;
const TLS_MS = 12_000;

export async function runDiagnostics(it: DiagnosticSources): Promise<Checkup> {
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
    await attemptWithin('node', () => judgeNode(it.installed)),
    await attemptWithin('files', () => judgeFiles(it.files(), it.parents())),
    await attemptWithin('profile', () => checkProfile(it, { address, account })),
    await attemptWithin('journal', async () => {
      const state = (await it.journal()).read();
      const verdict = judgeJournal(state, state.actions);
      if (verdict.verdict !== 'fail') await it.tryJournal();
      return verdict;
    }),
    await attemptWithin('halt', () => judgeHalt(it.halt())),
    await attemptWithin('completion', () => it.completion()),
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
  address: Settled<ServiceAddress>,
  look: (where: ServiceAddress) => Promise<Check>,
): Promise<Check> {
  if ('error' in address) return notChecked(check, 'no address of a service is known');
  return attemptWithin(check, () => look(address.value));
}

async function checkProfile(
  it: DiagnosticSources,
  { address, account }: { address: Settled<ServiceAddress>; account: Settled<CheckedProfile> },
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

async function checkDns(where: ServiceAddress, clock: Clock): Promise<Check> {
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
