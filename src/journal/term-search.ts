/** Finds the places of terms in all segments: in the merged lookup, and one by one in the segments that are not in it. */
import type { Host } from '../platform/host.ts';
import { MergedLookup, type PlacedEntry } from './merged-lookup.ts';
import { isSameMark } from './own-files.ts';
import type { JournalLayout, Segment } from './segments.ts';
import { DamagedLookup } from './sorted-entries.ts';
import type { Terms, WantedTerm } from './terms.ts';

export class TermSearch {
  /** Part of the merged lookup is not as it was written: it is not used any more. */
  isDamaged = false;
  readonly #host: Host;
  /** Of a sealed segment. */
  readonly #termsOf: (segment: Segment, layout: JournalLayout) => Terms;
  #merged: { layout: JournalLayout; lookup: MergedLookup | undefined } | undefined;

  constructor(host: Host, termsOf: (segment: Segment, layout: JournalLayout) => Terms) {
    this.#host = host;
    this.#termsOf = termsOf;
  }

  /** Of sealed segments; undefined without one that can be used. @throws DamagedFileError */
  merged(layout: JournalLayout): MergedLookup | undefined {
    if (this.isDamaged || layout.kind !== 'segments') return undefined;
    if (this.#merged?.layout === layout) return this.#merged.lookup;
    const found = MergedLookup.open(layout.folder, this.#host);
    const lookup = found?.fits(layout.segments) === true ? found : undefined;
    this.#merged = { layout, lookup };
    return lookup;
  }

  /** The merged lookup was written or removed. */
  renewed(): void {
    this.#merged = undefined;
    this.isDamaged = false;
  }

  /** A lookup was written. */
  forget(): void {
    this.#merged = undefined;
  }

  /** Undefined without a merged lookup, or with one that is damaged. */
  #inMerged<T>(
    layout: JournalLayout,
    read: (merged: MergedLookup) => T,
  ): { merged: MergedLookup; found: T } | undefined {
    const merged = this.merged(layout);
    if (merged === undefined) return undefined;
    try {
      return { merged, found: read(merged) };
    } catch (error) {
      if (!(error instanceof DamagedLookup)) throw error;
      this.#merged = undefined;
      const now = this.merged(layout);
      if (now !== undefined && !isSameMark(now.mark, merged.mark)) return this.#inMerged(layout, read);
      this.isDamaged = now !== undefined;
      return undefined;
    }
  }

  /** How many sealed segments are searched one by one. */
  searchedSingly(layout: JournalLayout): number {
    const sealed = layout.segments.slice(0, -1).filter(({ hasLookup }) => hasLookup);
    const merged = this.merged(layout);
    return merged === undefined
      ? sealed.length
      : sealed.filter(({ number }) => !merged.covers(number)).length;
  }

  /**
   * In these segments of the layout, by segment. `own`: of the active one.
   * @throws DamagedFileError
   */
  find(
    wanted: readonly WantedTerm[],
    {
      layout,
      own,
      among = layout.segments,
    }: { layout: JournalLayout; own: Terms; among?: readonly Segment[] },
  ): readonly PlacedEntry[] {
    if (wanted.length === 0) return [];
    const active = layout.segments.at(-1);
    const merges = among.some((segment) => segment !== active);
    const { merged, found = [] } =
      (merges ? this.#inMerged(layout, (each) => each.find(wanted)) : undefined) ?? {};
    const numbers = new Set(among.map(({ number }) => number));
    const single = among
      .filter((segment) => segment === active || merged?.covers(segment.number) !== true)
      .flatMap((segment) => {
        const terms = segment === active ? own : this.#termsOf(segment, layout);
        return terms.find(wanted).map((each) => ({ ...each, segment: segment.number }));
      });
    return [...found.filter(({ segment }) => numbers.has(segment)), ...single].toSorted(
      (one, other) => one.segment - other.segment,
    );
  }

  /** Of actions, in all segments. @throws DamagedFileError */
  idsFrom(prefix: string, layout: JournalLayout, own: Terms): readonly string[] {
    const { merged, found = [] } = this.#inMerged(layout, (each) => each.sorted.idsFrom(prefix)) ?? {};
    return [...found, ...this.#singly(layout, own, merged).flatMap((terms) => terms.idsFrom(prefix))];
  }

  /** Leading digits that another action has in common with this ID; fewer than four may be none. @throws DamagedFileError */
  shared(id: string, layout: JournalLayout, own: Terms): number {
    const { merged, found = 0 } = this.#inMerged(layout, (each) => each.sorted.shared(id)) ?? {};
    return Math.max(found, ...this.#singly(layout, own, merged).map((terms) => terms.shared(id)));
  }

  /** Of the segments that are not in the merged lookup. */
  #singly(
    { segments, ...layout }: JournalLayout,
    own: Terms,
    merged: MergedLookup | undefined,
  ): readonly Terms[] {
    const active = segments.at(-1);
    return segments
      .filter((segment) => segment === active || merged?.covers(segment.number) !== true)
      .map((segment) => (segment === active ? own : this.#termsOf(segment, { ...layout, segments })));
  }
}
