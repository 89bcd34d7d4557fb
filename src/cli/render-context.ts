/** Per-invocation render context. */
import type { Environment } from '../domain/vocabulary.ts';
/** Known once a profile was selected. */
export interface ProfileIdentity {
  profile: string;
  environment: Environment;
  /** IANA zone for people; documents are always UTC. */
  zone: string;
}

export interface RenderContext {
  /** The command as typed, `profile add`; empty until it is known. */
  command: string;
  aside: string | undefined;
  identity: ProfileIdentity | undefined;
  /** The profile of `--profile`; next commands name it too. */
  named: string | undefined;
  /** The environment line is on standard error already. */
  headed: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}
