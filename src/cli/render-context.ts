/** Whose invocation it is, and what has been said of it: what every view and document stands in. Types alone. */
import type { Environment } from '../domain/vocabulary.ts';
/** Whose result this is: known once a profile was selected. */
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
  /** The profile of `--profile`: what to do next names it too. */
  named: string | undefined;
  /** The environment line stands on standard error already. */
  headed: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}
