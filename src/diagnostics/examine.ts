/** Runs all checks of `hedge doctor`, each with a time limit, and changes nothing. A failed check does not stop the others. */
import type { HedgeApi } from '../client/hedge-api.ts';
import type { Handshake } from '../client/tls-probe.ts';
import { profileSourceInWords, type Selection } from '../config/resolve.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { AccountIdentity } from '../journal/account-identity.ts';
import type { Operator } from '../journal/records.ts';
import { unfinishedChains } from '../journal/roll-chains.ts';
import type { JournalState } from '../journal/state.ts';
import type { DatabaseFindings } from '../journal/store/examine-database.ts';
import type { Journal } from '../journal/store/journal.ts';
import type { JournalAudit } from '../journal/verify.ts';
import type { Clock } from '../platform/clock.ts';
import type { OpenParent } from '../platform/parent-folders.ts';
import {
  type Answered,
  answered,
  attemptWithin,
  type Check,
  type CheckName,
  checkOf,
  type DiagnosticReport,
  diagnosticReport,
  notChecked,
  within,
} from './checks.ts';
import { checkDesk, type DeskFindings } from './desk-check.ts';
import {
  checkFiles,
  checkHalt,
  checkJournal,
  checkNode,
  checkOperator,
  checkRolls,
  type DataFiles,
  type Installation,
} from './machine-checks.ts';
import {
  type AgentUse,
  checkAddresses,
  checkAgent,
  checkProxy,
  checkReadings,
  checkTls,
} from './service-checks.ts';

/** How to reach the service, without an API key. */
export interface ServiceAddress {
  /** `https://host/partner/v2` */
  baseUrl: string;
  /** The URL is usable but probably wrong. */
  warning: string | undefined;
  host: string;
  /** Name of the proxy, without its password; undefined for none. @throws CredentialError */
  proxy(): string | undefined;
  lookUp(): Promise<readonly string[]>;
  shakeHands(signal: AbortSignal): Promise<Handshake>;
  agent(): Promise<AgentUse>;
}

export interface CheckedProfile {
  api: HedgeApi;
  environment: Environment;
  owner: AccountIdentity;
  /** Masked. */
  key: string;
}

/** Each may throw. */
export interface DiagnosticSources {
  clock: Clock;
  installed: Installation;
  files(): readonly DataFiles[];
  /** Parents of hedge's folders that others can change. */
  parents(): readonly OpenParent[];
  /** Only read: no record needs an operator. */
  journal(): Promise<Journal>;
  /** Undefined where the account has no desk. */
  desk(): Promise<DeskFindings | undefined>;
  database(): Promise<DatabaseFindings>;
  audit(): Promise<JournalAudit>;
  /** Checks that the journal is writable; leaves nothing behind. @throws DamagedFileError */
  tryJournal(): Promise<void>;
  completion(): Check;
  selection(): Promise<Selection>;
  /** Who is recorded in the journal. @throws UsageError for HEDGE_OPERATOR. */
  operator(): Promise<Operator>;
  /** Reads the stored profiles. @throws DamagedFileError */
  profiles(): unknown;
  address(): Promise<ServiceAddress>;
  account(): Promise<CheckedProfile>;
  /** Sentences about other profiles with the same key. @throws StoppedError `account_unclear`, as every action does. */
  checkAccount(): Promise<readonly string[]>;
}

const DNS_MS = 5_000;
const TLS_MS = 12_000;

const chainsIn = async (audit: JournalAudit) => ({
  chain: await audit.verify(),
  ownChain: await audit.own?.verify(),
});

