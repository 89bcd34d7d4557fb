/** `hedge cover` */
import {
  COVER_EXAMPLE,
  type CoverIntent,
  DATE_ORDERS,
  readCoverIntent,
  readExposures,
  readPolicy,
} from '../args/cover-options.ts';
import { holidayTable } from '../domain/business-days.ts';
import { quoted } from '../domain/quoted.ts';
import { type OutputError, UsageError } from '../errors.ts';
import { coverList } from '../output/views/cover.ts';
import { dealsCsv, isDealsCsv } from '../output/views/cover-document.ts';
import { readCover } from '../readings/price-cover.ts';
import { type CoverReading, coverFinding } from '../readings/read-cover.ts';
import { roomOfLimits } from '../trading/size-action.ts';
import type { CommandContext } from './command-context.ts';
import { defineCommand } from './define.ts';
import { HOLIDAYS_OPTION, holidaysFrom } from './holidays-file.ts';

export const cover = defineCommand({
  name: 'cover',
  summary: 'Show how far open hedges cover a list of exposures, and the deals that are missing',
  description: [
    'Sends no action. EXPOSURES is CSV with the header id,due,ngn,direction,certainty: direction is receive or pay, certainty firm or forecast. --policy is JSON: { "buckets": [{ "from_days": 0, "to_days": 7, "min_pct": 60, "target_pct": 80, "max_pct": 100 }], "before_days": 1, "after_days": 1, "forecast_weight_pct": 50 }.',
    'Exit code 0: the deals, once open, bring every bucket inside its band. 11: one stays outside, and is named with what keeps it there (cover_incomplete). (!) marks a weekend or a public holiday. More: hedge help treasury.',
  ].join('\n\n'),
  operands: [{ name: 'EXPOSURES', summary: 'CSV file: id,due,ngn,direction,certainty', completes: 'files' }],
  options: [
    { flags: '--policy <file>', summary: 'JSON file: buckets of days with their bands', completes: 'files' },
    { flags: '--deals <file>', summary: 'write the deals as CSV', completes: 'files' },
    {
      flags: '--dates <order>',
      summary: 'dmy if 03/04/2026 is 3 April, mdy if it is 4 March',
      completes: { words: DATE_ORDERS },
    },
    HOLIDAYS_OPTION,
    { flags: '--market <market>', summary: 'needed if the account has several naira markets' },
  ],
  examples: [
    { line: 'hedge cover exposures.csv --policy policy.json', shows: 'coverage per bucket, and the deals' },
    {
      line: 'hedge cover exposures.csv --policy policy.json --deals cover.csv',
      shows: 'the deals as a file too',
    },
    {
      line: "hedge cover exposures.csv --policy policy.json --query 'data.derived.buckets[].coverage_pct'",
      shows: 'only the coverage, for a script',
    },
    {
      line: "hedge cover exposures.csv --policy policy.json --query 'data.derived.buckets[].status'",
      shows: 'below, inside or above now, whatever the deals would do',
    },
    {
      line: 'hedge cover exposures.csv --policy policy.json --csv',
      shows: 'one bucket a line, for a spreadsheet',
    },
  ],
  inBatch: 'reading',
  read: readCoverIntent,
  async run(context, intent) {
    const textOf = async (path: string, named: string): Promise<string> =>
      (await context.userFile(path)).readGiven(named, COVER_EXAMPLE);
    const policy = readPolicy(await textOf(intent.policy, '--policy'), intent.policy);
    const content = await textOf(intent.exposures, 'EXPOSURES');
    const file = readExposures(content, intent.exposures, intent.dates);
    await checkTarget(context, intent);
    const holidays = holidayTable(await holidaysFrom(context, intent.holidays));
    const { zone } = await context.profileContext();
    const trading = await context.tradingContext();
    const reading = await readCover(trading, {
      intent,
      exposures: file.exposures,
      policy,
      zone,
      holidays,
      maxNotional: trading.limits().maxNotional,
      earlyCloses: await context.earlyCloses(),
    });
    const { written, failure } = await writeDeals(context, reading);
    const finding = failure ?? coverFinding(reading);
    return {
      value: {
        reading,
        leftToday: reading.deals.length > 0 ? roomOfLimits(trading).today : undefined,
        file,
        written,
        isSaidLast: finding !== undefined,
      },
      servedAt: reading.servedAt,
      ...(intent.deals === undefined ? {} : { meta: { deals: written ?? null } }),
      finding,
    };
  },
  list: coverList,
});

/** Before any request. @throws UsageError for a file that is no deals file. */
async function checkTarget(context: CommandContext, { deals: path }: CoverIntent): Promise<void> {
  const before = path === undefined ? undefined : (await context.userFile(path)).read();
  if (path === undefined || before === undefined || isDealsCsv(before)) return;
  throw new UsageError(
    `${quoted(path)} is not a deals file of hedge cover.`,
    'Nothing was written. Use another name: --deals FILE',
  );
}

interface WrittenDeals {
  path: string;
  rows: number;
}

/** Not while the coverage is uncertain: what was written before stays. */
async function writeDeals(
  context: CommandContext,
  reading: CoverReading,
): Promise<{ written?: WrittenDeals; failure?: OutputError }> {
  const { deals: path } = reading.input.intent;
  if (path === undefined || reading.uncertain.length > 0) return {};
  const { text, rows } = dealsCsv(reading);
  const words = { kind: 'deals file', option: '--deals', meaning: 'Nothing was sent.' };
  const failure = (await context.userFile(path)).write(text, words);
  return failure === undefined ? { written: { path, rows } } : { failure };
}
