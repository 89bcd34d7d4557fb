/** Rounding for display; documents keep every digit. */
import { Big } from 'big.js';

/** A tie goes away from zero, as people do when they check a figure by hand. */
export const roundHalfUp = (amount: Big, places: number): Big => amount.round(places, Big.roundHalfUp);
