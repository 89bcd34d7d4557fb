/**
 * A desk whose machine sleeps and whose clock is set at moments that nobody chose, before a service that is unwell and
 * forgets a key after an hour of its own time. Says in words what must never be and was.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HedgeError } from '../../src/errors.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Random } from '../../src/platform/random.ts';
import { executeAction } from '../../src/trading/execute.ts';
import { resumeOpenAction } from '../../src/trading/recover/resume-action.ts';
import type { ActionReport } from '../../src/trading/report.ts';
import type { TestPractice } from '../practice/support/practice-service.ts';
import { intent } from '../trading/facts.ts';
import { dealingDesk } from '../trading/trading-context.ts';
import { frontOf, type Meddling, refusal, servedAt } from './front.ts';
import { temporaryFolder } from './own-folder.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How long the service knows a key. */
const KNOWN_MS = HOUR;

const LINES = [
  'open USDTNGN buy 10k',
  'add USDTNGN buy 2k',
  'add USDTNGN buy 2k',
  'reduce USDTNGN buy 4k',
  'close USDTNGN buy',
];
const NAPS = [30_000, 10 * MINUTE, HOUR - 2 * MINUTE, HOUR + MINUTE, 2 * HOUR, 25 * HOUR];
const SET_BY = [-2 * HOUR, -HOUR, -10 * MINUTE, -6_000, -3_000, 3_000, 6_000, 10 * MINUTE, 2 * HOUR];
const BETWEEN = [0, MINUTE, 30 * MINUTE, HOUR - MINUTE, HOUR + MINUTE, 90 * MINUTE];
const RESUMES = 3;
/** How often something happens: of the times that the clock is read, and of the waits. */
const OFTEN = { read: 0.008, wait: 0.2 };
const BLIND = { read: 0, wait: 0.5 };

export interface Slept {
  wrong: readonly string[];
  /** How often an action reached the service once more under its key. */
  again: number;
}

/** `blind`: no clock of the machine goes on while it sleeps, and the service tells no time: nobody could know. */
export async function sleptThrough(random: Random, { blind = false } = {}): Promise<Slept> {
  const one = <T>(of: readonly T[]): T => {
    const found = of[Math.floor(random.fraction() * of.length)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  };
  let restless = false;
  let [slept, setBy] = [0, 0];

  const clockOf = ({ clock }: TestPractice): Clock => {
    const happens = (at: 'read' | 'wait'): void => {
      if (!restless || random.fraction() >= (blind ? BLIND : OFTEN)[at]) return;
      if (!blind && random.fraction() < 0.4) setBy += one(SET_BY);
      else {
        const ms = one(NAPS);
        slept += ms;
        clock.pass(ms);
      }
    };
    return {
      now() {
        happens('read');
        return clock.now() + setBy - (blind ? slept : 0);
      },
      monotonic: () => clock.now() - slept,
      async sleep(ms) {
        clock.pass(ms);
        happens('wait');
        await nextTurn();
      },
      after: () => () => undefined,
    };
  };

  const known = new Map<string, { since: number; times: number }>();
  const acted = new Map<string, number>();
  let arrivals = 0;
  const serve =
    (practice: TestPractice): Meddling =>
    async (line, pass, { 'idempotency-key': key }) => {
      const now = (): number => practice.clock.now();
      const inTime = (answer: Parameters<typeof servedAt>[1]) => {
        const { date: _date, ...headers } = servedAt(now(), answer).headers;
        return blind ? { ...answer, headers } : servedAt(now(), answer);
      };
      if (typeof key !== 'string' || !line.startsWith('POST /hedges')) return inTime(await pass());
      const fate = restless ? random.fraction() : 1;
      if (fate < 0.2) return inTime(refusal(504, 'upstream_timeout'));
      const before = known.get(key);
      const isKnown = before !== undefined && now() - before.since < KNOWN_MS;
      const held = isKnown ? before : { since: now(), times: (before?.times ?? 0) + 1 };
      known.set(key, held);
      arrivals += 1;
      const answer = await pass({ 'idempotency-key': `${key}~${held.times.toString()}` });
      if (answer.status < 300 && answer.headers['idempotency-replayed'] === undefined)
        acted.set(key, (acted.get(key) ?? 0) + 1);
      if (fate < 0.65) return inTime(refusal(504, 'upstream_timeout'));
      return fate < 0.75 ? 'cut' : inTime(answer);
    };

  const desk = await dealingDesk(undefined, {
    clockOf,
    async wayTo(practice) {
      const way = (): never => {
        throw new Error('no program is led there');
      };
      const front = await frontOf({ desk: practice, way }, temporaryFolder());
      front.meddle(serve(practice));
      return front;
    },
  });

  const story: string[] = [];
  const told: string[] = [];
  const tell = async (what: string, doing: Promise<ActionReport | undefined>): Promise<void> => {
    const came = await doing.catch((error: unknown) => {
      if (error instanceof HedgeError) return error;
      throw error;
    });
    const code = came instanceof HedgeError ? came.code : (came?.finding?.code ?? came?.outcome);
    story.push(`${what}: ${code ?? 'nothing open'}`);
    const entry = came instanceof HedgeError ? undefined : came?.entry;
    const count = acted.get(entry?.intent.idempotency_key ?? '') ?? 0;
    if (came?.effect === 'none' && count > 0) told.push(`said that nothing was done (${code ?? ''})`);
  };

  const line = one(LINES);
  if (!line.startsWith('open')) await desk.now('open USDTNGN buy 10k');
  const opened = arrivals;
  restless = true;
  await tell(line, executeAction(intent(line, { yes: true }), desk.tradingContext()));
  for (let times = 0; times < RESUMES; times += 1) {
    desk.practice.clock.pass(one(BETWEEN));
    if (!blind && random.fraction() < 0.3) setBy += one(SET_BY);
    const how = { word: undefined, yes: true, resend: true, dryRun: false, wait: true, timeoutMs: 9_000 };
    await tell('resume', resumeOpenAction(how, desk.tradingContext({ attended: false })));
  }
  const twice = [...acted].filter(([, count]) => count > 1);
  return {
    again: Math.max(0, arrivals - opened - 1),
    wrong: [
      ...twice.map(([key, count]) => `done ${count.toString()} times under ${key}: ${story.join(', ')}`),
      ...told.map((what) => `${what}: ${story.join(', ')}`),
    ],
  };
}
