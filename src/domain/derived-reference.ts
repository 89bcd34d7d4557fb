/** References that the program gives an open which has no deal id: how they look, so that none is taken for one. */

/** What they begin with: no desk's own deal id. */
export const REFERENCE_MARK = 'hedge-';
export const REFERENCE_DIGITS = 16;

/** Whether it was derived here, or looks so: no deal id of the desk's own. */
export const isDerivedReference = (reference: unknown): boolean =>
  typeof reference === 'string' && DERIVED_REFERENCE.test(reference);

const DERIVED_REFERENCE = new RegExp(`^${REFERENCE_MARK}[0-9a-f]{${REFERENCE_DIGITS.toString()}}$`);
