/** Bare `hedge` as a person reads it. */
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import type { Halt } from '../../journal/halt.ts';
import type { JournalSummary } from '../../readings/read-journal.ts';
import { type Block, type Cell, line, text } from '../blocks.ts';
import { standingHalt, viewStandingHalt } from './halt.ts';
import { viewDamage, viewUnresolved } from './journal.ts';
import { damageDocument, journalDocument } from './journal-document.ts';
import type { SelectedProfile } from './profiles.ts';
export interface Home {
  version: string;
  /** Undefined when nothing selects a profile yet. */
  selected: SelectedProfile | undefined;
  /** Undefined: opens and adds go on. */
  halt: Halt | undefined;
  /** Of every profile of this machine: what is unresolved is so wherever one looks from. */
  journal: JournalSummary;
}

const WITH_PROFILE: readonly (readonly [string, string])[] = [
  ['hedge quote USDTNGN buy 10000', 'what a hedge would cost, tenors side by side'],
  ['hedge open', 'deal one: asks for each part, shows it all, and asks before sending'],
  ['hedge positions', 'what is open, and what closing it would return'],
  ['hedge --help', 'every command'],
];

const WITHOUT_PROFILE: readonly (readonly [string, string])[] = [
  ['hedge --profile practice quote USDTNGN buy 10000', 'a quote on the practice desk: no money, no key'],
  ['hedge --profile practice open', 'a first deal there, step by step'],
  ['hedge profile add desk --base-url https://…', 'your own key, read from a hidden prompt'],
  ['hedge --help', 'every command'],
];

export const homeDocument = ({
  version,
  selected,
  halt,
  journal,
}: Home): Readonly<Record<string, unknown>> => ({
  version,
  selected: selected ?? null,
  halt: standingHalt(halt),
  unresolved: journal.unresolved.map((action) => journalDocument(action, selected?.name)),
  in_flight: journal.inFlight.map((action) => journalDocument(action, selected?.name)),
  journal_damage: damageDocument(journal),
});

export function viewHome({ version, selected, halt, journal }: Home): readonly Block[] {
  const next = selected === undefined ? WITHOUT_PROFILE : WITH_PROFILE;
  return [
    line(text(`hedge ${version}`, 'strong'), text('the terminal of an FX desk')),
    selected === undefined
      ? line(text('Profile: none yet. Nothing is dealt anywhere until you name one.'))
      : line(
          text('Profile'),
          text(selected.name, 'strong'),
          ...whereTo(selected),
          text(`(${selected.why})`, 'dim'),
        ),
    ...(halt === undefined ? [] : viewStandingHalt(halt)),
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
  if (environment === undefined) return [text('· environment known once its key command has run')];
  return [text(`· ${environment.toUpperCase()}`, 'strong'), text(ENVIRONMENT_GLOSS[environment])];
}
