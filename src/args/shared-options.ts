/** Options that several commands have. */
import { containsKey, sanitize } from '../domain/sanitize.ts';
import { UsageError } from '../errors.ts';
import { isNot } from './operands.ts';
import { optionText, type RawInput } from './option.ts';

export const YES_OPTION = { flags: '-y, --yes', summary: 'skip the confirmation' } as const;

export const SAVE_OPTION = { flags: '--no-save', summary: 'do not record this reading in the journal' };
export const savesReading = ({ options }: RawInput): boolean => options['save'] !== false;

/** A person's words about an action, a halt or a manual outcome, kept in the journal and shown. */
export const NOTE_OPTION = {
  flags: '--note <text>',
  summary: 'note for the journal, never sent: "invoice 8841"',
} as const;

/** Screens show it whole. */
const LONGEST_NOTE = 300;

/** Undefined without one. @throws UsageError */
export function readNote(raw: RawInput): string | undefined {
  const note = optionText(raw, 'note')?.trim();
  if (note === undefined) return undefined;
  if (containsKey(note))
    throw new UsageError(
      'The note contains what looks like an API key, and it would be kept in the journal.',
      NOTE_EXAMPLE,
    );
  if (note === '' || Array.from(note).length > LONGEST_NOTE)
    throw new UsageError(`A note has 1 to ${LONGEST_NOTE} characters.`, NOTE_EXAMPLE);
  if (sanitize(note) !== note)
    throw isNot(note, 'a note (--note): it has line breaks or invisible characters', NOTE_EXAMPLE);
  return note;
}

const NOTE_EXAMPLE = '--note "invoice 8841"';
