/**
 * One byte of the journal's files is another one. Each question then answers as before, or says that something is wrong with
 * the journal, or ends with 78: never another answer without a word. No deal goes out twice, no limit and no halt is passed,
 * and a close is recorded, or names the file that keeps it from it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DamagedFileError, StoppedError } from '../../src/errors.ts';
import { usedDealId } from '../../src/journal/queries.ts';
import type { IntentRecord } from '../../src/journal/records.ts';
import { actionById, type JournalState } from '../../src/journal/state.ts';
import type { Journal } from '../../src/journal/store/journal.ts';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { aQuarter, aQuarterOf, oneOfEach, SOAKING } from '../support/goal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { journalAt, placesIn } from './journal-at.ts';
import { DAY, deskRecords, questions, SNAPSHOTS, UNRESOLVED, USED } from './questions.ts';
import { anIntent, DESK, idOf, NOON } from './records.ts';

const FLIPS = SOAKING ? 20_000 : aQuarter(1_000);
const CHUNKS = 10;
const ASKED = questions();
/** They decide whether an order goes out. */
const DECISIVE =
  /^(?:the halt|what is current|unfinished rolls|all, newest first|the total of the day|deal ID .*)$/;
/** One of so many of the others after each flip. */
const OTHERS = SOAKING ? 1 : 3;
const LIMIT = 1_624_000;
const NAMES = ['journal.sqlite', 'journal.sqlite-wal', 'journal.head'] as const;
type Name = (typeof NAMES)[number];

/** The files of a journal that stands still, and its answers. */
interface Base {
  isHalted: boolean;
  files: ReadonlyMap<Name, Buffer>;
  answers: ReadonlyMap<string, string>;
  /** How the opens end. */
  ends: ReadonlyMap<string, string>;
}

const bases: Base[] = [];
const opened = (home: string): Journal => journalAt(home, () => NOON, { busyMs: 0 });

/** Most of it in the database, and the last appends in its log. */
async function baseOf(isHalted: boolean): Promise<Base> {
  const home = temporaryFolder(afterAll);
  const journal = opened(home);
  const appends = [...deskRecords({ isHalted, count: 48 }), ...SNAPSHOTS];
  for (const [index, records] of appends.entries()) {
    await journal.append(records);
    if (index !== appends.length - 5) continue;
    const db = openJournalDatabase(journal.path, testMachine().host);
    db?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db?.close();
  }
  execFileSync('cp', ['-a', join(home, 'state'), join(home, 'copy')]);
  const files = new Map(NAMES.map((name) => [name, readFileSync(join(home, 'copy', name))]));
  const answers = new Map([...ASKED].map(([name, ask]) => [name, textOf(ask(journal.read()))]));
  expect(journal.read().trouble).toBeUndefined();
  journal.close();
  const copy = written(temporaryFolder(afterAll), files);
  const ends = new Map<string, string>();
  for (const [what, records] of OPENS) ends.set(what, await endOf(copy, records));
  return { isHalted, files, answers, ends };
}

const textOf = (answer: unknown): string => JSON.stringify(answer) ?? 'nothing';

function written(home: string, files: ReadonlyMap<Name, Buffer>): Journal {
  const { state } = placesIn(home);
  mkdirSync(state, { mode: 0o700 });
  for (const [name, bytes] of files) writeFileSync(join(state, name), bytes, { mode: 0o600 });
  return opened(home);
}

/** As an open checks the journal before it is sent. @throws StoppedError */
function guard(
  state: JournalState,
  { deal_id: dealId = '', side, notional_usd: usd = '0' }: IntentRecord,
): void {
  const stops = [
    ['halted', state.halt !== undefined],
    ['used', usedDealId(state.find({ dealIds: [dealId] }), DESK, dealId) !== undefined],
    ['unresolved', side === 'sell' && state.current.some(({ id }) => id === UNRESOLVED)],
    ['limit', state.openedOn(DESK, DAY).plus(usd).gt(LIMIT)],
  ] as const;
  for (const [what, isStopped] of stops)
    if (isStopped) throw new StoppedError({ code: 'limit_exceeded', what });
}

const anOpen = (id: string, parts: Partial<IntentRecord>): readonly [IntentRecord] => [
  anIntent({
    action_id: idOf(id),
    idempotency_key: `k-${id}`,
    deal_id: `PAY-${id}`,
    notional_usd: '1',
    ...parts,
  }),
];
/** By what stops it; the last one is stopped by the halt alone. */
const OPENS: ReadonlyMap<string, readonly [IntentRecord]> = new Map([
  ['a used deal ID', anOpen('b001', { deal_id: USED })],
  ['an unresolved open', anOpen('b002', { side: 'sell' })],
  ['the limit of the day', anOpen('b003', { notional_usd: '50000' })],
  ['nothing but a halt', anOpen('b004', {})],
]);
const CLOSE: readonly [IntentRecord] = [
  anIntent({ action: 'close', action_id: idOf('c105'), idempotency_key: 'k-c' }),
];

