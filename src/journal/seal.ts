/** Seals the active segment: its lookup is written, and the next segment begins. */
import { dirname } from 'node:path';
import { withAppendOnlyFile } from '../platform/append-only-file.ts';
import { writeAtomically } from '../platform/atomic-file.ts';
import type { Machine } from '../platform/host.ts';
import { finished, type JournalFiles } from './journal-files.ts';
import { tailEnd } from './lines.ts';
import { type Loaded, loadAppended, loadFromSegments } from './load-journal.ts';
import { lookupBytes, summaryText } from './lookup.ts';
import { MergedLookup, removeMerged } from './merged-lookup.ts';
import { clearDerived } from './own-files.ts';
import { baseFor, type Replayed } from './replay-segment.ts';
import { type Segment, segmentOf } from './segments.ts';
import { ENTRY_BYTES, TermList } from './terms.ts';

/** With the next segment active, which is empty and not on disk yet. The lookup is on disk on return. */
export function sealed(
  given: Loaded,
  files: JournalFiles,
  { machine, month }: { machine: Machine; month: string },
): Loaded {
  const loaded = ended(given, files, machine);
  const { layout, settled: snapshot, mark } = loaded;
  const active = layout.segments.at(-1);
  if (active === undefined || mark === undefined) throw new Error('there is no segment to seal');
  writeLookup(active, { ...loaded, terms: loaded.terms() }, machine);
  files.forget(active);
  const next = { ...segmentOf(layout.folder, active.number + 1, month), isHere: true };
  const base = baseFor(next, { snapshot, mark });
  const terms = new TermList();
  return {
    settled: base,
    seen: base,
    tail: 'ended',
    mark: undefined,
    terms: () => terms,
    termBytes: 0,
    path: next.path,
    isIndexed: false,
    onDisk: undefined,
    rebuilt: [],
    layout: { ...layout, segments: [...layout.segments.slice(0, -1), { ...active, hasLookup: true }, next] },
  };
}

/** The hash of a line that a crash cut is that of the line as it is ended. */
function ended(loaded: Loaded, files: JournalFiles, { host }: Machine): Loaded {
  if (loaded.tail === 'ended') return loaded;
  withAppendOnlyFile(loaded.path, host, (file) => file.append(tailEnd(loaded.tail)));
  return loadAppended(files, loaded) ?? finished(loadFromSegments(files, files.layout()));
}

/** What was found of a sealed segment. */
export function writeLookup(segment: Segment, replayed: Replayed, machine: Machine): void {
  const { settled, mark, terms } = replayed;
  if (mark === undefined) throw new Error('a segment without a file has no lookup');
  const facts = {
    entries: terms.bytes.length / ENTRY_BYTES,
    bytes: mark.bytes,
    lines: settled.lines,
    actions: settled.begun,
    latestMs: settled.latestMs,
    damaged:
      settled.damage.filter((each) => each.segment === segment.number).length +
      settled.orphans.filter((each) => each.segment === segment.number).length,
  };
  // It has what this lookup was before.
  const folder = dirname(segment.lookup);
  if (MergedLookup.open(folder, machine.host)?.covers(segment.number) === true) removeMerged(folder);
  clearDerived(segment.lookup, machine.host);
  writeAtomically(segment.lookup, lookupBytes(facts, summaryText(settled, mark), terms.bytes), machine);
}
