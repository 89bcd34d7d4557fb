/** Builds the context that commands run in, each part once, when it is first used, and closes it. */

import type { OpenCommandContext } from '../cli/pipeline.ts';
import { placing } from '../cli/render-context.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { CandidateProfile, TradingHalt } from '../commands/command-context.ts';
import type { KeyPorts } from '../config/credentials.ts';
import { keyVault } from '../config/keychain.ts';
import { ENVIRONMENT_PAIR } from '../config/profile-names.ts';
import type { ProfileStore } from '../config/profiles.ts';
import { checkExpectation, readExpectation, resolveProfile, type Selection } from '../config/resolve.ts';
import type { FoundDesk } from '../desk/desk-of-account.ts';
import { shell as command, say } from '../domain/hint.ts';
import { once } from '../domain/once.ts';
import { redactArgv } from '../domain/sanitize.ts';
import { hasLiveRules } from '../domain/vocabulary.ts';
import { inZone } from '../domain/zone-times.ts';
import { CredentialError, nothingSent, type StoppedError } from '../errors.ts';
import { serviceIdentity } from '../journal/account-identity.ts';
import type { Journal } from '../journal/store/journal.ts';
import type { JournalAudit } from '../journal/verify.ts';
import { shiftedClock } from '../platform/clock.ts';
import type { Paths } from '../platform/paths.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { choosePrompter } from '../terminal/inquirer-prompter.ts';
import { chooseProgress } from '../terminal/progress.ts';
import type { TradingContext } from '../trading/trading-context.ts';
import { createConnections } from './connections.ts';
import { keySources, progressReporter } from './operator.ts';
import { hasDesk } from './own-desks.ts';
import { practiceLauncher } from './practice-launcher.ts';
import type { CommandRuntime, DeskRuntime } from './runtime-context.ts';
import { selectedAccount } from './selected-account.ts';