/** `appended`, the guard's word, or `78`; the guard's word counts as 78 where the journal says that something is wrong. */
async function endOf(journal: Journal, [intent]: readonly [IntentRecord]): Promise<string> {
  let seen: JournalState | undefined;
  try {
    const state = await journal.append([intent], (view) => {
      seen = view;
      if (intent.action !== 'close') guard(view, intent);
    });
    return actionById(state, intent.action_id) === undefined ? 'lost' : 'appended';
  } catch (error) {
    if (error instanceof StoppedError) return seen?.trouble === undefined ? error.message : '78';
    if (!(error instanceof DamagedFileError)) throw error;
    return error.message.includes(dirname(journal.path)) ? '78' : `names no file: ${error.message}`;
  }
}

interface Flip {
  base: Base;
  name: Name;
  at: number;
  mask: number;
}

/** The same flips in every run: most in the database, some in its first page, in the log and in the witness. */
function flipOf(index: number): Flip {
  const { fraction } = seededRandom(index + 1);
  const random = (below: number): number => Math.floor(fraction() * below);
  const base = bases[index % bases.length] ?? expect.fail('no journal');
  const where = random(10);
  const name: Name = where < 6 ? 'journal.sqlite' : where < 9 ? 'journal.sqlite-wal' : 'journal.head';
  const length = base.files.get(name)?.length ?? 0;
  const at = where === 0 ? random(100) : where === 1 ? random(4_096) : random(length);
  return { base, name, at, mask: random(2) === 0 ? 1 << random(8) : 1 + random(255) };
}

/** Where a text is in the database. */
function placesOf({ files }: Base, text: string): readonly number[] {
  const bytes = files.get('journal.sqlite') ?? Buffer.of();
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) places.push(at);
  return places;
}

async function wrongAfter({ base, name, at, mask }: Flip): Promise<readonly string[]> {
  const home = temporaryFolder(() => undefined);
  const bytes = Buffer.from(base.files.get(name) ?? []);
  bytes[at] = (bytes[at] ?? 0) ^ mask;
  const journal = written(home, new Map([...base.files, [name, bytes]]));
  const wrong: string[] = [];
  const says = (what: string): void => {
    wrong.push(
      `${name} byte ${at.toString()} ^ ${mask.toString()}, halted: ${String(base.isHalted)}: ${what}`,
    );
  };
  try {
    for (const [index, [question, ask]] of [...ASKED].entries()) {
      if (!DECISIVE.test(question) && (index + at) % OTHERS !== 0) continue;
      const seen = answerTo(journal, ask);
      if (seen !== undefined && seen !== base.answers.get(question))
        says(`${question}: ${seen.slice(0, 300)} and not ${base.answers.get(question)?.slice(0, 300) ?? ''}`);
    }
    for (const [what, records] of OPENS) {
      const end = await endOf(journal, records);
      if (end !== '78' && end !== base.ends.get(what)) says(`an open despite ${what}: ${end}`);
    }
    const closed = await endOf(journal, CLOSE);
    if (closed !== 'appended' && closed !== '78') says(`a close: ${closed}`);
    return wrong;
  } catch (error) {
    says(`it ended with ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return wrong;
  } finally {
    journal.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Undefined where the journal says that something is wrong with it. */
function answerTo(journal: Journal, ask: (state: JournalState) => unknown): string | undefined {
  try {
    const state = journal.read();
    const answer = textOf(ask(state));
    return state.trouble === undefined ? answer : undefined;
  } catch (error) {
    if (error instanceof DamagedFileError) return undefined;
    throw error;
  }
}

beforeAll(async () => {
  bases.push(await baseOf(false), await baseOf(true));
});

describe('a journal of which one byte is another one', () => {
  it('stops the opens that it should, as long as it is whole', () => {
    expect(bases.map(({ ends }) => [...ends.values()])).toEqual([
      ['used', 'unresolved', 'limit', 'appended'],
      ['halted', 'halted', 'halted', 'halted'],
    ]);
  });

  it.each([
    ['a used deal ID', USED],
    ['its action', idOf('5ed0')],
    ['its key', 'k-5ed0'],
    ['its hedge', 'hdg_1"'],
    ['the action that is unresolved', UNRESOLVED],
    ['the roll', '3f9a1c2b'],
    ['the halt', 'aa00000000000001'],
    ['an amount', '50000'],
    ['the day before', '2026-11-19'],
    ['an account', 'partner.test'],
  ])(
    'answers as before, or says that something is wrong: wherever %s is in the database',
    async (_what, text) => {
      const wrong: string[] = [];
      for (const base of bases) {
        const flips = placesOf(base, text).flatMap((from) =>
          Array.from(
            { length: text.length },
            (_, index): Flip => ({ base, name: 'journal.sqlite', at: from + index, mask: 1 }),
          ),
        );
        for (const flip of SOAKING ? flips : aQuarterOf(oneOfEach(flips, 60)))
          wrong.push(...(await wrongAfter(flip)));
      }
      expect(wrong).toEqual([]);
    },
  );

  it.each(Array.from({ length: CHUNKS }, (_, chunk) => chunk))(
    'answers as before, or says that something is wrong: part %i',
    async (chunk) => {
      const wrong: string[] = [];
      for (let index = chunk; index < FLIPS; index += CHUNKS)
        wrong.push(...(await wrongAfter(flipOf(index))));
      expect(wrong).toEqual([]);
    },
  );
});
