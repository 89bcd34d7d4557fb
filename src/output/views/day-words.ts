/** A date as a person reads it, and what makes it no business day. */

import { weekdayOf } from '../../domain/business-days.ts';
import type { DayMarks } from '../../domain/maturity-ladder.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { MONTHS, WEEKDAYS } from '../../domain/zone-times.ts';
import { dimLine, type View } from '../blocks.ts';

/** `Mon 14 Dec`, with its year unless it is that of `now`. */
export function dateInWords(date: string, now = ''): string {
  const [year = '', month = '', day = ''] = date.split('-');
  const words = `${WEEKDAYS[weekdayOf(date)] ?? ''} ${Number(day)} ${MONTHS[Number(month) - 1] ?? ''}`;
  return now.startsWith(year) ? words : `${words} ${year}`;
}

/** `weekend`, `public holiday: Boxing Day` */
export const marksOf = ({ weekend, holiday }: DayMarks): readonly string[] => [
  ...(weekend ? ['weekend'] : []),
  ...(holiday === null ? [] : [`public holiday: ${spelledName(holiday)}`]),
];

/** `dates`: those that may be a holiday that follows the moon and is not known. */
export function islamicLine(dates: readonly string[]): View {
  const [first] = dates.toSorted();
  if (first === undefined) return [];
  return dimLine(
    `${dateInWords(first)} may be an Islamic holiday, which is declared days before: --holidays FILE`,
  );
}
