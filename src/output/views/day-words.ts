/** A date as a person reads it, and what makes it no business day. */
import { DECLARED_SPAN, weekdayOf } from '../../domain/business-days.ts';
import type { MaturityDay } from '../../domain/maturity-ladder.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { type Block, line, text } from '../blocks.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** `Mon 14 Dec`, with its year unless it is that of `now`. */
export function dateInWords(date: string, now = ''): string {
  const [year = '', month = '', day = ''] = date.split('-');
  const words = `${WEEKDAYS[weekdayOf(date)] ?? ''} ${Number(day).toString()} ${MONTHS[Number(month) - 1] ?? ''}`;
  return now.startsWith(year) ? words : `${words} ${year}`;
}

/** `weekend`, `public holiday: Boxing Day` */
export const marksOf = ({ weekend, holiday }: Omit<MaturityDay, 'date'>): readonly string[] => [
  ...(weekend ? ['weekend'] : []),
  ...(holiday === undefined ? [] : [`public holiday: ${spelledName(holiday)}`]),
];

/** If holidays that follow the moon are not known for a date that is shown. */
export const islamicLine = (): Block =>
  line(
    text(
      `Islamic holidays are known until ${dateInWords(DECLARED_SPAN.to)}; later ones are declared days before: --holidays FILE`,
      'dim',
    ),
  );
