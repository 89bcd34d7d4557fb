/**
 * Connects to a service with all that this machine keeps for that: whom it trusts, TLS sessions, and what the service
 * told others with the same key. Knows no profile and no book.
 */

import { rateLimitStateIn } from '../cache/rate-limit-state.ts';
import { tlsSessionsIn } from '../cache/tls-sessions.ts';
import { type ConnectionOptions, connect } from '../client/connect.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import { addedCertificates } from '../config/ca-file.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { type AccountIdentity, keyText } from '../journal/account-identity.ts';
import type { Progress } from '../terminal/progress.ts';
import type { DeskParts } from './parts.ts';

type Trusting = Pick<ConnectionOptions, 'ca' | 'roots' | 'sessions'>;

export interface Connections {
  /** `owner`: whose account it is. Opens no connection yet. */
  connectTo: (to: { baseUrl: string; key: ApiKey; owner: AccountIdentity; trust: Trusting }) => HedgeApi;
  /** Node's authorities and those that the operator added, and the sessions that they vouched for. */
  trusting: (profileFile: string | undefined) => Trusting;
  closeAll: () => Promise<void>;
}

export function connectionsOf(parts: DeskParts, progress: Pick<Progress, 'start'>): Connections {
  const { terminal, signals, machine, settings, globals } = parts;
  const { clock, random } = machine;
  const closers: (() => Promise<void>)[] = [];
  return {
    connectTo({ baseUrl, key, owner, trust }) {
      progress.start('Asking the service');
      const connection = connect({
        baseUrl,
        key,
        clock,
        random,
        signal: signals.signal,
        userAgent: `hedge/${parts.version}`,
        proxy: settings.proxy,
        slowDown: rateLimitStateIn(parts.places(), machine, keyText(owner)),
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
        ? tlsSessionsIn(parts.places(), machine, `${parts.runtime.node} ${parts.runtime.openssl}`)
        : undefined,
    }),
    async closeAll() {
      for (const close of closers.toReversed()) await close();
    },
  };
}
