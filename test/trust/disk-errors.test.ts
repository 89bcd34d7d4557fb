/**
 * R3: a disk that fails at any change of a file, once or from then on. Before an action is sent: nothing leaves, and
 * the file is named. After: it ends as it ended, and what is not written down is said. A setting is the old or the new.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtBehind } from '../support/day/built-day.ts';
import {
  type Day,
  type DayHouse,
  type Disk,
  dayHouse,
  type Ended,
  NO_TROUBLE,
  newDay,
  type Program,
} from '../support/day/day.ts';
import {
  CALLS,
  type Injection,
  injecting,
  injectionsOf,
  injectionText,
  seenIn,
} from '../support/day/failing-database.ts';
import { actedUnder } from '../support/day/judge-wire.ts';
import { recordsIn, toldIn, troubleIn } from '../support/day/words.ts';
import { isDocument, told } from '../support/faults/fault-case.ts';
import { everyDay, expectHeld, spread } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';

const CODES = ['EIO', 'ENOSPC', 'EACCES', 'EROFS'] as const;
/** Of all cases of `npm run test:trust`, one in so many. */
const ONE_OF = 31;

const ACTIONS = [
  'open USDTNGN sell 1000 --tenor 3 --deal-id PAY-1',
  'add USDTNGN buy 5000',
  'reduce USDTNGN buy 4000',
  'close USDTNGN buy',
].map((line) => `${line} --yes --profile desk --json`.split(' '));

let house: DayHouse;
beforeAll(async () => {
  house = await dayHouse();
});
afterAll(() => house.close());

async function onADay<T>(
  body: (day: Day) => Promise<T>,
  program?: Program,
  begin?: Parameters<typeof newDay>[2],
): Promise<T> {
  const day = await newDay(house, program, begin);
  try {
    return await body(day);
  } finally {
    await day.close();
  }
}

/** Each way in which each change of a command can fail. */
function disksFor({ changes }: Ended): readonly (Disk & { on: string })[] {
  return changes.flatMap((on, index) =>
    CODES.flatMap((code) =>
      [false, true].flatMap((forEver) =>
        (on.startsWith('write') ? [false, true] : [false]).map((half) => ({
          at: index + 1,
          code,
          half,
          forEver,
          on,
        })),
      ),
    ),
  );
}

const textOf = ({ code, on, half, forEver }: Disk & { on: string }): string =>
  `${code} at ${on}${half ? ', half of it written' : ''}${forEver ? ', and from then on' : ''}`;

/** What must never be and was. */
const wrongWith = (words: readonly string[], disk: Disk & { on: string }, program?: Program) =>
  onADay((day) => judged(day, words, { disk, text: textOf(disk) }), program);

async function judged(
  day: Day,
  words: readonly string[],
  { disk, text }: { disk?: Disk; text: string },
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(`${words[0] ?? ''}, ${text}: ${what}`);
  };
  const keys = new Set<string>();
  const known = ({ key, body }: { key: string | undefined; body: string }): void => {
    keys.add(key ?? '');
    const isKept = recordsIn(day.journal.read()).some(
      (each) => each.idempotency_key === key && each.body === body,
    );
    must(isKept, 'it was sent, and is not in the journal');
  };
  const acted = (): number => [...keys].reduce((sum, key) => sum + actedUnder(day, key), 0);

  const { ran, sent } = await day.run(words, { ...NO_TROUBLE, disk }, { onSend: known });
  if (ran === undefined) return ['it died'];
  const document = toldIn(ran.out);
  if (document === undefined) return [`${text}: no document: ${told(ran)}`];
  const { error, actions } = document;
  if (ran.code === 78) {
    must(sent.length === 0 && acted() === 0, `exit 78, and it was sent: ${told(ran)}`);
    must(error?.effect === 'none' && error.code === 'damaged_file', `not told as it is: ${told(ran)}`);
    must(error?.message.includes(day.home) === true, `the file is not named: ${told(ran)}`);
  } else {
    // What is lost with a cache, or after the sending, is no reason to end otherwise.
    must(ran.code === 0 && actions[0]?.effect === 'done' && acted() === 1, `it ended so: ${told(ran)}`);
    const last = recordsIn(day.journal.read()).at(-1)?.kind;
    must(
      last === 'outcome' || ran.err.includes('is not in the journal'),
      `nobody says what is missing: ${told(ran)}`,
    );
  }

  const looked = await day.run(['check', '--profile', 'desk', '--json']);
  must(
    looked.ran !== undefined && isDocument(looked.ran) && looked.sent.length === 0,
    'a look afterwards failed',
  );
  for (const id of new Set(recordsIn(day.journal.read()).map((each) => each.action_id))) {
    const resumed = await day.run(
      ['resume', id, '--yes', '--resend', '--profile', 'desk', '--json'],
      NO_TROUBLE,
      { onSend: known },
    );
    must(resumed.ran?.code === 0, `not settled: ${resumed.ran === undefined ? '' : told(resumed.ran)}`);
  }
  const shown = await day.run(['journal', '--json']);
  must(
    shown.ran?.code === 0 && troubleIn(shown.ran.out) === undefined,
    `the journal: ${shown.ran?.out ?? ''}`,
  );
  if (keys.size === 0) {
    const again = await day.run(words, NO_TROUBLE, { onSend: known });
    must(
      again.ran?.code === 0,
      `it cannot be dealt afterwards: ${again.ran === undefined ? '' : told(again.ran)}`,
    );
  }
  must(keys.size === 1 && acted() === 1, `done ${String(acted())} times under ${String(keys.size)} keys`);
  return wrong;
}

