/**
 * Several hedges under one reference: each deal has a reference of its own, so that one of them is a second deal, or
 * somebody else's. Named by every command that reads them. Pure.
 */
import type { Hedge } from '../../client/schemas.ts';
import { unquoted } from '../../domain/quoted.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { OutcomeUnknownError } from '../../errors.ts';

/** As half a sentence. */
export const severalInWords = (reference: string, ids: readonly string[]): string =>
  `${ids.length.toString()} hedges carry the reference ${unquoted(reference)}: ${ids.map(unquoted).join(', ')}`;

/** Undefined where no more than one stands: an order that failed is dealt again under its reference. */
export function severalUnder(reference: string, hedges: readonly Hedge[]): OutcomeUnknownError | undefined {
  const standing = hedges.filter(
    ({ client_reference: carried, status }) => carried === reference && status !== 'failed',
  );
  if (standing.length < 2) return undefined;
  const ids = standing.map(({ id }) => id);
  return new OutcomeUnknownError({
    what: `UNKNOWN: ${severalInWords(reference, ids)}.`,
    book: 'One of them is a second deal, or was dealt elsewhere. Do not deal it again.',
    hint: `See them: hedge hedges ${shellWord(reference)}. If one is too many, reduce or close.`,
    details: { client_reference: reference, hedge_ids: ids },
  });
}
