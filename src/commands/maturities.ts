/** `hedge maturities`: a ladder, a list and a calendar file. */

import { readMaturitiesIntent } from '../args/maturity-options.ts';
import { hasPastEvents, type KeptCalendar } from '../domain/calendar-events.ts';
import { quoted } from '../domain/quoted.ts';
import { type OutputError, UsageError } from '../errors.ts';
import {
  maturityEvents,
  maturityList,
  maturityNotes,
  type WrittenCalendar,
} from '../output/views/maturities.ts';
import { unfinishedRollDocument } from '../output/views/unfinished-rolls.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { rollsOf } from '../readings/read-journal.ts';
import { closedByAction, type MaturitiesReading, readMaturities } from '../readings/read-maturities.ts';
import type { CommandContext } from './command-context.ts';
import { defineCommand } from './define.ts';
import { HOLIDAYS_OPTION, holidaysFrom } from './holidays-file.ts';

export const maturities = defineCommand({
  name: 'maturities',
  summary: 'Show when open hedges mature, by day and hour, and write a calendar file',
  description:
    "Days, hours, weekends and Nigerian public holidays are those of the profile's time zone (default UTC). A business morning begins at 08:00 of a day from Monday to Friday that is no holiday. --holidays names your own file of holidays, one 2027-03-10,Id el Fitr a line. --ics writes a calendar file; the same file again updates its events. Unfinished rolls are listed below. More: hedge help treasury.",
  options: [
    {
      flags: '--within <time>',
      summary: 'only maturities from now until then: 7d, 12h',
      completes: { words: ['1d', '3d', '7d', '12h'] },
    },
    { flags: '--ics <file>', summary: 'write or update a calendar file (RFC 5545)', completes: 'files' },
    HOLIDAYS_OPTION,
  ],
  examples: [
    { line: 'hedge maturities', shows: 'the ladder of all open hedges' },
    { line: 'hedge maturities --within 1d', shows: 'what settles within a day' },
    { line: 'hedge maturities --ics maturities.ics', shows: 'a calendar file; again: updated' },
    {
      line: 'hedge maturities --query data.derived.before_next_business_morning.buy_usd',
      shows: 'bought USD that settle before the next business morning',
    },
    { line: 'hedge maturities --csv', shows: 'one hedge a line, for a spreadsheet' },
  ],
  inBatch: 'reading',
  read: readMaturitiesIntent,
  async run(context, intent) {
    const { zone, selected } = await context.profileContext();
    const holidays = await holidaysFrom(context, intent.holidays);
    const kept = intent.ics === undefined ? undefined : await calendarAt(context, intent.ics);
    const readContext = await context.readContext();
    const { environment } = readContext.identity;
    const whose = { profile: selected ?? '', environment };
    const reading = await readMaturities(readContext, intent, { zone, holidays });
    const times = { nowMs: context.clock.now(), servedMs: reading.servedAt.getTime() };
    const rolls = rollsOf(readContext, times, reading.open);
    const calendar =
      kept === undefined
        ? undefined
        : await writeCalendar({ context, readContext }, reading, { ...kept, whose });
    return {
      value: { reading, rolls, calendar: calendar?.written },
      servedAt: reading.servedAt,
      meta: {
        covers: reading.covers,
        unfinished_rolls: rolls?.chains.map((chain) => unfinishedRollDocument(chain)) ?? null,
        ...(rolls?.trouble === undefined ? {} : { trouble: rolls.trouble }),
        ...(calendar === undefined ? {} : { ics: calendar.written ?? null }),
      },
      notes: maturityNotes(reading),
      finding: calendar?.failure,
    };
  },
  list: maturityList,
});

interface CalendarTarget {
  path: string;
  /** Undefined: a new file. */
  before: KeptCalendar | undefined;
}

/** Before any request. @throws UsageError for a file that hedge did not write. */
async function calendarAt(context: CommandContext, path: string): Promise<CalendarTarget> {
  const text = (await context.userFile(path)).read();
  if (text === undefined) return { path, before: undefined };
  const { readCalendar } = await import('../output/calendar-file.ts');
  const before = readCalendar(text);
  if (before !== undefined) return { path, before };
  throw new UsageError(
    `${quoted(path)} is not a calendar file of hedge.`,
    'Nothing was written. Use another name: --ics FILE',
  );
}

async function writeCalendar(
  { context, readContext: { api, signal } }: { context: CommandContext; readContext: ReadContext },
  reading: MaturitiesReading,
  { path, before, whose }: CalendarTarget & { whose: { profile: string; environment: string } },
): Promise<{ written?: WrittenCalendar; failure?: OutputError }> {
  const { updateCalendar } = await import('../output/calendar-file.ts');
  const name = `hedge maturities: ${whose.profile} (${whose.environment})`;
  if (before !== undefined && before.name !== name)
    throw new UsageError(
      `${quoted(path)} is the calendar of another account: ${quoted(before.name)}.`,
      'Nothing was written. Use one file per profile: --ics FILE',
    );
  const servedMs = reading.servedAt.getTime();
  const isPast = before !== undefined && hasPastEvents(before, servedMs);
  const { text, ...counts } = updateCalendar(before, {
    name,
    events: maturityEvents(reading.maturing, whose),
    ended: maturityEvents(reading.ended, whose),
    open: reading.covers.maybe_truncated ? undefined : reading.open.map(({ id }) => id),
    closed: isPast ? closedByAction((await api.history({ signal })).data) : [],
    servedMs,
    nowMs: context.clock.now(),
  });
  const words = { kind: 'calendar file', option: '--ics', meaning: 'Nothing was changed.' };
  const failure = (await context.userFile(path)).write(text, words);
  return failure === undefined ? { written: { path, ...counts } } : { failure };
}