describe('a disk that fails', () => {
  it('at any change of a file of an action lets nothing leave before it is kept, and loses nothing of it after', async () => {
    const wrong: string[] = [];
    let runs = 0;
    for (const words of ACTIONS) {
      const calm = await onADay((day) => day.run(words));
      expect(calm.ran?.code).toBe(0);
      expect(calm.changes.filter((on) => on.includes('state/journal.head')).length).toBeGreaterThan(4);
      const disks = spread(disksFor(calm), ONE_OF, 2);
      runs += disks.length;
      for (const disk of disks) wrong.push(...(await wrongWith(words, disk)));
    }
    expectHeld('R3 a disk that fails, at each change of a file', { runs, wrong });
  });

  it('at any change of a file of a setting leaves the old one, named, or the new one', async () => {
    const wrong: string[] = [];
    let runs = 0;
    for (const setting of SETTINGS) {
      const calm = await onADay(async (day) => {
        for (const line of setting.first) await day.run(line.split(' '));
        return day.run(setting.line.split(' '));
      });
      expect(calm).toMatchObject({ ran: { code: 0 }, changes: expect.arrayContaining([expect.any(String)]) });
      const disks = spread(disksFor(calm), ONE_OF, 2);
      runs += disks.length;
      for (const disk of disks) wrong.push(...(await wrongIn(setting, disk)));
    }
    expectHeld('R3 a disk that fails, at each change of a setting', { runs, wrong });
  });
});

interface Setting {
  line: string;
  /** What is set before. */
  first: readonly string[];
  file: string;
  /** Whether it is set, by the file's text; undefined: there is no file. */
  isSet(text: string | undefined): boolean;
}

const PROFILES_FILE = 'config/profiles.json';
/** Its text: the records, one a line. */
const JOURNAL = 'state/journal.sqlite';
const isHalted = (text = ''): boolean =>
  text
    .split('\n')
    .findLast((line) => /"kind":"(un)?halt"/.test(line))
    ?.includes('"kind":"halt"') ?? false;

const SETTINGS: readonly Setting[] = [
  {
    line: 'profile limit desk --max-notional 5000 --yes --json',
    first: [],
    file: PROFILES_FILE,
    isSet: (text = '') => text.includes('"max_notional_usd": "5000"'),
  },
  {
    line: 'profile use other-desk --json',
    first: [],
    file: PROFILES_FILE,
    isSet: (text = '') => text.includes('"default_profile": "other-desk"'),
  },
  {
    line: 'profile remove other-desk --yes --json',
    first: [],
    file: PROFILES_FILE,
    isSet: (text = '') => text.includes('"desk"') && !text.includes('"other-desk"'),
  },
  { line: 'halt drill --json', first: [], file: JOURNAL, isSet: (text) => isHalted(text) },
  {
    line: 'unhalt --yes --json',
    first: ['halt drill --json'],
    file: JOURNAL,
    isSet: (text) => !isHalted(text),
  },
];

const wrongIn = (setting: Setting, disk: Disk & { on: string }, program?: Program) =>
  onADay((day) => judgedSetting(day, setting, { disk, text: textOf(disk) }), program);

async function judgedSetting(
  day: Day,
  { line, first, file, isSet }: Setting,
  { disk, text, isArmed = () => undefined }: { disk?: Disk; text: string; isArmed?: () => void },
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(`${line}, ${text}: ${what}`);
  };
  const path = join(day.home, file);
  const read = (): string | undefined =>
    file === JOURNAL ? day.journal.read() : existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  for (const each of first) await day.run(each.split(' '));
  const before = read();
  isArmed();
  const { ran } = await day.run(line.split(' '), { ...NO_TROUBLE, disk });
  if (ran === undefined) return ['it died'];
  const after = read();
  must(after === before || isSet(after), `neither the old one nor the new one: ${after ?? 'gone'}`);
  if (ran.code === 0) must(isSet(after), `exit 0, and it is not set: ${told(ran)}`);
  else {
    must(ran.code === 78 && isDocument(ran), `it ended so: ${told(ran)}`);
    must(ran.out.includes(day.home), `the file is not named: ${told(ran)}`);
    // One that was put in its place before the disk failed to say so for certain is new, and told as not kept.
    must(!ran.out.includes('NOT HALTED') || !isSet(after), `halted, and said not to be: ${told(ran)}`);
  }
  const again = await day.run(line.split(' '));
  const isDone = again.ran?.code === 0 || (isSet(read()) && again.ran?.code === 4);
  must(
    isDone && isSet(read()),
    `it cannot be set afterwards: ${again.ran === undefined ? '' : told(again.ran)}`,
  );
  return wrong;
}