export function openCommandContext(given: CommandRuntime): OpenCommandContext {
  const { terminal, signals, settings, globals, env } = given;
  const { random } = given.machine;
  const clock = shiftedClock(given.machine.clock);
  const machine = { ...given.machine, clock };
  const connected: Parameters<DeskRuntime['disconnectAtEnd']>[0][] = [];
  const parts: DeskRuntime = { ...given, machine, disconnectAtEnd: (each) => void connected.push(each) };
  const progress = chooseProgress(terminal, clock);
  const practice = practiceLauncher(parts);
  const connections = createConnections(parts, progress);
  const { connectTo, trusting, closeAll } = connections;
  const { keychain } = parts;
  const keyPorts: KeyPorts = { clock, env, host: machine.host, keychain, signal: signals.signal };
  let headed = false;
  let actionPreviewed = false;
  let programs = 0;
  const zone = (): string => account.identity()?.zone ?? 'UTC';
  const noteFormat = () => ({ zone: zone(), now: clock.now(), iso: !terminal.stderr.isTTY });
  const reporter = progressReporter(terminal, { drawn: progress, clock, zone });

  const profiles = once(async (): Promise<ProfileStore> => {
    const { openProfiles } = await import('../config/profiles.ts');
    return openProfiles({ places: parts.places(), machine });
  });
  const storedProfiles = async () => (await profiles()).read();
  const selection = once(
    (): Promise<Selection> =>
      resolveProfile({ option: globals.profile, environment: settings, profiles: storedProfiles }),
  );
  const expected = () => readExpectation({ option: globals.expectEnv, variable: settings.expectEnv });

  const desk = once(async (): Promise<FoundDesk | undefined> => {
    if (!hasDesk(parts)) return undefined;
    const { accountDesk } = await import('./account-desk.ts');
    return accountDesk(parts, await selection());
  });

  const account = selectedAccount({
    practice,
    connections,
    keyPorts,
    selection,
    desk,
    storedProfiles,
    expected,
  });
  const { identity } = account;

  const ownJournal = once(async () => {
    const { openOwnJournal } = await import('./own-journal.ts');
    return openOwnJournal(parts, selection);
  });
  const journal = once(async (): Promise<Journal> => {
    const own = await ownJournal();
    await own.begin?.();
    return own;
  });
  const audit = async (): Promise<JournalAudit> => {
    const { openAudit } = await import('../journal/verify.ts');
    const own = openAudit({ places: parts.places(), machine });
    const places = await journalPlaces();
    return places.state === parts.places().state ? own : { ...openAudit({ places, machine }), own };
  };
  /** Paths of the selected account's journal; of this machine's journal without an account. */
  const journalPlaces = async (): Promise<Paths> => {
    const found = await desk().catch(() => undefined);
    if (found === undefined || found.member.state === 'joining') return parts.places();
    const { placesOfDesk } = await import('../desk/membership.ts');
    return placesOfDesk(parts.places(), found.member.name);
  };
  const tradingHalt: TradingHalt = {
    async halt(words) {
      const { haltTrading } = await import('./trading-halt.ts');
      return haltTrading(words, { parts, select: selection, selected: ownJournal });
    },
    async unhalt(words) {
      const { liftTradingHalt } = await import('./trading-halt.ts');
      await journal();
      return liftTradingHalt(words, { parts, journal: await ownJournal() });
    },
    async ofOtherProfiles() {
      const { haltOfOtherProfiles } = await import('./trading-halt.ts');
      return haltOfOtherProfiles(await ownJournal(), parts);
    },
  };
  /** It pulls while the service is read: a decision waits for it. */
  const startedJournal = async (): Promise<Journal> => {
    const own = await ownJournal();
    if (own.isTimed?.() === false) await own.begin?.();
    // The next question says why.
    else own.latest().catch(() => undefined);
    return own;
  };
  const readContext = async (from: () => Promise<Journal> = journal): Promise<ReadContext> => {
    const { api } = await account.open();
    const { identity: whose } = await account.knownOnDesk();
    const { timeOfDay } = await import('./time-of-day.ts');
    const ports = {
      clock,
      signal: signals.signal,
      progress: reporter,
      timeOfDay: timeOfDay(terminal, { clock, zone }),
      zone: zone(),
      isUnseen: parts.sendsNoAction,
    };
    return { ...ports, api, journal: await from(), identity: whose };
  };

  const selectionIfAny = () => selection().catch(ifNothingIsSelected);

  const opened: OpenCommandContext = {
    context: {
      program: { version: parts.version, ...parts.runtime },
      clock,
      progress,
      prompter: choosePrompter(terminal, signals.signal),
      printsDocument: globals.output.form !== 'table' || globals.output.query !== undefined,
      note(text, options) {
        if (!terminal.quiet) terminal.writeNote(inZone(text, noteFormat()), options);
      },
      async show(blocks) {
        const { printBlocks } = await import('../cli/human-output.ts');
        progress.stop();
        const whose = identity();
        if (whose !== undefined) actionPreviewed = true;
        if (terminal.quiet && !terminal.canPrompt) return;
        // Under live rules the environment line precedes every question; elsewhere it is shown once.
        const isShown = headed && !(whose !== undefined && hasLiveRules(whose));
        headed ||= whose !== undefined;
        printBlocks(terminal, blocks, {
          identity: whose,
          headed: isShown,
          named: globals.profile,
          now: clock.now(),
          zone: (await opened.context.profileContext()).zone,
        });
      },
      async liner() {
        const { plainLines } = await import('../cli/human-output.ts');
        return (blocks) =>
          plainLines(terminal, blocks, { identity: identity(), named: globals.profile, now: clock.now() });
      },
      async untilStopped({ orInputCloses = false } = {}) {
        const stopped = signals.untilStopped();
        if (!orInputCloses) return stopped;
        const { inputCloses } = await import('../terminal/streams.ts');
        return Promise.race([stopped, inputCloses(terminal.streams.input)]);
      },
      async runProgram(argv, variables) {
        const { runChildProgram } = await import('./child-program.ts');
        programs += 1;
        const { signal } = signals;
        // Together with the address and the key, a profile would be a conflict.
        const { HEDGE_PROFILE: _profile, ...others } = env;
        const ended = runChildProgram(argv, {
          env: { ...others, ...variables },
          signal,
          onTerminal: terminal.stdin.isTTY,
        });
        return ended.finally(() => (programs -= 1));
      },
      profiles,
      selection,
      selectionIfAny,
      async profileContext() {
        const selected = await selection().catch(() => undefined);
        const kept =
          selected === undefined || selected.kind === 'pair' ? undefined : selected.profile.time_zone;
        const names = { named: globals.profile, selected: selected?.name };
        const implied = names.named === undefined ? names.selected : undefined;
        return { ...names, implied, expected: expected(), place: placing(names), zone: kept ?? 'UTC' };
      },
      api: async () => (await account.open()).api,
      prices: async () => (await account.open()).prices,
      earlyCloses: async () => (await account.open()).earlyCloses,
      async candidateApi({ baseUrl, key, caFile }: CandidateProfile) {
        checkExpectation(key.environment, expected());
        const { href } = parseBaseUrl(baseUrl);
        const owner = serviceIdentity(key.environment, { baseUrl: href, keyFingerprint: key.fingerprint });
        return connectTo({ baseUrl, key, owner, trust: trusting(caFile) });
      },
      journal,
      async journalOf(name) {
        if (!hasDesk(parts)) return journal();
        const selected = await resolveProfile({
          option: name,
          environment: settings,
          profiles: storedProfiles,
        });
        const { openOwnJournal } = await import('./own-journal.ts');
        const own = await openOwnJournal(parts, () => Promise.resolve(selected));
        await own.begin?.();
        return own;
      },
      audit,
      logComparison: async () => (await ownJournal()).compareWithLog?.(),
      async journalStore() {
        const { openJournalStore } = await import('./journal-store.ts');
        const follows = (await desk().catch(() => undefined))?.member;
        const places = await journalPlaces();
        return openJournalStore(parts, { select: selection, places, follows });
      },
      async watchedDesk() {
        if ((await desk())?.member.state !== 'following') return undefined;
        const { watchDesk } = await import('./follow-desk.ts');
        return watchDesk(await journal(), clock);
      },
      async deskStore() {
        const { openDeskStore } = await import('./desk-store.ts');
        return openDeskStore(parts, {
          selection,
          desk,
          journal: async () => {
            await journal();
            return ownJournal();
          },
          async account() {
            const { api, whose } = await account.open();
            // It chooses from this machine's own journal, which may have other accounts.
            const { identity: own } = await account.known();
            return { api, identity: own, profile: whose.profile };
          },
          asked: (message) => opened.context.prompter.confirm({ message, otherwise: '--yes' }),
          progress: (text) => progress.start(text),
        });
      },
      async operator() {
        const { recordedOperator } = await import('./own-journal.ts');
        return recordedOperator(parts, selection);
      },
      readContext: () => readContext(),
      async tradingContext({ pullsLater = false } = {}): Promise<Omit<TradingContext, 'confirm'>> {
        const { whose } = await account.open();
        const selectedDesk = await desk();
        const { limitsNow } = await import('./limits-now.ts');
        if (selectedDesk?.relation === 'unclear') throw accountOfDeskUnclear(whose.profile, selectedDesk);
        return {
          ...(await readContext(pullsLater ? startedJournal : journal)),
          random,
          writer: machine.host.self,
          environment: whose.environment,
          profile: whose.profile,
          accountUnclearWith: (await account.knownOnDesk()).unclearWith,
          limits: await limitsNow(await selection(), profiles),
          argv: redactArgv(parts.argv),
          expected: expected(),
          attended: terminal.canPrompt,
        };
      },
      keyFrom: keySources(terminal, keyPorts),
      async readInput(source) {
        const { readInput } = await import('./user-input.ts');
        return readInput(source, { input: terminal.streams.input, signal: signals.signal });
      },
      userFile: async (path) => (await import('./user-input.ts')).userFile(path, machine),
      async batch(intent) {
        const { openBatch } = await import('../cli/batch/open-batch.ts');
        const { signal } = signals;
        return openBatch(intent, {
          context: opened.context,
          input: terminal.streams.input,
          signal,
          argv: parts.argv,
          onScreen: terminal.stdout.isTTY && globals.output.form === 'table',
          isRead: () => !terminal.abandoned,
        });
      },
      async schemas(words) {
        const { schemasOf } = await import('../cli/help/command-schemas.ts');
        return schemasOf(words);
      },
      async serveTools() {
        const { serveToClient } = await import('./serve-tools.ts');
        return serveToClient(given, { opened, open: openCommandContext, connected: account.open });
      },
      async completion(shell) {
        const { completionScript } = await import('../cli/completion/scripts.ts');
        return completionScript(shell);
      },
      vault: keyVault({ profiles, keychain, random }),
      async diagnosticSources() {
        const { diagnosticSources } = await import('./diagnostic-sources.ts');
        const ports = {
          audit,
          journal,
          journalPlaces,
          desk,
          selection,
          openAccount: account.open,
          account: account.knownOnDesk,
          expected,
          practice,
          trusting,
        };
        return diagnosticSources(parts, ports);
      },
      tradingHalt,
      practice: practice.control,
      async agents() {
        const { agentControl } = await import('./agent-control.ts');
        return agentControl(parts, { selection, selectionIfAny, trusting });
      },
    },
    identity,
    headed: () => headed,
    actionPreviewed: () => actionPreviewed,
    runsProgram: () => programs > 0,
    async close() {
      for (const each of connected) each.disconnect();
      await closeAll();
      await practice.close();
    },
  };
  return opened;
}

const accountOfDeskUnclear = (profile: string, { member: { name, url } }: FoundDesk): StoppedError =>
  nothingSent({
    code: 'account_unclear',
    what: `Is the account of ${profile} that of desk ${name}? Its API key was not shown to be.`,
    hint: say`To show it: ${command`hedge desk join ${url} ${profile === ENVIRONMENT_PAIR ? [] : ['--profile', profile]}`}. If it is another account, label both: ${command`hedge profile set NAME --account LABEL`}`,
  });

function ifNothingIsSelected(error: unknown): undefined {
  if (error instanceof CredentialError && error.code === 'no_profile') return undefined;
  throw error;
}
