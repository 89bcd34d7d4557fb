/** The coverage of a list, as lines below it: filters, hedges left out, and hedges that may be missing. */
import { spelledName } from '../../domain/sanitize.ts';
import { LARGEST_PAGE } from '../../domain/vocabulary.ts';
import type { FilteredCoverage, ListCoverage } from '../../readings/filter-records.ts';
import { type Block, dimLine, gap, line, type View } from '../blocks.ts';
import { type Cell, dimPhrase, text } from '../cells.ts';
import { countOf, time } from './record-columns.ts';

/** Empty if the list is complete. `happened`: `opened`, `closed`. */
export function viewListSummary(covers: ListCoverage | FilteredCoverage, happened: string): View {
  const words = coverageInWords(covers);
  const span = 'of' in covers && spanLine(covers, happened);
  return (span !== false || words.length > 0) && [gap, span, words.map(dimLine)];
}

/** The dates that the records of a sum cover. */
export function viewPeriod({ count, from, to }: ListCoverage, happened: string): View {
  if (count === 0) return [];
  const records = countOf(count, 'hedge');
  if (from === null || to === null) return dimLine(`${records}; the service sent no ${happened} times.`);
  if (from === to) return line(dimPhrase`${records}, ${happened} ${at(from)}.`);
  return line(dimPhrase`${records}, ${happened} from ${at(from)} to ${at(to)}.`);
}

/** Coverage of the journal, which --limit shows in full. `fitting`: null where older actions were not counted. */
interface JournalCovers extends ListCoverage {
  fitting: number | null;
}

/** Whether this is a document's `meta.covers`. */
export const isCoverage = (value: unknown): value is ListCoverage | FilteredCoverage | JournalCovers =>
  typeof value === 'object' && value !== null && 'maybe_truncated' in value;

/** Hedges that may be missing. */
export function coverageInWords(covers: ListCoverage | FilteredCoverage | JournalCovers): readonly string[] {
  if ('fitting' in covers)
    return covers.maybe_truncated ? [`${journalPart(covers)} Show all: --limit all`] : [];
  const lacking = 'of' in covers ? Object.entries(covers.lacking) : [];
  const { matching = covers.count } = covers;
  if (matching > covers.count)
    return [`${covers.count} of ${matching} matching hedges. Show all: leave out --limit.`];
  const came = ('of' in covers ? covers.of : covers.count).toString();
  return [
    ...lacking.map(([field, count]) => `Left out, no ${field}: ${count}.`),
    ...(covers.maybe_truncated ? [`${came} returned; the service may have more${wayToMore(covers)}`] : []),
  ];
}

const journalPart = ({ count, fitting }: JournalCovers): string =>
  fitting === null
    ? `Newest ${count} shown; older ones may match.`
    : `${count} of ${fitting} matching actions.`;

/** History takes no number of hedges (specification §8). */
function wayToMore({ limit }: ListCoverage): string {
  if (limit === undefined) return ', but takes no limit for history.';
  return limit < LARGEST_PAGE
    ? `. Ask for more: --limit ${LARGEST_PAGE}`
    : `. --limit ${limit} is the most: narrow with --status or --deal-id.`;
}

/** `2 of 40 hedges returned: closed from … on, before …, market USDTNGN, side buy.` */
function spanLine({ count, of, since, until, market, side }: FilteredCoverage, happened: string): Block {
  const parts = [
    since !== null && dimPhrase`${happened} from ${at(since)} on`,
    until !== null && dimPhrase`${since === null ? `${happened} ` : ''}before ${at(until)}`,
    market !== null && dimPhrase`market ${spelledName(market)}`,
    side !== null && dimPhrase`side ${side}`,
  ].filter((part) => part !== false);
  const separated = parts.map((part, index) => [index > 0 && text(',', 'dim'), part]);
  return line(dimPhrase`${count} of ${of} hedges returned: ${separated}.`);
}

const at = (instant: string): Cell => time(instant, 'minute', 'dim');
