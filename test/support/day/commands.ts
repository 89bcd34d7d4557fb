/** The commands of a day as fast-check's: each plays itself on the day and is judged, and prints itself to be read. */
import {
  type Arbitrary,
  type AsyncCommand,
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
} from 'fast-check';
import { FAULT_NAMES, type FaultName, type Plan, planText } from '../faults/faults.ts';
import { type Day, NO_TROUBLE, PROFILES, type Profile, type Trouble } from './day.ts';
import { judgeEnd } from './judge-end.ts';
import { actedUnder, judgeSend } from './judge-wire.ts';
import { type Asked, type Deal, type Model, PATHS, type Side, type Standing } from './model.ts';

export type Step = AsyncCommand<Model, Day>;

const SECOND_MS = 1_000;

export const step = (says: string, run: (model: Model, day: Day) => Promise<void>): Step => ({
  check: () => true,
  // What comes after the first wrong is not the day that was meant any more.
  run: async (model, day) => (model.wrong.length > 0 ? undefined : run(model, day)),
  toString: () => says,
});

/** Runs one command and judges it, on the wire and at its end. */
export async function dealt(
  model: Model,
  day: Day,
  asked: Asked,
  how: { words: readonly string[]; trouble?: Trouble; answer?: string | undefined },
): Promise<{ out: string }> {
  model.command += 1;
  const { words, trouble = NO_TROUBLE, answer } = how;
  model.standing = asked.kind === 'reading' ? undefined : await standingNow(day);
  const ended = await day.run([...words, '--json'], trouble, {
    answer,
    onSend: (request) => judgeSend(model, day, asked, request),
  });
  await judgeEnd(model, day, asked, ended);
  return { out: ended.ran?.out ?? '' };
}

const STANDS: readonly string[] = ['submitted', 'filled'];

async function standingNow({ served }: Day): Promise<Model['standing']> {
  const { books } = await served.desk.service.admin.status();
  if (books.test.orders_in_flight > 0) return undefined;
  const { body } = await served.desk.get('/hedges?limit=500', { as: 'test' });
  const listed: (Standing & { status: string })[] = body.data;
  return listed.filter(({ status }) => STANDS.includes(status));
}

export interface DealAsked {
  profile: Profile;
  action: Deal;
  side: Side;
  /** USD; `by`: percent of what is open; `to`: USD that stay. The last two of a reduction only. */
  size: { usd: number } | { by: number } | { to: number };
  tenor: number;
  /** A deal id of an open, the idempotency key of any other; the same one again is the same intent. */
  name: string | undefined;
  ensure: boolean;
  retryFailed: boolean;
  twice: boolean;
  despite: boolean;
  waits: boolean;
  trouble: Trouble;
}

export const deal = (it: DealAsked): Step =>
  step(`${wordsOf(it, []).join(' ')}${troubleText(it.trouble)}`, async (model, day) => {
    const { action, side, profile } = it;
    const inDoubt = [...model.shown].filter(([, each]) => each.unresolved && each.side === side);
    const named = it.despite && action !== 'close' ? inDoubt : [];
    const asked: Asked = {
      kind: 'deal',
      profile,
      action,
      side,
      size: await sizeOf(it, day),
      tenor: action === 'open' ? it.tenor : undefined,
      dealId: action === 'open' ? it.name : undefined,
      despite: named.map(([, { key }]) => key),
      waits: it.waits,
    };
    await dealt(model, day, asked, {
      words: wordsOf(
        it,
        named.map(([id]) => id),
      ),
      trouble: it.trouble,
    });
  });

function wordsOf(it: DealAsked, despite: readonly string[]): readonly string[] {
  const { action, side, size, name } = it;
  const sized =
    'usd' in size
      ? [String(size.usd)]
      : 'by' in size
        ? ['--by', `${String(size.by)}%`]
        : ['--to', String(size.to)];
  const own = action === 'open' || action === 'add' ? [String('usd' in size ? size.usd : 1_000)] : sized;
  const key = `${name ?? ''}-${action}-${side}-${own.join('')}`.replaceAll(/[^\w-]/g, '');
  return [
    action,
    'USDTNGN',
    side,
    ...(action === 'close' ? [] : own),
    ...(action === 'open' ? ['--tenor', String(it.tenor)] : []),
    ...(name === undefined ? [] : action === 'open' ? ['--deal-id', name] : ['--idempotency-key', key]),
    ...(action === 'open' && name !== undefined && it.ensure ? ['--ensure'] : []),
    ...(action === 'open' && name !== undefined && it.ensure && it.retryFailed ? ['--retry-failed'] : []),
    ...(it.twice && action !== 'close' ? ['--allow-duplicate'] : []),
    ...(despite.length === 0 ? [] : ['--despite', despite.join(',')]),
    ...(it.waits ? [] : ['--no-wait']),
    '--yes',
    '--profile',
    it.profile,
  ];
}