/** The command after `arm` under strace, and what that has seen. */
async function underStrace<T>(
  body: (day: Day, arm: () => void) => Promise<T>,
  inject?: Injection,
): Promise<{ value: T } & ReturnType<typeof seenIn>> {
  const log = join(temporaryFolder(), 'strace');
  let isArmed = false;
  const value = await onADay(
    (day) => body(day, () => (isArmed = true)),
    undefined,
    (place) =>
      builtBehind(() => {
        if (!isArmed) return [];
        isArmed = false;
        return injecting(place.home, log, inject);
      })(place),
  );
  return { value, ...seenIn(log) };
}

/** Its name, and how it is judged. */
type Strained = readonly [
  name: string,
  judge: (day: Day, text: string, arm: () => void) => Promise<readonly string[]>,
];

describe('a disk that fails under the database', needs('strace'), () => {
  it('at any write or sync lets nothing leave before it is kept, and loses nothing of it after', async () => {
    const wrong: string[] = [];
    let runs = 0;
    const actions = ACTIONS.map(
      (words): Strained => [words[0] ?? '', (day, text, arm) => (arm(), judged(day, words, { text }))],
    );
    const halts = SETTINGS.filter(({ file }) => file === JOURNAL).map(
      (setting): Strained => [
        setting.line,
        (day, text, isArmed) => judgedSetting(day, setting, { text, isArmed }),
      ],
    );
    for (const [name, body] of [...actions, ...halts]) {
      const calm = await underStrace((day, arm) => body(day, 'calm', arm));
      expect(calm).toMatchObject({ value: [], injected: 0 });
      expect([name, calm.calls.fsync > 0]).toEqual([name, true]);
      // There are many more writes than syncs.
      const [writes, syncs] = CALLS.map((call) => injectionsOf(call, calm.calls[call]));
      for (const inject of [...spread(writes ?? [], 50, 4), ...spread(syncs ?? [], 4)]) {
        const { value, injected } = await underStrace(
          (day, arm) => body(day, injectionText(inject), arm),
          inject,
        );
        if (injected === 0) continue;
        runs += 1;
        wrong.push(...value);
      }
    }
    expectHeld('R3 a disk that fails, under the database', { runs, wrong });
  });
});

describe('the judge of a disk that fails', everyDay, () => {
  const [open = []] = ACTIONS;
  const [limit] = SETTINGS;
  const before: Disk & { on: string } = { at: 1, code: 'EIO', half: false, forEver: true, on: 'the first' };
  const never: Disk & { on: string } = { ...before, at: 10_000 };

  it.each<[string, RegExp, Disk & { on: string }, Program]>([
    [
      'sends without a journal',
      /is not in the journal/,
      never,
      async (words, run, { journal }) => {
        journal.hide(words[0] === 'open');
        return run(words).finally(() => journal.hide(false));
      },
    ],
    [
      'calls done what was not sent',
      /it ended so/,
      before,
      async (words, run) => ({ ...(await run(words)), code: 0 }),
    ],
    [
      'does not say which file',
      /not named/,
      before,
      async (words, run) => {
        const ran = await run(words);
        return { ...ran, out: ran.out.replaceAll(/\/(?:tmp|dev\/shm)[^" ]*/g, 'a file') };
      },
    ],
    [
      'leaves what is to be found',
      /not settled/,
      never,
      async (words, run) => ({ ...(await run(words)), ...(words[0] === 'resume' ? { code: 7 } : {}) }),
    ],
  ])('finds a program that %s', async (_, says, disk, broken) => {
    expect((await wrongWith(open, disk, broken)).join('\n')).toMatch(says);
    expect(await wrongWith(open, disk)).toEqual([]);
  });

  it('finds a setting that is called set and is not', async () => {
    if (limit === undefined) expect.fail('no setting');
    const broken: Program = async (words, run) => ({ ...(await run(words)), code: 0 });
    expect((await wrongIn(limit, before, broken)).join('\n')).toMatch(/it is not set/);
    expect(await wrongIn(limit, before)).toEqual([]);
  });
});
