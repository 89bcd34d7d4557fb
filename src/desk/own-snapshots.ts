/** Snapshots of the account, which no log of a desk has: they stay in the machine's own journal. */
import type { JournalSpan, JournalState } from '../journal/state.ts';
import type { Journal } from '../journal/store/journal.ts';
import type { JournalTrouble } from '../journal/trouble.ts';

/** `journal`: of the desk, or the copy of one that was left. `own`: of this machine. */
export function withOwnSnapshots<More>(journal: Journal & More, own: Journal): Journal & More {
  const withThem = (state: JournalState): JournalState => {
    let taken: JournalState | undefined;
    const snapshots: JournalState['snapshots'] = (span?: JournalSpan) => {
      taken = own.read();
      return taken.snapshots(span);
    };
    // Damage of the own journal is trouble of what was made of its snapshots, and of nothing else.
    const trouble = (): JournalTrouble | undefined =>
      state.trouble ?? (taken?.trouble && { ...taken.trouble, code: 'own_journal' });
    return Object.create(Object.prototype, {
      ...Object.getOwnPropertyDescriptors(state),
      snapshots: { value: snapshots, enumerable: true },
      trouble: { get: trouble, enumerable: true },
    });
  };
  return {
    ...journal,
    read: () => withThem(journal.read()),
    latest: async () => withThem(await journal.latest()),
    async append(records, guard) {
      if (!records.every(({ kind }) => kind === 'snapshot'))
        return withThem(await journal.append(records, guard));
      await own.append(records, guard);
      return withThem(journal.read());
    },
    close() {
      own.close();
      journal.close();
    },
  };
}