/** What a size comes to by the service's own book; undefined where something is still to land on it. */
async function sizeOf({ action, size, side }: DealAsked, { served }: Day): Promise<number | undefined> {
  if (action === 'close') return undefined;
  if ('usd' in size) return size.usd;
  if (action !== 'reduce') return 1_000;
  const { books } = await served.desk.service.admin.status();
  if (books.test.orders_in_flight > 0) return undefined;
  const open = await served.openOn(side);
  return 'by' in size ? (open * size.by) / 100 : open - size.to;
}

const troubleText = ({ plan, dies }: Trouble): string => {
  const text = planText(plan);
  const death = dies === undefined ? '' : `, dies at ${String(dies.at)}${dies.half ? ', half-way' : ''}`;
  return `${text === '' ? '' : ` [${text}]`}${death}`;
};

const chosen = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];

export const look = (words: readonly string[], trouble: Trouble): Step =>
  step(`${words.join(' ')}${troubleText(trouble)}`, async (model, day) => {
    await dealt(model, day, { kind: 'reading' }, { words, trouble });
  });

export const waitFor = (which: number, trouble: Trouble): Step =>
  step(`wait for ${String(which)}${troubleText(trouble)}`, async (model, day) => {
    const id = chosen([...model.shown.keys()], which);
    if (id === undefined) return;
    const words = ['wait', id, '--timeout', '30', '--profile', 'desk'];
    await dealt(model, day, { kind: 'reading' }, { words, trouble });
  });

export interface ResumeAsked {
  which: number;
  profile: Profile;
  /** `unasked`: a script that has agreed to the resending; `script`: one that has not. Else what a person answers. */
  by: 'unasked' | 'script' | 'y' | 'n';
  trouble: Trouble;
}

export const resume = (it: ResumeAsked): Step =>
  step(
    `resume ${String(it.which)} by ${it.by} under ${it.profile}${troubleText(it.trouble)}`,
    async (model, day) => {
      const all = [...model.shown];
      const found =
        chosen(
          all.filter(([, { unresolved }]) => unresolved),
          it.which,
        ) ?? chosen(all, it.which);
      if (found === undefined) return;
      const [id, { key }] = found;
      const more = it.by === 'unasked' ? ['--yes', '--resend'] : it.by === 'script' ? ['--yes'] : [];
      const words = ['resume', id, ...more, '--profile', it.profile];
      const answer = it.by === 'y' || it.by === 'n' ? `${it.by}\r` : undefined;
      const before = day.served.changes().length;
      await dealt(
        model,
        day,
        { kind: 'resume', profile: it.profile, key, waits: true },
        { words, trouble: it.trouble, answer },
      );
      if (it.by === 'script' || it.by === 'n')
        if (day.served.changes().length > before)
          model.wrong.push(`${words.join(' ')}: it was sent, and nobody agreed to that`);
    },
  );

async function isLanding({ served }: Day): Promise<boolean> {
  const { body } = await served.desk.get('/hedges?status=submitted', { as: 'test' });
  return body.data.length > 0;
}

/** A person who has asked the venue says what became of it. */
export const settle = (which: number): Step =>
  step(`resolve ${String(which)} as it is`, async (model, day) => {
    const found = chosen(
      [...model.shown].filter(([, { unresolved }]) => unresolved),
      which,
    );
    // The venue itself does not know what becomes of an order that is still to land.
    if (found === undefined || (await isLanding(day))) return;
    const [id, { key }] = found;
    const as = actedUnder(day, key) === 1 && model.keys.get(key)?.failed !== true ? 'done' : 'nothing';
    const outcome = as === 'done' ? 'executed' : 'not-executed';
    const late = as === 'nothing' ? ['--allow-late-arrival'] : [];
    const words = [
      'journal',
      'resolve',
      id,
      '--as',
      outcome,
      ...late,
      '--reason',
      'the venue says so',
      '--yes',
    ];
    await dealt(model, day, { kind: 'reading' }, { words });
    const known = model.keys.get(key);
    if (known === undefined || model.trouble !== undefined) return;
    known.doubted = false;
    known.isSettled = as === 'nothing';
  });

export const brake = (on: boolean): Step =>
  step(on ? 'halt' : 'unhalt', async (model, day) => {
    await dealt(
      model,
      day,
      { kind: 'reading' },
      { words: on ? ['halt', 'venue down'] : ['unhalt', '--yes'] },
    );
    model.halted = on;
  });

export const limit = (
  profile: Profile,
  change: { most?: number; mostDaily?: number; readOnly?: boolean },
): Step =>
  step(`limit ${profile} ${JSON.stringify(change)}`, async (model, day) => {
    const { most, mostDaily, readOnly = false } = change;
    const figure = (usd: number | undefined): string => (usd === undefined ? 'none' : String(usd));
    const figures = ['--max-notional', figure(most), '--max-daily-notional', figure(mostDaily)];
    const words = [
      'profile',
      'limit',
      profile,
      ...figures,
      readOnly ? '--read-only' : '--no-read-only',
      '--yes',
    ];
    await dealt(model, day, { kind: 'reading' }, { words });
    model.limits[profile] = { most, mostDaily, readOnly };
  });

