/** The operator's own public holidays: `--holidays FILE`. */
import { readHolidays } from '../args/maturity-options.ts';
import type { Holiday } from '../domain/business-days.ts';
import type { CommandContext } from './command-context.ts';

export const HOLIDAYS_OPTION = {
  flags: '--holidays <file>',
  summary: 'your own public holidays: date,name',
  completes: 'files',
} as const;

/** Undefined without a file. @throws UsageError */
export async function holidaysFrom(
  context: CommandContext,
  path: string | undefined,
): Promise<readonly Holiday[] | undefined> {
  if (path === undefined) return undefined;
  const file = await context.userFile(path);
  return readHolidays(file.readGiven('--holidays', 'One holiday a line: 2027-03-10,Id el Fitr'), path);
}
