/**
 * Every command of `hedge`, one line each, in the order help shows them. A command's file is loaded only
 * when it is the one that was typed.
 */
import type { Command, CommandGroup } from './define.ts';
export interface RegistryLine {
  name: string;
  group: 'Look' | 'Deal' | 'Book' | 'Settings and practice';
  summary: string;
  load(): Promise<Command | CommandGroup>;
}

export const REGISTRY: readonly RegistryLine[] = [
  {
    name: 'markets',
    group: 'Look',
    summary: 'what can be dealt: status, mid, capacity and carry per side',
    load: async () => (await import('./markets.ts')).markets,
  },
  {
    name: 'price',
    group: 'Look',
    summary: 'indicative mid of one market, several, or all of yours',
    load: async () => (await import('./price.ts')).price,
  },
  {
    name: 'quote',
    group: 'Look',
    summary: 'what a hedge would cost, all in; every tenor side by side',
    load: async () => (await import('./quote.ts')).quote,
  },
  {
    name: 'watch',
    group: 'Look',
    summary: 'one screen for the corner of a desk',
    load: async () => (await import('./watch.ts')).watch,
  },
  {
    name: 'open',
    group: 'Deal',
    summary: 'opens a hedge; on a terminal, missing parts are asked for',
    load: async () => (await import('./open.ts')).open,
  },
  {
    name: 'add',
    group: 'Deal',
    summary: 'adds notional to the open hedge on a side; the maturity stays',
    load: async () => (await import('./add.ts')).add,
  },
  {
    name: 'reduce',
    group: 'Deal',
    summary: 'takes notional off a side: an amount, a part, or down to a size',
    load: async () => (await import('./reduce.ts')).reduce,
  },
  {
    name: 'close',
    group: 'Deal',
    summary: 'closes everything on a side; shows what comes back first',
    load: async () => (await import('./close.ts')).close,
  },
  {
    name: 'check',
    group: 'Deal',
    summary: 'looks at what is unresolved or in flight; sends nothing',
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'resume',
    group: 'Deal',
    summary: 'settles an action: looks, then asks before sending it again',
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'wait',
    group: 'Deal',
    summary: 'waits for the end of an action or a hedge',
    load: async () => (await import('./wait.ts')).wait,
  },
  {
    name: 'batch',
    group: 'Deal',
    summary: 'many command lines, one document a line; safe to run again',
    load: async () => (await import('./batch.ts')).batch,
  },
  {
    name: 'halt',
    group: 'Deal',
    summary: 'stops opens and adds from this machine; reduce and close go on',
    load: async () => (await import('./halt.ts')).halt,
  },
  {
    name: 'unhalt',
    group: 'Deal',
    summary: 'lifts the halt',
    load: async () => (await import('./unhalt.ts')).unhalt,
  },
  {
    name: 'hedges',
    group: 'Book',
    summary: 'the hedges of this account, newest first, or one of them',
    load: async () => (await import('./hedges.ts')).hedges,
  },
  {
    name: 'history',
    group: 'Book',
    summary: 'closed hedges with realised P&L, carry and fees',
    load: async () => (await import('./history.ts')).history,
  },
  {
    name: 'positions',
    group: 'Book',
    summary: 'what is open per side, and what closing it now would return',
    load: async () => (await import('./positions.ts')).positions,
  },
  {
    name: 'account',
    group: 'Book',
    summary: 'free balance, margin in use, exposure and headroom',
    load: async () => (await import('./account.ts')).account,
  },
  {
    name: 'journal',
    group: 'Book',
    summary: 'what was sent from this machine, and what became of it',
    load: async () => (await import('./journal/index.ts')).journal,
  },
  {
    name: 'profile',
    group: 'Settings and practice',
    summary: 'keys and base addresses: add, list, show, use, limit, remove',
    load: async () => (await import('./profile/index.ts')).profile,
  },
  {
    name: 'practice',
    group: 'Settings and practice',
    summary: 'the practice desk on this machine: time, weather, books, serve',
    load: async () => (await import('./practice/index.ts')).practice,
  },
  {
    name: 'doctor',
    group: 'Settings and practice',
    summary: 'looks at everything that dealing rests on, and says what to mend',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'api',
    group: 'Settings and practice',
    summary: "a request in the service's own words, for what has no command yet",
    load: async () => (await import('./api.ts')).api,
  },
  {
    name: 'completion',
    group: 'Settings and practice',
    summary: 'print the completion script for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completion,
  },
];

/** `hedge --version`, where it is not answered at once. */
export const loadVersion = async (): Promise<Command> => (await import('./version.ts')).version;

/** Bare `hedge`. */
export const loadHome = async (): Promise<Command> => (await import('./home.ts')).home;
