/** Bare `hedge`: profile, halt, pending actions, and what to do next. */
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import type { Halt } from '../../journal/halt.ts';
import type { JournalSummary } from '../../readings/read-journal.ts';
import { type Block, type Cell, line, text } from '../blocks.ts';
import { activeHaltDocument, viewActiveHalt } from './halt.ts';
import { damageDocument, journalDocument, viewDamage, viewUnresolved } from './journal.ts';
import type { SelectedProfile } from './profiles.ts';

export interface Home {
  version: string;
  /** Undefined when no profile is selected. */
  selected: SelectedProfile | undefined;
  /** Undefined: no halt. */
  halt: Halt | undefined;
  /** Of every profile on this machine. */
  journal: JournalSummary;
}

const WITH_PROFILE: readonly (readonly [string, string])[] = [
  ['hedge quote USDTNGN buy 10000', 'price a hedge for every tenor'],
  ['hedge open', 'open a hedge step by step; you confirm before it is sent'],
  ['hedge positions', 'open positions, and what closing returns'],
  ['hedge --help', 'all commands'],
];

const WITHOUT_PROFILE: readonly (readonly [string, string])[] = [
  ['hedge --profile practice quote USDTNGN buy 10000', 'a practice quote: no money, no key'],
  ['hedge --profile practice open', 'a practice hedge, step by step'],
  ['export HEDGE_PROFILE=practice', 'use the practice profile in this shell'],
  ['hedge profile add desk --base-url https://…', 'store your API key (hidden prompt)'],
  ['hedge profile use NAME', 'make a stored profile the default'],
  ['hedge --help', 'all commands'],
];

export const homeDocument = ({
  version,
  selected,
  halt,
  journal,
}: Home): Readonly<Record<string, unknown>> => ({
  version,
  selected: selected ?? null,
  halt: activeHaltDocument(halt),
  unresolved: journal.unresolved.map((action) => journalDocument(action, selected?.name)),
  in_flight: journal.inFlight.map((action) => journalDocument(action, selected?.name)),
  journal_damage: damageDocument(journal),
});

export function viewHome({ version, selected, halt, journal }: Home): readonly Block[] {
  const next = selected === undefined ? WITHOUT_PROFILE : WITH_PROFILE;
  return [
    line(text(`hedge ${version}`, 'strong'), text('Price, open, increase, reduce and close naira hedges')),
    selected === undefined
      ? line(text('No profile selected. Choose one before trading.'))
      : line(
          text('Profile'),
          text(selected.name, 'strong'),
          ...whereTo(selected),
          text(`(${selected.why})`, 'dim'),
        ),
    ...(halt === undefined ? [] : viewActiveHalt(halt)),
    ...viewUnresolved(journal.unresolved, 'unresolved', selected?.name),
    ...viewUnresolved(journal.inFlight, 'in flight', selected?.name),
    ...viewDamage(journal),
    { kind: 'gap' },
    {
      kind: 'pairs',
      pairs: next.map(([command, shows]) => ({ name: command, value: [text(shows, 'dim')] })),
    },
  ];
}

function whereTo({ environment }: SelectedProfile): readonly Cell[] {
  if (environment === undefined) return [text('· environment unknown until its key command runs')];
  return [text(`· ${environment.toUpperCase()}`, 'strong'), text(ENVIRONMENT_GLOSS[environment])];
}
