/** Bare `hedge` as a person reads it. */
import { ENVIRONMENT_GLOSS } from '../../domain/vocabulary.ts';
import { type Block, type Cell, line, text } from '../blocks.ts';
import type { SelectedProfile } from './profiles.ts';

export interface Home {
  version: string;
  /** Undefined when nothing selects a profile yet. */
  selected: SelectedProfile | undefined;
}

const WITH_PROFILE: readonly (readonly [string, string])[] = [
  ['hedge markets', 'what can be dealt, and at what carry'],
  ['hedge quote USDTNGN buy 10000', 'what a hedge would cost, tenors side by side'],
  ['hedge positions', 'what is open, and what closing it would return'],
  ['hedge --help', 'every command'],
];

const WITHOUT_PROFILE: readonly (readonly [string, string])[] = [
  ['hedge --profile practice quote USDTNGN buy 10000', 'a quote on the practice desk: no money, no key'],
  ['hedge --profile practice markets', 'what can be dealt there'],
  ['hedge profile add desk --base-url https://…', 'your own key, read from a hidden prompt'],
  ['hedge --help', 'every command'],
];

export function viewHome({ version, selected }: Home): readonly Block[] {
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
