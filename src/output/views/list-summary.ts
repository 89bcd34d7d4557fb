/** What a list covers, as lines under it: the span that was asked for, what was left out, what may be missing. */
import { spelledName } from '../../domain/sanitize.ts';
import type { FilteredCoverage } from '../../readings/filter-records.ts';
import type { ListCoverage } from '../../readings/find-hedges.ts';
import { type Block, type Cell, line, text } from '../blocks.ts';
/** Nothing where all that came is shown and no more is to be expected. `happened`: `opened`, `closed`. */
export function viewListSummary(covers: ListCoverage | FilteredCoverage, happened: string): readonly Block[] {
  const lines: readonly Block[] = [
    ...('of' in covers ? [spanLine(covers, happened)] : []),
    ...coverageInWords(covers).map((words) => line(text(words, 'dim'))),
  ];
  return lines.length === 0 ? [] : [{ kind: 'gap' }, ...lines];
}

/** From when to when the records of a sum go: not what was asked for, but what is in it. */
export function viewPeriod({ count, from, to }: ListCoverage, happened: string): readonly Block[] {
  if (count === 0) return [];
  const records = count === 1 ? '1 hedge' : `${count.toString()} hedges`;
  if (from === null || to === null)
    return [line(dim(`Of ${records}; when they were ${happened} did not come.`))];
  if (from === to) return [line(dim(`Of ${records}, ${happened}`), at(from), dim('.'))];
  return [line(dim(`Of ${records}, ${happened} from`), at(from), dim('to'), at(to), dim('.'))];
}

/** Of the journal: a file on this machine, of which the rest is to be had for the asking. */
interface JournalCovers extends ListCoverage {
  fitting: number;
}

/** Whether this is a document's `meta.covers`. */
export const isCoverage = (value: unknown): value is ListCoverage | FilteredCoverage | JournalCovers =>
  typeof value === 'object' && value !== null && 'maybe_truncated' in value;

/** What may be missing, in sentences that name no time. */
export function coverageInWords(covers: ListCoverage | FilteredCoverage | JournalCovers): readonly string[] {
  if ('fitting' in covers)
    return covers.maybe_truncated
      ? [`${covers.count.toString()} of the ${covers.fitting.toString()} that fit; all of them: --limit all`]
      : [];
  const lacking = 'of' in covers ? Object.entries(covers.lacking) : [];
  const came = ('of' in covers ? covers.of : covers.count).toString();
  return [
    ...lacking.map(([field, count]) => `Left out, because they came without ${field}: ${count.toString()}.`),
    ...(covers.maybe_truncated ? [`${came} came; the service may have more than this page.`] : []),
  ];
}

/** `2 of the 40 that came: closed from … on, before …; market USDTNGN; side buy.` */
function spanLine({ count, of, since, until, market, side }: FilteredCoverage, happened: string): Block {
  const parts: readonly (readonly Cell[])[] = [
    ...(since === null ? [] : [[dim(`${happened} from`), at(since), dim('on')]]),
    ...(until === null ? [] : [[dim(since === null ? `${happened} before` : 'before'), at(until)]]),
    ...(market === null ? [] : [[dim(`market ${spelledName(market)}`)]]),
    ...(side === null ? [] : [[dim(`side ${side}`)]]),
  ];
  const separated = parts.flatMap((part, index) => (index === 0 ? part : [dim(','), ...part]));
  return line(dim(`${count.toString()} of the ${of.toString()} that came:`), ...separated, dim('.'));
}

const dim = (words: string): Cell => text(words, 'dim');
const at = (instant: string): Cell => ({ kind: 'time', at: instant, style: 'minute', tone: 'dim' });