export const colleague = (it: { action: Deal; side: Side; size: number; dealId: string | undefined }): Step =>
  step(
    `a colleague: ${it.action} ${it.side} ${String(it.size)} ${it.dealId ?? ''}`.trimEnd(),
    async (model, day) => {
      const sized = it.action === 'close' ? {} : { notional_usd: it.size };
      const reference = it.dealId === undefined ? {} : { client_reference: it.dealId };
      const opens = it.action === 'open' ? { tenor_days: 7, ...reference } : {};
      const body = { side: it.side, ...sized, ...opens };
      await day.served.desk.service.admin.clearFaults();
      // The service may say no to a colleague too.
      const reply = await day.served.colleague(PATHS[it.action], body).catch(() => undefined);
      if (reply === undefined) return;
      if (it.action === 'open') model.colleagueIds.add(reply.body.data.hedge_id);
      model.colleague.push({ side: it.side, dealId: it.action === 'open' ? it.dealId : undefined });
    },
  );

export const passes = (ms: number): Step =>
  step(
    ms < 0 ? `the clock is set back ${String(-ms / SECOND_MS)} s` : `${String(ms / SECOND_MS)} s pass`,
    async (model, day) => {
      day.pass(ms);
      model.clockWasWrong ||= ms < 0;
    },
  );

export const practiceFaults = (change: { failing_orders?: number; slow_fills_seconds?: number }): Step =>
  step(`practiceFaults ${JSON.stringify(change)}`, async (_, day) => {
    await day.served.desk.service.admin.setFaults({ ...change, only: 'open', once: 1 });
  });

const faults = (maxLength: number): Arbitrary<FaultName[]> =>
  array(constantFrom(...FAULT_NAMES), { maxLength });
const plan: Arbitrary<Plan> = record({
  faults: record({ before: faults(1), send: faults(4), polls: faults(2) }),
  forever: boolean(),
});
/** One time in so many. */
const seldom = <T>(each: Arbitrary<T>, oneIn: number): Arbitrary<T | undefined> =>
  oneof({ weight: oneIn - 1, arbitrary: constant(undefined) }, { weight: 1, arbitrary: each });
const death = (last: number) => record({ at: integer({ min: 1, max: last }), half: boolean() });
const dies = seldom(death(50), 3);
const trouble: Arbitrary<Trouble> = record({ plan, dies });
const readingTrouble: Arbitrary<Trouble> = record({
  plan: record({
    faults: record({ before: faults(2), send: constant([]), polls: constant([]) }),
    forever: constant(false),
  }),
  dies: seldom(death(20), 6),
});
const profile = constantFrom(...PROFILES);
const action = constantFrom<Deal>('open', 'add', 'reduce', 'close');
const side = constantFrom<Side>('buy', 'sell');
const usd = constantFrom(1_000, 2_500, 10_000);
const name = seldom(constantFrom('PAY-1', 'PAY-2'), 2);

const aDeal = record({
  profile,
  action,
  side,
  size: usd.chain((size) =>
    constantFrom({ usd: size }, { usd: size }, { by: 50 }, { by: 100 }, { to: size }),
  ),
  tenor: constantFrom(1, 3, 7),
  name,
  ensure: boolean(),
  retryFailed: boolean(),
  twice: boolean(),
  despite: integer({ min: 0, max: 5 }).map((n) => n === 5),
  waits: integer({ min: 0, max: 3 }).map((n) => n !== 3),
  trouble,
}).map(deal);

const times = (count: number, each: Arbitrary<Step>): Arbitrary<Step>[] =>
  Array.from({ length: count }, () => each);

/** As often as they are in the list. */
export const DEALINGS: readonly Arbitrary<Step>[] = [
  ...times(10, aDeal),
  ...times(3, record({ action, side, size: usd, dealId: name }).map(colleague)),
  ...times(
    2,
    constantFrom(5, 61, 150, 400, 3_700, 26 * 3_600).map((s) => passes(s * SECOND_MS)),
  ),
  constantFrom(-30, -400, -1.5 * 3_600).map((s) => passes(s * SECOND_MS)),
  ...times(
    2,
    readingTrouble.map((it) => look(['check', '--profile', 'desk'], it)),
  ),
  record({ which: nat(9), it: readingTrouble }).map(({ which, it }) => waitFor(which, it)),
  ...times(
    4,
    record({
      which: nat(9),
      profile,
      by: constantFrom('unasked', 'unasked', 'script', 'y', 'n'),
      trouble,
    }).map(resume),
  ),
  nat(9).map(settle),
  boolean().map(brake),
  record({
    who: profile,
    change: record(
      { most: constantFrom(1_000, 5_000), mostDaily: constantFrom(2_500, 12_000), readOnly: boolean() },
      { requiredKeys: [] },
    ),
  }).map(({ who, change }) => limit(who, change)),
  constantFrom({ failing_orders: 1 }, { slow_fills_seconds: 100 }, { slow_fills_seconds: 400 }).map(
    practiceFaults,
  ),
];
