/** Connects to a service with this machine's CA certificates, TLS sessions and rate-limit state. */
import { openRateLimitState } from '../cache/rate-limit-state.ts';
import { bareWords } from '../cli/global-options.ts';
import { type ConnectionOptions, connect } from '../client/connect.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import { addedCertificates } from '../config/ca-file.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { type AccountIdentity, keyText } from '../journal/account-identity.ts';
import { tlsSessionStore } from '../startup/tls-session-store.ts';
import type { Progress } from '../terminal/progress.ts';
import type { CommandRuntime } from './runtime-context.ts';

type Trusting = Pick<ConnectionOptions, 'ca' | 'roots' | 'sessions'>;

export interface Connections {
  /** `owner`: the account. Connects with the first request. */
  connectTo: (to: { baseUrl: string; key: ApiKey; owner: AccountIdentity; trust: Trusting }) => HedgeApi;
  /** Node's CA certificates, those of the operator, and the TLS sessions verified by them. */
  trusting: (profileFile: string | undefined) => Trusting;
  closeAll: () => Promise<void>;
}

export function createConnections(parts: CommandRuntime, progress: Pick<Progress, 'start'>): Connections {
  const { terminal, signals, machine, settings, globals } = parts;
  const { clock, random } = machine;
  const closers: (() => Promise<void>)[] = [];
  return {
    connectTo({ baseUrl, key, owner, trust }) {
      progress.start('Contacting the service');
      const connection = connect({
        baseUrl,
        key,
        clock,
        random,
        signal: signals.signal,
        userAgent: `hedge/${parts.version}`,
        proxy: settings.proxy,
        pooled: isLongConversation(parts.argv),
        rateLimit: openRateLimitState(parts.places(), machine, keyText(owner)),
        ...trust,
        ...(globals.verbose ? { trace: (line: string) => terminal.writeNote(line) } : {}),
      });
      closers.push(() => connection.close());
      return connection.api;
    },
    trusting: (profileFile) => ({
      ca: addedCertificates({ profile: profileFile, hedge: settings.caFile, node: settings.extraCaCerts }),
      roots: true,
      sessions: settings.keepsTlsSessions
        ? tlsSessionStore(parts.places(), machine, `${parts.runtime.node} ${parts.runtime.openssl}`)
        : undefined,
    }),
    async closeAll() {
      for (const close of closers.toReversed()) await close();
    },
  };
}

const LONG_COMMANDS: readonly unknown[] = ['watch', 'batch', 'wait'];

/** Commands that keep asking: undici keeps their connections. Single commands start faster with node:http. */
export function isLongConversation(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  return (
    LONG_COMMANDS.includes(bareWords(words)[0]) ||
    words.some((word) => word === '--watch' || word.startsWith('--watch='))
  );
}
