/** What a lookup says of the journal at the end of its segment; and its terms, replaced when a part of it is damaged. */
import type { Lookup } from './lookup.ts';
import type { FileMark } from './own-files.ts';
import { readSnapshot, type Snapshot, snapshotText } from './snapshot.ts';
import { DamagedLookup } from './sorted-entries.ts';
import type { Terms } from './terms.ts';

/** The text in a lookup: the mark of the segment, and what was known of the journal at its end. */
export const summaryText = (snapshot: Snapshot, mark: FileMark): string =>
  `${JSON.stringify(mark)}\n${snapshotText(snapshot)}`;

/** Undefined for one of another version. @throws DamagedLookup */
export function readSummary(lookup: Lookup): { snapshot: Snapshot; mark: FileMark } | undefined {
  const text = lookup.summary();
  const [head = '', rest = ''] = text.split('\n');
  const snapshot = readSnapshot(rest);
  const mark: FileMark = JSON.parse(head);
  return snapshot && { snapshot, mark };
}

/** Uses the segment itself when the lookup turns out to be damaged. */
export function guarded(lookup: Lookup, again: () => Terms): Terms {
  const trying = <T>(read: (terms: Terms) => T): T => {
    try {
      return read(lookup);
    } catch (error) {
      if (error instanceof DamagedLookup) return read(again());
      throw error;
    }
  };
  return {
    find: (wanted) => trying((terms) => terms.find(wanted)),
    shared: (id) => trying((terms) => terms.shared(id)),
    idsFrom: (prefix) => trying((terms) => terms.idsFrom(prefix)),
  };
}