/** `deep`: checks the chain of the journal too, record by record. */
export async function runDiagnostics(
  sources: DiagnosticSources,
  { deep = false }: { deep?: boolean } = {},
): Promise<DiagnosticReport> {
  const [address, account] = await Promise.all([
    answered(() => sources.address()),
    answered(() => sources.account()),
  ]);
  const [proxy, agent, dns, tls, { checks, servedMs }] = await Promise.all([
    atService('proxy', address, async (where) => checkProxy(where.proxy())),
    atService('agent', address, async (where) => checkAgent(await where.agent())),
    atService('dns', address, (where) => checkDns(where, sources.clock)),
    atService('tls', address, async (where) => {
      const shaken = await within(sources.clock, TLS_MS, (signal) => where.shakeHands(signal));
      return checkTls(shaken, where.host, sources.clock.now());
    }),
    checkReadings(account, 'value' in address ? address.value.host : undefined, sources.clock),
  ]);
  const journal = await answered(async () => (await sources.journal()).read());
  const inJournal = async (check: CheckName, look: (state: JournalState) => Check): Promise<Check> =>
    'error' in journal
      ? notChecked(check, 'the journal cannot be read')
      : attemptWithin(check, () => look(journal.value));
  return diagnosticReport([
    await attemptWithin('node', () => checkNode(sources.installed)),
    await attemptWithin('files', () => checkFiles(sources.files(), sources.parents())),
    await attemptWithin('profile', () => checkProfile(sources, { address, account, journal })),
    await attemptWithin('operator', async () => checkOperator(await sources.operator())),
    await attemptWithin('journal', async () => {
      if ('error' in journal) throw journal.error;
      const selection = await answered(() => sources.selection());
      const verdict = checkJournal(journal.value, {
        database: await answered(() => sources.database()),
        ...(deep ? await chainsIn(await sources.audit()) : {}),
        selected: 'value' in selection ? selection.value.name : undefined,
      });
      if (verdict.verdict !== 'fail') await sources.tryJournal();
      return verdict;
    }),
    ...(await deskChecks(sources)),
    await inJournal('rolls', (state) =>
      checkRolls(
        unfinishedChains(state, {
          nowMs: sources.clock.now(),
          servedMs,
          servedTo: 'value' in account ? account.value.owner : undefined,
        }),
        state.trouble,
      ),
    ),
    await inJournal('halt', checkHalt),
    await attemptWithin('completion', () => sources.completion()),
    proxy,
    agent,
    dns,
    tls,
    ...checks,
  ]);
}

/** None without a desk. */
async function deskChecks(sources: DiagnosticSources): Promise<readonly Check[]> {
  const found = await answered(() => sources.desk());
  if ('error' in found) return [await attemptWithin('desk', () => Promise.reject(found.error))];
  return found.value === undefined ? [] : [checkDesk(found.value)];
}

async function atService(
  check: CheckName,
  address: Answered<ServiceAddress>,
  run: (where: ServiceAddress) => Promise<Check>,
): Promise<Check> {
  if ('error' in address) return notChecked(check, "the service's address is not known");
  return attemptWithin(check, () => run(address.value));
}

async function checkProfile(
  sources: DiagnosticSources,
  {
    address,
    account,
    journal,
  }: {
    address: Answered<ServiceAddress>;
    account: Answered<CheckedProfile>;
    journal: Answered<JournalState>;
  },
): Promise<Check> {
  const { name, source, keySource } = await sources.selection();
  // Nothing else reads the profiles if the environment variables are set.
  sources.profiles();
  if ('error' in address) throw address.error;
  if ('error' in account) throw account.error;
  const { baseUrl, warning } = address.value;
  const { environment, key, owner } = account.value;
  const shared = await sources.checkAccount();
  const notes = [
    ...(warning === undefined ? [] : [warning]),
    ...(shared.length > 0 ? shared : otherAddresses(owner, journal)),
  ];
  const found = checkOf('profile', {
    name,
    source,
    environment,
    base_url: baseUrl,
    key,
    key_source: keySource,
  });
  const message = `${name}, ${profileSourceInWords(source)}: ${environment}, ${baseUrl}, key ${key}.`;
  return notes.length === 0 ? found('pass', message) : found('warn', message, notes);
}

/** Without profiles: base URLs at which the same key has traded lately. */
function otherAddresses(owner: AccountIdentity, journal: Answered<JournalState>): readonly string[] {
  if ('error' in journal || owner.key_fingerprint === null) return [];
  const others = journal.value.current
    .map(({ intent }) => intent.identity)
    .filter(
      ({ key_fingerprint: key, base_url: at }) => key === owner.key_fingerprint && at !== owner.base_url,
    );
  return [...new Set(others.map(({ base_url: at }) => at))].map(
    (at) =>
      `The same API key was used at ${at}. If both lead to one service, limits, open actions and deal IDs are not shared: use one base URL.`,
  );
}

async function checkDns(where: ServiceAddress, clock: Clock): Promise<Check> {
  const { host } = where;
  const found = checkOf('dns', { host });
  if (/^[\d.]+$|:/.test(host)) return found('pass', `${host} is an IP address: no lookup needed.`);
  if (where.proxy() !== undefined) return found('pass', `The proxy resolves ${host}.`);
  return checkAddresses(host, await within(clock, DNS_MS, () => where.lookUp()));
}
