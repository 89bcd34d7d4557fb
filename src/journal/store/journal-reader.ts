/** The journal's questions, each asked of the files as they are; where they are damaged, of what can still be read. */
import { once } from '../../domain/once.ts';
import { isOfHalt, isOfRoll, type JournalRecord, type Operator } from '../records.ts';
import type { IsRunning } from '../replay.ts';
import { mayRelax } from '../stamp.ts';
import type { DeskView, JournalSpan, JournalState, RecordedHalt } from '../state.ts';
import type { NumberedRecord } from '../summary.ts';
import type { JournalTrouble } from '../trouble.ts';
import { JournalDamage, type JournalDatabase } from './journal-database.ts';
import { JournalMoment } from './journal-moment.ts';
import { notIn, type Pending } from './pending-records.ts';
import { headOf } from './record-rows.ts';
import { numberedAfterAll, RecordSource } from './record-source.ts';

export interface ReaderParts {
  path: string;
  /** Undefined: there is none, or it cannot be opened. */
  db: JournalDatabase | undefined;
  waiting: Pending;
  /** Known before any question. */
  trouble: JournalTrouble | undefined;
  /** Set with a desk only. */
  desk?: DeskView | undefined;
  /** Set with a desk only: this user of this machine. */
  own?: Operator | undefined;
  isRunning: IsRunning;
  nowMs: number;
  /** The records that can still be read of a damaged database; called only if needed. */
  readable: () => readonly NumberedRecord[];
}

/** The number of actions on a screen. */
const PAGE = 20;

export function journalReader({ path, db, waiting, desk, readable, ...parts }: ReaderParts): JournalState {
  let { trouble } = parts;
  let asked = db;
  let known: { moment: JournalMoment; head: number; pending: number } | undefined;

  const others = once((): JournalMoment => {
    const proven = trouble?.kind === 'damaged' ? readable() : [];
    return new JournalMoment(new RecordSource(undefined, [...proven, ...laterOf(waiting)]), parts);
  });

  /** The journal as it is now, in the caller's transaction. */
  function momentOf(of: JournalDatabase): JournalMoment {
    const head = headOf(of).seq;
    const more = laterOf(notIn(of, waiting));
    if (known?.head !== head || known.pending !== more.length)
      known = {
        moment: new JournalMoment(new RecordSource(of, more), parts),
        head,
        pending: more.length,
      };
    return known.moment;
  }

  function ask<T>(question: (moment: JournalMoment) => T): T {
    const of = asked;
    if (of === undefined) return question(others());
    try {
      return of.reading(() => question(momentOf(of)));
    } catch (error) {
      if (!(error instanceof JournalDamage)) throw error;
      trouble = { kind: 'damaged', path: error.path, what: error.what };
      asked = undefined;
      return question(others());
    }
  }

  /** Newest first, page by page as they are taken; `of`: undefined for a record that is not meant. */
  function* pages<T>(
    kinds: readonly JournalRecord['kind'][],
    span: JournalSpan = {},
    of: (numbered: NumberedRecord, moment: JournalMoment) => T | undefined,
  ): Generator<T> {
    const { from = '', until = '~' } = span;
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const page = ask((moment) =>
        moment.page(kinds, { ...span, before, most: PAGE }).map((each) => ({
          seq: each.seq,
          item: each.record.at >= from && each.record.at < until ? of(each, moment) : undefined,
        })),
      );
      for (const { item } of page) if (item !== undefined) yield item;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      before = last.seq;
    }
  }

  return {
    path,
    get trouble() {
      return trouble;
    },
    desk,
    get limits() {
      return ask((moment) => moment.limits);
    },
    get halt() {
      return ask((moment) => moment.halt);
    },
    get count() {
      return ask((moment) => moment.count);
    },
    get current() {
      return ask((moment) => moment.since());
    },
    get rolls() {
      return ask((moment) => moment.rolls);
    },
    find: (by) => ask((moment) => moment.find(by)),
    since: (at) => ask((moment) => moment.since(at)),
    openedOn: (...of) => ask((moment) => moment.openedOn(...of)),
    lastNotionals: (...of) => ask((moment) => moment.lastNotionals(...of)),
    recordsOf: (id) => ask((moment) => moment.recordsOf(id)),
    // The database's clock was asked: a record of another machine's wrong clock tells nothing about this one's.
    latestSince: (id) => (desk?.isReached === true ? undefined : ask((moment) => moment.latestSince(id))),
    newest: (span) =>
      pages(['intent'], span, ({ record }, moment) =>
        record.kind === 'intent' ? moment.withId(record.action_id) : undefined,
      ),
    halts: (span) => pages(['halt', 'unhalt'], span, haltOf),
    rollRecords: (span) =>
      pages(['roll', 'roll_end'], span, ({ record }) => (isOfRoll(record) ? record : undefined)),
    snapshots: (span) =>
      pages(['snapshot'], span, ({ record, seq }, moment) =>
        record.kind === 'snapshot' ? { record, hash: moment.hashAt(seq) } : undefined,
      ),
    hashOf: (id) => ask((moment) => moment.hashOf(id)),
  };
}

const laterOf = (waiting: Pending): readonly NumberedRecord[] =>
  numberedAfterAll(waiting.map(({ read }) => read));

function haltOf({ record, stamp }: NumberedRecord): RecordedHalt | undefined {
  if (!isOfHalt(record)) return undefined;
  const isRefused = record.kind === 'unhalt' && !mayRelax(stamp);
  return {
    ...record,
    ...(stamp === undefined ? {} : { login: stamp.login }),
    ...(isRefused ? { refused: true } : {}),
  };
}
